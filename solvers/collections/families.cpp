/// The families that come with Touchstone. Sizes run through their range with the number of the
/// problem, so that any first N problems cover it; seeds differ from problem to problem.

#include "solvers/collections/families.hpp"

#include <cmath>

#include "solvers/collections/random_problems.hpp"

namespace touchstone {

namespace {

using namespace random_problems;

/// Far apart for neighbouring problems and different for each family.
Random seeded(unsigned long family, int k) {
  return Random(1000003UL * family + static_cast<unsigned long>(k));
}

/// Contacts 1 to 50, directions 4 and 8, general and redundant: 200 problems are one round.
struct Draw {
  Contacts contacts;
  Vec velocity;
};
Draw draw_contacts(Random& random, int k) {
  const int count = 1 + k % 50, directions = k / 50 % 2 == 0 ? 4 : 8;
  const bool redundant = k / 100 % 2 == 1;
  const int bodies = 1 + random.integer(0, std::max(1, count / 4));
  Draw draw{spatial_contacts(random, bodies, count, directions, redundant), {}};
  draw.velocity = random.vector(6 * bodies);
  return draw;
}

const Register<FamilyEntry> stewart{{
    .name = "stewart-trinkle",
    .summary = "frictional LCPs, 1 to 50 contacts, 4 and 8 directions, every other hundred of "
               "them with redundant contacts",
    .count = 200,
    .make =
        [](int k) {
          Random random = seeded(1, k);
          const Draw draw = draw_contacts(random, k);
          return Problem(stewart_trinkle(draw.contacts, draw.velocity));
        },
}};

const Register<FamilyEntry> mixed{{
    .name = "mixed",
    .summary = "the problems of stewart-trinkle as mixed LCPs in velocities and impulses",
    .count = 200,
    .make =
        [](int k) {
          Random random = seeded(1, k);
          const Draw draw = draw_contacts(random, k);
          return Problem(mixed_stewart_trinkle(draw.contacts, draw.velocity));
        },
}};

const Register<FamilyEntry> redundant{{
    .name = "redundant",
    .summary = "frictionless LCPs of one to three boxes on 4 to 60 repeated corners: W_nᵀM⁻¹W_n "
               "of rank at most 6 per box",
    .count = 100,
    .make =
        [](int k) {
          Random random = seeded(2, k);
          const int bodies = 1 + k % 3;
          const Contacts c = spatial_contacts(random, bodies, 4 + k % 57, 4, true);
          return Problem(frictionless(c, random.vector(6 * bodies)));
        },
}};

const Register<FamilyEntry> definite{{
    .name = "positive-definite",
    .summary = "LCPs with M = BBᵀ + I/10, 2 to 100 unknowns",
    .count = 100,
    .make =
        [](int k) {
          Random random = seeded(3, k);
          return Problem(positive_definite(random, 2 + k % 99));
        },
}};

const Register<FamilyEntry> deficient{{
    .name = "rank-deficient",
    .summary = "LCPs with M = BBᵀ of lower rank, q built backwards from a degenerate solution, 2 "
               "to 60 unknowns",
    .count = 100,
    .make =
        [](int k) {
          Random random = seeded(4, k);
          return Problem(rank_deficient(random, 2 + k % 59));
        },
}};

const Register<FamilyEntry> ratio{{
    .name = "mass-ratio",
    .summary = "frictional LCPs of 2 to 12 contacts between bodies whose masses differ by 10 to "
               "10⁸",
    .count = 100,
    .make =
        [](int k) {
          Random random = seeded(5, k);
          const int bodies = 2 + k % 3;
          Contacts c = spatial_contacts(random, bodies, 2 + k % 11, 4, k % 2 == 1);
          const double span = 1.0 + k % 8;  // decades
          for (int b = 0; b < bodies; ++b)
            c.inverse_mass.segment<6>(6 * b) *= std::pow(10.0, -span * b / (bodies - 1));
          return Problem(stewart_trinkle(c, random.vector(6 * bodies)));
        },
}};

const Register<FamilyEntry> qp{{
    .name = "contact-qp",
    .summary = "convex QPs of frictionless contact, 1 to 50 contacts, half of them redundant",
    .count = 100,
    .make =
        [](int k) {
          Random random = seeded(1, 2 * k);
          const Draw draw = draw_contacts(random, 2 * k);
          return Problem(frictionless_qp(draw.contacts, draw.velocity));
        },
}};

const Register<FamilyEntry> cone{{
    .name = "cone",
    .summary = "exact-cone problems, 1 to 50 contacts, every other hundred redundant",
    .count = 200,
    .make =
        [](int k) {
          Random random = seeded(6, k);
          const int count = 1 + k % 50, bodies = 1 + random.integer(0, std::max(1, count / 4));
          const Contacts c = spatial_contacts(random, bodies, count, 4, k / 50 % 2 == 1);
          return Problem(exact_cone(c, random.vector(6 * bodies)));
        },
}};

const Register<FamilyEntry> planar{{
    .name = "planar-cone",
    .summary = "planar exact-cone problems of one body with 1 to 10 contacts",
    .count = 100,
    .make =
        [](int k) {
          Random random = seeded(7, k);
          const Contacts c = planar_contacts(random, 1 + k % 10);
          return Problem(exact_cone(c, random.vector(3)));
        },
}};

const Register<FamilyEntry> towers{{
    .name = "tower",
    .summary = "exact-cone problems of towers of 1 to 1024 boxes, four contacts each, sparse",
    .count = 11,
    .make =
        [](int k) {
          Random random = seeded(8, k);
          return Problem(tower(random, 1 << (k % 11)));
        },
}};

}  // namespace

}  // namespace touchstone

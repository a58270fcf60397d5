/// Lemke against the oracle on random problems of the three families that contact produces.

#include <gtest/gtest.h>

#include <algorithm>

#include "solvers/own/enumeration.hpp"
#include "solvers/solver.hpp"
#include "tests/solvers/random_problems.hpp"

namespace touchstone::testing {
namespace {

constexpr double accuracy = 1e-10;

TEST(LemkeAgreesWithEnumeration, OnPositiveDefiniteProblemsInZ) {
  Random random(1);
  const auto lemke = make_solver("lemke"), oracle = make_solver("enumeration");
  for (int trial = 0; trial < 4000; ++trial) {
    const Lcp problem = positive_definite(random, random.integer(1, 10));
    const Answer answer = lemke->solve(problem), reference = oracle->solve(problem);
    ASSERT_EQ(answer.status, Status::solved) << "trial " << trial;
    ASSERT_EQ(reference.status, Status::solved) << "trial " << trial;
    ASSERT_LE(answer.residual.natural, accuracy) << "trial " << trial;
    ASSERT_LE((answer.z - reference.z).lpNorm<Eigen::Infinity>(), 1e-9) << "trial " << trial;
  }
}

TEST(LemkeAgreesWithEnumeration, OnRankDeficientProblemsInW) {
  Random random(2);
  const auto lemke = make_solver("lemke"), oracle = make_solver("enumeration");
  for (int trial = 0; trial < 3000; ++trial) {
    const Lcp problem = rank_deficient(random, random.integer(1, 10));
    const Answer answer = lemke->solve(problem), reference = oracle->solve(problem);
    ASSERT_EQ(answer.status, Status::solved) << "trial " << trial;
    ASSERT_EQ(reference.status, Status::solved) << "trial " << trial;
    ASSERT_LE(answer.residual.natural, accuracy) << "trial " << trial;
    const Vec difference = problem.M.dense() * (answer.z - reference.z);
    ASSERT_LE(difference.lpNorm<Eigen::Infinity>(), 1e-8) << "trial " << trial;
  }
}

/// The same contact counted twice: singular blocks everywhere.
Contacts twice(const Contacts& one) {
  Contacts two = one;
  two.W_n = one.W_n.replicate(1, 2);
  two.W_f = one.W_f.replicate(1, 2);
  two.mu = one.mu.replicate(2, 1);
  two.gap_rate = one.gap_rate.replicate(2, 1);
  return two;
}

Lcp frictional(Random& random, bool physical) {
  Contacts contacts;
  switch (random.integer(0, 4)) {
    case 0:
      contacts = planar_contacts(random, 1);
      break;
    case 1:
      contacts = planar_contacts(random, 2);
      break;
    case 2:
      contacts = twice(planar_contacts(random, 1));
      break;
    case 3:
      contacts = spatial_contacts(random, 1, 1, 4, false);
      break;
    default:
      contacts = spatial_contacts(random, 1, 1, 8, false);
      break;
  }
  Lcp problem = stewart_trinkle(contacts, random.vector(contacts.W_n.rows()));
  if (!physical) problem.q.head(contacts.W_n.cols()) = random.vector(contacts.W_n.cols());
  return problem;
}

TEST(LemkeAgreesWithEnumeration, OnFrictionalProblems) {
  Random random(3);
  const auto lemke = make_solver("lemke"), oracle = make_solver("enumeration");
  int solvable = 0;
  for (int trial = 0; trial < 3000; ++trial) {
    const Lcp problem = frictional(random, trial % 2 == 0);
    const Answer answer = lemke->solve(problem), reference = oracle->solve(problem);
    if (reference.status == Status::solved) {
      ++solvable;
      ASSERT_EQ(answer.status, Status::solved) << "trial " << trial;
      ASSERT_LE(answer.residual.natural, accuracy) << "trial " << trial;
    } else {
      ASSERT_EQ(reference.status, Status::infeasible) << "trial " << trial;
      ASSERT_EQ(answer.status, Status::ray) << "trial " << trial;
    }
    if (trial % 2 == 0) {
      ASSERT_EQ(reference.status, Status::solved) << "physical, trial " << trial;
    }
  }
  EXPECT_GT(solvable, 2000);
}

/// 1–20 contacts, 4 and 8 directions, general and redundant, falling, sliding and at rest; masses
/// over eight orders of magnitude. Every one of them has a solution (Stewart & Trinkle 1996).
TEST(LemkeSolvesStewartTrinkle, TwoThousandStepsOfAllSizes) {
  Random random(4);
  const auto lemke = make_solver("lemke");
  int tried = 0, solved = 0, repeated = 0;
  for (const double mass : {1e-4, 1.0, 1e4}) {
    for (int trial = 0; trial < (mass == 1.0 ? 1400 : 300); ++trial) {
      const int count = random.integer(1, 20), bodies = random.integer(1, std::max(1, count / 2));
      const bool redundant = random.chance(0.5);
      Contacts contacts =
          spatial_contacts(random, bodies, count, random.chance(0.5) ? 4 : 8, redundant);
      contacts.inverse_mass /= mass;
      Vec velocity = random.vector(6 * bodies);
      if (redundant && random.chance(0.5)) {
        velocity.setZero();
        for (int b = 0; b < bodies; ++b) velocity[6 * b + 2] = -0.0981;
      }
      const Answer answer = lemke->solve(stewart_trinkle(contacts, velocity));
      ++tried;
      solved += answer.ok() ? 1 : 0;
      repeated += answer.notes.empty() ? 0 : 1;
    }
  }
  RecordProperty("tried", tried);
  RecordProperty("solved", solved);
  RecordProperty("repeated", repeated);
  EXPECT_EQ(tried, 2000);
  EXPECT_GE(solved, 1998);
  EXPECT_LE(repeated, 20);
}

}  // namespace
}  // namespace touchstone::testing

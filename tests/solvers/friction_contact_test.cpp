/// The exact Coulomb cone: `nsgs` and `nsn`, and the local solve they rest on.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <cmath>
#include <limits>

#include "solvers/own/coulomb.hpp"
#include "solvers/solver.hpp"
#include "tests/solvers/known_problems.hpp"
#include "tests/solvers/random_problems.hpp"

namespace touchstone::testing {
namespace {

using ::testing::HasSubstr;

// ---- One contact

/// The smallest natural residual over a fine grid of the slip circle, the stick and the
/// separation: an answer that knows nothing of the root finding.
double brute_force(const Block3& W, const Row3& b, double mu) {
  double best = contact_residual(Row3::Zero(), b, mu);
  const Row3 stick = -W.inverse() * b;
  best = std::min(best, contact_residual(stick, W * stick + b, mu));
  for (int k = 0; k < 20000; ++k) {
    const double angle = 2.0 * std::numbers::pi * k / 20000;
    const Row3 ray(1.0, mu * std::cos(angle), mu * std::sin(angle));
    const double slope = W.row(0).dot(ray);
    if (slope <= 0.0) continue;
    const Row3 r = std::max(0.0, -b[0] / slope) * ray;  // u_n = 0
    best = std::min(best, contact_residual(r, W * r + b, mu));
  }
  return best;
}

TEST(LocalContact, IsSolvedExactlyWhateverTheBlock) {
  Random random(21);
  int modes[4] = {0, 0, 0, 0};
  for (int trial = 0; trial < 20000; ++trial) {
    const Mat B = random.matrix(3, 3);
    const Block3 W = B * B.transpose() * std::pow(10.0, random.uniform(-3.0, 3.0));
    const Row3 b = random.vector(3);
    const double mu = random.uniform(0.0, 2.0);
    Row3 r;
    const ContactMode mode = solve_contact(W, b, mu, r);
    ++modes[static_cast<int>(mode)];
    const Row3 u = W * r + b;
    // Round-off of u, as large as the terms it is made of.
    const double round_off =
        1e-13 * (1.0 + (W.cwiseAbs() * r.cwiseAbs()).maxCoeff()) + 1e-13 * r.cwiseAbs().maxCoeff();
    ASSERT_LE(contact_residual(r, u, mu), 10.0 * round_off) << "trial " << trial;
  }
  EXPECT_GT(modes[static_cast<int>(ContactMode::separation)], 5000);
  EXPECT_GT(modes[static_cast<int>(ContactMode::stick)], 1000);
  EXPECT_GT(modes[static_cast<int>(ContactMode::slip)], 1000);
  EXPECT_EQ(modes[static_cast<int>(ContactMode::unsolvable)], 0);
}

TEST(LocalContact, IsNeverWorseThanBruteForce) {
  Random random(22);
  for (int trial = 0; trial < 60; ++trial) {
    const Mat B = random.matrix(3, 3);
    const Block3 W = B * B.transpose() + 0.1 * Block3::Identity();
    const Row3 b = random.vector(3);
    const double mu = random.uniform(0.05, 1.5);
    Row3 r;
    solve_contact(W, b, mu, r);
    const double found = contact_residual(r, W * r + b, mu), grid = brute_force(W, b, mu);
    EXPECT_LE(found, 1e-13) << "trial " << trial;
    EXPECT_LE(grid, 1e-2) << "the grid comes near a solution too, trial " << trial;
  }
}

/// r chosen on the cone and u by the law, then b = u − W r.
TEST(LocalContact, SolvesWhatWasBuiltFromASlip) {
  Random random(23);
  for (int trial = 0; trial < 2000; ++trial) {
    const Block3 W = Row3(random.uniform(0.1, 3.0), 1.0, 1.0).asDiagonal();  // one solution
    const double mu = random.uniform(0.1, 1.0), angle = random.uniform(0.0, 6.28);
    const Row3 r0 =
        random.uniform(0.1, 2.0) * Row3(1.0, mu * std::cos(angle), mu * std::sin(angle));
    const double kappa = std::pow(10.0, random.uniform(-6.0, 6.0));
    const Row3 u0(0.0, -kappa * r0[1], -kappa * r0[2]);
    Row3 r;
    EXPECT_EQ(solve_contact(W, u0 - W * r0, mu, r), ContactMode::slip);
    // b carries the round-off of κ r_t.
    EXPECT_LE((r - r0).cwiseAbs().maxCoeff(), 1e-13 + 1e-15 * kappa) << "kappa " << kappa;
  }
}

TEST(LocalContact, KnowsTheFrictionlessAndTheImmovable) {
  Row3 r;
  EXPECT_EQ(solve_contact(2.0 * Block3::Identity(), Row3(-3, 1, 1), 0.0, r), ContactMode::slip);
  EXPECT_EQ(r, Row3(1.5, 0, 0));
  EXPECT_EQ(solve_contact(Block3::Zero(), Row3(-1, 0, 0), 0.5, r), ContactMode::unsolvable);
  EXPECT_EQ(solve_contact(Block3::Zero(), Row3(1, 5, 0), 0.5, r), ContactMode::separation);
  EXPECT_EQ(r, Row3(0, 0, 0));
}

TEST(LocalContact, SolvesASingularBlock) {  // only the normal and one tangent can be moved
  const Block3 W = Row3(1, 1, 0).asDiagonal();
  Row3 r;
  for (const Row3& b : {Row3(-1, 0.1, 0), Row3(-1, 3, 0), Row3(-1, 0.1, 0.2), Row3(-1, 3, 2)}) {
    solve_contact(W, b, 0.5, r);
    EXPECT_LE(contact_residual(r, W * r + b, 0.5), 1e-14) << b.transpose();
  }
}

// ---- Problems

FrictionContact random_cone_problem(Random& random, int most, Contacts& contacts) {
  const int count = random.integer(1, most), bodies = random.integer(1, std::max(1, count / 2));
  const bool redundant = random.chance(0.5);
  contacts = spatial_contacts(random, bodies, count, 4, redundant);
  Vec velocity = random.vector(6 * bodies);
  if (redundant && random.chance(0.5)) {
    velocity.setZero();
    for (int b = 0; b < bodies; ++b) velocity[6 * b + 2] = -0.0981;
  }
  return exact_cone(contacts, velocity);
}

class ExactCone : public ::testing::TestWithParam<const char*> {
 protected:
  Answer solve(const Problem& problem, const Vec& guess = {}) {
    return make_solver(GetParam())->solve(problem, guess);
  }
};

TEST_P(ExactCone, OneParticleSticksSlipsAndSeparates) {
  const double m = 2.0, mu = 0.5;  // W = I/m, u⁺ = q + r/m
  const Mat W = Mat::Identity(3, 3) / m;
  const Answer stick = solve(FrictionContact{3, W, vec({-1.0, 0.3, -0.3}), vec({mu})});
  ASSERT_EQ(stick.status, Status::solved);
  EXPECT_LE((stick.z - vec({2.0, -0.6, 0.6})).cwiseAbs().maxCoeff(), 1e-12);

  const Answer slip = solve(FrictionContact{3, W, vec({-1.0, 3.0, -4.0}), vec({mu})});
  ASSERT_EQ(slip.status, Status::solved);  // r_t = −μ r_n (0.6, −0.8)
  EXPECT_LE((slip.z - vec({2.0, -0.6, 0.8})).cwiseAbs().maxCoeff(), 1e-12);

  const Answer free = solve(FrictionContact{3, W, vec({0.1, 3.0, -4.0}), vec({mu})});
  ASSERT_EQ(free.status, Status::solved);
  EXPECT_EQ(free.z, vec({0, 0, 0}));
}

TEST_P(ExactCone, PlanarParticleSticksAndSlips) {
  const Mat W = Mat::Identity(2, 2);
  const Answer stick = solve(FrictionContact{2, W, vec({-1.0, 0.4}), vec({0.5})});
  ASSERT_EQ(stick.status, Status::solved);
  EXPECT_LE((stick.z - vec({1.0, -0.4})).cwiseAbs().maxCoeff(), 1e-12);
  const Answer slip = solve(FrictionContact{2, W, vec({-1.0, 0.6}), vec({0.5})});
  ASSERT_EQ(slip.status, Status::solved);
  EXPECT_LE((slip.z - vec({1.0, -0.5})).cwiseAbs().maxCoeff(), 1e-12);
}

/// Friction ladder: a particle on a slope holds below arctan μ and slides above.
TEST_P(ExactCone, SlopesAroundTheThreshold) {
  const double mu = 0.4, g = 9.81, h = 0.01;
  for (const double factor : {0.5, 0.99, 1.01, 2.0}) {
    const double angle = std::atan(mu) * factor;
    const FrictionContact p{3, Mat::Identity(3, 3),
                            vec({-g * h * std::cos(angle), g * h * std::sin(angle), 0}), vec({mu})};
    const Answer answer = solve(p);
    ASSERT_EQ(answer.status, Status::solved);
    const double expected = std::max(0.0, g * h * (std::sin(angle) - mu * std::cos(angle)));
    EXPECT_NEAR((answer.z + p.q)[1], expected, 1e-10) << "factor " << factor;
  }
}

/// A box on four corners: W has rank 6 of 12; the velocities and the total force are unique.
FrictionContact box_on_plane(double m, double h, const Eigen::Vector3d& push, bool sparse) {
  Contacts c;
  c.directions = 4;
  c.W_n.resize(6, 4);
  c.W_f.resize(6, 16);
  c.inverse_mass.resize(6);
  c.inverse_mass << Vec::Constant(3, 1.0 / m), Vec::Constant(3, 6.0 / m);
  c.mu = Vec::Constant(4, 0.5);
  c.gap_rate = Vec::Zero(4);
  for (int i = 0; i < 4; ++i) {
    const Eigen::Vector3d corner(i % 2 ? 0.5 : -0.5, i / 2 ? 0.5 : -0.5, -0.5);
    write_contact(c, i, 0, -1, Eigen::Vector3d::UnitZ(), corner, Eigen::Vector3d::Zero());
  }
  Vec velocity = Vec::Zero(6);
  velocity.head<3>() = push;
  velocity[2] -= 9.81 * h;
  FrictionContact p = exact_cone(c, velocity);
  if (sparse) p.W = p.W.to_sparse();
  return p;
}

TEST_P(ExactCone, BoxOnFourCornersCarriesItsWeight) {
  for (const double m : {1e-3, 1.0, 1e3})
    for (const bool sparse : {false, true}) {
      const FrictionContact p = box_on_plane(m, 0.01, Eigen::Vector3d::Zero(), sparse);
      const Answer answer = solve(p);
      ASSERT_EQ(answer.status, Status::solved) << "m = " << m;
      const double normal = answer.z[0] + answer.z[3] + answer.z[6] + answer.z[9];
      EXPECT_NEAR(normal / (m * 9.81 * 0.01), 1.0, 1e-6) << "m = " << m;
      EXPECT_LE((p.W.to_dense() * answer.z + p.q).cwiseAbs().maxCoeff(), 2e-10);
    }
}

TEST_P(ExactCone, BoxSlidesWithTheForceOfCoulomb) {
  const double m = 2.0, h = 0.01;
  const FrictionContact p = box_on_plane(m, h, Eigen::Vector3d(1.0, 0.0, 0.0), false);
  const Answer answer = solve(p);
  ASSERT_EQ(answer.status, Status::solved);
  const Vec u = p.W.dense() * answer.z + p.q;
  double normal = 0.0;
  for (int i = 0; i < 4; ++i) {
    normal += answer.z[3 * i];
    EXPECT_NEAR(std::hypot(u[3 * i + 1], u[3 * i + 2]), 1.0 - 0.5 * 9.81 * h, 1e-8);
  }
  EXPECT_NEAR(normal, m * 9.81 * h, 1e-8);
}

TEST_P(ExactCone, WithoutFrictionEqualsTheLcp) {
  Random random(31);
  for (int trial = 0; trial < 50; ++trial) {
    Contacts contacts;
    FrictionContact p = random_cone_problem(random, 6, contacts);
    p.mu.setZero();
    const Eigen::Index n = p.mu.size();
    Lcp lcp{Mat(n, n), Vec(n)};
    for (Eigen::Index i = 0; i < n; ++i) {
      lcp.q[i] = p.q[3 * i];
      for (Eigen::Index j = 0; j < n; ++j) lcp.M.dense()(i, j) = p.W.dense()(3 * i, 3 * j);
    }
    const Answer cone = solve(p), reference = make_solver("lemke")->solve(lcp);
    ASSERT_EQ(cone.status, Status::solved) << "trial " << trial;
    ASSERT_EQ(reference.status, Status::solved);
    const Vec u = p.W.dense() * cone.z + p.q, w = lcp.M.dense() * reference.z + lcp.q;
    for (Eigen::Index i = 0; i < n; ++i) EXPECT_NEAR(u[3 * i], w[i], 1e-7) << "trial " << trial;
  }
}

TEST_P(ExactCone, EmptyProblem) {
  const Answer answer = solve(FrictionContact{3, Mat(0, 0), Vec(0), Vec(0)});
  EXPECT_EQ(answer.status, Status::solved);
  EXPECT_EQ(answer.z.size(), 0);
}

TEST_P(ExactCone, NothingCanMove) {
  const Answer answer = solve(FrictionContact{3, Mat::Zero(3, 3), vec({-1, 0, 0}), vec({0.5})});
  EXPECT_EQ(answer.status, Status::infeasible);
  ASSERT_FALSE(answer.notes.empty());
  EXPECT_THAT(answer.notes.back(), HasSubstr("W_nn = 0"));
}

TEST_P(ExactCone, RefusesWhatIsNotItsProblem) {
  EXPECT_EQ(solve(rod(1.0, -1.0)).status, Status::not_applicable);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(solve(FrictionContact{3, Mat::Identity(3, 3), vec({nan, 0, 0}), vec({1})}).status,
            Status::not_applicable);
}

/// Two contacts pressed against each other without a way out: u_n = ±(r_1 − r_2) − 1.
TEST_P(ExactCone, DoesNotClaimWhatHasNoSolution) {
  Mat W = Mat::Zero(6, 6);
  W.diagonal().setOnes();
  W(0, 3) = W(3, 0) = -1.0;
  const Answer answer = solve(FrictionContact{3, W, vec({-1, 0, 0, -1, 0, 0}), vec({0.5, 0.5})});
  EXPECT_TRUE(answer.status == Status::inaccurate || answer.status == Status::iteration_limit);
  EXPECT_GT(answer.residual.natural, 1e-3);
  EXPECT_FALSE(answer.notes.empty());
}

INSTANTIATE_TEST_SUITE_P(Own, ExactCone, ::testing::Values("nsgs", "nsn"),
                         [](const auto& tested) { return std::string(tested.param); });

TEST(ExactConeSolvers, SolveRandomStepsAndAgreeOnSparseAndDense) {
  Random random(32);
  const auto nsgs = make_solver("nsgs"), nsn = make_solver("nsn");
  int tried = 0, by_nsgs = 0, by_nsn = 0, sparse_agrees = 0;
  for (int trial = 0; trial < 200; ++trial) {
    Contacts contacts;
    FrictionContact p = random_cone_problem(random, 20, contacts);
    const Answer a = nsgs->solve(p), b = nsn->solve(p);
    ++tried;
    by_nsgs += a.ok();
    by_nsn += b.ok();
    p.W = p.W.to_sparse();
    sparse_agrees += nsn->solve(p).ok() == b.ok();
  }
  RecordProperty("tried", tried);
  RecordProperty("nsgs", by_nsgs);
  RecordProperty("nsn", by_nsn);
  EXPECT_GE(by_nsgs, 180);
  EXPECT_GE(by_nsn, 190);
  EXPECT_GE(sparse_agrees, 190);
}

/// With little friction and W of full rank the solution is unique (a contraction in μ). On
/// rank-deficient W not even the velocities need be: other normal forces brake elsewhere, and pairs
/// of answers with residuals of 1e-16 were seen 1e-4 m/s apart.
TEST(ExactConeSolvers, AgreeInTheVelocitiesWhereTheSolutionIsUnique) {
  Random random(33);
  const auto nsgs = make_solver("nsgs"), nsn = make_solver("nsn");
  int compared = 0;
  for (int trial = 0; trial < 400; ++trial) {
    Contacts contacts;
    FrictionContact p = random_cone_problem(random, 6, contacts);
    p.mu *= 0.1;
    const Vec eigenvalues = Eigen::SelfAdjointEigenSolver<Mat>(p.W.dense()).eigenvalues();
    if (eigenvalues.minCoeff() < 1e-3 * eigenvalues.maxCoeff()) continue;
    const Answer a = nsgs->solve(p), b = nsn->solve(p);
    ASSERT_EQ(a.status, Status::solved) << "trial " << trial;
    ASSERT_EQ(b.status, Status::solved) << "trial " << trial;
    ++compared;
    // The residual of 1e-10 bounds r through the condition of W, here at most 1e3.
    EXPECT_LE((p.W.dense() * (a.z - b.z)).cwiseAbs().maxCoeff(), 1e-8) << "trial " << trial;
  }
  EXPECT_GE(compared, 50);
}

}  // namespace
}  // namespace touchstone::testing

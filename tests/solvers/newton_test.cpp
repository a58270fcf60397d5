/// `newton-fb` and `newton-min` on problems with known answers, on families, and at the edges.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "solvers/own/complementarity_maps.hpp"
#include "solvers/solver.hpp"
#include "tests/solvers/known_problems.hpp"
#include "tests/solvers/nonlinear_problems.hpp"
#include "tests/solvers/random_problems.hpp"

namespace touchstone::testing {
namespace {

using ::testing::HasSubstr;

constexpr double inf = std::numeric_limits<double>::infinity();

void expect_near(const Vec& a, const Vec& b, double tolerance) {
  ASSERT_EQ(a.size(), b.size());
  if (a.size() == 0) return;
  EXPECT_LE((a - b).cwiseAbs().maxCoeff(), tolerance) << a.transpose() << " vs " << b.transpose();
}

// ---- The equations

TEST(ComplementarityMaps, HaveTheDerivativesOfTheirValues) {
  Random random(41);
  const double bounds[][2] = {{-inf, inf}, {-0.3, inf}, {-inf, 0.4}, {-0.3, 0.4}};
  for (int trial = 0; trial < 400; ++trial) {
    const double z = random.uniform(-1, 1), F = random.uniform(-1, 1), step = 1e-6;
    const double tau = trial % 2 ? 0.0 : 0.1;
    for (const auto& [l, u] : bounds) {
      const MapRow row = fischer_burmeister_row(z, F, l, u, tau);
      const auto value = [&](double dz, double dF) {
        return fischer_burmeister_row(z + dz, F + dF, l, u, tau).value;
      };
      EXPECT_NEAR(row.alpha, (value(step, 0) - value(-step, 0)) / (2 * step), 1e-6);
      EXPECT_NEAR(row.beta, (value(0, step) - value(0, -step)) / (2 * step), 1e-6);
      EXPECT_GE(row.alpha, 0.0);
      EXPECT_GE(row.beta, 0.0);
    }
  }
}

TEST(ComplementarityMaps, VanishExactlyAtSolutions) {
  struct Point {
    double z, F, l, u;
    bool solution;
  };
  for (const Point& p :
       {Point{0, 2, 0, inf, true}, Point{3, 0, 0, inf, true}, Point{0, 0, 0, inf, true},
        Point{0, -1, 0, inf, false}, Point{-1, 0, 0, inf, false}, Point{1, -2, -inf, 1, true},
        Point{1, 2, -inf, 1, false}, Point{1, -2, 0, 1, true}, Point{0, 2, 0, 1, true},
        Point{0.5, 0, 0, 1, true}, Point{0.5, 1, 0, 1, false}, Point{7, 0, -inf, inf, true},
        Point{2, 5, 2, 2, true}, Point{2, -5, 2, 2, true}}) {
    const double fb = fischer_burmeister_row(p.z, p.F, p.l, p.u, 0.0).value;
    const double natural = natural_row(p.z, p.F, p.l, p.u).value;
    EXPECT_EQ(std::abs(fb) < 1e-15, p.solution) << p.z << " " << p.F << ": " << fb;
    EXPECT_EQ(std::abs(natural) < 1e-15, p.solution) << p.z << " " << p.F;
  }
}

class Newton : public ::testing::TestWithParam<const char*> {
 protected:
  Answer solve(const Problem& problem, const Vec& guess = {}) {
    return make_solver(GetParam())->solve(problem, guess);
  }
};

// ---- Known answers

TEST_P(Newton, TwoByTwo) {  // T16
  const Answer answer = solve(Lcp{Mat((Mat(2, 2) << 2, 1, 1, 2).finished()), vec({-5, -6})});
  ASSERT_EQ(answer.status, Status::solved);
  expect_near(answer.z, vec({4.0 / 3.0, 7.0 / 3.0}), 1e-14);
}

TEST_P(Newton, ThreeCoupledContactsWhereJacobiCycles) {  // T16, E9, X24
  const Answer answer = solve(three_coupled());
  ASSERT_EQ(answer.status, Status::solved);
  expect_near(answer.z, Vec::Constant(3, 1.0 / 2.8), 1e-14);
}

TEST_P(Newton, StackOfTwo) {  // T15: f = ((m1 + m2) g, m2 g)
  expect_stacks_carried([&](const Lcp& problem) { return solve(problem); });
}

TEST_P(Newton, NewtonsCradle) {  // T17, ε = 1
  const Mat A = (Mat(2, 2) << 2, -1, -1, 2).finished();
  const Answer answer = solve(Lcp{A, vec({-2, 0})});
  ASSERT_EQ(answer.status, Status::solved);
  expect_near(answer.z, vec({4.0 / 3.0, 2.0 / 3.0}), 1e-14);
}

TEST_P(Newton, ChairCarriesItsWeight) {  // X12: rank 3, the accelerations are unique
  const Lcp problem = chair();
  const Answer answer = solve(problem);
  ASSERT_EQ(answer.status, Status::solved);
  EXPECT_NEAR(answer.z.sum(), 1.0, 1e-10);
  EXPECT_LE((problem.M.dense() * answer.z + problem.q).cwiseAbs().maxCoeff(), 1e-10);
}

TEST_P(Newton, RodsAnswerOrSayThatTheyCannot) {  // X1, X2
  const Answer two = solve(rod(-1.0, 1.0));      // z = 0 or z = 1
  ASSERT_EQ(two.status, Status::solved);
  EXPECT_TRUE(std::abs(two.z[0]) < 1e-10 || std::abs(two.z[0] - 1.0) < 1e-10);
  const Answer none = solve(rod(-1.0, -9.8));
  EXPECT_NE(none.status, Status::solved);
  EXPECT_FALSE(none.notes.empty());
}

TEST_P(Newton, SubsetSumIsNeverFalselySolved) {  // X9
  EXPECT_NE(solve(subset_sum({3, 5, 7}, 11)).status, Status::solved);
  EXPECT_NE(solve(subset_sum({2, 4, 6}, 5)).status, Status::solved);
  const Answer eight = solve(subset_sum({3, 5, 7}, 8));
  if (eight.ok()) expect_near(eight.z, vec({3, 5, 0, 0, 0}), 1e-8);
}

TEST_P(Newton, KojimaShindoFromSeveralStarts) {
  const Mcp problem{std::make_shared<KojimaShindo>(), Vec::Zero(4), Vec::Constant(4, inf)};
  for (const Vec& guess : {Vec(), vec({1, 1, 1, 1}), vec({10, 10, 10, 10}), vec({1, 0, 1, 0})}) {
    const Answer answer = solve(problem, guess);
    ASSERT_EQ(answer.status, Status::solved);
    const double first = (answer.z - vec({std::sqrt(6.0) / 2, 0, 0, 0.5})).cwiseAbs().maxCoeff();
    const double second = (answer.z - vec({1, 0, 3, 0})).cwiseAbs().maxCoeff();
    EXPECT_LE(std::min(first, second), 1e-9) << answer.z.transpose();
  }
}

// ---- Edges

TEST_P(Newton, EmptyAndOneUnknown) {
  EXPECT_EQ(solve(Lcp{Mat(0, 0), Vec(0)}).status, Status::solved);
  expect_near(solve(rod(2.0, -3.0)).z, vec({1.5}), 1e-15);
  EXPECT_NEAR(solve(rod(1e-9, -1e-9)).z[0], 1.0, 1e-12);
  EXPECT_NE(solve(rod(0.0, -1.0)).status, Status::solved);
}

TEST_P(Newton, FreeFixedBoxedAndUpperBoundedVariables) {
  Mlcp p{Mat::Identity(5, 5), vec({-1, 3, -9, 4, -7}), vec({-inf, -inf, 0, 0, 2}),
         vec({inf, 1, 2, 2, 2})};
  for (int sparse = 0; sparse < 2; ++sparse) {
    const Answer answer = solve(p);
    ASSERT_EQ(answer.status, Status::solved);
    expect_near(answer.z, vec({1, -3, 2, 0, 2}), 1e-14);
    p.M = p.M.to_sparse();
  }
}

TEST_P(Newton, ScalesOfManyOrders) {
  Random random(42);
  for (int trial = 0; trial < 100; ++trial) {
    Lcp p = positive_definite(random, 8);
    Vec s(8);
    for (double& x : s) x = std::pow(10.0, random.uniform(-3.0, 3.0));
    p.M = Mat(s.asDiagonal() * p.M.dense() * s.asDiagonal());
    p.q = s.cwiseProduct(p.q);
    EXPECT_EQ(solve(p).status, Status::solved) << "trial " << trial;
  }
}

TEST_P(Newton, SparseObstacleProblemOfFourHundred) {  // a string over an obstacle
  const int n = 400;
  SpMat M(n, n);
  for (int i = 0; i < n; ++i) {
    M.insert(i, i) = 2.0;
    if (i > 0) M.insert(i, i - 1) = M.insert(i - 1, i) = -1.0;
  }
  Vec q(n);
  for (int i = 0; i < n; ++i) q[i] = i < n / 2 ? -1e-3 : 2e-3;
  const Answer answer = solve(Lcp{M, q}), reference = make_solver("lemke")->solve(Lcp{M, q});
  ASSERT_EQ(answer.status, Status::solved);
  ASSERT_EQ(reference.status, Status::solved);
  expect_near(answer.z, reference.z, 1e-5);  // condition 1e5 times the tolerance 1e-10
}

class NotFinite final : public McpFunction {
 public:
  void evaluate(const Vec& z, Vec& F) const override { F[0] = std::log(z[0] - 5.0); }
  void jacobian(const Vec& z, SpMat& J) const override {
    J.resize(1, 1);
    J.insert(0, 0) = 1.0 / (z[0] - 5.0);
  }
};

TEST_P(Newton, NeverCallsNaNSolved) {
  const Mcp problem{std::make_shared<NotFinite>(), vec({0}), vec({2})};
  const Answer answer = solve(problem);
  EXPECT_EQ(answer.status, Status::inaccurate);
  ASSERT_FALSE(answer.notes.empty());
  EXPECT_THAT(answer.notes.front(), HasSubstr("not finite"));
}

TEST_P(Newton, SaysWhenItsIterationsAreUsedUp) {
  Random random(43);
  const auto limited = make_solver(
      GetParam(), {integer("max_iterations", 1, "1", ""), integer("restarts", 0, "1", "")});
  int limits = 0;
  for (int trial = 0; trial < 20; ++trial)
    limits += limited->solve(positive_definite(random, 20)).status == Status::iteration_limit;
  EXPECT_GE(limits, 10);
}

TEST_P(Newton, GivesTheSameBitsAgain) {
  Random random(44);
  const auto used = make_solver(GetParam());
  for (int trial = 0; trial < 30; ++trial) {
    const Contacts contacts = spatial_contacts(random, 2, 5, 4, true);
    const Lcp problem = stewart_trinkle(contacts, random.vector(12));
    EXPECT_EQ(used->solve(problem).z, solve(problem).z) << "trial " << trial;
  }
}

// ---- Families

TEST_P(Newton, PositiveDefiniteProblemsAgreeWithLemke) {
  Random random(45);
  const auto newton = make_solver(GetParam()), lemke = make_solver("lemke");
  for (int trial = 0; trial < 1000; ++trial) {
    const Lcp problem = positive_definite(random, random.integer(1, 20));
    const Answer answer = newton->solve(problem), reference = lemke->solve(problem);
    ASSERT_EQ(answer.status, Status::solved) << "trial " << trial;
    ASSERT_LE((answer.z - reference.z).lpNorm<Eigen::Infinity>(), 1e-8) << "trial " << trial;
  }
}

TEST_P(Newton, RankDeficientProblemsAgreeWithLemkeInW) {
  Random random(46);
  const auto newton = make_solver(GetParam()), lemke = make_solver("lemke");
  for (int trial = 0; trial < 1000; ++trial) {
    const Lcp problem = rank_deficient(random, random.integer(1, 12));
    const Answer answer = newton->solve(problem), reference = lemke->solve(problem);
    ASSERT_EQ(answer.status, Status::solved) << "trial " << trial;
    const Vec difference = problem.M.dense() * (answer.z - reference.z);
    // √ of the tolerance: w is unique, but bounded by zᵀw alone where M is singular.
    ASSERT_LE(difference.lpNorm<Eigen::Infinity>(), 1e-5) << "trial " << trial;
  }
}

/// 1–20 contacts, 4 and 8 directions, half of them redundant; every one has a solution.
TEST_P(Newton, StewartTrinkleSteps) {
  Random random(4);
  const auto newton = make_solver(GetParam());
  int solved = 0, restarted = 0;
  constexpr int tried = 250;
  for (int trial = 0; trial < tried; ++trial) {
    const int count = random.integer(1, 20), bodies = random.integer(1, std::max(1, count / 2));
    const bool redundant = random.chance(0.5);
    const Contacts contacts =
        spatial_contacts(random, bodies, count, random.chance(0.5) ? 4 : 8, redundant);
    Vec velocity = random.vector(6 * bodies);
    if (redundant && random.chance(0.5)) {
      velocity.setZero();
      for (int b = 0; b < bodies; ++b) velocity[6 * b + 2] = -0.0981;
    }
    const Answer answer = newton->solve(stewart_trinkle(contacts, velocity));
    solved += answer.ok();
    for (const std::string& note : answer.notes)
      restarted += note.find("solved by attempt") != std::string::npos;
  }
  RecordProperty("solved", solved);
  RecordProperty("restarted", restarted);
  EXPECT_GE(solved, tried - 1);
}

INSTANTIATE_TEST_SUITE_P(Own, Newton, ::testing::Values("newton-fb", "newton-min"),
                         [](const auto& tested) {
                           return tested.param == std::string("newton-fb") ? "Fb" : "Min";
                         });

}  // namespace
}  // namespace touchstone::testing

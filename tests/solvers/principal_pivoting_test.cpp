#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "solvers/own/enumeration.hpp"
#include "solvers/solver.hpp"
#include "tests/solvers/known_problems.hpp"
#include "tests/solvers/random_problems.hpp"

namespace touchstone::testing {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr double inf = std::numeric_limits<double>::infinity();

Answer solve(const Problem& problem) { return make_solver("principal-pivoting")->solve(problem); }

Mlcp boxed(Mat M, Vec q, Vec l, Vec u) { return {std::move(M), std::move(q), l, u}; }

// --- Known answers

TEST(PrincipalPivoting, TwoByTwo) {  // T16
  const Answer answer = solve(Lcp{(Mat(2, 2) << 2, 1, 1, 2).finished(), vec({-5, -6})});
  ASSERT_EQ(answer.status, Status::solved);
  expect_near(answer.z, vec({4.0 / 3.0, 7.0 / 3.0}), 1e-15);
  EXPECT_THAT(answer.notes, IsEmpty());
}

TEST(PrincipalPivoting, StackOfTwo) {  // T15
  expect_stacks_carried([](const Lcp& problem) { return solve(problem); });
}

TEST(PrincipalPivoting, NewtonsCradle) {  // T17
  const Mat A = (Mat(2, 2) << 2, -1, -1, 2).finished();
  expect_near(solve(Lcp{A, vec({-2, 0})}).z, vec({4.0 / 3.0, 2.0 / 3.0}), 1e-15);
}

TEST(PrincipalPivoting, ChairCarriesItsWeight) {  // X12: rank 3
  const Lcp problem = chair();
  const Answer answer = solve(problem);
  ASSERT_EQ(answer.status, Status::solved);
  EXPECT_NEAR(answer.z.sum(), 1.0, 1e-14);
  EXPECT_LE((problem.M.dense() * answer.z + problem.q).cwiseAbs().maxCoeff(), 1e-14);
}

TEST(PrincipalPivoting, DoesNotCycleOnTheCyclicPMatrix) {
  const Mat M = (Mat(3, 3) << 1, 2, 0, 0, 1, 2, 2, 0, 1).finished();
  const Answer answer = solve(Lcp{M, Vec::Constant(3, -1.0)});
  ASSERT_EQ(answer.status, Status::solved);
  expect_near(answer.z, Vec::Constant(3, 1.0 / 3.0), 1e-15);
}

TEST(PrincipalPivoting, SkewMatrixNeedsTheExchange) {  // all diagonals are zero (Keller)
  const Mat M = (Mat(2, 2) << 0, 1, -1, 0).finished();
  const Answer answer = solve(Lcp{M, vec({-1, 2})});
  ASSERT_EQ(answer.status, Status::solved);
  expect_near(answer.z, vec({2, 1}), 1e-15);
  EXPECT_EQ(solve(Lcp{M, vec({-1, -2})}).status, Status::infeasible);
}

TEST(PrincipalPivoting, BoxFriction) {
  // A block of mass 1 pushed with impulse p against friction in [−2, 2]: sticks, then slides.
  const auto push = [](double p) {
    return boxed(Mat::Identity(1, 1), vec({p}), vec({-2}), vec({2}));
  };
  EXPECT_EQ(solve(push(1.0)).z, vec({-1}));
  EXPECT_EQ(solve(push(-1.5)).z, vec({1.5}));
  EXPECT_EQ(solve(push(5.0)).z, vec({-2}));
  EXPECT_EQ(solve(push(-5.0)).z, vec({2}));
}

// --- Refusals

TEST(PrincipalPivoting, NonConvexProblemsAreRefused) {
  EXPECT_EQ(solve(rod(-1.0, -9.8)).status, Status::not_applicable);  // X2
  EXPECT_THAT(solve(rod(-1.0, -9.8)).notes, SizeIs(1));
  EXPECT_EQ(solve(rod(-1.0, 1.0)).z, vec({0}));  // X1: the start is a solution
  for (const double sum : {8.0, 11.0}) {         // X9
    const Answer answer = solve(subset_sum({3, 5, 7}, sum));
    EXPECT_EQ(answer.status, Status::not_applicable) << sum;
    EXPECT_THAT(answer.notes, SizeIs(1));
  }
}

TEST(PrincipalPivoting, InfeasibilityIsProved) {
  EXPECT_EQ(solve(rod(0.0, -1.0)).status, Status::infeasible);
  EXPECT_EQ(solve(Lcp{Mat::Zero(3, 3), vec({-1, 2, -1})}).status, Status::infeasible);
  const Lcp pressed{(Mat(2, 2) << 1, -1, -1, 1).finished(), vec({-1, -1})};
  EXPECT_EQ(solve(pressed).status, Status::infeasible);
  // Two equal free rows that ask for different things.
  const Mlcp free{Mat::Ones(2, 2), vec({-1, -2}), Vec::Constant(2, -inf), Vec::Constant(2, inf)};
  EXPECT_EQ(solve(free).status, Status::infeasible);
}

// --- Families

TEST(PrincipalPivoting, AgreesWithLemkeOnPositiveDefiniteProblems) {
  Random random(61);
  const auto solver = make_solver("principal-pivoting"), lemke = make_solver("lemke");
  for (int trial = 0; trial < 1000; ++trial) {
    const Lcp problem = positive_definite(random, random.integer(1, 30));
    const Answer answer = solver->solve(problem);
    ASSERT_EQ(answer.status, Status::solved) << "trial " << trial;
    ASSERT_LE((answer.z - lemke->solve(problem).z).cwiseAbs().maxCoeff(), 1e-10) << trial;
  }
}

TEST(PrincipalPivoting, SolvesRankDeficientProblemsWithTheSameW) {
  Random random(62);
  const auto solver = make_solver("principal-pivoting"), lemke = make_solver("lemke");
  for (int trial = 0; trial < 2000; ++trial) {
    const Lcp problem = rank_deficient(random, random.integer(1, 30));
    const Answer answer = solver->solve(problem);
    ASSERT_EQ(answer.status, Status::solved) << "trial " << trial;
    const Vec difference = problem.M.dense() * (answer.z - lemke->solve(problem).z);
    ASSERT_LE(difference.cwiseAbs().maxCoeff(), 1e-8) << "trial " << trial;
  }
}

TEST(PrincipalPivoting, SolvesUnsymmetricMonotoneProblems) {
  Random random(63);
  const auto solver = make_solver("principal-pivoting");
  for (int trial = 0; trial < 1000; ++trial) {
    const Eigen::Index n = random.integer(2, 20);
    const Mat B = random.matrix(n, random.integer(0, static_cast<int>(n))), S = random.matrix(n, n);
    const Mat M = B * B.transpose() + S - S.transpose();
    Vec z = Vec::Zero(n), w = Vec::Zero(n);
    for (Eigen::Index i = 0; i < n; ++i)
      (random.chance(0.5) ? z[i] : w[i]) = random.chance(0.2) ? 0.0 : random.uniform(0, 1);
    ASSERT_EQ(solver->solve(Lcp{M, w - M * z}).status, Status::solved) << "trial " << trial;
  }
}

TEST(PrincipalPivoting, InfeasibleExactlyWhereTheOracleSaysSo) {
  Random random(64);
  const auto solver = make_solver("principal-pivoting"), oracle = make_solver("enumeration");
  int infeasible = 0;
  for (int trial = 0; trial < 1000; ++trial) {
    const Eigen::Index n = random.integer(1, 6);
    const Mat B = random.matrix(n, random.integer(0, static_cast<int>(n) - 1));
    const Lcp problem{B * B.transpose(), random.vector(n)};
    const Status expected = oracle->solve(problem).status;
    ASSERT_EQ(solver->solve(problem).status, expected) << "trial " << trial;
    infeasible += expected == Status::infeasible ? 1 : 0;
  }
  EXPECT_GT(infeasible, 200);
  EXPECT_LT(infeasible, 800);
}

TEST(PrincipalPivoting, SolvesProblemsBuiltFromTheirAnswersWithEveryKindOfBound) {
  Random random(65);
  const auto solver = make_solver("principal-pivoting");
  for (int trial = 0; trial < 2000; ++trial) {
    const Eigen::Index n = random.integer(1, 15);
    const bool singular = trial % 2 == 1;
    const Mat B = random.matrix(n, singular ? (n + 1) / 2 : n);
    Mat M = B * B.transpose();
    if (!singular) M += 0.1 * Mat::Identity(n, n);
    Vec z = random.vector(n), F = Vec::Zero(n), l(n), u(n);
    for (Eigen::Index i = 0; i < n; ++i) {
      const int kind = random.integer(0, 4);
      l[i] = kind == 0 || kind == 2 ? -inf : z[i] - (kind == 4 ? 0.0 : random.uniform(0.1, 1));
      u[i] = kind == 0 || kind == 1 ? inf : kind == 4 ? l[i] : z[i] + random.uniform(0.1, 1);
      if (kind == 4) F[i] = random.uniform(-1, 1);
      if (kind < 4 && std::isfinite(l[i]) && random.chance(0.4)) {
        z[i] = l[i];
        F[i] = random.chance(0.2) ? 0.0 : random.uniform(0.1, 1);
      } else if (kind < 4 && std::isfinite(u[i]) && random.chance(0.4)) {
        z[i] = u[i];
        F[i] = random.chance(0.2) ? 0.0 : -random.uniform(0.1, 1);
      }
    }
    const Mlcp problem{M, F - M * z, l, u};
    const Answer answer = solver->solve(problem);
    ASSERT_EQ(answer.status, Status::solved) << "trial " << trial;
    ASSERT_LE((M * (answer.z - z)).cwiseAbs().maxCoeff(), 1e-9) << "trial " << trial;
    if (!singular) {
      ASSERT_LE((answer.z - z).cwiseAbs().maxCoeff(), 1e-9) << "trial " << trial;
    }
  }
}

TEST(PrincipalPivoting, SolvesContactsInVelocityForm) {  // [m −W; Wᵀ 0], velocities free
  Random random(66);
  for (int trial = 0; trial < 200; ++trial) {
    const Mat W = random.matrix(6, 4);
    const Vec velocity = random.vector(6), mass = vec({2e3, 2e3, 2e3, 0.5, 0.5, 0.5});
    Mat M = Mat::Zero(10, 10);
    M.topLeftCorner(6, 6).diagonal() = mass;
    M.topRightCorner(6, 4) = -W;
    M.bottomLeftCorner(4, 6) = W.transpose();
    Vec q = Vec::Zero(10), l = Vec::Zero(10);
    q.head(6) = -mass.cwiseProduct(velocity);
    l.head(6).setConstant(-inf);
    const Answer mixed = solve(Mlcp{M, q, l, Vec::Constant(10, inf)});
    const Mat inverse = mass.cwiseInverse().asDiagonal();
    const Answer reduced = solve(Lcp{W.transpose() * inverse * W, W.transpose() * velocity});
    ASSERT_EQ(mixed.status, Status::solved) << "trial " << trial;
    ASSERT_EQ(reduced.status, Status::solved) << "trial " << trial;
    expect_near(mixed.z.head(6), velocity + inverse * W * reduced.z, 1e-8);
  }
}

// --- Edges

TEST(PrincipalPivoting, EmptyOneByOneAndTrivial) {
  EXPECT_EQ(solve(Lcp{Mat(0, 0), Vec(0)}).status, Status::solved);
  EXPECT_EQ(solve(rod(2.0, -3.0)).z, vec({1.5}));
  EXPECT_DOUBLE_EQ(solve(rod(1e-9, -1e-9)).z[0], 1.0);
  const Answer trivial = solve(Lcp{Mat::Identity(3, 3), vec({0, 1, 2})});
  EXPECT_EQ(trivial.z, Vec::Zero(3));
  EXPECT_EQ(trivial.iterations, 0);
}

TEST(PrincipalPivoting, SaysWhenItsIterationsAreUsedUp) {
  const auto limited = make_solver("principal-pivoting", {integer("max_iterations", 2, "1", "")});
  const Lcp problem{Mat::Identity(6, 6), Vec::Constant(6, -1.0)};
  EXPECT_EQ(limited->solve(problem).status, Status::iteration_limit);
}

TEST(PrincipalPivoting, DoesNotDependOnUnits) {
  Random random(67);
  for (int trial = 0; trial < 200; ++trial) {
    const Lcp plain = positive_definite(random, 8);
    Vec d(8);
    for (double& x : d) x = std::pow(10.0, random.integer(-6, 6));
    const Lcp scaled{d.asDiagonal() * plain.M.dense() * d.asDiagonal(), d.cwiseProduct(plain.q)};
    const Answer answer = solve(scaled), reference = solve(plain);
    expect_near(answer.z.cwiseProduct(d), reference.z, 1e-9);
  }
}

TEST(PrincipalPivoting, AnswersDoNotDependOnEarlierProblems) {
  Random random(68);
  const auto solver = make_solver("principal-pivoting");
  const Lcp small = positive_definite(random, 3), large = positive_definite(random, 30);
  const Vec first = solver->solve(small).z;
  solver->solve(large);
  solver->solve(rod(-1.0, -9.8));
  EXPECT_EQ(solver->solve(small).z, first);
}

}  // namespace
}  // namespace touchstone::testing

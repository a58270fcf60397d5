#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "solvers/solver.hpp"
#include "tests/solvers/known_problems.hpp"
#include "tests/solvers/random_problems.hpp"

namespace touchstone::testing {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

constexpr double inf = std::numeric_limits<double>::infinity();

Answer solve(const Problem& problem) { return make_solver("interior-point")->solve(problem); }

TEST(InteriorPoint, TwoByTwoAndThreeContacts) {  // T16
  const Answer two = solve(Lcp{(Mat(2, 2) << 2, 1, 1, 2).finished(), vec({-5, -6})});
  ASSERT_EQ(two.status, Status::solved);
  expect_near(two.z, vec({4.0 / 3.0, 7.0 / 3.0}), 1e-13);
  expect_near(solve(three_coupled()).z, Vec::Constant(3, 1.0 / 2.8), 1e-13);
}

TEST(InteriorPoint, StackOfTwo) {  // T15
  expect_stacks_carried([](const Lcp& problem) { return solve(problem); });
}

TEST(InteriorPoint, ChairIsCentred) {  // X12: rank 3; the analytic centre is 1/4 each
  const Answer answer = solve(chair());
  ASSERT_EQ(answer.status, Status::solved);
  expect_near(answer.z, Vec::Constant(4, 0.25), 1e-8);
}

TEST(InteriorPoint, NonMonotoneProblemsAreRefused) {
  for (const Problem& problem :
       {Problem(rod(-1.0, -9.8)), Problem(subset_sum({3, 5, 7}, 8)),
        Problem(Qp{Mat(-Mat::Identity(1, 1)), vec({1}), Mat::Identity(1, 1), vec({0}), vec({1})}),
        Problem(Lcp{(Mat(2, 2) << 1, 3, 3, 1).finished(), vec({-1, -1})})}) {
    const Answer answer = solve(problem);
    EXPECT_EQ(answer.status, Status::not_applicable);
    EXPECT_THAT(answer.notes, Contains(HasSubstr("not positive semidefinite")));
  }
}

TEST(InteriorPoint, EmptyOneByOneAndFixed) {
  EXPECT_EQ(solve(Lcp{Mat(0, 0), Vec(0)}).status, Status::solved);
  EXPECT_NEAR(solve(rod(2.0, -3.0)).z[0], 1.5, 1e-14);
  EXPECT_NEAR(solve(rod(2.0, 3.0)).z[0], 0.0, 1e-14);
  const Mlcp fixed{Mat::Identity(2, 2), vec({-1, -1}), vec({3, 0}), vec({3, inf})};
  expect_near(solve(fixed).z, vec({3, 1}), 1e-13);
  const Mlcp all_fixed{Mat::Identity(1, 1), vec({-1}), vec({3}), vec({3})};
  EXPECT_EQ(solve(all_fixed).z, vec({3}));
}

TEST(InteriorPoint, InfeasibleLcpsAreReportedAsSuch) {
  EXPECT_EQ(solve(rod(0.0, -1.0)).status, Status::infeasible);
  EXPECT_EQ(solve(Lcp{Mat::Zero(3, 3), vec({-1, 2, -1})}).status, Status::infeasible);
  const Lcp pressed{(Mat(2, 2) << 1, -1, -1, 1).finished(), vec({-1, -1})};
  EXPECT_EQ(solve(pressed).status, Status::infeasible);
}

TEST(InteriorPoint, InfeasibleExactlyWhereTheOracleSaysSo) {
  Random random(71);
  const auto solver = make_solver("interior-point"), oracle = make_solver("enumeration");
  int infeasible = 0;
  for (int trial = 0; trial < 500; ++trial) {
    const Eigen::Index n = random.integer(1, 6);
    const Mat B = random.matrix(n, random.integer(0, static_cast<int>(n) - 1));
    const Lcp problem{B * B.transpose(), random.vector(n)};
    const Status expected = oracle->solve(problem).status;
    ASSERT_EQ(solver->solve(problem).status, expected) << "trial " << trial;
    infeasible += expected == Status::infeasible ? 1 : 0;
  }
  EXPECT_GT(infeasible, 100);
}

TEST(InteriorPoint, SolvesPositiveDefiniteAndRankDeficientProblems) {
  Random random(72);
  const auto solver = make_solver("interior-point"), lemke = make_solver("lemke");
  for (int trial = 0; trial < 600; ++trial) {
    const bool definite = trial % 2 == 0;
    const Eigen::Index n = random.integer(1, 25);
    const Lcp problem = definite ? positive_definite(random, n) : rank_deficient(random, n);
    const Answer answer = solver->solve(problem);
    ASSERT_EQ(answer.status, Status::solved) << "trial " << trial;
    const Vec difference = answer.z - lemke->solve(problem).z;
    ASSERT_LE((problem.M.dense() * difference).cwiseAbs().maxCoeff(), 1e-8) << "trial " << trial;
    if (definite) {
      ASSERT_LE(difference.cwiseAbs().maxCoeff(), 1e-8) << "trial " << trial;
    }
  }
}

TEST(InteriorPoint, QpWithEqualityAndInfiniteBounds) {
  // min ½‖x‖² − x₀ − x₁ with x₀ + x₁ = 1, x₀ ≤ 0.25, one row without bounds.
  const Qp qp{Mat::Identity(2, 2), vec({-1, -1}), (Mat(3, 2) << 1, 1, 1, 0, 5, 7).finished(),
              vec({1, -inf, -inf}), vec({1, 0.25, inf})};
  const Answer answer = solve(qp);
  ASSERT_EQ(answer.status, Status::solved);
  expect_near(answer.z, vec({0.25, 0.75, 0.25, 0.5, 0}), 1e-12);
}

TEST(InteriorPoint, InfeasibleAndUnboundedQps) {
  const Qp crossed{Mat::Identity(1, 1), vec({0}), (Mat(2, 1) << 1, 1).finished(), vec({2, -inf}),
                   vec({inf, 1})};
  const Answer infeasible = solve(crossed);
  EXPECT_EQ(infeasible.status, Status::infeasible);
  EXPECT_THAT(infeasible.notes, Contains(HasSubstr("no feasible point")));
  const Qp downhill{Mat::Zero(1, 1), vec({-1}), Mat::Identity(1, 1), vec({0}), vec({inf})};
  const Answer unbounded = solve(downhill);
  EXPECT_EQ(unbounded.status, Status::infeasible);
  EXPECT_THAT(unbounded.notes, Contains(HasSubstr("unbounded")));
}

TEST(InteriorPoint, AnswersDoNotDependOnEarlierProblems) {
  Random random(73);
  const auto solver = make_solver("interior-point");
  const Lcp small = positive_definite(random, 3), large = positive_definite(random, 30);
  const Vec first = solver->solve(small).z;
  solver->solve(large);
  solver->solve(rod(0.0, -1.0));
  EXPECT_EQ(solver->solve(small).z, first);
}

}  // namespace
}  // namespace touchstone::testing

#include "solvers/own/enumeration.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "solvers/error.hpp"
#include "solvers/own/feasible_point.hpp"
#include "solvers/solver.hpp"
#include "tests/solvers/known_problems.hpp"
#include "tests/solvers/random_problems.hpp"

namespace touchstone::testing {
namespace {

constexpr double tolerance = 1e-10;

Status status_of(const Lcp& problem) { return make_solver("enumeration")->solve(problem).status; }

TEST(AllSolutions, IndeterminateRodHasExactlyTwo) {  // X1: a = 1 − f
  const std::vector<Vec> all = all_solutions(rod(-1.0, 1.0), tolerance);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0], vec({0}));
  EXPECT_NEAR(all[1][0], 1.0, 1e-15);
}

TEST(AllSolutions, InconsistentRodHasNone) {  // X2: a = −f − 9.8
  EXPECT_TRUE(all_solutions(rod(-1.0, -9.8), tolerance).empty());
  EXPECT_EQ(status_of(rod(-1.0, -9.8)), Status::infeasible);
}

TEST(AllSolutions, SkimmingRodHasOnlyZero) {  // X3
  const std::vector<Vec> all = all_solutions(rod(-1.0, 0.0), tolerance);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0], vec({0}));
}

struct SubsetSum {
  std::vector<double> masses;
  double sum;
  std::size_t subsets;
};

TEST(AllSolutions, CountTheSubsetsOfSubsetSum) {  // X9
  const SubsetSum cases[] = {{{3, 5, 7}, 8, 1},       {{3, 5, 7}, 11, 0}, {{3, 5, 7}, 15, 1},
                             {{1, 2, 3, 4, 5}, 7, 3}, {{2, 4, 6}, 5, 0},  {{3, 5, 7}, 0, 1}};
  for (const SubsetSum& c : cases) {
    const std::vector<Vec> all = all_solutions(subset_sum(c.masses, c.sum), tolerance);
    EXPECT_EQ(all.size(), c.subsets) << "S = " << c.sum;
    for (const Vec& z : all) {
      const Eigen::Index n = static_cast<Eigen::Index>(c.masses.size());
      EXPECT_NEAR(z.head(n).sum(), c.sum, 1e-9);
      EXPECT_NEAR(z.tail(2).maxCoeff(), 0.0, 1e-9);
      for (Eigen::Index i = 0; i < n; ++i)
        EXPECT_NEAR(z[i] * (z[i] - c.masses[static_cast<std::size_t>(i)]), 0.0, 1e-8);
    }
  }
}

TEST(AllSolutions, SubsetSumOfEightIsThreeAndFive) {
  const std::vector<Vec> all = all_solutions(subset_sum({3, 5, 7}, 8), tolerance);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_LE((all[0] - vec({3, 5, 0, 0, 0})).cwiseAbs().maxCoeff(), 1e-9);
}

TEST(AllSolutions, RodOfFigure124HasOnlyZero) {  // X10: R1 and E1, no external load
  const Lcp problem{Mat((Mat(2, 2) << -1.0, 0.0, -0.0075, -0.99).finished()), vec({0, 0})};
  const std::vector<Vec> all = all_solutions(problem, tolerance);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0], vec({0, 0}));
}

TEST(AllSolutions, EveryStaticContactHasOne) {  // X13: theorem 4 of the thesis, and Lemke finds one
  Random random(13);
  const auto lemke = make_solver("lemke");
  for (int trial = 0; trial < 500; ++trial) {
    const double B = random.uniform(0.1, 3.0), E = random.uniform(0.1, 3.0);
    const double C = random.uniform(-0.99, 0.99) * std::sqrt(B * E);
    const Lcp problem = static_contact(B, C, E, random.uniform(-2, 2), random.uniform(-2, 2),
                                       random.uniform(0.0, 2.0));
    ASSERT_FALSE(all_solutions(problem, tolerance).empty()) << trial;
    ASSERT_EQ(lemke->solve(problem).status, Status::solved) << trial;
  }
}

TEST(AllSolutions, ChairStandsInManyWaysWithOneAcceleration) {  // X12
  const Lcp problem = chair();
  const std::vector<Vec> all = all_solutions(problem, tolerance);
  EXPECT_GE(all.size(), 2u);
  const Vec null = vec({1, -1, 1, -1});
  for (const Vec& f : all) {
    EXPECT_GE(f.minCoeff(), 0.0);
    EXPECT_NEAR(f.sum(), 1.0, 1e-12);
    EXPECT_LE((problem.M.dense() * f + problem.q).cwiseAbs().maxCoeff(), 1e-12);
    const double t = null.dot(f) / 4.0;
    EXPECT_LE(std::abs(t), 0.25 + 1e-12);
    EXPECT_LE((f - Vec::Constant(4, 0.25) - t * null).cwiseAbs().maxCoeff(), 1e-12);
  }
}

TEST(AllSolutions, FindVerticesWhereEveryPrincipalBlockIsSingular) {
  // w = (0·z₁, z₁ − 1): only z₁ ≥ 1 is feasible, M₁₁ = 0 has rank 0 and q₁ = 0 is consistent.
  const Lcp problem{Mat((Mat(2, 2) << 0, 0, 1, 0).finished()), vec({0, -1})};
  const std::vector<Vec> all = all_solutions(problem, tolerance);
  ASSERT_FALSE(all.empty());
  EXPECT_NEAR(all[0][0], 1.0, 1e-12);
  EXPECT_EQ(status_of(problem), Status::solved);
}

TEST(AllSolutions, ASingularSystemWithNegativeParticularSolutionIsNotLost) {
  // z₁ − z₂ = −1 with z ≥ 0: the basic solution in z₁ alone is negative, (0, 1) is not.
  const Lcp problem{Mat((Mat(2, 2) << 1, -1, -1, 1).finished()), vec({1, -1})};
  const std::vector<Vec> all = all_solutions(problem, tolerance);
  ASSERT_FALSE(all.empty());
  for (const Vec& z : all) EXPECT_NEAR(z[1] - z[0], 1.0, 1e-12);
}

TEST(AllSolutions, ZeroMatrixIsSolvableExactlyForNonnegativeQ) {
  EXPECT_EQ(status_of({Mat::Zero(3, 3), vec({0, 1, 2})}), Status::solved);
  EXPECT_EQ(status_of({Mat::Zero(3, 3), vec({0, -1e-3, 2})}), Status::infeasible);
}

TEST(AllSolutions, RankDeficientProblemsShareTheirW) {
  Random random(21);
  for (int trial = 0; trial < 200; ++trial) {
    const Lcp problem = rank_deficient(random, random.integer(1, 8));
    const std::vector<Vec> all = all_solutions(problem, tolerance);
    ASSERT_FALSE(all.empty()) << "trial " << trial;
    for (const Vec& z : all)
      ASSERT_LE((problem.M.dense() * (z - all[0])).cwiseAbs().maxCoeff(), 1e-8) << trial;
  }
}

TEST(AllSolutions, ContainTheAnswerThatAProblemWasBuiltFrom) {
  Random random(22);
  for (int trial = 0; trial < 500; ++trial) {
    const Eigen::Index n = random.integer(1, 8);
    const Mat M = random.matrix(n, n);  // no structure at all
    Vec z = Vec::Zero(n), w = Vec::Zero(n);
    for (Eigen::Index i = 0; i < n; ++i) (random.chance(0.5) ? z : w)[i] = random.uniform(0.1, 1);
    const std::vector<Vec> all = all_solutions({M, w - M * z}, tolerance);
    ASSERT_TRUE(std::ranges::any_of(
        all, [&](const Vec& x) { return (x - z).cwiseAbs().maxCoeff() < 1e-6; }))
        << "trial " << trial;
  }
}

TEST(AllSolutions, AreFewerThanTheSupports) {
  // M = 1: one solution for every q; duplicates from degenerate supports are removed.
  EXPECT_EQ(all_solutions({Mat::Identity(4, 4), vec({-1, 0, 0, 1})}, tolerance).size(), 1u);
  // M = −1, q > 0: every support is a solution.
  EXPECT_EQ(all_solutions({-Mat::Identity(4, 4), vec({1, 2, 3, 4})}, tolerance).size(), 16u);
}

TEST(Enumeration, NeedsNoUnknowns) {
  EXPECT_EQ(all_solutions({Mat(0, 0), Vec(0)}, tolerance).size(), 1u);
  EXPECT_EQ(status_of({Mat(0, 0), Vec(0)}), Status::solved);
}

TEST(Enumeration, CallsANearMissInaccurateRatherThanInfeasible) {
  // w = −2e-10 whatever z: above the tolerance, but round-off of assembled data could be as large.
  EXPECT_EQ(status_of({Mat::Zero(1, 1), vec({-2e-10})}), Status::inaccurate);
  EXPECT_EQ(status_of({Mat::Zero(1, 1), vec({-1e-6})}), Status::infeasible);
}

TEST(Enumeration, RefusesMoreThanItsLimit) {
  const Lcp large{Mat::Identity(17, 17), Vec::Ones(17)};
  EXPECT_EQ(status_of(large), Status::not_applicable);
  EXPECT_THROW(all_solutions(large, tolerance), InputError);
  EXPECT_THROW(all_solutions({Mat::Identity(2, 2), vec({0, std::nan("")})}, tolerance), InputError);
}

TEST(Enumeration, TakesSparseMatrices) {
  const SpMat M = Mat((Mat(2, 2) << 2, 1, 1, 2).finished()).sparseView();
  const Answer answer = make_solver("enumeration")->solve(Lcp{M, vec({-5, -6})});
  ASSERT_TRUE(answer.ok());
  EXPECT_LE((answer.z - vec({4.0 / 3.0, 7.0 / 3.0})).cwiseAbs().maxCoeff(), 1e-15);
}

TEST(FeasiblePoint, FindsAVertexOrSaysThereIsNone) {
  FeasiblePoint system;
  Vec x;
  const auto fill = [&](const Mat& A, const Vec& b) {
    system.resize(static_cast<int>(A.rows()), static_cast<int>(A.cols()));
    for (int i = 0; i < A.rows(); ++i) {
      for (int j = 0; j < A.cols(); ++j) system.A(i, j) = A(i, j);
      system.b(i) = b[i];
    }
  };
  const Mat A = (Mat(2, 3) << 1, 1, 1, 1, -1, 0).finished();
  fill(A, vec({2, -1}));
  ASSERT_TRUE(system.find(1e-10, x));
  EXPECT_GE(x.minCoeff(), 0.0);
  EXPECT_LE((A * x - vec({2, -1})).cwiseAbs().maxCoeff(), 1e-14);
  fill(A, vec({-2, -1}));
  EXPECT_FALSE(system.find(1e-10, x));
  fill((Mat(2, 1) << 1, 2).finished(), vec({1, 2}));  // redundant
  ASSERT_TRUE(system.find(1e-10, x));
  EXPECT_NEAR(x[0], 1.0, 1e-15);
  fill((Mat(2, 1) << 1, 2).finished(), vec({1, 2.1}));  // contradictory
  EXPECT_FALSE(system.find(1e-10, x));
}

}  // namespace
}  // namespace touchstone::testing

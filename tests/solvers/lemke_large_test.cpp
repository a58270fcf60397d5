/// Lemke on problems of many contacts, its warm start, and the two ways of holding its basis.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "solvers/own/lemke.hpp"
#include "solvers/solver.hpp"
#include "tests/solvers/known_problems.hpp"
#include "tests/solvers/random_problems.hpp"

namespace touchstone::testing {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr double inf = std::numeric_limits<double>::infinity();

TEST(LemkeOnManyContacts, SolvesAHundredContactsToRoundOff) {
  Random random(52);
  const auto lemke = make_solver("lemke");
  for (int trial = 0; trial < 6; ++trial) {
    const Answer answer =
        lemke->solve(random_step(random, 100, trial % 2 ? 4 : 8, random.chance(0.5)));
    ASSERT_EQ(answer.status, Status::solved) << trial;
    EXPECT_LE(answer.residual.natural, 1e-12) << trial;
  }
}

// --- Tableau and kernel

TEST(LemkeKernel, FollowsThePathOfTheTableau) {
  Random random(53);
  LemkeTableau tableau;
  LemkeKernel kernel;
  int solutions = 0, rays = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    const Eigen::Index n = random.integer(1, 12);
    const Mat M = random.matrix(n, n);
    const Vec q = random.vector(n), cover = Vec::Ones(n);
    if (q.minCoeff() >= 0.0) continue;
    const auto end = tableau.run(M, q, cover, {});
    ASSERT_EQ(kernel.run(M, q, cover, {}), end) << trial;
    ASSERT_EQ(kernel.iterations(), tableau.iterations()) << trial;
    if (end == LemkePath::End::solution) {
      ++solutions;
      ASSERT_EQ(kernel.support(), tableau.support()) << trial;
      Vec a, b;
      kernel.read_solution(a);
      tableau.read_solution(b);
      ASSERT_LE((a - b).cwiseAbs().maxCoeff(), 1e-8 * std::max(1.0, b.maxCoeff())) << trial;
    } else if (end == LemkePath::End::ray) {
      ++rays;
      Vec a, b;
      double cover_a = 0.0, cover_b = 0.0;
      kernel.read_ray(a, cover_a);
      tableau.read_ray(b, cover_b);
      ASSERT_LE((a - b).cwiseAbs().maxCoeff(), 1e-8) << trial;
      ASSERT_NEAR(cover_a, cover_b, 1e-8 * std::max(1.0, cover_b)) << trial;
    }
  }
  EXPECT_GT(solutions, 200);
  EXPECT_GT(rays, 100);
}

TEST(LemkeKernel, RefinesByItsInverse) {
  Random random(54);
  LemkeKernel kernel;
  for (int trial = 0; trial < 50; ++trial) {
    const Lcp problem = positive_definite(random, 30);
    const Mat& M = problem.M.dense();
    ASSERT_EQ(kernel.run(M, problem.q, Vec::Ones(30), {}), LemkePath::End::solution);
    Vec z;
    kernel.read_solution(z);
    const Vec exact = z;
    for (const int i : kernel.support()) z[i] += 1e-3;  // the step must take this away again
    ASSERT_TRUE(kernel.refine(M * z + problem.q, z));
    ASSERT_LE((z - exact).cwiseAbs().maxCoeff(), 1e-10) << trial;
  }
}

// --- Warm start

TEST(LemkeWarmStart, TakesTheSupportOfTheGuess) {
  Random random(55);
  const auto lemke = make_solver("lemke");
  for (const int n : {3, 40}) {
    Lcp problem = positive_definite(random, n);
    problem.q[0] = -1.0;
    const Answer cold = lemke->solve(problem);
    // Values of the guess do not matter, only where it is positive.
    const Vec guess = (cold.z.array() > 0.0).select(Vec::Constant(n, 7.0), Vec::Zero(n));
    const Answer warm = lemke->solve(problem, guess);
    ASSERT_EQ(warm.status, Status::solved);
    EXPECT_THAT(warm.notes, ElementsAre("lemke: warm start"));
    EXPECT_EQ(warm.iterations, 1);
    EXPECT_LE((warm.z - cold.z).cwiseAbs().maxCoeff(), 1e-12);
  }
}

TEST(LemkeWarmStart, FallsBackToTheColdStartAndSaysSo) {
  Random random(56);
  const auto lemke = make_solver("lemke");
  for (int trial = 0; trial < 200; ++trial) {
    const int n = random.integer(1, 30);
    Lcp problem = positive_definite(random, n);
    problem.q[0] = -1.0;
    const Answer cold = lemke->solve(problem);
    const Vec wrong = (cold.z.array() > 0.0).select(Vec::Zero(n), Vec::Ones(n));
    const Answer answer = lemke->solve(problem, wrong);
    ASSERT_EQ(answer.status, Status::solved);
    ASSERT_EQ(answer.z, cold.z);
    ASSERT_THAT(answer.notes, Contains(HasSubstr("cold start")));
  }
}

TEST(LemkeWarmStart, SurvivesSingularSupports) {
  const Lcp problem = chair();  // rank 3 of 4: the full support is singular
  const Answer answer = make_solver("lemke")->solve(problem, Vec::Ones(4));
  ASSERT_EQ(answer.status, Status::solved);
  EXPECT_NEAR(answer.z.sum(), 1.0, 1e-14);
}

TEST(LemkeWarmStart, DoesNotHideARay) {  // X2: z_L = −M⁻¹q is negative
  const Answer answer = make_solver("lemke")->solve(rod(-1.0, -9.8), vec({1}));
  EXPECT_EQ(answer.status, Status::ray);
}

TEST(LemkeWarmStart, WorksOnMixedProblems) {
  // −1 ≤ z₀ ≤ 1 at its upper bound, z₁ free, z₂ ≥ 0 inside.
  const Mat M = 2.0 * Mat::Identity(3, 3) + Mat::Ones(3, 3);
  const Vec z = vec({1.0, -2.0, 3.0}), F = vec({-1.0, 0.0, 0.0});
  const Mlcp problem{M, F - M * z, vec({-1, -inf, 0}), vec({1, inf, inf})};
  const Answer warm = make_solver("lemke")->solve(problem, z);
  ASSERT_EQ(warm.status, Status::solved);
  EXPECT_THAT(warm.notes, ElementsAre("lemke: warm start"));
  EXPECT_LE((warm.z - z).cwiseAbs().maxCoeff(), 1e-14);
}

}  // namespace
}  // namespace touchstone::testing

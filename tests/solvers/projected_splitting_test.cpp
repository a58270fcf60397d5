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
using ::testing::IsEmpty;

constexpr double inf = std::numeric_limits<double>::infinity();
const char* const all_names[] = {"jacobi", "pgs", "sor"};

Answer solve(const std::string& name, const Problem& problem, const Parameters& settings = {}) {
  return make_solver(name, settings)->solve(problem);
}

Vec after(const std::string& name, const Problem& problem, long sweeps) {
  return solve(name, problem, {integer("max_iterations", sweeps, "1", "")}).z;
}

Lcp two_by_two() { return {(Mat(2, 2) << 2, 1, 1, 2).finished(), vec({-5, -6})}; }

Lcp stack(double m1, double m2) {  // T15
  const Mat A = (Mat(2, 2) << 1 / m1, -1 / m1, -1 / m1, 1 / m1 + 1 / m2).finished();
  return {A, vec({-9.81, 0})};
}

Lcp cube_on_plane() {  // T11, m = g = 1
  return {(Mat(4, 4) << 4, 1, -2, 1, 1, 4, 1, -2, -2, 1, 4, 1, 1, -2, 1, 4).finished(),
          Vec::Constant(4, -1.0)};
}

Lcp where_jacobi_cycles() {  // T16, E9, X24
  return {Mat(0.1 * Mat::Identity(3, 3) + 0.9 * Mat::Ones(3, 3)), Vec::Constant(3, -1.0)};
}

// --- Known answers

TEST(ProjectedSplitting, IteratesAreThoseOfTheTwoByTwoCase) {  // T16: binary fractions, exact
  const Vec pgs[] = {vec({2.5, 1.75}), vec({1.625, 2.1875}), vec({1.40625, 2.296875})};
  const Vec jacobi[] = {vec({2.5, 3}), vec({1, 1.75}), vec({1.625, 2.5})};
  const Vec sor[] = {vec({3.75, 1.6875}), vec({0.609375, 3.19921875})};
  for (long k = 1; k <= 3; ++k) {
    EXPECT_EQ(after("pgs", two_by_two(), k), pgs[k - 1]);
    EXPECT_EQ(after("jacobi", two_by_two(), k), jacobi[k - 1]);
    if (k <= 2) {
      EXPECT_EQ(after("sor", two_by_two(), k), sor[k - 1]);
    }
  }
}

TEST(ProjectedSplitting, AllReachTheTwoByTwoAnswer) {  // T16
  for (const char* name : all_names) {
    const Answer answer = solve(name, two_by_two());
    ASSERT_EQ(answer.status, Status::solved) << name;
    expect_near(answer.z, vec({4.0 / 3.0, 7.0 / 3.0}), 1e-10);
    EXPECT_THAT(answer.notes, IsEmpty());
  }
}

TEST(ProjectedSplitting, ContractsOnTheStackAsPredicted) {  // T15
  for (const double m2 : {0.5, 2.0, 8.0}) {
    const Lcp problem = stack(2.0, m2);
    const Vec exact = 9.81 * vec({2.0 + m2, m2});
    const double factor = m2 / (2.0 + m2);
    const auto error = [&](const char* name, long sweeps) {
      return (after(name, problem, sweeps) - exact).norm();
    };
    EXPECT_NEAR(error("pgs", 11) / error("pgs", 10), factor, 1e-6) << "m2 = " << m2;
    // Two Jacobi sweeps contract like one of Gauss–Seidel.
    EXPECT_NEAR(error("jacobi", 22) / error("jacobi", 20), factor, 1e-6) << "m2 = " << m2;
    const Answer answer = solve("pgs", problem);
    ASSERT_EQ(answer.status, Status::solved);
    // The residual bound 1e-10 + 1e-12 g, times ‖A⁻¹‖ = m1 + 2 m2 + … below 30 kg.
    expect_near(answer.z, exact, 3e-9);
  }
}

TEST(ProjectedSplitting, HeavyOnLightStackRunsIntoTheLimitAndSaysSo) {  // T15, factor 1 − 2e-6
  const Answer answer = solve("pgs", stack(2.0, 1e6));
  EXPECT_EQ(answer.status, Status::iteration_limit);
  EXPECT_EQ(answer.iterations, 10000);
  EXPECT_THAT(answer.notes, Contains(HasSubstr("slowly")));
}

TEST(ProjectedSplitting, CubeOnPlane) {  // T11
  const Lcp problem = cube_on_plane();
  const Answer jacobi = solve("jacobi", problem);
  EXPECT_EQ(jacobi.status, Status::solved);
  EXPECT_EQ(jacobi.iterations, 1);
  EXPECT_EQ(jacobi.z, Vec::Constant(4, 0.25));
  EXPECT_EQ(after("pgs", problem, 1), vec({0.25, 0.1875, 0.328125, 0.19921875}));
  const Answer pgs = solve("pgs", problem);
  ASSERT_EQ(pgs.status, Status::solved);
  expect_near(pgs.z, vec({5, 3, 5, 3}) / 16.0, 1e-10);
  EXPECT_NEAR(pgs.z.sum(), 1.0, 1e-10);
}

TEST(ProjectedSplitting, JacobiReportsItsTwoCycle) {  // E9, X24
  const Lcp problem = where_jacobi_cycles();
  const Answer jacobi = solve("jacobi", problem);
  EXPECT_EQ(jacobi.status, Status::iteration_limit);
  EXPECT_THAT(jacobi.notes, Contains(HasSubstr("2-cycle")));
  EXPECT_LT(jacobi.iterations, 10);
  EXPECT_EQ(after("jacobi", problem, 1), Vec::Ones(3));
  EXPECT_EQ(after("jacobi", problem, 2), Vec::Zero(3));
  for (const char* name : {"pgs", "sor"}) {
    const Answer answer = solve(name, problem);
    ASSERT_EQ(answer.status, Status::solved) << name;
    expect_near(answer.z, Vec::Constant(3, 1.0 / 2.8), 2e-9);  // smallest eigenvalue 0.1
  }
  // Damping below 2/λmax(D⁻¹M) = 2/2.8 makes Jacobi converge.
  const Answer damped = solve("jacobi", problem, {real("omega", 0.6, "1", "")});
  ASSERT_EQ(damped.status, Status::solved);
  expect_near(damped.z, Vec::Constant(3, 1.0 / 2.8), 2e-9);
}

// --- What must not be divided by, and what does not converge

TEST(ProjectedSplitting, RefusesAZeroOrNegativeDiagonal) {
  for (const char* name : all_names) {
    for (const double diagonal : {0.0, -1.0}) {
      const Lcp problem{(Mat(2, 2) << 1, 0, 0, diagonal).finished(), vec({1, -1})};
      const Answer answer = solve(name, problem);
      EXPECT_EQ(answer.status, Status::not_applicable) << name;
      EXPECT_THAT(answer.notes, Contains(HasSubstr("M(1, 1) = "))) << name;
      EXPECT_TRUE(answer.z.allFinite());
    }
  }
}

TEST(ProjectedSplitting, RefusesStewartTrinkleUnlessNothingTouches) {
  Random random(51);
  const Contacts contacts = spatial_contacts(random, 2, 3, 4, false);
  const Vec falling = random.vector(12);
  const Lcp problem = stewart_trinkle(contacts, falling);
  ASSERT_LT(problem.q.minCoeff(), 0.0);
  EXPECT_EQ(solve("pgs", problem).status, Status::not_applicable);
  const Lcp apart{problem.M, Vec::Ones(problem.q.size())};
  EXPECT_EQ(solve("pgs", apart).status, Status::solved);
}

TEST(ProjectedSplitting, SaysThatItDiverges) {
  const Mlcp free{(Mat(2, 2) << 1, 3, 3, 1).finished(), vec({-1, -1}), Vec::Constant(2, -inf),
                  Vec::Constant(2, inf)};
  for (const char* name : all_names) {
    const Answer answer = solve(name, free);
    EXPECT_EQ(answer.status, Status::iteration_limit) << name;
    EXPECT_THAT(answer.notes, Contains(HasSubstr("diverges"))) << name;
    EXPECT_LT(answer.iterations, 200) << name;
    EXPECT_TRUE(answer.z.allFinite()) << name;
  }
}

TEST(ProjectedSplitting, InfeasibleProblemsAreNeverSolved) {
  const Lcp problem{(Mat(2, 2) << 1, -1, -1, 1).finished(), vec({-1, -1})};  // Σw = −2
  for (const char* name : all_names) {
    const Answer answer = solve(name, problem);
    EXPECT_EQ(answer.status, Status::iteration_limit) << name;
    EXPECT_THAT(answer.notes, ::testing::SizeIs(1)) << name;
  }
}

// --- Families

TEST(ProjectedSplitting, SolvesPositiveDefiniteProblemsLikeLemke) {
  Random random(52);
  const auto lemke = make_solver("lemke");
  for (const char* name : {"pgs", "sor"}) {
    const auto solver = make_solver(name, {integer("max_iterations", 200000, "1", "")});
    for (int trial = 0; trial < 200; ++trial) {
      const Lcp problem = positive_definite(random, random.integer(1, 10));
      const Answer answer = solver->solve(problem);
      ASSERT_EQ(answer.status, Status::solved) << name << ", trial " << trial;
      // The smallest eigenvalue is at least 0.1: |Δz| ≤ √n · 10 · residual.
      expect_near(answer.z, lemke->solve(problem).z, 1e-8);
    }
  }
}

TEST(ProjectedSplitting, DenseAndSparseGiveTheSameIterates) {
  Random random(53);
  for (const char* name : all_names) {
    const Lcp dense = positive_definite(random, 8);
    const Lcp sparse{dense.M.to_sparse(), dense.q};
    expect_near(after(name, dense, 5), after(name, sparse, 5), 1e-12);
  }
}

TEST(ProjectedSplitting, SolvesALargeSparseChain) {
  // A stack of n equal bodies in tridiagonal form, strongly diagonal.
  const Eigen::Index n = 2000;
  SpMat M(n, n);
  for (Eigen::Index i = 0; i < n; ++i) {
    M.insert(i, i) = 4.0;
    if (i > 0) M.insert(i, i - 1) = -1.0;
    if (i + 1 < n) M.insert(i, i + 1) = -1.0;
  }
  Random random(54);
  const Lcp problem{M, random.vector(n)};
  for (const char* name : {"jacobi", "pgs"})
    EXPECT_EQ(solve(name, problem).status, Status::solved) << name;
  const Parameters mild{real("omega", 1.1, "1", "")};
  EXPECT_EQ(solve("sor", problem, mild).status, Status::solved);
}

TEST(ProjectedSplitting, SolvesBoxesFreeAndFixedRows) {
  Random random(55);
  const auto solver = make_solver("pgs", {integer("max_iterations", 100000, "1", "")});
  for (int trial = 0; trial < 200; ++trial) {
    const Eigen::Index n = random.integer(1, 8);
    const Mat B = random.matrix(n, n);
    const Mat M = B * B.transpose() + 0.1 * Mat::Identity(n, n);
    Vec z = random.vector(n), F = Vec::Zero(n), l(n), u(n);
    for (Eigen::Index i = 0; i < n; ++i) {
      const int kind = random.integer(0, 4);
      l[i] = kind == 0 || kind == 2 ? -inf : z[i] - (kind == 4 ? 0.0 : random.uniform(0, 1));
      u[i] = kind == 0 || kind == 1 ? inf : kind == 4 ? l[i] : z[i] + random.uniform(0, 1);
      if (kind == 4) F[i] = random.uniform(-1, 1);
      if (kind == 1 && random.chance(0.5)) z[i] = l[i], F[i] = random.uniform(0, 1);
      if (kind == 2 && random.chance(0.5)) z[i] = u[i], F[i] = -random.uniform(0, 1);
    }
    const Answer answer = solver->solve(Mlcp{M, F - M * z, l, u});
    ASSERT_EQ(answer.status, Status::solved) << "trial " << trial;
    expect_near(answer.z, z, 1e-8);
  }
}

TEST(ProjectedSplitting, FreeRowsMayHaveANegativeDiagonal) {
  const Mlcp problem{(Mat(2, 2) << -2, 0.5, 0.5, 3).finished(), vec({1, -2}), vec({-inf, 0}),
                     vec({inf, inf})};
  const Answer answer = solve("pgs", problem);
  ASSERT_EQ(answer.status, Status::solved);
  expect_near(problem.M.to_dense() * answer.z + problem.q, vec({0, 0}), 1e-10);
}

// --- Edges

TEST(ProjectedSplitting, EmptyAndOneByOne) {
  for (const char* name : all_names) {
    EXPECT_EQ(solve(name, Lcp{Mat(0, 0), Vec(0)}).status, Status::solved);
    EXPECT_NEAR(solve(name, rod(2.0, -3.0)).z[0], 1.5, 1e-10);
    EXPECT_EQ(solve(name, rod(2.0, 3.0)).z, vec({0}));
    EXPECT_EQ(solve(name, rod(-1.0, -9.8)).status, Status::not_applicable);
    EXPECT_EQ(solve(name, rod(1e-320, -1.0)).status, Status::not_applicable) << "1/M overflows";
  }
}

TEST(ProjectedSplitting, StartsFromTheClampedGuess) {
  const Vec exact = vec({4.0 / 3.0, 7.0 / 3.0});
  const auto solver = make_solver("pgs");
  EXPECT_EQ(solver->solve(two_by_two(), exact).iterations, 0);
  EXPECT_EQ(solver->solve(two_by_two(), vec({-3, 1})).z.minCoeff() > 1.0, true);
  const Vec cold = make_solver("pgs")->solve(two_by_two()).z;
  EXPECT_EQ(solver->solve(two_by_two()).z, cold) << "no memory of earlier calls";
}

TEST(ProjectedSplitting, NanIsNeverSolved) {
  for (const char* name : all_names) {
    Lcp problem = two_by_two();
    problem.q[0] = std::nan("");
    EXPECT_EQ(solve(name, problem).status, Status::not_applicable);
    // Overflow on the way: the answer stays finite.
    const Answer huge =
        solve(name, Lcp{(Mat(2, 2) << 1, 1e200, 1e200, 1).finished(), vec({-1e200, -1e200})});
    EXPECT_NE(huge.status, Status::solved);
    EXPECT_TRUE(huge.z.allFinite());
  }
}

}  // namespace
}  // namespace touchstone::testing

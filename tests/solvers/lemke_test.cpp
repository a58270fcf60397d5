#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "solvers/solver.hpp"
#include "tests/solvers/known_problems.hpp"
#include "tests/solvers/random_problems.hpp"

namespace touchstone::testing {
namespace {

using ::testing::IsEmpty;

constexpr double inf = std::numeric_limits<double>::infinity();

Answer lemke(const Problem& problem) { return make_solver("lemke")->solve(problem); }

/// w^h = M z^h + z₀^h e ≥ 0, z^h ≥ 0 and not 0, z^h ⊥ w^h.
void expect_ray(const Lcp& problem, const Ray& ray, double tolerance = 1e-10) {
  ASSERT_EQ(ray.direction.size(), problem.q.size());
  const Vec w = problem.M.to_dense() * ray.direction + Vec::Constant(problem.q.size(), ray.cover);
  EXPECT_GE(ray.direction.minCoeff(), 0.0);
  EXPECT_NEAR(ray.direction.maxCoeff(), 1.0, 1e-15);
  EXPECT_GE(ray.cover, -tolerance);
  EXPECT_GE(w.minCoeff(), -tolerance);
  EXPECT_LE(ray.direction.cwiseProduct(w).cwiseAbs().maxCoeff(), tolerance);
}

// --- Known answers

TEST(Lemke, TwoByTwo) {  // T16
  const Answer answer = lemke(Lcp{Mat((Mat(2, 2) << 2, 1, 1, 2).finished()), vec({-5, -6})});
  ASSERT_EQ(answer.status, Status::solved);
  expect_near(answer.z, vec({4.0 / 3.0, 7.0 / 3.0}), 1e-15);
  EXPECT_THAT(answer.notes, IsEmpty());
}

TEST(Lemke, ThreeCoupledContactsWhereJacobiCycles) {  // T16
  const Answer answer = lemke(three_coupled());
  ASSERT_EQ(answer.status, Status::solved);
  expect_near(answer.z, Vec::Constant(3, 1.0 / 2.8), 1e-15);
}

TEST(Lemke, StackOfTwo) {  // T15: f = ((m1 + m2) g, m2 g)
  expect_stacks_carried([](const Lcp& problem) { return lemke(problem); });
}

TEST(Lemke, NewtonsCradle) {  // T17, ε = 1: impulses m v (4/3, 2/3)
  const Mat A = (Mat(2, 2) << 2, -1, -1, 2).finished();
  const Answer elastic = lemke(Lcp{A, vec({-2, 0})});
  ASSERT_EQ(elastic.status, Status::solved);
  expect_near(elastic.z, vec({4.0 / 3.0, 2.0 / 3.0}), 1e-15);
  const Answer plastic = lemke(Lcp{A, vec({-1, 0})});
  ASSERT_EQ(plastic.status, Status::solved);
  expect_near(plastic.z, vec({2.0 / 3.0, 1.0 / 3.0}), 1e-15);
}

TEST(Lemke, IndeterminateRodReturnsTheTrivialBranch) {  // X1
  const Answer answer = lemke(rod(-1.0, 1.0));
  EXPECT_EQ(answer.status, Status::solved);
  EXPECT_EQ(answer.z, vec({0}));
  EXPECT_EQ(answer.iterations, 0);
}

TEST(Lemke, InconsistentRodGivesTheUnitRay) {  // X2
  const Answer answer = lemke(rod(-1.0, -9.8));
  ASSERT_EQ(answer.status, Status::ray);
  EXPECT_EQ(answer.ray.direction, vec({1}));
  EXPECT_EQ(answer.ray.cover, 1.0);
  EXPECT_GT(answer.residual.natural, 1.0);
}

TEST(Lemke, SubsetSumEndsOnTheRayOfTheSecondEndRod) {  // X9
  struct Case {
    std::vector<double> masses;
    double sum;
  };
  for (const Case& c : {Case{{3, 5, 7}, 8}, Case{{3, 5, 7}, 11}, Case{{3, 5, 7}, 15},
                        Case{{1, 2, 3, 4, 5}, 7}, Case{{2, 4, 6}, 5}}) {
    const Lcp problem = subset_sum(c.masses, c.sum);
    const Answer answer = lemke(problem);
    ASSERT_EQ(answer.status, Status::ray) << "S = " << c.sum;
    expect_near(answer.ray.direction, Vec::Unit(problem.q.size(), problem.q.size() - 1), 1e-15);
    EXPECT_NEAR(answer.ray.cover, 0.99, 1e-15);
    expect_ray(problem, answer.ray);
  }
  const Answer trivial = lemke(subset_sum({3, 5, 7}, 0));
  EXPECT_EQ(trivial.status, Status::solved);
  EXPECT_EQ(trivial.z, Vec::Zero(5));
}

TEST(Lemke, ChairCarriesItsWeight) {  // X12: rank 3, the accelerations are unique
  const Lcp problem = chair();
  const Answer answer = lemke(problem);
  ASSERT_EQ(answer.status, Status::solved);
  EXPECT_NEAR(answer.z.sum(), 1.0, 1e-15);
  EXPECT_LE((problem.M.dense() * answer.z + problem.q).cwiseAbs().maxCoeff(), 1e-15);
}

// --- Edges

TEST(Lemke, NonnegativeQReturnsZeroAtOnce) {
  // The matrix must not take part: it would blow up.
  const Answer answer = lemke(Lcp{Mat::Constant(3, 3, -1e300), vec({0, 1, 2})});
  EXPECT_EQ(answer.status, Status::solved);
  EXPECT_EQ(answer.z, Vec::Zero(3));
  EXPECT_EQ(answer.iterations, 0);
}

TEST(Lemke, NeedsNoUnknowns) {
  const Answer answer = lemke(Lcp{Mat(0, 0), Vec(0)});
  EXPECT_EQ(answer.status, Status::solved);
  EXPECT_EQ(answer.z.size(), 0);
}

TEST(Lemke, OneUnknown) {
  EXPECT_EQ(lemke(rod(2.0, -3.0)).z, vec({1.5}));
  EXPECT_EQ(lemke(rod(0.0, -1.0)).status, Status::ray);
  EXPECT_DOUBLE_EQ(lemke(rod(1e-9, -1e-9)).z[0], 1.0);
}

TEST(Lemke, ZeroMatrixGivesARay) {
  const Lcp problem{Mat::Zero(3, 3), vec({-1, 2, -1})};
  const Answer answer = lemke(problem);
  ASSERT_EQ(answer.status, Status::ray);
  expect_ray(problem, answer.ray);
}

TEST(Lemke, SaysWhenItsIterationsAreUsedUp) {
  const Lcp problem = {Mat::Identity(6, 6), Vec::Constant(6, -1.0)};
  const auto limited = make_solver("lemke", {integer("max_iterations", 2, "1", "")});
  const Answer answer = limited->solve(problem);
  EXPECT_EQ(answer.status, Status::iteration_limit);
  EXPECT_EQ(make_solver("lemke")->solve(problem).status, Status::solved);
}

TEST(Lemke, TakesSparseMatrices) {
  const SpMat M = Mat((Mat(2, 2) << 2, 1, 1, 2).finished()).sparseView();
  expect_near(lemke(Lcp{M, vec({-5, -6})}).z, vec({4.0 / 3.0, 7.0 / 3.0}), 1e-15);
}

TEST(Lemke, AnswersDoNotDependOnEarlierProblems) {
  Random random(32);
  const auto solver = make_solver("lemke");
  const Lcp small = positive_definite(random, 3), large = positive_definite(random, 30);
  const Vec first = solver->solve(small).z;
  solver->solve(large);
  solver->solve(rod(-1.0, -9.8));
  EXPECT_EQ(solver->solve(small).z, first);
  EXPECT_EQ(make_solver("lemke")->solve(small).z, first);
}

TEST(Lemke, AnotherCoveringVectorReachesTheSameUniqueAnswer) {
  Random random(33);
  const auto other = make_solver("lemke", {text("cover", "row-size", "")});
  for (int trial = 0; trial < 100; ++trial) {
    const Lcp problem = positive_definite(random, 6);
    expect_near(other->solve(problem).z, lemke(problem).z, 1e-11);
  }
}

TEST(Lemke, NanIsNeverSolved) {
  for (int entry = 0; entry < 2; ++entry) {
    Lcp problem{Mat::Identity(2, 2), vec({-1, 1})};
    (entry == 0 ? problem.q[0] : problem.M.dense()(1, 1)) = std::nan("");
    const Answer answer = lemke(problem);
    EXPECT_EQ(answer.status, Status::not_applicable);
    EXPECT_THAT(answer.notes, ::testing::SizeIs(1));
  }
}

// --- Degeneracy and cycling

TEST(Lemke, DoesNotCycleOnTheCyclicPMatrix) {
  // The classical example of cycling in principal pivoting (Murty; Kostreva 1979): all rows tie.
  const Mat M = (Mat(3, 3) << 1, 2, 0, 0, 1, 2, 2, 0, 1).finished();
  const Answer answer = lemke(Lcp{M, Vec::Constant(3, -1.0)});
  ASSERT_EQ(answer.status, Status::solved);
  expect_near(answer.z, Vec::Constant(3, 1.0 / 3.0), 1e-15);
  EXPECT_THAT(answer.notes, IsEmpty());
  EXPECT_LE(answer.iterations, 20);
}

TEST(Lemke, SolvesBealesCyclingLinearProgram) {
  // Beale 1955 as complementarity of its optimality conditions: the simplex method cycles at the
  // degenerate vertex. min cᵀx, Ax ≤ b, x ≥ 0; optimum −1/20.
  const Vec c = vec({-0.75, 150, -0.02, 6}), b = vec({0, 0, 1});
  const Mat A = (Mat(3, 4) << 0.25, -60, -0.04, 9, 0.5, -90, -0.02, 3, 0, 0, 1, 0).finished();
  Mat M = Mat::Zero(7, 7);
  M.topRightCorner(4, 3) = A.transpose();
  M.bottomLeftCorner(3, 4) = -A;
  Vec q(7);
  q << c, b;
  const Answer answer = lemke(Lcp{M, q});
  ASSERT_EQ(answer.status, Status::solved);
  EXPECT_NEAR(c.dot(answer.z.head(4)), -0.05, 1e-13);
}

TEST(Lemke, SolvesWhereEveryRatioTies) {
  // Frictional contact at rest on a plane: all friction directions tie at every pivot.
  Random random(34);
  for (const int directions : {4, 8, 16}) {
    const Contacts contacts = spatial_contacts(random, 1, 4, directions, true);
    const Answer answer = lemke(stewart_trinkle(contacts, vec({0, 0, -0.1, 0, 0, 0})));
    ASSERT_EQ(answer.status, Status::solved) << directions;
    EXPECT_LE(answer.residual.natural, 1e-14) << directions;
    EXPECT_THAT(answer.notes, IsEmpty()) << directions;
  }
}

TEST(Lemke, MurtysExampleTakesExactlyTwoToTheNPivots) {
  // Murty 1978: M lower triangular of twos, q_i = −(2ⁿ + 2ⁿ⁻¹ + … + 2ⁿ⁺¹⁻ⁱ); z = (2ⁿ, 0, …, 0).
  for (int n = 2; n <= 10; ++n) {
    Mat M = Mat::Identity(n, n);
    Vec q(n);
    double sum = 0.0;
    for (int i = 0; i < n; ++i) {
      M.row(i).head(i).setConstant(2.0);
      sum += std::ldexp(1.0, n - i);
      q[i] = -sum;
    }
    const Answer answer = lemke(Lcp{M, q});
    ASSERT_EQ(answer.status, Status::solved) << n;
    EXPECT_EQ(answer.iterations, 1 << n);
    expect_near(answer.z, std::ldexp(1.0, n) * Vec::Unit(n, 0), 1e-12);
    EXPECT_THAT(answer.notes, IsEmpty());
  }
}

// --- Units

TEST(Lemke, BadlyScaledProblemsAreSolvedLikeWellScaledOnes) {
  // z → Cz, rows → R: the same problem in other units, answers known from the scaled one.
  Random random(35);
  for (int trial = 0; trial < 500; ++trial) {
    const Eigen::Index n = random.integer(2, 10);
    const Lcp problem = positive_definite(random, n);
    const Answer plain = lemke(problem);
    Vec R(n), C(n);
    for (Eigen::Index i = 0; i < n; ++i) {
      R[i] = std::pow(10.0, random.uniform(-5, 5));
      C[i] = std::pow(10.0, random.uniform(-5, 5));
    }
    const Lcp scaled{R.asDiagonal() * problem.M.dense() * C.asDiagonal(),
                     R.cwiseProduct(problem.q)};
    const Answer answer = lemke(scaled);
    ASSERT_EQ(answer.status, Status::solved) << "trial " << trial;
    ASSERT_LE((C.cwiseProduct(answer.z) - plain.z).cwiseAbs().maxCoeff(), 1e-9)
        << "trial " << trial;
  }
}

// --- Rays

TEST(Lemke, EveryRayIsOneOfTheOriginalProblem) {
  Random random(36);
  int rays = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    const Eigen::Index n = random.integer(1, 8);
    const Lcp problem{random.matrix(n, n), random.vector(n)};
    const Answer answer = lemke(problem);
    if (answer.status == Status::ray) {
      ++rays;
      expect_ray(problem, answer.ray);
    } else {
      ASSERT_EQ(answer.status, Status::solved) << "trial " << trial;
      ASSERT_TRUE(answer.ray.empty());
      ASSERT_LE(answer.residual.natural, 1e-10);
    }
  }
  EXPECT_GT(rays, 200);
}

// --- Mixed problems

TEST(LemkeOnMixedProblems, EliminatesFreeVariables) {
  // x free: 2x + y − 4 = 0; y ≥ 0: w = x + y − 1 ≥ 0. x = 2 − y/2, w = 1 + y/2: y = 0, x = 2.
  const Mlcp problem{(Mat(2, 2) << 2, 1, 1, 1).finished(), vec({-4, -1}), vec({-inf, 0}),
                     vec({inf, inf})};
  const Answer answer = lemke(problem);
  ASSERT_EQ(answer.status, Status::solved);
  expect_near(answer.z, vec({2, 0}), 1e-15);
}

TEST(LemkeOnMixedProblems, SolvesAPlainLinearSystem) {
  const Mlcp problem{(Mat(2, 2) << 2, 1, 1, 3).finished(), vec({-5, -5}), Vec::Constant(2, -inf),
                     Vec::Constant(2, inf)};
  const Answer answer = lemke(problem);
  ASSERT_EQ(answer.status, Status::solved);
  expect_near(answer.z, vec({2, 1}), 1e-15);
}

TEST(LemkeOnMixedProblems, SaysWhenTheFreeBlockIsSingular) {
  const Mlcp problem{Mat::Ones(3, 3), vec({-1, -1, -1}), vec({-inf, -inf, 0}),
                     Vec::Constant(3, inf)};
  const Answer answer = lemke(problem);
  EXPECT_EQ(answer.status, Status::singular);
  EXPECT_THAT(answer.notes, ::testing::SizeIs(1));
}

TEST(LemkeOnMixedProblems, ReducedAndMixedContactProblemsAgree) {
  // ν⁺ as unknown: [m −W; Wᵀ 0] against the Delassus form WᵀM⁻¹W.
  Random random(37);
  for (int trial = 0; trial < 100; ++trial) {
    const Mat W = random.matrix(6, 4);
    const Vec velocity = random.vector(6);
    Mat M = Mat::Zero(10, 10);
    M.topLeftCorner(6, 6).diagonal() = vec({2, 2, 2, 0.5, 0.5, 0.5});
    const Mat mass = M.topLeftCorner(6, 6);
    M.topRightCorner(6, 4) = -W;
    M.bottomLeftCorner(4, 6) = W.transpose();
    Vec q = Vec::Zero(10), l = Vec::Zero(10);
    q.head(6) = -mass * velocity;
    l.head(6).setConstant(-inf);
    const Answer mixed = lemke(Mlcp{M, q, l, Vec::Constant(10, inf)});
    const Answer reduced = lemke(Lcp{W.transpose() * mass.inverse() * W, W.transpose() * velocity});
    ASSERT_EQ(mixed.status, Status::solved);
    expect_near(mixed.z.tail(4), reduced.z, 1e-12);
    expect_near(mixed.z.head(6), velocity + mass.inverse() * W * reduced.z, 1e-12);
  }
}

TEST(LemkeOnMixedProblems, SolvesProblemsBuiltFromTheirAnswersWithEveryKindOfBound) {
  Random random(38);
  for (int trial = 0; trial < 1000; ++trial) {
    const Eigen::Index n = random.integer(1, 10);
    const Mat B = random.matrix(n, n);
    const Mat M = B * B.transpose() + 0.1 * Mat::Identity(n, n);
    Vec z = random.vector(n), F = Vec::Zero(n), l(n), u(n);
    for (Eigen::Index i = 0; i < n; ++i) {
      const int kind = random.integer(0, 3);
      l[i] = kind == 0 || kind == 2 ? -inf : z[i] - random.uniform(0.1, 1);
      u[i] = kind == 0 || kind == 1 ? inf : z[i] + random.uniform(0.1, 1);
      if (std::isfinite(l[i]) && random.chance(0.4)) {
        z[i] = l[i];
        F[i] = random.uniform(0.1, 1);
      } else if (std::isfinite(u[i]) && random.chance(0.4)) {
        z[i] = u[i];
        F[i] = -random.uniform(0.1, 1);
      }
    }
    const Answer answer = lemke(Mlcp{M, F - M * z, l, u});
    ASSERT_EQ(answer.status, Status::solved) << "trial " << trial;
    ASSERT_LE((answer.z - z).cwiseAbs().maxCoeff(), 1e-10) << "trial " << trial;
  }
}

TEST(LemkeOnMixedProblems, RaysAreGivenInTheMixedVariables) {
  // x free: x − y = 0; w = −2y + x − 1 → w = −y − 1: no solution. Direction (1, 1).
  const Mlcp problem{(Mat(2, 2) << 1, -1, 1, -2).finished(), vec({0, -1}), vec({-inf, 0}),
                     vec({inf, inf})};
  const Answer answer = lemke(problem);
  ASSERT_EQ(answer.status, Status::ray);
  expect_near(answer.ray.direction, vec({1, 1}), 1e-15);
  EXPECT_NEAR(answer.ray.cover, 1.0, 1e-15);
}

}  // namespace
}  // namespace touchstone::testing

#include "solvers/referee.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/solvers/random_problems.hpp"

namespace touchstone {
namespace {

using testing::Random;

constexpr double inf = std::numeric_limits<double>::infinity();
const double nan = std::nan("");

Vec vec(std::initializer_list<double> values) {
  return Eigen::Map<const Vec>(values.begin(), static_cast<Eigen::Index>(values.size()));
}

// --- LCP

TEST(RefereeOnLcp, MeasuresByHand) {
  // w = z + q = (−1, 5) at z = (1, 2): row 1 lacks 1, row 2 is not complementary (2 · 5).
  const Lcp problem{Mat::Identity(2, 2), vec({-2, 3})};
  const Residual r = residual(problem, vec({1, 2}));
  EXPECT_DOUBLE_EQ(r.natural, 2.0);
  EXPECT_DOUBLE_EQ(r.infeasibility, 1.0);
  EXPECT_DOUBLE_EQ(r.complementarity, 10.0);
  EXPECT_FALSE(r.physical.has_value());
}

TEST(RefereeOnLcp, IsZeroAtTheAnswerAndNotBesideIt) {
  const Lcp problem{(Mat(2, 2) << 2, 1, 1, 2).finished(), vec({-5, -6})};
  EXPECT_LE(residual(problem, vec({4.0 / 3.0, 7.0 / 3.0})).natural, 1e-15);
  EXPECT_GT(residual(problem, vec({4.0 / 3.0, 7.0 / 3.0 + 1e-6})).natural, 1e-7);
  EXPECT_DOUBLE_EQ(residual(problem, vec({0, 0})).natural, 6.0);
  EXPECT_DOUBLE_EQ(residual(problem, vec({-1, 4})).infeasibility, 3.0);  // w₁ = −2 + 4 − 5
}

TEST(RefereeOnLcp, PhysicalResidualIsInVelocityUnits) {
  // A normal row (z in N·s, 2 kg effective) and a slip row the other way round.
  Lcp problem{Mat::Zero(2, 2), vec({0.3, 0.8})};
  problem.scale = {vec({0.5, 1.0}), vec({1.0, 0.5})};
  const Residual r = residual(problem, vec({0.4, 0.1}));
  EXPECT_DOUBLE_EQ(r.natural, 0.3);           // min(0.4, 0.3), min(0.1, 0.8)
  EXPECT_DOUBLE_EQ(r.physical.value(), 0.2);  // min(0.2, 0.3), min(0.1, 0.4)
}

TEST(RefereeOnLcp, ARowWithoutInverseMassStillHasItsVelocity) {
  Lcp problem{Mat::Zero(1, 1), vec({-0.3})};
  problem.scale = {vec({0.0}), vec({1.0})};
  EXPECT_DOUBLE_EQ(residual(problem, vec({5.0})).physical.value(), 0.3);
}

TEST(RefereeOnLcp, NanAndWrongSizeGiveInfinityEverywhere) {
  const Lcp problem{Mat::Identity(2, 2), vec({1, 1})};
  Lcp poisoned = problem;
  poisoned.q[1] = nan;
  Lcp poisoned_matrix = problem;
  poisoned_matrix.M.dense()(0, 1) = nan;
  const Residual cases[] = {
      residual(problem, vec({nan, 0})), residual(problem, vec({0, inf})),
      residual(problem, vec({0})),      residual(problem, Vec{}),
      residual(poisoned, vec({0, 0})),  residual(poisoned_matrix, vec({0, 0}))};
  for (const Residual& r : cases) {
    EXPECT_EQ(r.natural, inf);
    EXPECT_EQ(r.infeasibility, inf);
    EXPECT_EQ(r.complementarity, inf);
    EXPECT_EQ(r.physical.value_or(inf), inf);
  }
}

TEST(RefereeOnLcp, SparseAndDenseMeasureAlike) {
  Random random(5);
  const Mat M = random.matrix(6, 6);
  const Vec q = random.vector(6), z = random.vector(6);
  EXPECT_NEAR(residual(Lcp{M, q}, z).natural, residual(Lcp{SpMat(M.sparseView()), q}, z).natural,
              1e-15);
}

TEST(RefereeOnLcp, AcceptsAnswersThatProblemsWereBuiltFrom) {
  Random random(6);
  for (int trial = 0; trial < 200; ++trial) {
    const Eigen::Index n = random.integer(1, 12);
    const Mat M = random.matrix(n, n);
    Vec z = Vec::Zero(n), w = Vec::Zero(n);
    for (Eigen::Index i = 0; i < n; ++i) (random.chance(0.5) ? z : w)[i] = random.uniform(0.1, 2);
    const Lcp problem{M, w - M * z};
    const Residual right = residual(problem, z);
    ASSERT_LE(right.natural, 1e-13);
    ASSERT_LE(right.infeasibility, 1e-13);
    ASSERT_LE(right.complementarity, 1e-13);
    const Eigen::Index k = random.integer(0, static_cast<int>(n) - 1);
    Vec wrong = z;
    wrong[k] = -0.05;
    ASSERT_GE(residual(problem, wrong).natural, 0.05 - 1e-13);
  }
}

// --- MLCP and MCP

TEST(RefereeOnMlcp, JudgesEachKindOfBound) {
  // F = q for M = 0: every row by itself.
  const auto natural = [](double z, double F, double l, double u) {
    return residual(Mlcp{Mat::Zero(1, 1), vec({F}), vec({l}), vec({u})}, vec({z}));
  };
  EXPECT_EQ(natural(0.5, 0.0, 0, 1).natural, 0.0);   // inside
  EXPECT_EQ(natural(0.0, 3.0, 0, 1).natural, 0.0);   // at l
  EXPECT_EQ(natural(1.0, -3.0, 0, 1).natural, 0.0);  // at u
  EXPECT_EQ(natural(0.0, -3.0, 0, 1).natural, 1.0);  // at l, but F pulls to u
  EXPECT_EQ(natural(0.0, -3.0, 0, 1).infeasibility, 3.0);
  EXPECT_EQ(natural(0.0, -3.0, 0, 1).complementarity, 3.0);
  EXPECT_EQ(natural(7.0, 0.0, -inf, inf).natural, 0.0);
  EXPECT_EQ(natural(7.0, 0.25, -inf, inf).natural, 0.25);  // an equation that does not hold
  EXPECT_EQ(natural(7.0, 0.25, -inf, inf).infeasibility, 0.25);
  EXPECT_EQ(natural(7.0, 0.25, -inf, inf).complementarity, 0.0);
  EXPECT_EQ(natural(-2.0, -1.0, -inf, -2).natural, 0.0);  // at u, F ≤ 0
  EXPECT_EQ(natural(2.5, 0.0, 0, 2).infeasibility, 0.5);
  EXPECT_EQ(natural(4.0, -9.0, 4, 4).natural, 0.0);  // fixed: any F
  EXPECT_EQ(natural(4.0, 9.0, 4, 4).infeasibility, 0.0);
  EXPECT_EQ(natural(0.5, nan, 0, 1).natural, inf);  // finite bounds must not hide NaN
}

struct Cubic : McpFunction {
  void evaluate(const Vec& z, Vec& F) const override { F = z.array().cube() - 8.0; }
  void jacobian(const Vec& z, SpMat& J) const override {
    J = SpMat(Mat((3.0 * z.array().square()).matrix().asDiagonal()).sparseView());
  }
};

TEST(RefereeOnMcp, EvaluatesTheFunction) {
  const Mcp problem{std::make_shared<Cubic>(), vec({0}), vec({inf})};
  EXPECT_EQ(residual(problem, vec({2})).natural, 0.0);
  EXPECT_DOUBLE_EQ(residual(problem, vec({1})).natural, 7.0);
  EXPECT_DOUBLE_EQ(residual(problem, vec({0})).infeasibility, 8.0);
  const Mcp upper{std::make_shared<Cubic>(), vec({0}), vec({1})};
  EXPECT_EQ(residual(upper, vec({1})).natural, 0.0);
  EXPECT_EQ(residual(upper, vec({nan})).natural, inf);
}

// --- QP

TEST(RefereeOnQp, MeasuresTheKktSystem) {
  // min ½x² − 3x, 0 ≤ x ≤ 1: x = 1, y = 2.
  const Qp problem{Mat::Identity(1, 1), vec({-3}), Mat::Identity(1, 1), vec({0}), vec({1})};
  EXPECT_EQ(residual(problem, vec({1, 2})).natural, 0.0);
  EXPECT_EQ(residual(problem, vec({1, 1})).natural, 1.0);   // stationarity
  const Residual outside = residual(problem, vec({3, 0}));  // the free minimum
  EXPECT_EQ(outside.natural, 2.0);
  EXPECT_EQ(outside.infeasibility, 2.0);
  const Residual inside = residual(problem, vec({0.5, 2.5}));  // stationary, not complementary
  EXPECT_EQ(inside.natural, 0.5);
  EXPECT_EQ(inside.infeasibility, 0.0);
  EXPECT_EQ(inside.complementarity, 1.25);
  EXPECT_EQ(residual(problem, vec({1, nan})).natural, inf);
}

TEST(RefereeOnQp, AMultiplierOfAMissingBoundIsNotHidden) {
  const Qp problem{Mat::Identity(1, 1), vec({-3}), Mat::Identity(1, 1), vec({-inf}), vec({inf})};
  EXPECT_EQ(residual(problem, vec({3, 0})).natural, 0.0);
  const Residual r = residual(problem, vec({1, 2}));
  EXPECT_EQ(r.natural, 2.0);
  EXPECT_EQ(r.complementarity, 2.0);
}

TEST(RefereeOnQp, AcceptsAnswersThatProblemsWereBuiltFrom) {
  Random random(7);
  for (int trial = 0; trial < 100; ++trial) {
    const Mat B = random.matrix(5, 5), A = random.matrix(4, 5);
    const Vec x = random.vector(5);
    const Vec Ax = A * x;
    Vec y(4), l(4), u(4);
    for (Eigen::Index i = 0; i < 4; ++i) {
      y[i] = random.chance(0.4) ? 0.0 : random.uniform(-1, 1);
      l[i] = y[i] < 0 ? Ax[i] : Ax[i] - 1;
      u[i] = y[i] > 0 ? Ax[i] : Ax[i] + 1;
    }
    const Mat P = B * B.transpose();
    const Qp problem{P, -(P * x + A.transpose() * y), A, l, u};
    Vec z(9);
    z << x, y;
    ASSERT_LE(residual(problem, z).natural, 1e-13);
    z[6] += 0.01;
    ASSERT_GE(residual(problem, z).natural, 1e-5);
  }
}

// --- Friction contact

FrictionContact contact(int dim, Vec q, double mu) {
  return {dim, Mat::Identity(q.size(), q.size()), q, vec({mu})};
}

TEST(RefereeOnFrictionContact, KnowsTheThreeModes) {
  // W = 1: the free velocity is q and the answer is known in closed form.
  EXPECT_EQ(residual(contact(3, vec({1, 5, 0}), 0.5), vec({0, 0, 0})).natural, 0.0);  // separates
  EXPECT_EQ(residual(contact(3, vec({-2, 0.6, 0.8}), 0.5), vec({2, -0.6, -0.8})).natural, 0.0);
  const Residual slides = residual(contact(3, vec({-2, 3, 4}), 0.5), vec({2, -0.6, -0.8}));
  EXPECT_NEAR(slides.natural, 0.0, 1e-15);
  EXPECT_NEAR(slides.infeasibility, 0.0, 1e-15);
  EXPECT_NEAR(slides.complementarity, 0.0, 1e-15);
  EXPECT_NEAR(slides.physical.value(), 0.0, 1e-15);
  EXPECT_EQ(residual(contact(2, vec({-2, 3}), 0.5), vec({2, -1})).natural, 0.0);  // planar
  EXPECT_EQ(residual(contact(2, vec({-2, 3}), 0.0), vec({2, 0})).natural, 0.0);   // frictionless
}

TEST(RefereeOnFrictionContact, MeasuresWrongAnswersByHand) {
  // r = 0 while approaching at 2: û = u + μ‖u_t‖n = (−2, 0, 0), Π_K(−û) = (2, 0, 0).
  const Residual none = residual(contact(3, vec({-2, 0, 0}), 0.5), vec({0, 0, 0}));
  EXPECT_DOUBLE_EQ(none.natural, 2.0);
  EXPECT_DOUBLE_EQ(none.infeasibility, 2.0);
  EXPECT_DOUBLE_EQ(none.complementarity, 0.0);
  // r outside the cone: (1, 2) with μ = 1 projects to (1.5, 1.5): distance √½. u = (1, 2) + q = 0.
  const Residual outside = residual(contact(2, vec({-1, -2}), 1.0), vec({1, 2}));
  EXPECT_NEAR(outside.infeasibility, std::sqrt(0.5), 1e-15);
  EXPECT_NEAR(outside.natural, 0.5, 1e-15);
  // Friction along the slip instead of against it.
  EXPECT_GT(residual(contact(2, vec({-2, 3}), 0.5), vec({2, 1})).natural, 0.5);
}

TEST(RefereeOnFrictionContact, PhysicalResidualDoesNotDependOnTheMass) {
  const Vec q = vec({-2, 0, 0}), r = vec({0, 0, 0});
  const FrictionContact light{3, Mat::Identity(3, 3), q, vec({0.5})};
  const FrictionContact heavy{3, 1e-3 * Mat::Identity(3, 3), q, vec({0.5})};
  EXPECT_DOUBLE_EQ(residual(light, r).physical.value(), 2.0);
  EXPECT_DOUBLE_EQ(residual(heavy, r).physical.value(), 2.0);
  const FrictionContact fixed{3, Mat::Zero(3, 3), q, vec({0.5})};
  EXPECT_FALSE(residual(fixed, r).physical.has_value());
}

TEST(RefereeOnFrictionContact, NanGivesInfinity) {
  const Residual r = residual(contact(3, vec({1, 0, 0}), 0.5), vec({0, nan, 0}));
  EXPECT_EQ(r.natural, inf);
  EXPECT_EQ(r.infeasibility, inf);
}

TEST(RefereeOnFrictionContact, AcceptsAnswersThatProblemsWereBuiltFrom) {
  Random random(8);
  for (int trial = 0; trial < 100; ++trial) {
    const Eigen::Index nc = 4;
    const Mat B = random.matrix(12, 12);
    Vec r(12), u(12), mu(nc);
    for (Eigen::Index i = 0; i < nc; ++i) {
      mu[i] = random.uniform(0.1, 1.0);
      const double angle = random.uniform(0.0, 6.28), c = std::cos(angle), s = std::sin(angle);
      const double p = random.uniform(0.1, 1.0), slip = random.uniform(0.1, 1.0);
      const int mode = random.integer(0, 2);
      if (mode == 0) {  // separates
        r.segment<3>(3 * i).setZero();
        u.segment<3>(3 * i) << p, slip * c, slip * s;
      } else if (mode == 1) {  // sticks
        r.segment<3>(3 * i) << p, 0.5 * mu[i] * p * c, 0.5 * mu[i] * p * s;
        u.segment<3>(3 * i).setZero();
      } else {  // slides
        r.segment<3>(3 * i) << p, -mu[i] * p * c, -mu[i] * p * s;
        u.segment<3>(3 * i) << 0, slip * c, slip * s;
      }
    }
    const Mat W = B * B.transpose();
    const FrictionContact problem{3, W, u - W * r, mu};
    const Residual right = residual(problem, r);
    ASSERT_LE(right.natural, 1e-12);
    ASSERT_LE(right.infeasibility, 1e-12);
    ASSERT_LE(right.complementarity, 1e-12);
    ASSERT_LE(right.physical.value(), 1e-11);
    Vec wrong = r;
    wrong[0] += 0.1;
    ASSERT_GE(residual(problem, wrong).natural, 1e-3);
  }
}

// --- Round-off and acceptance

TEST(RefereeRoundOff, BoundsTheErrorOfTheResidual) {
  Random random(8);
  for (int trial = 0; trial < 300; ++trial) {
    const Eigen::Index n = random.integer(1, 40);
    const Mat M = random.matrix(n, n);
    const Vec z = 1e6 * random.vector(n).cwiseAbs();
    const Lcp problem{M, -M * z};  // large terms that cancel
    const Residual measured = residual(problem, z);
    long double exact = 0.0L;  // 64 bits of mantissa: 2048 times as accurate
    for (Eigen::Index i = 0; i < n; ++i) {
      long double F = problem.q[i];
      for (Eigen::Index j = 0; j < n; ++j) F += static_cast<long double>(M(i, j)) * z[j];
      exact = std::max(exact, std::abs(std::min(F, static_cast<long double>(z[i]))));
    }
    const double error = std::abs(static_cast<double>(exact - measured.natural));
    ASSERT_LE(error, 1.001 * measured.round_off) << trial;
    ASSERT_LE(measured.round_off,
              1e-16 * (static_cast<double>(n) + 2) * 2e6 * (2.0 + static_cast<double>(n)));
  }
}

TEST(RefereeRoundOff, CountsOnlyRowsThatItCanChange) {
  // Row 1 stands at its bound with F = 1e9, far from zero: its round-off changes nothing.
  const Lcp problem{(Mat(2, 2) << 1, 0, 1e9, 1).finished(), vec({-1, 0})};
  const Residual r = residual(problem, vec({1, 0}));
  EXPECT_EQ(r.natural, 0.0);
  EXPECT_GT(r.round_off, 0.0);
  EXPECT_LE(r.round_off, 1e-15);
}

/// Heavy on light: f = ((1 + m) g, m g). The accelerations are sums of terms of size m g.
TEST(RefereeAcceptance, TakesLargeImpulsesThatAreAllThatDoublesAllow) {
  for (const double m : {1e3, 1e6}) {
    const Lcp problem{(Mat(2, 2) << 1, -1, -1, 1 + 1 / m).finished(), vec({-9.8, 0})};
    Vec f = vec({(1 + m) * 9.8, m * 9.8});
    const Residual right = residual(problem, f);
    EXPECT_TRUE(acceptable(right, 1e-15)) << m << ": " << right.natural << ", " << right.round_off;
    f[0] *= 1.0 + 1e-12;  // thousands of roundings away
    EXPECT_FALSE(acceptable(residual(problem, f), 1e-15)) << m;
  }
}

TEST(RefereeAcceptance, RefusesAnswersThatHideTheData) {
  // z₀ = 5, and the other two rows add up to −10: no solution. At 1e17 the 5 is lost in the sums.
  const Lcp problem{(Mat(3, 3) << 1, 0, 0, -1, 1, -1, -1, -1, 1).finished(), vec({-5, 0, 0})};
  const Residual visible = residual(problem, vec({5, 1e3, 1e3}));
  EXPECT_EQ(visible.natural, 5.0);
  EXPECT_FALSE(hides_data(visible, 1e-10));
  const Residual hidden = residual(problem, vec({5, 1e17, 1e17}));
  ASSERT_EQ(hidden.natural, 0.0) << "the sums were formed in another order: the test shows nothing";
  EXPECT_GT(hidden.round_off, 5.0);
  EXPECT_TRUE(hides_data(hidden, 1e-10));
  EXPECT_FALSE(acceptable(hidden, 1e-10));
}

TEST(RefereeAcceptance, ALargeAnswerSwallowsNoViolation) {
  // z − F rounds to z here, but F = −1 is plain to see.
  EXPECT_EQ(residual(Lcp{Mat::Zero(1, 1), vec({-1})}, vec({1e17})).natural, 1.0);
  EXPECT_EQ(residual(Lcp{(Mat(2, 2) << 1, -1, -1, 1).finished(), vec({-1, -1})}, vec({1e17, 1e17}))
                .natural,
            1.0);
  const Qp qp{Mat::Zero(1, 1), vec({0}), Mat::Identity(1, 1), vec({1e17}), vec({inf})};
  EXPECT_EQ(residual(qp, vec({1e17, -1})).natural, 1.0);  // the gradient; Ax + y rounds to Ax
  // A pressed contact that nothing can move, r on the boundary of its cone.
  const FrictionContact pressed{3, Mat::Zero(3, 3), vec({-1, 1, 0}), vec({0.5})};
  for (const double size : {1.0, 1e8, 1e17, 1e100})
    EXPECT_GT(residual(pressed, size * vec({1, -0.5, 0})).natural, 0.5) << size;
}

TEST(RefereeAcceptance, TheMapOfTheConeIsThatOfItsDefinition) {
  Random random(9);
  for (int trial = 0; trial < 2000; ++trial) {
    const double mu = random.uniform(0.0, 1.5);
    FrictionContact problem{3, Mat::Zero(3, 3), random.vector(3), vec({mu})};
    const Vec r = random.vector(3);
    Eigen::Vector3d u = problem.q;
    u[0] += mu * u.tail<2>().norm();
    const Eigen::Vector3d x = r - u;  // projected by brute formulas
    const double t = x.tail<2>().norm();
    Eigen::Vector3d p = x;
    if (mu * t <= -x[0]) {
      p.setZero();
    } else if (t > mu * x[0]) {
      p[0] = (x[0] + mu * t) / (1 + mu * mu);
      p.tail<2>() *= mu * p[0] / t;
    }
    ASSERT_NEAR(residual(problem, r).natural, (r - p).cwiseAbs().maxCoeff(), 1e-14) << trial;
  }
}

TEST(RefereeAcceptance, BoundsAreData) {
  // z stands at a bound of 1e7: F = z + 1 is as large, and no rounding hides anything.
  const Mlcp at_bound{Mat::Identity(1, 1), vec({1}), vec({1e7}), vec({inf})};
  EXPECT_TRUE(acceptable(residual(at_bound, vec({1e7})), 1e-10));
  const Qp far{Mat::Identity(1, 1), vec({0}), Mat::Identity(1, 1), vec({1e7}), vec({inf})};
  EXPECT_TRUE(acceptable(residual(far, vec({1e7, -1e7})), 1e-10));
  // A bound that stands for infinity and is not active is none.
  const Mlcp loose{(Mat(2, 2) << 0.09, -0.21, -0.21, 0.49).finished(), vec({-1, -1}), vec({0, 0}),
                   vec({1e20, 1e20})};
  EXPECT_TRUE(hides_data(residual(loose, vec({7e16, 3e16})), 1e-10));
}

TEST(DataScale, IsTheSizeOfTheData) {
  EXPECT_EQ(data_scale(Lcp{Mat::Zero(2, 2), vec({3, -4})}), 4.0);
  EXPECT_EQ(data_scale(Lcp{Mat(0, 0), Vec(0)}), 0.0);
  EXPECT_EQ(data_scale(Mcp{std::make_shared<Cubic>(), vec({3}), vec({inf})}), 19.0);  // F(3)
  EXPECT_EQ(data_scale(Qp{Mat::Zero(1, 1), vec({-7}), Mat::Zero(0, 1), Vec(0), Vec(0)}), 7.0);
  EXPECT_EQ(data_scale(contact(3, vec({1, 0, -2}), 0.5)), 2.0);
}

}  // namespace
}  // namespace touchstone

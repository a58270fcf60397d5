#include "solvers/own/force_bounds.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "solvers/own/feasible_point.hpp"
#include "tests/solvers/random_problems.hpp"

namespace touchstone {

namespace {

using testing::Random;

/// Least cost over every basic solution of {x ≥ 0 : A x = b}.
double least_over_vertices(const Mat& A, const Vec& b, const Vec& cost) {
  const int n = static_cast<int>(A.cols()), m = static_cast<int>(A.rows());
  double least = std::numeric_limits<double>::infinity();
  for (unsigned mask = 0; mask < (1u << n); ++mask) {
    std::vector<int> basis;
    for (int j = 0; j < n; ++j)
      if (mask >> j & 1u) basis.push_back(j);
    if (static_cast<int>(basis.size()) != m) continue;
    const Eigen::FullPivLU<Mat> lu(Mat(A(Eigen::all, basis)));
    if (!lu.isInvertible()) continue;
    const Vec x = lu.solve(b);
    if (x.minCoeff() >= -1e-10) least = std::min(least, cost(basis).dot(x));
  }
  return least;
}

TEST(LinearProgram, FindsTheBestVertex) {
  Random random(1);
  int feasible = 0;
  for (int i = 0; i < 200; ++i) {
    const int m = random.integer(1, 4), n = m + random.integer(1, 4);
    Mat A = random.matrix(m, n);
    A.row(0).setConstant(1.0);  // bounded
    Vec b = random.vector(m);
    b[0] = 1.0;
    FeasiblePoint lp;
    lp.resize(m, n);
    for (int r = 0; r < m; ++r) {
      for (int c = 0; c < n; ++c) lp.A(r, c) = A(r, c);
      lp.b(r) = b[r];
    }
    Vec x;
    const Vec cost = random.vector(n);
    const double least = least_over_vertices(A, b, cost);
    ASSERT_EQ(lp.find(1e-9, x), std::isfinite(least)) << i;
    if (!std::isfinite(least)) continue;
    ++feasible;
    for (const double sign : {1.0, -1.0, 1.0}) {  // again and again on one tableau
      ASSERT_EQ(lp.minimise(sign * cost, x), Status::solved);
      EXPECT_LT((A * x - b).cwiseAbs().maxCoeff(), 1e-9);
      EXPECT_NEAR(sign * cost.dot(x), least_over_vertices(A, b, sign * cost), 1e-9);
    }
  }
  EXPECT_GT(feasible, 50);
}

TEST(LinearProgram, SaysWhenThereIsNoLeastValue) {
  FeasiblePoint lp;
  lp.resize(1, 2);  // x − y = 1
  lp.A(0, 0) = 1.0, lp.A(0, 1) = -1.0, lp.b(0) = 1.0;
  Vec x;
  ASSERT_TRUE(lp.find(1e-12, x));
  EXPECT_EQ(lp.minimise(Eigen::Vector2d(-1.0, 0.0), x), Status::ray);
  EXPECT_EQ(lp.minimise(Eigen::Vector2d(1.0, 0.0), x), Status::solved);
  EXPECT_NEAR(x[0], 1.0, 1e-15);
}

// X12: legs (±1, ±1), m = I = g = 1: f = ¼ + t(1, −1, 1, −1), |t| ≤ ¼.
TEST(ForceBounds, OfTheChairAreZeroAndOneHalf) {
  const double x[] = {1, -1, -1, 1}, y[] = {1, 1, -1, -1};
  FrictionCones chair{
      .W = Mat(4, 4), .q = -Vec::Ones(4), .friction = {0, 0, 0, 0}, .mu = Vec::Zero(4)};
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) chair.W(i, j) = 1.0 + x[i] * x[j] + y[i] * y[j];
  for (const Vec& r : {Vec(Vec::Constant(4, 0.25)), Vec(Eigen::Vector4d(0.5, 0, 0.5, 0))}) {
    const ForceBounds bounds = normal_force_bounds(chair, r);
    EXPECT_EQ(bounds.status, Status::solved);
    EXPECT_LT(bounds.low.cwiseAbs().maxCoeff(), 1e-12);
    EXPECT_LT((bounds.high - Vec::Constant(4, 0.5)).cwiseAbs().maxCoeff(), 1e-12);
    EXPECT_FALSE(bounds.unique(1e-6));
  }
  // With three legs the forces are known.
  FrictionCones stool{.W = chair.W.topLeftCorner(3, 3),
                      .q = -Vec::Ones(3),
                      .friction = {0, 0, 0},
                      .mu = Vec::Zero(3)};
  const ForceBounds bounds = normal_force_bounds(stool, Eigen::Vector3d(0.5, 0.0, 0.5));
  EXPECT_TRUE(bounds.unique(1e-10));
}

/// A ball or disc of mass m on two fixed ones: rows (n, tangents) of each contact.
FrictionCones cradle(double beta, double mu, double m, double g, double R, bool spatial) {
  Mat J(6, spatial ? 6 : 4);  // velocities (v, ω) of the ball; columns of wrenches
  int column = 0;
  for (const double side : {-1.0, 1.0}) {
    const Eigen::Vector3d n(-side * std::sin(beta), std::cos(beta), 0.0);
    const Eigen::Vector3d t(n.y(), -n.x(), 0.0), o = n.cross(t), arm = -R * n;
    for (const Eigen::Vector3d& d : {n, t, o}) {
      if (!spatial && d == o) continue;
      J.col(column++) << d, arm.cross(d);
    }
  }
  Vec inverse_mass = Vec::Constant(6, 1.0 / m);
  inverse_mass.tail(3).setConstant(1.0 / (0.4 * m * R * R));
  const int d = spatial ? 2 : 1;
  Vec load = Vec::Zero(6);
  load[1] = -g;
  return {.W = J.transpose() * inverse_mass.asDiagonal() * J,
          .q = J.transpose() * load,
          .friction = {d, d},
          .mu = Vec::Constant(2, mu)};
}

// A sphere on two fixed spheres: mg/(2(cos β + μ sin β)) ≤ N ≤ mg/(2(cos β − μ sin β)).
TEST(ForceBounds, OfASphereOnTwoSpheresAreTheClosedForm) {
  const double m = 2.0, g = 9.81;
  for (const double beta : {0.3, 0.6})
    for (const double mu : {0.1, 0.4})
      for (const bool spatial : {false, true}) {
        const FrictionCones p = cradle(beta, mu, m, g, 0.5, spatial);
        const Claim claim = solve(p, {}, 1e-11);
        ASSERT_EQ(claim.status, Status::solved);
        const ForceBounds bounds = normal_force_bounds(p, claim.z);
        ASSERT_EQ(bounds.status, Status::solved);
        const double c = std::cos(beta), s = std::sin(beta);
        for (int i = 0; i < 2; ++i) {
          EXPECT_NEAR(bounds.low[i], m * g / (2.0 * (c + mu * s)), 1e-8);
          EXPECT_NEAR(bounds.high[i], m * g / (2.0 * (c - mu * s)), 1e-8);
        }
      }
}

TEST(ForceBounds, AreInfiniteForAWedgedBall) {
  // Friction beyond the slope: the ball can be squeezed at will.
  const FrictionCones p = cradle(1.2, 1.0, 1.0, 9.81, 0.5, false);
  const Claim claim = solve(p, {}, 1e-11);
  ASSERT_EQ(claim.status, Status::solved);
  EXPECT_TRUE(std::isinf(normal_force_bounds(p, claim.z).high[0]));
}

}  // namespace

}  // namespace touchstone

#include "formulations/common/radau.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace touchstone {

namespace {

/// Position and velocity: ẋ = v, v̇ = −κ(v − cos t) − sin t; from (0, 1) the solution is (sin t, cos
/// t) for every κ.
struct Follower : StiffSystem {
  double kappa = 1.0;
  void derivative(double t, const Vec& y, Vec& dy) override {
    dy.resize(2);
    dy << y[1], -kappa * (y[1] - std::cos(t)) - std::sin(t);
  }
  Eigen::Index stiff_begin() const override { return 1; }
  Eigen::Index stiff_size() const override { return 1; }
  void stiff_jacobian(Mat& J) const override { J = Mat::Constant(1, 1, -kappa); }
  void leading_derivative(const Vec& y, Eigen::Ref<Vec> dy) const override { dy[0] = y[1]; }
  void settle(Vec&) override {}
};

struct Errors {
  double end = 0.0, inside = 0.0;
};

Errors integrate(double kappa, int steps) {
  Follower system;
  system.kappa = kappa;
  RadauStep step;
  Vec y(2), f, between;
  y << 0.0, 1.0;
  const double h = 1.0 / steps;
  Errors errors;
  for (int k = 0; k < steps; ++k) {
    const double t = k * h;
    system.derivative(t, y, f);
    EXPECT_TRUE(step.take(system, t, y, f, h, 1e-13, 2));
    step.at(0.6, between);
    const double inside = t + 0.6 * h;
    errors.inside = std::max(
        errors.inside, std::hypot(between[0] - std::sin(inside), between[1] - std::cos(inside)));
    y = step.end();
  }
  errors.end = std::hypot(y[0] - std::sin(1.0), y[1] - std::cos(1.0));
  return errors;
}

TEST(Radau, HasOrderFive) {
  const Errors coarse = integrate(1.0, 4), fine = integrate(1.0, 8);
  EXPECT_NEAR(std::log2(coarse.end / fine.end), 5.0, 0.4);
  EXPECT_GT(std::log2(coarse.inside / fine.inside), 3.6);
}

/// At κh of a hundred the order falls to 4 (Hairer and Wanner, section IV.15): 1.4e-8 at h = 1/8.
TEST(Radau, IsNotLimitedByStiffness) {
  for (const double kappa : {1e3, 1e6, 1e9}) {
    EXPECT_LT(integrate(kappa, 8).end, 3e-8) << kappa;
    EXPECT_LT(integrate(kappa, 8).inside, 1e-5) << kappa;
  }
}

/// L-stable: a fast mode that is not on the slow solution is gone after one step.
TEST(Radau, DampsFastModes) {
  Follower system;
  system.kappa = 1e8;
  RadauStep step;
  Vec y(2), f;
  y << 0.0, 5.0;
  system.derivative(0.0, y, f);
  ASSERT_TRUE(step.take(system, 0.0, y, f, 0.1, 1e-10, 2));
  EXPECT_NEAR(step.end()[1], std::cos(0.1), 1e-5);
}

TEST(Radau, EstimatesItsError) {
  Follower system;
  RadauStep step;
  Vec y(2), f;
  y << 0.0, 1.0;
  system.derivative(0.0, y, f);
  ASSERT_TRUE(step.take(system, 0.0, y, f, 0.4, 1e-13, 2));
  const double large = step.error().norm();
  ASSERT_TRUE(step.take(system, 0.0, y, f, 0.2, 1e-13, 2));
  EXPECT_NEAR(std::log2(large / step.error().norm()), 4.0, 0.4);
}

}  // namespace

}  // namespace touchstone

#include "formulations/common/runge_kutta.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "solvers/error.hpp"

namespace touchstone {

namespace {

struct Oscillator : OdeSystem {
  int evaluations = 0;
  double omega = 1.0;
  void derivative(double, const Vec& y, Vec& dy) override {
    ++evaluations;
    dy.resize(2);
    dy << -omega * y[1], omega * y[0];
  }
};

/// y' = 5t⁴ …: quadrature only, so that y(t) is the interpolation's error alone.
struct Powers : OdeSystem {
  void derivative(double t, const Vec& y, Vec& dy) override {
    dy.resize(y.size());
    for (Eigen::Index k = 0; k < y.size(); ++k)
      dy[k] = static_cast<double>(k + 1) * std::pow(t, static_cast<double>(k));
  }
};

double power(double x, int k) { return std::pow(x, k); }

/// All order conditions up to 5 (17 trees) for weights b.
std::vector<double> order_conditions(const Tableau& T, const std::vector<double>& b) {
  const auto s = static_cast<Eigen::Index>(b.size());
  Mat A = Mat::Zero(s, s);
  Vec c(s), w(s);
  for (Eigen::Index i = 0; i < s; ++i) {
    c[i] = T.c[static_cast<std::size_t>(i)];
    w[i] = b[static_cast<std::size_t>(i)];
    for (Eigen::Index j = 0; j < i; ++j)
      A(i, j) = T.a[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)];
  }
  const Vec one = Vec::Ones(s);
  const auto times = [](const Vec& x, const Vec& y) { return Vec(x.cwiseProduct(y)); };
  const Vec c2 = times(c, c), c3 = times(c2, c), c4 = times(c3, c), Ac = A * c, Ac2 = A * c2;
  return {w.dot(one) - 1.0,
          w.dot(c) - 1.0 / 2,
          w.dot(c2) - 1.0 / 3,
          w.dot(Ac) - 1.0 / 6,
          w.dot(c3) - 1.0 / 4,
          w.dot(times(c, Ac)) - 1.0 / 8,
          w.dot(Ac2) - 1.0 / 12,
          w.dot(A * Ac) - 1.0 / 24,
          w.dot(c4) - 1.0 / 5,
          w.dot(times(c2, Ac)) - 1.0 / 10,
          w.dot(times(Ac, Ac)) - 1.0 / 20,
          w.dot(times(c, Ac2)) - 1.0 / 15,
          w.dot(A * c3) - 1.0 / 20,
          w.dot(times(c, A * Ac)) - 1.0 / 30,
          w.dot(A * times(c, Ac)) - 1.0 / 40,
          w.dot(A * Ac2) - 1.0 / 60,
          w.dot(A * (A * Ac)) - 1.0 / 120};
}

constexpr int trees_up_to[] = {0, 1, 2, 4, 8, 17};

TEST(RungeKutta, SatisfiesTheOrderConditionsAndNoMore) {
  for (const char* name : {"euler", "midpoint", "rk4", "dormand-prince"}) {
    const Tableau& T = Tableau::named(name);
    for (std::size_t i = 0; i < T.b.size(); ++i) {
      double sum = 0.0;
      for (const double a : T.a[i]) sum += a;
      EXPECT_NEAR(sum, T.c[i], 1e-14) << name;
    }
    const auto residual = order_conditions(T, T.b);
    for (int k = 0; k < trees_up_to[T.order]; ++k)
      EXPECT_NEAR(residual[static_cast<std::size_t>(k)], 0.0, 1e-14) << name << " tree " << k;
    if (T.order == 5) continue;
    double next = 0.0;
    for (int k = trees_up_to[T.order]; k < trees_up_to[T.order + 1]; ++k)
      next = std::max(next, std::abs(residual[static_cast<std::size_t>(k)]));
    EXPECT_GT(next, 1e-3) << name;
  }
}

TEST(RungeKutta, EstimatesTheErrorByAMethodOfOrderFour) {
  const Tableau& T = Tableau::named("dormand-prince");
  std::vector<double> hat = T.b;
  for (std::size_t i = 0; i < hat.size(); ++i) hat[i] -= T.error[i];
  const auto residual = order_conditions(T, hat);
  for (int k = 0; k < 8; ++k) EXPECT_NEAR(residual[static_cast<std::size_t>(k)], 0.0, 1e-14) << k;
  EXPECT_GT(std::abs(residual[8]), 1e-5);
}

TEST(RungeKutta, DenseOutputIsExactForPolynomialsOfItsOrder) {
  Powers system;
  RungeKuttaStep step(Tableau::named("dormand-prince"));
  Vec y0 = Vec::Zero(5), f0;
  system.derivative(0.0, y0, f0);
  step.take(system, 0.0, y0, f0, 1.0);
  Vec y;
  for (const double theta : {0.1, 0.25, 0.5, 0.8, 1.0}) {
    step.at(theta, y);
    for (int k = 0; k < 4; ++k) EXPECT_NEAR(y[k], power(theta, k + 1), 1e-14) << theta;
  }
}

/// T2 of the course notes: the radius factor of one step on ẋ = ω(−y, x), z = hω.
TEST(RungeKutta, MovesOnACircleByTheClosedFormRadius) {
  Oscillator system;
  system.omega = 2.0;
  const double h = 0.15, z = h * system.omega;
  const auto radius = [&](const char* name) {
    RungeKuttaStep step(Tableau::named(name));
    Vec y(2), f;
    y << 1.0, 0.0;
    system.derivative(0.0, y, f);
    step.take(system, 0.0, y, f, h);
    return step.end().norm();
  };
  EXPECT_NEAR(radius("euler"), std::sqrt(1.0 + z * z), 1e-15);
  EXPECT_NEAR(radius("midpoint"), std::sqrt(1.0 + power(z, 4) / 4.0), 1e-15);
  EXPECT_NEAR(radius("rk4"), std::sqrt(1.0 - power(z, 6) / 72.0 + power(z, 8) / 576.0), 1e-15);
}

/// T4: halving h divides the error at a fixed time by 2^order, for the end and inside the step.
TEST(RungeKutta, ConvergesAtItsOrder) {
  for (const char* name : {"euler", "midpoint", "rk4", "dormand-prince"}) {
    const Tableau& T = Tableau::named(name);
    const auto errors = [&](int steps) {
      Oscillator system;
      RungeKuttaStep step(T);
      Vec y(2), f, inside;
      y << 1.0, 0.0;
      const double h = 1.0 / steps;
      double worst = 0.0;
      for (int k = 0; k < steps; ++k) {
        system.derivative(k * h, y, f);
        step.take(system, k * h, y, f, h);
        step.at(0.4, inside);
        const double t = (k + 0.4) * h;
        worst = std::max(worst, (inside - Eigen::Vector2d(std::cos(t), std::sin(t))).norm());
        y = step.end();
      }
      return std::pair((y - Eigen::Vector2d(std::cos(1.0), std::sin(1.0))).norm(), worst);
    };
    const auto coarse = errors(8), fine = errors(16);
    EXPECT_NEAR(std::log2(coarse.first / fine.first), T.order, 0.3) << name;
    EXPECT_GT(std::log2(coarse.second / fine.second), std::min(T.order, 4) - 0.3) << name;
  }
}

TEST(RungeKutta, NamesTheKnownIntegrators) {
  try {
    Tableau::named("rk5");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("dormand-prince"), std::string::npos);
  }
}

}  // namespace

}  // namespace touchstone

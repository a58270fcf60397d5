#include "experiments/studies/rolling_polygon.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace touchstone {
namespace {

constexpr double pi = std::numbers::pi;
using Cause = RollingPolygon::Cause;

/// An independent integration: φ̈ = k² sin φ by Runge–Kutta of order 4 in small steps, impacts by
/// bisection of the last step.
class FineIntegration {
 public:
  explicit FineIntegration(const RollingPolygonData& data) : data_(data), omega_(data.omega0) {
    const double mR2 = data.mass * data.radius * data.radius;
    A_ = data.inertia + mR2;
    k2_ = data.mass * data.gravity * data.radius / A_;
    alpha_ = pi / data.edges;
    eta_ = (data.inertia + mR2 * std::cos(2.0 * alpha_)) / A_;
  }

  void advance_to(double t_end) {
    while (t_ < t_end) {
      const double h = std::min(1e-4, t_end - t_);
      const auto [phi, omega] = step(h);
      if (std::abs(phi) < alpha_ || phi * omega < 0.0) {
        t_ += h;
        phi_ = phi;
        omega_ = omega;
      } else {
        impact(h);
      }
    }
  }

  double kinetic() const { return 0.5 * A_ * omega_ * omega_; }
  double phi() const { return phi_; }
  const std::vector<double>& impact_times() const { return impact_times_; }

 private:
  std::pair<double, double> step(double h) const {
    const auto f = [&](double phi) { return k2_ * std::sin(phi); };
    const double k1 = f(phi_), v1 = omega_;
    const double v2 = omega_ + 0.5 * h * k1, k2 = f(phi_ + 0.5 * h * v1);
    const double v3 = omega_ + 0.5 * h * k2, k3 = f(phi_ + 0.5 * h * v2);
    const double v4 = omega_ + h * k3, k4 = f(phi_ + h * v3);
    return {phi_ + h / 6.0 * (v1 + 2.0 * v2 + 2.0 * v3 + v4),
            omega_ + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)};
  }

  void impact(double h) {
    double before = 0.0, after = h;
    for (int i = 0; i < 80; ++i) {
      const double middle = 0.5 * (before + after);
      const auto [phi, omega] = step(middle);
      (std::abs(phi) < alpha_ || phi * omega < 0.0 ? before : after) = middle;
    }
    const double omega = step(after).second;
    t_ += after;
    impact_times_.push_back(t_);
    phi_ = omega > 0.0 ? -alpha_ : alpha_;
    omega_ = eta_ * omega;
  }

  RollingPolygonData data_;
  double A_, k2_, alpha_, eta_;
  double t_ = 0.0, phi_ = 0.0, omega_;
  std::vector<double> impact_times_;
};

class RollingPolygonAgainstIntegration : public testing::TestWithParam<RollingPolygonData> {};

TEST_P(RollingPolygonAgainstIntegration, AgreesOnMotionAndImpacts) {
  const double t_end = 2.0;
  const RollingPolygon exact(GetParam(), t_end);
  const double horizon = exact.rest_time() ? 0.9 * *exact.rest_time() : t_end;
  FineIntegration fine(GetParam());
  for (int i = 1; i <= 20; ++i) {
    const double t = horizon * i / 20.0;
    fine.advance_to(t);
    EXPECT_NEAR(exact.kinetic(t), fine.kinetic(), 1e-9) << "t = " << t;
    EXPECT_NEAR(exact.at(t).phi, fine.phi(), 1e-9) << "t = " << t;
  }
  ASSERT_GE(exact.impacts().size(), fine.impact_times().size());
  ASSERT_FALSE(fine.impact_times().empty());
  for (std::size_t i = 0; i < fine.impact_times().size(); ++i)
    EXPECT_NEAR(exact.impacts()[i].t, fine.impact_times()[i], 1e-10);
}

INSTANTIATE_TEST_SUITE_P(
    Data, RollingPolygonAgainstIntegration,
    testing::Values(RollingPolygonData{.edges = 4}, RollingPolygonData{.edges = 5, .omega0 = -2.0},
                    RollingPolygonData{.edges = 7, .inertia = 0.9, .omega0 = 0.1},
                    RollingPolygonData{.edges = 20}, RollingPolygonData{.edges = 20, .omega0 = 0.4},
                    RollingPolygonData{.edges = 50, .mass = 3.0, .radius = 0.3, .omega0 = 5.0},
                    RollingPolygonData{.edges = 100, .gravity = 0.0}));

TEST(RollingPolygon, ImpactFactorIsTheBalanceOfAngularMomentum) {
  for (const int n : {4, 5, 20, 100, 1000, 10000}) {
    const double expected = (1.0 + 2.0 * std::cos(2.0 * pi / n)) / 3.0;  // I = mR²/2
    const RollingPolygon polygon({.edges = n}, 0.5);
    EXPECT_NEAR(polygon.eta(), expected, 1e-15);
    ASSERT_FALSE(polygon.impacts().empty());
    for (const auto& impact : polygon.impacts())
      EXPECT_NEAR(impact.omega, expected * impact.omega_before, 1e-14);
  }
}

// The height is the same at every impact, so kinetic energies just after impacts can be compared:
// each impact multiplies them by η², and the n impacts of a revolution by η^{2n}. 1 − η^{2n} is the
// loss from one impact to the n-th after it. It is not the loss of the initial ½(I + mR²)ω₀², which
// is measured upright, and the limit 1 − exp(−8π²/(3n)) is only close to it (73.2 % for n = 20).
TEST(RollingPolygon, LosesOneMinusEtaToTheTwoNPerRevolution) {
  const std::vector<std::pair<int, double>> expected = {
      {20, 0.7347}, {100, 0.2315}, {1000, 0.0260}};
  for (const auto& [n, loss] : expected) {
    const RollingPolygon polygon({.edges = n}, 10.0);
    const auto turn = static_cast<std::size_t>(n);
    ASSERT_GT(polygon.impacts().size(), turn);
    const auto& impacts = polygon.impacts();
    const double measured = 1.0 - impacts[turn].kinetic / impacts[0].kinetic;
    EXPECT_NEAR(measured, 1.0 - std::pow(polygon.eta(), 2.0 * n), 1e-12);
    EXPECT_NEAR(measured, loss, 5e-5) << n << " edges";
    EXPECT_EQ(polygon.at(impacts[turn].t).pivot, n + 1);
  }
}

// With ψ = π/2 − φ/2 and κ² = 4k²/(ω₀² + 4k²), t = ∫ dφ/√(ω₀² + 4k² sin²(φ/2)) from 0 to α becomes
// 2/√(ω₀² + 4k²) [K(κ) − F(κ, (π − α)/2)].
TEST(RollingPolygon, FirstImpactTimeIsAnEllipticIntegral) {
  const double k2 = 9.81 / 1.5;
  for (const int n : {3, 4, 20, 1000})
    for (const double omega0 : {0.1, 3.0, 40.0}) {
      const RollingPolygon polygon({.edges = n, .omega0 = omega0}, 10.0);
      const double scale = std::sqrt(omega0 * omega0 + 4.0 * k2);
      const double kappa = 2.0 * std::sqrt(k2) / scale, psi = (pi - pi / n) / 2.0;
      const double expected = 2.0 / scale * (std::comp_ellint_1(kappa) - std::ellint_1(kappa, psi));
      ASSERT_FALSE(polygon.impacts().empty());
      EXPECT_NEAR(polygon.impacts()[0].t, expected, 1e-11) << n << ' ' << omega0;
    }
}

// The same for ω₀ → 0: K ≈ log(8k/ω₀) and F ≈ log cot(α/4), up to O(ω₀²).
TEST(RollingPolygon, FallsSlowlyFromNearlyUpright) {
  const double k = std::sqrt(9.81 / 1.5);
  for (const int n : {3, 20, 1000})
    for (const double omega0 : {1e-6, 1e-30, 1e-90}) {
      const RollingPolygon polygon({.edges = n, .omega0 = omega0}, 100.0);
      const double expected = std::log(8.0 * k / omega0 * std::tan(pi / n / 4.0)) / k;
      ASSERT_FALSE(polygon.impacts().empty());
      EXPECT_NEAR(polygon.impacts()[0].t, expected, 1e-8) << n << ' ' << omega0;
    }
}

TEST(RollingPolygon, ConservesEnergyBetweenImpactsAndMovesContinuously) {
  const RollingPolygon polygon({.edges = 6}, 3.0);
  double before = 0.0;
  for (const auto& impact : polygon.impacts()) {
    if (impact.t - before < 1e-4) break;
    const double start = polygon.energy(before);
    for (int i = 1; i < 10; ++i)
      EXPECT_NEAR(polygon.energy(before + (impact.t - before) * i / 10.0), start, 1e-11);
    const double eps = 1e-9;
    EXPECT_NEAR(polygon.distance(impact.t - eps), polygon.distance(impact.t + eps), 1e-7);
    EXPECT_NEAR(polygon.at(impact.t - eps).omega, impact.omega_before, 1e-7);
    EXPECT_NEAR(polygon.at(impact.t).omega, impact.omega, 1e-9);
    before = impact.t;
  }
  EXPECT_GT(before, 1.0);
}

TEST(RollingPolygon, EnergiesAfterImpactsFall) {
  for (const int n : {4, 6, 20, 1000}) {
    const RollingPolygon polygon({.edges = n}, 10.0);
    const auto& impacts = polygon.impacts();
    ASSERT_GT(impacts.size(), 1u);
    for (std::size_t i = 1; i < impacts.size(); ++i) {
      EXPECT_LT(impacts[i].kinetic, impacts[i - 1].kinetic);
      EXPECT_GE(impacts[i].t, impacts[i - 1].t);
    }
  }
}

TEST(RollingPolygon, RocksToRestInFiniteTime) {
  const RollingPolygon polygon({.edges = 6}, 10.0);
  ASSERT_TRUE(polygon.rest_time());
  const double rest = *polygon.rest_time();
  EXPECT_GT(polygon.impacts().size(), 20u);
  EXPECT_EQ(polygon.kinetic(10.0), 0.0);
  EXPECT_NEAR(std::abs(polygon.at(10.0).phi), pi / 6, 1e-15);
  // Impact j from the end of a rocking motion is at rest − t ∝ η^j.
  const auto& impacts = polygon.impacts();
  const std::size_t last = impacts.size() - 1;
  for (std::size_t i = last - 8; i < last - 5; ++i)
    EXPECT_NEAR((rest - impacts[i + 1].t) / (rest - impacts[i].t), polygon.eta(), 1e-5);
  // It rocks: the direction turns with every swing.
  EXPECT_LT(impacts[last].omega * impacts[last - 1].omega, 0.0);
}

TEST(RollingPolygon, TriangleOfDiscInertiaStopsAtItsFirstImpact) {
  for (const double inertia : {0.5, 0.25}) {  // η = 0; η < 0: both vertices stay down
    const RollingPolygon polygon({.edges = 3, .inertia = inertia}, 5.0);
    ASSERT_EQ(polygon.impacts().size(), 1u);
    EXPECT_EQ(polygon.impacts()[0].kinetic, 0.0);
    ASSERT_TRUE(polygon.rest_time());
    EXPECT_EQ(*polygon.rest_time(), polygon.impacts()[0].t);
    EXPECT_NEAR(polygon.distance(5.0), std::sqrt(3.0) / 2.0, 1e-15);
  }
}

TEST(RollingPolygon, MirrorsWithTheSignOfOmega) {
  const RollingPolygon right({.edges = 9, .omega0 = 2.0}, 3.0);
  const RollingPolygon left({.edges = 9, .omega0 = -2.0}, 3.0);
  ASSERT_EQ(right.impacts().size(), left.impacts().size());
  for (const double t : {0.0, 0.1, 0.7, 1.9, 3.0}) {
    EXPECT_EQ(right.at(t).phi, -left.at(t).phi);
    EXPECT_EQ(right.at(t).omega, -left.at(t).omega);
    EXPECT_EQ(right.distance(t), -left.distance(t));
  }
}

TEST(RollingPolygon, SmoothDiscKeepsItsEnergy) {
  const RollingPolygon disc({.edges = 0}, 10.0);
  for (const double t : {0.0, 3.3, 10.0}) EXPECT_EQ(disc.kinetic(t), 6.75);  // published data
  EXPECT_TRUE(disc.impacts().empty());
  EXPECT_FALSE(disc.first_violation());
  EXPECT_DOUBLE_EQ(disc.distance(10.0), 30.0);
  // Ever more edges come ever closer: the loss is O(1/n).
  const double loss1 = 6.75 - RollingPolygon({.edges = 1000}, 10.0).kinetic(10.0);
  const double loss2 = 6.75 - RollingPolygon({.edges = 10000}, 10.0).kinetic(10.0);
  EXPECT_NEAR(loss1 / loss2, 10.0, 1.0);
}

TEST(RollingPolygon, BalancesOnAVertexWithoutSpeed) {
  const RollingPolygon polygon({.edges = 5, .omega0 = 0.0}, 10.0);
  EXPECT_EQ(polygon.kinetic(10.0), 0.0);
  EXPECT_EQ(polygon.at(10.0).phi, 0.0);
  EXPECT_TRUE(polygon.impacts().empty());
  EXPECT_FALSE(polygon.first_violation());
}

TEST(RollingPolygon, SaysWhenFrictionCannotCarryTheRolling) {
  // ω₀²R = 9 is next to g = 9.81: a coarse polygon leans far enough to slip on its first facet …
  const auto coarse = RollingPolygon({.edges = 20}, 10.0).first_violation();
  ASSERT_TRUE(coarse);
  EXPECT_EQ(coarse->cause, Cause::slip);
  EXPECT_GT(coarse->t, 0.0);
  EXPECT_NEAR(std::abs(coarse->tangential), 0.4 * coarse->normal, 1e-9);
  // … a fine one does not.
  EXPECT_FALSE(RollingPolygon({.edges = 100}, 10.0).first_violation());
  EXPECT_FALSE(RollingPolygon({.edges = 1000}, 10.0).first_violation());
  // ω₀²R > g lifts it off at once.
  const auto lifted = RollingPolygon({.edges = 100, .omega0 = 3.2}, 1.0).first_violation();
  ASSERT_TRUE(lifted);
  EXPECT_EQ(lifted->cause, Cause::lift_off);
  EXPECT_EQ(lifted->t, 0.0);
  EXPECT_NEAR(lifted->normal, 9.81 - 3.2 * 3.2, 1e-12);
}

// At an impact |p_t|/p_n = (1 − η)/(1 + η) cot α; for a square of disc inertia that is ½.
TEST(RollingPolygon, ImpactCanNeedMoreFrictionThanTheSwings) {
  const RollingPolygonData square{.edges = 4, .omega0 = 0.5, .mu = 0.45};
  const RollingPolygon polygon(square, 10.0);
  const auto violation = polygon.first_violation();
  ASSERT_TRUE(violation);
  EXPECT_EQ(violation->cause, Cause::slip_at_impact);
  EXPECT_EQ(violation->t, polygon.impacts()[0].t);
  EXPECT_NEAR(-violation->tangential / violation->normal, 0.5, 1e-12);
}

TEST(RollingPolygon, RefusesDataWithoutMeaning) {
  EXPECT_THROW(RollingPolygon({.edges = 2}, 1.0), std::invalid_argument);
  EXPECT_THROW(RollingPolygon({.edges = 5, .mass = 0.0}, 1.0), std::invalid_argument);
  EXPECT_THROW(RollingPolygon({.edges = 5, .radius = -1.0}, 1.0), std::invalid_argument);
  EXPECT_THROW(RollingPolygon({.edges = 5, .omega0 = NAN}, 1.0), std::invalid_argument);
  EXPECT_THROW(RollingPolygon({.edges = 5}, 1.0).kinetic(1.1), std::out_of_range);
}

}  // namespace
}  // namespace touchstone

#include "experiments/studies/rolling_polygon.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <stdexcept>

namespace touchstone {

namespace {

constexpr double pi = std::numbers::pi;
constexpr double rest_fraction = 1e-9;  // of the first impact's speed: below it, sum the tail

/// Gauss–Legendre points and weights on [−1, 1].
template <int N>
struct GaussRule {
  std::array<double, N> x{}, weight{};

  GaussRule() {
    for (std::size_t i = 0; i < N; ++i) {
      x[i] = std::cos(pi * (static_cast<double>(i) + 0.75) / (N + 0.5));
      double slope = 0.0;
      for (int newton = 0; newton < 8; ++newton) {
        double previous = 1.0, value = x[i];
        for (int n = 2; n <= N; ++n) {
          const double next = ((2 * n - 1) * x[i] * value - (n - 1) * previous) / n;
          previous = value;
          value = next;
        }
        slope = N * (x[i] * value - previous) / (x[i] * x[i] - 1.0);
        x[i] -= value / slope;
      }
      weight[i] = 2.0 / ((1.0 - x[i] * x[i]) * slope * slope);
    }
  }
};

void require(bool holds, const char* what) {
  if (!holds) throw std::invalid_argument(std::string("rolling polygon: ") + what);
}

void check(const RollingPolygonData& data, double t_end) {
  const auto positive = [](double value) { return std::isfinite(value) && value > 0.0; };
  require(data.edges == 0 || data.edges >= 3, "edges must be 0 (a disc) or at least 3");
  require(positive(data.mass), "mass must be above 0");
  require(positive(data.inertia), "inertia must be above 0");
  require(positive(data.radius), "radius must be above 0");
  require(data.gravity == 0.0 || positive(data.gravity), "gravity must be at least 0");
  require(std::isfinite(data.omega0), "omega0 must be finite");
  require(data.omega0 == 0.0 || std::abs(data.omega0) > 1e-100, "omega0 must be 0 or not tiny");
  require(data.mu == 0.0 || positive(data.mu), "mu must be at least 0");
  require(t_end == 0.0 || positive(t_end), "t_end must be at least 0");
}

}  // namespace

RollingPolygon::RollingPolygon(const RollingPolygonData& data, double t_end)
    : data_(data), t_end_(t_end) {
  check(data, t_end);
  const double mR2 = data.mass * data.radius * data.radius;
  pivot_inertia_ = data.inertia + mR2;
  k_ = std::sqrt(data.mass * data.gravity * data.radius / pivot_inertia_);
  if (data.edges == 0) return;
  alpha_ = pi / data.edges;
  eta_ = std::max(0.0, (data.inertia + mR2 * std::cos(2.0 * alpha_)) / pivot_inertia_);
  if (eta_ < 1e-15) eta_ = 0.0;  // n = 3 with I = mR²/2, but for the rounding of cos
  if (data.omega0 != 0.0) compute_swings();
}

// --- swings and impacts

void RollingPolygon::compute_swings() {
  Swing swing = first_swing();
  const double still = rest_fraction * swing.w;
  for (;;) {
    swings_.push_back(swing);
    if (end(swing) > t_end_) return;
    const Impact impact = impact_after(swing);
    impacts_.push_back(impact);

    const double sense = impact.omega_before > 0.0 ? 1.0 : -1.0;
    const long pivot = swing.pivot + (sense > 0.0 ? 1 : -1);
    at_rest_ = {pivot, -sense * alpha_, 0.0};
    if (impact.omega == 0.0) {
      rest_time_ = impact.t;
      return;
    }
    swing = make_swing(impact.t, std::abs(impact.omega), sense, pivot);
    if (!swing.over && swing.w < still) {
      // So small a swing takes a time proportional to its speed: the rest is a geometric series.
      const double rest = impact.t + (end(swing) - swing.start) / (1.0 - eta_);
      if (rest <= t_end_) rest_time_ = rest;
      return;
    }
  }
}

/// From φ = 0 to ±α.
RollingPolygon::Swing RollingPolygon::first_swing() const {
  const double c = std::abs(data_.omega0);
  const double fall = 2.0 * k_ * std::sin(0.5 * alpha_);
  Swing swing = make_swing(0.0, std::hypot(c, fall), data_.omega0 > 0.0 ? 1.0 : -1.0, 0);
  swing.over = true;
  swing.least = c;
  swing.middle = 0.0;
  swing.T = k_ > 0.0 ? std::asinh(fall / c) / k_ : 2.0 * std::sin(0.5 * alpha_) / c;
  return swing;
}

/// From φ = −α (for a positive sense) with speed w, to the next impact.
RollingPolygon::Swing RollingPolygon::make_swing(double start, double w, double sense,
                                                 long pivot) const {
  const double chord = 2.0 * std::sin(0.5 * alpha_);  // p at φ = α
  const double c2 = (w - k_ * chord) * (w + k_ * chord);
  Swing swing{start, 0.0, 0.0, w, c2 >= 0.0, 0.0, sense, pivot};
  if (swing.over) {
    swing.least = std::max(std::sqrt(c2), 1e-100 * w);  // c = 0 would take for ever to the top
    swing.T = k_ > 0.0 ? std::asinh(k_ * chord / swing.least) / k_ : chord / swing.least;
  } else {
    swing.least = std::sqrt(-c2) / k_;
    swing.T = std::asinh(w / (k_ * swing.least)) / k_;
  }
  swing.middle = start + time(swing, swing.T);
  return swing;
}

RollingPolygon::Impact RollingPolygon::impact_after(const Swing& swing) const {
  const double before = (swing.over ? swing.sense : -swing.sense) * swing.w;
  const double after = eta_ * before;
  return {end(swing), before, after, 0.5 * pivot_inertia_ * after * after};
}

// --- inside a swing

double RollingPolygon::half_chord(const Swing& swing, double tau) const {
  if (!swing.over) return -swing.least * std::cosh(k_ * tau);
  return swing.least * (k_ > 0.0 ? std::sinh(k_ * tau) / k_ : tau);
}

double RollingPolygon::speed(const Swing& swing, double tau) const {
  if (!swing.over) return -k_ * swing.least * std::sinh(k_ * tau);
  return swing.least * std::cosh(k_ * tau);
}

/// t = ∫ dτ/cos(φ/2). Panels of at most one unit of kτ keep the integrand's nearest singularity
/// (φ = π, at least log 2 away) far enough for twelve points to reach rounding error.
double RollingPolygon::time(const Swing& swing, double tau) const {
  static const GaussRule<12> rule;
  const int panels = std::max(1, static_cast<int>(std::ceil(k_ * std::abs(tau))));
  const double half = 0.5 * tau / panels;
  double sum = 0.0;
  for (int panel = 0; panel < panels; ++panel)
    for (std::size_t i = 0; i < rule.x.size(); ++i) {
      const double p = half_chord(swing, half * (2 * panel + 1 + rule.x[i]));
      sum += rule.weight[i] / std::sqrt(1.0 - 0.25 * p * p);
    }
  return half * sum;
}

/// The τ of time t after the middle, by Newton's method: dt/dτ lies between 1 and 2/√3.
double RollingPolygon::linearised_time(const Swing& swing, double t) const {
  double tau = std::clamp(t, -swing.T, swing.T);
  for (int newton = 0; newton < 50; ++newton) {
    const double p = half_chord(swing, tau);
    const double step = (time(swing, tau) - t) * std::sqrt(1.0 - 0.25 * p * p);
    const double next = std::clamp(tau - step, -swing.T, swing.T);
    const double change = std::abs(next - tau);
    tau = next;
    if (change <= 1e-15 * swing.T) break;
  }
  return tau;
}

bool RollingPolygon::resting(double t) const {
  if (swings_.empty()) return true;
  return swings_.size() == impacts_.size() && t >= impacts_.back().t;
}

RollingPolygon::Motion RollingPolygon::at(double t) const {
  if (!(t >= 0.0 && t <= t_end_)) throw std::out_of_range("rolling polygon: time out of range");
  if (data_.edges == 0) return {0, data_.omega0 * t, data_.omega0};
  if (resting(t)) return at_rest_;
  const Swing& swing = *std::prev(std::ranges::upper_bound(swings_, t, {}, &Swing::start));
  const double tau = linearised_time(swing, t - swing.middle);
  const double phi = 2.0 * std::asin(0.5 * half_chord(swing, tau));
  return {swing.pivot, swing.sense * phi, swing.sense * speed(swing, tau)};
}

double RollingPolygon::kinetic(double t) const {
  const double omega = at(t).omega;
  return 0.5 * pivot_inertia_ * omega * omega;
}

double RollingPolygon::energy(double t) const {
  const double tilt = data_.edges == 0 ? 0.0 : at(t).phi;
  return kinetic(t) + data_.mass * data_.gravity * data_.radius * std::cos(tilt);
}

double RollingPolygon::distance(double t) const {
  const Motion motion = at(t);
  if (data_.edges == 0) return data_.radius * motion.phi;
  const double facet = 2.0 * data_.radius * std::sin(alpha_);
  return static_cast<double>(motion.pivot) * facet + data_.radius * std::sin(motion.phi);
}

// --- what friction must carry

/// Newton's law of the centre, R(sin φ, cos φ) from the pivot, at φ = angle, with φ̈ = k² sin φ.
RollingPolygon::Load RollingPolygon::load(const Swing& swing, double angle) const {
  const double p = 2.0 * std::sin(0.5 * angle), p_end = 2.0 * std::sin(0.5 * alpha_);
  const double omega2 = swing.w * swing.w + k_ * k_ * (p - p_end) * (p + p_end);
  const double spin = k_ * k_ * std::sin(angle);
  const double ax = data_.radius * (std::cos(angle) * spin - std::sin(angle) * omega2);
  const double ay = -data_.radius * (std::sin(angle) * spin + std::cos(angle) * omega2);
  return {data_.mass * ax, data_.mass * (data_.gravity + ay)};
}

/// Negative where pure rolling is impossible; even in the angle.
double RollingPolygon::friction_margin(const Swing& swing, double angle) const {
  const Load force = load(swing, angle);
  return std::min(force.normal, data_.mu * force.normal - std::abs(force.tangential));
}

/// When the swing first has |φ| = angle; the first swing starts at 0 and only rises.
double RollingPolygon::time_at_angle(const Swing& swing, double angle) const {
  const double p = 2.0 * std::sin(0.5 * angle);
  double tau = 0.0;
  if (!swing.over)
    tau = std::acosh(std::max(1.0, p / swing.least)) / k_;
  else
    tau = k_ > 0.0 ? std::asinh(k_ * p / swing.least) / k_ : p / swing.least;
  const double after = time(swing, std::min(tau, swing.T));
  return starts_upright(swing) ? swing.middle + after : swing.middle - after;
}

/// |F_t| and F_n depend on |φ| only, so the first half of a swing (all of the first one) decides.
std::optional<RollingPolygon::Violation> RollingPolygon::violation_within(
    const Swing& swing) const {
  constexpr int samples = 64;
  const bool rises = starts_upright(swing);
  const double least = swing.over ? 0.0 : 2.0 * std::asin(0.5 * swing.least);
  const double from = rises ? 0.0 : alpha_, to = rises ? alpha_ : least;
  for (int i = 0; i <= samples; ++i) {
    double bad = from + (to - from) * i / samples;
    if (friction_margin(swing, bad) >= 0.0) continue;
    double good = i == 0 ? bad : from + (to - from) * (i - 1) / samples;
    for (int bisection = 0; bisection < 60 && good != bad; ++bisection) {
      const double middle = 0.5 * (good + bad);
      (friction_margin(swing, middle) < 0.0 ? bad : good) = middle;
    }
    const double t = time_at_angle(swing, bad);
    if (t > t_end_) return {};
    // φ is negative in the first half of a swing of positive sense, positive in the first swing.
    const Load force = load(swing, rises ? bad : -bad);
    const Cause cause = force.normal < 0.0 ? Cause::lift_off : Cause::slip;
    return Violation{t, cause, swing.sense * force.tangential, force.normal};
  }
  return {};
}

/// The centre's velocity turns from Rω⁻(cos α, −sin α) to Rω⁺(cos α, sin α).
std::optional<RollingPolygon::Violation> RollingPolygon::violation_at(const Impact& impact) const {
  const double mR = data_.mass * data_.radius;
  const double p_t = mR * (impact.omega - impact.omega_before) * std::cos(alpha_);
  const double p_n = mR * std::abs(impact.omega + impact.omega_before) * std::sin(alpha_);
  if (std::abs(p_t) <= data_.mu * p_n) return {};
  return Violation{impact.t, Cause::slip_at_impact, p_t, p_n};
}

std::optional<RollingPolygon::Violation> RollingPolygon::first_violation() const {
  for (std::size_t i = 0; i < swings_.size(); ++i) {
    if (const auto violation = violation_within(swings_[i])) return violation;
    if (i == impacts_.size()) break;
    if (const auto violation = violation_at(impacts_[i])) return violation;
  }
  return {};
}

}  // namespace touchstone

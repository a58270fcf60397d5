#include "experiments/studies/rocking_body.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "solvers/error.hpp"

namespace touchstone {

namespace {

constexpr int panels = 128;
constexpr int points = 12;
constexpr double quarter_turn = 0.5 * std::numbers::pi;
constexpr double width = quarter_turn / panels;

/// Nodes and weights of Gauss on [0, 1], by Newton's method on the Legendre polynomial.
void gauss(std::vector<double>& nodes, std::vector<double>& weights) {
  for (int i = 0; i < points; ++i) {
    double x = std::cos(std::numbers::pi * (i + 0.75) / (points + 0.5)), slope = 1.0;
    for (int k = 0; k < 50; ++k) {
      double last = 1.0, now = x;
      for (int n = 2; n <= points; ++n) {
        const double next = ((2 * n - 1) * x * now - (n - 1) * last) / n;
        last = now;
        now = next;
      }
      slope = points * (x * now - last) / (x * x - 1.0);
      const double step = now / slope;
      x -= step;
      if (std::abs(step) < 1e-16) break;
    }
    nodes.push_back(0.5 * (1.0 - x));
    weights.push_back(1.0 / ((1.0 - x * x) * slope * slope));
  }
}

}  // namespace

RockingBody::RockingBody(const Shape& shape, double mass, double inertia, double gravity,
                         double phi0)
    : a_(shape.a),
      b_(shape.b),
      p_(shape.exponent),
      q_(p_ / (p_ - 1.0)),
      m_(mass),
      inertia_(inertia),
      g_(gravity),
      phi0_(std::abs(phi0)),
      sign_(phi0 < 0.0 ? -1.0 : 1.0),
      power_(p_ == std::floor(p_) ? p_ - 1.0 : 2.0 * (p_ - 1.0)) {
  if (!(phi0_ < top()))
    throw InputError(fmt::format(
        "angle = {}: expected less than {:.4g} rad on either side, where the body stands highest",
        phi0, top()));
  gauss(nodes_, weights_);
  times_ = {0.0};
  if (phi0_ == 0.0 || g_ == 0.0) return;
  for (int k = 0; k < panels; ++k)
    times_.push_back(times_.back() +
                     elapsed(quarter_turn - width * (k + 1), quarter_turn - width * k));
}

double RockingBody::top() const {
  if (p_ == 2.0) return quarter_turn;
  return std::atan(std::pow(a_ / b_, q_ / (2.0 - q_)));
}

double RockingBody::height(double phi) const {
  return std::pow(
      std::pow(a_ * std::abs(std::sin(phi)), q_) + std::pow(b_ * std::abs(std::cos(phi)), q_),
      1.0 / q_);
}

double RockingBody::slope(double phi) const {
  const double s = std::sin(phi), c = std::cos(phi);
  const double S = std::copysign(std::pow(a_, q_) * std::pow(std::abs(s), q_ - 1.0), s),
               C = std::copysign(std::pow(b_, q_) * std::pow(std::abs(c), q_ - 1.0), c);
  return std::pow(height(phi), 1.0 - q_) * (S * c - C * s);
}

double RockingBody::bend(double phi) const {
  const double s = std::sin(phi), c = std::cos(phi), h = height(phi);
  const double sum = std::pow(h, q_), d = slope(phi) / h;
  const double sharp = std::pow(a_, q_) * std::pow(std::abs(s), q_ - 2.0) +
                       std::pow(b_, q_) * std::pow(std::abs(c), q_ - 2.0);
  return h * ((q_ - 1.0) * (sharp / sum - d * d) - q_);
}

/// Near φ₀ the difference is that of nearly equal heights: integrate the slope there.
double RockingBody::drop(double phi, double below) const {
  if (phi < 0.5 * phi0_) return height(phi0_) - height(phi);
  double sum = 0.0;
  for (int i = 0; i < points; ++i) {
    const auto k = static_cast<std::size_t>(i);
    sum += weights_[k] * slope(phi0_ - below * nodes_[k]);
  }
  return below * sum;
}

double RockingBody::speed(double phi) const {
  const double d = slope(phi);
  phi = std::abs(phi);
  return std::sqrt(std::max(0.0, 2.0 * m_ * g_ * drop(phi, phi0_ - phi) / (inertia_ + m_ * d * d)));
}

double RockingBody::rate(double angle) const {
  const double s = std::sin(angle), c = std::cos(angle);
  const double below = -phi0_ * std::expm1(0.5 * power_ * std::log1p(-c * c));
  const double phi = phi0_ - below, d = slope(phi);
  const double omega = std::sqrt(2.0 * m_ * g_ * drop(phi, below) / (inertia_ + m_ * d * d));
  return phi0_ * power_ * std::pow(s, power_ - 1.0) * c / omega;
}

double RockingBody::elapsed(double from, double to) const {
  double sum = 0.0;
  for (int i = 0; i < points; ++i) {
    const auto k = static_cast<std::size_t>(i);
    sum += weights_[k] * rate(from + (to - from) * nodes_[k]);
  }
  return (to - from) * sum;
}

RockingBody::Motion RockingBody::at(double t) const {
  if (!(quarter() > 0.0)) return {sign_ * phi0_, 0.0};
  const double turns = std::fmod(t / quarter(), 4.0);
  const int which = std::min(3, static_cast<int>(turns));
  const double part = (turns - which) * quarter();
  const double since = which % 2 == 0 ? part : quarter() - part;  // the turning point
  const auto after = std::upper_bound(times_.begin(), times_.end() - 1, since);
  const auto panel = static_cast<std::size_t>(std::distance(times_.begin(), after)) - 1;
  const double start = quarter_turn - width * static_cast<double>(panel);
  double low = start - width, high = start, angle = 0.5 * (low + high);
  for (int k = 0; k < 60; ++k) {  // Newton's method within the panel
    const double miss = times_[panel] + elapsed(angle, start) - since;
    (miss > 0.0 ? low : high) = angle;
    double next = angle + miss / rate(angle);
    if (!(next >= low && next <= high)) next = 0.5 * (low + high);
    const bool done = std::abs(next - angle) < 1e-16;
    angle = next;
    if (done) break;
  }
  const double phi = phi0_ * std::pow(std::sin(std::max(0.0, angle)), power_);
  const double side = which == 0 || which == 3 ? sign_ : -sign_;
  const double way = which < 2 ? -sign_ : sign_;
  return {side * phi, way * speed(phi)};
}

double RockingBody::reaction(const Motion& at) const {
  const double d = slope(at.phi);
  const double lift = at.omega != 0.0 ? bend(at.phi) * at.omega * at.omega : 0.0;
  return m_ * (g_ + lift) / (1.0 + m_ * d * d / inertia_);
}

double RockingBody::highest_reaction() const {
  if (p_ > 2.0) return std::numeric_limits<double>::infinity();
  return reaction({0.0, speed(0.0)});
}

double RockingBody::impulse(double t0, double t1) const {
  const Motion first = at(t0), last = at(t1);
  return m_ * (g_ * (t1 - t0) + slope(last.phi) * last.omega - slope(first.phi) * first.omega);
}

double RockingBody::impulse_factor() const {
  return 2.0 * m_ * std::pow(a_, q_) * std::pow(b_, 1.0 - q_) * std::pow(speed(0.0), q_);
}

}  // namespace touchstone

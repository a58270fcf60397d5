/// Finding the first event within a step of the event-driven simulator.

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "formulations/common/event_driven.hpp"
#include "geometry/shapes.hpp"

namespace touchstone {

namespace {

constexpr double touching = 1e-10;         // [m] a gap may fall below zero by this much
constexpr double root_width = 1e-14;       // of the step
constexpr double no_force = 1e-10;         // relative to the largest normal force
constexpr double drift_to_remove = 1e-13;  // [m, m/s] less is left to round-off

/// A root of g on [a, b] with g(a) > 0 ≥ g(b): regula falsi (Illinois), from a first probe.
template <class Function>
double root(const Function& g, double a, double ga, double b, double gb, double probe) {
  if (!(ga > 0.0)) return a;
  int side = 0;
  for (int k = 0; k < 80 && b - a > root_width; ++k) {
    double x = k == 0 && probe > a && probe < b ? probe : (a * gb - b * ga) / (gb - ga);
    if (!(x > a && x < b)) x = 0.5 * (a + b);
    const double gx = g(x);
    if (gx == 0.0) return x;
    if (gx > 0.0) {
      a = x, ga = gx;
      if (side == 1) gb *= 0.5;
      side = 1;
    } else {
      b = x, gb = gx;
      if (side == -1) ga *= 0.5;
      side = -1;
    }
    if (std::abs(gx) < 1e-15) return x;
  }
  return b;
}

constexpr double none = std::numeric_limits<double>::quiet_NaN();

}  // namespace

void EventDriven::at(double theta) {
  stepper_->at(theta, y_);
  phase_.derivative(t0_ + theta * h_, y_, dy_);
}

double EventDriven::watched(std::size_t i, Cause::Kind kind) const {
  const PhaseRow& row = phase_.rows()[i];
  switch (kind) {
    case Cause::Kind::separate:
      return row.n;
    case Cause::Kind::limit:
      return settings_.friction.reserve(
          row.contact.law->mu, settings_.friction.bearing(row.n, phase_.contacts()[i].lagged),
          row.f);
    default:
      return settings_.friction.creeps() ? 1.0 : row.slip.dot(phase_.contacts()[i].direction);
  }
}

void EventDriven::note_watched() {
  stiffness_ = phase_.stiffness();
  watch_start_.resize(phase_.contacts().size());
  for (std::size_t i = 0; i < watch_start_.size(); ++i)
    watch_start_[i] = {watched(i, Cause::Kind::separate), watched(i, Cause::Kind::limit),
                       watched(i, Cause::Kind::stop)};
}

void EventDriven::find_event() {
  double theta = 1.0;
  cause_ = {};
  bool found = force_events(theta, cause_);
  found = gap_events(theta, cause_) || found;
  if (lost_feature(theta)) {
    cause_ = {Cause::Kind::feature, 0};
    found = true;
  }
  if (found) {
    at(theta);
    t1_ = t0_ + theta * h_;
    y1_ = y_;
  }
  phase_.accept();
  if (settings_.friction.lags()) {
    phase_.advance_lag();
    phase_.derivative(t1_, y1_, f1_);
  }
  note_watched();
  if (!found && settings_.ask_every_step) cause_ = {Cause::Kind::asked, 0};
  if (found || !settings_.project) return;
  State state = phase_.unpack(t1_, y1_);
  if (phase_.project(state) <= drift_to_remove) return;
  y1_.head(phase_.motion()) << state.q, state.nu;
  phase_.derivative(t1_, y1_, f1_);
}

bool EventDriven::force_events(double& theta, Cause& cause) {
  struct Crossing {
    Cause cause;
    double start, end;
  };
  std::vector<Crossing> crossings;
  double largest = 0.0;
  for (const PhaseRow& row : phase_.rows()) largest = std::max(largest, std::abs(row.n));
  for (std::size_t i = 0; i < phase_.contacts().size(); ++i) {
    const auto check = [&](Cause::Kind kind, std::size_t which, double allowed) {
      const double end = watched(i, kind);
      if (end < -allowed) crossings.push_back({{kind, i}, watch_start_[i][which], end});
    };
    check(Cause::Kind::separate, 0, no_force * largest);
    if (phase_.contacts()[i].sliding)
      check(Cause::Kind::stop, 2, 0.0);
    else if (phase_.rows()[i].columns.count > 0)
      check(Cause::Kind::limit, 1, no_force * largest);
  }
  bool found = false;
  for (const Crossing& c : crossings) {
    const auto g = [&](double x) {
      at(x);
      return watched(c.cause.contact, c.cause.kind);
    };
    double end = c.end;
    if (found && (end = g(theta)) > 0.0) continue;  // crosses later than the one found
    const double x = root(g, 0.0, c.start, theta, end, none);
    if (found && x >= theta) continue;
    theta = x;
    cause = c.cause;
    found = true;
  }
  return found;
}

bool EventDriven::active(const Contact& contact) const {
  return std::any_of(phase_.contacts().begin(), phase_.contacts().end(),
                     [&](const PhaseContact& c) { return c.tracked.same(contact); });
}

/// Smallest gap of the pair among the candidates that carry no force.
double EventDriven::pair_gap(const Pair& pair, double theta) {
  stepper_->at(theta, y_);
  configuration_.update(world_, phase_.unpack(t0_ + theta * h_, y_));
  thread_local std::vector<ContactPoint> points;
  points.clear();
  contact_points(*world_.body(pair.a).shape, configuration_.pose(pair.a),
                 *world_.body(pair.b).shape, configuration_.pose(pair.b),
                 std::numeric_limits<double>::infinity(), points);
  double gap = std::numeric_limits<double>::max();
  for (const ContactPoint& p : points)
    if (!active({.a = pair.a, .b = pair.b, .feature = p.feature})) gap = std::min(gap, p.gap);
  return gap;
}

/// Looks at the gaps several times within the step; the first look that finds one closed brackets
/// it. The root is found from values of the gap, so that the thesis' proofs of penetration, which
/// only say yes or no while its bisection backs up, have no use here; separated pairs are rejected
/// by their kept planes (pair_planes.hpp).
bool EventDriven::gap_events(double& theta, Cause& cause) {
  const double limit = theta;
  const State start = phase_.unpack(t0_, y0_);
  double travelled = 0.0, size = std::numeric_limits<double>::infinity();
  for (const int i : world_.moving()) {
    const Twist motion = twist(world_, start.nu, i);
    const double radius = world_.body(i).shape->radius();
    travelled = std::max(travelled, h_ * (motion.v.norm() + radius * motion.w.norm()));
    size = std::min(size, radius);
  }
  const int looks = std::clamp(static_cast<int>(std::ceil(10.0 * travelled / size)), 1, 8);
  bool found = false;
  double last = 0.0;
  for (int k = 1; k <= looks && !found; ++k) {
    const double look = limit * k / looks;
    stepper_->at(look, y_);
    configuration_.update(world_, phase_.unpack(t0_ + look * h_, y_));
    find_contacts_within(configuration_, 0.0, found_);
    const std::vector<Contact> closed = found_;
    for (const Contact& c : closed) {
      if (c.gap >= -touching || active(c)) continue;
      const Pair pair{c.a, c.b, {}};
      const double high = std::min(look, theta);
      const double end = pair_gap(pair, high);
      if (end >= -touching) continue;  // an earlier event comes first
      double low = last, C = pair_gap(pair, low), C1 = 0.0, C2 = 0.0;
      const auto parabola = [&] {  // through value and rate at `low` and the value at `high`
        const double width = high - low;
        C1 = (pair_gap(pair, low + 1e-4 * width) - C) / (1e-4 * width);
        C2 = 2.0 * (end - C - C1 * width) / (width * width);
      };
      parabola();
      if (C <= touching && C1 > 0.0 &&
          -C1 / C2 < high - low) {  // it has just parted: from its apex
        const double apex = low - C1 / C2;
        if (const double above = pair_gap(pair, apex); above > touching) {
          low = apex;
          C = above;
          parabola();
        }
      }
      // One that has not quite parted closes again at the tolerance.
      const double level = C > touching ? 0.0 : touching + std::max(0.0, -C);
      const double x = root([&](double y) { return pair_gap(pair, y) + level; }, low, C + level,
                            high, end + level, low + predicted_collision(C, C1, C2));
      theta = x;
      cause = {Cause::Kind::touch, 0};
      found = true;
    }
    last = look;
  }
  return found;
}

/// Whether a contact of two polytopes has left its face or edge, and when.
bool EventDriven::lost_feature(double& theta) {
  const auto present = [&](double x) {
    stepper_->at(x, y_);
    configuration_.update(world_, phase_.unpack(t0_ + x * h_, y_));
    for (const PhaseContact& k : phase_.contacts()) {
      const Body &A = world_.body(k.tracked.a), &B = world_.body(k.tracked.b);
      if (A.shape->vertices().empty() || B.shape->vertices().empty()) continue;
      thread_local std::vector<ContactPoint> points;
      points.clear();
      const double scale = A.shape->radius() + B.shape->radius();
      contact_points(*A.shape, configuration_.pose(k.tracked.a), *B.shape,
                     configuration_.pose(k.tracked.b), 1e-6 * scale, points);
      const Vec3 p = follow(configuration_, k.tracked).point;
      if (std::none_of(points.begin(), points.end(),
                       [&](const ContactPoint& c) { return (c.on_a - p).norm() <= 1e-7 * scale; }))
        return false;
    }
    return true;
  };
  if (present(theta)) return false;
  double low = 0.0, high = theta;
  for (int k = 0; k < 50 && high - low > 1e-13; ++k) {
    const double middle = 0.5 * (low + high);
    (present(middle) ? low : high) = middle;
  }
  theta = high;
  return true;
}

}  // namespace touchstone

#include "formulations/common/event_driven.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "solvers/error.hpp"

namespace touchstone {

namespace {

constexpr double stability_limit = 3.0;  // hκ of the explicit pair on the real axis
constexpr double explicit_cost = 6.0, implicit_cost = 16.0;  // evaluations a step, about
constexpr double dense_factor = 0.1;       // dense output is one order less accurate than the step
constexpr double slack = 1e-13;            // relative, of output times
constexpr double smallest_step = 1e-12;    // [s]
constexpr double shortest_on_flat = 1e-8;  // [s] flat spots that ask for less are stepped over

}  // namespace

double predicted_collision(double C, double C1, double C2) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  const double linear = C1 < 0.0 && C > 0.0 ? -C / C1 : inf;
  const double root = C1 * C1 - 2.0 * C2 * C;
  if (!(root >= 0.0) || C2 == 0.0) return linear;
  // The two roots without cancellation: x₁x₂ = 2C/C'', x₁ + x₂ = −2C'/C''.
  const double s = -C1 + (C1 > 0.0 ? -std::sqrt(root) : std::sqrt(root));
  double best = inf;
  for (const double t : {s / C2, s != 0.0 ? 2.0 * C / s : inf})
    if (t > 0.0) best = std::min(best, t);
  return std::isfinite(best) ? best : linear;
}

EventDriven::EventDriven(const World& world, const EventSettings& settings,
                         std::unique_ptr<Solver> solver)
    : world_(world),
      settings_(settings),
      impact_rule_(settings.impact),
      solver_(std::move(solver)),
      phase_(world, settings.friction),
      explicit_(Tableau::named(settings.integrator)),
      passage_(world),
      stepper_(&explicit_),
      adaptive_(!Tableau::named(settings.integrator).error.empty()) {
  impact_rule_.rest_speed = settings.rest_speed;
  impact_rule_.form = settings.form;
}

const Step& EventDriven::advance(const State& state, double h) {
  const double target = state.t + h;
  step_ = Step{};
  step_.next = state;
  sums_.clear();
  const long before = phase_.evaluations();
  try {
    if (!continues(state)) start(state);
    while (usable(step_.status) && t1_ < target - slack * std::max(1.0, target)) {
      book(t1_);
      next_segment();
    }
    if (usable(step_.status)) deliver(target);
  } catch (const ConformingContact& error) {
    if (cause_.kind == Cause::Kind::start) throw InputError(error.what());
    fail(Status::singular, error.what());
  }
  step_.iterations = static_cast<int>(phase_.evaluations() - before);
  running_ = usable(step_.status);
  delivered_ = step_.next;
  return step_;
}

bool EventDriven::continues(const State& state) const {
  return running_ && std::abs(state.t - delivered_.t) <= slack * std::max(1.0, state.t) &&
         state.q == delivered_.q && state.nu == delivered_.nu;
}

void EventDriven::start(const State& state) {
  check_joints(state);
  phase_.begin({});
  t0_ = t1_ = booked_ = state.t;
  y1_ = phase_.pack(state);
  mark_ = y1_;
  modes_.clear();
  event_times_.clear();
  cause_ = {Cause::Kind::start, 0};
  next_h_ = 1e-3;
}

void EventDriven::next_segment() {
  if (cause_.kind != Cause::Kind::none) {
    restart();
    if (!usable(step_.status)) return;
  }
  t0_ = t1_;
  y0_ = y1_;
  f0_ = f1_;
  take_step();
  if (!y1_.allFinite()) {
    fail(Status::singular, fmt::format("the motion has no finite continuation at t = {:.9g}", t0_));
    return;
  }
  find_event();
  if (settings_.project && !world_.joints().empty()) joints_hold(true);
}

/// An accepted step of the integrator from (t0, y0); leaves y1, f1 and the forces at its end. Where
/// the direction of a slip is stiff, stability cuts the explicit step; the implicit method then
/// goes further for its price.
void EventDriven::take_step() {
  const double cap = longest_step(phase_.unpack(t0_, y0_));
  if (!adaptive_) {
    h_ = std::min(settings_.substep, cap);
    explicit_.take(phase_, t0_, y0_, f0_, h_);
    stepper_ = &explicit_;
  } else {
    const double wanted = std::min(cap, next_h_);
    const double stable = stability_limit / std::max(stiffness_, 1e-300);
    const bool stiff = stable < wanted;
    const bool pays = std::min(cap, next_implicit_h_) / implicit_cost > stable / explicit_cost;
    if (!(stiff && pays && take_implicit_step(cap))) {
      take_explicit_step(cap);
      // Accuracy may allow the implicit method longer steps again, which only a trial tells.
      if (stiff) next_implicit_h_ *= 1.5;
    }
  }
  t1_ = t0_ + h_;
  y1_ = stepper_->end();
  f1_ = stepper_->end_derivative();
}

/// Factor for the next step from an error relative to the tolerance.
double step_factor(double error, double order) {
  if (!std::isfinite(error)) return 0.1;
  return error > 0.0 ? std::clamp(0.9 * std::pow(error, -1.0 / order), 0.1, 8.0) : 8.0;
}

void EventDriven::take_explicit_step(double longest) {
  stepper_ = &explicit_;
  const double stable = stability_limit / std::max(stiffness_, 1e-300);
  h_ = std::min({next_h_, longest, std::max(stable, 100.0 * smallest_step)});
  while (true) {
    const double error = explicit_error();
    const double factor = step_factor(error, 5.0);
    if (error <= 1.0 || (h_ <= smallest_step && std::isfinite(error))) {
      next_h_ = std::max(h_ * factor, smallest_step);
      return;
    }
    h_ = std::max(h_ * std::min(factor, 0.9), smallest_step);
    if (h_ < shortest_on_flat && cross_flat_spot()) return;
    if (h_ <= smallest_step && !std::isfinite(error)) explicit_.take(phase_, t0_, y0_, f0_, h_);
  }
}

/// Takes the step h_ and compares its error with the tolerance; infinite where it meets a flat
/// spot.
double EventDriven::explicit_error() {
  try {
    explicit_.take(phase_, t0_, y0_, f0_, h_);
  } catch (const ConformingContact&) {
    return std::numeric_limits<double>::infinity();
  }
  return error_norm(explicit_.error(), y0_, explicit_.end(), phase_.motion(),
                    dense_factor * settings_.tolerance);
}

/// False when Newton's method fails; nothing has changed then.
bool EventDriven::take_implicit_step(double longest) {
  // The estimate is of order 3, the method of order 5.
  const double tolerance = 0.1 * std::pow(settings_.tolerance, 2.0 / 3.0);
  double h = std::min(next_implicit_h_, longest);
  for (int attempt = 0; attempt < 12; ++attempt) {
    if (!implicit_.take(phase_, t0_, y0_, f0_, h, tolerance, phase_.motion())) {
      h *= 0.3;
      continue;
    }
    const double error =
        error_norm(implicit_.error(), y0_, implicit_.end(), phase_.motion(), tolerance);
    const double factor = step_factor(error, 4.0);
    if (error <= 1.0) {
      stepper_ = &implicit_;
      h_ = h;
      next_implicit_h_ = h * factor;
      return true;
    }
    h *= std::min(factor, 0.9);
  }
  next_implicit_h_ = h;
  return false;
}

/// So short that nothing passes through anything else between two looks at the gaps.
double EventDriven::longest_step(const State& state) const {
  double longest = settings_.longest_step;
  for (const Pair& pair : world_.pairs()) {
    double speed = 0.0, push = 0.0, size = std::numeric_limits<double>::infinity(), distance = 0.0;
    for (const int i : {pair.a, pair.b}) {
      const Body& body = world_.body(i);
      const double radius = body.shape->radius();
      size = std::min(size, radius);
      if (body.fixed) continue;
      const Twist motion = twist(world_, state.nu, i);
      speed += motion.v.norm() + motion.w.norm() * radius;
      push += world_.gravity().norm() + body.applied.force.norm() / body.mass;
      if (!world_.joints().empty())  // which may pull harder
        push += f0_.segment(world_.nq() + world_.velocity_offset(i), world_.dim()).norm();
    }
    const Vec3 between = pose(world_, state, pair.a).x - pose(world_, state, pair.b).x;
    const double reach = world_.body(pair.a).shape->radius() + world_.body(pair.b).shape->radius();
    if (std::isfinite(reach)) distance = between.norm() - reach;
    double safe = 0.25 * size / std::max(speed, 1e-3 * size);
    if (distance > 0.0)
      safe = std::max(safe, predicted_collision(distance, -speed, -std::max(push, 1e-12)));
    longest = std::min(longest, safe);
  }
  return longest;
}

/// Adds the impulses and works of the smooth motion up to t.
void EventDriven::book(double t) {
  if (t <= booked_) return;
  state_at(t);
  const Eigen::Index tail = phase_.motion();
  const Vec gained = (y_ - mark_).tail(y_.size() - tail);
  for (std::size_t i = 0; i < phase_.contacts().size(); ++i) {
    const TrackedContact& k = phase_.contacts()[i].tracked;
    const Contact contact{.a = k.a, .b = k.b, .feature = k.feature, .law = k.law};
    add_impulse(contact, gained.segment<4>(4 * static_cast<Eigen::Index>(i)));
  }
  const Eigen::Index works = gained.size() - 4;
  step_.work.normal += gained[works];
  step_.work.friction += gained[works + 1];
  step_.work.applied += gained[works + 2];
  step_.work.joints += gained[works + 3];
  mark_ = y_;
  booked_ = t;
}

/// y at a time of the segment, into y_.
void EventDriven::state_at(double t) {
  if (t >= t1_)
    y_ = y1_;
  else
    stepper_->at((t - t0_) / h_, y_);
}

void EventDriven::add_impulse(const Contact& contact, const Eigen::Vector4d& p) {
  ContactResult& sum = sums_[key_of(contact)];
  sum.contact = contact;
  sum.p_n += p[0];
  sum.p_t += p[1];
  sum.p_o += p[2];
  sum.p_r += p[3];
}

/// The state at `target`, within the segment, and the contacts as they are then.
void EventDriven::deliver(double target) {
  book(target);
  state_at(target);
  step_.next = phase_.unpack(target, y_);
  configuration_.update(world_, step_.next);
  for (auto& [key, result] : sums_) {
    const auto same = [&](const PhaseContact& c) { return key_of(c.tracked) == key; };
    const auto now = std::find_if(phase_.contacts().begin(), phase_.contacts().end(), same);
    result.p_n = std::max(0.0, result.p_n);  // the quadrature's round-off
    result.contact.n.setZero();
    if (now != phase_.contacts().end() && !now->tracked.of_flat_spot()) {
      result.contact = follow(configuration_, now->tracked);
    } else {
      find_contacts_within(configuration_, std::numeric_limits<double>::infinity(), found_);
      for (const Contact& c : found_)
        if (Key{c.a, c.b, c.feature} == key) result.contact = c;
    }
    if (result.contact.n.isZero(0.0)) continue;  // its features face each other no longer
    Work ignored;
    measure(configuration_, step_.next.nu, step_.next.nu, result, ignored);
    classify(result, result.contact.gap, 1e-9);
    if (now == phase_.contacts().end())
      result.mode = Mode::separate;
    else if (contact_columns(configuration_, result.contact).count > 0 &&
             (!now->sliding ||
              (settings_.friction.creeps() && result.slip < settings_.friction.creep)))
      result.mode = Mode::stick;
    step_.contacts.push_back(result);
  }
}

}  // namespace touchstone

/// What the event-driven simulator does at an event: impacts, and the choice of contact modes.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "formulations/common/event_driven.hpp"
#include "formulations/common/time_stepping.hpp"
#include "solvers/error.hpp"

namespace touchstone {

namespace {

constexpr double touching = 1e-9;         // [m] gap of contacts that take part in an event
constexpr double overlap_allowed = 1e-7;  // [m] of a given state
constexpr double approach = 1e-9;         // [m/s] slower is rest
constexpr double no_slip = 1e-8;          // [m/s] slower is rest
constexpr double seed_slip = 1e-10;       // [m/s]
constexpr double no_force = 1e-11;        // relative to the largest force
constexpr std::size_t zeno_window = 200;  // events
constexpr int most_rounds = 100;          // impacts and impulses at one instant

}  // namespace

void EventDriven::fail(Status status, const std::string& why) {
  step_.status = status;
  step_.notes.push_back(why);
}

void EventDriven::record(const Answer& answer, Eigen::Index unknowns) {
  record_answer(answer, static_cast<int>(unknowns), step_);
}

void EventDriven::count_event() {
  ++event_count_;
  event_times_.push_back(t1_);
  if (event_times_.size() <= zeno_window) return;
  event_times_.pop_front();
  const double span = t1_ - event_times_.front();
  if (span * settings_.most_events >= static_cast<double>(zeno_window)) return;
  fail(
      Status::iteration_limit,
      fmt::format("Zeno behaviour: {} events within {:.3g} s before t = {:.9g}, more than {:.3g} a "
                  "second; raise rest_speed = {} or max_events",
                  zeno_window, span, t1_, settings_.most_events, settings_.rest_speed));
}

void EventDriven::restart() {
  if (cause_.kind != Cause::Kind::asked) count_event();
  if (!usable(step_.status)) return;
  State state = phase_.unpack(t1_, y1_);
  note_tipping();
  for (int round = 0; round < most_rounds; ++round) {
    collect_touching(state);
    impact(state);
    if (!usable(step_.status)) return;
    rest_on_flat_spots(state);
    try {
      find_candidates(state);
    } catch (const ConformingContact&) {
      if (!leave_flat_spot(state)) throw;
      continue;
    }
    if (decide(state)) return;
    if (!usable(step_.status)) return;
  }
  fail(Status::iteration_limit,
       fmt::format("{} impacts at t = {:.9g} do not come to an end", most_rounds, t1_));
}

void EventDriven::collect_touching(const State& state) {
  configuration_.update(world_, state);
  update_joints(state);
  find_contacts_within(configuration_, touching, touching_);
  if (cause_.kind != Cause::Kind::start) return;
  for (const Contact& c : touching_)
    if (c.gap < -overlap_allowed)
      throw InputError(fmt::format(
          "bodies '{}' and '{}' overlap by {:.3g} m at t = {}; expected at "
          "most {} m",
          world_.body(c.a).name, world_.body(c.b).name, -c.gap, state.t, overlap_allowed));
}

void EventDriven::impact(State& state) {
  double fastest = 0.0;
  for (const Contact& c : touching_)
    fastest = std::max(fastest,
                       -velocity(world_, wrench_column(world_, configuration_, c, c.n), state.nu));
  if (fastest <= approach) return;
  const Vec before = state.nu;
  const ImpactResult result =
      resolve_impact(jointed(), touching_, impact_rule_, *solver_, approach, state.nu);
  record(result.answer, 0);
  if (!usable(step_.status)) {
    step_.notes.push_back(fmt::format("impact at t = {:.9g}", t1_));
    return;
  }
  for (std::size_t i = 0; i < touching_.size(); ++i) {
    const Contact& c = touching_[i];
    const Vec& p = result.impulses[i];
    if (!(p[0] > 0.0)) continue;
    const ContactColumns columns = contact_columns(configuration_, c);
    Eigen::Vector4d sum(p[0], 0.0, 0.0, 0.0);
    for (int k = 0; k < columns.count; ++k) {
      const auto j = static_cast<std::size_t>(k);
      sum[1 + columns.axis[j]] = columns.scale[j] * p[1 + k];
    }
    ContactResult work{.contact = c, .p_n = sum[0], .p_t = sum[1], .p_o = sum[2], .p_r = sum[3]};
    measure(configuration_, before, state.nu, work, step_.work);
    add_impulse(c, sum);
    const Key key{c.a, c.b, c.feature};
    if (modes_.try_emplace(key, Mode::separate).second) log(key, "touch");
  }
  if (fastest < settings_.rest_speed) capture(state);
}

/// The end of a Zeno sequence: contacts that approach, part and slip more slowly than the threshold
/// come to rest, by the least change of ν in the kinetic metric, which gains no energy. A slip that
/// was left over would stop within the next instants, part the contact and start all over.
void EventDriven::capture(State& state) {
  std::vector<Column> W;
  for (const Contact& c : touching_) {
    const ContactColumns columns = contact_columns(configuration_, c);
    if (std::abs(velocity(world_, columns.n, state.nu)) >= settings_.rest_speed) continue;
    W.push_back(columns.n);
    if (scaled_slip(world_, columns, state.nu).norm() < settings_.rest_speed)
      W.insert(W.end(), columns.f.begin(), columns.f.begin() + columns.count);
  }
  stop(W, state.nu);
}

/// Takes the velocities along the columns away, by the least change in the kinetic metric.
void EventDriven::stop(const std::vector<Column>& N, Vec& nu) const {
  const auto size = static_cast<Eigen::Index>(N.size());
  Vec u(size);
  for (Eigen::Index i = 0; i < size; ++i)
    u[i] = velocity(world_, N[static_cast<std::size_t>(i)], nu);
  const Vec p = jointed().delassus(N, N).completeOrthogonalDecomposition().solve(-u);
  jointed().give(N, p, nu);
}

void EventDriven::find_candidates(const State& state) {
  candidates_.clear();
  update_joints(state);
  for (const Contact& c : touching_) {
    Candidate k{.contact = c, .columns = contact_columns(configuration_, c)};
    if (velocity(world_, k.columns.n, state.nu) > approach) continue;
    k.tracked = track(configuration_, c);
    k.rates = contact_rates(configuration_, k.tracked, c, state.nu);
    const Vec3 slip = scaled_slip(world_, k.columns, state.nu);
    k.sliding = slip.norm() > no_slip || (settings_.friction.creeps() && k.columns.count > 0);
    if (k.sliding) k.direction = settings_.friction.direction(slip, slip.normalized(), 3);
    for (std::size_t i = 0; i < phase_.contacts().size(); ++i) {
      const PhaseContact& last = phase_.contacts()[i];
      if (!last.tracked.same(c)) continue;
      k.last_n = last.n;
      k.last_f = last.f;
      k.lagged = last.lagged;
      if (cause_.contact != i) continue;
      k.released = cause_.kind == Cause::Kind::separate;
      if (cause_.kind != Cause::Kind::limit || !(last.f.norm() > 0.0)) continue;
      k.sliding = k.begins = true;
      k.direction = -last.f.normalized();
    }
    candidates_.push_back(k);
  }
}

/// u = W r + q at acceleration level over the candidates that are not released.
ContactProblem EventDriven::acceleration_problem(const State& state) {
  ContactProblem problem;
  FrictionCones& cones = problem.cones;
  rows_.clear();
  columns_.clear();
  loads_.clear();
  std::vector<double> bias, mu;
  for (const Candidate& k : candidates_) {
    if (k.released) continue;
    rows_.push_back(k.columns.n);
    const Column slides =
        k.sliding ? sliding_column(k.columns, k.contact.law->mu, k.direction) : k.columns.n;
    columns_.push_back(settings_.friction.lags() ? k.columns.n : slides);
    loads_.push_back(slides);
    loads_.back().on_a -= k.columns.n.on_a;
    loads_.back().on_b -= k.columns.n.on_b;
    bias.push_back(k.contact.n.dot(k.rates.c) + k.rates.n_dot.dot(k.rates.s));
    mu.push_back(k.contact.law->mu);
    cones.friction.push_back(k.sliding ? 0 : k.columns.count);
    if (k.sliding) continue;
    const Vec3 turning =
        twist(world_, state.nu, k.contact.a).w - twist(world_, state.nu, k.contact.b).w;
    for (int j = 0; j < k.columns.count; ++j) {
      const auto i = static_cast<std::size_t>(j);
      rows_.push_back(k.columns.f[i]);
      columns_.push_back(k.columns.f[i]);
      bias.push_back(k.columns.scale[i] * (k.columns.axis[i] == 0   ? k.contact.t.dot(k.rates.c)
                                           : k.columns.axis[i] == 1 ? k.contact.o.dot(k.rates.c)
                                                                    : k.rates.n_dot.dot(turning)));
    }
  }
  const Vec free = jointed().accelerations(state.nu, {}, {});
  const auto n = static_cast<Eigen::Index>(rows_.size());
  cones.W = jointed().delassus(rows_, columns_);
  cones.q.resize(n);
  for (Eigen::Index i = 0; i < n; ++i) {
    const auto k = static_cast<std::size_t>(i);
    cones.q[i] = velocity(world_, rows_[k], free) + bias[k];
  }
  JointedBodies::settle_blocked(cones.W, cones.q);
  cones.mu = Eigen::Map<const Vec>(mu.data(), static_cast<Eigen::Index>(mu.size()));
  return problem;
}

/// False when velocities have jumped and everything is to be asked again.
bool EventDriven::decide(State& state) {
  const Vec shared = shared_out(state);
  while (true) {
    const ContactProblem problem = acceleration_problem(state);
    Answer answer;
    Vec lagged = lagged_forces();
    if (shared.size() > 0) {
      answer.z = shared;
    } else if (problem.cones.q.size() > 0) {
      const RestingForces forces = find_forces(problem, lagged);
      book_rule(forces);
      answer = forces.answer;
      if (answer.status == Status::ray) {
        answer.status = Status::solved;  // a ray is an answer: an impulse
        record(answer, problem.cones.q.size());
        return ray_impulse(state, answer.ray.direction);
      }
      record(answer, problem.cones.q.size());
      if (!usable(answer.status)) {
        step_.notes.push_back(fmt::format("contact forces at t = {:.9g}", t1_));
        return false;
      }
    }
    // A contact that was released must open; a slip that was begun must go on.
    bool again = false;
    const Vec nu_dot = accelerations(state, answer.z, lagged);
    for (Candidate& k : candidates_) {
      const double scale = 1e-7 * (1.0 + nu_dot.cwiseAbs().maxCoeff());
      if (k.released && gap_acceleration(configuration_, k.contact, k.rates, nu_dot) < -scale)
        k.released = false, again = true;
      if (!k.begins) continue;
      const Vec3 along = scaled_slip(world_, k.columns, nu_dot);
      Vec3 rate = along;
      for (int j = 0; j < k.columns.count; ++j) {
        const auto i = static_cast<std::size_t>(j);
        const Vec3 axis = k.columns.axis[i] == 0 ? k.contact.t : k.contact.o;
        if (k.columns.axis[i] < 2) rate[j] += k.columns.scale[i] * axis.dot(k.rates.c);
      }
      if (rate.dot(k.direction) < -scale) k.begins = k.sliding = false, again = true;
    }
    if (again) continue;
    if (tips_off_flat_spot(answer.z)) return false;
    Vec u = problem.cones.q;
    if (u.size() > 0) u += problem.cones.W * answer.z;
    if (settings_.friction.lags() && u.size() > 0) u += load_ * lagged;
    choose_modes(state, u, answer.z, lagged);
    return true;
  }
}

/// Chapter 13: z grows until the first sliding contact comes to rest along its direction.
bool EventDriven::ray_impulse(State& state, const Vec& ray) {
  Vec change = Vec::Zero(world_.nv());
  jointed().give(columns_, ray, change);
  double alpha = std::numeric_limits<double>::infinity();
  for (const Candidate& k : candidates_) {
    if (!k.sliding || k.released) continue;
    const double slower = -scaled_slip(world_, k.columns, change).dot(k.direction);
    const double slip = scaled_slip(world_, k.columns, state.nu).dot(k.direction);
    if (slower > 0.0 && slip > 0.0) alpha = std::min(alpha, slip / slower);
  }
  if (!std::isfinite(alpha)) {
    fail(Status::ray, fmt::format("no contact forces exist at t = {:.9g}, and the impulse that "
                                  "Lemke's ray gives stops no sliding contact",
                                  t1_));
    return false;
  }
  step_.notes.push_back(
      fmt::format("no finite contact forces at t = {:.9g}: an impulse follows", t1_));
  const Vec before = state.nu;
  state.nu += alpha * change;
  Eigen::Index at = 0;
  for (const Candidate& k : candidates_) {
    if (k.released) continue;
    Eigen::Vector4d p(alpha * ray[at++], 0.0, 0.0, 0.0);
    for (int j = 0; j < k.columns.count; ++j) {
      const auto i = static_cast<std::size_t>(j);
      const double f = k.sliding ? -k.contact.law->mu * p[0] * k.direction[j] : alpha * ray[at++];
      p[1 + k.columns.axis[i]] = k.columns.scale[i] * f;
    }
    ContactResult work{.contact = k.contact, .p_n = p[0], .p_t = p[1], .p_o = p[2], .p_r = p[3]};
    measure(configuration_, before, state.nu, work, step_.work);
    add_impulse(k.contact, p);
  }
  return false;
}

/// u and r: accelerations and forces of the candidates that take part, f̃ of each.
void EventDriven::choose_modes(State& state, const Vec& u, const Vec& r, const Vec& lagged) {
  const double largest = r.size() > 0 ? r.cwiseAbs().maxCoeff() : 0.0;
  std::vector<PhaseContact> chosen;
  Eigen::Index at = 0, i = 0;
  for (const Candidate& k : candidates_) {
    if (k.released) continue;
    const int d = k.sliding ? 0 : k.columns.count;
    PhaseContact contact{.tracked = k.tracked, .sliding = k.sliding, .direction = k.direction};
    contact.n = r[at];
    contact.lagged = lagged[i++];
    if (d > 0) {
      contact.f.head(d) = r.segment(at + 1, d);
      const Vec rate = u.segment(at + 1, d);
      const double mu = k.contact.law->mu;
      const double bearing = settings_.friction.bearing(contact.n, contact.lagged);
      if (settings_.friction.reserve(mu, bearing, contact.f) <= 1e-9 * mu * bearing &&
          rate.norm() > 1e-8) {
        contact.sliding = true;
        contact.direction.setZero();
        contact.direction.head(d) = rate.normalized();
      }
    }
    at += 1 + d;
    if (contact.n > no_force * largest) chosen.push_back(contact);
  }
  // Contacts without slip lose the last of it; a slip of several components that begins is given a
  // trace, so that it has a direction.
  std::vector<PhaseContact> resting = chosen;
  for (PhaseContact& c : resting)
    for (const Candidate& k : candidates_) {
      if (!c.tracked.same(k.contact)) continue;
      const bool begins = c.sliding && (!k.sliding || k.begins);
      c.sliding = k.sliding && !k.begins;
      if (begins && k.columns.count > 1) c.seed = seed_slip * c.direction;
    }
  phase_.begin(resting);
  if (settings_.project) phase_.project(state);
  begin_phase(state, std::move(chosen));
}

void EventDriven::begin_phase(const State& state, std::vector<PhaseContact> chosen) {
  bool begins = false;
  for (const PhaseContact& c : chosen) begins = begins || (c.sliding && c.direction.norm() > 0.0);
  phase_.begin(std::move(chosen));
  y1_ = phase_.pack(state);
  mark_ = y1_;
  booked_ = t1_;
  phase_.derivative(t1_, y1_, f1_);
  if (!world_.joints().empty() && !joints_hold(false)) return;
  phase_.accept();
  note_watched();
  if (cause_.kind != Cause::Kind::asked) next_h_ = std::min(next_h_, begins ? 1e-4 : 1e-2);
  log_modes(state);
}

void EventDriven::log_at(double t, const Key& key, const std::string& kind) {
  const Contact contact{.a = key.a, .b = key.b, .feature = key.feature};
  step_.events.push_back({t, contact_name(world_, contact), kind});
}

void EventDriven::log_modes(const State& state) {
  std::map<Key, Mode> now;
  for (std::size_t i = 0; i < phase_.contacts().size(); ++i) {
    const PhaseContact& c = phase_.contacts()[i];
    const bool frictionless = phase_.rows()[i].columns.count == 0;
    const Vec3 s = phase_.rows()[i].rates.s;
    const bool slides = frictionless                  ? s.norm() > no_slip
                        : settings_.friction.creeps() ? s.norm() > settings_.friction.creep
                                                      : c.sliding;
    now[key_of(c.tracked)] = slides ? Mode::slip : Mode::stick;
  }
  for (const auto& [key, mode] : modes_)
    if (!now.contains(key)) log(key, "separate");
  for (const auto& [key, mode] : now) {
    const auto last = modes_.find(key);
    if (last == modes_.end()) log(key, "touch");
    if (last == modes_.end() || last->second != mode) log(key, to_string(mode));
  }
  modes_ = std::move(now);
  (void)state;
}

}  // namespace touchstone

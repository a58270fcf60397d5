#pragma once

/// The event-driven simulator: smooth motion with fixed contact modes (ContactPhase), integrated
/// with dense output until an event, then impacts and a new choice of modes (Baraff, thesis 1992,
/// chapter 3, figure 3.1, with its three exceptions to the integrator as events).
///
/// Events, located on the dense output as roots of
///     gap of a pair that does not touch              → 0    touch: impact, or resting contact
///     normal force of a contact                      → 0    separate
///     μ r_n − ‖r_f‖ of a sticking contact            → 0    slip, along −r_f
///     û·d of a sliding contact (d its direction)     → 0    stick, or slip the other way
/// (the limit of friction and what sticks at all are those of the rule, resting_friction.hpp).
/// A gap's root is first looked for where the parabola through its value, its rate and its value at
/// the end of the step predicts it (6-31), then by regula falsi.
///
/// At an event: contacts within `touching` [m] are collected; if one approaches, an impact follows
/// (impacts.hpp); then the acceleration problem (contact_forces.hpp) says which contacts carry
/// force and which of those at rest stick or begin to slide, and along which direction. A ray of
/// Lemke's method becomes an impulse z: scaled so that the first sliding contact comes to rest, and
/// followed by the impact that it causes (chapter 13).
///
/// Joints hold throughout: their forces are unknowns of the smooth motion, and at events they are
/// eliminated (jointed_bodies.hpp), so that the problems keep their form. A state that violates
/// them by more than round-off of an input file is refused, with the name of the joint.
///
/// Where a contact point runs over a flat spot the forces diverge: one step with impulses crosses
/// it (singular_passage.hpp, flat_spots.cpp).
///
/// Steps are not cut at output times: a call delivers the state from the dense output of the step
/// that covers its end. A call with a state that the last one did not deliver starts afresh.

#include <deque>
#include <limits>
#include <map>
#include <set>

#include "formulations/common/contact_phase.hpp"
#include "formulations/common/impacts.hpp"
#include "formulations/common/singular_passage.hpp"
#include "formulations/formulation.hpp"

namespace touchstone {

struct EventSettings {
  std::string integrator = "dormand-prince";
  double tolerance = 1e-10;   // local error, absolute and relative, of q [m, 1] and ν [m/s, rad/s]
  double substep = 1e-3;      // [s] of the integrators with fixed steps
  bool project = true;        // remove the drift of ψ, ψ̇ and û after a step
  double rest_speed = 1e-4;   // [m/s] slower approaches do not bounce; ends Zeno sequences
  double most_events = 1e5;   // [1/s] more of them are reported as Zeno behaviour
  double longest_step = 1.0;  // [s]
  bool ask_every_step = false;  // choose forces and modes after each step, not at events only
  RestingFriction friction{};
  ForceForm form = ForceForm::lcp;
  ImpactRule impact{};
};

/// Whether a step with this status has a result.
inline bool usable(Status status) {
  return status == Status::solved || status == Status::inaccurate;
}

/// (6-31), with the ½ that (6-30) lacks: the smallest t > 0 with C + C't + ½C''t² = 0; the linear
/// model where that has none; infinity where neither has.
double predicted_collision(double C, double C1, double C2);

class EventDriven : public Formulation {
 public:
  EventDriven(const World& world, const EventSettings& settings, std::unique_ptr<Solver> solver);
  const Step& advance(const State& state, double h) override;

  long evaluations() const { return phase_.evaluations(); }
  long events() const { return event_count_; }

 private:
  struct Key {
    int a, b, feature;
    auto operator<=>(const Key&) const = default;
  };
  /// Of a Contact or TrackedContact; all points of a flat spot are one contact.
  template <class Named>
  Key key_of(const Named& c) const {
    return {c.a, c.b, c.feature >= flat_spot_feature ? 0 : c.feature};
  }
  struct Cause {  // of the event at the end of the segment
    enum class Kind { none, start, touch, separate, limit, stop, feature, asked };
    Kind kind = Kind::none;
    std::size_t contact = 0;
  };
  struct Candidate {
    Contact contact{};
    TrackedContact tracked{};
    ContactRates rates{};
    ContactColumns columns{};
    bool sliding = false;  // its friction is known: it slides along `direction`
    bool begins = false;   // … since just now
    bool released = false;
    Vec3 direction = Vec3::Zero();
    double last_n = 0.0;
    Vec3 last_f = Vec3::Zero();
    double lagged = std::numeric_limits<double>::quiet_NaN();  // f̃; NaN: a new contact
  };

  // One segment of the motion and what ends it (event_driven.cpp).
  bool continues(const State& state) const;
  void start(const State& state);
  void next_segment();
  void take_step();
  void take_explicit_step(double longest);
  double explicit_error();
  bool take_implicit_step(double longest);
  double longest_step(const State& state) const;
  void deliver(double target);
  void book(double t);
  void state_at(double t);
  void add_impulse(const Contact& contact, const Eigen::Vector4d& p);

  // Forces by the rule for contacts at rest (event_friction.cpp).
  Vec lagged_forces() const;
  RestingForces find_forces(const ContactProblem& problem, Vec& lagged);
  void book_rule(const RestingForces& forces);
  Vec accelerations(const State& state, const Vec& z, const Vec& lagged) const;

  // Joints (event_joints.cpp).
  void check_joints(const State& state) const;
  bool joints_hold(bool positions);
  void update_joints(const State& state) { joints_.update(configuration_, state.nu); }
  JointedBodies jointed() const { return {configuration_, joints_}; }

  // Events within the step (event_location.cpp).
  void find_event();
  bool force_events(double& theta, Cause& cause);
  bool gap_events(double& theta, Cause& cause);
  bool lost_feature(double& theta);
  double watched(std::size_t contact, Cause::Kind kind) const;
  void note_watched();
  double pair_gap(const Pair& pair, double theta);
  bool active(const Contact& contact) const;
  void at(double theta);

  // Flat spots (flat_spots.cpp).
  bool cross_flat_spot();
  bool leave_flat_spot(State& state);
  void rest_on_flat_spots(State& state);
  bool add_flat_spot(const Contact& contact, const Vec& nu);
  void note_tipping();
  bool tips_off_flat_spot(const Vec& r);

  // What happens at an event (event_modes.cpp).
  void restart();
  void collect_touching(const State& state);
  void impact(State& state);
  void capture(State& state);
  void stop(const std::vector<Column>& N, Vec& nu) const;
  void find_candidates(const State& state);
  ContactProblem acceleration_problem(const State& state);
  Vec shared_out(const State& state);
  bool decide(State& state);
  bool hold_back_released(const State& state);
  bool ray_impulse(State& state, const Vec& ray);
  void choose_modes(State& state, const Vec& u, const Vec& r, const Vec& lagged);
  void begin_phase(const State& state, std::vector<PhaseContact> chosen);
  void log_modes(const State& state);
  void log(const Key& key, const std::string& kind) { log_at(t1_, key, kind); }
  void log_at(double t, const Key& key, const std::string& kind);
  void count_event();
  void fail(Status status, const std::string& why);
  void record(const Answer& answer, Eigen::Index unknowns);

  const World& world_;
  EventSettings settings_;
  ImpactRule impact_rule_;
  std::unique_ptr<Solver> solver_;
  ContactPhase phase_;
  RungeKuttaStep explicit_;
  RadauStep implicit_;
  SingularPassage passage_;
  const DenseStep* stepper_;  // the one that took the segment
  bool adaptive_;

  // The segment: y over [t0, t1] with t1 ≤ t0 + h where an event cuts it.
  double t0_ = 0.0, t1_ = 0.0, h_ = 0.0, next_h_ = 1e-3, next_implicit_h_ = 1e-3, booked_ = 0.0;
  Vec y0_, f0_, y1_, f1_, y_, dy_, mark_;
  double stiffness_ = 0.0;  // [1/s] at the start of the segment
  Cause cause_{};
  std::vector<std::array<double, 3>> watch_start_;  // separate, limit, stop

  State delivered_{};
  bool running_ = false;
  Step step_;
  std::map<Key, ContactResult> sums_;
  std::map<Key, Mode> modes_;
  std::deque<double> event_times_;
  long event_count_ = 0;

  Configuration configuration_;
  Joints joints_{Joints::Rows::independent};
  std::vector<Contact> touching_, found_;
  std::set<std::pair<int, int>> tipping_;  // pairs that a flat spot cannot hold at this instant
  std::vector<Candidate> candidates_;
  std::vector<Column> rows_, columns_;
  std::vector<Column> loads_;  // sliding friction of each candidate for a unit f̃ (lag)
  Mat load_;                   // accelerations of the rows by it
};

}  // namespace touchstone

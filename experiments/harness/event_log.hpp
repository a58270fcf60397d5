#pragma once

/// Contact modes as events: touch, stick (rolling is sticking: no slip at the contact), slip (with
/// the mode spin where the bodies only turn about the normal), separate.
///
/// A time-stepping method knows the mode of a contact only at the end of a step. The instant inside
/// the step at which it changed is located from the quantity that decides it, carried on linearly
/// from the two steps before the change, in which it is not yet clipped:
///
///     separate       normal impulse p_n → 0
///     stick → slip   friction margin μp_n − ‖(p_t/e_t, p_o/e_o, p_r/e_r)‖ → 0
///     slip → stick   slip √(u_t² + u_o² + (e_r u_r)²) → 0;  slip → spin: √(u_t² + u_o²) → 0
///     touch          gap ψ → 0 with the normal velocity at the start of the step
///
/// Velocities and gaps stand for the end of their step. Impulses depend on the positions there, and
/// those run ahead: the sum q_k = q_0 + hΣν_j, j = 1…k, exceeds the integral by h(ν_k − ν_0)/2,
/// which is half a step of a motion that started from rest. An impulse therefore stands for half a
/// step after the end of its step. The instant is kept within the step in which the mode changed.
/// Where the quantity does not fall towards zero, or there are no two steps
/// yet: a contact separates and starts to slip at the start of the step, sticks at its end.
///
/// Methods that locate events themselves (Step::events) are taken at their word.

#include <compare>
#include <map>
#include <span>
#include <vector>

#include "formulations/formulation.hpp"

namespace touchstone {

class EventLog {
 public:
  /// Contacts that touch (or are near) at the start of the run.
  EventLog(const World& world, const State& start, double h);

  /// A step ended in the state `after`; `near` are the contact candidates there.
  void add(const Step& step, const State& after, std::span<const Contact> near);

  /// The first `most` events of the run.
  const std::vector<Event>& events() const { return events_; }
  long left_out() const { return left_out_; }  // events beyond these
  static constexpr std::size_t most = 20000;

 private:
  struct Key {
    int a, b, feature;
    auto operator<=>(const Key&) const = default;
  };
  /// One deciding quantity in the last two steps.
  struct Pair {
    double before = 0.0, last = 0.0;
    int count = 0;
    void push(double value);
  };
  struct Touching {
    Mode mode = Mode::stick;
    Pair p_n, margin, slip, sliding;  // slip includes the spin, sliding does not
  };
  struct Approach {
    double gap = 0.0, u_n = 0.0;  // at the end of the last step
  };

  static Key key_of(const Contact& contact) { return {contact.a, contact.b, contact.feature}; }
  double lead() const { return 0.5 * h_; }  // of impulses, see above
  /// The zero of the line through the last two values, the later of them at `t_last`.
  double zero(const Pair& pair, double t_last, double otherwise) const;
  double touch_time(const Key& key) const;
  double change_time(const Touching& contact, Mode to) const;
  void separate_gone(const std::map<Key, const ContactResult*>& now,
                     const std::map<Key, double>& gaps);
  void follow(const Key& key, const ContactResult& result);
  void log(double t, const Key& key, const std::string& kind, Mode mode);
  void remember(const State& state, std::span<const Contact> near);

  const World& world_;
  double h_, start_, end_;  // [s] of the step at hand
  std::vector<Event> events_;
  long left_out_ = 0;
  std::map<Key, Touching> touching_;
  std::map<Key, Approach> approach_;
  Configuration configuration_;
};

}  // namespace touchstone

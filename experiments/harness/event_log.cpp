#include "experiments/harness/event_log.hpp"

#include <algorithm>
#include <cmath>

namespace touchstone {

namespace {

/// ‖(p_t/e_t, p_o/e_o, p_r/e_r)‖: friction in units of the limit μp_n.
double friction_of(const ContactResult& r) {
  const FrictionLaw& law = *r.contact.law;
  const auto part = [](double p, double e) { return e > 0.0 ? p / e : 0.0; };
  return std::hypot(part(r.p_t, law.e_t), part(r.p_o, law.e_o), part(r.p_r, law.e_r));
}

}  // namespace

void EventLog::Pair::push(double value) {
  before = last;
  last = value;
  ++count;
}

EventLog::EventLog(const World& world, const State& start, double h)
    : world_(world), h_(h), start_(start.t), end_(start.t) {
  configuration_.update(world, start);
  std::vector<Contact> near;
  find_contacts(configuration_, start, h, near);
  remember(start, near);
}

void EventLog::remember(const State& state, std::span<const Contact> near) {
  approach_.clear();
  if (near.empty()) return;
  configuration_.update(world_, state);
  for (const Contact& c : near) {
    const Column column = wrench_column(world_, configuration_, c, c.n);
    approach_[key_of(c)] = {c.gap, velocity(world_, column, state.nu)};
  }
}

double EventLog::zero(const Pair& pair, double t_last, double otherwise) const {
  if (pair.count < 2 || !(pair.last < pair.before)) return otherwise;
  const double t = t_last + h_ * std::max(0.0, pair.last) / (pair.before - pair.last);
  return std::clamp(t, start_, end_);
}

double EventLog::touch_time(const Key& key) const {
  const auto found = approach_.find(key);
  if (found == approach_.end()) return end_;
  const auto [gap, u_n] = found->second;
  if (gap <= touching_gap) return start_;
  return u_n < 0.0 ? std::min(start_ - gap / u_n, end_) : end_;
}

double EventLog::change_time(const Touching& contact, Mode to) const {
  if (contact.mode == Mode::stick) return zero(contact.margin, start_ + lead(), start_);
  if (to == Mode::stick) return zero(contact.slip, start_, end_);
  if (to == Mode::spin) return zero(contact.sliding, start_, end_);
  return start_;
}

void EventLog::log(double t, const Key& key, const std::string& kind, Mode mode) {
  const Contact contact{.a = key.a, .b = key.b, .feature = key.feature};
  events_.push_back(
      {t, contact_name(world_, contact), kind, kind == "slip" && mode == Mode::spin ? "spin" : ""});
}

void EventLog::separate_gone(const std::map<Key, const ContactResult*>& now,
                             const std::map<Key, double>& gaps) {
  for (auto it = touching_.begin(); it != touching_.end();) {
    // A contact that touches but was not needed, so that the step does not list it, is still there.
    const auto found = now.find(it->first);
    const auto gap = gaps.find(it->first);
    const bool gone = found != now.end() ? found->second->mode == Mode::separate
                                         : gap == gaps.end() || gap->second > touching_gap;
    if (gone)
      log(zero(it->second.p_n, start_ + lead(), start_), it->first, "separate", Mode::separate);
    it = gone ? touching_.erase(it) : std::next(it);
  }
}

void EventLog::follow(const Key& key, const ContactResult& r) {
  // Spinning is slip about the normal: one kind of event, told apart by the mode.
  const std::string kind = to_string(r.mode == Mode::spin ? Mode::slip : r.mode);
  const auto [it, is_new] = touching_.try_emplace(key);
  Touching& contact = it->second;
  if (is_new) {
    const double t = touch_time(key);
    log(t, key, "touch", r.mode);
    log(t, key, kind, r.mode);
  } else if (contact.mode != r.mode) {
    log(change_time(contact, r.mode), key, kind, r.mode);
    contact.margin.count = contact.slip.count = contact.sliding.count = 0;
  }
  contact.mode = r.mode;
  contact.p_n.push(r.p_n);
  contact.margin.push(r.contact.law->mu * r.p_n - friction_of(r));
  contact.slip.push(std::hypot(r.slip, r.contact.law->e_r * r.u_r));
  contact.sliding.push(r.slip);
}

void EventLog::add(const Step& step, const State& after, std::span<const Contact> near) {
  start_ = end_;
  end_ = after.t;
  const std::size_t first = events_.size();
  std::map<Key, double> gaps;
  for (const Contact& c : near) gaps[key_of(c)] = c.gap;
  std::map<Key, const ContactResult*> now;
  for (const ContactResult& r : step.contacts) now[key_of(r.contact)] = &r;
  separate_gone(now, gaps);
  for (const auto& [key, result] : now)
    if (result->mode != Mode::separate) follow(key, *result);
  remember(after, near);
  if (!step.events.empty()) {
    events_.resize(first);
    events_.insert(events_.end(), step.events.begin(), step.events.end());
  } else {
    std::stable_sort(events_.begin() + static_cast<std::ptrdiff_t>(first), events_.end(),
                     [](const Event& x, const Event& y) { return x.t < y.t; });
  }
  if (events_.size() <= most) return;
  left_out_ += static_cast<long>(events_.size() - most);
  events_.resize(most);
}

}  // namespace touchstone

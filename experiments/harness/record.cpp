#include "experiments/harness/record.hpp"

#include <algorithm>
#include <cmath>

#include "formulations/common/joints.hpp"

namespace touchstone {

namespace {

double median(std::vector<double> values) {
  if (values.empty()) return 0.0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// Adds the notes that were not seen yet; a note repeated at every step says nothing new.
void add_new(const std::vector<std::string>& from, std::vector<std::string>& to) {
  for (const std::string& note : from)
    if (std::find(to.begin(), to.end(), note) == to.end()) to.push_back(note);
}

}  // namespace

Record::Record(const World& world, const State& start, double h)
    : world_(world), h_(h), events_(world, start, h) {
  const Energy at_start = touchstone::energy(world, start);
  ledger_.t = start.t;
  ledger_.kinetic = at_start.kinetic;
  ledger_.potential = at_start.potential;
  ledger_.total = at_start.kinetic + at_start.potential;
  start_energy_ = ledger_.total;
  highest_total_ = ledger_.total;
  lowest_potential_ = ledger_.potential;
  energy_.push_back(ledger_);
  trajectory_.push_back(start);
  kept_.push_back(true);
  last_ = start;
}

void Record::add(const State& after, const Step& step, double seconds, bool keep) {
  ++step_count_;
  last_ = after;
  step_us_.push_back(1e6 * seconds);
  solve_us_.push_back(1e6 * step.solve_seconds);
  max_residual_ = std::max(max_residual_, step.residual.natural);
  unknowns_ = std::max(unknowns_, step.unknowns);
  candidates_ += step.candidates;
  dropped_ += step.dropped;
  problem_contacts_ += static_cast<double>(step.contacts.size());
  if (step.status != Status::solved) ++failed_steps_;
  add_new(step.notes, notes_);
  for (const auto& [name, count] : step.counts) counts_[name] += count;
  for (const auto& [name, value] : step.worst) worst_[name] = std::max(worst_[name], value);
  add_energy(step);
  add_contacts(step, keep);
  trajectory_.push_back(after);
  kept_.push_back(keep);
  if (!keep) return;
  steps_.push_back({after.t, step.status, step.residual.natural, step.iterations,
                    1e6 * step.solve_seconds, 1e6 * seconds});
}

void Record::fail(double t, const Step& step, const std::string& why) {
  status_ = why;
  ++failed_steps_;
  add_new(step.notes, notes_);
  steps_.push_back({t, step.status, step.residual.natural, step.iterations,
                    1e6 * step.solve_seconds, 1e6 * step.solve_seconds});
}

void Record::add_energy(const Step& step) {
  const Energy now = touchstone::energy(world_, last_);
  ledger_.t = last_.t;
  ledger_.kinetic = now.kinetic;
  ledger_.potential = now.potential;
  ledger_.elastic = step.elastic;
  ledger_.total = now.kinetic + now.potential + step.elastic;
  ledger_.work_applied += step.work.applied;
  ledger_.work_normal += step.work.normal;
  ledger_.work_friction += step.work.friction;
  ledger_.work_joints += step.work.joints;
  ledger_.work_numerical = ledger_.total - start_energy_ - ledger_.work_applied -
                           ledger_.work_normal - ledger_.work_friction - ledger_.work_joints;
  highest_total_ = std::max(highest_total_, ledger_.total);
  lowest_potential_ = std::min(lowest_potential_, ledger_.potential);
  const double change = ledger_.total - start_energy_ - ledger_.work_applied;
  energy_change_ = std::max(energy_change_, std::abs(change));
  energy_gain_ = std::max(energy_gain_, change);
  energy_.push_back(ledger_);
}

void Record::add_contacts(const Step& step, bool keep) {
  // Gaps are measured here, at the end of the step and in the same way for every formulation.
  configuration_.update(world_, last_);
  max_joint_error_ = std::max(max_joint_error_, joint_error(configuration_));
  find_contacts(configuration_, last_, h_, found_);
  std::map<Key, double> gaps;
  for (const Contact& c : found_) {
    max_penetration_ = std::max(max_penetration_, -c.gap);
    gaps[{c.a, c.b, c.feature}] = c.gap;
  }
  events_.add(step, last_, found_);
  if (!keep) return;
  for (const ContactResult& r : step.contacts) {
    const auto measured = gaps.find({r.contact.a, r.contact.b, r.contact.feature});
    const double gap =
        measured != gaps.end() ? measured->second : r.contact.gap + h_ * r.u_n;  // left the margin
    contacts_.push_back({last_.t, contact_name(world_, r.contact), gap, r.p_n, r.p_t, r.p_o, r.p_r,
                         r.slip, r.mode});
  }
}

Json Record::final_state() const {
  Json json = Json::object();
  json["t"] = last_.t;
  for (const int i : world_.moving()) {
    const auto q = last_.q.segment(world_.coordinate_offset(i), world_.coordinates());
    const auto nu = last_.nu.segment(world_.velocity_offset(i), world_.dof());
    json[world_.body(i).name] = {{"q", std::vector<double>(q.begin(), q.end())},
                                 {"nu", std::vector<double>(nu.begin(), nu.end())}};
  }
  return json;
}

Json Record::summary() const {
  // Relative to the energy that could be lost: the most there was above the lowest potential
  // reached.
  const double available = highest_total_ - lowest_potential_;
  const double round_off = 1e-12 * std::max(std::abs(highest_total_), std::abs(lowest_potential_));
  const double scale = available > round_off ? available : 1.0;  // a scene at rest: joules
  const double steps = std::max(1, step_count_);
  Json events = Json::array();
  for (const Event& event : events_.events()) {
    events.push_back({{"t", event.t}, {"contact", event.contact}, {"kind", event.kind}});
    if (!event.mode.empty()) events.back()["mode"] = event.mode;
  }
  return {
      {"status", status_},
      {"energy_loss", (start_energy_ + ledger_.work_applied - ledger_.total) / scale},
      {"max_energy_change", energy_change_ / scale},
      {"max_energy_gain", energy_gain_ / scale},
      {"max_penetration", max_penetration_},
      {"max_joint_error", max_joint_error_},
      {"max_residual", max_residual_},
      {"failed_steps", failed_steps_},
      {"steps", step_count_},
      {"unknowns", unknowns_},
      {"average_candidates", candidates_ / steps},
      {"average_dropped", dropped_ / steps},
      {"average_contacts", problem_contacts_ / steps},
      {"median_step_us", median(step_us_)},
      {"median_solve_us", median(solve_us_)},
      {"final_state", final_state()},
      {"notes", notes_},
      {"counts", counts_},
      {"worst", worst_},
      {"events_left_out", events_.left_out()},
      {"events", events},
  };
}

}  // namespace touchstone

#pragma once

/// What a run leaves behind: the tables and summaries of a run directory (results/README.md has
/// their columns).

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "experiments/harness/event_log.hpp"
#include "experiments/harness/spec.hpp"

namespace touchstone {

/// A reference solution for a run, tabulated at the run's times into oracle.csv.
struct Oracle {
  std::vector<std::string> columns;                   // beside t
  std::function<std::vector<double>(double)> values;  // at time t
};

struct ContactRow {
  double t = 0.0;
  std::string contact;
  double gap = 0.0, p_n = 0.0, p_t = 0.0, p_o = 0.0, p_r = 0.0, slip = 0.0;
  Mode mode = Mode::separate;
};

struct EnergyRow {
  double t = 0.0, kinetic = 0.0, potential = 0.0, elastic = 0.0, total = 0.0;
  // Work since the start [J]; total = total(0) + applied + normal + friction + joints + numerical.
  double work_applied = 0.0, work_normal = 0.0, work_friction = 0.0, work_joints = 0.0,
         work_numerical = 0.0;
};

struct StepRow {
  double t = 0.0;
  Status status = Status::solved;
  double residual = 0.0;
  int iterations = 0;
  double solve_us = 0.0, step_us = 0.0;
};

/// Collects a run, step by step, and turns it into files.
class Record {
 public:
  Record(const World& world, const State& start, double h);

  /// A step ended in the state `after`; `keep` writes it into the tables, every step counts in the
  /// summary.
  void add(const State& after, const Step& step, double seconds, bool keep);
  /// The step that would have ended at `t` failed, and the run with it.
  void fail(double t, const Step& step, const std::string& why);

  const std::string& status() const { return status_; }  // "completed", or why it ended early
  const std::vector<EnergyRow>& energy() const { return energy_; }
  const std::vector<ContactRow>& contacts() const { return contacts_; }
  const std::vector<State>& trajectory() const { return trajectory_; }
  const std::vector<Event>& events() const { return events_.events(); }

  /// The part of summary.json that every run has.
  Json summary() const;
  /// File name → content of the tables and of bodies.json.
  std::map<std::string, std::string> tables() const;
  std::string oracle_table(const Oracle& oracle) const;

 private:
  struct Key {
    int a, b, feature;
    auto operator<=>(const Key&) const = default;
  };
  void add_energy(const Step& step);
  std::string trajectory_table() const;
  std::string contacts_table() const;
  std::string energy_table() const;
  std::string steps_table() const;
  void add_contacts(const Step& step, bool keep);
  Json final_state() const;

  const World& world_;
  double h_;
  std::string status_ = "completed";
  std::vector<State> trajectory_;  // every step
  std::vector<char> kept_;         // whether it goes into the tables
  std::vector<ContactRow> contacts_;
  std::vector<EnergyRow> energy_;
  std::vector<StepRow> steps_;
  EventLog events_;
  State last_;

  // Running values over every step, kept or not.
  EnergyRow ledger_;
  double start_energy_ = 0.0, highest_total_ = 0.0, lowest_potential_ = 0.0;
  double energy_change_ = 0.0, energy_gain_ = 0.0;
  double max_penetration_ = 0.0, max_joint_error_ = 0.0, max_residual_ = 0.0;
  int failed_steps_ = 0, step_count_ = 0, unknowns_ = 0;
  double candidates_ = 0.0, dropped_ = 0.0, problem_contacts_ = 0.0;  // sums over the steps
  std::vector<double> step_us_, solve_us_;
  std::vector<std::string> notes_;
  std::map<std::string, long> counts_;  // a formulation's own numbers, as in Step
  std::map<std::string, double> worst_;
  Configuration configuration_;
  std::vector<Contact> found_;
};

}  // namespace touchstone

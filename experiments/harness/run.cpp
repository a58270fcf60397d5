#include "experiments/harness/run.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cmath>

#include "experiments/harness/oracle_error.hpp"

namespace touchstone {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

bool ends_the_run(Status status) {
  return status != Status::solved && status != Status::inaccurate;
}

std::string failure(const Step& step, double t) {
  if (!step.next.q.allFinite() || !step.next.nu.allFinite())
    return fmt::format("failed at t = {}: the step's result is not finite", t);
  return fmt::format("failed at t = {}: the solver reports {} (residual {:.3g})", t,
                     to_string(step.status), step.residual.natural);
}

}  // namespace

std::atomic<bool>& interrupt_flag() {
  static std::atomic<bool> flag{false};
  return flag;
}

int step_count(double h, double t_end) {
  const double steps = std::ceil(t_end / h - 1e-9);
  if (steps > 1e9)
    throw InputError(fmt::format("h = {} and t_end = {} mean {:.3g} steps, expected at most 1e9", h,
                                 t_end, steps));
  return std::max(1, static_cast<int>(steps));
}

void check_runnable(const RunSpec& spec, const World& world) {
  const double h = spec.parameters.real("h");
  step_count(h, spec.parameters.real("t_end"));
  const auto formulation = make_formulation(spec, world);
  const Step& first = formulation->advance(initial_state(world), h);
  if (first.status != Status::not_applicable) return;
  throw InputError(
      fmt::format("solver '{}' does not accept the problems of formulation '{}' here: {}",
                  spec.solver, spec.formulation, fmt::join(first.notes, "; ")));
}

Record simulate(const RunSpec& spec, const World& world, const Progress& progress,
                const StepObserver& observer) {
  const double h = spec.parameters.real("h");
  const int steps = step_count(h, spec.parameters.real("t_end"));
  const long every = spec.parameters.integer("record_every");
  const auto formulation = make_formulation(spec, world);
  State state = initial_state(world);
  Record record(world, state, h);
  for (int k = 1; k <= steps; ++k) {
    if (interrupt_flag()) throw Interrupted();
    if (observer) observer(k, state);
    const auto start = Clock::now();
    const Step& step = formulation->advance(state, h);
    const double seconds = seconds_since(start);
    if (ends_the_run(step.status) || !step.next.q.allFinite() || !step.next.nu.allFinite()) {
      record.fail(k * h, step, failure(step, state.t));
      break;
    }
    state = step.next;
    state.t = k * h;  // not a sum of rounded steps
    record.add(state, step, seconds, k % every == 0 || k == steps);
    if (progress && (k % 256 == 0 || k == steps)) progress(static_cast<double>(k) / steps);
  }
  return record;
}

std::map<std::string, std::string> run_directory(const RunSpec& spec,
                                                 std::map<std::string, std::string> tables,
                                                 const Json& summary, double wall_seconds) {
  Json run = inputs(spec);
  run.update(provenance());
  for (const auto& [name, content] : tables) run["files"].push_back(name);
  run["status"] = summary.at("status");
  run["wall_seconds"] = wall_seconds;
  tables["run.json"] = run.dump(2) + "\n";
  tables["summary.json"] = summary.dump(2) + "\n";
  return tables;
}

std::map<std::string, std::string> run_files(const RunSpec& spec, const Record& record,
                                             const std::optional<Oracle>& oracle,
                                             const Json& measures, double wall_seconds) {
  auto tables = record.tables();
  if (oracle) tables["oracle.csv"] = record.oracle_table(*oracle);
  Json summary = record.summary();
  const Json events = summary["events"];
  summary.erase("events");  // the long list comes last
  summary["oracle_error"] = oracle_error(tables);
  summary.update(measures);
  summary["events"] = events;
  return run_directory(spec, std::move(tables), summary, wall_seconds);
}

}  // namespace touchstone

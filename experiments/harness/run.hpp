#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <stdexcept>

#include "experiments/harness/record.hpp"

namespace touchstone {

/// The user asked to stop (Ctrl-C): nothing of the run at hand is written.
class Interrupted : public std::runtime_error {
 public:
  Interrupted()
      : std::runtime_error("interrupted; finished runs are kept, the one at hand was not written") {
  }
};

/// Set by the signal handler that the command line installs; every run looks at it once a step.
std::atomic<bool>& interrupt_flag();

/// Called with the fraction done, 0 … 1.
using Progress = std::function<void(double)>;

/// Called before each step, counted from 1, with the state that it starts from.
using StepObserver = std::function<void(int, const State&)>;

/// Steps of a run: enough full steps of length h to reach t_end.
int step_count(double h, double t_end);

/// Throws InputError, before anything is run or written, when the formulation does not apply to the
/// world, the solver does not accept the formulation's problem, or there would be too many steps.
void check_runnable(const RunSpec& spec, const World& world);

/// Runs the spec on the world. A step whose solve failed (other than `inaccurate`) ends the run:
/// its status says when and why.
Record simulate(const RunSpec& spec, const World& world, const Progress& progress = {},
                const StepObserver& observer = {});

/// The files of a run directory: the tables, run.json and summary.json, whose "status" says how the
/// run ended.
std::map<std::string, std::string> run_directory(const RunSpec& spec,
                                                 std::map<std::string, std::string> tables,
                                                 const Json& summary, double wall_seconds);

/// The files of a simulated run. `measures` are the study's own numbers.
std::map<std::string, std::string> run_files(const RunSpec& spec, const Record& record,
                                             const std::optional<Oracle>& oracle,
                                             const Json& measures, double wall_seconds);

}  // namespace touchstone

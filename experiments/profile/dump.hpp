#pragma once

/// The problems of a run, step by step, as a collection: a folder of problem files and an
/// index.json that says where they come from.
///
///     index.json    "collection": 1, "target" (study, or scene file kept beside it),
///     "formulation",
///                   "sets", the resolved inputs and versions of the run, and "problems": for each
///                   "step", "t" [s], "file", "class", "unknowns" and "contacts"
///     step-000001.json …   one problem each (solvers/problem_file.hpp), or .hdf5
///     (solvers/fclib.hpp)
///
/// A problem is that of the whole step, over all candidates, without islands or working set. Steps
/// without candidates have none; equal problems are stored once and named by several steps. An MCP
/// is a function and has no file form, and its linearisation is another problem: its file holds
/// the state {"t", "q", "nu"} from which the step starts, and the reader poses the step again.
///
/// The folder appears when the run is done, or not at all; the same run writes the same bytes.

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "experiments/harness/run.hpp"
#include "experiments/target.hpp"
#include "formulations/common/time_stepping.hpp"

namespace touchstone {

struct DumpOptions {
  std::filesystem::path folder;
  int every = 1;            // steps 1, 1 + every, …
  bool exact_cone = false;  // the exact-cone problem of the step, not the formulation's
};

/// A step as a problem, kept with the world that its function refers to.
class PosedStep {
 public:
  explicit PosedStep(Target target);
  PosedStep(const PosedStep&) = delete;  // the formulation refers to the world
  PosedStep& operator=(const PosedStep&) = delete;
  /// Why there are no such problems, or nothing.
  std::string refusal(bool exact_cone) const;
  Problem pose(const State& state, bool exact_cone, Vec* start = nullptr);
  int contacts() const { return contacts_; }  // of the last problem
  const Target& target() const { return target_; }

 private:
  Target target_;
  std::unique_ptr<Formulation> formulation_;
  TimeStepping* stepping_;
  int contacts_ = 0;
};

class Dump {
 public:
  /// Refuses (InputError) a formulation without problems, and a folder that holds other things.
  Dump(DumpOptions options, const std::string& target, const Asked& asked);
  ~Dump();
  Dump(const Dump&) = delete;
  Dump& operator=(const Dump&) = delete;

  void take(int step, const State& state);
  /// Puts the folder in its place; a line that says what is in it.
  std::string finish();

 private:
  std::string store(int step, const Problem& problem, const State& state);

  DumpOptions options_;
  std::string name_;
  Asked asked_;
  PosedStep posed_;
  std::filesystem::path partial_;
  Json problems_ = Json::array();
  std::map<std::string, std::string> stored_;  // fingerprint of a problem's text → file
};

/// What `simulate` calls; empty where nothing is dumped.
StepObserver observer(std::optional<Dump>& dump);

}  // namespace touchstone

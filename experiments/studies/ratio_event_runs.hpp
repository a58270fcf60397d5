#pragma once

/// What dropping redundant events does inside runs: each step of a run is taken twice from the same
/// state, with all nearly active events and with the kept ones, and the run goes on with the first.

#include <string>
#include <vector>

#include "experiments/harness/run.hpp"

namespace touchstone {

struct ReductionRun {
  std::string scene;
  int steps = 0;
  double events = 0.0, kept = 0.0;                 // found and kept, a step
  double contacts_all = 0.0, contacts_kept = 0.0;  // in the problem of a step at its last solve
  double step_all_us = 0.0, step_kept_us = 0.0;    // medians
  double ratio_us = 0.0;  // median over the steps of (time with the kept)/(time with all) [1]
};

/// The scenes of the study, each with the solver that suits its size, over at most `most` steps.
std::vector<ReductionRun> reduction_runs(int most, const Progress& progress);

}  // namespace touchstone

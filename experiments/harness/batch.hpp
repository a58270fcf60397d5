#pragma once

#include <filesystem>
#include <vector>

#include "experiments/harness/run.hpp"
#include "experiments/harness/study.hpp"
#include "experiments/profile/dump.hpp"

namespace touchstone {

struct BatchOptions {
  int jobs = 0;        // workers; 0: one per core
  bool rerun = false;  // run even what is already on disk
  /// Where the problems of the steps go: of one case into this folder, of several into
  /// FORMULATION/CASE below it. What is on disk is then run again.
  std::optional<DumpOptions> dump{};
};

struct Batch {
  std::vector<CaseResult> results;  // in the order of the cases, whatever the workers did
  int found = 0;                    // how many were on disk already
};

/// Runs the cases on all cores, each into its own folder `folders[k]`, skipping what is on disk
/// with the same inputs and code. Every spec and every output folder is checked before the first
/// run starts. The first error stops the rest and is thrown; runs finished before it stay.
Batch run_cases(const StudyEntry& study, const std::vector<Case>& cases,
                const std::vector<std::filesystem::path>& folders, const BatchOptions& options);

/// RESULTS/FORMULATION/CASE for each case, RESULTS/CASE for computed ones.
std::vector<std::filesystem::path> case_folders(const std::filesystem::path& results,
                                                const std::vector<Case>& cases);

/// Where results go unless the user says otherwise: results/NAME below the project.
std::filesystem::path default_results(const std::string& name);

/// Number of workers: as asked, else one per core.
int worker_count(int asked);

}  // namespace touchstone

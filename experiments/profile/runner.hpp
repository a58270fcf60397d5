#pragma once

/// Runs solvers over collections, into a folder that can be interrupted and resumed:
///     rows.csv      one row per solver and problem
///     solvers.csv   one row per problem class and solver
///     profile.json  settings, versions, collections, |P| per class, solvers that are not there
/// rows.csv is rewritten whole now and then, and at the end or when the user interrupts. Rows that
/// are there, made with the same settings by the same code, are not measured again; so a folder can
/// hold several passes, such as fast solvers on all problems and slow ones on some.

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "experiments/profile/collection.hpp"
#include "experiments/profile/guard.hpp"

namespace touchstone {

struct ProfileOptions {
  std::vector<std::string> solvers;  // names, or patterns with *; empty: all
  std::optional<std::string> problem_class;
  MeasureSettings measure;
  bool rerun = false;
};

struct ProfileRun {
  std::vector<Row> rows;
  Profile profile;
  std::vector<std::pair<std::string, std::string>> unavailable;  // solver, reason
  int found = 0;                                                 // rows that were on disk
};

ProfileRun run_profile(const std::vector<std::string>& sources, const ProfileOptions& options,
                       const std::filesystem::path& folder);

/// Whether a name matches a pattern in which * stands for anything.
bool matches(const std::string& name, const std::string& pattern);

}  // namespace touchstone

#pragma once

/// The subcommands, free of the option parser (experiments/main.cpp has that). They return true
/// when all is well and false when a verdict or a run failed; bad input throws InputError.

#include <optional>
#include <string>
#include <vector>

#include "experiments/harness/batch.hpp"
#include "experiments/profile/runner.hpp"
#include "experiments/target.hpp"

namespace touchstone {

/// Options that several commands share.
struct Choice {
  std::optional<std::string> formulation, solver, out;
  std::vector<std::string> sets;
  BatchOptions batch;
  Asked asked() const { return {formulation, solver, sets}; }
};

/// `what`: studies, formulations, solvers or shapes; empty for all of them.
bool list_command(const std::string& what, bool as_json);
/// As published; one run when the choice names a formulation, a solver or a parameter.
bool run_command(const std::string& study, const Choice& choice);
/// `frames`: how many pictures of the motion to draw into the run directory; 0 for none.
bool simulate_command(const std::string& scene_file, const Choice& choice, int frames);
/// `varied`: "KEY=V1,V2,…", every combination.
bool sweep_command(const std::string& study, const Choice& choice,
                   const std::vector<std::string>& varied);
/// Every applicable formulation, or those of `wanted`, on a study or scene file: a table, and
/// unless `figure` is false one figure; true when every run completed without a failed step.
bool compare_command(const std::string& name, const Choice& choice,
                     const std::vector<std::string>& wanted, bool figure);
/// `wanted`: figures or studies; empty for all of them.
bool figures_command(const std::vector<std::string>& wanted, const Choice& choice);

/// Solves a problem file with one solver, or with all that accept it; true when one of them solved
/// it.
bool solve_command(const std::string& file, const Choice& choice);
/// Writes the problem of one step of a study or scene file (all candidates, no working set) to
/// choice.out.
bool export_command(const std::string& name, const Choice& choice, int step, bool exact_cone);

/// Runs solvers over collections of problems, writes the rows and the summary to choice.out
/// (default results/profiles/…) and prints a table per problem class; true when every problem was
/// solved by some solver.
bool profile_command(const std::vector<std::string>& sources, const ProfileOptions& options,
                     const Choice& choice);

/// Runs a scene into `folder` unless it is there already; says whether it was.
bool run_scene(const std::string& file, const RunSpec& spec, const Scene& scene,
               const std::filesystem::path& folder, const Choice& choice);
/// Where a scene's results go: results/NAME, unless a study keeps its results there.
std::filesystem::path scene_results(const std::string& name);

/// Runs paper_figures/NAME.py with these arguments; false, with a message, when it fails.
bool run_script(const std::string& name, const std::vector<std::string>& arguments);

/// Runs the whole study as published into `results`, prints its table and verdict; true when the
/// verdict holds.
bool run_published(const StudyEntry& entry, const std::filesystem::path& results,
                   const BatchOptions& options);

/// Runs paper_figures/NAME.py; false, with a message on standard error, when it fails.
bool run_script(const std::string& name, const std::vector<std::string>& arguments);

// --- printing, on standard output

using Table = std::vector<std::vector<std::string>>;  // rows; the first holds the titles

/// A value of a summary as the tables show it.
std::string cell(const Json& value);

/// Columns aligned, numbers to the right, a rule under the titles.
std::string format_table(const Table& table);

/// One row per result, with the study's columns.
Table results_table(const Study& study, const std::vector<CaseResult>& results);

/// The results table as comma-separated values with full precision.
std::string results_csv(const Study& study, const std::vector<CaseResult>& results);

/// Prints each check with its number; true when all passed.
bool print_checks(const std::vector<Check>& checks);

}  // namespace touchstone

#pragma once

/// The subcommands. Each adds itself to the command line and returns, through `exit_code`, 0 when
/// all is well and 1 when a verdict or a run failed. Bad input throws InputError.

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "experiments/harness/batch.hpp"

namespace touchstone {

void add_list_command(CLI::App& app, int& exit_code);
void add_run_command(CLI::App& app, int& exit_code);
void add_simulate_command(CLI::App& app, int& exit_code);
void add_sweep_command(CLI::App& app, int& exit_code);
void add_figures_command(CLI::App& app, int& exit_code);

/// Options that several commands share.
struct Choice {
  std::optional<std::string> formulation, solver, out;
  std::vector<std::string> sets;
  BatchOptions batch;
};
void add_choice(CLI::App& command, Choice& choice);

/// Runs the whole study as published into `results`, prints its table and verdict; true when the
/// verdict holds.
bool run_published(const StudyEntry& entry, const std::filesystem::path& results,
                   const BatchOptions& options);

// --- printing, on standard output
// -------------------------------------------------------------------

using Table = std::vector<std::vector<std::string>>;  // rows; the first holds the titles

/// Columns aligned, numbers to the right, a rule under the titles.
std::string format_table(const Table& table);

/// One row per result, with the study's columns.
Table results_table(const Study& study, const std::vector<CaseResult>& results);

/// The results table as comma-separated values with full precision.
std::string results_csv(const Study& study, const std::vector<CaseResult>& results);

/// Prints each check with its number; true when all passed.
bool print_checks(const std::vector<Check>& checks);

}  // namespace touchstone

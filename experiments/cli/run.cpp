#include <fmt/format.h>

#include "experiments/cli/commands.hpp"
#include "experiments/harness/files.hpp"

namespace touchstone {

bool run_published(const StudyEntry& entry, const std::filesystem::path& results,
                   const BatchOptions& options) {
  const auto study = entry.make();
  const std::vector<Case> cases = study->published_cases();
  const Batch batch = run_cases(entry, cases, case_folders(results, cases), options);
  fmt::print("{}: {} cases, {} of them already on disk, in {}\n\n{}\n", entry.name, cases.size(),
             batch.found, results.string(), format_table(results_table(*study, batch.results)));
  write_file(results / "table.csv", results_csv(*study, batch.results));
  std::vector<Check> checks;
  for (const CaseResult& result : batch.results)
    for (Check& check : study->check_run(result))
      if (!check.passed) {  // those that hold for every run are not worth a line each
        check.claim = result.the_case.path() + ": " + check.claim;
        checks.push_back(std::move(check));
      }
  const std::vector<Check> whole = study->check_study(batch.results);
  checks.insert(checks.end(), whole.begin(), whole.end());
  fmt::print("verdict against the oracle\n");
  const bool passed = print_checks(checks);
  fmt::print("{}: {}\n", entry.name, passed ? "passed" : "FAILED");
  return passed;
}

namespace {

/// Naming a formulation, a solver or a parameter makes it a single run.
bool run_single(const StudyEntry& entry, const Choice& choice) {
  const auto study = entry.make();
  const Case one = single_case(entry, choice.formulation, choice.solver, choice.sets);
  const auto folder = choice.out ? std::filesystem::path(*choice.out)
                                 : case_folders(default_results(entry.name), {one}).front();
  const Batch batch = run_cases(entry, {one}, {folder}, choice.batch);
  fmt::print("{}\n{}{}\n", format_table(results_table(*study, batch.results)), folder.string(),
             batch.found > 0 ? " (already on disk; --rerun runs it again)" : "");
  return print_checks(study->check_run(batch.results.front()));
}

}  // namespace

bool run_command(const std::string& study, const Choice& choice) {
  const StudyEntry& entry = Registry<StudyEntry>::instance().find(study);
  if (choice.formulation || choice.solver || !choice.sets.empty()) return run_single(entry, choice);
  return run_published(
      entry, choice.out ? std::filesystem::path(*choice.out) : default_results(entry.name),
      choice.batch);
}

}  // namespace touchstone

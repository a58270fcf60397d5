#pragma once

/// A study: a named experiment with documented parameters, the cases that were published, an oracle
/// to judge them by, and the figures that are drawn from them.
///
/// A case is simulated (a formulation steps the study's world through time) or computed (the study
/// makes tables by itself: a comparison of measures, a map of solutions over parameters). One study
/// may have both kinds.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "experiments/harness/run.hpp"

namespace touchstone {

/// One run of a study: a formulation and the parameters that differ from the defaults.
struct Case {
  std::string formulation;        // empty: the case is computed
  std::vector<std::string> sets;  // "edges=100"
  std::optional<std::string> solver{};
  bool computed() const { return formulation.empty(); }
  /// Its folder below the formulation's: "edges=100_h=0.01", or "defaults".
  std::string name() const;
  /// "FORMULATION/CASE", or "CASE" when computed: the path below the study's results.
  std::string path() const;
};

/// A finished case as its files tell it; the same whether it was run now or found on disk.
struct CaseResult {
  Case the_case;
  Parameters parameters;
  Json summary;
  std::filesystem::path folder;
};

/// What a computed case leaves in its folder, beside run.json.
struct Computed {
  std::map<std::string, std::string> tables;  // file name → content, see CsvTable
  Json summary;                               // summary.json; "status" comes from the harness
};

/// One statement about the results, with the number that decides it.
struct Check {
  std::string claim;
  std::string measured;
  bool passed = false;
};

class Study {
 public:
  virtual ~Study() = default;
  /// The world that simulated cases step; InputError unless overridden.
  virtual World world(const Parameters& parameters) const;
  /// The tables and numbers of computed cases; InputError unless overridden. Calls `progress` now
  /// and then with the fraction done, which is also where a user's interruption ends it. The same
  /// parameters must give the same bytes, timings aside (columns and keys that end in _us or
  /// _seconds).
  virtual Computed compute(const Parameters& parameters, const Progress& progress) const;
  virtual std::vector<Case> published_cases() const = 0;
  virtual std::optional<Oracle> oracle(const Parameters& parameters) const;
  /// The study's own numbers for summary.json.
  virtual Json measures(const Parameters& parameters, const Record& record) const;
  /// What must hold for any single run, and for the whole study as published.
  virtual std::vector<Check> check_run(const CaseResult& result) const;
  virtual std::vector<Check> check_study(const std::vector<CaseResult>& results) const;
  /// Columns of the printed table: title and key in summary.json.
  virtual std::vector<std::pair<std::string, std::string>> table_columns() const;
};

struct StudyEntry {
  static constexpr const char* kind = "study";
  std::string name;
  std::string summary;
  std::string cite;
  std::vector<std::string> figures{};  // scripts in paper_figures/, without .py
  Parameters parameters{};
  std::string default_formulation{};  // of single runs; empty: they are computed
  // What single runs with that formulation choose where the user does not.
  std::optional<std::string> default_solver{};
  std::vector<std::string> default_sets{};
  std::function<std::unique_ptr<Study>()> make{};
};

/// The case of a single run, with the study's defaults where nothing was chosen.
Case single_case(const StudyEntry& entry, const std::optional<std::string>& formulation,
                 const std::optional<std::string>& solver, const std::vector<std::string>& sets);

/// h, t_end and record_every, which every study and scene has.
Parameters run_parameters(double h, double t_end);

/// mu, e_t, e_o, e_r and restitution.
Parameters law_parameters(const FrictionLaw& defaults);
FrictionLaw law_of(const Parameters& parameters);

}  // namespace touchstone

#pragma once

/// A study: a named experiment with documented parameters, the cases that were published, an oracle
/// to judge them by, and the figures that are drawn from them.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "experiments/harness/record.hpp"

namespace touchstone {

/// One run of a study: a formulation and the parameters that differ from the defaults.
struct Case {
  std::string formulation;
  std::vector<std::string> sets;  // "edges=100"
  std::optional<std::string> solver{};
  /// Its folder below the formulation's: "edges=100_h=0.01", or "defaults".
  std::string name() const;
};

/// A finished case as its files tell it; the same whether it was run now or found on disk.
struct CaseResult {
  Case the_case;
  Parameters parameters;
  Json summary;
  std::filesystem::path folder;
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
  virtual World world(const Parameters& parameters) const = 0;
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
  std::string default_formulation{};
  std::function<std::unique_ptr<Study>()> make{};
};

/// h, t_end and record_every, which every study and scene has.
Parameters run_parameters(double h, double t_end);

/// mu, e_t, e_o, e_r and restitution.
Parameters law_parameters(const FrictionLaw& defaults);
FrictionLaw law_of(const Parameters& parameters);

}  // namespace touchstone

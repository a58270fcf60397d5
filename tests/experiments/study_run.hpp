#pragma once

#include "experiments/harness/run.hpp"
#include "experiments/harness/study.hpp"

namespace touchstone {

/// One case of a study, run in memory.
struct StudyRun {
  StudyRun(const std::string& name, const std::string& formulation,
           const std::vector<std::string>& sets, const std::optional<std::string>& solver = {})
      : entry(Registry<StudyEntry>::instance().find(name)),
        spec(make_spec("study", name, entry.parameters, formulation, solver, sets)),
        study(entry.make()),
        world(study->world(spec.parameters)),
        record(simulate(spec, world)) {}

  /// As a finished case would be read from its files.
  CaseResult result() const {
    CaseResult result{{spec.formulation, {}}, spec.parameters, record.summary(), {}};
    result.summary.update(study->measures(spec.parameters, record));
    return result;
  }

  const StudyEntry& entry;
  RunSpec spec;
  std::unique_ptr<Study> study;
  World world;
  Record record;
};

/// The claims that do not hold.
inline std::vector<std::string> failures(const std::vector<Check>& checks) {
  std::vector<std::string> claims;
  for (const Check& check : checks)
    if (!check.passed) claims.push_back(check.claim + ": " + check.measured);
  return claims;
}

}  // namespace touchstone

#pragma once

/// Every applicable formulation on one study or scene, with the same parameters.

#include <functional>
#include <string>
#include <vector>

#include "experiments/harness/study.hpp"

namespace touchstone {

/// A formulation that was not run, and why.
struct LeftOut {
  std::string formulation;
  std::string reason;
};

struct Contenders {
  std::vector<Case> cases;  // one per formulation, in the order of their names
  std::vector<LeftOut> left_out;
};

/// Decides who takes part. `wanted` names formulations (all when empty). A parameter of the study
/// or scene is set for everyone; one that only some formulations have (or, as solver.KEY, only
/// some of their solvers) is set for those. `refusal` says why a case cannot be run, or nothing.
/// Throws InputError for unknown names, for a parameter that nobody has, and when nobody is left.
Contenders find_contenders(const Parameters& base, const std::vector<std::string>& wanted,
                           const std::vector<std::string>& sets,
                           const std::function<std::string(const Case&)>& refusal);

/// The measures that are compared: title in the printed table, key in the CSV, and where the
/// summary keeps it ("/oracle_error/max").
struct ComparedMeasure {
  std::string title, key, pointer;
};
const std::vector<ComparedMeasure>& compared_measures();

/// comparison.json, which the figure is drawn from: what was compared, the runs' folders relative
/// to `folder`, their measures, and who was left out and why.
Json comparison_json(const std::string& name, const std::vector<CaseResult>& results,
                     const std::vector<LeftOut>& left_out, const std::filesystem::path& folder);

}  // namespace touchstone

#include "experiments/harness/study.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace touchstone {

std::string Case::name() const {
  std::vector<std::string> parts = sets;
  if (solver) parts.push_back("solver=" + *solver);
  return parts.empty() ? "defaults" : fmt::format("{}", fmt::join(parts, "_"));
}

std::string Case::path() const { return computed() ? name() : formulation + "/" + name(); }

World Study::world(const Parameters&) const {
  throw InputError("this study computes its tables itself: it takes no formulation");
}

Computed Study::compute(const Parameters&, const Progress&) const {
  throw InputError("this study is simulated: it needs a formulation");
}

std::optional<Oracle> Study::oracle(const Parameters&) const { return std::nullopt; }

Json Study::measures(const Parameters&, const Record&) const { return Json::object(); }

std::vector<Check> Study::check_run(const CaseResult& result) const {
  const std::string status = result.summary.at("status");
  std::vector<Check> checks{{"the run reaches its end", status, status == "completed"}};
  if (result.the_case.computed()) return checks;
  const int failed = result.summary.at("failed_steps");
  checks.push_back({"no failed step", fmt::format("{} failed", failed), failed == 0});
  return checks;
}

std::vector<Check> Study::check_study(const std::vector<CaseResult>&) const { return {}; }

std::vector<std::pair<std::string, std::string>> Study::table_columns() const {
  return {{"energy loss", "energy_loss"},
          {"max penetration [m]", "max_penetration"},
          {"max residual", "max_residual"},
          {"failed", "failed_steps"},
          {"steps", "steps"},
          {"median step [us]", "median_step_us"}};
}

Case single_case(const StudyEntry& entry, const std::optional<std::string>& formulation,
                 const std::optional<std::string>& solver, const std::vector<std::string>& sets) {
  Case one{formulation.value_or(entry.default_formulation), sets, solver};
  if (one.formulation != entry.default_formulation) return one;
  if (!one.solver) one.solver = entry.default_solver;
  for (auto set = entry.default_sets.rbegin(); set != entry.default_sets.rend(); ++set) {
    const std::string key = split_assignment(*set).first;
    const bool chosen = std::any_of(sets.begin(), sets.end(), [&](const std::string& other) {
      return split_assignment(other).first == key;
    });
    if (!chosen) one.sets.insert(one.sets.begin(), *set);
  }
  return one;
}

Parameters run_parameters(double h, double t_end) {
  return {real("h", h, "s", "time step").above(0),
          real("t_end", t_end, "s", "end of the run").above(0),
          integer("record_every", 1, "1", "write every so many steps into the tables").at_least(1)};
}

Parameters law_parameters(const FrictionLaw& defaults) {
  return {real("mu", defaults.mu, "1", "friction coefficient").at_least(0),
          real("e_t", defaults.e_t, "1", "friction weight along the first tangent").above(0),
          real("e_o", defaults.e_o, "1", "friction weight along the second tangent").above(0),
          real("e_r", defaults.e_r, "m", "friction weight of the torsional moment").at_least(0),
          real("restitution", defaults.restitution, "1", "Newton's coefficient of restitution")
              .at_least(0)
              .at_most(1)};
}

FrictionLaw law_of(const Parameters& p) {
  return {p.real("mu"), p.real("e_t"), p.real("e_o"), p.real("e_r"), p.real("restitution")};
}

}  // namespace touchstone

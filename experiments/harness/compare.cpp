#include "experiments/harness/compare.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "formulations/formulation.hpp"

namespace touchstone {

namespace {

constexpr std::string_view solver_prefix = "solver.";

/// Whether this formulation, or the solver that it uses by default, has the parameter.
bool has_own(const FormulationEntry& entry, const std::string& key) {
  if (!key.starts_with(solver_prefix)) return entry.parameters.has(key);
  if (entry.default_solver.empty()) return false;
  const auto& solver = Registry<SolverEntry>::instance().find(entry.default_solver);
  return solver.parameters.has(key.substr(solver_prefix.size()));
}

void check_keys(const Parameters& base, const std::vector<const FormulationEntry*>& entries,
                const std::vector<std::string>& sets) {
  for (const std::string& set : sets) {
    const std::string key = split_assignment(set).first;
    const auto owns = [&](const FormulationEntry* entry) { return has_own(*entry, key); };
    if (base.has(key) || std::any_of(entries.begin(), entries.end(), owns)) continue;
    std::vector<std::string> known = base.names();
    for (const FormulationEntry* entry : entries)
      for (const std::string& name : entry->parameters.names())
        if (std::find(known.begin(), known.end(), name) == known.end()) known.push_back(name);
    throw InputError(unknown_name("parameter", key, known));
  }
}

}  // namespace

Contenders find_contenders(const Parameters& base, const std::vector<std::string>& wanted,
                           const std::vector<std::string>& sets,
                           const std::function<std::string(const Case&)>& refusal) {
  std::vector<const FormulationEntry*> entries;
  for (const std::string& name : wanted)
    entries.push_back(&Registry<FormulationEntry>::instance().find(name));
  if (wanted.empty()) entries = Registry<FormulationEntry>::instance().all();
  const auto by_name = [](const auto* x, const auto* y) { return x->name < y->name; };
  std::sort(entries.begin(), entries.end(), by_name);
  entries.erase(std::unique(entries.begin(), entries.end()), entries.end());
  check_keys(base, entries, sets);

  Contenders found;
  for (const FormulationEntry* entry : entries) {
    Case one{entry->name, {}, {}};
    for (const std::string& set : sets) {
      const std::string key = split_assignment(set).first;
      if (base.has(key) || has_own(*entry, key)) one.sets.push_back(set);
    }
    const std::string why =
        entry->unavailable.empty() ? refusal(one) : "unavailable: " + entry->unavailable;
    if (why.empty())
      found.cases.push_back(std::move(one));
    else
      found.left_out.push_back({entry->name, why});
  }
  if (!found.cases.empty()) return found;
  std::string reasons;
  for (const LeftOut& one : found.left_out)
    reasons += fmt::format("{}{}: {}", reasons.empty() ? "" : "; ", one.formulation, one.reason);
  throw InputError("no formulation can be compared here: " + reasons);
}

const std::vector<ComparedMeasure>& compared_measures() {
  static const std::vector<ComparedMeasure> measures{
      {"energy loss", "energy_loss", "/energy_loss"},
      {"oracle error: max", "oracle_error_max", "/oracle_error/max"},
      {"rms", "oracle_error_rms", "/oracle_error/rms"},
      {"final", "oracle_error_final", "/oracle_error/final"},
      {"penetration [m]", "max_penetration", "/max_penetration"},
      {"residual", "max_residual", "/max_residual"},
      {"failed", "failed_steps", "/failed_steps"},
      {"steps", "steps", "/steps"},
      {"step [us]", "median_step_us", "/median_step_us"}};
  return measures;
}

Json comparison_json(const std::string& name, const std::vector<CaseResult>& results,
                     const std::vector<LeftOut>& left_out, const std::filesystem::path& folder) {
  Json json = {{"compared", name}, {"runs", Json::array()}, {"left_out", Json::array()}};
  for (const CaseResult& result : results) {
    Json run = {{"formulation", result.the_case.formulation},
                {"folder", result.folder.lexically_relative(folder).generic_string()},
                {"status", result.summary.at("status")}};
    for (const ComparedMeasure& measure : compared_measures()) {
      const Json::json_pointer at(measure.pointer);
      run[measure.key] = result.summary.contains(at) ? result.summary.at(at) : Json(nullptr);
    }
    json["runs"].push_back(std::move(run));
  }
  for (const LeftOut& one : left_out)
    json["left_out"].push_back({{"formulation", one.formulation}, {"reason", one.reason}});
  return json;
}

}  // namespace touchstone

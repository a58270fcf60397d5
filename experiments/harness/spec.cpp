#include "experiments/harness/spec.hpp"

#include <algorithm>
#include <fstream>

namespace touchstone {

namespace {

constexpr std::string_view solver_prefix = "solver.";

std::string solver_of(const FormulationEntry& entry, const std::optional<std::string>& solver) {
  if (!solver) return entry.default_solver;
  if (entry.default_solver.empty())
    throw InputError("formulation '" + entry.name + "' uses no solver, but solver '" + *solver +
                     "' was asked for");
  return *solver;
}

void assign(RunSpec& spec, const std::string& key, const std::string& value) {
  if (!key.starts_with(solver_prefix)) {
    spec.parameters.set(key, value);
    return;
  }
  const std::string name = key.substr(solver_prefix.size());
  if (!spec.solver_parameters.has(name)) {
    std::vector<std::string> known;
    for (const std::string& one : spec.solver_parameters.names())
      known.push_back(std::string(solver_prefix) + one);
    throw InputError(unknown_name("parameter", key, known));
  }
  spec.solver_parameters.set(name, value, std::string(solver_prefix));
}

/// A file that is there and, if it is JSON, whole.
bool is_intact(const std::filesystem::path& file) {
  std::ifstream in(file);
  return in && (file.extension() != ".json" || !Json::parse(in, nullptr, false).is_discarded());
}

bool describes(const Json& found, const RunSpec& spec) {
  if (!found.is_object() || found.value("status", Json()) != "completed") return false;
  Json expected = inputs(spec);
  const Json now = provenance();
  expected["sources"] = now["sources"];
  expected["compiler"] = now["compiler"];
  for (const auto& [key, value] : expected.items())
    if (!found.contains(key) || found[key] != value) return false;
  return true;
}

}  // namespace

RunSpec make_spec(std::string kind, std::string name, Parameters base,
                  const std::string& formulation, const std::optional<std::string>& solver,
                  const std::vector<std::string>& sets) {
  RunSpec spec{std::move(kind), std::move(name), formulation, {}, std::move(base), {}, {}};
  if (!formulation.empty()) {
    const auto& entry = Registry<FormulationEntry>::instance().find(formulation);
    spec.solver = solver_of(entry, solver);
    spec.parameters.declare(entry.parameters);
  } else if (solver) {
    throw InputError("study '" + spec.name + "' computes its tables itself: it takes no solver");
  }
  if (!spec.solver.empty())
    spec.solver_parameters = Registry<SolverEntry>::instance().find(spec.solver).parameters;
  for (const std::string& set : sets) {
    const auto [key, value] = split_assignment(set);
    assign(spec, key, value);
  }
  return spec;
}

Json to_json(const Parameters& parameters) {
  Json json = Json::object();
  for (const Parameter& parameter : parameters.all())
    std::visit([&](const auto& value) { json[parameter.name] = value; }, parameter.value);
  return json;
}

Json inputs(const RunSpec& spec) {
  Json json = {{spec.kind, spec.name}};
  json["formulation"] = spec.formulation.empty() ? Json(nullptr) : Json(spec.formulation);
  json["solver"] = spec.solver.empty() ? Json(nullptr) : Json(spec.solver);
  json["parameters"] = to_json(spec.parameters);
  json["solver_parameters"] = to_json(spec.solver_parameters);
  if (!spec.scene_hash.empty()) json["scene_hash"] = spec.scene_hash;
  // Nothing in a simulation is random; a computed case that samples has a parameter for it.
  json["seed"] = spec.parameters.has("seed") ? spec.parameters.integer("seed") : 0;
  return json;
}

bool already_run(const RunSpec& spec, const std::filesystem::path& folder) {
  if (!is_intact(folder / "run.json") || !is_intact(folder / "summary.json")) return false;
  std::ifstream file(folder / "run.json");
  const Json found = Json::parse(file);
  if (!describes(found, spec)) return false;
  const Json tables = found.value("files", Json::array());
  return !tables.empty() && std::all_of(tables.begin(), tables.end(), [&](const Json& name) {
    return name.is_string() && is_intact(folder / name.get<std::string>());
  });
}

std::unique_ptr<Formulation> make_formulation(const RunSpec& spec, const World& world) {
  const auto& entry = Registry<FormulationEntry>::instance().find(spec.formulation);
  return make_formulation(
      entry, world, spec.parameters,
      spec.solver.empty() ? nullptr : make_solver(spec.solver, spec.solver_parameters));
}

}  // namespace touchstone

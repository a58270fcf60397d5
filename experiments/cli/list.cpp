#include <fmt/format.h>

#include "experiments/cli/commands.hpp"
#include "experiments/shapes.hpp"

namespace touchstone {

namespace {

template <class Entry>
const Registry<Entry>& registry() {
  return Registry<Entry>::instance();
}

Json to_json(const Parameter& p) {
  Json json = {{"name", p.name}};
  std::visit([&](const auto& value) { json["default"] = value; }, p.value);
  json["unit"] = p.unit;
  json["expected"] = p.expected();
  json["description"] = p.description;
  return json;
}

Json parameter_list(const Parameters& parameters) {
  Json json = Json::array();
  for (const Parameter& p : parameters.all()) json.push_back(to_json(p));
  return json;
}

Json availability(const std::string& reason) {
  return reason.empty() ? Json{{"available", true}}
                        : Json{{"available", false}, {"reason", reason}};
}

Json describe(const StudyEntry& e) {
  return {
      {"name", e.name},
      {"summary", e.summary},
      {"cite", e.cite},
      {"figures", e.figures},
      {"formulation", e.default_formulation.empty() ? Json(nullptr) : Json(e.default_formulation)},
      {"parameters", parameter_list(e.parameters)}};
}

Json describe(const FormulationEntry& e) {
  Json json = {{"name", e.name}, {"summary", e.summary}, {"cite", e.cite}};
  json.update(availability(e.unavailable));
  json["solver"] = e.default_solver.empty() ? Json(nullptr) : Json(e.default_solver);
  json["joints"] = e.takes_joints;
  json["shaking"] = e.takes_shaking;
  json["parameters"] = parameter_list(e.parameters);
  return json;
}

Json describe(const SolverEntry& e) {
  Json json = {{"name", e.name}, {"summary", e.summary}, {"cite", e.cite}};
  json.update(availability(e.unavailable));
  json["parameters"] = parameter_list(e.parameters);
  return json;
}

Json describe(const ShapeEntry& e) {
  return {{"name", e.name}, {"summary", e.summary}, {"dimensions", e.dimensions}, {"keys", e.keys}};
}

template <class Entry>
Json describe_all() {
  Json json = Json::array();
  for (const Entry* entry : registry<Entry>().all()) json.push_back(describe(*entry));
  return json;
}

Json collect(const std::string& what) {
  if (what == "studies") return describe_all<StudyEntry>();
  if (what == "formulations") return describe_all<FormulationEntry>();
  if (what == "solvers") return describe_all<SolverEntry>();
  if (what == "shapes") return describe_all<ShapeEntry>();
  throw InputError(unknown_name("list", what, {"studies", "formulations", "solvers", "shapes"}));
}

void print_entry(const Json& entry) {
  fmt::print("  {}\n      {}\n", entry["name"].get<std::string>(),
             entry["summary"].get<std::string>());
  if (!entry.value("available", true))
    fmt::print("      unavailable: {}\n", entry["reason"].get<std::string>());
  if (entry.contains("cite")) fmt::print("      source: {}\n", entry["cite"].get<std::string>());
  if (entry.contains("figures"))
    fmt::print("      figures: {}\n",
               fmt::join(entry["figures"].get<std::vector<std::string>>(), ", "));
  if (entry.contains("solver") && !entry["solver"].is_null())
    fmt::print("      solver: {}\n", entry["solver"].get<std::string>());
  if (entry.value("joints", false)) fmt::print("      takes joints\n");
  if (entry.contains("keys"))
    fmt::print("      keys: {}; dimension {}\n", entry["keys"].get<std::string>(),
               entry["dimensions"].get<std::string>());
  for (const Json& p : entry.value("parameters", Json::array()))
    fmt::print("      {} = {}: {} ({})\n", p["name"].get<std::string>(),
               p["default"].is_string() ? p["default"].get<std::string>() : p["default"].dump(),
               p["description"].get<std::string>(), p["expected"].get<std::string>());
}

}  // namespace

bool list_command(const std::string& what, bool as_json) {
  const std::vector<std::string> kinds =
      what.empty() ? std::vector<std::string>{"studies", "formulations", "solvers", "shapes"}
                   : std::vector{what};
  Json all = Json::object();
  for (const std::string& kind : kinds) all[kind] = collect(kind);
  if (as_json) {
    fmt::print("{}\n", (what.empty() ? all : all[what]).dump(2));
    return true;
  }
  for (const auto& [kind, entries] : all.items()) {
    fmt::print("{}\n", kind);
    for (const Json& entry : entries) print_entry(entry);
  }
  return true;
}

}  // namespace touchstone

#include <fmt/format.h>

#include <chrono>

#include "experiments/cli/commands.hpp"
#include "experiments/harness/files.hpp"
#include "experiments/harness/progress.hpp"
#include "experiments/scene.hpp"

namespace touchstone {

namespace {

/// FNV-1a, 64 bits: tells whether a scene file is still the one that was run.
std::string fingerprint(const std::string& text) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return fmt::format("{:016x}", hash);
}

/// Assignments to what every scene has, and the others: the formulation's and the solver's.
std::pair<std::vector<std::string>, std::vector<std::string>> split(
    const std::vector<std::string>& sets) {
  std::vector<std::string> scene, other;
  const Parameters known = scene_parameters();
  for (const std::string& set : sets)
    (known.has(split_assignment(set).first) ? scene : other).push_back(set);
  return {scene, other};
}

void print_summary(const Json& summary) {
  Table table{{"quantity", "value"}};
  for (const char* key : {"status", "steps", "failed_steps", "energy_loss", "max_penetration",
                          "max_residual", "median_step_us"}) {
    const Json& value = summary.at(key);
    table.push_back({key, value.is_number_float() ? fmt::format("{:.4g}", value.get<double>())
                          : value.is_string()     ? value.get<std::string>()
                                                  : value.dump()});
  }
  table.push_back({"events", std::to_string(summary.at("events").size())});
  fmt::print("{}", format_table(table));
}

}  // namespace

std::pair<RunSpec, Scene> scene_spec(const std::string& file, const Choice& choice) {
  const auto [scene_sets, other_sets] = split(choice.sets);
  Scene scene = read_scene(file, scene_sets);
  const std::string formulation =
      choice.formulation ? *choice.formulation : scene.formulation.value_or("stewart-trinkle");
  RunSpec spec = make_spec("scene", scene.name, scene.parameters, formulation,
                           choice.solver ? choice.solver : scene.solver, other_sets);
  spec.scene_hash = fingerprint(read_file(file));
  return {std::move(spec), std::move(scene)};
}

std::filesystem::path scene_results(const std::string& name) {
  return default_results(Registry<StudyEntry>::instance().contains(name) ? "scene-" + name : name);
}

bool run_scene(const std::string& file, const RunSpec& spec, const Scene& scene,
               const std::filesystem::path& folder, bool rerun) {
  if (!rerun && already_run(spec, folder)) return true;
  check_runnable(spec, scene.world);
  check_writable(folder);
  ProgressBar bar(scene.name, 1);
  const auto start = std::chrono::steady_clock::now();
  const Record record =
      simulate(spec, scene.world, [&bar](double fraction) { bar.report(0, fraction); });
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  auto files = run_files(spec, record, std::nullopt, Json::object(), seconds);
  files["scene.toml"] = read_file(file);
  write_run_directory(folder, files);
  return false;
}

bool simulate_command(const std::string& file, const Choice& choice) {
  const auto [spec, scene] = scene_spec(file, choice);
  const Case as_case{spec.formulation, choice.sets, choice.solver};
  const auto folder = choice.out ? std::filesystem::path(*choice.out)
                                 : case_folders(scene_results(scene.name), {as_case}).front();
  const bool found = run_scene(file, spec, scene, folder, choice.batch.rerun);
  const Json summary = Json::parse(read_file(folder / "summary.json"));
  print_summary(summary);
  fmt::print("\n{}{}\n", folder.string(), found ? " (already on disk; --rerun runs it again)" : "");
  return summary.at("status") == "completed" && summary.at("failed_steps") == 0;
}

}  // namespace touchstone

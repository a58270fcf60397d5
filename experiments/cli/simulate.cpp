#include <fmt/format.h>

#include <chrono>

#include "experiments/cli/commands.hpp"
#include "experiments/harness/files.hpp"
#include "experiments/harness/progress.hpp"
#include "experiments/target.hpp"

namespace touchstone {

namespace {

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

std::filesystem::path scene_results(const std::string& name) {
  return default_results(Registry<StudyEntry>::instance().contains(name) ? "scene-" + name : name);
}

bool run_scene(const std::string& file, const RunSpec& spec, const Scene& scene,
               const std::filesystem::path& folder, const Choice& choice) {
  const std::optional<DumpOptions>& dumping = choice.batch.dump;
  if (!choice.batch.rerun && !dumping && already_run(spec, folder)) return true;
  check_runnable(spec, scene.world);
  check_writable(folder);
  std::optional<Dump> dump;
  if (dumping) dump.emplace(*dumping, file, choice.asked());
  ProgressBar bar(scene.name, 1);
  const auto start = std::chrono::steady_clock::now();
  const Record record = simulate(
      spec, scene.world, [&bar](double fraction) { bar.report(0, fraction); }, observer(dump));
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  auto files = run_files(spec, record, std::nullopt, Json::object(), seconds);
  files["scene.toml"] = read_file(file);
  write_run_directory(folder, files);
  if (dump) fmt::print("{}\n", dump->finish());
  return false;
}

bool simulate_command(const std::string& file, const Choice& choice, int frames) {
  const auto [spec, scene] = scene_spec(file, choice.asked());
  const Case as_case{spec.formulation, choice.sets, choice.solver};
  const auto folder = choice.out ? std::filesystem::path(*choice.out)
                                 : case_folders(scene_results(scene.name), {as_case}).front();
  const bool found = run_scene(file, spec, scene, folder, choice);
  const Json summary = Json::parse(read_file(folder / "summary.json"));
  print_summary(summary);
  fmt::print("\n{}{}\n", folder.string(), found ? " (already on disk; --rerun runs it again)" : "");
  std::fflush(stdout);
  const bool drawn =
      frames == 0 || run_script("frames", {folder.string(), "--count", std::to_string(frames)});
  return summary.at("status") == "completed" && summary.at("failed_steps") == 0 && drawn;
}

}  // namespace touchstone

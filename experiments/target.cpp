#include "experiments/target.hpp"

#include "experiments/harness/files.hpp"
#include "experiments/harness/study.hpp"

namespace touchstone {

namespace {

/// Assignments to what every scene has, and the others: the formulation's and the solver's.
std::pair<std::vector<std::string>, std::vector<std::string>> split(
    const std::vector<std::string>& sets) {
  std::vector<std::string> scene, other;
  const Parameters known = scene_parameters();
  for (const std::string& set : sets)
    (known.has(split_assignment(set).first) ? scene : other).push_back(set);
  return {scene, other};
}

}  // namespace

std::pair<RunSpec, Scene> scene_spec(const std::string& file, const Asked& asked) {
  const auto [scene_sets, other_sets] = split(asked.sets);
  Scene scene = read_scene(file, scene_sets);
  const std::string formulation =
      asked.formulation ? *asked.formulation : scene.formulation.value_or("stewart-trinkle");
  RunSpec spec = make_spec("scene", scene.name, scene.parameters, formulation,
                           asked.solver ? asked.solver : scene.solver, other_sets);
  spec.scene_hash = fingerprint(read_file(file));
  return {std::move(spec), std::move(scene)};
}

Target target_of(const std::string& name, const Asked& asked) {
  if (name.ends_with(".toml")) {
    auto [spec, scene] = scene_spec(name, asked);
    return {std::move(spec), std::move(scene.world)};
  }
  const StudyEntry& entry = Registry<StudyEntry>::instance().find(name);
  const Case one = single_case(entry, asked.formulation, asked.solver, asked.sets);
  RunSpec spec =
      make_spec("study", entry.name, entry.parameters, one.formulation, one.solver, one.sets);
  World world = entry.make()->world(spec.parameters);
  return {std::move(spec), std::move(world)};
}

}  // namespace touchstone

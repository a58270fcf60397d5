#include "experiments/studies/ratio_event_runs.hpp"

#include <algorithm>
#include <chrono>

#include "experiments/studies/brazil_nut_scene.hpp"
#include "experiments/studies/ratio_scenes.hpp"
#include "geometry/shapes.hpp"

namespace touchstone {

namespace {

struct RunScene {
  std::string name;
  World world;
  std::vector<std::string> sets;
  std::string solver;
  double h = 0.01;
  int skipped = 0, steps = 100;  // steps before the comparison, and in it
};

/// Five cubes on top of each other, in space: all faces line up.
World cube_stack() {
  std::vector<Body> bodies;
  for (int k = 0; k < 5; ++k) {
    Body cube{.name = "cube" + std::to_string(k + 1), .shape = box(3, Vec3::Constant(0.2))};
    const MassProperties properties = cube.shape->mass_properties(1000.0);
    cube.mass = properties.mass;
    cube.inertia = properties.inertia;
    cube.position = {0.0, 0.0, 0.1 + 0.2 * k};
    bodies.push_back(cube);
  }
  Body floor{.name = "floor", .shape = std::make_shared<HalfSpace>(3, Vec3::UnitZ(), 0.0)};
  floor.fixed = true;
  bodies.push_back(floor);
  return World(3, {0.0, 0.0, -9.81}, bodies, {.mu = 0.4});
}

std::vector<RunScene> scenes() {
  const std::vector<std::string> convex{"coupling=qp", "first_set=1"};
  return {{"pyramid1", pyramid1({.mu = 0.4}), {}, "chain", 0.01, 0, 100},
          {"pyramid1-all-at-once", pyramid1({.mu = 0.4}), {"first_set=1"}, "chain", 0.01, 0, 100},
          {"five-cubes", cube_stack(), {}, "chain", 0.01, 0, 100},
          {"five-cubes-relaxed", cube_stack(), convex, "sparse-interior-point", 0.01, 0, 100},
          {"brazil-nut-100", brazil_nut({.grains = 100}, {.mu = 0.6}), convex,
           "sparse-interior-point", 0.005, 100, 200}};
}

std::unique_ptr<Formulation> make(const RunScene& scene, bool reduce) {
  const auto& entry = Registry<FormulationEntry>::instance().find("ratio-metric");
  Parameters settings = entry.parameters;
  for (const std::string& set : scene.sets) {
    const auto [key, value] = split_assignment(set);
    settings.set(key, value);
  }
  settings.set("reduce", reduce);
  return make_formulation(entry, scene.world, settings, make_solver(scene.solver));
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// One step and its time [µs]; a failed solve ends the study.
const Step& timed(Formulation& formulation, const RunScene& scene, const State& state, double& us) {
  const auto start = std::chrono::steady_clock::now();
  const Step& step = formulation.advance(state, scene.h);
  us = 1e6 * std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (step.status != Status::solved && step.status != Status::inaccurate)
    throw std::runtime_error(scene.name + ": a step ended " + to_string(step.status));
  return step;
}

ReductionRun compare(const RunScene& scene) {
  const auto all = make(scene, false), reduced = make(scene, true);
  ReductionRun run{.scene = scene.name, .steps = scene.steps};
  State state = initial_state(scene.world);
  std::vector<double> all_us, kept_us, ratios;
  double us = 0.0;
  for (int k = 0; k < scene.skipped; ++k) state = timed(*all, scene, state, us).next;
  for (int k = 0; k < scene.steps; ++k) {
    const Step& few = timed(*reduced, scene, state, us);
    kept_us.push_back(us);
    run.events += few.candidates;
    run.kept += few.candidates - few.dropped;
    run.contacts_kept += static_cast<double>(few.contacts.size());
    const Step& full = timed(*all, scene, state, us);
    all_us.push_back(us);
    ratios.push_back(kept_us.back() / us);
    run.contacts_all += static_cast<double>(full.contacts.size());
    state = full.next;
  }
  for (double* sum : {&run.events, &run.kept, &run.contacts_all, &run.contacts_kept})
    *sum /= scene.steps;
  run.step_all_us = median(all_us);
  run.step_kept_us = median(kept_us);
  run.ratio_us = median(ratios);
  return run;
}

}  // namespace

std::vector<ReductionRun> reduction_runs(int most, const Progress& progress) {
  std::vector<ReductionRun> runs;
  std::vector<RunScene> list = scenes();
  for (RunScene& scene : list) {
    scene.steps = std::min(scene.steps, most);
    scene.skipped = std::min(scene.skipped, most);
    runs.push_back(compare(scene));
    progress(static_cast<double>(runs.size()) / static_cast<double>(list.size()));
  }
  return runs;
}

}  // namespace touchstone

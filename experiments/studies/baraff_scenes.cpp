/// baraff-scenes: Baraff, thesis 1992, appendix D, figures D.1 to D.3: a jack falls down stairs,
/// superquadric dice fall through a lattice, a structure with friction collapses.
///
/// The thesis shows pictures and gives no parameters: those of the scene files
/// (experiments/scenes/) are ours, and what is checked is what the pictures say: where the bodies
/// end up, without overlap and without a gain of energy.

#include <fmt/format.h>

#include <algorithm>

#include "experiments/harness/study.hpp"
#include "experiments/scene.hpp"

namespace touchstone {

namespace {

/// A scene file, how long it is run, and a body that must come down to a height [m].
struct AppendixScene {
  const char* name;
  const char* t_end;
  const char* body;
  double height;
  const char* claim;
};

constexpr AppendixScene scenes[] = {
    {"jack-on-stairs", "2.4", "bar-x", 0.5, "the jack comes down the stairs"},
    {"dice-through-lattice", "1.2", "die1", -0.6, "a die falls through the lattice"},
    {"collapsing-gate", "1.5", "lintel", 0.5, "the lintel of the gate comes down"},
};

const AppendixScene& scene_of(const Parameters& p) {
  return *std::find_if(std::begin(scenes), std::end(scenes),
                       [&](const AppendixScene& s) { return s.name == p.text("scene"); });
}

class BaraffScenes final : public Study {
 public:
  World world(const Parameters& p) const override {
    const std::string file = p.text("scene") + ".toml";
    return read_scene(project_root() / "experiments" / "scenes" / file).world;
  }

  std::vector<Case> published_cases() const override {
    std::vector<Case> cases;
    for (const AppendixScene& s : scenes)
      cases.push_back(
          {"baraff-acceleration",
           {fmt::format("scene={}", s.name), fmt::format("t_end={}", s.t_end), "rest_speed=0.01"}});
    return cases;
  }

  Json measures(const Parameters& p, const Record& record) const override {
    const World scene = world(p);
    const int body = scene.index(scene_of(p).body);
    return {{"final_height",
             record.trajectory().back().q[scene.coordinate_offset(body) + scene.dim() - 1]}};
  }

  std::vector<Check> check_run(const CaseResult& result) const override {
    auto checks = Study::check_run(result);
    const double deep = result.summary.at("max_penetration");
    checks.push_back(
        {"bodies overlap by at most 1e-7 m", fmt::format("{:.2g} m", deep), deep <= 1e-7});
    const double gain = result.summary.at("max_energy_gain");
    checks.push_back({"energy is not gained, beyond 1e-8 of what there is",
                      fmt::format("{:.2g}", gain), gain <= 1e-8});
    return checks;
  }

  std::vector<Check> check_study(const std::vector<CaseResult>& results) const override {
    std::vector<Check> checks;
    for (const CaseResult& r : results) {
      const AppendixScene& s = scene_of(r.parameters);
      const double height = r.summary.at("final_height");
      checks.push_back({fmt::format("{}: {}, below {} m", s.name, s.claim, s.height),
                        fmt::format("{} ends at {:.3f} m", s.body, height), height < s.height});
    }
    return checks;
  }

  std::vector<std::pair<std::string, std::string>> table_columns() const override {
    auto columns = Study::table_columns();
    columns.insert(columns.begin(), {"final height [m]", "final_height"});
    columns.push_back({"largest gain of energy", "max_energy_gain"});
    return columns;
  }
};

Parameters parameters() {
  Parameters all = run_parameters(0.01, 1.5);
  all.declare(text("scene", scenes[0].name, "scene file in experiments/scenes/")
                  .one_of({scenes[0].name, scenes[1].name, scenes[2].name}));
  return all;
}

const Register<StudyEntry> entry{{
    .name = "baraff-scenes",
    .summary = "a jack on stairs, dice through a lattice, a collapsing gate: the closing pictures",
    .cite = "Baraff 1992, thesis, appendix D, figures D.1 to D.3",
    .figures = {"baraff1992_appendix_d"},
    .parameters = parameters(),
    .default_formulation = "baraff-acceleration",
    .make = [] { return std::make_unique<BaraffScenes>(); },
}};

}  // namespace

}  // namespace touchstone

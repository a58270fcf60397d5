/// brazil-nut: shaken grains and one large one, which rises (Hart and Anitescu, future research:
/// "the Brazil nut problem").
///
/// Measures: the height of the nut and the part of the grains that lie lower, averaged over the
/// first and over the last two periods of the shaking (a shaken bed flies for a part of each
/// period); the infeasibility I(q) (largest and average over the states); contacts, events and time
/// per step. Beds differ in their random grains; what is asked is their mean rise. The control is
/// shaken with less than gravity, so that nothing leaves the floor.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "experiments/harness/study.hpp"
#include "experiments/studies/brazil_nut_scene.hpp"
#include "experiments/studies/power_law.hpp"
#include "formulations/common/ratio_contacts.hpp"

namespace touchstone {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double shaken = 1.0;            // strength above which the bed leaves the floor
constexpr double averaged_periods = 2.0;  // at the beginning and at the end of the shaking

BrazilNut data_of(const Parameters& p) {
  return {.dim = static_cast<int>(p.integer("dim")),
          .grains = static_cast<int>(p.integer("grains")),
          .columns = static_cast<int>(p.integer("columns")),
          .seed = static_cast<int>(p.integer("seed")),
          .nut = p.real("nut"),
          .strength = p.real("strength"),
          .frequency = p.real("frequency"),
          .start = p.real("shake_start")};
}

double number(const CaseResult& result, const char* key) {
  return result.summary.at(key).get<double>();
}

/// Height of the nut [m] and part of the grains below it.
struct Level {
  double height = 0.0, below = 0.0;
};

Level level(const World& world, const State& state) {
  const auto height = [&](int i) { return state.q[world.coordinate_offset(i) + world.dim() - 1]; };
  Level found{.height = height(0)};
  for (const int i : world.moving()) found.below += i > 0 && height(i) < found.height ? 1.0 : 0.0;
  found.below /= std::max(1.0, static_cast<double>(world.moving().size()) - 1.0);
  return found;
}

/// Average over the states with from < t ≤ to.
Level average_level(const World& world, const std::vector<State>& states, double from, double to) {
  Level sum;
  double count = 0.0;
  for (const State& state : states) {
    if (state.t <= from + 1e-9 || state.t > to + 1e-9) continue;
    const Level now = level(world, state);
    sum.height += now.height, sum.below += now.below, count += 1.0;
  }
  count = std::max(count, 1.0);
  return {sum.height / count, sum.below / count};
}

struct Mean {
  double value = 0.0, error = 0.0;  // and its standard error
};

Mean mean_of(const std::vector<double>& values) {
  const auto n = static_cast<double>(values.size());
  Mean mean;
  for (const double value : values) mean.value += value / n;
  for (const double value : values)
    mean.error += (value - mean.value) * (value - mean.value) / (n * std::max(1.0, n - 1.0));
  mean.error = std::sqrt(mean.error);
  return mean;
}

class BrazilNutStudy final : public Study {
 public:
  World world(const Parameters& p) const override { return brazil_nut(data_of(p), law_of(p)); }

  std::vector<Case> published_cases() const override {
    std::vector<Case> cases;
    const auto add = [&cases](std::vector<std::string> sets) {
      sets.insert(sets.begin(), {"coupling=qp", "first_set=0.25"});
      cases.push_back({"ratio-metric", std::move(sets), "sparse-interior-point"});
    };
    for (const char* seed : {"1", "2", "3", "4", "5", "6"}) add({fmt::format("seed={}", seed)});
    for (const char* seed : {"1", "2"}) add({fmt::format("seed={}", seed), "strength=0.9"});
    for (const char* grains : {"50", "100", "200", "400", "800"})
      add({fmt::format("grains={}", grains), "t_end=1.5"});
    for (const char* grains : {"50", "100", "200"})
      add({"dim=3", fmt::format("grains={}", grains), "nut=2.5", "t_end=1"});
    return cases;
  }

  Json measures(const Parameters& p, const Record& record) const override {
    const World scene = world(p);
    const auto& states = record.trajectory();
    const double span = averaged_periods / p.real("frequency"), start = p.real("shake_start"),
                 end = states.back().t;
    const Level before = average_level(scene, states, start, start + span),
                after = average_level(scene, states, end - span, end);
    RatioContacts contacts(scene);
    Configuration configuration;
    double sum = 0.0, worst = 0.0;
    for (std::size_t k = 1; k < states.size(); ++k) {
      configuration.update(scene, states[k]);
      const double infeasible = contacts.infeasibility(configuration);
      sum += infeasible;
      worst = std::max(worst, infeasible);
    }
    return {
        {"bodies", scene.moving().size()},
        {"height_before", before.height},
        {"height_after", after.height},
        {"rise", after.height - before.height},
        {"grains_below_before", before.below},
        {"grains_below_after", after.below},
        {"average_infeasibility", sum / std::max(1.0, static_cast<double>(states.size()) - 1.0)},
        {"max_infeasibility", worst}};
  }

  std::vector<std::pair<std::string, std::string>> table_columns() const override {
    return {{"rise [m]", "rise"},
            {"below, before", "grains_below_before"},
            {"below, after", "grains_below_after"},
            {"average I", "average_infeasibility"},
            {"largest I", "max_infeasibility"},
            {"deepest [m]", "max_penetration"},
            {"events", "average_candidates"},
            {"contacts", "average_contacts"},
            {"residual", "max_residual"},
            {"failed", "failed_steps"},
            {"step [µs]", "median_step_us"}};
  }

  std::vector<Check> check_run(const CaseResult& result) const override {
    std::vector<Check> checks = Study::check_run(result);
    const double average = number(result, "average_infeasibility"),
                 largest = number(result, "max_infeasibility");
    checks.push_back({"the largest infeasibility of a state is below 0.01 on average",
                      fmt::format("{:.2g}", average), average < 0.01});
    checks.push_back({"no grain passes through another: it is never above 0.5",
                      fmt::format("{:.2g}; deepest overlap {:.2g} m", largest,
                                  number(result, "max_penetration")),
                      largest < 0.5});
    return checks;
  }

  std::vector<Check> check_study(const std::vector<CaseResult>& results) const override {
    const double diameter = 2.0 * BrazilNut{}.radius;
    std::vector<double> rises, controls;
    std::vector<std::pair<double, double>> cost;
    for (const CaseResult& r : results) {
      const double rise = number(r, "rise") / diameter;
      if (r.parameters.real("t_end") <= t_end_of_cost_cases + 1e-9) {
        if (r.parameters.integer("dim") == 2)
          cost.emplace_back(number(r, "bodies"), number(r, "median_step_us"));
      } else if (r.parameters.real("strength") > shaken) {
        rises.push_back(rise);
      } else {
        controls.push_back(std::abs(rise));
      }
    }
    const Mean mean = mean_of(rises);
    const double least = rises.empty() ? 0.0 : *std::min_element(rises.begin(), rises.end());
    const double most =
        controls.empty() ? infinity : *std::max_element(controls.begin(), controls.end());
    return {{"the nut rises in every shaken bed, by more than a tenth of a grain's diameter",
             fmt::format("at least {:.2f} diameters", least), least > 0.1},
            {"its mean rise is more than a diameter, and more than three standard errors",
             fmt::format("{:.2f} ± {:.2f} diameters", mean.value, mean.error),
             mean.value > std::max(1.0, 3.0 * mean.error)},
            {"in the controls it moves by less than a tenth of a diameter",
             fmt::format("at most {:.3f} diameters", most), most < 0.1},
            {"the time of a step grows with less than the square of the number of bodies",
             fmt::format("n^{:.2f}", power_of(cost)), power_of(cost) < 2.0}};
  }

 private:
  static constexpr double t_end_of_cost_cases = 1.5;  // [s]
};

Parameters nut_parameters() {
  const BrazilNut defaults;
  Parameters p = run_parameters(0.005, 12.0);
  p.set("record_every", 20L);
  p.declare(law_parameters({.mu = 0.6}));
  p.declare(integer("dim", defaults.dim, "1", "planar or spatial").at_least(2).at_most(3));
  p.declare(integer("grains", defaults.grains, "1", "how many, beside the nut").at_least(1));
  p.declare(integer("columns", defaults.columns, "1",
                    "width of the container in grains; 0: the bed is as high as wide")
                .at_least(0));
  p.declare(integer("seed", defaults.seed, "1", "of the random grains").at_least(0));
  p.declare(real("nut", defaults.nut, "1", "radius of the nut over that of a grain").above(0));
  p.declare(
      real("strength", defaults.strength, "g", "peak acceleration of the container").at_least(0));
  p.declare(real("frequency", defaults.frequency, "Hz", "of the shaking").above(0));
  p.declare(real("shake_start", defaults.start, "s", "when the shaking begins").at_least(0));
  return p;
}

const Register<StudyEntry> entry{{
    .name = "brazil-nut",
    .summary = "shaken polyhedral grains: the large one rises",
    .cite =
        "Hart and Anitescu, A constraint-stabilized time-stepping approach for piecewise smooth "
        "multibody dynamics, future research; Rosato et al. 1987",
    .figures = {"brazil_nut_rise", "brazil_nut_frames", "brazil_nut_cost"},
    .parameters = nut_parameters(),
    .default_formulation = "ratio-metric",
    .default_solver = "sparse-interior-point",
    .default_sets = {"coupling=qp", "first_set=0.25"},
    .make = [] { return std::make_unique<BrazilNutStudy>(); },
}};

}  // namespace

}  // namespace touchstone

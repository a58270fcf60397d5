/// balance2, pyramid1, dice3, setup6: Hart and Anitescu, numerical results: the average
/// infeasibility against the step size, stabilised (γ = 1) and not (γ = 0).
///
/// gamma-sweep: infeasibility and energy of setup6 for γ from 0 to 2, their future research
/// ("values of γ > 1").
///
/// Infeasibility I(q): the largest of (−ρ)⁺ over the pairs and of |Θ| over the joints, averaged
/// over the states at the ends of all steps. The source's theorem: I = O(h²‖ν‖²).

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "experiments/harness/study.hpp"
#include "experiments/studies/power_law.hpp"
#include "experiments/studies/ratio_scenes.hpp"
#include "formulations/common/ratio_contacts.hpp"

namespace touchstone {

namespace {

using Scene = World (*)(const FrictionLaw&);

/// What both kinds of studies measure in a run.
class SceneStudy : public Study {
 public:
  explicit SceneStudy(Scene scene) : scene_(scene) {}

  World world(const Parameters& p) const override { return scene_(law_of(p)); }

  Json measures(const Parameters& p, const Record& record) const override {
    const World scene = world(p);
    RatioContacts contacts(scene);
    Configuration configuration;
    double sum = 0.0, worst = 0.0, kinetic = 0.0;
    const auto& states = record.trajectory();
    for (std::size_t k = 1; k < states.size(); ++k) {
      configuration.update(scene, states[k]);
      const double infeasible = contacts.infeasibility(configuration);
      sum += infeasible;
      worst = std::max(worst, infeasible);
      kinetic = std::max(kinetic, energy(scene, states[k]).kinetic);
    }
    const double steps = std::max(1.0, static_cast<double>(states.size()) - 1.0);
    return {{"average_infeasibility", sum / steps},
            {"max_infeasibility", worst},
            {"max_kinetic", kinetic}};
  }

  std::vector<std::pair<std::string, std::string>> table_columns() const override {
    auto columns = Study::table_columns();
    columns.insert(columns.begin(), {{"average I", "average_infeasibility"},
                                     {"largest I", "max_infeasibility"},
                                     {"largest T [J]", "max_kinetic"}});
    return columns;
  }

 private:
  Scene scene_;
};

double number(const CaseResult& result, const char* key) {
  return result.summary.at(key).get<double>();
}

class StepSizes final : public SceneStudy {
 public:
  using SceneStudy::SceneStudy;

  std::vector<Case> published_cases() const override {
    std::vector<Case> cases;
    for (const char* gamma : {"1", "0"})
      for (const char* h : {"0.02", "0.01", "0.005", "0.0025", "0.00125"})
        cases.push_back(
            {"ratio-metric", {fmt::format("gamma={}", gamma), fmt::format("h={}", h)}, "chain"});
    return cases;
  }

  std::vector<Check> check_study(const std::vector<CaseResult>& results) const override {
    std::vector<std::pair<double, double>> stabilised, not_stabilised;
    double kinetic = 0.0, least_kinetic = 1e300;
    for (const CaseResult& r : results) {
      auto& list = r.parameters.real("gamma") > 0.0 ? stabilised : not_stabilised;
      list.emplace_back(r.parameters.real("h"), number(r, "average_infeasibility"));
      if (&list != &stabilised) continue;
      kinetic = std::max(kinetic, number(r, "max_kinetic"));
      least_kinetic = std::min(least_kinetic, number(r, "max_kinetic"));
    }
    const double exponent = power_of(stabilised);
    double ratio = 0.0;
    for (const auto& [h, value] : stabilised)
      for (const auto& [other, unstable] : not_stabilised)
        if (h == other) ratio = std::max(ratio, value / unstable);
    return {{"the average infeasibility falls like h^1.8 to h^2.2 with γ = 1",
             fmt::format("h^{:.3f}; with γ = 0 h^{:.3f}", exponent, power_of(not_stabilised)),
             exponent >= 1.8 && exponent <= 2.2},
            {"it is smaller with γ = 1 than with γ = 0 at every step size",
             fmt::format("at most {:.3g} of it", ratio), ratio < 1.0},
            {"velocities stay bounded: the largest kinetic energies of all step sizes within 1.5",
             fmt::format("{:.4g} J to {:.4g} J", least_kinetic, kinetic),
             kinetic <= 1.5 * least_kinetic}};
  }
};

class GammaSweep final : public SceneStudy {
 public:
  using SceneStudy::SceneStudy;

  std::vector<Case> published_cases() const override {
    std::vector<Case> cases;
    for (const char* gamma : {"0", "0.1", "0.25", "0.5", "0.75", "1", "1.25", "1.5", "1.75", "2"})
      cases.push_back({"ratio-metric", {fmt::format("gamma={}", gamma)}, "chain"});
    return cases;
  }

  Json measures(const Parameters& p, const Record& record) const override {
    Json json = SceneStudy::measures(p, record);
    const EnergyRow &first = record.energy().front(), &last = record.energy().back();
    json["energy_change_joules"] = last.total - first.total;
    json["work_normal_joules"] = last.work_normal;
    json["work_joints_joules"] = last.work_joints;
    return json;
  }

  std::vector<Check> check_study(const std::vector<CaseResult>& results) const override {
    double best = 1e300, at = 0.0, none = 0.0;
    for (const CaseResult& r : results) {
      const double value = number(r, "average_infeasibility"), gamma = r.parameters.real("gamma");
      if (value < best) best = value, at = gamma;
      if (gamma == 0.0) none = value;
    }
    return {{"every γ > 0 of the sweep has a smaller average infeasibility than γ = 0",
             fmt::format("γ = 0: {:.3g}; least {:.3g} at γ = {}", none, best, at),
             std::all_of(results.begin(), results.end(), [&](const CaseResult& r) {
               return r.parameters.real("gamma") == 0.0 ||
                      number(r, "average_infeasibility") < none;
             })}};
  }
};

Parameters scene_parameters(double h, double t_end, double mu) {
  Parameters p = run_parameters(h, t_end);
  p.declare(law_parameters({.mu = mu}));
  return p;
}

template <class S>
StudyEntry scene_entry(const std::string& name, const std::string& summary, Scene scene,
                       double t_end, double mu, const std::vector<std::string>& figures) {
  return {.name = name,
          .summary = summary,
          .cite =
              "Hart and Anitescu, A constraint-stabilized time-stepping approach for piecewise "
              "smooth multibody dynamics, numerical results",
          .figures = figures,
          .parameters = scene_parameters(0.01, t_end, mu),
          .default_formulation = "ratio-metric",
          .make = [scene] { return std::make_unique<S>(scene); }};
}

const std::vector<std::string> stepping_figures{"hart_infeasibility", "hart_frames"};
const Register<StudyEntry> balance2_entry{scene_entry<StepSizes>(
    "balance2", "a beam on a wedge with swinging weights: infeasibility against the step size",
    balance2, 1.5, 0.5, stepping_figures)};
const Register<StudyEntry> pyramid1_entry{scene_entry<StepSizes>(
    "pyramid1", "a pyramid hit by a swinging weight: infeasibility against the step size", pyramid1,
    1.0, 0.4, stepping_figures)};
const Register<StudyEntry> dice3_entry{scene_entry<StepSizes>(
    "dice3", "three thrown dice joined by rods: infeasibility against the step size", dice3, 1.0,
    0.4, stepping_figures)};
const Register<StudyEntry> setup6_entry{scene_entry<StepSizes>(
    "setup6", "jointed wheels and boxes on a slope: infeasibility against the step size", setup6,
    1.5, 0.5, stepping_figures)};
const Register<StudyEntry> gamma_entry{scene_entry<GammaSweep>(
    "gamma-sweep", "infeasibility and energy of setup6 for stabilisations from 0 to 2", setup6, 1.5,
    0.5, {"hart_gamma"})};

}  // namespace

}  // namespace touchstone

/// ellipsoid-on-ellipsoids: what Chakraborty et al. 2007, section V-C, claim and do not show.
///
/// Example 3 of the paper with other semi-axes: "changing the a, b, c parameters would allow us to
/// model ellipsoids rolling on ellipsoids", for which there is no gap function in closed form. A
/// homogeneous ellipsoid lies in the valley between two fixed bodies, spheres (`large = spheres`,
/// the paper's) or ellipsoids, and is pushed along it. The data are our own (docs/ellipsoid-on-
/// ellipsoids.md); a = b = c = 1 on spheres is the published example, and must move like it.
///
/// There is no reference solution. Four things are checked that a wrong method would not meet:
/// the error halves with the step (Richardson: differences of successive halvings fall by 2); the
/// contacts keep their law; what the normal impulses and the integrator take from the energy goes
/// to zero with the step; and the sphere as an ellipsoid moves like the sphere.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "experiments/harness/study.hpp"
#include "experiments/studies/contact_law.hpp"
#include "experiments/studies/polyhedral_bodies.hpp"
#include "experiments/studies/settle.hpp"
#include "geometry/shapes.hpp"

namespace touchstone {

namespace {

constexpr double convergence_time = 1.0;  // [s]

struct Support {
  Vec3 centre;
  Vec3 axes;
};

std::vector<Support> supports(const Parameters& p) {
  if (p.text("large") == "spheres")
    return {{{0.0, 0.0, 0.0}, Vec3::Constant(10.0)}, {{0.0, 11.4, 0.0}, Vec3::Constant(9.0)}};
  return {{{0.0, 0.0, 0.0}, {12.0, 9.0, 10.0}}, {{0.0, 11.4, 0.0}, {8.0, 10.0, 9.0}}};
}

std::shared_ptr<const ConvexSet> shape(const Parameters& p, const Vec3& semi_axes) {
  if (is_polyhedral(p)) return polyhedron_for(p, semi_axes);
  return std::make_shared<Ellipsoid>(3, semi_axes);
}

class EllipsoidOnEllipsoids final : public Study {
 public:
  World world(const Parameters& p) const override {
    std::vector<Body> large;
    for (const Support& support : supports(p)) {
      Body body{.name = large.empty() ? "first" : "second", .shape = shape(p, support.axes)};
      body.position = support.centre;
      body.fixed = true;
      large.push_back(body);
    }
    const Vec3 axes(p.real("a"), p.real("b"), p.real("c"));
    Body egg{.name = "egg", .shape = shape(p, axes)};
    egg.mass = p.real("mass");
    const Vec3 squared = axes.cwiseAbs2();
    egg.inertia = (egg.mass / 5.0 * (Vec3::Constant(squared.sum()) - squared)).asDiagonal();
    egg.orientation = Eigen::AngleAxisd(p.real("yaw"), Vec3::UnitZ());
    egg.applied.force = {p.real("force_x"), p.real("force_y"), p.real("force_z")};
    egg.position = {0.0, 6.62, 8.78};
    if (!settle(egg, large))
      throw InputError(
          "a, b, c: an ellipsoid of these semi-axes does not rest on both large bodies");
    return World(3, Vec3::Zero(), {egg, large[0], large[1]}, law_of(p));
  }

  std::vector<Case> published_cases() const override {
    std::vector<Case> cases;
    for (const char* large : {"spheres", "ellipsoids"})
      for (const char* h : {"0.01", "0.005", "0.0025", "0.00125"})
        cases.push_back(
            {"geometric-ncp", {fmt::format("large={}", large), fmt::format("h={}", h)}});
    for (const char* large : {"spheres", "ellipsoids"})
      cases.push_back({"stewart-trinkle", {fmt::format("large={}", large), "h=0.01"}});
    cases.push_back({"geometric-ncp", {"large=spheres", "a=1", "b=1", "c=1", "yaw=0"}});
    for (const char* facets : {"facets=80", "facets=320"})
      cases.push_back({"ratio-metric", {"large=ellipsoids", facets, "h=0.01"}, "chain"});
    return cases;
  }

  Json measures(const Parameters& p, const Record& record) const override {
    const LawResidual law = law_residual(record, law_of(p), p.real("h"));
    const EnergyRow& last = record.energy().back();
    Json json = {{"modes_1", mode_history(record, "egg/first")},
                 {"modes_2", mode_history(record, "egg/second")},
                 {"slip_2", event_time(record, "egg/second", "slip")},
                 {"separate_1", event_time(record, "egg/first", "separate")},
                 {"separate_2", event_time(record, "egg/second", "separate")},
                 {"sliding_residual", law.sliding},
                 {"cone_violation", law.outside},
                 {"friction_loss", -last.work_friction},
                 {"own_work", last.work_normal + last.work_numerical},
                 {"state_1s", nullptr}};
    if (is_polyhedral(p)) {
      json["separate_1"] = last_push(record, "egg/first");
      json["separate_2"] = last_push(record, "egg/second");
      const double reach = std::max({p.real("a"), p.real("b"), p.real("c")});
      json["linearisation_bound"] = linearisation_bound(record, p.real("h"), reach);
    }
    for (std::size_t k = 0; k < record.trajectory().size(); ++k) {
      const State& state = record.trajectory()[k];
      if (std::abs(state.t - convergence_time) > 1e-9) continue;
      std::vector<double> y(state.q.begin(), state.q.end());
      y.insert(y.end(), state.nu.begin(), state.nu.end());
      json["state_1s"] = y;
      json["own_work_1s"] = record.energy()[k].work_normal + record.energy()[k].work_numerical;
    }
    return json;
  }

  std::vector<Check> check_run(const CaseResult& result) const override {
    std::vector<Check> checks = Study::check_run(result);
    if (is_polyhedral(result.parameters)) {
      check_penetration(result, checks);
      return checks;
    }
    if (result.the_case.formulation != "geometric-ncp") return checks;
    for (const auto& [claim, key, bar] :
         {std::tuple{"friction is mu times the normal force while sliding [N]", "sliding_residual",
                     1e-8},
          std::tuple{"friction stays inside its ellipsoid [N]", "cone_violation", 1e-8},
          std::tuple{"no penetration [m]", "max_penetration", 1e-8}}) {
      const double value = result.summary.at(key);
      checks.push_back(
          {fmt::format("{} to {:.0e}", claim, bar), fmt::format("{:.2e}", value), value < bar});
    }
    return checks;
  }

  std::vector<Check> check_study(const std::vector<CaseResult>& results) const override;

  std::vector<std::pair<std::string, std::string>> table_columns() const override {
    auto columns = Study::table_columns();
    columns.erase(columns.begin());
    columns.insert(columns.begin(), {{"slip 2 [s]", "slip_2"},
                                     {"separate 1 [s]", "separate_1"},
                                     {"separate 2 [s]", "separate_2"},
                                     {"friction loss [J]", "friction_loss"},
                                     {"own work [J]", "own_work"}});
    return columns;
  }
};

const CaseResult* find(const std::vector<CaseResult>& results, const std::string& name,
                       const std::string& formulation = "geometric-ncp") {
  for (const CaseResult& result : results)
    if (result.the_case.formulation == formulation && result.the_case.name() == name)
      return &result;
  return nullptr;
}

Vec state_at_1s(const CaseResult& result) {
  const auto values = result.summary.at("state_1s").get<std::vector<double>>();
  return Eigen::Map<const Vec>(values.data(), static_cast<Eigen::Index>(values.size()));
}

/// Differences of successive halvings, and the work that only the method does.
void check_convergence(const std::vector<CaseResult>& results, const std::string& large,
                       std::vector<Check>& checks) {
  std::vector<const CaseResult*> runs;
  for (const char* h : {"0.01", "0.005", "0.0025", "0.00125"}) {
    runs.push_back(find(results, fmt::format("large={}_h={}", large, h)));
    if (!runs.back()) return;
  }
  const auto difference = [&](std::size_t k) {
    return (state_at_1s(*runs[k]) - state_at_1s(*runs[k + 1])).norm();
  };
  for (std::size_t k = 0; k + 2 < runs.size(); ++k) {
    const double ratio = difference(k) / difference(k + 1);
    checks.push_back({fmt::format("{}: differences at 1 s fall by 2 +- 0.1 ({})", large, k + 1),
                      fmt::format("by {:.4f}", ratio), std::abs(ratio - 2.0) <= 0.1});
  }
  for (std::size_t k = 0; k + 1 < runs.size(); ++k) {
    const double ratio = runs[k]->summary.at("own_work_1s").get<double>() /
                         runs[k + 1]->summary.at("own_work_1s").get<double>();
    checks.push_back(
        {fmt::format("{}: the method's own work at 1 s falls by 2 +- 0.1 ({})", large, k + 1),
         fmt::format("by {:.4f}", ratio), std::abs(ratio - 2.0) <= 0.1});
  }
}

/// Half the size of a facet, half the distance from the smooth motion or less, as in
/// sphere-on-two-spheres.
void check_refinement(const std::vector<CaseResult>& results, std::vector<Check>& checks) {
  const CaseResult* smooth = find(results, "large=ellipsoids_h=0.00125");
  const auto polyhedral = [&](const char* facets) {
    return find(results, fmt::format("large=ellipsoids_facets={}_h=0.01_solver=chain", facets),
                "ratio-metric");
  };
  const CaseResult *coarse = polyhedral("80"), *fine = polyhedral("320");
  if (!smooth || !coarse || !fine) return;
  const double before = (state_at_1s(*coarse) - state_at_1s(*smooth)).norm(),
               after = (state_at_1s(*fine) - state_at_1s(*smooth)).norm();
  checks.push_back(
      {"ratio-metric: the distance from the smooth motion at 1 s falls by 2 or more from 80 to 320 "
       "facets",
       fmt::format("from {:.4f} to {:.4f}", before, after), before >= 2.0 * after});
}

std::vector<Check> EllipsoidOnEllipsoids::check_study(
    const std::vector<CaseResult>& results) const {
  std::vector<Check> checks;
  for (const char* large : {"spheres", "ellipsoids"}) check_convergence(results, large, checks);
  check_refinement(results, checks);
  if (const CaseResult* r = find(results, "large=spheres_a=1_b=1_c=1_yaw=0"))
    for (const auto& [key, expected] : std::vector<std::pair<std::string, double>>{
             {"slip_2", 2.944807}, {"separate_1", 3.213206}, {"separate_2", 3.701600}}) {
      const double t = r->summary.at(key).is_number() ? r->summary.at(key).get<double>() : NAN;
      checks.push_back(
          {fmt::format("a sphere as an ellipsoid: {} at {} s within one step", key, expected),
           fmt::format("{:.6f} s", t), std::abs(t - expected) <= 0.01});
    }
  for (const CaseResult& r : results)
    if (r.the_case.formulation == "geometric-ncp") {
      const int unknowns = r.summary.at("unknowns");
      checks.push_back(
          {r.the_case.name() + ": 28 unknowns", fmt::format("{}", unknowns), unknowns == 28});
    }
  return checks;
}

Parameters parameters() {
  Parameters all{text("large", "ellipsoids",
                      "the two fixed bodies: those of the paper, or "
                      "ellipsoids in their place")
                     .one_of({"spheres", "ellipsoids"})};
  all.declare(run_parameters(0.01, 4.0));
  all.declare(law_parameters({.mu = 0.2, .e_r = 0.3}));
  all.declare(real("a", 1.0, "m", "first semi-axis of the small ellipsoid").above(0));
  all.declare(real("b", 1.2, "m", "second semi-axis").above(0));
  all.declare(real("c", 0.95, "m", "third semi-axis").above(0));
  all.declare(real("yaw", 0.1, "rad", "its turn about the vertical at the start"));
  all.declare(real("mass", 1.0, "kg", "its mass, homogeneous").above(0));
  all.declare(facets_parameter());
  all.declare(real("force_x", 1.0, "N", "constant force on it, along the valley"));
  all.declare(real("force_y", 2.6, "N", "constant force on it, across the valley"));
  all.declare(real("force_z", -9.81, "N", "constant force on it, its weight"));
  return all;
}

const Register<StudyEntry> entry{{
    .name = "ellipsoid-on-ellipsoids",
    .summary = "an ellipsoid rolls and slides on two larger spheres or ellipsoids",
    .cite = "own data; the claim of Chakraborty, Berard, Akella, Trinkle 2007, section V-C",
    .figures = {"ellipsoid_on_ellipsoids_motion", "ellipsoid_on_ellipsoids_contacts"},
    .parameters = parameters(),
    .default_formulation = "geometric-ncp",
    .make = [] { return std::make_unique<EllipsoidOnEllipsoids>(); },
}};

}  // namespace

}  // namespace touchstone

/// sphere-on-two-spheres: Chakraborty et al. 2007, example 3, figures 5 to 8.
///
/// A unit sphere lies in the valley between two larger fixed ones and is pushed along it. Contact 1
/// slides from the start, contact 2 rolls, then slides; both separate. The reference is an
/// event-driven integration (sphere_on_spheres.hpp).

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "experiments/harness/files.hpp"
#include "experiments/harness/study.hpp"
#include "experiments/studies/contact_law.hpp"
#include "experiments/studies/polyhedral_bodies.hpp"
#include "experiments/studies/settle.hpp"
#include "experiments/studies/sphere_on_spheres.hpp"
#include "geometry/shapes.hpp"

namespace touchstone {

namespace {

constexpr const char* contact_1 = "ball/first";
constexpr const char* contact_2 = "ball/second";
constexpr double convergence_time = 2.5;  // [s] before the first event

SphereOnSpheresData reference_data(const Parameters& p) {
  SphereOnSpheresData data;
  data.mass = p.real("mass");
  data.inertia = p.real("inertia");
  data.force = {p.real("force_x"), p.real("force_y"), p.real("force_z")};
  data.position = {0.0, 6.62105263157895, 8.78417110772903};
  data.supports = {{{{0.0, 0.0, 0.0}, 10.0}, {{0.0, 11.4, 0.0}, 9.0}}};
  data.mu = p.real("mu");
  data.e_t = p.real("e_t");
  data.e_r = p.real("e_r");
  return data;
}

/// Over the whole of the last step, which may end after t_end. Null where the reference does not
/// apply: weights that differ between the tangents, or a motion that it does not model.
std::shared_ptr<const SphereOnSpheres> reference(const Parameters& p) {
  if (p.real("e_t") != p.real("e_o")) return nullptr;
  const double t_end = p.real("t_end") + p.real("h");
  auto exact = std::make_shared<SphereOnSpheres>(reference_data(p), t_end);
  return exact->t_end() < t_end ? nullptr : exact;
}

/// (x, v, ω) of a state: orientation does not matter for a sphere.
SphereOnSpheres::Motion motion(const State& state) {
  SphereOnSpheres::Motion y;
  y << state.q.head(3), state.nu;
  return y;
}

/// Work of the normal impulses of an implicit step, to first order in h. The step from x to x⁺ is a
/// chord of the sphere of radius ρ on which the centre moves, so that along the normal at its end
/// u_n⁺ = hv²/2ρ and u_n⁻ = 3hv²/2ρ: the impulse hλ_n does the work hλ_n(u_n⁻ + u_n⁺)/2, which no
/// exact motion has,
///
///     W = h ∫ v² Σ λ_n/ρ dt.
double chord_work(const SphereOnSpheres& exact, const Parameters& p, double t_end) {
  const SphereOnSpheresData data = reference_data(p);
  const double h = p.real("h");
  const auto power = [&](double t) {
    double sum = 0.0;
    const auto loads = exact.loads(t);
    for (std::size_t i = 0; i < 2; ++i)
      sum += loads[i].normal / (data.supports[i].radius + data.radius);
    return h * sum * exact.at(t).segment<3>(3).squaredNorm();
  };
  const int steps = 1000;  // trapezoidal rule
  double sum = -0.5 * (power(0.0) + power(t_end));
  for (int k = 0; k <= steps; ++k) sum += power(t_end * k / steps);
  return sum * t_end / steps;
}

Json number_or_null(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

/// Largest difference of two runs' trajectories, at any time and in any column.
double trajectory_difference(const CaseResult& a, const CaseResult& b) {
  const auto A = read_numbers(a.folder / "trajectory.csv");
  const auto B = read_numbers(b.folder / "trajectory.csv");
  if (A.size() != B.size()) return std::numeric_limits<double>::infinity();
  double worst = 0.0;
  for (std::size_t row = 0; row < A.size(); ++row)
    for (std::size_t k = 0; k < A[row].size(); ++k)
      worst = std::max(worst, std::abs(A[row][k] - B[row][k]));
  return worst;
}

bool available(const std::string& solver) {
  return Registry<SolverEntry>::instance().find(solver).unavailable.empty();
}

class SphereOnTwoSpheres final : public Study {
 public:
  World world(const Parameters& p) const override {
    const SphereOnSpheresData data = reference_data(p);
    Body ball{.name = "ball", .shape = ball_or_polyhedron(p, data.radius)};
    ball.mass = data.mass;
    ball.inertia = data.inertia * Mat3::Identity();
    ball.applied.force = data.force;
    ball.position = data.position;
    std::vector<Body> supports;
    for (std::size_t i = 0; i < 2; ++i) {
      Body support{.name = i == 0 ? "first" : "second",
                   .shape = ball_or_polyhedron(p, data.supports[i].radius)};
      support.position = data.supports[i].centre;
      support.fixed = true;
      supports.push_back(support);
    }
    if (is_polyhedral(p) && !settle(ball, supports))
      throw InputError("facets: the small polyhedron does not touch both supports");
    return World(3, Vec3::Zero(), {ball, supports[0], supports[1]}, law_of(p));
  }

  /// The published step, three halvings of it for both implicit methods, and the other families of
  /// solvers, which get a predicted start so that the work is theirs. Then polyhedra in the place
  /// of all three spheres: their own motion, event-driven, and that of the stepping method for
  /// them.
  std::vector<Case> published_cases() const override {
    std::vector<Case> cases;
    for (const char* formulation : {"geometric-ncp", "tzitzouris-pang", "stewart-trinkle"})
      for (const char* h : {"0.01", "0.005", "0.0025", "0.00125"})
        cases.push_back({formulation, {fmt::format("h={}", h)}});
    cases.push_back({"stewart-trinkle", {"h=0.01", "directions=64"}});
    cases.push_back({"geometric-ncp", {"h=0.01", "start=predicted"}, "newton-fb"});
    for (const char* solver : {"siconos-mcp-min", "path"})
      if (available(solver))
        cases.push_back({"geometric-ncp", {"h=0.01", "start=predicted"}, solver});
    for (const char* facets : {"facets=80", "facets=320"}) {
      cases.push_back({"baraff-acceleration", {facets, "h=0.01"}});
      cases.push_back({"ratio-metric", {facets, "h=0.01"}, "chain"});
    }
    cases.push_back({"ratio-metric", {"facets=320", "h=0.0025"}, "chain"});
    return cases;
  }

  std::optional<Oracle> oracle(const Parameters& p) const override {
    const auto exact = reference(p);
    if (!exact) return std::nullopt;
    Oracle oracle{{"ball.x", "ball.y", "ball.z", "ball.vx", "ball.vy", "ball.vz", "ball.wx",
                   "ball.wy", "ball.wz"},
                  {}};
    for (const char* contact : {contact_1, contact_2})
      for (const char* quantity : {"normal_force", "friction", "slip"})
        oracle.columns.push_back(fmt::format("{}.{}", contact, quantity));
    oracle.values = [exact](double t) {
      const auto y = exact->at(t);
      std::vector<double> values(y.begin(), y.end());
      for (const SphereOnSpheres::Load& load : exact->loads(t))
        values.insert(values.end(), {load.normal, load.friction_magnitude, load.slip});
      return values;
    };
    return oracle;
  }

  Json measures(const Parameters& p, const Record& record) const override {
    const LawResidual law = law_residual(record, law_of(p), p.real("h"));
    Json json = {{"slip_2", event_time(record, contact_2, "slip")},
                 {"separate_1", event_time(record, contact_1, "separate")},
                 {"separate_2", event_time(record, contact_2, "separate")},
                 {"modes_1", mode_history(record, contact_1)},
                 {"modes_2", mode_history(record, contact_2)},
                 {"sliding_residual", law.sliding},
                 {"cone_violation", law.outside}};
    if (is_polyhedral(p)) {  // whose first slip cannot be told: features come and go
      json["separate_1"] = last_push(record, contact_1);
      json["separate_2"] = last_push(record, contact_2);
      json["linearisation_bound"] =
          linearisation_bound(record, p.real("h"), reference_data(p).radius);
    }
    const auto exact = reference(p);
    if (!exact) return json;
    using Mode = SphereOnSpheres::Mode;
    json["exact_slip_2"] = number_or_null(exact->time_of(1, Mode::slip));
    json["exact_separate_1"] = number_or_null(exact->time_of(0, Mode::separate));
    json["exact_separate_2"] = number_or_null(exact->time_of(1, Mode::separate));
    double worst = 0.0;
    json["state_error_2.5s"] = nullptr;
    for (const State& state : record.trajectory()) {
      const double error = (motion(state) - exact->at(state.t)).norm();
      worst = std::max(worst, error);
      if (std::abs(state.t - convergence_time) < 1e-9) json["state_error_2.5s"] = error;
    }
    json["state_error_max"] = worst;
    json["normal_work"] = record.energy().back().work_normal;
    json["chord_work"] = chord_work(*exact, p, record.energy().back().t);
    return json;
  }

  std::vector<Check> check_run(const CaseResult& result) const override {
    std::vector<Check> checks = Study::check_run(result);
    const Json& s = result.summary;
    if (is_polyhedral(result.parameters)) {
      check_penetration(result, checks);
      return checks;
    }
    if (!is_implicit(result) || !s.contains("exact_slip_2")) return checks;
    for (const char* event : {"slip_2", "separate_1", "separate_2"}) {
      const Json &found = s.at(event), &exact = s.at(std::string("exact_") + event);
      const bool both = found.is_number() && exact.is_number();
      const double error = both ? std::abs(found.get<double>() - exact.get<double>()) : 0.0;
      checks.push_back({fmt::format("event {} within one step of the reference", event),
                        fmt::format("{} s, reference {} s", found.dump(), exact.dump()),
                        found.is_null() == exact.is_null() &&
                            error <= result.parameters.real("h") * (1.0 + 1e-9)});
    }
    const double sliding = s.at("sliding_residual"), outside = s.at("cone_violation");
    checks.push_back({"friction is mu times the normal force while sliding, to 1e-8 N",
                      fmt::format("{:.2e} N", sliding), sliding < 1e-8});
    checks.push_back({"friction stays inside its ellipsoid, to 1e-8 N",
                      fmt::format("{:.2e} N outside", outside), outside < 1e-8});
    return checks;
  }

  std::vector<Check> check_study(const std::vector<CaseResult>& results) const override;

  std::vector<std::pair<std::string, std::string>> table_columns() const override {
    auto columns = Study::table_columns();
    columns.erase(columns.begin());  // energy loss: the friction's, mostly
    columns.insert(columns.begin(), {{"slip 2 [s]", "slip_2"},
                                     {"separate 1 [s]", "separate_1"},
                                     {"separate 2 [s]", "separate_2"},
                                     {"error 2.5 s", "state_error_2.5s"},
                                     {"worst error", "state_error_max"},
                                     {"normal work [J]", "normal_work"}});
    return columns;
  }

 private:
  static bool is_implicit(const CaseResult& result) {
    return result.the_case.formulation == "geometric-ncp" ||
           result.the_case.formulation == "tzitzouris-pang";
  }
};

const CaseResult* find(const std::vector<CaseResult>& results, const std::string& formulation,
                       const std::string& name) {
  for (const CaseResult& result : results)
    if (result.the_case.formulation == formulation && result.the_case.name() == name)
      return &result;
  return nullptr;
}

/// The published case: its modes, its events, its number of unknowns.
void check_published(const CaseResult& r, std::vector<Check>& checks) {
  const std::string who = r.the_case.formulation + ", h = 0.01: ";
  const Json& s = r.summary;
  for (const auto& [key, expected] : std::vector<std::pair<std::string, std::string>>{
           {"modes_1", "slip separate"}, {"modes_2", "stick slip separate"}})
    checks.push_back({who + key + " is '" + expected + "'", s.at(key), s.at(key) == expected});
  for (const auto& [key, expected] : std::vector<std::pair<std::string, double>>{
           {"slip_2", 2.944807}, {"separate_1", 3.213206}, {"separate_2", 3.701600}}) {
    const double t = s.at(key).is_number() ? s.at(key).get<double>() : NAN;
    checks.push_back({fmt::format("{}{} at {} s within one step", who, key, expected),
                      fmt::format("{:.6f} s", t), std::abs(t - expected) <= 0.01});
  }
  const int expected = r.the_case.formulation == "geometric-ncp" ? 28 : 16;
  checks.push_back({fmt::format("{}{} unknowns", who, expected),
                    fmt::format("{}", s.at("unknowns").dump()), s.at("unknowns") == expected});
  const double work = s.at("normal_work"), chords = s.at("chord_work");
  checks.push_back({who + "the normal impulses do the work of chords in closed form, within 1 %",
                    fmt::format("{:.5f} J, closed form {:.5f} J", work, chords),
                    std::abs(work / chords - 1.0) < 0.01});
  const double sliding = s.at("sliding_residual");
  checks.push_back({who + "friction is mu times the normal force while sliding, to 1e-8 N",
                    fmt::format("{:.2e} N", sliding), sliding < 1e-8});
}

/// Half the size of a facet, half the error or less: normals and the losses at edges are of first
/// order in that size, and second-order parts make coarse polyhedra worse than that.
void check_refinement(const std::vector<CaseResult>& results, const std::string& formulation,
                      const std::string& solver, std::vector<Check>& checks) {
  const CaseResult* coarse = find(results, formulation, "facets=80_h=0.01" + solver);
  const CaseResult* fine = find(results, formulation, "facets=320_h=0.01" + solver);
  if (!coarse || !fine) return;
  const Json &before = coarse->summary.at("state_error_2.5s"),
             &after = fine->summary.at("state_error_2.5s");
  const bool both = before.is_number() && after.is_number();
  const double ratio = both ? before.get<double>() / after.get<double>() : 0.0;
  checks.push_back({formulation + ": error at 2.5 s falls by 2 or more from 80 to 320 facets",
                    fmt::format("by {:.4f}", ratio), ratio >= 2.0});
}

std::vector<Check> SphereOnTwoSpheres::check_study(const std::vector<CaseResult>& results) const {
  std::vector<Check> checks;
  for (const char* formulation : {"geometric-ncp", "tzitzouris-pang"}) {
    if (const CaseResult* r = find(results, formulation, "h=0.01")) check_published(*r, checks);
    const CaseResult* coarse = nullptr;
    for (const char* h : {"0.01", "0.005", "0.0025", "0.00125"}) {
      const CaseResult* fine = find(results, formulation, fmt::format("h={}", h));
      if (coarse && fine) {
        const double ratio = coarse->summary.at("state_error_2.5s").get<double>() /
                             fine->summary.at("state_error_2.5s").get<double>();
        checks.push_back(
            {fmt::format("{}: error at 2.5 s falls by 2 +- 0.1 to h = {}", formulation, h),
             fmt::format("by {:.4f}", ratio), std::abs(ratio - 2.0) <= 0.1});
      }
      coarse = fine;
    }
  }
  check_refinement(results, "baraff-acceleration", "", checks);
  check_refinement(results, "ratio-metric", "_solver=chain", checks);
  const CaseResult* own = find(results, "geometric-ncp", "h=0.01");
  for (const CaseResult& other : results) {
    const bool same = other.the_case.formulation == "geometric-ncp" && other.the_case.solver;
    if (!own || !same) continue;
    const double difference = trajectory_difference(*own, other);
    checks.push_back({"geometric-ncp: " + *other.the_case.solver + " gives the trajectory to 1e-7",
                      fmt::format("{:.2e}", difference), difference < 1e-7});
  }
  if (!available("path"))
    checks.push_back({"geometric-ncp: path gives the trajectory to 1e-7",
                      "skipped: no PATH library here", true});
  return checks;
}

Parameters parameters() {
  Parameters all = run_parameters(0.01, 4.0);
  all.declare(law_parameters({.mu = 0.2, .e_r = 0.3}));
  all.declare(facets_parameter());
  all.declare(real("mass", 1.0, "kg", "mass of the small sphere").above(0));
  all.declare(real("inertia", 0.4, "kg m^2", "its moment of inertia").above(0));
  all.declare(real("force_x", 1.0, "N", "constant force on the small sphere, along the valley"));
  all.declare(real("force_y", 2.6, "N", "constant force on the small sphere, across the valley"));
  all.declare(real("force_z", -9.81, "N", "constant force on the small sphere, its weight"));
  return all;
}

const Register<StudyEntry> entry{{
    .name = "sphere-on-two-spheres",
    .summary = "a sphere rolls and slides on two larger ones, then leaves them",
    .cite = "Chakraborty, Berard, Akella, Trinkle 2007, example 3, figures 5 to 8",
    .figures = {"chakraborty2007_fig5", "chakraborty2007_fig6", "chakraborty2007_fig7",
                "chakraborty2007_fig8"},
    .parameters = parameters(),
    .default_formulation = "geometric-ncp",
    .make = [] { return std::make_unique<SphereOnTwoSpheres>(); },
}};

}  // namespace

}  // namespace touchstone

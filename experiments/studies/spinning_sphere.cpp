/// spinning-sphere: Chakraborty et al. 2007, example 2, figures 3 and 4.
///
/// A sphere spins about the normal of a level floor until torsional friction stops it. The moment
/// is at its bound τ = μ e_r m g while the sphere turns, so that in continuous time
///
///     ω_z(t) = ω₀ (1 − t/t_stop),   t_stop = I|ω₀|/τ                                        (1)
///
/// and all other velocities are zero. An implicit step takes away hτ/I, or what is left:
///
///     ω_k = ω_{k−1} − sign(ω_{k−1}) min(hτ/I, |ω_{k−1}|),   λ_r,k = I(ω_k − ω_{k−1})/h      (2)
///
/// (2) agrees with (1) at every step but in the one that contains t_stop, where the moment is the
/// mean over the step and ω_z is zero only at its end.
///
/// With `facets` the sphere is a polyhedron that spins on a vertex, where (2) holds as it stands,
/// or on a facet, whose corners have friction with a lever.

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <numbers>

#include "experiments/harness/study.hpp"
#include "experiments/studies/contact_law.hpp"
#include "experiments/studies/polyhedral_bodies.hpp"
#include "geometry/shapes.hpp"

namespace touchstone {

namespace {

class SpinningSphereMotion {
 public:
  explicit SpinningSphereMotion(const Parameters& p)
      : omega0_(p.real("omega")),
        inertia_(p.real("inertia")),
        moment_(p.real("mu") * p.real("e_r") * p.real("mass") * p.real("gravity")),
        h_(p.real("h")) {}

  double omega(double t) const {  // (1)
    return std::copysign(std::max(0.0, std::abs(omega0_) - moment_ / inertia_ * t), omega0_);
  }
  /// On the sphere, against its turning; that of the start at t = 0 [N m].
  double moment(double t) const { return omega(t) != 0.0 ? -std::copysign(moment_, omega0_) : 0.0; }
  /// At the end of a step, t = kh; (2) takes away the same amount every time.
  double stepped_omega(double t) const { return omega(std::round(t / h_) * h_); }
  double stepped_moment(double t) const {
    return t > 0.0 ? inertia_ * (stepped_omega(t) - stepped_omega(t - h_)) / h_ : moment(0.0);
  }

 private:
  double omega0_, inertia_, moment_, h_;
};

/// Turns a geodesic polyhedron onto one of the twelve vertices with five neighbours, or onto a
/// facet whose middle is on a threefold axis, and lays it onto the floor.
void stand(Body& body, bool on_facet) {
  const Vec3 lowest = on_facet ? Vec3(1.0, 1.0, 1.0) : Vec3(0.0, 1.0, std::numbers::phi);
  body.orientation = Eigen::Quaterniond::FromTwoVectors(lowest, -Vec3::UnitZ());
  const Mat3 R = body.orientation.toRotationMatrix();
  body.position.z() = -(R * body.shape->support(-R.row(2).transpose())).z();
}

/// p_r at the end of each step, of all contacts together: a polyhedron may touch with several
/// vertices [N m s].
std::map<double, double> torsional_impulses(const Record& record) {
  std::map<double, double> sums;
  for (const ContactRow& row : record.contacts()) sums[row.t] += row.p_r;
  return sums;
}

/// When the last corner of a polyhedron stopped; null where none did.
Json last_stick(const Record& record) {
  Json t;
  for (const Event& event : record.events())
    if (event.kind == "stick") t = event.t;
  return t;
}

/// (2) is the motion of a single contact point under the law as it stands. A spring regularises the
/// law, a convex relaxation lifts what slips, and the corners of a facet have friction with a
/// lever.
bool has_closed_form(const CaseResult& result) {
  const Parameters& p = result.parameters;
  const bool relaxed = p.has("coupling") && p.text("coupling") == "qp";
  const bool on_facet = is_polyhedral(p) && p.text("stands_on") == "facet";
  return result.the_case.formulation != "penalty" && !relaxed && !on_facet;
}

class SpinningSphere final : public Study {
 public:
  World world(const Parameters& p) const override {
    const double radius = p.real("radius");
    Body sphere{.name = "sphere", .shape = ball_or_polyhedron(p, radius)};
    sphere.mass = p.real("mass");
    sphere.inertia = p.real("inertia") * Mat3::Identity();
    sphere.position = {0.0, 0.0, radius};
    if (is_polyhedral(p)) stand(sphere, p.text("stands_on") == "facet");
    sphere.twist.w = {0.0, 0.0, p.real("omega")};
    Body plane{.name = "plane", .shape = std::make_shared<HalfSpace>(3, Vec3::UnitZ(), 0.0)};
    plane.fixed = true;
    return World(3, {0.0, 0.0, -p.real("gravity")}, {sphere, plane}, law_of(p));
  }

  std::vector<Case> published_cases() const override {
    return {{"geometric-ncp", {}},
            {"tzitzouris-pang", {}},
            {"stewart-trinkle", {}},
            {"ratio-metric", {"facets=320"}}};
  }

  std::optional<Oracle> oracle(const Parameters& p) const override {
    const SpinningSphereMotion exact(p);
    return Oracle{{"sphere.wz", "moment", "stepped.wz", "stepped.moment"}, [exact](double t) {
                    return std::vector{exact.omega(t), exact.moment(t), exact.stepped_omega(t),
                                       exact.stepped_moment(t)};
                  }};
  }

  Json measures(const Parameters& p, const Record& record) const override {
    const SpinningSphereMotion exact(p);
    const double h = p.real("h");
    double omega = 0.0, moment = 0.0, other = 0.0;
    for (const State& state : record.trajectory()) {
      omega = std::max(omega, std::abs(state.nu[5] - exact.stepped_omega(state.t)));
      other = std::max(other, state.nu.head(5).lpNorm<Eigen::Infinity>());
    }
    Json last;  // the moment of the last step that had one
    for (const auto& [t, impulse] : torsional_impulses(record)) {
      moment = std::max(moment, std::abs(impulse / h - exact.stepped_moment(t)));
      if (std::abs(impulse) > 1e-9 * h) last = std::abs(impulse) / h;
    }
    return {{"spin_error", omega},
            {"moment_error", moment},
            {"other_velocities", other},
            {"last_moment", last},
            {"stops_at",
             is_polyhedral(p) ? last_stick(record) : event_time(record, "sphere/plane", "stick")}};
  }

  std::vector<Check> check_run(const CaseResult& result) const override {
    std::vector<Check> checks = Study::check_run(result);
    if (!has_closed_form(result)) return checks;
    const auto below = [&](const char* claim, const char* key, double bar) {
      const double value = result.summary.at(key);
      checks.push_back(
          {fmt::format("{} to {:.0e}", claim, bar), fmt::format("{:.2e}", value), value < bar});
    };
    below("spin of the implicit step in closed form [rad/s]", "spin_error", 1e-9);
    below("torsional moment in closed form [N m]", "moment_error", 1e-9);
    below("all other velocities are zero [m/s, rad/s]", "other_velocities", 1e-10);
    return checks;
  }

  std::vector<Check> check_study(const std::vector<CaseResult>& results) const override {
    std::vector<Check> checks;
    for (const CaseResult& r : results) {
      const auto add = [&](const std::string& claim, const char* key, double expected, double bar) {
        const double value = r.summary.at(key).is_null() ? NAN : r.summary.at(key).get<double>();
        checks.push_back({r.the_case.formulation + ": " + claim, fmt::format("{:.9g}", value),
                          std::abs(value - expected) < bar});
      };
      add("spin as in closed form, 1.962 (1 - t) up to 0.98 s", "spin_error", 0.0, 1e-9);
      add("moment as in closed form, 0.7848 N m up to 0.98 s", "moment_error", 0.0, 1e-9);
      add("moment of the last step is 0.4 * 1.962 * 0.02/0.07 N m", "last_moment",
          0.4 * 1.962 * 0.02 / 0.07, 1e-9);
      add("other velocities stay zero", "other_velocities", 0.0, 1e-10);
    }
    return checks;
  }

  std::vector<std::pair<std::string, std::string>> table_columns() const override {
    auto columns = Study::table_columns();
    columns.insert(columns.begin(), {{"spin error [rad/s]", "spin_error"},
                                     {"moment error [N m]", "moment_error"},
                                     {"last moment [N m]", "last_moment"},
                                     {"others [m/s]", "other_velocities"}});
    return columns;
  }
};

Parameters parameters() {
  Parameters all = run_parameters(0.07, 1.26);
  all.declare(law_parameters({.mu = 0.2, .e_r = 0.4}));
  all.declare(real("mass", 1.0, "kg", "mass of the sphere").above(0));
  all.declare(real("inertia", 0.4, "kg m^2", "moment of inertia about the centre").above(0));
  all.declare(real("radius", 1.0, "m", "radius of the sphere").above(0));
  all.declare(facets_parameter());
  all.declare(text("stands_on", "vertex", "where a polyhedron touches the floor")
                  .one_of({"vertex", "facet"}));
  all.declare(real("omega", 1.962, "rad/s", "initial angular velocity about the normal"));
  all.declare(real("gravity", 9.81, "m/s^2", "acceleration of gravity").at_least(0));
  return all;
}

const Register<StudyEntry> entry{{
    .name = "spinning-sphere",
    .summary = "a sphere spins on a level floor until torsional friction stops it",
    .cite = "Chakraborty, Berard, Akella, Trinkle 2007, example 2, figures 3 and 4",
    .figures = {"chakraborty2007_fig3", "chakraborty2007_fig4"},
    .parameters = parameters(),
    .default_formulation = "geometric-ncp",
    .make = [] { return std::make_unique<SpinningSphere>(); },
}};

}  // namespace

}  // namespace touchstone

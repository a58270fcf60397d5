/// baraff-ellipsoid: Baraff, thesis 1992, section 6.7, figures 6.6, 6.7 and 6.8.
///
/// An ellipse or superellipse rocks on a level floor without friction. Its height over the floor is
/// the support function h(φ), and (rocking_body.hpp)
///
///     R = m(g + h''φ̇²)/(1 + m h'²/I),   I φ̈ = −R h'                                          (1)
///
/// On an ellipse the reaction R is bounded but grows with the flatness that the contact point has
/// to pass: a collision that is spread over a short time. On a superellipse of exponent p > 2 the
/// curvature vanishes at φ = 0, and h'' and R diverge like |t|^(−(p−2)/(p−1)), yet the impulse
///
///     ∫ R dt over ±Δt  →  2 m a^q b^(1−q) ω^q Δt^(1/(p−1)) → 0,   1/p + 1/q = 1               (2)
///
/// which the thesis calls an impact of order zero and does not simulate. The oracle needs no
/// forces: energy and one quadrature.

#include <fmt/format.h>

#include <cmath>

#include "experiments/harness/study.hpp"
#include "experiments/studies/rocking_body.hpp"
#include "geometry/curved_shapes.hpp"
#include "geometry/shapes.hpp"

namespace touchstone {

namespace {

std::shared_ptr<const ConvexSet> shape(const Parameters& p) {
  const Vec3 axes(p.real("long_axis"), p.real("short_axis"), 0.0);
  if (p.real("exponent") == 2.0) return std::make_shared<Ellipsoid>(2, axes);
  return std::make_shared<Superquadric>(2, axes, p.real("exponent"));
}

double inertia(const Parameters& p) {
  const MassProperties unit = shape(p)->mass_properties(1.0);
  return p.real("mass") * unit.inertia(2, 2) / unit.mass;
}

RockingBody exact_motion(const Parameters& p) {
  const RockingBody::Shape shape{p.real("long_axis"), p.real("short_axis"), p.real("exponent")};
  return {shape, p.real("mass"), inertia(p), p.real("gravity"), p.real("angle")};
}

/// The impulse over ±Δt around the first instant at which the body is level, from the steps of a
/// run: exponent of Δt and factor against (2), over windows of 1 to 10 steps on either side.
struct Impulses {
  double exponent = 0.0, factor = 0.0;
  bool found = false;
};

Impulses impulses_around(const std::vector<ContactRow>& steps, double instant, double h, double p,
                         double expected) {
  constexpr int windows = 10;
  Impulses fit;
  const int middle = static_cast<int>(std::floor(instant / h));  // the step that holds the instant
  const int last = static_cast<int>(steps.size());
  if (middle < windows || middle + windows >= last) return fit;
  double sum = steps[static_cast<std::size_t>(middle)].p_n;
  double n = 0.0, x = 0.0, y = 0.0, xx = 0.0, xy = 0.0;
  for (int k = 1; k <= windows; ++k) {
    sum += steps[static_cast<std::size_t>(middle - k)].p_n +
           steps[static_cast<std::size_t>(middle + k)].p_n;
    const double before = instant - h * (middle - k), after = h * (middle + k + 1) - instant;
    const double u = 0.5 * std::log(before * after), v = std::log(sum);
    n += 1.0, x += u, y += v, xx += u * u, xy += u * v;
    if (k == 1)
      fit.factor = sum / (0.5 * expected *
                          (std::pow(before, 1.0 / (p - 1.0)) + std::pow(after, 1.0 / (p - 1.0))));
  }
  fit.exponent = (n * xy - x * y) / (n * xx - x * x);
  fit.found = true;
  return fit;
}

class BaraffEllipsoid final : public Study {
 public:
  World world(const Parameters& p) const override {
    const double a = p.real("long_axis"), b = p.real("short_axis");
    if (a < b)
      throw InputError(fmt::format("long_axis = {}: expected at least short_axis = {}", a, b));
    const RockingBody motion = exact_motion(p);
    Body ellipse{.name = "ellipse", .shape = shape(p)};
    ellipse.mass = p.real("mass");
    ellipse.inertia = inertia(p) * Mat3::Identity();
    ellipse.angle = p.real("angle");
    ellipse.position = {0.0, motion.height(ellipse.angle), 0.0};
    Body floor{.name = "floor", .shape = std::make_shared<HalfSpace>(2, Vec3::UnitY(), 0.0)};
    floor.fixed = true;
    return World(2, {0.0, -p.real("gravity"), 0.0}, {ellipse, floor}, {});
  }

  std::vector<Case> published_cases() const override {
    std::vector<Case> cases;
    for (const char* axis : {"1.25", "1.5", "2", "3"})
      cases.push_back({"baraff-acceleration", {fmt::format("long_axis={}", axis)}});
    cases.push_back({"baraff-acceleration", {"exponent=4", "long_axis=1", "t_end=5"}});
    cases.push_back({"baraff-acceleration",
                     {"angle=0.2", "exponent=4", "h=1e-5", "long_axis=1", "t_end=0.35"}});
    return cases;
  }

  std::optional<Oracle> oracle(const Parameters& p) const override {
    const auto exact = std::make_shared<RockingBody>(exact_motion(p));
    const double h = p.real("h");
    return Oracle{{"ellipse.theta", "reaction", "mean_reaction"}, [exact, h](double t) {
                    const RockingBody::Motion motion = exact->at(t);
                    const double mean =
                        t > 0.5 * h ? exact->impulse(t - h, t) / h : exact->reaction(motion);
                    return std::vector{motion.phi, exact->reaction(motion), mean};
                  }};
  }

  Json measures(const Parameters& p, const Record& record) const override {
    const RockingBody exact = exact_motion(p);
    const double h = p.real("h"), quarter = exact.quarter();
    double highest = 0.0, lowest = std::numeric_limits<double>::infinity(), force = 0.0;
    double angle = 0.0, instant = 0.0;
    for (const ContactRow& row : record.contacts()) {
      highest = std::max(highest, row.p_n / h);
      lowest = std::min(lowest, row.p_n / h);
      force = std::max(force, std::abs(row.p_n - exact.impulse(row.t - h, row.t)) / h);
    }
    for (const State& state : record.trajectory())
      angle = std::max(angle, std::abs(state.q[2] - exact.at(state.t).phi));
    int crossings = 0;
    for (const Event& event : record.events())
      if (event.kind == "flat")
        instant = std::max(instant, std::abs(event.t - (2 * crossings++ + 1) * quarter));
    Json measured{{"reaction_max", highest}, {"reaction_min", lowest}, {"reaction_error", force},
                  {"angle_error", angle},    {"crossings", crossings}, {"quarter_period", quarter}};
    const double exponent = p.real("exponent");
    if (exponent == 2.0) {
      measured["exact_reaction_max"] = exact.highest_reaction();
      return measured;
    }
    measured["crossing_error"] = instant;
    const Impulses fit =
        impulses_around(record.contacts(), quarter, h, exponent, exact.impulse_factor());
    if (!fit.found) return measured;
    measured["impulse_exponent"] = fit.exponent;
    measured["impulse_factor"] = fit.factor;
    return measured;
  }

  std::vector<Check> check_run(const CaseResult& result) const override {
    std::vector<Check> checks = Study::check_run(result);
    if (result.the_case.formulation != "baraff-acceleration") return checks;
    const double angle = result.summary.at("angle_error");
    checks.push_back(
        {"the angle is that of (3) to 1e-8 rad", fmt::format("{:.1e}", angle), angle < 1e-8});
    const double energy = result.summary.at("max_energy_change");
    checks.push_back({"energy is kept to 1e-8", fmt::format("{:.1e}", std::abs(energy)),
                      std::abs(energy) < 1e-8});
    return checks;
  }

  std::vector<Check> check_study(const std::vector<CaseResult>& results) const override {
    std::vector<Check> checks;
    double last = 0.0;
    for (const CaseResult& r : results) {
      if (r.parameters.real("exponent") > 2.0) {
        check_flat_spot(r, checks);
        continue;
      }
      const double peak = r.summary.at("reaction_max"), exact = r.summary.at("exact_reaction_max");
      const double axis = r.parameters.real("long_axis");
      checks.push_back({fmt::format("long_axis = {}: peak of the mean force of a step as in closed "
                                    "form to 1e-4",
                                    axis),
                        fmt::format("{:.5f} N, exact {:.5f} N", peak, exact),
                        std::abs(peak / exact - 1.0) < 1e-4});
      checks.push_back({fmt::format("long_axis = {}: the peak grows with the axis", axis),
                        fmt::format("{:.4f} N", peak), peak > last});
      last = peak;
    }
    return checks;
  }

  std::vector<std::pair<std::string, std::string>> table_columns() const override {
    auto columns = Study::table_columns();
    columns.insert(columns.begin(), {{"largest reaction [N]", "reaction_max"},
                                     {"exact [N]", "exact_reaction_max"},
                                     {"smallest reaction [N]", "reaction_min"},
                                     {"flat spots", "crossings"},
                                     {"impulse ~ Δt^", "impulse_exponent"},
                                     {"angle error [rad]", "angle_error"}});
    return columns;
  }

 private:
  static void check_flat_spot(const CaseResult& r, std::vector<Check>& checks) {
    const double p = r.parameters.real("exponent"), h = r.parameters.real("h");
    const double quarter = r.summary.at("quarter_period"), late = r.summary.at("crossing_error");
    const int crossings = r.summary.at("crossings");
    const int expected =
        static_cast<int>(std::floor(0.5 * (r.parameters.real("t_end") / quarter + 1.0)));
    checks.push_back({fmt::format("exponent = {}, h = {}: all flat spots are passed, on time to "
                                  "1e-9 s",
                                  p, h),
                      fmt::format("{} of {}, {:.1e} s", crossings, expected, late),
                      crossings == expected && late < 1e-9});
    if (h > 1e-5) return;  // windows too wide for the asymptote
    const double exponent = r.summary.at("impulse_exponent"),
                 factor = r.summary.at("impulse_factor");
    checks.push_back({fmt::format("exponent = {}: the impulse over ±Δt falls like Δt^{:.4f}", p,
                                  1.0 / (p - 1.0)),
                      fmt::format("Δt^{:.4f}", exponent),
                      std::abs(exponent - 1.0 / (p - 1.0)) < 0.005});
    checks.push_back({fmt::format("exponent = {}: with the factor of (2) to 1 %", p),
                      fmt::format("{:.5f} of it", factor), std::abs(factor - 1.0) < 0.01});
  }
};

Parameters parameters() {
  Parameters all = run_parameters(0.0005, 1.5);
  all.declare(real("mass", 1.0, "kg", "mass of the body").above(0));
  all.declare(real("long_axis", 2.0, "m", "long semi-axis a").above(0));
  all.declare(real("short_axis", 1.0, "m", "short semi-axis b").above(0));
  all.declare(real("exponent", 2.0, "1",
                   "p of |x/a|^p + |z/b|^p = 1; 2 is the ellipse, more have "
                   "flat spots")
                  .at_least(2)
                  .at_most(100));
  all.declare(real("angle", 0.6, "rad", "initial angle; the body starts at rest"));
  all.declare(real("gravity", 9.8, "m/s^2", "acceleration of gravity").at_least(0));
  return all;
}

const Register<StudyEntry> entry{{
    .name = "baraff-ellipsoid",
    .summary =
        "a body rocks on a floor: how high does the reaction force rise, and what does it do "
        "where the surface is flat?",
    .cite = "Baraff 1992, thesis, section 6.7, figures 6.6 to 6.8",
    .figures = {"baraff1992_fig6_6", "baraff1992_fig6_7", "baraff1992_fig6_8"},
    .parameters = parameters(),
    .default_formulation = "baraff-acceleration",
    .make = [] { return std::make_unique<BaraffEllipsoid>(); },
}};

}  // namespace

}  // namespace touchstone

/// penalty-limit: what the penalty method tends to as its springs become stiff (Baraff, thesis
/// 1992, chapters 7 and 12).
///
/// The rod of figure 10.1 (m = 1, half-length 1, I = 1/16, θ = 72°) slides with its tip on the
/// floor and friction so large that the normal force pulls the tip down: B + μC = −1. Without
/// rotation no finite force is consistent with contact, and the rigid answer is an impulse. A
/// spring of stiffness K under the tip gives, with the geometry frozen, for the depth d of the tip
///
///     d̈ = g + (K/m) d,   d = (mg/K)(cosh Wt − 1),   W = √(K/m),                                (1)
///
/// until the impulse ∫Kd dt = mg(sinh Wt/W − t) has stopped the slip, which takes j = v₀/(C + μE)
/// at any K; then the tip's normal velocity is v_n = −(g/W) sinh Wt* → −j/m for K → ∞: the impulse
/// of chapter 13. The simulated rod turns a little meanwhile, by O(t*), which vanishes with K.

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "experiments/harness/study.hpp"
#include "experiments/studies/sliding_rod.hpp"
#include "geometry/shapes.hpp"

namespace touchstone {

namespace {

/// When and how the slip ends.
struct Jam {
  double t = 0.0, v_n = 0.0, impulse = 0.0;
};

/// (1): Newton's method on mg(sinh x − x)/W = j, x = Wt; convex, from the right.
Jam frozen_geometry(const Parameters& p) {
  const SlidingRod rod;
  const double g = p.real("gravity"), W = std::sqrt(p.real("stiffness"));
  const double j = p.real("slip") / (rod.C + rod.figure_mu() * rod.E);
  double x = std::asinh(j * W / g) + 2.0;
  for (int i = 0; i < 100; ++i) x -= (std::sinh(x) - x - j * W / g) / (std::cosh(x) - 1.0);
  return {x / W, -g / W * std::sinh(x), j};
}

/// Velocity of the tip (tangential, normal).
std::array<double, 2> tip_velocity(const State& state) {
  const SlidingRod rod;
  const double turn = state.q[2];
  const double x = -rod.c * std::cos(turn) + rod.s * std::sin(turn);
  const double y = -rod.c * std::sin(turn) - rod.s * std::cos(turn);
  return {state.nu[0] - state.nu[2] * y, state.nu[1] + state.nu[2] * x};
}

/// Where the slip passes zero, from the last three states that slide; null when it never does.
std::optional<Jam> measured_jam(const Parameters& p, const Record& record) {
  const auto& states = record.trajectory();
  const double end = 0.02 * p.real("slip");
  for (std::size_t i = 3; i < states.size(); ++i) {
    const double slip = tip_velocity(states[i])[0];
    if (slip < -end) continue;
    std::array<double, 3> u{}, value{};
    const auto at_zero = [&u](const std::array<double, 3>& v) {  // Lagrange in the slip
      double sum = 0.0;
      for (std::size_t a = 0; a < 3; ++a) {
        double weight = v[a];
        for (std::size_t b = 0; b < 3; ++b)
          if (b != a) weight *= u[b] / (u[b] - u[a]);
        sum += weight;
      }
      return sum;
    };
    Jam jam;
    for (std::size_t k = 0; k < 3; ++k) u[k] = tip_velocity(states[i - 3 + k])[0];
    for (std::size_t k = 0; k < 3; ++k) value[k] = states[i - 3 + k].t;
    jam.t = at_zero(value);
    for (std::size_t k = 0; k < 3; ++k) value[k] = tip_velocity(states[i - 3 + k])[1];
    jam.v_n = at_zero(value);
    for (std::size_t k = 0; k < 3; ++k) value[k] = states[i - 3 + k].nu[1];
    jam.impulse = at_zero(value) - states.front().nu[1] + p.real("gravity") * jam.t;
    return jam;
  }
  return std::nullopt;
}

class PenaltyLimit final : public Study {
 public:
  World world(const Parameters& p) const override {
    const SlidingRod rod;
    Body body{.name = "rod"};
    const std::vector<Vec3> corners{
        {-rod.c, -rod.s, 0.0}, {rod.c, rod.s, 0.0}, {rod.c - 0.02, rod.s, 0.0}};
    body.shape = std::make_shared<Polytope>(2, corners);
    body.inertia = Mat3::Identity() * rod.inertia;
    body.position = {0.0, rod.s, 0.0};
    body.twist.v = {-p.real("slip"), 0.0, 0.0};
    Body floor{.name = "floor", .shape = std::make_shared<HalfSpace>(2, Vec3::UnitY(), 0.0)};
    floor.fixed = true;
    return World(2, {0.0, -p.real("gravity"), 0.0}, {body, floor},
                 {.mu = rod.figure_mu(), .restitution = 1.0});
  }

  std::vector<Case> published_cases() const override {
    std::vector<Case> cases;
    const auto add = [&cases](const char* stiffness, const char* h, const char* t_end) {
      cases.push_back({"penalty",
                       {fmt::format("stiffness={}", stiffness), fmt::format("h={}", h),
                        fmt::format("t_end={}", t_end), "resolution=0.0005", "creep_speed=1e-9"}});
    };
    add("1e4", "1e-4", "0.022");
    add("1e6", "1e-5", "0.0038");
    add("1e8", "1e-6", "0.0006");
    add("1e10", "1e-7", "8.4e-5");
    return cases;
  }

  Json measures(const Parameters& p, const Record& record) const override {
    if (!p.has("stiffness")) return Json::object();  // another formulation has no springs
    const Jam frozen = frozen_geometry(p);
    const auto jam = measured_jam(p, record);
    Json json = {
        {"frozen_t", frozen.t}, {"frozen_v_n", frozen.v_n}, {"rigid_impulse", frozen.impulse}};
    json["jam_t"] = jam ? Json(jam->t) : Json();
    json["jam_v_n"] = jam ? Json(jam->v_n) : Json();
    json["jam_impulse"] = jam ? Json(jam->impulse) : Json();
    return json;
  }

  std::vector<Check> check_study(const std::vector<CaseResult>& results) const override {
    std::vector<Check> checks;
    for (const CaseResult& result : results) {
      const std::string name = fmt::format("K = {:.0e} N/m", result.parameters.real("stiffness"));
      if (result.summary.at("jam_t").is_null()) {
        checks.push_back({name + ": the slip ends", "it does not", false});
        continue;
      }
      const double t = result.summary.at("jam_t");
      const double allowed = 2.0 * t + 2e-3;  // the rod turns by O(t*); explicit sub-steps
      for (const auto& [key, exact] :
           {std::pair("jam_v_n", "frozen_v_n"), std::pair("jam_impulse", "rigid_impulse")}) {
        const double value = result.summary.at(key), expected = result.summary.at(exact);
        const double error = std::abs(value / expected - 1.0);
        checks.push_back(
            {fmt::format("{}: {} within {:.2g} of the frozen geometry's", name, key, allowed),
             fmt::format("{:.6f}, expected {:.6f}, off by {:.2e}", value, expected, error),
             error <= allowed});
      }
    }
    return checks;
  }

  std::vector<std::pair<std::string, std::string>> table_columns() const override {
    return {{"slip ends [s]", "jam_t"},       {"frozen", "frozen_t"},
            {"v_n [m/s]", "jam_v_n"},         {"frozen", "frozen_v_n"},
            {"impulse [N s]", "jam_impulse"}, {"rigid limit", "rigid_impulse"}};
  }
};

Parameters parameters() {
  Parameters all = run_parameters(1e-5, 0.0038);
  all.declare(real("slip", 1.0, "m/s", "speed at which the tip slides at first").above(0));
  all.declare(real("gravity", 9.8, "m/s^2", "gravity").above(0));
  return all;
}

const Register<StudyEntry> entry{{
    .name = "penalty-limit",
    .summary =
        "an inconsistent sliding rod on ever stiffer springs: the impulse of the rigid limit",
    .cite = "Baraff 1992, thesis, chapters 7 and 12; figure 10.1",
    .figures = {"baraff1992_penalty_limit"},
    .parameters = parameters(),
    .default_formulation = "penalty",
    .make = [] { return std::make_unique<PenaltyLimit>(); },
}};

}  // namespace

}  // namespace touchstone

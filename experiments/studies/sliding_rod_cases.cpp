#include "experiments/studies/sliding_rod_cases.hpp"

#include <fmt/format.h>

#include "experiments/studies/sliding_rod.hpp"
#include "formulations/common/impacts.hpp"
#include "formulations/common/verdict.hpp"
#include "solvers/own/static_friction.hpp"

namespace touchstone {

namespace {

constexpr double exact = 1e-12, nine_digits = 5.1e-10, six_digits = 5.1e-7;

/// Collects the numbers of one configuration after another.
class Collector {
 public:
  void begin(const std::string& configuration) { configuration_ = configuration; }
  void add(const std::string& quantity, double computed, double expected, double tolerance) {
    numbers_.push_back({configuration_, quantity, computed, expected, tolerance});
  }
  /// How many solutions there are, and what they are.
  void forces(const std::vector<Vec>& found, const std::vector<double>& expected) {
    add("solutions", static_cast<double>(found.size()), static_cast<double>(expected.size()), 0.0);
    for (std::size_t k = 0; k < std::min(found.size(), expected.size()); ++k)
      add(fmt::format("f of solution {} [N]", k + 1), found[k][0], expected[k], exact);
  }
  std::vector<KnownNumber> take() { return std::move(numbers_); }

 private:
  std::string configuration_;
  std::vector<KnownNumber> numbers_;
};

/// The angular velocity with ω²s − g = 1, clockwise.
double lifting_omega(double gravity) { return -std::sqrt((1.0 + gravity) / SlidingRod{}.s); }

void sliding_cases(Collector& out) {
  out.begin("X1 indeterminate");
  const double omega = lifting_omega(9.8);
  const Lcp lifting = RodContact({.omega = omega}).sliding();
  out.add("|omega| [rad/s]", -omega, 3.369835608, nine_digits);
  out.add("mu", SlidingRod{}.figure_mu(), 0.750245100, nine_digits);
  out.add("critical mu", SlidingRod{}.critical_mu(), 0.537582398, nine_digits);
  out.add("B + mu C [1/kg]", lifting.M.to_dense()(0, 0), -1.0, exact);
  out.add("a_n without force [m/s^2]", lifting.q[0], 1.0, exact);
  out.forces(examine(lifting).solutions, {0.0, 1.0});
  out.add("f of Lemke [N]", make_solver("lemke")->solve(lifting).z[0], 0.0, 0.0);

  out.begin("X2 inconsistent");
  const Lcp jamming = RodContact(RodSetting{}).sliding();
  out.forces(examine(jamming).solutions, {});
  const Answer ray = make_solver("lemke")->solve(jamming);
  out.add("ends with a ray", ray.status == Status::ray ? 1.0 : 0.0, 1.0, 0.0);
  if (!ray.ray.empty()) {
    out.add("ray z", ray.ray.direction[0], 1.0, exact);
    out.add("ray z0", ray.ray.cover, 1.0, exact);
  }

  out.begin("X3 skimming");
  out.forces(examine(RodContact({.gravity = 0.0}).sliding()).solutions, {0.0});
}

void impact_without_collision(Collector& out, double restitution) {
  out.begin(fmt::format("X4 impact without collision (eps = {})", restitution));
  const RodContact rod({.restitution = restitution});
  State state = rod.state();
  const auto kinetic = [&] { return energy(rod.world(), state).kinetic; };
  out.add("kinetic energy before [J]", kinetic(), 0.5, exact);

  const Vec ray = examine(rod.sliding()).impulse;
  if (ray.size() == 0) return out.add("an impulse exists", 0.0, 1.0, 0.0);
  Vec change = Vec::Zero(state.nu.size());
  rod.apply_sliding(ray[0], change);
  const double alpha = -rod.tip_slip(state.nu) / rod.tip_slip(change);
  state.nu += alpha * change;
  out.add("first impulse [N s]", alpha * ray[0], 0.144809754, nine_digits);
  out.add("slip after it [m/s]", rod.tip_slip(state.nu), 0.0, exact);
  out.add("normal velocity after it [m/s]", rod.tip_normal(state.nu), -0.144809754, nine_digits);
  out.add("kinetic energy after it [J]", kinetic(), 0.435193663, nine_digits);

  const double friction = alpha * ray[0] * rod.contacts().front().law->mu;
  const ImpactResult collision = resolve_impact(rod.configuration(), rod.contacts(), {},
                                                *make_solver("lemke"), 1e-9, state.nu);
  const Vec& p = collision.impulses.front();
  out.add("friction of the collision over its normal impulse", p[1] / p[0], 0.303919, six_digits);
  out.add("slip at the end [m/s]", rod.tip_slip(state.nu), 0.0, exact);
  if (restitution == 0.0) {
    out.add("sum of normal impulses [N s]", alpha * ray[0] + p[0], 0.276604825, nine_digits);
    out.add("sum of friction impulses [N s]", friction + p[1], 0.148697885, nine_digits);
    out.add("v_x [m/s]", state.nu[0], -0.851302115, nine_digits);
    out.add("v_y [m/s]", state.nu[1], 0.276604825, nine_digits);
    out.add("omega [rad/s]", state.nu[2], 0.895112015, nine_digits);
    out.add("kinetic energy at the end [J]", kinetic(), 0.425651057, nine_digits);
  } else {
    out.add("normal velocity at the end [m/s]", rod.tip_normal(state.nu), 0.144809754, nine_digits);
    out.add("kinetic energy at the end [J]", kinetic(), 0.435193663, nine_digits);
  }
}

/// The tip at rest, a_n = 1 without contact, and a horizontal load that adds `load` to a_t.
FrictionCones resting(double gravity, double load) {
  return RodContact(
             {.gravity = gravity, .omega = lifting_omega(gravity), .slip = 0.0, .load = load})
      .resting();
}

void static_cases(Collector& out) {
  out.begin("X6 at rest");
  for (const double g : {0.0, 1.0, 9.8}) {
    const auto found = all_planar_solutions(resting(g, 0.0));
    out.add(fmt::format("solutions at g = {}", g), static_cast<double>(found.size()), 1.0, 0.0);
    if (!found.empty()) out.add(fmt::format("f at g = {} [N]", g), found[0].r.norm(), 0.0, 0.0);
  }
  const double turning = resting(9.8, 0.0).q[1];  // ω²c
  const auto loaded = [&](double a_t) { return resting(9.8, a_t - turning); };
  const Mat W = resting(9.8, 0.0).W;
  const double threshold = -(W(1, 0) + SlidingRod{}.figure_mu() * W(1, 1));
  out.add("a_t from which there are three [m/s^2]", threshold, -6.905612175, nine_digits);
  for (const double side : {1e-5, -1e-5})  // stick and slip meet there: nearer they count as one
    out.add(fmt::format("solutions at that {:+} m/s^2", side),
            static_cast<double>(all_planar_solutions(loaded(threshold + side)).size()),
            side > 0.0 ? 1.0 : 3.0, 0.0);
  const FrictionCones problem = loaded(-8.0);
  const auto found = all_planar_solutions(problem);
  out.add("solutions at a_t = -8 m/s^2", static_cast<double>(found.size()), 3.0, 0.0);
  for (const PlanarSolution& one : found) {
    const Vec a = problem.W * one.r + problem.q;
    if (one.modes[0] == PlanarMode::separate) {
      out.add("separation: a_n [m/s^2]", a[0], 1.0, exact);
      out.add("separation: a_t [m/s^2]", a[1], -8.0, exact);
    } else if (one.modes[0] == PlanarMode::stick) {
      out.add("stick: f_n [N]", one.r[0], 1.302713, six_digits);
      out.add("stick: f_t [N]", one.r[1], 0.912978, six_digits);
    } else {
      out.add("slip: f_n [N]", one.r[0], 1.0, 1e-11);
      out.add("slip: f_t [N]", one.r[1], 0.750245, six_digits);
      out.add("slip: a_t [m/s^2]", a[1], -1.094388, six_digits);
    }
  }
}

void base_cases(Collector& out) {
  constexpr double M = 100.0;
  const SlidingRod rod;
  const double slope = rod.B + rod.figure_mu() * rod.C;  // −1/m

  out.begin("X10 figure 12.4");
  const Mat A = (Mat(2, 2) << slope, 0.0, -rod.figure_mu() / M, slope + 1.0 / M).finished();
  const Examination both = examine({A, (Vec(2) << 1.0, 0.0).finished()});
  out.add("solutions", static_cast<double>(both.solutions.size()), 1.0, 0.0);
  if (!both.solutions.empty()) out.add("|f| [N]", both.solutions[0].norm(), 0.0, 0.0);
  const Vec z = (Vec(2) << 0.0, 1.0).finished();
  out.add("the impulse on E1 alone is valid", is_valid_impulse(A, z) ? 1.0 : 0.0, 1.0, 0.0);

  const auto pushed = [](double f_b) {
    return RodContact({.gravity = 0.0, .base_mass = M, .base_force = f_b}).sliding();
  };
  const auto movable = [&](const char* name, double f_b, const std::vector<double>& expected) {
    out.begin(fmt::format("X11 movable base ({})", name));
    const Lcp problem = pushed(f_b);
    out.add("coefficient of f [1/kg]", problem.M.to_dense()(0, 0), -0.99, exact);
    out.add("a_n without force [m/s^2]", problem.q[0], 0.0 - f_b / M, exact);
    out.forces(examine(problem).solutions, expected);
  };
  movable("f_b = 1", 1.0, {});
  movable("f_b = 0", 0.0, {0.0});
  movable("f_b = -1", -1.0, {0.0, 1.0 / 99.0});
}

}  // namespace

std::vector<KnownNumber> known_rod_numbers() {
  Collector out;
  sliding_cases(out);
  impact_without_collision(out, 0.0);
  impact_without_collision(out, 1.0);
  static_cases(out);
  base_cases(out);
  return out.take();
}

}  // namespace touchstone

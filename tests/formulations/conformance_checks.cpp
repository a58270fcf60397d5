#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "geometry/shapes.hpp"
#include "tests/formulations/conformance.hpp"

namespace touchstone::conformance {

namespace {

Outcome below(double value, double bound, const std::string& what) {
  return {value <= bound, fmt::format("{} {:.3e}, bound {:.3e}", what, value, bound)};
}

World one_body(int dim, const Body& body, const FrictionLaw& law, const Vec3& gravity) {
  return World(dim, gravity, {body, floor_body(dim)}, law);
}

/// A box that is thrown at the floor, tumbles and comes to rest: touches with one, two and four
/// vertices, sticks and slides.
World tumbling_box(int dim, const FrictionLaw& law = {.mu = 0.3}) {
  Body box =
      box_body(dim, "box", {0.4, 0.3, 0.2}, {0.0, dim == 2 ? 0.6 : 0.0, dim == 2 ? 0.0 : 0.6});
  box.angle = 0.4;
  box.orientation = Eigen::Quaterniond(Eigen::AngleAxisd(0.7, Vec3(1.0, 2.0, 0.5).normalized()));
  box.twist.v = dim == 2 ? Vec3(1.0, 0.2, 0.0) : Vec3(1.0, 0.3, 0.2);
  box.twist.w = dim == 2 ? Vec3(0.0, 0.0, 2.0) : Vec3(1.0, -2.0, 3.0);
  return one_body(dim, box, law, tilted_gravity(dim, 0.0));
}

double lowest_gap(const World& world, const State& state) {
  Configuration configuration;
  configuration.update(world, state);
  std::vector<Contact> contacts;
  find_contacts(configuration, state, 0.0, contacts);
  double gap = 0.0;
  for (const Contact& c : contacts) gap = std::min(gap, c.gap);
  return gap;
}

Outcome falls_freely(const FormulationEntry& entry) {
  double worst = 0.0;
  for (const int dim : {2, 3}) {
    const Vec3 up = dim == 2 ? Vec3::UnitY() : Vec3::UnitZ();
    Body ball = ball_body(dim, "ball", 0.1, 100.0 * up);
    ball.twist.v = {1.0, 2.0, dim == 2 ? 0.0 : -1.0};
    ball.twist.w = {0.0, 0.0, 3.0};
    const World world = one_body(dim, ball, {}, -g * up);
    const double h = 0.01, t = 1.0;
    const State end = trace(entry, world, h, t).states.back();
    const Vec3 v = ball.twist.v - g * t * up;
    const Vec3 x = ball.position + ball.twist.v * t - 0.5 * g * t * t * up;
    worst = std::max(worst, (twist(world, end.nu, 0).v - v).norm());
    worst = std::max(worst, (twist(world, end.nu, 0).w - ball.twist.w).norm());
    // A first-order integrator may be off by ½gth along gravity, never across it.
    const Vec3 error = pose(world, end, 0).x - x;
    worst = std::max(worst, (error - error.dot(up) * up).norm());
    worst = std::max(worst, std::abs(error.dot(up)) - 0.5 * g * t * h);
  }
  return below(worst, 1e-11, "worst error");
}

Outcome rests_on_the_floor(const FormulationEntry& entry) {
  double worst = 0.0;
  for (const int dim : {2, 3}) {
    const Vec3 up = dim == 2 ? Vec3::UnitY() : Vec3::UnitZ();
    const Vec3 sides(0.4, 0.3, 0.3);
    const World world = one_body(dim, box_body(dim, "box", sides, 0.15 * up), {.mu = 0.5}, -g * up);
    const Trace run = trace(entry, world, 0.01, 1.0);
    const State &half = run.states[50], &end = run.states.back();
    worst = std::max(worst, lowest_gap(world, half) - lowest_gap(world, end));  // does not grow
    worst = std::max(worst, (pose(world, end, 0).x - pose(world, half, 0).x).norm());
    worst = std::max(worst, end.nu.norm());
  }
  return below(worst, 1e-9, "worst growth, motion or velocity");
}

Outcome does_not_penetrate_at_rest(const FormulationEntry& entry) {
  const World world =
      one_body(2, box_body(2, "box", {0.4, 0.3, 0.0}, {0.0, 0.15, 0.0}), {.mu = 0.5}, {0, -g, 0});
  return below(-lowest_gap(world, trace(entry, world, 0.01, 1.0).states.back()), 1e-9, "depth [m]");
}

/// Slopes on each side of arctan μ: below it the block stays, above it the acceleration is g(sin θ
/// − μ cos θ). Measured over the second half of the run, when a contact that must first build up
/// its force has done so.
double ladder_error(const FormulationEntry& entry) {
  const double mu = 0.5, h = 0.01, t = 0.5;
  double worst = 0.0;
  for (const double degrees : {-10.0, -5.0, -1.0, 1.0, 5.0, 10.0}) {
    const double angle = std::atan(mu) + degrees * std::numbers::pi / 180.0;
    for (const int dim : {2, 3}) {
      const Vec3 up = dim == 2 ? Vec3::UnitY() : Vec3::UnitZ();
      // A low block: a tall one would tip over.
      const Body block = box_body(dim, "block", {0.6, dim == 2 ? 0.1 : 0.6, 0.1}, 0.05 * up);
      const World world = one_body(dim, block, {.mu = mu}, tilted_gravity(dim, angle));
      const Trace run = trace(entry, world, h, t);
      const double v = twist(world, run.states.back().nu, 0).v.x();
      const double v_half = twist(world, run.states[run.states.size() / 2].nu, 0).v.x();
      const double acceleration = g * (std::sin(angle) - mu * std::cos(angle));
      worst = std::max(worst,
                       degrees < 0.0 ? std::abs(v) : std::abs(v - v_half - acceleration * 0.5 * t));
    }
  }
  return worst;
}

Outcome climbs_the_friction_ladder(const FormulationEntry& entry) {
  return below(ladder_error(entry), 2e-3, "worst velocity error [m/s]");
}

Outcome sticks_without_creep(const FormulationEntry& entry) {
  return below(ladder_error(entry), 1e-10, "worst velocity error [m/s]");
}

Outcome never_pulls(const FormulationEntry& entry) {
  double least = 0.0;
  std::size_t rows = 0;
  for (const int dim : {2, 3})
    for (const auto& step : trace(entry, tumbling_box(dim), 0.005, 1.5).contacts)
      for (const ContactResult& r : step) {
        least = std::min(least, r.p_n);
        ++rows;
      }
  if (rows == 0) return {false, "the box never touched the floor"};
  return below(-least, 0.0, "strongest pull [N s]");
}

Outcome keeps_friction_inside_its_cone(const FormulationEntry& entry) {
  const FrictionLaw law{.mu = 0.3, .e_t = 1.0, .e_o = 0.5, .e_r = 0.02};
  double worst = 0.0;
  for (const int dim : {2, 3})
    for (const auto& step : trace(entry, tumbling_box(dim, law), 0.005, 1.5).contacts)
      for (const ContactResult& r : step)
        worst = std::max(
            worst, Vec3(r.p_t / law.e_t, r.p_o / law.e_o, r.p_r / law.e_r).norm() - law.mu * r.p_n);
  return below(worst, 1e-9, "worst excess [N s]");
}

Outcome never_gains_energy(const FormulationEntry& entry) {
  double worst = 0.0;
  for (const int dim : {2, 3}) {
    const Trace run = trace(entry, tumbling_box(dim), 0.005, 1.5);
    for (std::size_t k = 1; k < run.energy.size(); ++k)
      worst = std::max(worst, (run.energy[k] - run.energy[k - 1]) / run.energy.front());
  }
  return below(worst, 1e-9, "worst relative gain in a step");
}

Outcome conserves_momentum(const FormulationEntry& entry) {
  double worst = 0.0;
  bool touched = false;
  for (const int dim : {2, 3}) {
    Body a = ball_body(dim, "a", 0.5, {-1.0, 0.1, 0.0}),
         b = box_body(dim, "b", {0.8, 0.6, 0.7}, {1.0, 0.0, 0.0});
    b.angle = 0.3;
    b.orientation = Eigen::Quaterniond(Eigen::AngleAxisd(0.3, Vec3(1.0, 1.0, 1.0).normalized()));
    a.twist.v = {3.0, 0.2, 0.0};
    a.twist.w = {0.0, 0.0, 5.0};
    b.mass = 3.0;
    const World world(dim, Vec3::Zero(), {a, b}, {.mu = 0.4});
    const Trace run = trace(entry, world, 0.003, 0.9);
    for (const auto& step : run.contacts)
      for (const ContactResult& r : step) touched = touched || r.p_n > 0.0;
    const Momentum p0 = momentum(world, run.states.front()), p = momentum(world, run.states.back());
    // Angular momentum of free spatial rotation is only conserved to the integrator's order.
    worst = std::max(worst, (p.linear - p0.linear).norm());
    if (dim == 2) worst = std::max(worst, (p.angular - p0.angular).norm());
  }
  if (!touched) return {false, "the bodies never touched"};
  return below(worst, 1e-10, "worst change");
}

Outcome is_mirror_symmetric(const FormulationEntry& entry) {
  const auto run = [&](double sign) {
    Body disc = ball_body(2, "disc", 0.5, {0.0, 0.7, 0.0});
    disc.twist.v = {sign * 2.0, 0.0, 0.0};
    disc.twist.w = {0.0, 0.0, sign * 1.0};
    return trace(entry, one_body(2, disc, {.mu = 0.3}, {0.0, -g, 0.0}), 0.01, 1.0);
  };
  const Trace right = run(1.0), left = run(-1.0);
  const Vec mirror = (Vec(3) << -1.0, 1.0, -1.0).finished();
  double worst = 0.0;
  for (std::size_t k = 0; k < right.states.size(); ++k)
    worst = std::max(worst, (right.states[k].nu - mirror.cwiseProduct(left.states[k].nu)).norm() +
                                (right.states[k].q - mirror.cwiseProduct(left.states[k].q)).norm());
  return below(worst, 1e-11, "worst difference");
}

Outcome is_the_same_in_a_rotated_frame(const FormulationEntry& entry) {
  const auto run = [&](double angle) {
    const Mat3 R = Eigen::AngleAxisd(angle, Vec3::UnitZ()).toRotationMatrix();
    Body box = box_body(2, "box", {0.4, 0.3, 0.0}, R * Vec3(0.0, 0.5, 0.0));
    box.angle = 0.4 + angle;
    box.twist.v = R * Vec3(1.0, 0.0, 0.0);
    box.twist.w = {0.0, 0.0, 2.0};
    Body floor = floor_body(2);
    floor.shape = std::make_shared<HalfSpace>(2, R * Vec3::UnitY(), 0.0);
    const World world(2, R * Vec3(0.0, -g, 0.0), {box, floor}, {.mu = 0.3});
    const State end = trace(entry, world, 0.005, 0.5).states.back();
    return std::pair<Vec3, Vec3>(R.transpose() * twist(world, end.nu, 0).v,
                                 R.transpose() * pose(world, end, 0).x);
  };
  const auto straight = run(0.0), turned = run(1.1);
  return below((straight.first - turned.first).norm() + (straight.second - turned.second).norm(),
               1e-9, "difference");
}

Outcome agrees_over_all_solvers(const FormulationEntry& entry) {
  if (entry.default_solver.empty()) return {true, "uses no solver"};
  const World world = tumbling_box(2);
  const Trace reference = trace(entry, world, 0.01, 0.6);
  double worst = 0.0;
  std::string compared;
  for (const SolverEntry* solver : Registry<SolverEntry>::instance().all()) {
    if (!solver->unavailable.empty()) continue;
    const auto formulation =
        make_formulation(entry, world, entry.parameters, make_solver(solver->name));
    const Trace run = trace(*formulation, world, 0.01, 0.6);
    if (run.worst != Status::solved) continue;  // it failed and said so: nothing to compare
    compared += " " + solver->name;
    for (std::size_t k = 0; k < run.states.size(); ++k)
      worst = std::max(worst, (run.states[k].nu - reference.states[k].nu).norm());
  }
  return below(worst, 1e-7, "solvers" + compared + ": worst velocity difference");
}

Outcome converges_at_first_order(const FormulationEntry& entry) {
  // A block slides to a stop; exact way v₀²/(2μg).
  const double v0 = 2.0, mu = 0.4, exact = v0 * v0 / (2.0 * mu * g);
  const auto error = [&](double h) {
    Body block = box_body(2, "block", {0.6, 0.05, 0.0}, {0.0, 0.025, 0.0});
    block.twist.v = {v0, 0.0, 0.0};
    const World world = one_body(2, block, {.mu = mu}, {0.0, -g, 0.0});
    return std::abs(pose(world, trace(entry, world, h, 0.8).states.back(), 0).x.x() - exact);
  };
  const double coarse = error(0.02), fine = error(0.0025);
  const double order = std::log2(coarse / fine) / 3.0;
  return {order > 0.85,
          fmt::format("observed order {:.3f} (errors {:.2e}, {:.2e} m)", order, coarse, fine)};
}

Outcome repeats_bit_for_bit(const FormulationEntry& entry) {
  const World world = tumbling_box(3);
  const Trace first = trace(entry, world, 0.005, 1.0), second = trace(entry, world, 0.005, 1.0);
  for (std::size_t k = 0; k < first.states.size(); ++k)
    if (first.states[k].q != second.states[k].q || first.states[k].nu != second.states[k].nu)
      return {false, fmt::format("differs at step {}", k)};
  return {true, "identical"};
}

Outcome tends_to_the_frictionless_problem(const FormulationEntry& entry) {
  const auto end = [&](double mu) {
    return trace(entry, tumbling_box(2, {.mu = mu}), 0.005, 0.5).states.back();
  };
  return below((end(1e-13).nu - end(0.0).nu).norm(), 1e-9, "velocity difference");
}

Outcome solves_every_step(const FormulationEntry& entry) {
  const Status planar = trace(entry, tumbling_box(2), 0.005, 1.5).worst;
  const Status spatial = trace(entry, tumbling_box(3), 0.005, 1.5).worst;
  return {planar == Status::solved && spatial == Status::solved,
          to_string(planar) + ", " + to_string(spatial)};
}

}  // namespace

const std::vector<Check>& checks() {
  static const std::vector<Check> all{
      {"falls_freely", falls_freely},
      {"rests_on_the_floor", rests_on_the_floor},
      {"does_not_penetrate_at_rest", does_not_penetrate_at_rest},
      {"climbs_the_friction_ladder", climbs_the_friction_ladder},
      {"sticks_without_creep", sticks_without_creep},
      {"never_pulls", never_pulls},
      {"keeps_friction_inside_its_cone", keeps_friction_inside_its_cone},
      {"never_gains_energy", never_gains_energy},
      {"conserves_momentum", conserves_momentum},
      {"is_mirror_symmetric", is_mirror_symmetric},
      {"is_the_same_in_a_rotated_frame", is_the_same_in_a_rotated_frame},
      {"agrees_over_all_solvers", agrees_over_all_solvers},
      {"converges_at_first_order", converges_at_first_order},
      {"repeats_bit_for_bit", repeats_bit_for_bit},
      {"tends_to_the_frictionless_problem", tends_to_the_frictionless_problem},
      {"solves_every_step", solves_every_step},
  };
  return all;
}

}  // namespace touchstone::conformance

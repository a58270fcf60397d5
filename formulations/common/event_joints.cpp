/// Joints in the event-driven simulator: what a given state must satisfy, and what no forces can.

#include <fmt/format.h>

#include <cmath>

#include "formulations/common/event_driven.hpp"
#include "solvers/error.hpp"

namespace touchstone {

namespace {

constexpr double allowed = 1e-6;        // of the size or the speed; projection removes it
constexpr double allowed_speed = 1e-9;  // [m/s] of bodies at rest
constexpr double allowed_rate = 1e-5;   // of the accelerations
constexpr double allowed_drift = 1e-6;  // [m, 1]

std::string named(const World& world, int j) {
  const Joint& joint = world.joints()[static_cast<std::size_t>(j)];
  return fmt::format("joint '{}' of '{}' and '{}'", joint.name, world.body(joint.a).name,
                     world.body(joint.b).name);
}

/// The speed that a row would have if all velocities added up.
double scale_of(const World& world, const Column& w, const Vec& nu) {
  double sum = 0.0;
  if (w.a >= 0)
    sum += w.on_a.head(world.dof())
               .cwiseAbs()
               .dot(nu.segment(world.velocity_offset(w.a), world.dof()).cwiseAbs());
  if (w.b >= 0)
    sum += w.on_b.head(world.dof())
               .cwiseAbs()
               .dot(nu.segment(world.velocity_offset(w.b), world.dof()).cwiseAbs());
  return sum;
}

}  // namespace

void EventDriven::check_joints(const State& state) const {
  if (world_.joints().empty()) return;
  Configuration configuration;
  configuration.update(world_, state);
  std::vector<JointRow> rows;
  for (int j = 0; j < static_cast<int>(world_.joints().size()); ++j)
    joint_rows(configuration, state.nu, j, rows);
  for (const JointRow& row : rows) {
    const Joint& joint = world_.joints()[static_cast<std::size_t>(row.joint)];
    const double size = std::max({joint.on_a.norm(), joint.on_b.norm(), joint.length, 1e-3});
    if (std::abs(row.value) > allowed * size)
      throw InputError(
          fmt::format("{} does not hold at t = {}: it is off by {:.6g}, expected at most {:.3g}",
                      named(world_, row.joint), state.t, std::abs(row.value), allowed * size));
    const double rate = std::abs(velocity(world_, row.column, state.nu));
    if (rate > allowed_speed + allowed * scale_of(world_, row.column, state.nu))
      throw InputError(fmt::format(
          "{}: the velocities at t = {} do not satisfy it: they part at {:.6g} m/s (1/s "
          "for directions), expected 0",
          named(world_, row.joint), state.t, rate));
  }
}

/// Rows that depend on others must be satisfied with them; at a singular configuration they may
/// contradict each other.
bool EventDriven::joints_hold(bool positions) {
  const ContactPhase::JointMiss missed = phase_.missed_joint(positions);
  const double most = positions ? allowed_drift : allowed_rate * (1.0 + f1_.cwiseAbs().maxCoeff());
  if (missed.by <= most) return true;
  const std::string why = fmt::format(
      "{}: no joint forces satisfy it at t = {:.9g} ({} {:.3g}); the joints contradict each other "
      "in "
      "this configuration",
      named(world_, missed.joint), t1_, positions ? "it is off by" : "an acceleration is left of",
      missed.by);
  if (cause_.kind == Cause::Kind::start) throw InputError(why);
  fail(Status::singular, why);
  return false;
}

}  // namespace touchstone

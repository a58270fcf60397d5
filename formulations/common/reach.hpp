#pragma once

#include "formulations/common/state.hpp"

namespace touchstone {

/// Bound on the distance [m] that any point of the body can move within h at its present speed and
/// under its loads.
inline double reach(const World& world, const State& state, int i, double h) {
  const Body& body = world.body(i);
  if (body.fixed) return 0.0;
  const Twist motion = twist(world, state.nu, i);
  const double speed = motion.v.norm() + motion.w.norm() * body.shape->radius();
  const double push = world.peak_gravity() + body.applied.force.norm() / body.mass;
  return h * (speed + h * push);
}

}  // namespace touchstone

#pragma once

#include "geometry/closest_points.hpp"
#include "geometry/shapes.hpp"

namespace touchstone {

/// Closest points of a ball (centre c) or an ellipsoid E, as set A, and a polytope P, as set B;
/// everything in the polytope's frame. Separated sets: the distance. Overlapping sets: minus the
/// smallest penetration depth found (for a ball: the smallest there is).
ClosestPoints ball_polytope(const Vec3& c, double r, const Polytope& P);
ClosestPoints ellipsoid_polytope(const SmoothBody& E, const Polytope& P);

}  // namespace touchstone

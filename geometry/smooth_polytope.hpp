#pragma once

#include "geometry/closest_points.hpp"
#include "geometry/shapes.hpp"

namespace touchstone {

/// Closest points of a ball (centre c) or an ellipsoid E, as set A, and a polytope P, as set B;
/// everything in the polytope's frame. Separated sets: the distance. Overlapping sets: minus the
/// smallest penetration depth found. For a ball it is the smallest there is. For an ellipsoid
/// deeper than 0.3 of its smallest semi-axis it is the best of ascents from every vertex, edge and
/// facet: seldom not the smallest, and then on_b may lie beside P on its supporting plane.
ClosestPoints ball_polytope(const Vec3& c, double r, const Polytope& P);
ClosestPoints ellipsoid_polytope(const SmoothBody& E, const Polytope& P);

}  // namespace touchstone

#pragma once

/// The classical measure of separation and penetration, from the Minkowski difference
///
///     K = A − B = {a − b : a ∈ A, b ∈ B}.                                                      (1)
///
/// A and B overlap exactly when 0 ∈ K. The distance is that of 0 from K; the penetration depth, the
/// length of the shortest translation that separates the interiors, is that of 0 from the boundary
/// of K, which one of its facets attains.

#include <vector>

#include "geometry/shapes.hpp"

namespace touchstone {

/// n·x ≤ offset, n unit: a facet of the difference.
struct Plane {
  Vec3 normal;
  double offset;
};

/// The facets of K for two polytopes in world axes, by the hull of all differences of vertices.
std::vector<Plane> minkowski_facets(const Polytope& A, const Pose& pose_a, const Polytope& B,
                                    const Pose& pose_b);

struct MinkowskiGap {
  double s = 0.0;              // distance > 0, or −depth [m]
  Vec3 normal = Vec3::Zero();  // unit, from B to A; moving A by −s n makes the two touch
};

/// Exact up to roundoff. Builds all of K to know whether they overlap and how deep.
MinkowskiGap minkowski_gap(const Polytope& A, const Pose& pose_a, const Polytope& B,
                           const Pose& pose_b);

}  // namespace touchstone

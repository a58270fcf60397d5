#pragma once

#include <vector>

#include "geometry/convex_set.hpp"

namespace touchstone {

/// One point of possible contact between sets A and B, in world coordinates.
struct ContactPoint {
  Vec3 on_a = Vec3::Zero();
  Vec3 on_b = Vec3::Zero();
  Vec3 normal = Vec3::Zero();  // unit, from B to A
  double gap = 0.0;            // normal·(on_a − on_b): > 0 separated, < 0 penetrating
  int feature = 0;             // which features meet; the same number while the same features do
};

/// Appends the contact candidates of A and B whose gap is at most `margin` (≥ 0) [m].
///
/// - a smooth set (disc, sphere, ellipse, ellipsoid) against anything: one point, feature 0;
/// - polytope against half-space: every vertex within the margin, feature = the vertex;
/// - polytope against polytope: the vertices of the contact region, vertex–face and edge–edge.
///
/// Gaps are signed distances: exact when separated, and the smallest local penetration when
/// overlapping. Concentric balls have every normal: the last axis is taken (y in the plane, z in
/// space). Swapping A and B mirrors the answer, except where the configuration itself is symmetric.
///
/// Throws std::logic_error for two unbounded sets or unequal dimensions, std::invalid_argument for
/// a margin or pose that is not a number and for a planar set off the plane z = 0.
void contact_points(const ConvexSet& A, const Pose& pose_a, const ConvexSet& B, const Pose& pose_b,
                    double margin, std::vector<ContactPoint>& out);

}  // namespace touchstone

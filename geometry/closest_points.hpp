#pragma once

#include "geometry/convex_set.hpp"
#include "geometry/support_gap.hpp"

namespace touchstone {

/// A ball or an ellipsoid in world axes: {x + Lᵀu : |u| ≤ 1}. A disc or ellipse lies in the plane z
/// = 0.
struct SmoothBody {
  Vec3 x;
  Mat3 L;  // diag(semi-axes) Rᵀ

  /// Support point along d, in world axes.
  Vec3 support(const Vec3& d) const { return x + SupportGap<3>::support(L, d); }
};

bool is_smooth(const ConvexSet& set);
/// Throws std::logic_error for a set that is neither a ball nor an ellipsoid.
SmoothBody smooth_body(const ConvexSet& set, const Pose& pose);

/// A solution of the closest-point equations (9): f(a) = g(b) = 0, opposite unit normals, a − b
/// along them.
struct ClosestPoints {
  Vec3 on_a = Vec3::Zero();
  Vec3 on_b = Vec3::Zero();
  Vec3 normal = Vec3::Zero();  // unit, from B to A
  double gap = 0.0;  // normal·(on_a − on_b): the distance, or minus a local penetration depth
  double residual = 0.0;  // |(on_a − on_b) − gap normal| [m]
  int iterations = 0;     // Newton steps on the direction
};

/// Closest points of two smooth sets (disc, sphere, ellipse, ellipsoid) of one dimension.
///
/// Separated sets: the global minimum of the distance. Overlapping sets: with a zero `start` the
/// smallest penetration among the ascents from the touching direction of the scaled sets and from
/// the best principal axis; with a nonzero `start` (a direction from B to A, such as the normal of
/// the last step) the local one that ascent from there finds. When the sets are concentric and
/// every direction is as good, the normal is the last axis (y in the plane, z in space). Throws
/// std::logic_error for other sets or unequal dimensions.
ClosestPoints closest_points(const ConvexSet& A, const Pose& pose_a, const ConvexSet& B,
                             const Pose& pose_b, const Vec3& start = Vec3::Zero());

}  // namespace touchstone

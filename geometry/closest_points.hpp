#pragma once

#include <array>

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

/// The surfaces of one set that carry the normal: Σ l_i ∇f_i = outward unit normal, l_i > 0.
struct ActiveSurfaces {
  int count = 0;
  std::array<int, 3> surface{};
  std::array<double, 3> multiplier{};  // in the units of 1/|∇f| [m times those of f⁻¹]
};

enum class ClosestStatus {
  solved,
  inaccurate,  // the residual is above roundoff: the best that was found
};

/// A solution of the closest-point equations (9), for intersections (22): f(a) = g(b) = 0, opposite
/// unit normals, a − b along them.
struct ClosestPoints {
  Vec3 on_a = Vec3::Zero();
  Vec3 on_b = Vec3::Zero();
  Vec3 normal = Vec3::Zero();  // unit, from B to A
  double gap = 0.0;  // normal·(on_a − on_b): the distance, or minus a local penetration depth
  double residual = 0.0;  // of the equations: lengths [m] and unit vectors
  int iterations = 0;     // Newton steps
  ClosestStatus status = ClosestStatus::solved;
  ActiveSurfaces active_a{}, active_b{};
};

/// Closest points of any two convex sets of one dimension, of which one may be a half-space.
///
/// Separated sets: the global minimum of the distance. Overlapping sets: with a zero `start` the
/// smallest penetration depth (among the ascents from the touching direction of the scaled sets,
/// the best principal axis and, when deep, the expanding polytope; other sets than balls and
/// ellipsoids: the expanding polytope, which no local minimum misleads by more than 1e-4 of the
/// size); with a nonzero `start` (a direction from B to A, such as the normal of the last step) the
/// local one that is found from there. When the sets are concentric and every direction is as good,
/// the normal of balls is the last axis (y in the plane, z in space). Where the closest points are
/// not unique (parallel faces) one pair of them is returned.
///
/// Throws std::logic_error for unequal dimensions, two unbounded sets and unbounded sets other than
/// half-spaces.
ClosestPoints closest_points(const ConvexSet& A, const Pose& pose_a, const ConvexSet& B,
                             const Pose& pose_b, const Vec3& start = Vec3::Zero());

}  // namespace touchstone

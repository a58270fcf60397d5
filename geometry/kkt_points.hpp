#pragma once

/// Closest points of two bounded convex sets f_i ≤ 0 and g_j ≤ 0 by their KKT system with unit
/// normals: equation (9) of Chakraborty et al. (RSS 2007), and (22) for intersections. With active
/// surfaces I of A and J of B, and multipliers l, m ≥ 0 per active surface:
///
///   Σ_I l_i ∇f_i(a) + Σ_J m_j ∇g_j(b) = 0       opposite normals                             (i)
///   a − b = ψ n,   n = Σ_J m_j ∇g_j(b)                                                        (ii)
///   f_i(a) = 0,  g_j(b) = 0,  |n| = 1 (iii)
///
/// Unknowns a, b, l, m and the signed gap ψ: touching (ψ = 0) and penetrating pairs solve the same
/// equations, since the normals are fixed by (i) and (iii) and not by a − b. (22) sets one
/// multiplier of each body to one instead, and two scaled sums then need not be equal; (iii) scales
/// both alike. By convexity a and b with l, m ≥ 0 are support points along ∓n, so that
/// ψ = s(n) ≤ signed distance: for ψ ≥ 0 a solution is the closest pair.
///
/// Newton's method with a line search on the residual; least steps where the system is singular
/// (flat against flat). Surfaces with a negative multiplier leave I or J, violated ones enter.

#include "geometry/closest_points.hpp"

namespace touchstone {

/// From points near the answer and a unit direction n from B to A. `status` is solved when the
/// residual is at roundoff and every surface is satisfied.
ClosestPoints solve_kkt(const ConvexSet& A, const Pose& pose_a, const ConvexSet& B,
                        const Pose& pose_b, const Vec3& on_a, const Vec3& on_b, const Vec3& n);

/// The same without a start, for any two bounded sets: GJK, for overlapping sets the expanding
/// polytope, then solve_kkt. `start` as in closest_points().
ClosestPoints general_closest_points(const ConvexSet& A, const Pose& pose_a, const ConvexSet& B,
                                     const Pose& pose_b, const Vec3& start);

}  // namespace touchstone

#pragma once

/// Small convex programs over {x : f_j(x) ≤ 0}, from values, gradients and Hessians.

#include <optional>

#include "geometry/convex_set.hpp"

namespace touchstone {

/// A point with every f_j < 0, from `guess` by Newton's method on log Σ exp(t f_j), t growing;
/// nothing when there is none (`least` is then the smallest max f_j seen).
std::optional<Vec3> interior_point(const ConvexSet& set, const Vec3& guess, double& least);

/// argmax d·x from the interior point `inside`, |d| = 1; nothing when d·x is unbounded on the set.
std::optional<Vec3> farthest_point(const ConvexSet& set, const Vec3& inside, const Vec3& d);

/// How far the set reaches from `inside` along the unit vector u: max_j f_j(inside + r u) = 0.
double reach(const ConvexSet& set, const Vec3& inside, const Vec3& u, double most);

/// Adaptive quadrature about the interior point; `most` bounds the distance to the boundary.
MassProperties integrate_mass(const ConvexSet& set, const Vec3& inside, double most,
                              double density);

}  // namespace touchstone

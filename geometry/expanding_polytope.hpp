#pragma once

/// The smallest penetration depth of two overlapping sets known by their support functions, by an
/// expanding polytope inside A − B (van den Bergen, Game Developers Conference 2001).
///
///   depth = min_m h(m),  h(m) = max_{a, b} m·(a − b) = −s(−m),  |m| = 1
///
/// The nearest facet plane of the polytope is a lower bound of the depth, and h at its normal an
/// upper bound: the facet with the lowest bound is pushed out until both agree. All directions are
/// searched, so that no local minimum is taken for the smallest.

#include <functional>

#include "geometry/convex_set.hpp"

namespace touchstone {

struct SupportPair {
  Vec3 a, b;  // farthest along d and along −d
};
using PairSupport = std::function<SupportPair(const Vec3& d)>;

struct Penetration {
  Vec3 n = Vec3::Zero();  // unit, from B to A: s(n) = −depth
  Vec3 on_a = Vec3::Zero(), on_b = Vec3::Zero();
  double lower = 0.0, upper = 0.0;  // bounds of the depth [m]
};

/// Ends when upper − lower ≤ tolerance [m], or after 300 support points.
Penetration expanding_polytope(const PairSupport& support, int dim, double tolerance);

}  // namespace touchstone

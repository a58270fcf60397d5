#pragma once

#include "geometry/shapes.hpp"

namespace touchstone {

/// The direction of the facets of A − B with the largest s(n) = min_A n·a − max_B n·b, and s there.
/// n points from B to A. For overlapping sets −s is the penetration depth; for separated sets s is
/// a lower bound of the distance, attained when the closest features are vertex–face or crossing
/// edges.
struct SeparatingAxis {
  Vec3 n = Vec3::Zero();
  double s = 0.0;
  bool facet = true;  // normal of a facet of A or B; otherwise the product of two edges
  int edge_a = -1, edge_b = -1;
  int facet_a = -1, facet_b = -1;  // the facet whose normal it is, of A or of B
};

/// In world axes. Axes within 1e-12 of the sets' size of the best are ties: facets come before
/// edges, then the axis nearer to the line of centres, then the first.
SeparatingAxis separating_axis(const Polytope& A, const Pose& pose_a, const Polytope& B,
                               const Pose& pose_b);

}  // namespace touchstone

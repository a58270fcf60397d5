#pragma once

#include <vector>

#include "geometry/shapes.hpp"

namespace touchstone {

/// Indices of the hull's vertices among planar points, counter-clockwise, beginning with the
/// smallest index. Points closer than `tolerance` to the line through their neighbours are no
/// vertices.
std::vector<int> planar_hull(const std::vector<Vec3>& points, double tolerance);

struct SpatialHull {
  std::vector<Vec3> vertices;  // in the order of the points they come from
  std::vector<Polytope::Facet> facets;
};

/// The hull of spatial points by Qhull; facets that are coplanar within `tolerance` [m] become one
/// loop. Throws std::invalid_argument when the points do not span space.
SpatialHull spatial_hull(const std::vector<Vec3>& points, double tolerance);

}  // namespace touchstone

#pragma once

#include <optional>
#include <vector>

#include "geometry/minkowski.hpp"

namespace touchstone {

/// The polytope {x : n_k·x ≤ c_k}, from planes whose normals need not be unit vectors. Planes that
/// do not touch it, and all but one of equal planes, are dropped. Vertices are found as the facets
/// of the polar set around an interior point (the centre of the largest ball inside, when none is
/// given).
///
/// Throws std::invalid_argument for a zero or non-finite normal, an empty set or one without
/// interior, an unbounded set, and an interior point that does not lie inside.
Polytope polytope_of_facets(int dim, const std::vector<Plane>& planes,
                            std::optional<Vec3> interior = std::nullopt);

}  // namespace touchstone

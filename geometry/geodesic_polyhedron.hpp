#pragma once

/// Polyhedra that stand for spheres and ellipsoids: an icosahedron whose edges are halved again and
/// again, each new point moved out onto the sphere.
///
/// After k refinements it has 20·4^k triangles and 10·4^k + 2 vertices on one sphere. α, the
/// largest angle between the normal of a facet and a vertex of it, halves with each refinement.
/// Directions of facets are right to first order in α, the support function h to second:
/// circumradius · cos α ≤ h(n) ≤ circumradius.
///
/// Symmetry: the coordinate planes are mirrors; from k = 1 on the axes go through vertices; the
/// directions (±1, ±1, ±1) are threefold axes and go through the middles of equilateral facets.

#include <memory>
#include <vector>

#include "geometry/shapes.hpp"

namespace touchstone {

/// The vertices on the unit sphere.
std::vector<Vec3> geodesic_points(int refinements);

/// The polyhedron for an ellipsoid whose axes are those of the coordinates. For a sphere it has the
/// size for which the mean of h(n) over all directions n is the radius: h is the height of the
/// centre above a floor with the normal −n, so that it rolls at the right height on average, and
/// what is left oscillates between 0.18 α² above and 0.33 α² below the radius. (An inscribed one is
/// too low by 0.18 α² on average, one of equal volume too high by 0.14 α².) For semi-axes A =
/// diag(a, b, c) it is the image under A, whose support function is h(An), beside |An| of the
/// ellipsoid: the same holds for the quotient of the two.
std::shared_ptr<Polytope> geodesic_polyhedron(int refinements, const Vec3& semi_axes);

}  // namespace touchstone

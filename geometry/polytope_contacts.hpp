#pragma once

#include <vector>

#include "geometry/contact_points.hpp"
#include "geometry/shapes.hpp"

namespace touchstone {

/// Every vertex of P within the margin of the half-space H (set B), feature = the vertex.
void polytope_half_space(const Polytope& P, const Pose& pose_p, const HalfSpace& H,
                         const Pose& pose_h, double margin, std::vector<ContactPoint>& out);

/// The vertices of the contact region of two polytopes.
void polytope_polytope(const Polytope& A, const Pose& pose_a, const Polytope& B, const Pose& pose_b,
                       double margin, std::vector<ContactPoint>& out);

}  // namespace touchstone

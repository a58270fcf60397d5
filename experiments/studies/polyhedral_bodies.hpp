#pragma once

/// Polyhedra in the place of the spheres and ellipsoids of a study, for formulations that need
/// facets. Mass and inertia remain those of the smooth body, so that only the geometry of its
/// contacts differs.

#include <memory>

#include "experiments/harness/study.hpp"
#include "geometry/shapes.hpp"

namespace touchstone {

/// `facets`: of each polyhedron; 0, the default, is the smooth shape.
Parameter facets_parameter();

bool is_polyhedral(const Parameters& p);

/// The polyhedron for the ellipsoid of these semi-axes (geometry/geodesic_polyhedron.hpp) with
/// `facets` facets; InputError where there is none with that many.
std::shared_ptr<const ConvexSet> polyhedron_for(const Parameters& p, const Vec3& semi_axes);

/// The sphere, or its polyhedron.
std::shared_ptr<const ConvexSet> ball_or_polyhedron(const Parameters& p, double radius);

/// What a step with linearised gaps may leave of the gap of one moving body to fixed ones, over the
/// whole run [m]: max h²|ω|(|v| + |ω|r), the C‖ν‖²h² of Hart and Anitescu's theorem with the second
/// derivative of a gap at a corner at the distance r, whose face turns while the body moves. More
/// than that means that a step did not know of a feature that it ran into.
double linearisation_bound(const Record& record, double h, double radius);

/// The summary's `max_penetration` against its `linearisation_bound`; springs have none.
void check_penetration(const CaseResult& result, std::vector<Check>& checks);

}  // namespace touchstone

#pragma once

/// How far each contact force is determined. Where contacts are redundant (a chair with four legs,
/// a ball between two walls with friction) the accelerations are known and the forces are not. All
/// forces that give the same accelerations as one solution r,
///
///     W r' = W r,   r'_n ≥ 0,   r' = 0 where u_n > 0,   r'_f = −μ r'_n u_f/|u_f| where u_f ≠ 0,
///     r'_f = Σ β_k d_k, β ≥ 0, Σ β_k ≤ μ r'_n  where u = 0, (1)
///
/// form a polyhedron; a linear program for each bound finds the least and the largest normal force
/// of each contact. The d_k are ± the tangent of a planar contact, the corners of a regular polygon
/// inscribed in the disc of two tangents (so that the bounds are inner ones, within 1 − cos(π/k) of
/// the true ones in friction), and ± torsion besides.

#include "solvers/own/friction_cones.hpp"

namespace touchstone {

struct ForceBounds {
  Vec low, high;                   // of r_n, one a contact; infinite where there is no bound
  Status status = Status::solved;  // infeasible: r does not satisfy (1) itself
  bool unique(double tolerance) const { return ((high - low).array() <= tolerance).all(); }
};

/// `r` solves the problem; accelerations below `tolerance` count as zero.
ForceBounds normal_force_bounds(const FrictionCones& problem, const Vec& r, int directions = 16,
                                double tolerance = 1e-8);

}  // namespace touchstone

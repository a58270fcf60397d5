#pragma once

#include <vector>

#include "solvers/problem.hpp"

namespace touchstone {

/// The oracle: every support α ⊆ {1…n} of an LCP is tried,
///     z_α ≥ 0,  M_αα z_α = −q_α,   z_β = 0,  w_β = M_βα z_α + q_β ≥ 0   (β the complement of α).
///     (1)
/// A nonsingular M_αα gives the one candidate. For a singular one (1) is a polyhedron: it is empty
/// or has a vertex, which phase one of the simplex method finds, so a support is never called empty
/// because its linear system has many solutions.
///
/// Cost 2ⁿ small solves; hence the limit.
constexpr Eigen::Index enumeration_limit = 16;

/// All solutions up to duplicates, in the order of the supports read as binary numbers (z = 0
/// first): every isolated solution, and of each continuum at least one point per support on which
/// it lives. A candidate counts when its natural residual is at most `tolerance`. InputError above
/// `enumeration_limit` unknowns or for a malformed problem.
std::vector<Vec> all_solutions(const Lcp& problem, double tolerance);

}  // namespace touchstone

#pragma once

/// Contacts with up to three friction components each, coupled by any matrix:
///
///     u = W r + q,   per contact  r = (r_n, r_f), u = (u_n, u_f),  r_f ∈ R^d, d = 0…3,
///     separation   r = 0,     u_n ≥ 0
///     stick        u = 0,     ‖r_f‖ ≤ μ r_n                                                    (1)
///     slip         u_n = 0,   u_f = −κ r_f, κ ≥ 0, ‖r_f‖ = μ r_n.
///
/// With the components scaled by the semi-axes, r_k = λ_k/e_k and u_k = e_k times the velocity,
/// this is maximum dissipation over the ellipsoid (λ_t/e_t)² + (λ_o/e_o)² + (λ_r/e_r)² ≤ μ²λ_n². u
/// may be velocities after an impact, or accelerations of contacts that are at rest: (1) is then
/// the law of static friction in which slip starts against the friction. FrictionContact is the
/// class with d = 1 or 2 throughout; here d = 3 is torsion and d = 0 a contact whose friction is
/// known already (it slides) or absent, so that W need not be symmetric.
///
/// Block Gauss–Seidel with exact solutions of one contact, then Newton's method on Alart and
/// Curnier's map from there, with least-norm steps where the forces are not unique; where redundant
/// contacts hold that up, proximal points around it.

#include <vector>

#include "solvers/solver.hpp"

namespace touchstone {

struct FrictionCones {
  Mat W;
  Vec q;
  std::vector<int> friction;  // d of each contact; its rows are 1 + d
  Vec mu;
  Vec extra{};  // added to each friction radius μ r_n; empty: nothing (Poisson's second phase)

  double radius(std::size_t i, double r_n) const {
    const auto k = static_cast<Eigen::Index>(i);
    return mu[k] * (r_n > 0.0 ? r_n : 0.0) + (extra.size() > 0 ? extra[k] : 0.0);
  }
};

/// The natural residual: r_n − max(0, r_n − ρu_n) and r_f − Π(r_f − ρu_f) onto the ball of radius
/// μ r_n, ρ = 1/W_nn, divided by ρ: in the unit of u.
double residual(const FrictionCones& problem, const Vec& r);

/// `guess` may be empty. Status: solved; iteration_limit; singular where a contact has no solution
/// of its own (W_nn ≤ 0 while it approaches).
Claim solve(const FrictionCones& problem, const Vec& guess, double tolerance);

}  // namespace touchstone

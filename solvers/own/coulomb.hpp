#pragma once

/// One contact with Coulomb friction, u = W r + b in the order (normal, two tangents):
///     separation   r = 0,                       u_n ≥ 0
///     stick        u = 0,                       ‖r_t‖ ≤ μ r_n
///     slip         u_n = 0, u_t = −κ r_t, κ ≥ 0, ‖r_t‖ = μ r_n
/// which together are K* ∋ u + μ‖u_t‖n ⊥ r ∈ K (de Saxcé). Planar contacts set the second tangent
/// of r and u to zero and W₂₂ to 1.

#include "solvers/problem.hpp"

namespace touchstone {

using Row3 = Eigen::Vector3d;
using Block3 = Eigen::Matrix3d;

enum class ContactMode { separation, stick, slip, unsolvable };

/// The exact solution of one contact. Slip: with the normal row solved for r_n,
///     (S + κI) r_t = −c,   S = W_tt − W_tn W_nt / W_nn,   c = b_t − W_tn b_n / W_nn, (1)
/// and g(κ) = ‖r_t(κ)‖ − μ r_n(κ) = 0. After separation (b_n ≥ 0) and stick are excluded,
/// g(0) > 0 and g(∞) = μ b_n / W_nn < 0, so a root is always bracketed; Newton on g, bisection
/// where it leaves the bracket. W need not be symmetric; W_nn ≤ 0 with b_n < 0 is `unsolvable`.
ContactMode solve_contact(const Block3& W, const Row3& b, double mu, Row3& r);

/// Π_K, K = {‖r_t‖ ≤ μ r_n}.
Row3 project_to_friction_cone(const Row3& r, double mu);

/// r − Π_K(r − (u + μ‖u_t‖n)) in maximum norm: the referee's natural residual of one contact. NaN
/// gives infinity.
double contact_residual(const Row3& r, const Row3& u, double mu);

/// Reads and writes `dim` entries from `start` on; a planar contact's second tangent is zero.
inline Row3 contact_row(const Vec& v, Eigen::Index start, int dim) {
  return {v[start], v[start + 1], dim == 3 ? v[start + 2] : 0.0};
}
inline void write_contact_row(const Row3& row, Eigen::Index start, int dim, Vec& v) {
  for (int k = 0; k < dim; ++k) v[start + k] = row[k];
}

/// The diagonal block of contact `i`.
Block3 contact_block(const FrictionContact& problem, Eigen::Index i);

/// The natural residual of the whole problem with u = Wr + q at hand.
double friction_residual(const FrictionContact& problem, const Vec& r, const Vec& u);

}  // namespace touchstone

#pragma once

#include <optional>

#include "solvers/problem.hpp"

namespace touchstone {

/// The referee: every answer is measured here, outside every solver, by one definition.
///
/// What is measured is the natural map of the problem in double precision, so a residual has an
/// error of its own. For F(z) = Mz + q, evaluated with unit round-off u = 2⁻⁵³ in any order,
///     |F̂(z) − F(z)|ᵢ ≤ (n + 2) u (|M||z| + |q|)ᵢ                                            (1)
/// (Higham, Accuracy and Stability of Numerical Algorithms, section 3.1, to first order; the last u
/// is for z itself, whose entries are rounded). δ is the most by which (1) can change a row of the
/// natural map; a row with z at its bound and F well on its side contributes nothing. An exact
/// answer may show δ, and an answer that shows zero may be wrong by δ. An answer is accepted when
///     ρ ≤ τ + δ   and   δ ≤ max(τ, √ε s),                                                   (2)
/// with the natural residual ρ, the tolerance τ = absolute + relative · data_scale, ε = 2u and the
/// size s of the data that z meets. In words: the residual is within the tolerance or all that it
/// can be in doubles, and the round-off leaves at least half the digits of the data visible. So
/// "solved" means: z solves the problem with q changed by at most τ + 2δ ≤ 3τ + 2√ε s, whatever
/// the size of z.
/// - Without δ on the left of (2), large impulses that cancel (a heavy body on a light one: terms
///   of M z of 10⁸ m/s with a sum of 10 m/s) could not be solved by anyone.
/// - The map itself is written without differences of z and F (z − mid(l, u, z − F) is evaluated as
///   mid(z − u, z − l, F)), so that all of its error is that of F.
/// - Without the second part, z of 10¹⁷ would hide q altogether, and an LCP without a solution
///   would be solved by any z along which Mz rounds to zero.
///
/// s: for an Lcp and FrictionContact ‖q‖∞. Bounds are data too: for an Mlcp the larger of ‖q‖∞ and
/// ‖M z_B + q‖∞ with z_B the components of z that are held at a bound (the others 0), for a Qp the
/// largest of ‖c‖∞ and the active bounds. An Mcp is judged by its linearisation, M = J(z) and
/// q = F(z) − J(z) z. For a Qp the rows are those of its KKT system; for FrictionContact (1) is
/// larger by 1 + μ.

/// What the referee measures; every number is a maximum norm.
struct Residual {
  double natural = 0.0;        // |z − mid(l, u, z − F(z))|; zero exactly at solutions
  double infeasibility = 0.0;  // how far z leaves [l, u], or F the sign that z asks for
  double complementarity = 0.0;  // |(z − l) F⁺| and |(u − z) F⁻|: the products that should vanish
  std::optional<double> physical;  // natural residual in m/s, where the problem has a VelocityScale
  double round_off = 0.0;          // δ of (2): the error that `natural` itself may have
  double data = 0.0;               // s of (2): the size of the data that z meets
};

/// Memory that measurements reuse; it only grows.
struct RefereeWorkspace {
  Vec F, size, at_bounds;
  SpMat J;
};

/// The one definition. NaN in z gives infinity everywhere.
/// - Lcp, Mlcp, Mcp: as named above. An infinite bound has no product to vanish: the sign of F that
///   it forbids is infeasibility.
/// - Qp: the KKT system in (x, y) as an MCP: Px + c + Aᵀy and Ax − mid(l, u, Ax + y);
///   infeasibility is that of Ax alone.
/// - FrictionContact: natural map of the cone, r − Π_K(r − ρ(u + μ‖u_t‖n)) with ρ = 1;
///   infeasibility is the distance of r to K and of u + μ‖u_t‖n to K*; complementarity
///   |r·(u + μ‖u_t‖n)|; physical is the natural map with ρᵢ = 1/Wₙₙ, divided by ρᵢ.
Residual residual(const Problem& problem, const Vec& z);

/// The same without allocating where the problem allows it.
Residual residual(const Problem& problem, const Vec& z, RefereeWorkspace& workspace);

/// ‖q‖∞ (‖c‖∞ for a QP, ‖F(0)‖∞ clipped to the bounds for an MCP): what relative tolerances refer
/// to.
double data_scale(const Problem& problem);

/// (n + 2) u of (1).
double round_off_factor(Eigen::Index n);

/// (2) for a tolerance τ, the only place where "solved" is decided.
bool acceptable(const Residual& residual, double bound);

/// Whether (2) fails because of the round-off alone: the answer hides the data of its problem.
bool hides_data(const Residual& residual, double bound);

}  // namespace touchstone

#pragma once

#include <optional>

#include "solvers/problem.hpp"

namespace touchstone {

/// What the referee measures; every number is a maximum norm.
struct Residual {
  double natural = 0.0;        // |z − mid(l, u, z − F(z))|; zero exactly at solutions
  double infeasibility = 0.0;  // how far z leaves [l, u], or F the sign that z asks for
  double complementarity = 0.0;  // |(z − l) F⁺| and |(u − z) F⁻|: the products that should vanish
  std::optional<double> physical;  // natural residual in m/s, where the problem has a VelocityScale
};

/// The one definition, outside every solver. NaN in z gives infinity everywhere.
/// - Lcp, Mlcp, Mcp: as named above. An infinite bound has no product to vanish: the sign of F that
///   it forbids is infeasibility.
/// - Qp: the KKT system in (x, y) as an MCP: Px + c + Aᵀy and Ax − mid(l, u, Ax + y);
///   infeasibility is that of Ax alone.
/// - FrictionContact: natural map of the cone, r − Π_K(r − ρ(u + μ‖u_t‖n)) with ρ = 1;
/// infeasibility is
///   the distance of r to K and of u + μ‖u_t‖n to K*; complementarity |r·(u + μ‖u_t‖n)|; physical
///   is the natural map with ρᵢ = 1/Wₙₙ, divided by ρᵢ.
Residual residual(const Problem& problem, const Vec& z);

/// The same without allocating where the problem allows it: `workspace` holds F and only grows.
Residual residual(const Problem& problem, const Vec& z, Vec& workspace);

/// ‖q‖∞ (‖c‖∞ for a QP, ‖F(0)‖∞ clipped to the bounds for an MCP): what relative tolerances refer
/// to.
double data_scale(const Problem& problem);

}  // namespace touchstone

#pragma once

/// Equations that hold exactly where l ≤ z ≤ u ⊥ F does, one row at a time, and one element of
/// their generalised Jacobian, α eᵢᵀ + β ∇Fᵢᵀ.
///
/// Fischer–Burmeister, smoothed by τ ≥ 0:  φ(a, b) = a + b − √(a² + b² + 2τ), with
///     φ(z − l, F)                  only l is finite,
///     −φ(u − z, −F)                only u is finite,
///     φ(z − l, −φ(u − z, −F))      both are finite,
///     F                            neither is (Billups 1995; Ferris, Kanzow & Munson 1999).
/// Natural map: z − mid(l, u, z − F), that is z − l, F or z − u.

#include <cmath>
#include <limits>

namespace touchstone {

/// Value and weights of one row.
struct MapRow {
  double value, alpha, beta;
};

namespace maps {

constexpr double inf = std::numeric_limits<double>::infinity();

/// φ and its partial derivatives (∂a, ∂b). At the kink a = b = 0 the element towards (1, 1).
inline MapRow fischer_burmeister(double a, double b, double tau) {
  const double r = std::sqrt(a * a + b * b + 2.0 * tau);
  if (r == 0.0) return {0.0, 1.0 - 0.70710678118654752, 1.0 - 0.70710678118654752};
  // a + b − r without cancellation where a, b > 0.
  const double value = a > 0.0 && b > 0.0 ? 2.0 * (a * b - tau) / (a + b + r) : a + b - r;
  return {value, 1.0 - a / r, 1.0 - b / r};
}

}  // namespace maps

inline MapRow fischer_burmeister_row(double z, double F, double l, double u, double tau) {
  if (l == -maps::inf && u == maps::inf) return {F, 0.0, 1.0};
  if (u == maps::inf) return maps::fischer_burmeister(z - l, F, tau);
  const MapRow upper = maps::fischer_burmeister(u - z, -F, tau);
  if (l == -maps::inf) return {-upper.value, upper.alpha, upper.beta};
  const MapRow both = maps::fischer_burmeister(z - l, -upper.value, tau);
  return {both.value, both.alpha + both.beta * upper.alpha, both.beta * upper.beta};
}

inline MapRow natural_row(double z, double F, double l, double u) {
  if (z - F <= l) return {z - l, 1.0, 0.0};
  if (z - F >= u) return {z - u, 1.0, 0.0};
  return {F, 0.0, 1.0};
}

}  // namespace touchstone

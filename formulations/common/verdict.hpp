#pragma once

/// What can be said of contact forces, as a result rather than a failure (Baraff, thesis 1992,
/// chapters 10 to 13).

#include <string>
#include <vector>

#include "solvers/solver.hpp"

namespace touchstone {

/// unique: one set of finite forces; several: more than one (at least one point of a continuum per
/// support); impulsive: no finite forces, but Lemke's ray is a valid impulse; none: neither.
enum class Verdict { unique, several, impulsive, none };
std::string to_string(Verdict verdict);

struct Examination {
  Verdict verdict = Verdict::none;
  std::vector<Vec> solutions{};  // all, by enumeration, in its order
  Vec impulse{};                 // Lemke's ray z, scaled to max z = 1; empty: it ended otherwise
};

/// All solutions of 0 ≤ f ⊥ Af − b ≥ 0 given as an LCP (M = A, q = −b) of at most 16 unknowns.
Examination examine(const Lcp& problem, double tolerance = 1e-9);

/// (13-1): z ≥ 0, z ≠ 0 and (Az)_i ≤ 0 wherever z_i > 0: contacts that receive an impulse do not
/// part by it. Impulsive and finite solutions may both exist.
bool is_valid_impulse(const Mat& A, const Vec& z, double tolerance = 1e-12);

}  // namespace touchstone

#pragma once

#include "solvers/problem.hpp"

namespace touchstone {

/// Whether M + Mᵀ is positive semidefinite up to round-off: with unit diagonal after symmetric
/// scaling, its smallest eigenvalue is at least −1e-10 n. (Cholesky of the shifted matrix.)
bool is_positive_semidefinite(const Mat& M);

/// Symmetric scaling d > 0 by powers of two that gives D M D a diagonal near 1 where Mᵢᵢ > 0 and
/// rows of size near 1 elsewhere. It keeps complementary pairs and semidefiniteness.
void symmetric_scale(const Mat& M, Vec& d);

/// Whether v proves that l ≤ z ≤ u ⊥ w = Mz + q has no solution. A solution has wᵢ ≥ 0 where
/// uᵢ = ∞, wᵢ ≤ 0 where lᵢ = −∞. With vᵢ of the same sign there and 0 elsewhere, vᵀw ≥ 0; but
///     vᵀw = (Mᵀv)ᵀz + qᵀv ≤ Σ max over [lᵢ, uᵢ] of (Mᵀv)ᵢ zᵢ + qᵀv < 0 (Farkas)
/// is a contradiction. Components of the wrong sign are cut off first; entries of Mᵀv up to 1e-9 of
/// their terms count as zero. Nothing is assumed of M.
bool proves_infeasible(const Mat& M, const Vec& q, const Vec& l, const Vec& u, Vec v);

}  // namespace touchstone

#pragma once

#include <Eigen/LU>
#include <vector>

#include "solvers/problem.hpp"

namespace touchstone {

/// A mixed LCP l ≤ z ≤ u ⊥ Mz + q as a standard LCP 0 ≤ y ⊥ M̄y + q̄ ≥ 0, without approximation:
///
/// - free variables x are eliminated from their equations: with the free rows A x + B z_b + q_f =
/// 0,
///   x = −A⁻¹(B z_b + q_f), and K = D − C A⁻¹ B, k = q_b − C A⁻¹ q_f remain;
/// - bounded variables are counted from a bound, z_b = o + S y with S = diag(±1): y = z − l, or
///   y = u − z (and F changes sign) where only u is finite;
/// - where both bounds are finite, a multiplier y' ≥ 0 for y ≤ u − l is appended:
///       w = S(K z_b + k) + y' ≥ 0,   w' = (u − l) − y ≥ 0.
class StandardForm {
 public:
  /// False when the free block A is singular.
  bool reduce(const Mlcp& problem);

  const Mat& M() const { return M_; }
  const Vec& q() const { return q_; }

  /// z from y.
  void expand(const Vec& y, Vec& z) const;
  /// y from a guess of z; a multiplier y' is positive where the guess is at its upper bound.
  void reduce_guess(const Vec& z, Vec& y) const;
  /// A direction of z from a direction of y.
  Vec expand_direction(const Vec& y) const;

 private:
  void classify(const Mlcp& problem);
  bool eliminate(const Mat& M, const Vec& q);

  std::vector<Eigen::Index> free_, bounded_, boxed_;  // boxed_: positions in bounded_
  Vec sign_, offset_, width_;
  Mat A_, B_, X_, K_, M_;
  Vec q_free_, k_, q_;
  Eigen::PartialPivLU<Mat> lu_;
};

}  // namespace touchstone

#pragma once

#include <cstdint>

#include "solvers/own/complementarity_maps.hpp"
#include "solvers/own/newton_system.hpp"
#include "solvers/problem.hpp"

namespace touchstone {

/// Lcp, Mlcp and Mcp as one: l ≤ z ≤ u ⊥ F(z) with its Jacobian J, and a diagonal scaling
/// z = C y, F' = R F with powers of two such that R J C has rows and columns of like size. Scaling
/// by R, C > 0 keeps the solutions; it makes merit functions and damping mean the same in any
/// units.
class NewtonModel {
 public:
  /// Refers to the problem; it must outlive the model's use.
  void load(const Problem& problem);

  Eigen::Index size() const { return l_.size(); }
  bool is_linear() const { return function_ == nullptr; }
  const Vec& l() const { return l_; }
  const Vec& u() const { return u_; }
  const Vec& R() const { return R_; }
  const Vec& C() const { return C_; }

  void evaluate(const Vec& z, Vec& F) const;
  /// Makes J(z) the matrix that `fill` and `equilibrate` use.
  void differentiate(const Vec& z);
  /// R and C from the current J.
  void equilibrate();
  /// H = diag(α) + diag(β) R J C
  void fill(const Vec& alpha, const Vec& beta, NewtonSystem& system) const;

  /// Row i of the scaled equations at z, F, and θ = ½‖Φ_FB‖².
  MapRow natural(Eigen::Index i, double z, double F) const {
    return natural_row(z / C_[i], R_[i] * F, l_[i] / C_[i], u_[i] / C_[i]);
  }
  MapRow fischer_burmeister(Eigen::Index i, double z, double F, double tau) const {
    return fischer_burmeister_row(z / C_[i], R_[i] * F, l_[i] / C_[i], u_[i] / C_[i], tau);
  }
  double merit(const Vec& z, const Vec& F, double tau) const;

  /// The size that scaled unknowns have when R J C ~ 1: that of R F at the point of [l, u] nearest
  /// to 0. The arguments are workspace.
  double data_size(Vec& z, Vec& F) const;

  /// A hash of the pieces (l, F, u) that the natural map takes at z.
  std::uint64_t active_set_key(const Vec& z, const Vec& F) const;

  /// ‖z − mid(l, u, z − F)‖∞ in the problem's own units: what the referee measures. NaN gives ∞.
  double natural_residual(const Vec& z, const Vec& F) const;
  void clip(Vec& z) const { z = z.cwiseMax(l_).cwiseMin(u_); }

 private:
  template <class Visit>
  void for_each_entry(Visit visit) const;

  const McpFunction* function_ = nullptr;
  const Matrix* M_ = nullptr;
  const Vec* q_ = nullptr;
  SpMat J_;  // of a nonlinear problem
  Vec l_, u_, R_, C_, row_size_, column_size_;
};

}  // namespace touchstone

#pragma once

#include <Eigen/LU>
#include <Eigen/QR>
#include <Eigen/SparseLU>
#include <vector>

#include "solvers/problem.hpp"

namespace touchstone {

/// The linear systems H x = b of Newton's method, dense or sparse. The caller fills H in place;
/// the workspace only grows, and the dense path does not allocate once it has seen a size.
class NewtonSystem {
 public:
  void reset(Eigen::Index n, bool sparse);
  bool is_sparse() const { return sparse_; }
  Mat& dense() { return H_; }
  SpMat& sparse() { return S_; }

  /// x = H⁻¹b by LU with one step of iterative refinement. False when H is singular to working
  /// precision: a pivot at round-off, or a residual that refinement does not bring down.
  bool solve(const Vec& b, Vec& x);

  /// Levenberg–Marquardt: (HᵀH + λI) x = Hᵀb. False when even this has no usable solution.
  bool solve_damped(double lambda, const Vec& b, Vec& x);

  /// The least-squares solution of smallest norm. A sparse H is
  /// damped at round-off instead, and repeated for the residual (iterated Tikhonov).
  bool solve_least_squares(const Vec& b, Vec& x);

  /// y = Hᵀx
  void multiply_transposed(const Vec& x, Vec& y) const;

 private:
  void multiply(const Vec& x, Vec& y) const;
  bool factor();
  bool factor_sparse();

  bool sparse_ = false;
  Mat H_, HtH_;
  SpMat S_, identity_;
  Vec residual_, correction_, rhs_;
  Eigen::PartialPivLU<Mat> lu_;
  Eigen::LLT<Mat> cholesky_;
  Eigen::SparseLU<SpMat> sparse_lu_;
  std::vector<int> pattern_;  // what sparse_lu_ has analysed: outer, then inner indices
};

}  // namespace touchstone

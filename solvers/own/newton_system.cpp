#include "solvers/own/newton_system.hpp"

#include <Eigen/Cholesky>
#include <Eigen/SparseCholesky>
#include <algorithm>
#include <cmath>

namespace touchstone {

namespace {

constexpr double pivot_round_off = 1e-14;  // relative to the largest pivot [1]
constexpr double solve_slack = 1e-8;       // ‖Hx − b‖ relative to ‖b‖ [1]

}  // namespace

void NewtonSystem::reset(Eigen::Index n, bool sparse) {
  sparse_ = sparse;
  if (!sparse) H_.resize(n, n);
}

void NewtonSystem::multiply(const Vec& x, Vec& y) const {
  if (sparse_)
    y.noalias() = S_ * x;
  else
    y.noalias() = H_ * x;
}

void NewtonSystem::multiply_transposed(const Vec& x, Vec& y) const {
  if (sparse_)
    y.noalias() = S_.transpose() * x;
  else
    y.noalias() = H_.transpose() * x;
}

bool NewtonSystem::factor_sparse() {
  S_.makeCompressed();
  const auto outer = static_cast<std::size_t>(S_.outerSize() + 1);
  const auto inner = static_cast<std::size_t>(S_.nonZeros());
  const bool known =
      pattern_.size() == outer + inner &&
      std::equal(pattern_.begin(), pattern_.begin() + static_cast<long>(outer),
                 S_.outerIndexPtr()) &&
      std::equal(pattern_.begin() + static_cast<long>(outer), pattern_.end(), S_.innerIndexPtr());
  if (!known) {
    sparse_lu_.analyzePattern(S_);
    pattern_.assign(S_.outerIndexPtr(), S_.outerIndexPtr() + outer);
    pattern_.insert(pattern_.end(), S_.innerIndexPtr(), S_.innerIndexPtr() + inner);
  }
  sparse_lu_.factorize(S_);
  return sparse_lu_.info() == Eigen::Success;
}

bool NewtonSystem::factor() {
  if (sparse_) return factor_sparse();
  lu_.compute(H_);
  double smallest = std::abs(lu_.matrixLU()(0, 0)), largest = smallest;
  for (Eigen::Index i = 1; i < H_.rows(); ++i) {
    const double pivot = std::abs(lu_.matrixLU()(i, i));
    smallest = std::min(smallest, pivot);
    largest = std::max(largest, pivot);
  }
  return smallest > pivot_round_off * largest;  // false for NaN
}

bool NewtonSystem::solve(const Vec& b, Vec& x) {
  if (b.size() == 0) return true;
  if (!factor()) return false;
  const double size = b.lpNorm<Eigen::Infinity>();
  for (int refinement = 0; refinement < 2; ++refinement) {
    if (refinement == 0) {
      residual_ = b;
      x.setZero(b.size());
    }
    if (sparse_) {
      correction_ = sparse_lu_.solve(residual_);
    } else {
      correction_.noalias() = lu_.permutationP() * residual_;
      lu_.matrixLU().triangularView<Eigen::UnitLower>().solveInPlace(correction_);
      lu_.matrixLU().triangularView<Eigen::Upper>().solveInPlace(correction_);
    }
    x += correction_;
    multiply(x, residual_);
    residual_ = b - residual_;
    if (residual_.lpNorm<Eigen::Infinity>() <= 1e-15 * size) break;
  }
  return x.allFinite() && residual_.lpNorm<Eigen::Infinity>() <= solve_slack * size;
}

bool NewtonSystem::solve_damped(double lambda, const Vec& b, Vec& x) {
  multiply_transposed(b, rhs_);
  if (sparse_) {
    identity_.resize(S_.rows(), S_.cols());
    identity_.setIdentity();
    const SpMat HtH = SpMat(S_.transpose() * S_) + lambda * identity_;
    const Eigen::SimplicialLDLT<SpMat> factors(HtH);
    if (factors.info() != Eigen::Success) return false;
    x = factors.solve(rhs_);
  } else {
    HtH_.noalias() = H_.transpose() * H_;
    HtH_.diagonal().array() += lambda;
    cholesky_.compute(HtH_);
    if (cholesky_.info() != Eigen::Success) return false;
    x = rhs_;
    cholesky_.solveInPlace(x);
  }
  return x.allFinite();
}

bool NewtonSystem::solve_least_squares(const Vec& b, Vec& x) {
  if (!sparse_) {
    Eigen::CompleteOrthogonalDecomposition<Mat> factors;
    factors.setThreshold(1e-11);
    factors.compute(H_);
    x = factors.solve(b);
    return x.allFinite();
  }
  Vec sum = Vec::Zero(b.size()), missing = b;
  for (int repeat = 0; repeat < 3; ++repeat) {
    if (!solve_damped(1e-10, missing, x)) return false;
    sum += x;
    multiply(sum, missing);
    missing = b - missing;
  }
  x = sum;
  return x.allFinite();
}

}  // namespace touchstone

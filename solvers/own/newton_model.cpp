#include "solvers/own/newton_model.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "solvers/own/complementarity_maps.hpp"

namespace touchstone {

namespace {

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr Eigen::Index small = 60;  // up to here a dense LU beats a sparse one
constexpr int equilibration_sweeps = 4;

/// The power of two nearest to x^(−½) from above or below; 1 where x says nothing.
double inverse_root(double x) {
  if (!(x > 0.0) || !std::isfinite(x)) return 1.0;
  return std::ldexp(1.0, -static_cast<int>(std::lround(0.5 * std::log2(x))));
}

}  // namespace

void NewtonModel::load(const Problem& problem) {
  function_ = nullptr;
  M_ = nullptr;
  if (const Lcp* lcp = std::get_if<Lcp>(&problem)) {
    M_ = &lcp->M;
    q_ = &lcp->q;
    l_.setZero(q_->size());
    u_.setConstant(q_->size(), inf);
  } else if (const Mlcp* mlcp = std::get_if<Mlcp>(&problem)) {
    M_ = &mlcp->M;
    q_ = &mlcp->q;
    l_ = mlcp->l;
    u_ = mlcp->u;
  } else {
    const Mcp& mcp = std::get<Mcp>(problem);
    function_ = mcp.function.get();
    l_ = mcp.l;
    u_ = mcp.u;
  }
  R_.setOnes(l_.size());
  C_.setOnes(l_.size());
}

void NewtonModel::evaluate(const Vec& z, Vec& F) const {
  F.resize(z.size());
  if (function_) {
    function_->evaluate(z, F);
    if (F.size() != z.size())
      throw std::invalid_argument("the function of an Mcp changed the size of F");
  } else {
    M_->multiply(z, F);
    F += *q_;
  }
}

void NewtonModel::differentiate(const Vec& z) {
  if (!function_) return;
  function_->jacobian(z, J_);
  if (J_.rows() != z.size() || J_.cols() != z.size())
    throw std::invalid_argument("the Jacobian of an Mcp is not square of the size of z");
}

template <class Visit>
void NewtonModel::for_each_entry(Visit visit) const {
  if (!function_ && !M_->is_sparse()) {
    const Mat& A = M_->dense();
    for (Eigen::Index j = 0; j < A.cols(); ++j)
      for (Eigen::Index i = 0; i < A.rows(); ++i) visit(i, j, A(i, j));
    return;
  }
  const SpMat& A = function_ ? J_ : M_->sparse();
  for (Eigen::Index j = 0; j < A.outerSize(); ++j)
    for (SpMat::InnerIterator it(A, j); it; ++it) visit(it.row(), j, it.value());
}

void NewtonModel::equilibrate() {
  // A start can make rows of a nonlinear problem vanish (friction rows at pₙ = 0): its scaling is
  // kept moderate.
  const double widest = function_ ? 0x1.0p10 : 0x1.0p40;
  R_.setOnes();
  C_.setOnes();
  for (int sweep = 0; sweep < equilibration_sweeps; ++sweep) {
    row_size_.setZero(size());
    column_size_.setZero(size());
    for_each_entry([&](Eigen::Index i, Eigen::Index j, double value) {
      const double entry = std::abs(R_[i] * value * C_[j]);
      row_size_[i] = std::max(row_size_[i], entry);
      column_size_[j] = std::max(column_size_[j], entry);
    });
    for (Eigen::Index i = 0; i < size(); ++i) {
      R_[i] = std::clamp(R_[i] * inverse_root(row_size_[i]), 1.0 / widest, widest);
      C_[i] = std::clamp(C_[i] * inverse_root(column_size_[i]), 1.0 / widest, widest);
    }
    const bool balanced = row_size_.maxCoeff() <= 2.0 && row_size_.minCoeff() >= 0.5 &&
                          column_size_.maxCoeff() <= 2.0 && column_size_.minCoeff() >= 0.5;
    if (balanced) break;
  }
}

void NewtonModel::fill(const Vec& alpha, const Vec& beta, NewtonSystem& system) const {
  const bool dense_data = !function_ && !M_->is_sparse();
  system.reset(size(), !dense_data && size() > small);
  if (!system.is_sparse()) {
    Mat& H = system.dense();
    if (dense_data) {
      const Mat& A = M_->dense();
      for (Eigen::Index j = 0; j < size(); ++j)
        H.col(j).array() = (C_[j] * beta.array()) * (R_.array() * A.col(j).array());
    } else {
      H.setZero();
      for_each_entry([&](Eigen::Index i, Eigen::Index j, double value) {
        H(i, j) += beta[i] * R_[i] * value * C_[j];
      });
    }
    H.diagonal() += alpha;
    return;
  }
  // Zeros stay in the pattern, so that it is analysed only once.
  SpMat& H = system.sparse();
  H = function_ ? J_ : M_->sparse();
  SpMat diagonal(size(), size());
  diagonal.setIdentity();
  for (Eigen::Index j = 0; j < H.outerSize(); ++j) {
    for (SpMat::InnerIterator it(H, j); it; ++it)
      it.valueRef() *= beta[it.row()] * R_[it.row()] * C_[j];
    diagonal.coeffRef(j, j) = alpha[j];
  }
  H += diagonal;
}

double NewtonModel::merit(const Vec& z, const Vec& F, double tau) const {
  double sum = 0.0;
  for (Eigen::Index i = 0; i < z.size(); ++i) {
    const double value = fischer_burmeister(i, z[i], F[i], tau).value;
    sum += value * value;
  }
  return 0.5 * sum;
}

double NewtonModel::data_size(Vec& z, Vec& F) const {
  z.setZero(size());
  clip(z);
  evaluate(z, F);
  const double largest = R_.cwiseProduct(F).lpNorm<Eigen::Infinity>();
  return std::isfinite(largest) && largest > 0.0 ? largest : 1.0;
}

std::uint64_t NewtonModel::active_set_key(const Vec& z, const Vec& F) const {
  std::uint64_t hash = 0xCBF29CE484222325u;  // FNV-1a
  for (Eigen::Index i = 0; i < z.size(); ++i) {
    const double y = z[i] - F[i] * R_[i] * C_[i];
    const std::uint64_t piece = y <= l_[i] ? 1 : y >= u_[i] ? 2 : 3;
    hash = (hash ^ piece) * 0x100000001B3u;
  }
  return hash;
}

double NewtonModel::natural_residual(const Vec& z, const Vec& F) const {
  double largest = 0.0;
  for (Eigen::Index i = 0; i < z.size(); ++i) {
    if (!std::isfinite(F[i])) return inf;
    const double x = std::abs(natural_row(z[i], F[i], l_[i], u_[i]).value);
    if (!(x <= largest)) largest = std::isnan(x) ? inf : x;
  }
  return largest;
}

}  // namespace touchstone

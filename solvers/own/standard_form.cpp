#include "solvers/own/standard_form.hpp"

#include <cmath>
#include <limits>

namespace touchstone {

namespace {

/// Partial pivoting leaves a pivot at round-off where a column depends on those before it.
bool is_singular(const Eigen::PartialPivLU<Mat>& lu, const Mat& A) {
  const double slack = static_cast<double>(A.rows()) * std::numeric_limits<double>::epsilon();
  for (Eigen::Index i = 0; i < A.rows(); ++i)
    if (!(std::abs(lu.matrixLU()(i, i)) > slack * A.col(i).cwiseAbs().maxCoeff())) return true;
  return false;
}

}  // namespace

bool StandardForm::reduce(const Mlcp& problem) {
  classify(problem);
  const bool eliminated = problem.M.is_sparse() ? eliminate(problem.M.to_dense(), problem.q)
                                                : eliminate(problem.M.dense(), problem.q);
  if (!eliminated) return false;

  const Eigen::Index n = K_.rows(), extra = static_cast<Eigen::Index>(boxed_.size());
  M_.setZero(n + extra, n + extra);
  q_.resize(n + extra);
  M_.topLeftCorner(n, n) = sign_.asDiagonal() * K_ * sign_.asDiagonal();
  q_.head(n) = sign_.cwiseProduct(k_ + K_ * offset_);
  for (Eigen::Index i = 0; i < extra; ++i) {
    M_(boxed_[i], n + i) = 1.0;
    M_(n + i, boxed_[i]) = -1.0;
    q_[n + i] = width_[i];
  }
  return true;
}

void StandardForm::classify(const Mlcp& problem) {
  const Vec &l = problem.l, &u = problem.u;
  free_.clear();
  bounded_.clear();
  boxed_.clear();
  for (Eigen::Index i = 0; i < l.size(); ++i) {
    const bool below = std::isfinite(l[i]), above = std::isfinite(u[i]);
    if (!below && !above) {
      free_.push_back(i);
      continue;
    }
    if (below && above) boxed_.push_back(static_cast<Eigen::Index>(bounded_.size()));
    bounded_.push_back(i);
  }
  const Eigen::Index n = static_cast<Eigen::Index>(bounded_.size());
  sign_.resize(n);
  offset_.resize(n);
  width_.resize(static_cast<Eigen::Index>(boxed_.size()));
  for (Eigen::Index i = 0; i < n; ++i) {
    const bool below = std::isfinite(l[bounded_[i]]);
    sign_[i] = below ? 1.0 : -1.0;
    offset_[i] = below ? l[bounded_[i]] : u[bounded_[i]];
  }
  for (Eigen::Index i = 0; i < width_.size(); ++i)
    width_[i] = u[bounded_[boxed_[i]]] - l[bounded_[boxed_[i]]];
}

bool StandardForm::eliminate(const Mat& M, const Vec& q) {
  K_ = M(bounded_, bounded_);
  k_ = q(bounded_);
  if (free_.empty()) return true;
  A_ = M(free_, free_);
  B_ = M(free_, bounded_);
  q_free_ = q(free_);
  lu_.compute(A_);
  if (is_singular(lu_, A_)) return false;
  if (bounded_.empty()) {  // a plain linear system
    X_.resize(A_.rows(), 0);
    return true;
  }
  X_ = lu_.solve(B_);
  K_.noalias() -= M(bounded_, free_) * X_;
  k_.noalias() -= M(bounded_, free_) * lu_.solve(q_free_);
  return true;
}

void StandardForm::expand(const Vec& y, Vec& z) const {
  const Eigen::Index n = static_cast<Eigen::Index>(bounded_.size());
  const Vec z_bounded = offset_ + sign_.cwiseProduct(y.head(n));
  z.resize(n + static_cast<Eigen::Index>(free_.size()));
  z(bounded_) = z_bounded;
  if (free_.empty()) return;
  const Vec b = B_ * z_bounded + q_free_;
  Vec x = -lu_.solve(b);
  x -= lu_.solve(A_ * x + b);  // one step of refinement on the original rows
  z(free_) = x;
}

void StandardForm::reduce_guess(const Vec& z, Vec& y) const {
  const Eigen::Index n = static_cast<Eigen::Index>(bounded_.size());
  y.setZero(n + width_.size());
  y.head(n) = sign_.cwiseProduct(z(bounded_) - offset_);
  for (Eigen::Index i = 0; i < width_.size(); ++i)
    if (y[boxed_[i]] >= width_[i]) y[n + i] = 1.0;
}

Vec StandardForm::expand_direction(const Vec& y) const {
  const Eigen::Index n = static_cast<Eigen::Index>(bounded_.size());
  const Vec d_bounded = sign_.cwiseProduct(y.head(n));
  Vec d(n + static_cast<Eigen::Index>(free_.size()));
  d(bounded_) = d_bounded;
  if (!free_.empty()) d(free_) = -X_ * d_bounded;
  return d;
}

}  // namespace touchstone

#include "formulations/common/jointed_bodies.hpp"

#include <algorithm>

namespace touchstone {

namespace {

constexpr double no_mobility = 1e-12;  // of what it is without joints
constexpr double round_off = 1e-9;     // of the largest q, at least of 1 [m/s, m/s²]

}  // namespace

Mat JointedBodies::delassus(std::span<const Column> W1, std::span<const Column> W2) const {
  Mat A(static_cast<Eigen::Index>(W1.size()), static_cast<Eigen::Index>(W2.size()));
  touchstone::delassus(configuration_, W1, W2, A);
  if (joints_ == nullptr || A.size() == 0) return A;
  const Vec free = A.cwiseAbs().rowwise().maxCoeff();
  joints_->reduce(configuration_, W1, W2, A);
  for (Eigen::Index i = 0; i < A.rows(); ++i)
    if (A.row(i).cwiseAbs().maxCoeff() <= no_mobility * free[i]) A.row(i).setZero();
  return A;
}

void JointedBodies::settle_blocked(const Mat& W, Vec& q) {
  if (q.size() == 0) return;
  const double small = round_off * std::max(1.0, q.cwiseAbs().maxCoeff());
  for (Eigen::Index i = 0; i < q.size(); ++i)
    if (W.row(i).isZero(0.0) && std::abs(q[i]) <= small) q[i] = 0.0;
}

void JointedBodies::give(std::span<const Column> W, const Vec& p, Vec& nu) const {
  for (std::size_t i = 0; i < W.size(); ++i)
    apply_impulse(configuration_, W[i], p[static_cast<Eigen::Index>(i)], nu);
  if (joints_ == nullptr) return;
  Vec impulses = Vec::Zero(static_cast<Eigen::Index>(joints_->rows().size()));
  joints_->project(configuration_, 0.0, configuration_.world().moving(), nu, impulses);
}

Vec JointedBodies::accelerations(const Vec& nu, std::span<const Column> W, const Vec& r) const {
  Vec nu_dot;
  configuration_.free_velocity(nu, 1.0, nu_dot);
  nu_dot -= nu;
  for (std::size_t i = 0; i < W.size(); ++i)
    apply_impulse(configuration_, W[i], r[static_cast<Eigen::Index>(i)], nu_dot);
  if (joints_ != nullptr) joints_->accelerate(configuration_, nu_dot);
  return nu_dot;
}

}  // namespace touchstone

#include "solvers/own/convexity.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace touchstone {

namespace {

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double eigenvalue_slack = 1e-10;  // of a matrix with unit diagonal [1]
constexpr double farkas_slack = 1e-9;       // relative to the terms of an entry of Mᵀv [1]

double power_of_two(double x) { return std::ldexp(1.0, std::ilogb(x)); }

}  // namespace

void symmetric_scale(const Mat& M, Vec& d) {
  const Eigen::Index n = M.rows();
  d.setZero(n);
  for (Eigen::Index i = 0; i < n; ++i)
    if (M(i, i) > 0.0) d[i] = power_of_two(1.0 / std::sqrt(M(i, i)));
  for (Eigen::Index i = 0; i < n; ++i) {
    if (d[i] > 0.0) continue;
    double beside_diagonals = 0.0, alone = 0.0;
    for (Eigen::Index j = 0; j < n; ++j) {
      const double entry = std::max(std::abs(M(i, j)), std::abs(M(j, i)));
      if (M(j, j) > 0.0) beside_diagonals = std::max(beside_diagonals, entry * d[j]);
      alone = std::max(alone, entry);
    }
    const double size = beside_diagonals > 0.0 ? beside_diagonals : std::sqrt(alone);
    d[i] = size > 0.0 && std::isfinite(1.0 / size) ? power_of_two(1.0 / size) : 1.0;
  }
}

bool is_positive_semidefinite(const Mat& M) {
  Vec d;
  const Mat symmetric = 0.5 * (M + M.transpose());
  symmetric_scale(symmetric, d);
  Mat shifted = d.asDiagonal() * symmetric * d.asDiagonal();
  shifted.diagonal().array() +=
      eigenvalue_slack * static_cast<double>(std::max<Eigen::Index>(1, M.rows()));
  return Eigen::LLT<Mat>(shifted).info() == Eigen::Success;
}

bool proves_infeasible(const Mat& M, const Vec& q, const Vec& l, const Vec& u, Vec v) {
  for (Eigen::Index i = 0; i < v.size(); ++i) {
    const bool not_negative = u[i] == inf, not_positive = l[i] == -inf;
    if (not_negative && not_positive) continue;  // wᵢ = 0: any sign
    v[i] = not_negative ? std::max(0.0, v[i]) : not_positive ? std::min(0.0, v[i]) : 0.0;
  }
  const Vec g = M.transpose() * v, terms = M.cwiseAbs().transpose() * v.cwiseAbs();
  double highest = q.dot(v), size = q.cwiseAbs().dot(v.cwiseAbs());
  for (Eigen::Index i = 0; i < v.size(); ++i) {
    if (g[i] == 0.0) continue;
    const double at_bound = g[i] > 0.0 ? g[i] * u[i] : g[i] * l[i];
    if (at_bound == inf && std::abs(g[i]) <= farkas_slack * terms[i]) continue;
    if (!(at_bound < inf)) return false;
    highest += at_bound;
    size += std::abs(at_bound);
  }
  return size > 0.0 && highest < -farkas_slack * size;
}

}  // namespace touchstone

#include "solvers/own/small_linear.hpp"

#include <algorithm>
#include <cmath>

#include "solvers/referee.hpp"

namespace touchstone {

bool PrincipalSystem::solve(const Mat& M, const Vec& q, const std::vector<int>& support,
                            double tolerance, Vec& z) {
  const int k = static_cast<int>(support.size());
  const int width = k + 1;
  const std::size_t need = static_cast<std::size_t>(k) * static_cast<std::size_t>(width);
  if (rows_.size() < need) rows_.resize(need);
  if (column_size_.size() < support.size()) column_size_.resize(support.size());
  double* const A = rows_.data();
  std::fill_n(column_size_.begin(), k, 0.0);
  for (int i = 0; i < k; ++i) {
    double size = 0.0;
    for (int j = 0; j < k; ++j) {
      A[i * width + j] = M(support[i], support[j]);
      size = std::max(size, std::abs(A[i * width + j]));
    }
    if (!(size > 0.0)) return false;
    // Rows of one size: the choice of pivots must not depend on the units of a row.
    const double factor = std::ldexp(1.0, -std::ilogb(size));  // exact
    for (int j = 0; j < k; ++j) {
      A[i * width + j] *= factor;
      column_size_[j] = std::max(column_size_[j], std::abs(A[i * width + j]));
    }
    A[i * width + k] = -q[support[i]] * factor;
  }

  for (int c = 0; c < k; ++c) {
    int best = c;
    for (int i = c + 1; i < k; ++i)
      if (std::abs(A[i * width + c]) > std::abs(A[best * width + c])) best = i;
    if (!(std::abs(A[best * width + c]) > tolerance * column_size_[c])) return false;
    if (best != c) std::swap_ranges(A + c * width + c, A + c * width + width, A + best * width + c);
    const double inverse = 1.0 / A[c * width + c];
    for (int i = c + 1; i < k; ++i) {
      const double factor = A[i * width + c] * inverse;
      if (factor == 0.0) continue;
      for (int j = c + 1; j < width; ++j) A[i * width + j] -= factor * A[c * width + j];
    }
  }
  z.setZero(q.size());
  for (int i = k - 1; i >= 0; --i) {
    double sum = A[i * width + k];
    for (int j = i + 1; j < k; ++j) sum -= A[i * width + j] * z[support[j]];
    z[support[i]] = sum / A[i * width + i];
  }
  return true;
}

double lcp_residual(const Mat& M, const Vec& q, const Vec& z, Vec& w) {
  w = q;
  for (Eigen::Index j = 0; j < z.size(); ++j)
    if (z[j] != 0.0) w.noalias() += z[j] * M.col(j);
  double largest = 0.0;
  for (Eigen::Index i = 0; i < z.size(); ++i) {
    const double x = std::abs(std::min(z[i], w[i]));
    if (!(x <= largest)) largest = x;
  }
  return largest;
}

double lcp_term_size(const Mat& M, const Vec& q, const Vec& z, Vec& work) {
  work = q.cwiseAbs();
  for (Eigen::Index j = 0; j < z.size(); ++j)
    if (z[j] != 0.0) work += std::abs(z[j]) * M.col(j).cwiseAbs();
  return work.size() ? work.maxCoeff() : 0.0;
}

bool lcp_hides_data(const Mat& M, const Vec& q, const Vec& z, double bound, Vec& work) {
  Residual residual;
  residual.round_off = round_off_factor(q.size()) * lcp_term_size(M, q, z, work);
  residual.data = q.size() ? q.cwiseAbs().maxCoeff() : 0.0;
  return hides_data(residual, bound);
}

}  // namespace touchstone

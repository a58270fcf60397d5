#pragma once

#include <vector>

#include "solvers/problem.hpp"

namespace touchstone {

/// The principal system M_αα z_α = −q_α of an LCP on a support α, by Gaussian elimination with
/// partial pivoting on rows of like size. Its workspace only grows: pivoting methods ask for
/// thousands of small systems.
class PrincipalSystem {
 public:
  /// False when M_αα is numerically singular: some pivot is below `tolerance` times the largest
  /// entry of its column. `z` receives z_α on α and 0 elsewhere; it has the size of q.
  bool solve(const Mat& M, const Vec& q, const std::vector<int>& support, double tolerance, Vec& z);

 private:
  std::vector<double> rows_;  // row-major [M_αα | −q_α]
  std::vector<double> column_size_;
};

/// max |min(zᵢ, (Mz + q)ᵢ)|, the natural residual of an LCP; w receives Mz + q.
double lcp_residual(const Mat& M, const Vec& q, const Vec& z, Vec& w);

/// maxᵢ (|M||z| + |q|)ᵢ, the size of the terms that Mz + q is the sum of.
double lcp_term_size(const Mat& M, const Vec& q, const Vec& z, Vec& work);

/// Whether the round-off of Mz + q hides q: such a z is no answer, whatever residual it shows (see
/// the referee).
bool lcp_hides_data(const Mat& M, const Vec& q, const Vec& z, double bound, Vec& work);

}  // namespace touchstone

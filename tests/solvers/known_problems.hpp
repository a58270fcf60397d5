#pragma once

/// Problems with known answers from the literature on contact.

#include <gtest/gtest.h>

#include <initializer_list>
#include <vector>

#include "solvers/problem.hpp"

namespace touchstone::testing {

inline void expect_near(const Vec& a, const Vec& b, double tolerance) {
  ASSERT_EQ(a.size(), b.size());
  EXPECT_LE((a - b).cwiseAbs().maxCoeff(), tolerance) << a.transpose() << " vs " << b.transpose();
}

inline Vec vec(std::initializer_list<double> values) {
  return Eigen::Map<const Vec>(values.begin(), static_cast<Eigen::Index>(values.size()));
}

/// One sliding contact: a = B f + b.
inline Lcp rod(double B, double b) { return {Mat::Constant(1, 1, B), vec({b})}; }

/// Baraff's reduction from subset sum (thesis, chapter 11): rods of the given masses, two end rods
/// of mass 1 on a base of mass 100, μ = 3/4; unknowns (f_1…f_k, e_1, e_2). Solvable exactly when a
/// subset of the masses has the given sum, with one solution per subset.
inline Lcp subset_sum(const std::vector<double>& masses, double sum) {
  constexpr double mu = 0.75, base = 100.0;
  const Eigen::Index k = static_cast<Eigen::Index>(masses.size());
  Mat M = Mat::Zero(k + 2, k + 2);
  Vec q = Vec::Ones(k + 2);
  for (Eigen::Index i = 0; i < k; ++i) {
    M(i, i) = -1.0 / masses[static_cast<std::size_t>(i)];
    M(k, i) = -mu / base;
    M(k + 1, i) = mu / base;
  }
  M.bottomRightCorner(2, 2) << -1.0 + 1.0 / base, -1.0 / base, -1.0 / base, -1.0 + 1.0 / base;
  q[k] = mu * sum / base;
  q[k + 1] = -mu * sum / base;
  return {M, q};
}

/// Four-legged chair, legs (±1, ±1) in circular order, m = I = g = 1: rank 3.
inline Lcp chair() {
  const double x[] = {1, -1, -1, 1}, y[] = {1, 1, -1, -1};
  Mat A(4, 4);
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) A(i, j) = 1.0 + x[i] * x[j] + y[i] * y[j];
  return {A, Vec::Constant(4, -1.0)};
}

}  // namespace touchstone::testing

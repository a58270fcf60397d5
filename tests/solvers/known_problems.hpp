#pragma once

/// Problems with known answers from the literature on contact.

#include <gtest/gtest.h>

#include <initializer_list>

#include "solvers/collections/subset_sum.hpp"
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

/// One planar contact at rest, a_N = B f_N + C f_t + F and a_t = C f_N + E f_t + G with Coulomb
/// friction (thesis, section 14.1), in (f_N, f_+, f_−, σ).
inline Lcp static_contact(double B, double C, double E, double F, double G, double mu) {
  const Mat M = (Mat(4, 4) << B, C, -C, 0, C, E, -E, 1, -C, -E, E, 1, mu, -1, -1, 0).finished();
  return {M, vec({F, G, -G, 0})};
}

/// m2 on m1, central contacts (T15): f = ((m1 + m2) g, m2 g), g = 9.8.
inline Lcp stack(double m1, double m2) {
  const Mat A = (Mat(2, 2) << 1 / m1, -1 / m1, -1 / m1, 1 / m1 + 1 / m2).finished();
  return {A, vec({-9.8, 0})};
}

/// Both forces of stacks from light on heavy to heavy on light, m1 = 2.
template <class Solve>
void expect_stacks_carried(Solve solve, std::initializer_list<double> masses = {1e-6, 1.0, 1e6}) {
  for (const double m2 : masses) {
    const Vec f = solve(stack(2.0, m2)).z;
    ASSERT_EQ(f.size(), 2) << "m2 = " << m2;
    EXPECT_NEAR(f[0] / ((2.0 + m2) * 9.8), 1.0, 1e-9) << "m2 = " << m2;
    EXPECT_NEAR(f[1] / (m2 * 9.8), 1.0, 1e-9) << "m2 = " << m2;
  }
}

/// Positive definite, but Jacobi's method cycles (T16, E9, X24): z = 1/2.8 each.
inline Lcp three_coupled() {
  return {0.1 * Mat::Identity(3, 3) + 0.9 * Mat::Ones(3, 3), Vec::Constant(3, -1.0)};
}

/// Three equal balls of unit mass, the first with unit speed (T17): impulses (1 + ε)(2/3, 1/3).
inline Lcp cradle(double restitution) {
  return {(Mat(2, 2) << 2, -1, -1, 2).finished(), vec({-(1.0 + restitution), 0})};
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

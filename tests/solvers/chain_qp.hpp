#pragma once

#include <cmath>
#include <limits>

#include "tests/solvers/random_problems.hpp"

namespace touchstone {

constexpr double inf = std::numeric_limits<double>::infinity();

/// A chain of `n` bodies of unlike masses (planar, 3 velocities each), neighbours pressed together
/// in `rows` rows each: the sparsity of a contact problem. The first row comes twice, so that
/// multipliers are not unique. Up to three rows a body, as then any of them can be equations.
inline Qp chain_qp(int n, int rows, random_problems::Random& random) {
  std::vector<Eigen::Triplet<double>> P, A;
  const Eigen::Index size = 3 * n;
  Vec c = random.vector(size);
  for (Eigen::Index i = 0; i < size; ++i)
    P.emplace_back(i, i, std::pow(10.0, random.uniform(-2.0, 1.0)));
  Eigen::Index row = 0;
  for (int body = 0; body + 1 < n; ++body)
    for (int k = 0; k < rows; ++k, ++row)
      for (int j = 0; j < 6; ++j) A.emplace_back(row, 3 * body + j, random.uniform(-1.0, 1.0));
  for (int j = 0; j < 6; ++j) A.emplace_back(row, j, A[static_cast<std::size_t>(j)].value());
  ++row;  // the first row again
  SpMat p(size, size), a(row, size);
  p.setFromTriplets(P.begin(), P.end());
  a.setFromTriplets(A.begin(), A.end());
  const Vec inside = random.vector(size);  // a feasible point, whichever bounds become equations
  Vec l = a * inside - 0.3 * random.vector(row).cwiseAbs();
  l[row - 1] = l[0];
  return {p, c, a, l, Vec::Constant(row, inf)};
}

/// Makes every third row an equation and gives every fourth one two bounds.
inline void add_equations(Qp& qp) {
  for (Eigen::Index r = 0; r < qp.l.size() - 1; r += 3) qp.u[r] = qp.l[r];
  for (Eigen::Index r = 0; r < qp.l.size() - 1; r += 4)
    if (qp.u[r] == inf) qp.u[r] = qp.l[r] + 0.5;
}

}  // namespace touchstone

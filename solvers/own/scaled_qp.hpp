#pragma once

#include <cmath>
#include <vector>

#include "solvers/own/quasidefinite_system.hpp"

namespace touchstone {

/// A sparse QP with x scaled by the diagonal of P, rows of A to unit length, and all by the size of
/// the data; and the way back.
struct ScaledQp {
  SpMat P;
  RowMat A;
  Vec c, l, u;
  Vec columns, rows;  // x = κ columns∘x̂, y = κ rows∘ŷ
  double size = 1.0;  // κ
  std::vector<char> equation;

  void load(const Qp& qp) {
    P = qp.P.to_sparse();
    A = qp.A.to_sparse();
    const Vec diagonal = P.diagonal();
    columns = diagonal.unaryExpr([](double p) { return p > 0.0 ? 1.0 / std::sqrt(p) : 1.0; });
    P = columns.asDiagonal() * P * columns.asDiagonal();
    A = A * columns.asDiagonal();
    rows.resize(A.rows());
    for (Eigen::Index r = 0; r < A.rows(); ++r) {
      const double length = A.row(r).norm();
      rows[r] = length > 0.0 ? 1.0 / length : 1.0;
    }
    A = rows.asDiagonal() * A;
    c = columns.cwiseProduct(qp.c);
    l = rows.cwiseProduct(qp.l);
    u = rows.cwiseProduct(qp.u);
    equation.resize(static_cast<std::size_t>(A.rows()));
    for (Eigen::Index r = 0; r < A.rows(); ++r)
      equation[static_cast<std::size_t>(r)] = qp.l[r] == qp.u[r];
    size = c.size() ? c.cwiseAbs().maxCoeff() : 0.0;
    for (const Vec* side : {&l, &u})
      for (const double b : *side)
        if (size == 0.0 && std::isfinite(b)) size = std::abs(b);
    if (size == 0.0) size = 1.0;
    c /= size, l /= size, u /= size;
  }
};

}  // namespace touchstone

#pragma once

#include <vector>

#include "solvers/solver.hpp"

namespace touchstone {

/// A vertex of {x ≥ 0 : A x = b}, by phase one of the simplex method with Bland's rule (which
/// cannot cycle), and the vertex that minimises a linear function, by phase two. For a handful of
/// unknowns; the workspace only grows.
class FeasiblePoint {
 public:
  /// The system, to be filled by the caller before `find`: `rows` equations in `columns` unknowns.
  void resize(int rows, int columns);
  double& A(int i, int j) { return tableau_[static_cast<std::size_t>(i * width_ + j)]; }
  double& b(int i) { return tableau_[static_cast<std::size_t>(i * width_ + columns_)]; }

  /// False when the system has no such point: the smallest sum of violations exceeds `tolerance`.
  bool find(double tolerance, Vec& x);

  /// After `find`, any number of times: x with the least costᵀx. Status: solved; ray when there is
  /// no least value (x is then the last vertex); iteration_limit.
  Status minimise(const Vec& cost, Vec& x);

 private:
  void remove_artificial();
  void read(Vec& x) const;
  void choose_start();
  int entering_column() const;
  int leaving_row(int column) const;
  void pivot(int row, int column);

  int rows_ = 0, columns_ = 0, width_ = 0;
  std::vector<double> tableau_;  // rows of [A | b], then the row of reduced costs
  std::vector<int> basic_;       // column that is basic in a row; −1: its artificial variable
};

}  // namespace touchstone

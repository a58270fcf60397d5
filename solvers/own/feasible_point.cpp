#include "solvers/own/feasible_point.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace touchstone {

namespace {
constexpr double zero = 1e-11;  // entries of rows scaled to 1 that count as zero
}

void FeasiblePoint::resize(int rows, int columns) {
  rows_ = rows;
  columns_ = columns;
  width_ = columns + 1;
  tableau_.assign(static_cast<std::size_t>((rows + 1) * width_), 0.0);
  basic_.assign(static_cast<std::size_t>(rows), -1);
}

/// Rows get b ≥ 0 and largest coefficient 1; every row starts with an artificial variable, and the
/// cost is their sum.
void FeasiblePoint::choose_start() {
  for (int i = 0; i < rows_; ++i) {
    double size = 0.0;
    for (int j = 0; j < columns_; ++j) size = std::max(size, std::abs(A(i, j)));
    const double factor = (b(i) < 0.0 ? -1.0 : 1.0) / (size > 0.0 ? size : 1.0);
    for (int j = 0; j < width_; ++j) {
      A(i, j) *= factor;
      A(rows_, j) -= A(i, j);
    }
  }
}

int FeasiblePoint::entering_column() const {
  const double* cost = tableau_.data() + rows_ * width_;
  for (int j = 0; j < columns_; ++j)
    if (cost[j] < -zero && std::ranges::find(basic_, j) == basic_.end()) return j;
  return -1;
}

int FeasiblePoint::leaving_row(int column) const {
  int leaving = -1;
  double smallest = std::numeric_limits<double>::infinity();
  for (int i = 0; i < rows_; ++i) {
    const double* T = tableau_.data() + i * width_;
    if (!(T[column] > zero)) continue;
    const double ratio = std::max(T[columns_], 0.0) / T[column];
    // Artificial variables (−1) come first in Bland's order: once out they never return.
    const bool tie = leaving >= 0 && std::abs(ratio - smallest) <= zero * std::max(1.0, smallest);
    if (tie ? basic_[i] < basic_[leaving] : ratio < smallest) {
      leaving = i;
      smallest = std::min(smallest, ratio);
    }
  }
  return leaving;
}

void FeasiblePoint::pivot(int row, int column) {
  double* const P = tableau_.data() + row * width_;
  const double inverse = 1.0 / P[column];
  for (int j = 0; j < width_; ++j) P[j] *= inverse;
  for (int i = 0; i <= rows_; ++i) {
    double* const T = tableau_.data() + i * width_;
    const double factor = T[column];
    if (i == row || factor == 0.0) continue;
    for (int j = 0; j < width_; ++j) T[j] -= factor * P[j];
    T[column] = 0.0;
  }
  basic_[static_cast<std::size_t>(row)] = column;
}

bool FeasiblePoint::find(double tolerance, Vec& x) {
  choose_start();
  const int limit = 100 * (rows_ + columns_);  // round-off could defeat Bland's proof
  for (int pivots = 0; pivots < limit; ++pivots) {
    const int column = entering_column();
    if (column < 0) break;
    const int row = leaving_row(column);
    if (row < 0) break;
    pivot(row, column);
  }
  double violation = 0.0;
  for (int i = 0; i < rows_; ++i)
    if (basic_[static_cast<std::size_t>(i)] < 0) violation += std::abs(b(i));
  read(x);
  return violation <= tolerance;
}

void FeasiblePoint::read(Vec& x) const {
  x.setZero(columns_);
  for (int i = 0; i < rows_; ++i)
    if (const int j = basic_[static_cast<std::size_t>(i)]; j >= 0)
      x[j] = std::max(0.0, tableau_[static_cast<std::size_t>(i * width_ + columns_)]);
}

/// Artificial variables that are still basic are zero: exchanged for any unknown of their row. A
/// row without one is redundant, and stays as it is.
void FeasiblePoint::remove_artificial() {
  for (int i = 0; i < rows_; ++i) {
    if (basic_[static_cast<std::size_t>(i)] >= 0) continue;
    int largest = 0;
    for (int j = 1; j < columns_; ++j)
      if (std::abs(A(i, j)) > std::abs(A(i, largest))) largest = j;
    if (std::abs(A(i, largest)) > 1e-9)
      pivot(i, largest);
    else
      for (int j = 0; j < width_; ++j) A(i, j) = 0.0;
  }
}

Status FeasiblePoint::minimise(const Vec& cost, Vec& x) {
  remove_artificial();
  for (int j = 0; j < columns_; ++j) A(rows_, j) = cost[j];
  b(rows_) = 0.0;
  for (int i = 0; i < rows_; ++i) {
    const int basic = basic_[static_cast<std::size_t>(i)];
    if (basic < 0 || cost[basic] == 0.0) continue;
    for (int j = 0; j < width_; ++j) A(rows_, j) -= cost[basic] * A(i, j);
  }
  Status status = Status::iteration_limit;
  const int limit = 100 * (rows_ + columns_);
  for (int pivots = 0; pivots < limit && status == Status::iteration_limit; ++pivots) {
    const int column = entering_column();
    const int row = column < 0 ? -1 : leaving_row(column);
    if (row >= 0)
      pivot(row, column);
    else
      status = column < 0 ? Status::solved : Status::ray;
  }
  read(x);
  return status;
}

}  // namespace touchstone

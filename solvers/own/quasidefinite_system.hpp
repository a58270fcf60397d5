#pragma once

#include <vector>

#include "solvers/problem.hpp"

namespace touchstone {

using RowMat = Eigen::SparseMatrix<double, Eigen::RowMajor>;

/// Linear systems
///     K = [ P + AᵀDA   Eᵀ ]
///         [ E          0  ]                                                                   (1)
/// with a sparse semidefinite P, rows A and E of one sparse matrix, and a diagonal D ≥ 0 that
/// changes from one system to the next. With δI, δ = 1e-12, added above and taken away below K is
/// quasidefinite, so that LDLᵀ exists in any order (Vanderbei 1995); the order is that of
/// approximate minimum degree. One step of refinement against δ = 0 takes the effect of δ away
/// again. The data should be scaled to 1.
///
/// The pattern is found once. Rows that follow each other with the same columns (friction
/// directions of one contact) are summed before they are scattered into K.
class QuasidefiniteSystem {
 public:
  /// `equation` marks the rows of `rows` that belong to E; `rows` must outlive the object's use.
  void load(const SpMat& P, const RowMat& rows, const std::vector<char>& equation);
  /// D, one entry for each of the rows, 0 for those of E. False when there are no factors.
  bool factorise(const Vec& D);
  void solve(const Vec& right, Vec& x);

 private:
  /// Rows of A from `first` to before `last` that have the same columns.
  struct Group {
    Eigen::Index first, last;
    Eigen::Index columns;   // how many
    std::size_t place = 0;  // of its first product in places_
  };
  void find_groups(const std::vector<char>& equation);
  bool same_columns(Eigen::Index r, Eigen::Index s) const;
  void find_places();
  int place(int row, int column) const;
  void add_products(Eigen::Index r, double D);
  void shift(double sign);

  Eigen::Index n_ = 0;
  const RowMat* rows_ = nullptr;
  SpMat K_;  // lower triangle
  Vec base_, rest_;
  std::vector<Group> groups_;
  std::vector<int> places_;  // of the products of a group's columns
  Vec products_;             // of the group at hand
  Eigen::SimplicialLDLT<SpMat, Eigen::Lower> factors_;
};

}  // namespace touchstone

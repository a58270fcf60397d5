#include "solvers/own/quasidefinite_system.hpp"

#include <algorithm>

namespace touchstone {

namespace {

constexpr double regularisation = 1e-12;  // δ

using Entry = RowMat::InnerIterator;

}  // namespace

void QuasidefiniteSystem::load(const SpMat& P, const RowMat& rows,
                               const std::vector<char>& equation) {
  n_ = P.cols();
  rows_ = &rows;
  std::vector<Eigen::Triplet<double>> entries;
  for (Eigen::Index j = 0; j < n_; ++j)
    for (SpMat::InnerIterator it(P, j); it; ++it)
      if (it.row() >= j) entries.emplace_back(it.row(), j, it.value());
  Eigen::Index size = n_;
  for (Eigen::Index r = 0; r < rows.rows(); ++r) {
    if (!equation[static_cast<std::size_t>(r)]) continue;
    for (Entry it(rows, r); it; ++it) entries.emplace_back(size, it.col(), it.value());
    ++size;
  }
  find_groups(equation);
  for (const Group& group : groups_)
    for (Entry i(rows, group.first); i; ++i)
      for (Entry j(rows, group.first); j && j.col() <= i.col(); ++j)
        entries.emplace_back(i.col(), j.col(), 0.0);
  for (Eigen::Index i = 0; i < size; ++i) entries.emplace_back(i, i, 0.0);
  K_.resize(size, size);
  K_.setFromTriplets(entries.begin(), entries.end());
  base_ = Eigen::Map<const Vec>(K_.valuePtr(), K_.nonZeros());
  find_places();
  factors_.analyzePattern(K_);
}

bool QuasidefiniteSystem::factorise(const Vec& D) {
  Eigen::Map<Vec> values(K_.valuePtr(), K_.nonZeros());
  values = base_;
  for (const Group& group : groups_) {
    products_.setZero(group.columns * (group.columns + 1) / 2);
    for (Eigen::Index r = group.first; r < group.last; ++r) add_products(r, D[r]);
    const int* place = places_.data() + group.place;
    for (const double product : products_) values[*place++] += product;
  }
  shift(1.0);
  factors_.factorize(K_);
  shift(-1.0);
  return factors_.info() == Eigen::Success;
}

/// D aaᵀ of row r, its lower triangle row by row.
void QuasidefiniteSystem::add_products(Eigen::Index r, double D) {
  if (D == 0.0) return;
  const Eigen::Index begin = rows_->outerIndexPtr()[r];
  const double* a = rows_->valuePtr() + begin;
  const Eigen::Index count = rows_->outerIndexPtr()[r + 1] - begin;
  double* product = products_.data();
  for (Eigen::Index i = 0; i < count; product += ++i) {
    const double factor = D * a[i];
    for (Eigen::Index j = 0; j <= i; ++j) product[j] += factor * a[j];
  }
}

void QuasidefiniteSystem::solve(const Vec& right, Vec& x) {
  x = factors_.solve(right);
  rest_ = right - K_.selfadjointView<Eigen::Lower>() * x;
  x += factors_.solve(rest_);
}

void QuasidefiniteSystem::find_groups(const std::vector<char>& equation) {
  groups_.clear();
  for (Eigen::Index r = 0; r < rows_->rows(); ++r) {
    if (equation[static_cast<std::size_t>(r)]) continue;
    if (!groups_.empty() && groups_.back().last == r && same_columns(r, groups_.back().first))
      ++groups_.back().last;
    else
      groups_.push_back({r, r + 1, rows_->outerIndexPtr()[r + 1] - rows_->outerIndexPtr()[r]});
  }
}

bool QuasidefiniteSystem::same_columns(Eigen::Index r, Eigen::Index s) const {
  const int *begin = rows_->outerIndexPtr(), *column = rows_->innerIndexPtr();
  return std::equal(column + begin[r], column + begin[r + 1], column + begin[s],
                    column + begin[s + 1]);
}

void QuasidefiniteSystem::find_places() {
  places_.clear();
  for (Group& group : groups_) {
    group.place = places_.size();
    for (Entry i(*rows_, group.first); i; ++i)
      for (Entry j(*rows_, group.first); j && j.col() <= i.col(); ++j)
        places_.push_back(place(static_cast<int>(i.col()), static_cast<int>(j.col())));
  }
}

int QuasidefiniteSystem::place(int row, int column) const {
  const int* begin = K_.innerIndexPtr() + K_.outerIndexPtr()[column];
  const int* end = K_.innerIndexPtr() + K_.outerIndexPtr()[column + 1];
  return static_cast<int>(std::lower_bound(begin, end, row) - K_.innerIndexPtr());
}

void QuasidefiniteSystem::shift(double sign) {
  for (Eigen::Index i = 0; i < K_.cols(); ++i)  // the diagonal heads its column
    K_.valuePtr()[K_.outerIndexPtr()[i]] += (i < n_ ? sign : -sign) * regularisation;
}

}  // namespace touchstone

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
    if (equation[static_cast<std::size_t>(r)]) {
      for (Entry it(rows, r); it; ++it) entries.emplace_back(size, it.col(), it.value());
      ++size;
    } else if (!repeats(r, equation)) {
      for (Entry i(rows, r); i; ++i)
        for (Entry j(rows, r); j && j.col() <= i.col(); ++j)
          entries.emplace_back(i.col(), j.col(), 0.0);
    }
  }
  for (Eigen::Index i = 0; i < size; ++i) entries.emplace_back(i, i, 0.0);
  K_.resize(size, size);
  K_.setFromTriplets(entries.begin(), entries.end());
  base_ = Eigen::Map<const Vec>(K_.valuePtr(), K_.nonZeros());
  find_places(equation);
  factors_.analyzePattern(K_);
}

bool QuasidefiniteSystem::factorise(const Vec& D) {
  Eigen::Map<Vec> values(K_.valuePtr(), K_.nonZeros());
  values = base_;
  for (Eigen::Index r = 0; r < rows_->rows(); ++r) {
    if (D[r] == 0.0) continue;
    const int* place = places_.data() + first_place_[static_cast<std::size_t>(r)];
    for (Entry i(*rows_, r); i; ++i)
      for (Entry j(*rows_, r); j && j.col() <= i.col(); ++j)
        values[*place++] += D[r] * i.value() * j.value();
  }
  shift(1.0);
  factors_.factorize(K_);
  shift(-1.0);
  return factors_.info() == Eigen::Success;
}

void QuasidefiniteSystem::solve(const Vec& right, Vec& x) {
  x = factors_.solve(right);
  rest_ = right - K_.selfadjointView<Eigen::Lower>() * x;
  x += factors_.solve(rest_);
}

/// Whether row r has the columns of the row before it, and no other.
bool QuasidefiniteSystem::repeats(Eigen::Index r, const std::vector<char>& equation) const {
  if (r == 0 || equation[static_cast<std::size_t>(r) - 1]) return false;
  Entry i(*rows_, r - 1), j(*rows_, r);
  for (; i && j; ++i, ++j)
    if (i.col() != j.col()) return false;
  return !i && !j;
}

void QuasidefiniteSystem::find_places(const std::vector<char>& equation) {
  places_.clear();
  first_place_.assign(equation.size(), 0);
  for (Eigen::Index r = 0; r < rows_->rows(); ++r) {
    const auto k = static_cast<std::size_t>(r);
    if (equation[k]) continue;
    if (repeats(r, equation)) {
      first_place_[k] = first_place_[k - 1];
      continue;
    }
    first_place_[k] = places_.size();
    for (Entry i(*rows_, r); i; ++i)
      for (Entry j(*rows_, r); j && j.col() <= i.col(); ++j)
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

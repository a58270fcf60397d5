#include <algorithm>

#include "solvers/own/lemke.hpp"

namespace touchstone {

void LemkeTableau::load(const Mat& M, const Vec& cover) {
  stride_ = static_cast<std::size_t>(n_) + 2;
  if (tableau_.size() < stride_ * n_) tableau_.resize(stride_ * n_);
  nonbasic_.resize(n_ + 1);
  column_of_.assign(2 * n_ + 1, -1);
  for (int i = 0; i < n_; ++i) {
    double* T = row(i);
    const double r = row_scale_[i];
    for (int j = 0; j < n_; ++j) T[j] = r * M(i, j) * column_scale_[j];
    T[n_] = r * cover[i] / cover_scale_;
    T[n_ + 1] = value_[i];
    nonbasic_[i] = n_ + i;
    column_of_[n_ + i] = i;
  }
  nonbasic_[n_] = 2 * n_;
  column_of_[2 * n_] = n_;
}

void LemkeTableau::enter(int entering) {
  const int column = column_of_[entering];
  for (int i = 0; i < n_; ++i) column_[i] = row(i)[column];
}

/// ε_k enters (1) as w_k − ε_k.
double LemkeTableau::perturbation(int i, int k) {
  const int column = column_of_[k];
  if (column >= 0) return -row(i)[column];
  return basic_[i] == k ? 1.0 : 0.0;
}

void LemkeTableau::exchange(int leaving, int entering) {
  double* const P = row(leaving);
  const int column = column_of_[entering], width = n_ + 2;
  const double inverse = 1.0 / P[column];
  for (int j = 0; j < width; ++j) P[j] *= -inverse;
  P[column] = inverse;
  for (int i = 0; i < n_; ++i) {
    if (i == leaving) continue;
    const double factor = column_[i];
    if (factor == 0.0) continue;
    double* const T = row(i);
    T[column] = 0.0;
    for (int j = 0; j < width; ++j) T[j] += factor * P[j];
    value_[i] = T[n_ + 1];
  }
  value_[leaving] = P[n_ + 1];
  const int out = basic_[leaving];
  basic_[leaving] = entering;
  nonbasic_[column] = out;
  column_of_[entering] = -1;
  column_of_[out] = column;
}

}  // namespace touchstone

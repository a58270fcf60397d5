#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "solvers/own/lemke.hpp"

namespace touchstone {

namespace {

using Row = Eigen::Map<Eigen::ArrayXd>;
using ConstRow = Eigen::Map<const Eigen::ArrayXd>;
using ConstBlock =
    Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>, 0,
               Eigen::OuterStride<>>;

constexpr double drift_limit = 1e-11;  // error of an entering column that calls for a new inverse
constexpr int block = 4;               // rows that a run takes or leaves together
constexpr int few_of_many = 8;         // a vector with fewer than 1/8 nonzeros is treated as sparse

/// y ← y + a x, where x and y do not overlap. Sizes are small and alignments arbitrary: a general
/// one would spend its time on finding out.
inline void add(int size, double a, const double* x, double* y) {
  using Four = Eigen::Map<Eigen::Array4d>;
  using ConstFour = Eigen::Map<const Eigen::Array4d>;
  int i = 0;
  for (; i + 4 <= size; i += 4) Four(y + i) += a * ConstFour(x + i);
  for (; i < size; ++i) y[i] += a * x[i];
}

}  // namespace

void LemkeKernel::load(const Mat& M, const Vec& cover) {
  const std::size_t n = static_cast<std::size_t>(n_);
  if (M_.size() < n * n) M_.resize(n * n);
  d_.resize(n_);
  for (Vec* v : {&x_, &dx_, &b_}) v->resize(n_);
  q_ = value_;
  position_.assign(n, -1);
  variable_.resize(n);
  rows_.resize(n);
  const ConstRow r(row_scale_.data(), n_);
  for (int j = 0; j < n_; ++j)
    Row(M_.data() + static_cast<std::size_t>(j) * n, n_) = r * M.col(j).array() * column_scale_[j];
  for (int i = 0; i < n_; ++i) d_[i] = row_scale_[i] * cover[i] / cover_scale_;
  m_ = 0;
  cached_.clear();
  find_runs();
}

/// In blocks of four rows: zeros within one are cheaper to carry along than to skip.
void LemkeKernel::find_runs() {
  runs_.clear();
  first_run_.clear();
  for (int j = 0; j < n_; ++j) {
    const double* const column = column_of(n_ + j);
    first_run_.push_back(runs_.size());
    int end = -1;  // of the current run
    for (int i = 0; i < n_; i += block) {
      const int size = std::min(block, n_ - i);
      const double* const c = column + i;
      bool any = c[0] != 0.0;
      if (size == block)
        any = any | (c[1] != 0.0) | (c[2] != 0.0) | (c[3] != 0.0);  // no branches
      else
        for (int k = 1; k < size; ++k) any = any | (c[k] != 0.0);
      if (!any) continue;
      if (i == end)
        runs_.back().size += size;
      else
        runs_.push_back({i, size});
      end = i + size;
    }
  }
  first_run_.push_back(runs_.size());
}

/// Keeps H when its capacity grows.
void LemkeKernel::reserve(int order) {
  const std::size_t need = static_cast<std::size_t>(order);
  if (m_ == 0) {
    // The narrowest layout that holds the order; a problem of another size starts afresh.
    stride_ = std::max<std::size_t>(need, 32);
  } else if (need <= stride_) {
    return;
  }
  const std::size_t old = stride_;
  if (need > stride_) stride_ = 2 * stride_;
  if (H_.size() < stride_ * stride_) H_.resize(stride_ * stride_);
  for (int p = m_ - 1; p > 0 && stride_ != old; --p) {
    const double* const from = H_.data() + static_cast<std::size_t>(p) * old;
    std::copy_backward(from, from + m_, H(p) + m_);
  }
}

/// dx = −H c_N for a column c of [M d].
void LemkeKernel::solve_kernel(const double* column) {
  int nonzeros = 0;
  for (int r = 0; r < m_; ++r) {
    b_[r] = column[rows_[r]];
    nonzeros += b_[r] != 0.0 ? 1 : 0;
  }
  if (nonzeros * few_of_many > m_) {
    dx_.head(m_).noalias() =
        -(ConstBlock(H_.data(), m_, m_, Eigen::OuterStride<>(static_cast<Eigen::Index>(stride_))) *
          b_.head(m_));
    return;
  }
  dx_.head(m_).setZero();
  for (int r = 0; r < m_; ++r) {
    if (b_[r] == 0.0) continue;
    for (int p = 0; p < m_; ++p) dx_[p] -= H(p)[r] * b_[r];
  }
}

/// y ← y + [M_·α d] x: (2) and (3) together.
void LemkeKernel::add_columns(const Vec& x, Vec& y) const {
  for (int p = 0; p < m_; ++p) {
    if (x[p] == 0.0) continue;
    const double* const column = column_of(variable_[p]);
    if (variable_[p] == 2 * n_) {
      add(n_, x[p], column, y.data());
      continue;
    }
    const std::size_t j = static_cast<std::size_t>(variable_[p] - n_);
    for (std::size_t k = first_run_[j]; k < first_run_[j + 1]; ++k)
      add(runs_[k].size, x[p], column + runs_[k].begin, y.data() + runs_[k].begin);
  }
}

void LemkeKernel::enter(int entering) {
  cached_.clear();
  if (drift(entering) > drift_limit) {
    invert_again();
    drift(entering);
  }
  for (int p = 0; p < m_; ++p) column_[rows_[p]] = dx_[p];
}

/// The entering column by H; in the rows N it should be 0. Returns by how much it is not, relative
/// to dx: the error that H has gathered.
double LemkeKernel::drift(int entering) {
  if (entering < n_) {  // w of row N_r: dx = H e_r
    const int r = position_[entering];
    for (int p = 0; p < m_; ++p) dx_[p] = H(p)[r];
    column_.setZero();
    column_[entering] = -1.0;
  } else {
    const double* const column = column_of(entering);
    solve_kernel(column);
    column_ = Eigen::Map<const Vec>(column, n_);
  }
  add_columns(dx_, column_);
  double error = 0.0, size = 1.0;
  for (int p = 0; p < m_; ++p) {
    error = std::max(error, std::abs(column_[rows_[p]]));
    size = std::max(size, std::abs(dx_[p]));
  }
  return error / size;
}

/// H = G⁻¹ and the values of the basic variables from the data.
void LemkeKernel::invert_again() {
  Mat G(m_, m_);
  for (int p = 0; p < m_; ++p)
    for (int r = 0; r < m_; ++r) G(r, p) = column_of(variable_[p])[rows_[r]];
  const Mat inverse = G.partialPivLu().inverse();
  if (!inverse.allFinite()) return;
  for (int p = 0; p < m_; ++p) Row(H(p), m_) = inverse.row(p).transpose().array();
  x_.head(m_).setZero();
  for (int step = 0; step < 2; ++step) {  // x = −H q_N, refined once
    value_ = q_;
    add_columns(x_, value_);
    for (int r = 0; r < m_; ++r) b_[r] = value_[rows_[r]];
    x_.head(m_).noalias() -= inverse * b_.head(m_);
  }
  value_ = q_;
  add_columns(x_, value_);
  for (int p = 0; p < m_; ++p) value_[rows_[p]] = x_[p];
}

/// [M_iα dᵢ] H for a basic w_i: how w_i depends on w_N.
const double* LemkeKernel::row_of_H(int i) {
  const auto known = std::find(cached_.begin(), cached_.end(), i);
  const std::size_t slot = static_cast<std::size_t>(known - cached_.begin());
  if (known != cached_.end()) return cache_[slot].data();
  cached_.push_back(i);
  if (cache_.size() <= slot) cache_.resize(slot + 1);
  std::vector<double>& v = cache_[slot];
  if (v.size() < static_cast<std::size_t>(n_)) v.resize(static_cast<std::size_t>(n_));
  std::fill_n(v.begin(), m_, 0.0);
  for (int p = 0; p < m_; ++p) {
    const double g = column_of(variable_[p])[i];
    if (g != 0.0) add(m_, g, H(p), v.data());
  }
  return v.data();
}

/// ε_k enters (1) as w_k − ε_k.
double LemkeKernel::perturbation(int i, int k) {
  const int r = position_[k];
  if (r < 0) return basic_[i] == k ? 1.0 : 0.0;
  return basic_[i] < n_ ? -row_of_H(i)[r] : -H(position_[i])[r];
}

void LemkeKernel::exchange(int leaving, int entering) {
  const double step = -value_[leaving] / column_[leaving];
  value_ += step * column_;
  for (int p = 0; p < m_; ++p) x_[p] = value_[rows_[p]];
  const bool w_leaves = basic_[leaving] < n_;
  if (entering >= n_) {
    if (w_leaves)
      border(leaving, entering, step);
    else
      replace_column(position_[leaving], entering, step);
  } else {
    if (w_leaves)
      replace_row(position_[entering], leaving);
    else
      shrink(position_[leaving], position_[entering]);
    position_[entering] = -1;
    value_[entering] = step;
    basic_[entering] = entering;
  }
  for (int p = 0; p < m_; ++p) {
    value_[rows_[p]] = x_[p];
    basic_[rows_[p]] = variable_[p];
  }
}

/// H ← H − dx vᵀ / pivot
void LemkeKernel::add_dyad(const double* v, double pivot) {
  for (int p = 0; p < m_; ++p)
    if (dx_[p] != 0.0) add(m_, -dx_[p] / pivot, v, H(p));
}

/// z enters, w of `row` leaves: G gains a row and a column,
///     [G b; gᵀ c]⁻¹ = [H + (Hb)(gᵀH)/s, −Hb/s; −gᵀH/s, 1/s],   s = c − gᵀHb,   Hb = −dx.
void LemkeKernel::border(int row, int entering, double step) {
  const double pivot = column_[row];
  const double* const v = row_of_H(row);
  reserve(m_ + 1);
  add_dyad(v, pivot);
  for (int p = 0; p < m_; ++p) H(p)[m_] = dx_[p] / pivot;
  Row(H(m_), m_) = ConstRow(v, m_) * (-1.0 / pivot);
  H(m_)[m_] = 1.0 / pivot;
  rows_[m_] = row;
  position_[row] = m_;
  variable_[m_] = entering;
  x_[m_] = step;
  ++m_;
}

/// z enters, x_p leaves: G gets another column p.
void LemkeKernel::replace_column(int p, int entering, double step) {
  Row(H(p), m_) *= -1.0 / dx_[p];
  for (int k = 0; k < m_; ++k)
    if (k != p && dx_[k] != 0.0) add(m_, dx_[k], H(p), H(k));
  variable_[p] = entering;
  x_[p] = step;
}

/// w of N_r enters, w of `row` leaves: G gets another row r.
void LemkeKernel::replace_row(int r, int row) {
  const double pivot = column_[row];
  add_dyad(row_of_H(row), pivot);
  for (int p = 0; p < m_; ++p) H(p)[r] = dx_[p] / pivot;
  rows_[r] = row;
  position_[row] = r;
}

/// w of N_r enters, x_p leaves: G loses row r and column p; the last ones take their places.
void LemkeKernel::shrink(int p, int r) {
  const double pivot = dx_[p];
  for (int k = 0; k < m_; ++k)
    if (k != p && dx_[k] != 0.0) add(m_, -dx_[k] / pivot, H(p), H(k));
  const int last = m_ - 1;
  if (p != last) {
    std::copy_n(H(last), m_, H(p));
    variable_[p] = variable_[last];
    x_[p] = x_[last];
  }
  for (int k = 0; k < last; ++k) H(k)[r] = H(k)[last];
  rows_[r] = rows_[last];
  position_[rows_[r]] = r;
  m_ = last;
}

bool LemkeKernel::refine(const Vec& w, Vec& z) const {
  // z = q_scale C z', w = q_scale R⁻¹ w': the scale of q cancels.
  Vec residual(m_);
  for (int r = 0; r < m_; ++r) residual[r] = row_scale_[rows_[r]] * w[rows_[r]];
  for (int p = 0; p < m_; ++p) {
    const int j = variable_[p] - n_;
    z[j] -= column_scale_[j] * Eigen::Map<const Vec>(H(p), m_).dot(residual);
  }
  return true;
}

}  // namespace touchstone

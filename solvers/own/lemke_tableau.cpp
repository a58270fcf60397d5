#include <algorithm>
#include <cmath>
#include <limits>

#include "solvers/own/lemke.hpp"

namespace touchstone {

namespace {

constexpr double round_off = 1e-12;  // of rates along a ray, relative to the largest [1]

/// The power of two nearest to 1/√x, so that scaling is exact; 1 for an empty row.
double inverse_root(double x) { return x > 0.0 ? std::exp2(-std::round(0.5 * std::log2(x))) : 1.0; }

double power_of_two(double x) { return x > 0.0 ? std::exp2(std::round(std::log2(x))) : 1.0; }

bool near_one(const std::vector<double>& values, int n) {
  return std::all_of(values.begin(), values.begin() + n,
                     [](double x) { return x == 0.0 || (x > 1.0 / 64.0 && x < 64.0); });
}

/// Largest |r_i M_ij c_j| of each row and column.
void largest(const Mat& M, const std::vector<double>& r, const std::vector<double>& c,
             std::vector<double>& of_row, std::vector<double>& of_column) {
  const Eigen::Index n = M.rows();
  std::fill_n(of_row.begin(), n, 0.0);
  for (Eigen::Index j = 0; j < n; ++j) {
    double top = 0.0;
    for (Eigen::Index i = 0; i < n; ++i) {
      const double x = std::abs(M(i, j)) * r[i] * c[j];
      top = std::max(top, x);
      of_row[i] = std::max(of_row[i], x);
    }
    of_column[j] = top;
  }
}

}  // namespace

/// Ruiz equilibration, only where the data ask for it: contact problems in SI units usually do not.
void LemkeTableau::scale(const Mat& M, const Vec& q, const Vec& cover) {
  const std::size_t need = static_cast<std::size_t>(n_);
  for (std::vector<double>* v : {&row_scale_, &column_scale_, &row_work_, &column_work_})
    if (v->size() < need) v->resize(need);
  std::fill_n(row_scale_.begin(), n_, 1.0);
  std::fill_n(column_scale_.begin(), n_, 1.0);

  constexpr int sweeps = 4;
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    largest(M, row_scale_, column_scale_, row_work_, column_work_);
    if (near_one(row_work_, n_) && near_one(column_work_, n_)) break;
    for (int i = 0; i < n_; ++i) {
      row_scale_[i] *= inverse_root(row_work_[i]);
      column_scale_[i] *= inverse_root(column_work_[i]);
    }
  }
  double q_max = 0.0, cover_max = 0.0;
  for (int i = 0; i < n_; ++i) {
    q_max = std::max(q_max, std::abs(row_scale_[i] * q[i]));
    cover_max = std::max(cover_max, row_scale_[i] * cover[i]);
  }
  q_scale_ = power_of_two(q_max);
  cover_scale_ = power_of_two(cover_max);
}

LemkeTableau::End LemkeTableau::run(const Mat& M, const Vec& q, const Vec& cover,
                                    const Options& options) {
  load(M, q, cover);
  int column = n_, leaving = first_leaving_row(options);  // z₀ enters
  iterations_ = 0;
  met_ties_ = false;
  while (iterations_ < options.max_iterations) {
    const int left = basic_[leaving];
    pivot(leaving, column);
    ++iterations_;
    if (left == 2 * n_) {
      support_.clear();
      for (int i = 0; i < n_; ++i)
        if (basic_[i] >= n_) support_.push_back(basic_[i] - n_);
      std::sort(support_.begin(), support_.end());
      return End::solution;
    }
    const int entering = left < n_ ? left + n_ : left - n_;  // the complement
    column = column_of_[entering];
    leaving = leaving_row(column, options);
    if (leaving < 0) {
      driving_ = column;
      return End::ray;
    }
  }
  return End::iteration_limit;
}

void LemkeTableau::load(const Mat& M, const Vec& q, const Vec& cover) {
  n_ = static_cast<int>(q.size());
  stride_ = static_cast<std::size_t>(n_) + 2;
  scale(M, q, cover);
  if (tableau_.size() < stride_ * n_) tableau_.resize(stride_ * n_);
  basic_.resize(n_);
  nonbasic_.resize(n_ + 1);
  column_of_.assign(2 * n_ + 1, -1);
  for (int i = 0; i < n_; ++i) {
    double* T = row(i);
    const double r = row_scale_[i];
    for (int j = 0; j < n_; ++j) T[j] = r * M(i, j) * column_scale_[j];
    T[n_] = r * cover[i] / cover_scale_;
    T[n_ + 1] = r * q[i] / q_scale_;
    basic_[i] = i;
    nonbasic_[i] = n_ + i;
    column_of_[n_ + i] = i;
  }
  nonbasic_[n_] = 2 * n_;
  column_of_[2 * n_] = n_;
}

/// The row that is worst covered; among ties the last, which has the smallest perturbation.
int LemkeTableau::first_leaving_row(const Options& options) const {
  const auto lack = [&](int i) { return -row(i)[n_ + 1] / row(i)[n_]; };
  int leaving = 0;
  for (int i = 1; i < n_; ++i)
    if (lack(i) > lack(leaving)) leaving = i;
  const double worst = lack(leaving);
  for (int i = leaving + 1; i < n_; ++i)
    if (-row(i)[n_ + 1] >= worst * row(i)[n_] - options.tie_slack) leaving = i;
  return leaving;
}

/// The basic variable that blocks the increase of the variable in `column`; −1 when none does.
///
/// Ties in the sense of Harris: with θ the largest step that leaves every basic variable above
/// −slack, every row whose own ratio is at most θ.
int LemkeTableau::leaving_row(int column, const Options& options) {
  double step = std::numeric_limits<double>::infinity();
  int tightest = -1;
  double entry = 1.0, value = 1.0;  // largest of the column and of q̄: what round-off refers to
  for (int i = 0; i < n_; ++i) {
    entry = std::max(entry, std::abs(row(i)[column]));
    value = std::max(value, row(i)[n_ + 1]);
  }
  const double zero = options.pivot_tolerance * entry, slack = options.tie_slack * value;
  for (int i = 0; i < n_; ++i) {
    const double slope = -row(i)[column];
    if (!(slope > zero)) continue;
    const double ratio = (std::max(row(i)[n_ + 1], 0.0) + slack) / slope;
    if (ratio < step) {
      step = ratio;
      tightest = i;
    }
  }
  ties_.clear();
  for (int i = 0; i < n_; ++i) {
    const double slope = -row(i)[column];
    if (!(slope > zero) || row(i)[n_ + 1] > step * slope) continue;
    if (basic_[i] == 2 * n_) return i;  // z₀ can leave: done
    ties_.push_back(i);
  }
  if (ties_.empty()) return tightest;
  if (ties_.size() == 1) return ties_.front();
  met_ties_ = true;
  return options.tie_rule == TieRule::lexicographic
             ? break_tie_lexicographically(column, options.tie_slack)
             : break_tie_by_pivot(column);
}

/// Coefficient of the k-th perturbation in row i of B⁻¹(q + ε): ε_k enters (1) as w_k − ε_k.
double LemkeTableau::perturbation(int i, int k) const {
  const int column = column_of_[k];
  if (column >= 0) return -row(i)[column];
  return basic_[i] == k ? 1.0 : 0.0;
}

int LemkeTableau::break_tie_lexicographically(int column, double slack) {
  for (int k = 0; k < n_ && ties_.size() > 1; ++k) {
    double smallest = std::numeric_limits<double>::infinity();
    for (const int i : ties_) smallest = std::min(smallest, perturbation(i, k) / -row(i)[column]);
    const double limit = smallest + slack * std::max(1.0, std::abs(smallest));
    std::erase_if(ties_, [&](int i) { return perturbation(i, k) / -row(i)[column] > limit; });
  }
  return break_tie_by_pivot(column);
}

int LemkeTableau::break_tie_by_pivot(int column) const {
  return *std::max_element(ties_.begin(), ties_.end(),
                           [&](int a, int b) { return -row(a)[column] < -row(b)[column]; });
}

/// Exchanges the basic variable of `leaving` with the nonbasic one of `column`.
void LemkeTableau::pivot(int leaving, int column) {
  double* const P = row(leaving);
  const int width = n_ + 2;
  const double inverse = 1.0 / P[column];
  for (int j = 0; j < width; ++j) P[j] *= -inverse;
  P[column] = inverse;
  for (int i = 0; i < n_; ++i) {
    if (i == leaving) continue;
    double* const T = row(i);
    const double factor = T[column];
    if (factor == 0.0) continue;
    T[column] = 0.0;
    for (int j = 0; j < width; ++j) T[j] += factor * P[j];
  }
  const int out = basic_[leaving], in = nonbasic_[column];
  basic_[leaving] = in;
  nonbasic_[column] = out;
  column_of_[in] = -1;
  column_of_[out] = column;
}

void LemkeTableau::read_solution(Vec& z) const {
  z.setZero(n_);
  for (int i = 0; i < n_; ++i) {
    const int variable = basic_[i] - n_;
    if (variable >= 0 && variable < n_)
      z[variable] = std::max(0.0, row(i)[n_ + 1]) * column_scale_[variable] * q_scale_;
  }
}

void LemkeTableau::read_ray(Vec& direction, double& cover) const {
  direction.setZero(n_);
  cover = 0.0;
  double largest_rate = 1.0;
  for (int i = 0; i < n_; ++i) largest_rate = std::max(largest_rate, row(i)[driving_]);
  const auto put = [&](int variable, double rate) {
    if (rate <= round_off * largest_rate) return;  // a zero of exact arithmetic
    if (variable == 2 * n_) cover = rate / cover_scale_;
    if (variable >= n_ && variable < 2 * n_)
      direction[variable - n_] = rate * column_scale_[variable - n_];
  };
  put(nonbasic_[driving_], 1.0);
  for (int i = 0; i < n_; ++i) put(basic_[i], row(i)[driving_]);
  const double size = direction.maxCoeff();
  if (size > 0.0) {
    direction /= size;
    cover /= size;
  }
}

}  // namespace touchstone

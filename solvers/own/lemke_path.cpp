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
             std::vector<double>& of_row, std::vector<double>& of_column, Vec& work) {
  const Eigen::Index n = M.rows();
  const Eigen::Map<const Eigen::ArrayXd> rows(r.data(), n);
  Eigen::Map<Eigen::ArrayXd> row_max(of_row.data(), n);
  row_max.setZero();
  for (Eigen::Index j = 0; j < n; ++j) {
    work = M.col(j).array().abs() * rows * c[j];
    row_max = row_max.max(work.array());
    of_column[j] = work.maxCoeff();
  }
}

}  // namespace

/// Ruiz equilibration, only where the data ask for it: contact problems in SI units usually do not.
void LemkePath::scale(const Mat& M, const Vec& q, const Vec& cover) {
  const std::size_t need = static_cast<std::size_t>(n_);
  for (std::vector<double>* v : {&row_scale_, &column_scale_, &row_work_, &column_work_})
    if (v->size() < need) v->resize(need);
  std::fill_n(row_scale_.begin(), n_, 1.0);
  std::fill_n(column_scale_.begin(), n_, 1.0);

  constexpr int sweeps = 4;
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    largest(M, row_scale_, column_scale_, row_work_, column_work_, column_);
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

LemkePath::End LemkePath::run(const Mat& M, const Vec& q, const Vec& cover,
                              const Options& options) {
  start(M, q, cover);
  int entering = 2 * n_;  // z₀
  enter(entering);
  int leaving = first_leaving_row(options);
  while (iterations_ < options.max_iterations) {
    const int left = basic_[leaving];
    exchange(leaving, entering);
    ++iterations_;
    if (left == 2 * n_) {
      collect_support();
      return End::solution;
    }
    entering = left < n_ ? left + n_ : left - n_;  // the complement
    enter(entering);
    leaving = leaving_row(options);
    if (leaving < 0) {
      driving_ = entering;
      return End::ray;
    }
  }
  return End::iteration_limit;
}

void LemkePath::start(const Mat& M, const Vec& q, const Vec& cover) {
  n_ = static_cast<int>(q.size());
  iterations_ = 0;
  met_ties_ = false;
  scale(M, q, cover);
  basic_.resize(n_);
  value_.resize(n_);
  column_.resize(n_);
  for (int i = 0; i < n_; ++i) {
    basic_[i] = i;
    value_[i] = row_scale_[i] * q[i] / q_scale_;
  }
  load(M, cover);
}

void LemkePath::collect_support() {
  support_.clear();
  for (const int variable : basic_)
    if (variable >= n_) support_.push_back(variable - n_);
  std::sort(support_.begin(), support_.end());
}

bool LemkePath::refine(const Vec&, Vec&) const { return false; }

/// The row that is worst covered; among ties the last, which has the smallest perturbation.
int LemkePath::first_leaving_row(const Options& options) const {
  const auto lack = [&](int i) { return -value_[i] / column_[i]; };
  int leaving = 0;
  for (int i = 1; i < n_; ++i)
    if (lack(i) > lack(leaving)) leaving = i;
  const double worst = lack(leaving);
  for (int i = leaving + 1; i < n_; ++i)
    if (-value_[i] >= worst * column_[i] - options.tie_slack) leaving = i;
  return leaving;
}

/// The basic variable that blocks the increase of the entering variable; −1 when none does.
///
/// Ties in the sense of Harris: with θ the largest step that leaves every basic variable above
/// −slack, every row whose own ratio is at most θ.
int LemkePath::leaving_row(const Options& options) {
  // The largest of the column and of q̄: what round-off refers to.
  const double entry = std::max(1.0, column_.cwiseAbs().maxCoeff());
  const double value = std::max(1.0, value_.maxCoeff());
  const double zero = options.pivot_tolerance * entry, slack = options.tie_slack * value;
  double step = std::numeric_limits<double>::max();
  int tightest = -1;
  falling_.resize(static_cast<std::size_t>(n_));
  int count = 0;
  for (int i = 0; i < n_; ++i) {  // without a branch, for nothing predicts it
    falling_[count] = i;
    count += -column_[i] > zero ? 1 : 0;
  }
  for (int k = 0; k < count; ++k) {
    const int i = falling_[k];
    const double slope = -column_[i], room = std::max(value_[i], 0.0) + slack;
    if (room >= step * slope) continue;
    step = room / slope;
    tightest = i;
  }
  ties_.clear();
  for (int k = 0; k < count; ++k) {
    const int i = falling_[k];
    if (value_[i] > step * -column_[i]) continue;
    if (basic_[i] == 2 * n_) return i;  // z₀ can leave: done
    ties_.push_back(i);
  }
  if (ties_.empty()) return tightest;
  if (ties_.size() == 1) return ties_.front();
  met_ties_ = true;
  return options.tie_rule == TieRule::lexicographic ? break_tie_lexicographically(options.tie_slack)
                                                    : break_tie_by_pivot();
}

int LemkePath::break_tie_lexicographically(double slack) {
  for (int k = 0; k < n_ && ties_.size() > 1; ++k) {
    double smallest = std::numeric_limits<double>::infinity();
    for (const int i : ties_) smallest = std::min(smallest, perturbation(i, k) / -column_[i]);
    const double limit = smallest + slack * std::max(1.0, std::abs(smallest));
    std::erase_if(ties_, [&](int i) { return perturbation(i, k) / -column_[i] > limit; });
  }
  return break_tie_by_pivot();
}

int LemkePath::break_tie_by_pivot() const {
  return *std::max_element(ties_.begin(), ties_.end(),
                           [&](int a, int b) { return -column_[a] < -column_[b]; });
}

void LemkePath::read_solution(Vec& z) const {
  z.setZero(n_);
  for (int i = 0; i < n_; ++i) {
    const int variable = basic_[i] - n_;
    if (variable >= 0 && variable < n_)
      z[variable] = std::max(0.0, value_[i]) * column_scale_[variable] * q_scale_;
  }
}

void LemkePath::read_ray(Vec& direction, double& cover) const {
  direction.setZero(n_);
  cover = 0.0;
  double largest_rate = 1.0;
  for (int i = 0; i < n_; ++i) largest_rate = std::max(largest_rate, column_[i]);
  const auto put = [&](int variable, double rate) {
    if (rate <= round_off * largest_rate) return;  // a zero of exact arithmetic
    if (variable == 2 * n_) cover = rate / cover_scale_;
    if (variable >= n_ && variable < 2 * n_)
      direction[variable - n_] = rate * column_scale_[variable - n_];
  };
  put(driving_, 1.0);
  for (int i = 0; i < n_; ++i) put(basic_[i], column_[i]);
  const double size = direction.maxCoeff();
  if (size > 0.0) {
    direction /= size;
    cover /= size;
  }
}

}  // namespace touchstone

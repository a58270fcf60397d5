#include "solvers/own/multiplier_method.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace touchstone {

namespace {

constexpr double minimised = 1e-12;  // ∇ of a minimiser of (1), scaled data
constexpr double growth = 10.0, largest_penalty = 1e10;
constexpr double progress = 0.1;  // of what was left in the rows: ρ stays
constexpr double flat = 0.1;      // of the first slope: a point along dx is low enough
constexpr int line_search_steps = 40;

}  // namespace

void MultiplierMethod::load(const ScaledQp& qp, QuasidefiniteSystem& newton) {
  qp_ = &qp;
  newton_ = &newton;
}

bool MultiplierMethod::run(const Point& start, double penalty, int steps,
                           const std::function<bool(const Point&)>& done) {
  point_.x = start.x;
  y_ = start.y;
  penalty_ = penalty;
  factored_.resize(0);
  steps_ = 0;
  double left = std::numeric_limits<double>::infinity();
  for (;;) {
    shift();
    do {  // at least one step, which takes the round-off of the start away
      if (steps_ == steps) return false;
      ++steps_;
      evaluate();
      if (!newton_step()) return false;
      evaluate();
    } while (gradient_.lpNorm<Eigen::Infinity>() > minimised);
    if (done(point_)) return true;
    const double before = left;
    left = left_in_rows();
    if (left > progress * before) penalty_ = std::min(growth * penalty_, largest_penalty);
    y_ = point_.y;
  }
}

void MultiplierMethod::shift() {
  Ax_ = qp_->A * point_.x;
  above_l_ = y_ + penalty_ * (Ax_ - qp_->l);
  above_u_ = y_ + penalty_ * (Ax_ - qp_->u);
}

void MultiplierMethod::evaluate() {
  point_.y = above_l_.cwiseMin(0.0) + above_u_.cwiseMax(0.0);
  for (Eigen::Index r = 0; r < y_.size(); ++r)
    if (is_equation(r)) point_.y[r] = y_[r];
  objective_ = qp_->P * point_.x + qp_->c;
  gradient_ = objective_ + qp_->A.transpose() * point_.y;
}

double MultiplierMethod::left_in_rows() const {
  double left = 0.0;
  for (Eigen::Index r = 0; r < y_.size(); ++r)
    left = std::max(
        left, std::abs(is_equation(r) ? Ax_[r] - qp_->l[r] : (point_.y[r] - y_[r]) / penalty_));
  return left;
}

bool MultiplierMethod::newton_step() {
  const Eigen::Index n = gradient_.size();
  D_.setZero(y_.size());
  right_.resize(n + std::count(qp_->equation.begin(), qp_->equation.end(), 1));
  right_.head(n) = -gradient_;
  Eigen::Index at = n;
  for (Eigen::Index r = 0; r < y_.size(); ++r)
    if (is_equation(r))
      right_[at++] = qp_->l[r] - Ax_[r];
    else if (above_l_[r] < 0.0 || above_u_[r] > 0.0)
      D_[r] = penalty_;
  if (factored_.size() != D_.size() || factored_ != D_) {
    if (!newton_->factorise(D_)) return false;
    factored_ = D_;
  }
  newton_->solve(right_, change_);
  dx_ = change_.head(n);
  Adx_ = qp_->A * dx_;
  Pdx_ = qp_->P * dx_;
  const double t = line_search();
  point_.x += t * dx_;
  Ax_ += t * Adx_;
  above_l_ += t * penalty_ * Adx_;
  above_u_ += t * penalty_ * Adx_;
  at = n;
  for (Eigen::Index r = 0; r < y_.size(); ++r)
    if (is_equation(r)) y_[r] += t * change_[at++];
  return true;
}

/// Where the slope of φ along dx is small: by bisection and false position, as it is piecewise
/// linear and grows. 1 where the start is not above that point but for round-off or for Ex ≠ f.
double MultiplierMethod::line_search() const {
  const double first = slope(0.0), enough = flat * std::abs(first);
  double low = 0.0, high = 1.0, at_low = first, at_high = slope(1.0);
  if (first >= 0.0 || at_high <= enough) return 1.0;
  double t = 1.0;
  for (int k = 0; k < line_search_steps; ++k) {
    t = k % 3 == 2 ? 0.5 * (low + high) : low - at_low * (high - low) / (at_high - at_low);
    const double now = slope(t);
    if (std::abs(now) <= enough) break;
    (now < 0.0 ? low : high) = t;
    (now < 0.0 ? at_low : at_high) = now;
  }
  return t;
}

/// φ'(x + t dx)·dx; E dx = 0.
double MultiplierMethod::slope(double t) const {
  double sum = objective_.dot(dx_) + t * Pdx_.dot(dx_);
  for (Eigen::Index r = 0; r < Adx_.size(); ++r) {
    if (is_equation(r)) continue;
    const double change = t * penalty_ * Adx_[r];
    sum += Adx_[r] * (std::min(0.0, above_l_[r] + change) + std::max(0.0, above_u_[r] + change));
  }
  return sum;
}

}  // namespace touchstone

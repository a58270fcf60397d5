#include "formulations/common/radau.hpp"

#include <cmath>

namespace touchstone {

namespace {

constexpr int most_iterations = 14;
const double s6 = std::sqrt(6.0);
const std::array<double, 3> c{(4.0 - s6) / 10.0, (4.0 + s6) / 10.0, 1.0};
const Eigen::Matrix3d A =
    (Eigen::Matrix3d() << (88.0 - 7.0 * s6) / 360.0, (296.0 - 169.0 * s6) / 1800.0,
     (-2.0 + 3.0 * s6) / 225.0, (296.0 + 169.0 * s6) / 1800.0, (88.0 + 7.0 * s6) / 360.0,
     (-2.0 - 3.0 * s6) / 225.0, (16.0 - s6) / 36.0, (16.0 + s6) / 36.0, 1.0 / 9.0)
        .finished();

/// 1/γ₀, the real eigenvalue of A⁻¹, and the weights of the error estimate.
const double u1 = 30.0 / (6.0 + std::cbrt(81.0) - std::cbrt(9.0));
const std::array<double, 3> e{-(13.0 + 7.0 * s6) / 3.0, (-13.0 + 7.0 * s6) / 3.0, -1.0 / 3.0};

/// Coefficients of θ … θ⁵ from (h f0, z₁, z₂, z₃, h f1).
const Eigen::Matrix<double, 5, 5> interpolation = [] {
  Eigen::Matrix<double, 5, 5> conditions;
  for (int k = 1; k <= 5; ++k) {
    conditions(0, k - 1) = k == 1 ? 1.0 : 0.0;
    for (std::size_t i = 0; i < 3; ++i)
      conditions(static_cast<int>(i) + 1, k - 1) = std::pow(c[i], k);
    conditions(4, k - 1) = k;
  }
  return Eigen::Matrix<double, 5, 5>(conditions.inverse());
}();

}  // namespace

bool RadauStep::take(StiffSystem& system, double t, const Vec& y, const Vec& f0, double h,
                     double tolerance, Eigen::Index n) {
  h_ = h;
  y0_ = y;
  for (std::size_t i = 0; i < 3; ++i) z_[i] = c[i] * h * f0;
  follow_positions(system);
  for (Vec& z : z_) {
    trial_ = y + z;
    system.settle(trial_);
    z = trial_ - y;
  }
  double last = 0.0;
  for (int k = 0; k < most_iterations; ++k) {
    follow_positions(system);
    newton_step(system, t);
    double size = 0.0;
    for (std::size_t i = 0; i < 3; ++i) {
      if (!step_[i].allFinite()) return false;
      z_[i] += step_[i];
      size = std::max(size, error_norm(step_[i], y, y, n, tolerance));
    }
    if (size < 1e-3) {
      y1_ = y + z_[2];
      system.derivative(t + h, y1_, f1_);
      Mat J;
      system.stiff_jacobian(J);
      estimate_error(J, f0, system.stiff_begin());
      fit(f0);
      return true;
    }
    if (k > 5 && size > last) return false;
    last = size;
  }
  return false;
}

/// (1) for the entries before the stiff block, given the block.
void RadauStep::follow_positions(StiffSystem& system) {
  const Eigen::Index n = system.stiff_begin();
  leading_.resize(n, 3);
  for (int sweep = 0; sweep < 2; ++sweep) {
    for (std::size_t j = 0; j < 3; ++j) {
      trial_ = y0_ + z_[j];
      system.leading_derivative(trial_, leading_.col(static_cast<Eigen::Index>(j)));
    }
    for (std::size_t i = 0; i < 3; ++i)
      z_[i].head(n) = h_ * leading_ * A.row(static_cast<Eigen::Index>(i)).transpose();
  }
}

/// step = −(I − hA⊗J)⁻¹ (z − hA f) on the stiff block, −(z − hA f) elsewhere.
void RadauStep::newton_step(StiffSystem& system, double t) {
  const Eigen::Index begin = system.stiff_begin(), m = system.stiff_size();
  for (std::size_t i = 0; i < 3; ++i) {
    trial_ = y0_ + z_[i];
    system.derivative(t + c[i] * h_, trial_, f_[i]);
    system.stiff_jacobian(J_[i]);
  }
  system_.setIdentity(3 * m, 3 * m);
  right_.resize(3 * m);
  for (std::size_t i = 0; i < 3; ++i) {
    const auto row = static_cast<Eigen::Index>(i);
    step_[i] = -z_[i];
    for (std::size_t j = 0; j < 3; ++j) {
      const auto column = static_cast<Eigen::Index>(j);
      step_[i] += h_ * A(row, column) * f_[j];
      system_.block(row * m, column * m, m, m) -= h_ * A(row, column) * J_[j];
    }
    right_.segment(row * m, m) = step_[i].segment(begin, m);
  }
  right_ = system_.partialPivLu().solve(right_);
  for (std::size_t i = 0; i < 3; ++i)
    step_[i].segment(begin, m) = right_.segment(static_cast<Eigen::Index>(i) * m, m);
}

/// (u₁/h − J)⁻¹ (f(y) + Σ e_i z_i/h)
void RadauStep::estimate_error(const Mat& J, const Vec& f0, Eigen::Index begin) {
  error_ = f0 + (e[0] * z_[0] + e[1] * z_[1] + e[2] * z_[2]) / h_;
  const Eigen::Index m = J.rows();
  const Vec block = error_.segment(begin, m);
  error_ *= h_ / u1;
  error_.segment(begin, m) = Mat(u1 / h_ * Mat::Identity(m, m) - J).partialPivLu().solve(block);
}

void RadauStep::fit(const Vec& f0) {
  for (int k = 0; k < 5; ++k)
    coefficient_[static_cast<std::size_t>(k)] =
        interpolation(k, 0) * h_ * f0 + interpolation(k, 1) * z_[0] + interpolation(k, 2) * z_[1] +
        interpolation(k, 3) * z_[2] + interpolation(k, 4) * h_ * f1_;
}

void RadauStep::at(double theta, Vec& y) const {
  y = coefficient_[4];
  for (int k = 3; k >= 0; --k) y = coefficient_[static_cast<std::size_t>(k)] + theta * y;
  y = y0_ + theta * y;
}

}  // namespace touchstone

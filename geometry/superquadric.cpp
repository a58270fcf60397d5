#include <fmt/format.h>

#include <cmath>
#include <stdexcept>

#include "geometry/checks.hpp"
#include "geometry/curved_shapes.hpp"

namespace touchstone {

namespace {

/// The largest |x| on the surface: (Σ a_i^m)^(1/m), m = 2p/(p − 2), by Hölder's inequality.
double largest_norm(const Vec3& axes, int dim, double p) {
  const double most = axes.head(dim).maxCoeff();
  if (p == 2.0) return most;
  const double m = 2.0 * p / (p - 2.0);
  double sum = 0.0;
  for (int i = 0; i < dim; ++i) sum += std::pow(axes[i] / most, m);
  return most * std::pow(sum, 1.0 / m);
}

}  // namespace

Superquadric::Superquadric(int dim, const Vec3& semi_axes, double exponent)
    : dim_(dim), axes_(semi_axes), p_(exponent) {
  checks::dimension("superquadric", dim);
  static constexpr const char* names[] = {"semi-axis a", "semi-axis b", "semi-axis c"};
  for (int i = 0; i < dim; ++i) checks::positive(kind().c_str(), names[i], semi_axes[i]);
  if (!(exponent >= 2.0 && exponent <= 100.0))
    throw std::invalid_argument(
        fmt::format("{}: exponent is {}, expected a number from 2 to 100", kind(), exponent));
  if (dim == 2) axes_.z() = 0.0;
  radius_ = largest_norm(axes_, dim, exponent);
}

double Superquadric::value(int, const Vec3& x) const {
  double sum = -1.0;
  for (int i = 0; i < dim_; ++i) sum += std::pow(std::abs(x[i] / axes_[i]), p_);
  return sum;
}

Vec3 Superquadric::gradient(int, const Vec3& x) const {
  Vec3 g = Vec3::Zero();
  for (int i = 0; i < dim_; ++i)
    g[i] = p_ / axes_[i] * std::copysign(std::pow(std::abs(x[i] / axes_[i]), p_ - 1.0), x[i]);
  return g;
}

Mat3 Superquadric::hessian(int, const Vec3& x) const {
  Mat3 H = Mat3::Zero();
  for (int i = 0; i < dim_; ++i)
    H(i, i) =
        p_ * (p_ - 1.0) / (axes_[i] * axes_[i]) * std::pow(std::abs(x[i] / axes_[i]), p_ - 2.0);
  return H;
}

Vec3 Superquadric::support(const Vec3& d) const {
  const double q = p_ / (p_ - 1.0);
  const Vec3 m = axes_.cwiseProduct(d);  // planar: the third entry is zero
  const double most = m.cwiseAbs().maxCoeff();
  if (!(most > 0.0)) return {axes_.x(), 0.0, 0.0};
  Vec3 power = Vec3::Zero();
  double sum = 0.0;
  for (int i = 0; i < dim_; ++i) {
    power[i] = std::pow(std::abs(m[i]) / most, q - 1.0);
    sum += power[i] * std::abs(m[i]) / most;  // Σ (m/most)^q
  }
  const double norm = std::pow(sum, (q - 1.0) / q);
  Vec3 x = Vec3::Zero();
  for (int i = 0; i < dim_; ++i) x[i] = std::copysign(axes_[i] * power[i] / norm, d[i]);
  return x;
}

MassProperties Superquadric::mass_properties(double density) const {
  checks::positive(kind().c_str(), "density", density);
  const double n = dim_;
  double box = 1.0;  // of the orthant: Π a_i
  for (int i = 0; i < dim_; ++i) box *= axes_[i];
  const double orthants = std::pow(2.0, n);
  const double one = std::tgamma(1.0 + 1.0 / p_);  // Γ(1/p)/p
  MassProperties m;
  m.mass = density * orthants * box * std::pow(one, n) / std::tgamma(1.0 + n / p_);
  // ∫ x_i² over the body, for unit semi-axes
  const double second = density * orthants * box * std::tgamma(3.0 / p_) / p_ *
                        std::pow(one, n - 1.0) / std::tgamma(1.0 + (n + 2.0) / p_);
  const Vec3 moment = second * axes_.cwiseProduct(axes_);
  m.inertia.diagonal() = Vec3::Constant(moment.sum()) - moment;
  return m;
}

}  // namespace touchstone

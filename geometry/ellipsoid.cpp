#include <algorithm>
#include <numbers>

#include "geometry/checks.hpp"
#include "geometry/shapes.hpp"

namespace touchstone {

Ellipsoid::Ellipsoid(int dim, const Vec3& semi_axes) : dim_(dim), axes_(semi_axes) {
  checks::dimension("ellipsoid", dim);
  static constexpr const char* names[] = {"semi-axis a", "semi-axis b", "semi-axis c"};
  for (int i = 0; i < dim; ++i) checks::positive(kind().c_str(), names[i], semi_axes[i]);
  if (dim == 2) axes_.z() = 0.0;
}

double Ellipsoid::value(int, const Vec3& x) const {
  return x.head(dim_).cwiseQuotient(axes_.head(dim_)).squaredNorm() - 1.0;
}

Vec3 Ellipsoid::gradient(int, const Vec3& x) const {
  Vec3 g = Vec3::Zero();
  for (int i = 0; i < dim_; ++i) g[i] = 2.0 * x[i] / (axes_[i] * axes_[i]);
  return g;
}

Mat3 Ellipsoid::hessian(int, const Vec3&) const {
  Mat3 H = Mat3::Zero();
  for (int i = 0; i < dim_; ++i) H(i, i) = 2.0 / (axes_[i] * axes_[i]);
  return H;
}

Vec3 Ellipsoid::support(const Vec3& d) const {
  // Maximiser of d·x on |D⁻¹x| = 1, D = diag(a, b, c): x = D (D d)/|D d|.
  const Vec3 m = axes_.cwiseProduct(d);
  const double length = m.norm();
  return length > 0.0 ? Vec3(axes_.cwiseProduct(m) / length) : Vec3(axes_.x(), 0.0, 0.0);
}

double Ellipsoid::radius() const { return axes_.head(dim_).maxCoeff(); }

MassProperties Ellipsoid::mass_properties(double density) const {
  checks::positive(kind().c_str(), "density", density);
  const double a2 = axes_.x() * axes_.x();
  const double b2 = axes_.y() * axes_.y();
  const double c2 = axes_.z() * axes_.z();
  MassProperties m;
  if (dim_ == 2) {
    m.mass = density * std::numbers::pi * axes_.x() * axes_.y();
    m.inertia.diagonal() = m.mass / 4.0 * Vec3(b2, a2, a2 + b2);
  } else {
    m.mass = density * 4.0 / 3.0 * std::numbers::pi * axes_.prod();
    m.inertia.diagonal() = m.mass / 5.0 * Vec3(b2 + c2, a2 + c2, a2 + b2);
  }
  return m;
}

}  // namespace touchstone

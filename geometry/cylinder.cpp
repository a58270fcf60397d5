#include <cmath>
#include <numbers>

#include "geometry/checks.hpp"
#include "geometry/curved_shapes.hpp"

namespace touchstone {

Cylinder::Cylinder(double radius, double height) : r_(radius), height_(height) {
  checks::positive("cylinder", "radius", radius);
  checks::positive("cylinder", "height", height);
}

double Cylinder::value(int j, const Vec3& x) const {
  if (j == 0) return x.head<2>().squaredNorm() - r_ * r_;
  return (j == 1 ? x.z() : -x.z()) - 0.5 * height_;
}

Vec3 Cylinder::gradient(int j, const Vec3& x) const {
  if (j == 0) return {2.0 * x.x(), 2.0 * x.y(), 0.0};
  return {0.0, 0.0, j == 1 ? 1.0 : -1.0};
}

Mat3 Cylinder::hessian(int j, const Vec3&) const {
  Mat3 H = Mat3::Zero();
  if (j == 0) H.diagonal() = Vec3(2.0, 2.0, 0.0);
  return H;
}

Vec3 Cylinder::support(const Vec3& d) const {
  const double across = std::hypot(d.x(), d.y());
  Vec3 x(0.0, 0.0, 0.0);
  if (across > 0.0) x.head<2>() = r_ / across * d.head<2>();
  if (d.z() != 0.0) x.z() = std::copysign(0.5 * height_, d.z());
  return x;
}

double Cylinder::radius() const { return std::hypot(r_, 0.5 * height_); }

MassProperties Cylinder::mass_properties(double density) const {
  checks::positive("cylinder", "density", density);
  MassProperties m;
  m.mass = density * std::numbers::pi * r_ * r_ * height_;
  const double across = m.mass * (3.0 * r_ * r_ + height_ * height_) / 12.0;
  m.inertia.diagonal() = Vec3(across, across, 0.5 * m.mass * r_ * r_);
  return m;
}

void Cylinder::supporting_points(const Vec3& d, double cosine, std::vector<Vec3>& out) const {
  const double across = std::hypot(d.x(), d.y()), length = std::hypot(across, d.z());
  // Upright, every point of the rim is as far: x is the first.
  const Eigen::Vector2d first =
      across > 1e-12 * length ? Eigen::Vector2d(d.head<2>() / across) : Eigen::Vector2d(1.0, 0.0);
  const double z = std::copysign(0.5 * height_, d.z());
  if (std::abs(d.z()) > cosine * length) {
    for (int k = 0; k < 8; ++k) {
      const double t = 0.25 * std::numbers::pi * k;
      out.emplace_back(r_ * (std::cos(t) * first.x() - std::sin(t) * first.y()),
                       r_ * (std::sin(t) * first.x() + std::cos(t) * first.y()), z);
    }
    return;
  }
  out.emplace_back(r_ * first.x(), r_ * first.y(), z);
  if (across > cosine * length) out.emplace_back(r_ * first.x(), r_ * first.y(), -z);
}

}  // namespace touchstone

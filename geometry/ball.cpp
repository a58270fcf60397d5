#include <numbers>

#include "geometry/checks.hpp"
#include "geometry/shapes.hpp"

namespace touchstone {

Ball::Ball(int dim, double r) : dim_(dim), r_(r) {
  checks::dimension("ball", dim);
  checks::positive("ball", "radius", r);
}

double Ball::value(int, const Vec3& x) const { return x.head(dim_).squaredNorm() - r_ * r_; }

Vec3 Ball::gradient(int, const Vec3& x) const {
  Vec3 g = Vec3::Zero();
  g.head(dim_) = 2.0 * x.head(dim_);
  return g;
}

Mat3 Ball::hessian(int, const Vec3&) const {
  Mat3 H = Mat3::Zero();
  H.diagonal().head(dim_).setConstant(2.0);
  return H;
}

Vec3 Ball::support(const Vec3& d) const {
  const double length = d.norm();
  return length > 0.0 ? Vec3(r_ / length * d) : Vec3(r_, 0.0, 0.0);
}

MassProperties Ball::mass_properties(double density) const {
  checks::positive(dim_ == 2 ? "disc" : "sphere", "density", density);
  MassProperties m;
  if (dim_ == 2) {
    m.mass = density * std::numbers::pi * r_ * r_;
    const double i = m.mass * r_ * r_;
    m.inertia.diagonal() = Vec3(i / 4.0, i / 4.0, i / 2.0);
  } else {
    m.mass = density * 4.0 / 3.0 * std::numbers::pi * r_ * r_ * r_;
    m.inertia.diagonal().setConstant(2.0 / 5.0 * m.mass * r_ * r_);
  }
  return m;
}

}  // namespace touchstone

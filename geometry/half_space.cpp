#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <stdexcept>

#include "geometry/checks.hpp"
#include "geometry/shapes.hpp"

namespace touchstone {

HalfSpace::HalfSpace(int dim, const Vec3& n, double c) : dim_(dim), n_(n), c_(c) {
  checks::dimension("half-space", dim);
  checks::point("half-space", "normal", dim, n);
  if (!std::isfinite(c))
    throw std::invalid_argument(
        fmt::format("half-space: offset is {}, expected a finite number", c));
  const double length = n.stableNorm();
  if (length == 0.0)
    throw std::invalid_argument("half-space: normal is (0, 0, 0), expected a nonzero vector");
  // {n·x ≤ c} stays the same set: both sides are divided by |n|.
  n_ = n / length;
  c_ = c / length;
}

double HalfSpace::value(int, const Vec3& x) const { return n_.dot(x) - c_; }
Vec3 HalfSpace::gradient(int, const Vec3&) const { return n_; }
Mat3 HalfSpace::hessian(int, const Vec3&) const { return Mat3::Zero(); }

Vec3 HalfSpace::support(const Vec3&) const {
  throw std::logic_error("half-space: an unbounded set has no support point");
}

double HalfSpace::radius() const { return std::numeric_limits<double>::infinity(); }

MassProperties HalfSpace::mass_properties(double) const {
  throw std::logic_error("half-space: an unbounded set has no mass properties");
}

}  // namespace touchstone

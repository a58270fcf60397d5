#pragma once

/// Rotations by a vector: exp(θ), its derivative, and the cross product as a matrix.

#include <cmath>

#include "geometry/convex_set.hpp"

namespace touchstone {

/// [v]×: cross_matrix(v) w = v × w.
inline Mat3 cross_matrix(const Vec3& v) {
  Mat3 X;
  X << 0.0, -v.z(), v.y(), v.z(), 0.0, -v.x(), -v.y(), v.x(), 0.0;
  return X;
}

/// exp([θ]×) (Rodrigues).
inline Mat3 rotation(const Vec3& theta) {
  const double angle2 = theta.squaredNorm(), angle = std::sqrt(angle2);
  const double half = 0.5 * angle,
               sinc_half = half < 1e-4 ? 1.0 - half * half / 6.0 : std::sin(half) / half;
  const double sinc = angle < 1e-4 ? 1.0 - angle2 / 6.0 : std::sin(angle) / angle;
  const Mat3 X = cross_matrix(theta);
  return Mat3::Identity() + sinc * X + 0.5 * sinc_half * sinc_half * (X * X);
}

/// J with exp(θ + δ) = exp(Jδ) exp(θ) to first order: the left Jacobian of SO(3).
inline Mat3 left_jacobian(const Vec3& theta) {
  const double angle2 = theta.squaredNorm(), angle = std::sqrt(angle2);
  const double half = 0.5 * angle,
               sinc_half = half < 1e-4 ? 1.0 - half * half / 6.0 : std::sin(half) / half;
  // (θ − sin θ)/θ³; the series below 0.1 is exact to round-off
  const double third =
      angle < 0.1 ? (1.0 - angle2 / 20.0 * (1.0 - angle2 / 42.0 * (1.0 - angle2 / 72.0))) / 6.0
                  : (angle - std::sin(angle)) / (angle2 * angle);
  const Mat3 X = cross_matrix(theta);
  return Mat3::Identity() + 0.5 * sinc_half * sinc_half * X + third * (X * X);
}

}  // namespace touchstone

#pragma once

/// Random shapes and poses for computed studies. The engine's bits are turned into numbers here, as
/// the distributions of the standard library differ from one library to the next.

#include <cmath>
#include <cstdint>
#include <memory>
#include <numbers>
#include <random>
#include <vector>

#include "geometry/shapes.hpp"

namespace touchstone {

class RandomShapes {
 public:
  explicit RandomShapes(std::uint64_t seed) : engine_(seed) {}

  double uniform(double low, double high) {
    return low + (high - low) * (static_cast<double>(engine_() >> 11) * 0x1.0p-53);
  }
  int integer(int low, int high) {
    return low + static_cast<int>(engine_() % static_cast<std::uint64_t>(high - low + 1));
  }
  /// Uniform on the circle (dim 2) or sphere.
  Vec3 direction(int dim) {
    const double phi = uniform(0.0, 2.0 * std::numbers::pi);
    const double z = dim == 2 ? 0.0 : uniform(-1.0, 1.0);
    const double rho = std::sqrt(1.0 - z * z);
    return {rho * std::cos(phi), rho * std::sin(phi), z};
  }
  /// Uniform over all rotations (dim 3: Shoemake's quaternions).
  Mat3 rotation(int dim) {
    const double a = uniform(0.0, 2.0 * std::numbers::pi);
    if (dim == 2) return Eigen::AngleAxisd(a, Vec3::UnitZ()).toRotationMatrix();
    const double u = uniform(0.0, 1.0), b = uniform(0.0, 2.0 * std::numbers::pi);
    const double p = std::sqrt(1.0 - u), q = std::sqrt(u);
    return Eigen::Quaterniond(p * std::sin(a), p * std::cos(a), q * std::sin(b), q * std::cos(b))
        .toRotationMatrix();
  }
  /// The hull of `points` points on an ellipsoid whose semi-axes lie between `thin` and 1 [m].
  std::shared_ptr<Polytope> polytope(int dim, int points, double thin) {
    const Vec3 axes(1.0, uniform(thin, 1.0), dim == 2 ? 1.0 : uniform(thin, 1.0));
    std::vector<Vec3> p;
    for (int i = 0; i < points; ++i) p.push_back(axes.cwiseProduct(direction(dim)));
    return std::make_shared<Polytope>(dim, std::move(p));
  }
  /// A polytope with exactly `facets` facets, even in space: the hull of points on a sphere.
  std::shared_ptr<Polytope> with_facets(int dim, int facets) {
    return polytope(dim, dim == 2 ? facets : facets / 2 + 2, 1.0);
  }
  /// A random point inside: a mean of the vertices with random weights.
  Vec3 inside(const Polytope& shape) {
    Vec3 sum = Vec3::Zero();
    double weights = 0.0;
    for (const Vec3& v : shape.vertices()) {
      const double w = uniform(0.1, 1.0);
      sum += w * v;
      weights += w;
    }
    return sum / weights;
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace touchstone

#pragma once

/// Random sets and poses for the geometry tests; every stream is seeded, so that runs repeat.

#include <memory>
#include <random>
#include <vector>

#include "geometry/contact_points.hpp"
#include "geometry/curved_shapes.hpp"
#include "geometry/implicit_set.hpp"
#include "geometry/shapes.hpp"

namespace touchstone::test {

class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  double uniform(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(engine_);
  }
  double normal() { return std::normal_distribution<double>()(engine_); }

  Vec3 direction(int dim) {
    for (;;) {
      const Vec3 d(normal(), normal(), dim == 3 ? normal() : 0.0);
      if (d.norm() > 1e-3) return d.normalized();
    }
  }
  Mat3 rotation(int dim) {
    if (dim == 2) return Eigen::AngleAxisd(uniform(-3.2, 3.2), Vec3::UnitZ()).toRotationMatrix();
    Eigen::Quaterniond q(normal(), normal(), normal(), normal());
    return q.normalized().toRotationMatrix();
  }
  Vec3 point(int dim, double size) {
    return {uniform(-size, size), uniform(-size, size), dim == 3 ? uniform(-size, size) : 0.0};
  }
  Pose pose(int dim, double size) { return {point(dim, size), rotation(dim)}; }

  std::shared_ptr<Ellipsoid> ellipsoid(int dim) {
    return std::make_shared<Ellipsoid>(
        dim, Vec3(uniform(0.2, 1.5), uniform(0.2, 1.5), uniform(0.2, 1.5)));
  }
  std::shared_ptr<Ball> ball(int dim) { return std::make_shared<Ball>(dim, uniform(0.2, 1.2)); }
  std::shared_ptr<Polytope> polytope(int dim, int points) {
    std::vector<Vec3> p;
    for (int i = 0; i < points; ++i) p.push_back(point(dim, 1.0));
    return std::make_shared<Polytope>(dim, p);
  }
  Vec3 axes() { return {uniform(0.3, 1.5), uniform(0.3, 1.5), uniform(0.3, 1.5)}; }
  /// An ellipsoid cut by a ball and a half-space: edges and a flat face.
  std::shared_ptr<Intersection> lens(int dim) {
    const auto ball = std::make_shared<Ball>(dim, 1.0);
    const auto cut = std::make_shared<HalfSpace>(dim, direction(dim), 0.2);
    return std::make_shared<Intersection>(
        dim, std::vector<Intersection::Member>{{std::make_shared<Ellipsoid>(dim, axes())},
                                               {ball, {0.3 * direction(dim), Mat3::Identity()}},
                                               {cut}});
  }
  /// The kinds that the general method of closest points is for, in turn (planar: no cylinder).
  std::shared_ptr<ConvexSet> curved(int kind, int dim) {
    switch (kind % 3) {
      case 0:
        return std::make_shared<Superquadric>(dim, axes(), uniform(2.0, 8.0));
      case 1:
        return lens(dim);
      default:
        if (dim == 2) return std::make_shared<Superquadric>(dim, axes(), 2.0);
        return std::make_shared<Cylinder>(uniform(0.2, 1.0), uniform(0.3, 2.0));
    }
  }
  /// The kinds with a support function, in turn.
  std::shared_ptr<ConvexSet> bounded(int kind, int dim) {
    switch (kind % 4) {
      case 0:
        return ball(dim);
      case 1:
        return ellipsoid(dim);
      case 2:
        return polytope(dim, 12);
      default:
        return box(dim, Vec3(uniform(0.4, 2.0), uniform(0.4, 2.0), uniform(0.4, 2.0)));
    }
  }

 private:
  std::mt19937 engine_;
};

inline std::vector<ContactPoint> contacts(const ConvexSet& A, const Pose& a, const ConvexSet& B,
                                          const Pose& b, double margin) {
  std::vector<ContactPoint> out;
  contact_points(A, a, B, b, margin, out);
  return out;
}

/// s(n) = min_A n·a − max_B n·b for bounded sets, from their support functions.
inline double support_gap(const ConvexSet& A, const Pose& a, const ConvexSet& B, const Pose& b,
                          const Vec3& n) {
  return n.dot(a.to_world(A.support(-(a.R.transpose() * n)))) -
         n.dot(b.to_world(B.support(b.R.transpose() * n)));
}

/// The largest s(n) over a dense set of directions, then by a shrinking pattern search around the
/// best few: knows nothing of gradients, features or Newton's method.
double brute_force_gap(const ConvexSet& A, const Pose& a, const ConvexSet& B, const Pose& b);

/// max_n s(n) for polytopes over every facet normal and every product of edges (planar: edge
/// normals), each evaluated by support functions: minus the penetration depth when overlapping.
double brute_force_depth(const Polytope& A, const Pose& a, const Polytope& B, const Pose& b);

/// Distance of separated polytopes: every vertex–facet, vertex–edge, vertex–vertex and edge–edge
/// pair.
double brute_force_distance(const Polytope& A, const Pose& a, const Polytope& B, const Pose& b);

}  // namespace touchstone::test

#include "geometry/geodesic_polyhedron.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "tests/geometry/support.hpp"

/// The polyhedra that stand for spheres and ellipsoids: what geodesic_polyhedron.hpp says of them.

namespace touchstone {
namespace {

using test::Random;

/// The largest angle between the normal of a facet and a vertex of it, seen from the centre.
double facet_angle(const Polytope& shape) {
  double least = 1.0;
  for (const Polytope::Facet& f : shape.facets())
    for (const int v : f.vertices)
      least =
          std::min(least, f.normal.dot(shape.vertices()[static_cast<std::size_t>(v)].normalized()));
  return std::acos(least);
}

/// max |h(n)/R − 1|. Between the lines from the centre to the vertices and to the facets' planes
/// the support function has its extremes at the vertices and at the facets' normals.
double support_error(const Polytope& shape, double radius) {
  double worst = 0.0;
  for (const Vec3& v : shape.vertices()) worst = std::max(worst, std::abs(v.norm() / radius - 1.0));
  for (const Polytope::Facet& f : shape.facets())
    worst = std::max(worst, std::abs(f.offset / radius - 1.0));
  return worst;
}

TEST(GeodesicPolyhedron, HasTrianglesOnOneSphereAndNoSpecialAxis) {
  const double radius = 1.7;
  for (int k = 0, facets = 20; k <= 3; ++k, facets *= 4) {
    const auto shape = geodesic_polyhedron(k, Vec3::Constant(radius));
    ASSERT_EQ(shape->count(), facets);
    EXPECT_EQ(shape->vertices().size(), static_cast<std::size_t>(facets / 2 + 2));
    for (const Polytope::Facet& f : shape->facets()) EXPECT_EQ(f.vertices.size(), 3u);
    const double circumradius = shape->radius();
    EXPECT_GT(circumradius, radius);
    for (const Vec3& v : shape->vertices()) EXPECT_NEAR(v.norm(), circumradius, 1e-14);
    const MassProperties m = shape->mass_properties(1.0);
    EXPECT_LT(m.centroid.norm(), 1e-14);
    const double mean = m.inertia.trace() / 3.0;
    EXPECT_LT((m.inertia - mean * Mat3::Identity()).norm(), 1e-12 * mean) << "no axis is special";
  }
}

TEST(GeodesicPolyhedron, HasASupportFunctionRightToSecondOrder) {
  Random random(5);
  double last_angle = 0.0, last_error = 0.0;
  for (int k = 0; k <= 5; ++k) {
    const auto shape = geodesic_polyhedron(k, Vec3::Ones());
    const double angle = facet_angle(*shape), error = support_error(*shape, 1.0);
    for (int trial = 0; trial < 100; ++trial) {
      const Vec3 n = random.direction(3);
      const double h = n.dot(shape->support(n)) / shape->radius();
      EXPECT_LE(h, 1.0 + 1e-15);
      EXPECT_GE(h, std::cos(angle) - 1e-15);
    }
    EXPECT_LT(error, 0.5 * angle * angle);
    if (k > 1) {  // the first step from the icosahedron is coarse
      EXPECT_NEAR(last_angle / angle, 2.0, 0.1) << k;
      EXPECT_NEAR(last_error / error, 4.0, 0.4) << k;
    }
    last_angle = angle, last_error = error;
  }
}

/// By a Fibonacci lattice on the sphere, which shares nothing with the formula by edges.
double mean_ratio_of_supports(const ConvexSet& one, const ConvexSet& other) {
  const int count = 20000;
  double sum = 0.0;
  for (int i = 0; i < count; ++i) {
    const double z = 1.0 - (2.0 * i + 1.0) / count, rho = std::sqrt(1.0 - z * z);
    const double phi = 2.0 * std::numbers::pi * i / std::numbers::phi;
    const Vec3 n(rho * std::cos(phi), rho * std::sin(phi), z);
    sum += n.dot(one.support(n)) / n.dot(other.support(n));
  }
  return sum / count;
}

TEST(GeodesicPolyhedron, IsOnAverageAsHighAsTheSphere) {
  for (int k = 0; k <= 2; ++k)
    EXPECT_NEAR(mean_ratio_of_supports(*geodesic_polyhedron(k, Vec3::Constant(0.6)), Ball(3, 0.6)),
                1.0, 1e-5)
        << k;
}

TEST(GeodesicPolyhedron, IsAnAffineImageForAnEllipsoid) {
  const Vec3 axes(1.0, 1.2, 0.95);
  const auto egg = geodesic_polyhedron(2, axes), ball = geodesic_polyhedron(2, Vec3::Ones());
  ASSERT_EQ(egg->count(), ball->count());
  for (std::size_t i = 0; i < egg->vertices().size(); ++i)
    EXPECT_LT((egg->vertices()[i] - axes.cwiseProduct(ball->vertices()[i])).norm(), 1e-14);
  const Ellipsoid smooth(3, axes);
  Random random(6);
  for (int trial = 0; trial < 100; ++trial) {
    const Vec3 n = random.direction(3), m = axes.cwiseProduct(n).normalized();
    EXPECT_NEAR(n.dot(egg->support(n)) / n.dot(smooth.support(n)), m.dot(ball->support(m)), 1e-14);
  }
}

TEST(GeodesicPolyhedron, HasTheMirrorsAndAxesThatItPromises) {
  const auto shape = geodesic_polyhedron(2, Vec3::Ones());
  const auto has = [&](const Vec3& x) {
    return std::any_of(shape->vertices().begin(), shape->vertices().end(),
                       [&](const Vec3& v) { return (v - x).norm() < 1e-13; });
  };
  for (const Vec3& v : shape->vertices()) {
    for (int axis = 0; axis < 3; ++axis) EXPECT_TRUE(has(v - 2.0 * v[axis] * Vec3::Unit(axis)));
    EXPECT_TRUE(has({v.y(), v.z(), v.x()})) << "threefold about (1, 1, 1)";
  }
  for (int axis = 0; axis < 3; ++axis) EXPECT_TRUE(has(shape->radius() * Vec3::Unit(axis)));
  const Vec3 diagonal = Vec3::Ones().normalized();
  EXPECT_EQ(
      std::count_if(shape->facets().begin(), shape->facets().end(),
                    [&](const Polytope::Facet& f) { return (f.normal - diagonal).norm() < 1e-13; }),
      1);
}

}  // namespace
}  // namespace touchstone

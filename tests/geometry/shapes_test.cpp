#include "geometry/shapes.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>
#include <string>

#include "tests/geometry/support.hpp"

namespace touchstone {
namespace {

using test::Random;

std::vector<std::shared_ptr<ConvexSet>> every_shape(int dim, Random& random) {
  std::vector<std::shared_ptr<ConvexSet>> shapes;
  shapes.push_back(std::make_shared<HalfSpace>(dim, random.direction(dim), random.uniform(-1, 1)));
  for (int kind = 0; kind < 4; ++kind) shapes.push_back(random.bounded(kind, dim));
  if (dim == 2) shapes.push_back(regular_polygon(7, 0.8));
  return shapes;
}

TEST(Shapes, GradientsAndHessiansAgreeWithCentralDifferences) {
  Random random(1);
  const double h = 1e-5;
  for (int dim : {2, 3}) {
    for (int trial = 0; trial < 20; ++trial) {
      for (const auto& set : every_shape(dim, random)) {
        const Vec3 x = random.point(dim, 2.0);
        for (int j = 0; j < set->count(); ++j) {
          Vec3 g = Vec3::Zero();
          Mat3 H = Mat3::Zero();
          for (int i = 0; i < dim; ++i) {
            const Vec3 e = h * Vec3::Unit(i);
            g[i] = (set->value(j, x + e) - set->value(j, x - e)) / (2.0 * h);
            H.col(i) = (set->gradient(j, x + e) - set->gradient(j, x - e)) / (2.0 * h);
          }
          // Quadratics: central differences are exact up to roundoff, eps |f|/h ≈ 1e-9 for f up to
          // 100.
          EXPECT_LE((set->gradient(j, x) - g).norm(), 5e-9) << set->kind();
          EXPECT_LE((set->hessian(j, x) - H).norm(), 5e-9) << set->kind();
        }
      }
    }
  }
}

TEST(Shapes, PlanarDerivativesIgnoreTheThirdAxis) {
  Random random(2);
  for (const auto& set : every_shape(2, random)) {
    for (int j = 0; j < set->count(); ++j) {
      const Vec3 x(0.3, -0.2, 0.0);
      EXPECT_EQ(set->gradient(j, x).z(), 0.0);
      EXPECT_TRUE(set->hessian(j, x).row(2).isZero(0.0));
      EXPECT_TRUE(set->hessian(j, x).col(2).isZero(0.0));
    }
  }
  // The third semi-axis of an ellipse must not take part.
  const Ellipsoid poisoned(2, Vec3(2.0, 1.0, std::nan("")));
  EXPECT_EQ(poisoned.radius(), 2.0);
  EXPECT_EQ(poisoned.value(0, Vec3(2.0, 0.0, 0.0)), 0.0);
  EXPECT_EQ(poisoned.support(Vec3(0.0, 1.0, 0.0)), Vec3(0.0, 1.0, 0.0));
  EXPECT_TRUE(std::isfinite(poisoned.mass_properties(1.0).inertia(2, 2)));
}

TEST(Shapes, SupportIsOnTheSetAndBeatsEveryBoundaryPoint) {
  Random random(3);
  for (int dim : {2, 3}) {
    for (int kind = 0; kind < 4; ++kind) {
      const auto set = random.bounded(kind, dim);
      std::vector<Vec3> boundary;
      for (int i = 0; i < 500; ++i) {  // along rays from the inside, by bisection on max f
        const Vec3 inside =
            set->vertices().empty() ? Vec3(Vec3::Zero()) : set->mass_properties(1.0).centroid;
        const Vec3 d = random.direction(dim);
        double low = 0.0, high = 10.0;
        for (int k = 0; k < 60; ++k) {
          const double middle = 0.5 * (low + high);
          (set->largest_value(inside + middle * d) <= 0.0 ? low : high) = middle;
        }
        boundary.push_back(inside + low * d);
        EXPECT_LE(boundary.back().norm(), set->radius() + 1e-12);
      }
      for (int i = 0; i < 200; ++i) {
        const Vec3 d = random.uniform(0.1, 5.0) * random.direction(dim);
        const Vec3 s = set->support(d);
        EXPECT_NEAR(set->largest_value(s), 0.0, 1e-12) << set->kind();
        for (const Vec3& p : boundary) EXPECT_LE(d.dot(p), d.dot(s) + 1e-12) << set->kind();
        // The radius is attained: no smaller ball holds the set.
        EXPECT_LE(s.norm(), set->radius() * (1.0 + 1e-14));
      }
    }
  }
}

TEST(Shapes, RadiusIsAttained) {
  EXPECT_EQ(Ellipsoid(3, Vec3(1.0, 3.0, 2.0)).radius(), 3.0);
  EXPECT_NEAR(box(3, Vec3(2.0, 4.0, 4.0))->radius(), 3.0, 1e-15);
  EXPECT_NEAR(box(2, Vec3(6.0, 8.0, -1.0))->radius(), 5.0, 1e-15);
  EXPECT_EQ(HalfSpace(2, Vec3(0, 1, 0), 0.0).radius(), std::numeric_limits<double>::infinity());
}

TEST(Shapes, HalfSpaceIsTheSameSetForAnyLengthOfItsNormal) {
  const HalfSpace H(3, Vec3(0.0, 0.0, 4.0), 8.0);  // 4 z ≤ 8
  EXPECT_EQ(H.normal(), Vec3(0, 0, 1));
  EXPECT_EQ(H.offset(), 2.0);
  EXPECT_EQ(H.value(0, Vec3(5.0, 5.0, 3.0)), 1.0);
  EXPECT_FALSE(H.bounded());
  EXPECT_THROW(H.support(Vec3::UnitX()), std::logic_error);
  EXPECT_THROW(H.mass_properties(1.0), std::logic_error);
}

TEST(Shapes, ClosedFormMassProperties) {
  const double pi = std::numbers::pi;
  const auto disc = Ball(2, 2.0).mass_properties(3.0);
  EXPECT_NEAR(disc.mass, 12.0 * pi, 1e-13);
  EXPECT_NEAR(disc.inertia(2, 2), 0.5 * 12.0 * pi * 4.0, 1e-12);
  const auto sphere = Ball(3, 2.0).mass_properties(3.0);
  EXPECT_NEAR(sphere.mass, 32.0 * pi, 1e-12);
  EXPECT_NEAR(sphere.inertia(0, 0), 0.4 * 32.0 * pi * 4.0, 1e-12);
  const auto e = Ellipsoid(3, Vec3(1.0, 2.0, 3.0)).mass_properties(0.5);
  EXPECT_NEAR(e.mass, 4.0 * pi, 1e-13);
  EXPECT_TRUE(e.inertia.isApprox(Mat3(Vec3(13.0, 10.0, 5.0).asDiagonal()) * 4.0 * pi / 5.0, 1e-14));
  EXPECT_TRUE(
      Ellipsoid(2, Vec3(2, 2, 0)).mass_properties(3.0).inertia.isApprox(disc.inertia, 1e-14));
}

/// An ellipsoid's mass properties by polytopes inscribed in it: the error must fall as 1/n².
TEST(Shapes, EllipseIsTheLimitOfInscribedPolygons) {
  const Vec3 axes(1.5, 0.5, 0.0);
  const auto exact = Ellipsoid(2, axes).mass_properties(1.0);
  double before = 0.0;
  for (int n : {100, 200, 400}) {
    std::vector<Vec3> points;
    for (int i = 0; i < n; ++i) {
      const double t = 2.0 * std::numbers::pi * i / n;
      points.emplace_back(axes.x() * std::cos(t), axes.y() * std::sin(t), 0.0);
    }
    const double error =
        std::abs(Polytope(2, points).mass_properties(1.0).inertia(2, 2) - exact.inertia(2, 2));
    if (before > 0.0) {
      EXPECT_NEAR(before / error, 4.0, 0.05);
    }
    before = error;
  }
}

void expect_invalid(const std::function<void()>& make, const std::string& message) {
  try {
    make();
    ADD_FAILURE() << "accepted, expected: " << message;
  } catch (const std::invalid_argument& e) {
    EXPECT_NE(std::string(e.what()).find(message), std::string::npos) << e.what();
  }
}

TEST(Shapes, BadArgumentsAreNamed) {
  const double nan = std::nan("");
  const double inf = std::numeric_limits<double>::infinity();
  expect_invalid([] { Ball(2, 0.0); }, "radius is 0, expected a finite number > 0");
  expect_invalid([] { Ball(3, -1.5); }, "radius is -1.5");
  expect_invalid([&] { Ball(3, nan); }, "radius is nan");
  expect_invalid([&] { Ball(3, inf); }, "radius is inf");
  expect_invalid([] { Ball(4, 1.0); }, "dim is 4, expected 2 or 3");
  expect_invalid([] { Ellipsoid(3, Vec3(1, 2, 0)); }, "semi-axis c is 0");
  expect_invalid([&] { Ellipsoid(2, Vec3(1, nan, 1)); }, "semi-axis b is nan");
  expect_invalid([] { HalfSpace(3, Vec3::Zero(), 1.0); }, "normal is (0, 0, 0)");
  expect_invalid([&] { HalfSpace(3, Vec3::UnitX(), nan); }, "offset is nan");
  expect_invalid([] { HalfSpace(2, Vec3(0, 1, 1), 0.0); }, "z = 1");
  expect_invalid([] { regular_polygon(2, 1.0); }, "edges is 2, expected at least 3");
  expect_invalid([] { regular_polygon(5, 0.0); }, "circumradius is 0");
  expect_invalid([] { box(3, Vec3(1, -2, 1)); }, "side y is -2");
  expect_invalid([] { box(1, Vec3(1, 1, 1)); }, "dim is 1");
  expect_invalid([] { Ball(2, 1.0).mass_properties(-1.0); }, "density is -1");
  expect_invalid([] { box(2, Vec3(1, 1, 0))->mass_properties(0.0); }, "density is 0");
}

}  // namespace
}  // namespace touchstone

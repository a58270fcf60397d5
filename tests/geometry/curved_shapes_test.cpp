#include "geometry/curved_shapes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>

#include "geometry/implicit_set.hpp"
#include "tests/geometry/support.hpp"

namespace touchstone {
namespace {

using test::Random;
using testing::HasSubstr;

constexpr double pi = std::numbers::pi;

UserSet::Function quartic(int dim) {  // Σ x_i⁴ + Σ x_i² ≤ 1
  return {[dim](const Vec3& x) {
            return x.head(dim).array().pow(4).sum() + x.head(dim).squaredNorm() - 1.0;
          },
          [dim](const Vec3& x) {
            Vec3 g = Vec3::Zero();
            for (int i = 0; i < dim; ++i) g[i] = 4.0 * std::pow(x[i], 3) + 2.0 * x[i];
            return g;
          },
          [dim](const Vec3& x) {
            Mat3 H = Mat3::Zero();
            for (int i = 0; i < dim; ++i) H(i, i) = 12.0 * x[i] * x[i] + 2.0;
            return H;
          }};
}

std::vector<std::shared_ptr<ConvexSet>> every_set(Random& random, int dim) {
  std::vector<std::shared_ptr<ConvexSet>> all;
  for (int kind = 0; kind < 3; ++kind) all.push_back(random.curved(kind, dim));
  all.push_back(std::make_shared<UserSet>(dim, std::vector{quartic(dim)}));
  return all;
}

TEST(CurvedShapes, GradientsAndHessiansAgreeWithDifferences) {
  Random random(91);
  for (int dim : {2, 3}) {
    for (const auto& set : every_set(random, dim)) {
      for (int trial = 0; trial < 20; ++trial) {
        const Vec3 x = random.point(dim, 1.2);
        for (int j = 0; j < set->count(); ++j) {
          const double h = 1e-5;
          for (int i = 0; i < dim; ++i) {
            const Vec3 e = h * Vec3::Unit(i);
            const double slope = (set->value(j, x + e) - set->value(j, x - e)) / (2 * h);
            const Vec3 turn = (set->gradient(j, x + e) - set->gradient(j, x - e)) / (2 * h);
            const double size = 1.0 + set->gradient(j, x).norm() + set->hessian(j, x).norm();
            EXPECT_NEAR(set->gradient(j, x)[i], slope, 1e-7 * size) << set->kind();
            EXPECT_LE((set->hessian(j, x).col(i) - turn).norm(), 1e-6 * size) << set->kind();
          }
        }
      }
    }
  }
}

TEST(CurvedShapes, SupportIsOnTheSetAndBeatsItsOtherPoints) {
  Random random(92);
  for (int dim : {2, 3}) {
    for (const auto& set : every_set(random, dim)) {
      std::vector<Vec3> inside;
      while (inside.size() < 200) {
        const Vec3 x = random.point(dim, set->radius());
        if (set->largest_value(x) <= 0.0) inside.push_back(x);
      }
      for (int i = 0; i < 60; ++i) {
        const Vec3 d = random.uniform(0.1, 5.0) * random.direction(dim);
        const Vec3 s = set->support(d);
        EXPECT_NEAR(set->largest_value(s), 0.0, 1e-11) << set->kind();
        EXPECT_LE(s.norm(), set->radius() * (1.0 + 1e-12)) << set->kind();
        for (const Vec3& x : inside) EXPECT_LE(d.dot(x), d.dot(s) + 1e-12) << set->kind();
        for (const Vec3& x : inside)  // the boundary, where the chord to an inner point leaves
          EXPECT_LE(d.dot(set->support(d + 0.3 * x)), d.dot(s) + 1e-10) << set->kind();
      }
    }
  }
}

TEST(CurvedShapes, ExponentTwoIsTheEllipsoid) {
  Random random(93);
  for (int dim : {2, 3}) {
    const Vec3 axes(0.7, 1.3, 0.4);
    const Superquadric S(dim, axes, 2.0);
    const Ellipsoid E(dim, axes);
    EXPECT_NEAR(S.radius(), E.radius(), 1e-15);
    const auto s = S.mass_properties(2.0), e = E.mass_properties(2.0);
    EXPECT_NEAR(s.mass, e.mass, 1e-14 * e.mass);
    EXPECT_TRUE(s.inertia.isApprox(e.inertia, 1e-14));
    for (int i = 0; i < 50; ++i) {
      const Vec3 d = random.direction(dim);
      EXPECT_LE((S.support(d) - E.support(d)).norm(), 1e-14);
    }
  }
}

/// p → ∞ is the box: volume and inertia come within 2 % at p = 100, from below.
TEST(CurvedShapes, LargeExponentsApproachTheBox) {
  const Vec3 axes(0.5, 1.0, 1.5);
  const auto s = Superquadric(3, axes, 100.0).mass_properties(1.0);
  const auto b = box(3, 2.0 * axes)->mass_properties(1.0);
  EXPECT_LT(s.mass, b.mass);
  EXPECT_NEAR(s.mass / b.mass, 1.0, 0.02);
  EXPECT_NEAR(s.inertia(0, 0) / b.inertia(0, 0), 1.0, 0.02);
  EXPECT_NEAR(Superquadric(3, axes, 100.0).radius(), axes.norm(), 0.02 * axes.norm());
  // Opposite corners at p = 4: |x|⁴ sums to one at x = a 3^(−1/4).
  EXPECT_NEAR(Superquadric(3, Vec3::Ones(), 4.0).radius(), std::sqrt(3.0) * std::pow(3.0, -0.25),
              1e-15);
}

/// The quadrature of intersections against the closed forms of the same bodies.
TEST(CurvedShapes, QuadratureMeetsTheClosedForms) {
  auto expect_same = [](const MassProperties& found, const MassProperties& exact, double relative) {
    EXPECT_NEAR(found.mass, exact.mass, relative * exact.mass);
    EXPECT_LE((found.centroid - exact.centroid).norm(), relative);
    EXPECT_LE((found.inertia - exact.inertia).norm(), relative * exact.inertia.norm());
  };
  const Pose there{{0.3, -0.2, 0.5}, Random(4).rotation(3)};
  auto wrapped = [](std::shared_ptr<ConvexSet> set, const Pose& pose) {
    return Intersection(set->dim(), std::vector<Intersection::Member>{{set, pose}});
  };
  auto placed = [](MassProperties m, const Pose& pose) {
    m.centroid = pose.to_world(m.centroid);
    m.inertia = pose.R * m.inertia * pose.R.transpose();
    return m;
  };
  const auto quadric = std::make_shared<Superquadric>(3, Vec3(0.5, 0.8, 1.2), 4.0);
  expect_same(wrapped(quadric, there).mass_properties(2.0),
              placed(quadric->mass_properties(2.0), there), 1e-9);
  const auto cylinder = std::make_shared<Cylinder>(0.6, 1.4);
  expect_same(wrapped(cylinder, there).mass_properties(2.0),
              placed(cylinder->mass_properties(2.0), there), 1e-6);
  const auto planar = std::make_shared<Superquadric>(2, Vec3(0.5, 0.8, 0.0), 6.0);
  const auto found = wrapped(planar, {}).mass_properties(1.0);
  EXPECT_NEAR(found.mass, planar->mass_properties(1.0).mass, 1e-10);
  EXPECT_NEAR(found.inertia(2, 2), planar->mass_properties(1.0).inertia(2, 2), 1e-10);
}

TEST(CurvedShapes, CylinderTouchesWithItsRimItsLineOrOnePoint) {
  const Cylinder c(0.5, 2.0);
  const double cos15 = std::cos(pi / 12.0);
  std::vector<Vec3> points;
  c.supporting_points(Vec3(0.0, 0.01, -1.0), cos15, points);  // nearly upright: the lower cap
  ASSERT_EQ(points.size(), 8u);
  EXPECT_LE((points[0] - Vec3(0.0, 0.5, -1.0)).norm(), 1e-15);
  for (const Vec3& p : points) EXPECT_NEAR(p.head<2>().norm(), 0.5, 1e-15);
  points.clear();
  c.supporting_points(Vec3(0.0, -1.0, 0.1), cos15, points);  // nearly lying: a line
  EXPECT_EQ(points, (std::vector<Vec3>{{0.0, -0.5, 1.0}, {0.0, -0.5, -1.0}}));
  points.clear();
  c.supporting_points(Vec3(1.0, 0.0, 1.0), cos15, points);
  EXPECT_EQ(points, (std::vector<Vec3>{{0.5, 0.0, 1.0}}));
}

template <class Exception>
void expect_refused(const std::function<void()>& make, const std::string& message) {
  try {
    make();
    ADD_FAILURE() << "accepted, expected: " << message;
  } catch (const Exception& e) {
    EXPECT_THAT(e.what(), HasSubstr(message));
  }
}

TEST(CurvedShapes, BadInputIsNamed) {
  using Invalid = std::invalid_argument;
  expect_refused<Invalid>([] { Superquadric(3, Vec3::Ones(), 1.5); }, "exponent is 1.5");
  expect_refused<Invalid>([] { Superquadric(3, Vec3::Ones(), std::nan("")); }, "exponent is nan");
  expect_refused<Invalid>([] { Superquadric(3, Vec3(1, 0, 1), 4.0); }, "semi-axis b is 0");
  expect_refused<Invalid>([] { Cylinder(0.0, 1.0); }, "radius is 0");
  expect_refused<Invalid>([] { Cylinder(1.0, -1.0); }, "height is -1");
  expect_refused<Invalid>([] { Intersection(3, {}); }, "no members");
  const auto ball = std::make_shared<Ball>(3, 1.0);
  const Pose far{{3.0, 0.0, 0.0}, Mat3::Identity()}, touching{{2.0, 0.0, 0.0}, Mat3::Identity()};
  expect_refused<Invalid>([&] { Intersection(3, {{ball, {}}, {ball, far}}); }, "empty");
  expect_refused<Invalid>([&] { Intersection(3, {{ball, {}}, {ball, touching}}); }, "no interior");
  expect_refused<Invalid>([&] { Intersection(2, {{ball, {}}}); }, "expected a set of dimension 2");
}

TEST(CurvedShapes, UnboundedSetsAreAllowedButHaveNoSupport) {
  const auto floor = std::make_shared<HalfSpace>(3, Vec3::UnitZ(), 0.0);
  const auto wall = std::make_shared<HalfSpace>(3, Vec3::UnitX(), 1.0);
  const Intersection wedge(3, {{floor, {}}, {wall, {}}});
  EXPECT_FALSE(wedge.bounded());
  EXPECT_EQ(wedge.radius(), std::numeric_limits<double>::infinity());
  expect_refused<std::logic_error>([&] { wedge.support(Vec3::UnitX()); }, "unbounded");
  expect_refused<std::logic_error>([&] { wedge.mass_properties(1.0); }, "unbounded");
  const Ball ball(3, 1.0);
  expect_refused<std::logic_error>([&] { test::contacts(ball, {}, wedge, {}, 1.0); },
                                   "expected a bounded set or a half-space");
  expect_refused<std::logic_error>([&] { test::contacts(*floor, {}, wedge, {}, 1.0); },
                                   "both unbounded");
}

TEST(UserDefined, WrongFunctionsAreFound) {
  using Invalid = std::invalid_argument;
  auto make = [](UserSet::Function f) { return UserSet(3, std::vector{std::move(f)}); };
  UserSet::Function saddle{[](const Vec3& x) { return x.x() * x.x() - x.y() * x.y() - 1.0; },
                           [](const Vec3& x) { return Vec3(2 * x.x(), -2 * x.y(), 0.0); },
                           [](const Vec3&) { return Mat3(Vec3(2, -2, 0).asDiagonal()); }};
  expect_refused<Invalid>([&] { make(saddle); }, "is not convex");
  UserSet::Function gradient = quartic(3);
  gradient.gradient = [](const Vec3& x) { return Vec3(2.0 * x); };
  expect_refused<Invalid>([&] { make(gradient); }, "has the gradient");
  UserSet::Function hessian = quartic(3);
  hessian.hessian = [](const Vec3&) { return Mat3(2.0 * Mat3::Identity()); };
  expect_refused<Invalid>([&] { make(hessian); }, "has the Hessian column");
  UserSet::Function nothing = quartic(3);
  nothing.value = [](const Vec3& x) { return quartic(3).value(x) + 3.0; };
  expect_refused<Invalid>([&] { make(nothing); }, "empty or has no interior");
  UserSet::Function undefined = quartic(3);
  undefined.value = [](const Vec3& x) { return x.x() > 0.0 ? std::nan("") : quartic(3).value(x); };
  expect_refused<Invalid>([&] { make(undefined); }, "is not finite");
  expect_refused<Invalid>([&] { make({}); }, "lacks a value, gradient or Hessian");
  expect_refused<Invalid>([&] { UserSet(2, std::vector{quartic(3)}); }, "out of the plane");
}

}  // namespace
}  // namespace touchstone

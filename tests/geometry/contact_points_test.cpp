#include "geometry/contact_points.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "geometry/closest_points.hpp"
#include "tests/geometry/support.hpp"

namespace touchstone {
namespace {

using test::contacts;
using test::Random;

const Pose kOrigin{};

Pose at(double x, double y, double z = 0.0) { return {Vec3(x, y, z), Mat3::Identity()}; }

Pose turned(const Vec3& x, double angle, const Vec3& axis) {
  return {x, Eigen::AngleAxisd(angle, axis.normalized()).toRotationMatrix()};
}

/// Bottom at z = 0 (y = 0 in the plane).
HalfSpace ground(int dim) { return {dim, Vec3::Unit(dim - 1), 0.0}; }

TEST(ContactPoints, BallOnGround) {
  for (int dim : {2, 3}) {
    Pose pose;
    pose.x[dim - 1] = 0.75;
    const auto c = contacts(Ball(dim, 0.5), pose, ground(dim), kOrigin, 1.0);
    ASSERT_EQ(c.size(), 1u);
    EXPECT_EQ(c[0].gap, 0.25);
    EXPECT_EQ(c[0].normal, Vec3(Vec3::Unit(dim - 1)));
    EXPECT_EQ(c[0].on_a, Vec3(0.25 * Vec3::Unit(dim - 1)));
    EXPECT_EQ(c[0].on_b, Vec3(Vec3::Zero()));
    EXPECT_EQ(c[0].feature, 0);
  }
}

TEST(ContactPoints, MarginIsInclusiveAndPointsAreAppended) {
  std::vector<ContactPoint> out(1);
  contact_points(Ball(2, 0.5), at(0, 0.75), ground(2), kOrigin, 0.25, out);
  EXPECT_EQ(out.size(), 2u);
  contact_points(Ball(2, 0.5), at(0, 0.75), ground(2), kOrigin, 0.2499, out);
  EXPECT_EQ(out.size(), 2u);
  EXPECT_EQ(out[0].normal, Vec3(Vec3::Zero()));  // what was there is untouched
}

/// Height of an inclined ellipse's lowest point: √(a² sin²φ + b² cos²φ) below its centre.
TEST(ContactPoints, InclinedEllipseOnMovedHalfSpace) {
  const double a = 2.0, b = 0.5, phi = 0.7;
  const Pose ellipse = turned(Vec3(3.0, 5.0, 0.0), phi, Vec3::UnitZ());
  const Pose plane = at(-7.0, 1.0);
  const auto c =
      contacts(Ellipsoid(2, Vec3(a, b, 0)), ellipse, HalfSpace(2, Vec3(0, 2, 0), 1.0), plane, 10);
  ASSERT_EQ(c.size(), 1u);
  const double s = std::sin(phi), k = std::cos(phi);
  EXPECT_NEAR(c[0].gap, 5.0 - 1.5 - std::sqrt(a * a * s * s + b * b * k * k), 1e-14);
  EXPECT_NEAR(c[0].on_b.y(), 1.5, 1e-14);
}

TEST(ContactPoints, BallsAndConcentricBalls) {
  const auto c = contacts(Ball(3, 1.0), at(0, 0, 3), Ball(3, 0.5), kOrigin, 5.0);
  ASSERT_EQ(c.size(), 1u);
  EXPECT_EQ(c[0].gap, 1.5);
  EXPECT_EQ(c[0].normal, Vec3(0, 0, 1));
  EXPECT_EQ(c[0].on_a, Vec3(0, 0, 2));
  for (int dim : {2, 3}) {  // the documented choice: the last axis
    const auto same = contacts(Ball(dim, 1.0), kOrigin, Ball(dim, 0.5), kOrigin, 0.0);
    ASSERT_EQ(same.size(), 1u);
    EXPECT_EQ(same[0].normal, Vec3(Vec3::Unit(dim - 1)));
    EXPECT_EQ(same[0].gap, -1.5);
  }
}

TEST(ContactPoints, ConcentricEllipsoidsLeaveAlongTheShortAxes) {
  const Ellipsoid E(3, Vec3(1.0, 0.3, 2.0));
  const auto c = contacts(E, kOrigin, E, kOrigin, 0.0);
  ASSERT_EQ(c.size(), 1u);
  EXPECT_NEAR(c[0].gap, -0.6, 1e-14);
  EXPECT_NEAR(std::abs(c[0].normal.y()), 1.0, 1e-14);
  const Ellipsoid round(2, Vec3(1.0, 1.0, 0.0));
  const auto r = contacts(round, kOrigin, Ball(2, 1.0), kOrigin, 0.0);
  ASSERT_EQ(r.size(), 1u);
  EXPECT_EQ(r[0].normal, Vec3(0, 1, 0));
  EXPECT_NEAR(r[0].gap, -2.0, 1e-15);
}

TEST(ContactPoints, RoundEllipsoidsAgreeWithBalls) {
  Random random(31);
  for (int dim : {2, 3}) {
    for (int trial = 0; trial < 200; ++trial) {
      const double r = random.uniform(0.2, 1.0), s = random.uniform(0.2, 1.0);
      const Pose a = random.pose(dim, 1.0), b = random.pose(dim, 1.0);
      const auto c =
          contacts(Ellipsoid(dim, Vec3(r, r, r)), a, Ellipsoid(dim, Vec3(s, s, s)), b, 10);
      const auto d = contacts(Ball(dim, r), a, Ball(dim, s), b, 10);
      ASSERT_EQ(c.size(), 1u);
      EXPECT_NEAR(c[0].gap, d[0].gap, 1e-14);
      EXPECT_LE((c[0].normal - d[0].normal).norm(), 1e-12);
      EXPECT_LE((c[0].on_a - d[0].on_a).norm(), 1e-12);
    }
  }
}

TEST(ContactPoints, WarmStartedClosestPointsStayOnTheirBranch) {
  // Overlapping from the left of a thin plate: the other branch is the mirror image, just as deep.
  const Ellipsoid plate(3, Vec3(0.1, 2.0, 2.0));
  for (double sign : {1.0, -1.0}) {
    const auto c = closest_points(plate, at(0.001, 0, 0), plate, kOrigin, Vec3(sign, 0.1, 0.0));
    EXPECT_NEAR(c.normal.x(), sign, 1e-12);
    EXPECT_NEAR(c.gap, -0.2 + sign * 0.001, 1e-14);
  }
  // Separated: a start that points away cannot spoil the answer.
  const auto c = closest_points(plate, at(1.0, 0, 0), plate, kOrigin, Vec3(-1.0, 0.0, 0.0));
  EXPECT_NEAR(c.gap, 0.8, 1e-14);
}

TEST(ContactPoints, BallInsideABoxLeavesByTheNearestFacet) {
  const auto cube = box(3, Vec3(2, 2, 2));
  const auto c = contacts(Ball(3, 0.25), at(0.1, 0.2, -0.7), *cube, kOrigin, 0.0);
  ASSERT_EQ(c.size(), 1u);
  EXPECT_EQ(c[0].normal, Vec3(0, 0, -1));
  EXPECT_NEAR(c[0].gap, -0.55, 1e-15);
  EXPECT_LE((c[0].on_b - Vec3(0.1, 0.2, -1.0)).norm(), 1e-15);
}

TEST(ContactPoints, BallAgainstVertexEdgeAndFaceOfABox) {
  const auto cube = box(3, Vec3(2, 2, 2));
  const Ball ball(3, 0.5);
  EXPECT_NEAR(contacts(ball, at(2, 2, 2), *cube, kOrigin, 9)[0].gap, std::sqrt(3.0) - 0.5, 1e-14);
  EXPECT_NEAR(contacts(ball, at(2, 2, 0.3), *cube, kOrigin, 9)[0].gap, std::sqrt(2.0) - 0.5, 1e-14);
  EXPECT_NEAR(contacts(ball, at(2, 0.1, 0.3), *cube, kOrigin, 9)[0].gap, 0.5, 1e-14);
  EXPECT_NEAR(contacts(ball, at(1.3, 0.1, 0.3), *cube, kOrigin, 9)[0].gap, -0.2, 1e-14);
}

TEST(ContactPoints, EveryVertexOfAPolygonWithinTheMargin) {
  const auto square = box(2, Vec3(1, 1, 0));
  const auto flat = contacts(*square, at(0, 0.6), ground(2), kOrigin, 0.2);
  ASSERT_EQ(flat.size(), 2u);
  for (const auto& c : flat) {
    EXPECT_NEAR(c.gap, 0.1, 1e-15);
    EXPECT_EQ(c.on_a, Vec3(square->vertices()[c.feature] + Vec3(0, 0.6, 0)));
    EXPECT_NEAR(c.on_b.y(), 0.0, 1e-16);
  }
  EXPECT_EQ(contacts(*square, at(0, 0.6), ground(2), kOrigin, 2.0).size(), 4u);
  EXPECT_EQ(contacts(*square, at(0, 0.6), ground(2), kOrigin, 0.05).size(), 0u);
}

TEST(ContactPoints, TenThousandGonOnGround) {
  const int n = 10000;
  const double R = 1.0;
  const auto P = regular_polygon(n, R);
  // Vertex i is R(1 − cos(2πi/n)) above the lowest: within 1e-5 are 2·floor(7.1176) + 1 of them.
  const auto c = contacts(*P, at(0, R), ground(2), kOrigin, 1e-5);
  const int side = static_cast<int>(std::acos(1.0 - 1e-5) * n / (2.0 * std::acos(-1.0)));
  EXPECT_EQ(static_cast<int>(c.size()), 2 * side + 1);
  EXPECT_EQ(c[0].feature, 0);
  EXPECT_EQ(c[0].gap, 0.0);
  const auto disc = contacts(Ball(2, 0.1), at(0, -R - 0.2), *P, kOrigin, 1.0);
  ASSERT_EQ(disc.size(), 1u);
  EXPECT_NEAR(disc[0].gap, 0.1, 1e-14);
  const auto ellipse = contacts(Ellipsoid(2, Vec3(0.3, 0.1, 0)), at(0, -R - 0.2), *P, kOrigin, 1.0);
  ASSERT_EQ(ellipse.size(), 1u);
  EXPECT_NEAR(ellipse[0].gap, 0.1, 1e-14);
  const auto pair = contacts(*P, at(0, 2.1 * R), *P, kOrigin, 1.0);
  ASSERT_FALSE(pair.empty());
  EXPECT_NEAR(pair[0].gap, 0.1, 1e-14);
}

/// Vertices of B's top face that A covers, and the reverse, in a face-face contact.
TEST(ContactPoints, FaceOnFace) {
  const auto small = box(3, Vec3(1, 1, 1)), large = box(3, Vec3(3, 3, 1));
  for (double gap : {0.01, 0.0, -0.01}) {
    const auto c = contacts(*small, at(0.2, 0.3, 1.0 + gap), *large, kOrigin, 0.1);
    ASSERT_EQ(c.size(), 4u);
    std::set<int> features;
    for (const auto& p : c) {
      EXPECT_NEAR(p.gap, gap, 1e-15);
      EXPECT_EQ(p.normal, Vec3(0, 0, 1));
      EXPECT_NEAR(p.on_b.z(), 0.5, 1e-15);
      features.insert(p.feature);
    }
    EXPECT_EQ(features.size(), 4u);
  }
  const auto flat = box(2, Vec3(1, 1, 0)), wide = box(2, Vec3(3, 1, 0));
  for (double gap : {0.01, 0.0, -0.01}) {
    const auto c = contacts(*flat, at(0.2, 1.0 + gap), *wide, kOrigin, 0.1);
    ASSERT_EQ(c.size(), 2u);
    for (const auto& p : c) EXPECT_NEAR(p.gap, gap, 1e-15);
  }
}

/// Two equal squares turned by 45°: the contact region is an octagon of edge crossings.
TEST(ContactPoints, TurnedFaceOnFaceIsAnOctagon) {
  const auto cube = box(3, Vec3(1, 1, 1));
  const auto c = contacts(*cube, turned(Vec3(0, 0, 0.999), std::acos(-1.0) / 4.0, Vec3::UnitZ()),
                          *cube, kOrigin, 0.1);
  EXPECT_EQ(c.size(), 8u);
  std::set<int> features;
  for (const auto& p : c) {
    EXPECT_NEAR(p.gap, -0.001, 1e-14);
    EXPECT_NEAR(std::max(std::abs(p.on_a.x()), std::abs(p.on_a.y())), 0.5, 1e-14);
    features.insert(p.feature);
  }
  EXPECT_EQ(features.size(), 8u);
}

/// X20: equal cubes stacked flush and lowered a little: no vertex of one lies inside the other, yet
/// they penetrate.
TEST(ContactPoints, FlushStackedCubesPenetrate) {
  const auto cube = box(3, Vec3(1, 1, 1));
  for (double depth : {1e-9, 1e-6, 1e-3, 0.1}) {
    const auto c = contacts(*cube, at(0, 0, 1.0 - depth), *cube, kOrigin, 0.0);
    ASSERT_EQ(c.size(), 4u) << depth;
    for (const auto& p : c) {
      EXPECT_NEAR(p.gap, -depth, 1e-15);
      EXPECT_EQ(p.normal, Vec3(0, 0, 1));
    }
  }
  const auto square = box(2, Vec3(1, 1, 0));
  EXPECT_EQ(contacts(*square, at(0, 0.999), *square, kOrigin, 0.0).size(), 2u);
}

/// Resting stacks tilt by roundoff or by tolerances of a solver; the face contact must survive it,
/// also where the upper box overhangs.
TEST(ContactPoints, NearlyParallelFacesKeepTheirPoints) {
  Random random(32);
  const auto cube = box(3, Vec3(1, 1, 1));
  for (double tilt : {1e-12, 1e-9, 1e-6, 1e-4}) {
    for (double gap : {1e-3, -1e-3}) {
      for (int trial = 0; trial < 20; ++trial) {
        const Pose a = turned(Vec3(0.3, 0.4, 1.0 + gap), tilt, random.direction(3));
        const auto c = contacts(*cube, a, *cube, kOrigin, 0.01);
        EXPECT_GE(c.size(), 4u) << tilt << " " << gap;
        for (const auto& p : c) EXPECT_NEAR(p.gap, gap, 2.0 * tilt + 1e-14);
      }
    }
  }
}

TEST(ContactPoints, CrossingEdgesMeetInOnePoint) {
  const auto cube = box(3, Vec3(1, 1, 1));
  const double quarter = std::acos(-1.0) / 4.0, half = std::sqrt(0.5);
  const Mat3 up = Eigen::AngleAxisd(quarter, Vec3::UnitX()).toRotationMatrix();  // edge ∥ x on top
  const Mat3 across = Eigen::AngleAxisd(quarter, Vec3::UnitY()).toRotationMatrix();
  for (double gap : {0.05, 0.0, -0.05}) {
    const auto c =
        contacts(*cube, {Vec3(0.1, 0.2, 2.0 * half + gap), across}, *cube, {Vec3::Zero(), up}, 0.1);
    ASSERT_EQ(c.size(), 1u) << gap;
    EXPECT_NEAR(c[0].gap, gap, 1e-14);
    EXPECT_LE((c[0].normal - Vec3::UnitZ()).norm(), 1e-14);
    EXPECT_LE((c[0].on_b - Vec3(0.1, 0.0, half)).norm(), 1e-14);
  }
}

TEST(ContactPoints, SeparatedCornersMeasureTheTrueDistance) {
  const auto cube = box(3, Vec3(1, 1, 1));
  const auto corner = contacts(*cube, at(1.3, 1.4, 1.5), *cube, kOrigin, 9);
  ASSERT_EQ(corner.size(), 1u);
  EXPECT_NEAR(corner[0].gap, std::sqrt(0.09 + 0.16 + 0.25), 1e-14);
  // Parallel edges: the segment they share, with the distance at both of its ends.
  const auto edges = contacts(*cube, at(1.3, 1.4, 0.25), *cube, kOrigin, 9);
  ASSERT_EQ(edges.size(), 2u);
  for (const auto& p : edges) EXPECT_NEAR(p.gap, 0.5, 1e-14);
  EXPECT_NEAR(std::abs(edges[0].on_a.z() - edges[1].on_a.z()), 0.75, 1e-14);
  const auto square = box(2, Vec3(1, 1, 0));
  const auto planar = contacts(*square, at(1.3, 1.4), *square, kOrigin, 9);
  ASSERT_EQ(planar.size(), 1u);
  EXPECT_NEAR(planar[0].gap, 0.5, 1e-14);
}

TEST(ContactPoints, FeaturesStayWhileTheSameFeaturesMeet) {
  const auto small = box(3, Vec3(1, 1, 1)), large = box(3, Vec3(4, 4, 1));
  std::set<int> before;
  for (int step = 0; step < 20; ++step) {
    const Pose a = turned(Vec3(0.05 * step, 0.0, 1.0 - 1e-4 * step), 0.01 * step, Vec3::UnitZ());
    std::set<int> features;
    for (const auto& c : contacts(*small, a, *large, kOrigin, 0.1)) features.insert(c.feature);
    if (step > 0) {
      EXPECT_EQ(features, before) << step;
    }
    before = features;
  }
}

TEST(ContactPoints, RejectsWhatItCannotAnswer) {
  const Ball disc(2, 1.0), sphere(3, 1.0);
  const double nan = std::nan("");
  std::vector<ContactPoint> out;
  EXPECT_THROW(contact_points(disc, kOrigin, sphere, kOrigin, 0.1, out), std::logic_error);
  EXPECT_THROW(contact_points(ground(2), kOrigin, ground(2), kOrigin, 0.1, out), std::logic_error);
  EXPECT_THROW(contact_points(disc, kOrigin, disc, kOrigin, nan, out), std::invalid_argument);
  EXPECT_THROW(contact_points(disc, kOrigin, disc, kOrigin, -0.1, out), std::invalid_argument);
  EXPECT_THROW(contact_points(disc, at(nan, 0), disc, kOrigin, 0.1, out), std::invalid_argument);
  EXPECT_THROW(contact_points(disc, kOrigin, disc, at(0, 0, 1), 0.1, out), std::invalid_argument);
  Pose turn;
  turn.R(0, 0) = nan;
  EXPECT_THROW(contact_points(disc, kOrigin, disc, turn, 0.1, out), std::invalid_argument);
  EXPECT_THROW(closest_points(disc, kOrigin, *box(3, Vec3(1, 1, 1)), kOrigin), std::logic_error);
  EXPECT_TRUE(out.empty());
}

TEST(ContactPoints, HalfSpaceInEitherOrder) {
  Random random(33);
  for (int dim : {2, 3}) {
    for (int trial = 0; trial < 100; ++trial) {
      const HalfSpace H(dim, random.direction(dim), random.uniform(-1.0, 1.0));
      const auto set = random.bounded(trial, dim);
      const Pose a = random.pose(dim, 1.0), h = random.pose(dim, 1.0);
      const auto c = contacts(*set, a, H, h, 0.3), d = contacts(H, h, *set, a, 0.3);
      ASSERT_EQ(c.size(), d.size());
      const Vec3 n = h.R * H.normal();
      const Vec3 lowest = a.to_world(set->support(-(a.R.transpose() * n)));
      const double gap = n.dot(lowest - h.x) - H.offset();
      EXPECT_EQ(c.empty(), gap > 0.3);
      double least = 1e9;
      for (std::size_t i = 0; i < c.size(); ++i) {
        EXPECT_EQ(c[i].normal, -d[i].normal);
        EXPECT_EQ(c[i].on_a, d[i].on_b);
        EXPECT_EQ(c[i].gap, d[i].gap);
        EXPECT_LE(std::abs(H.value(0, h.to_body(c[i].on_b))), 1e-14);
        EXPECT_LE((c[i].normal - n).norm(), 1e-15);
        EXPECT_LE(set->largest_value(a.to_body(c[i].on_a)), 1e-13);
        least = std::min(least, c[i].gap);
      }
      if (!c.empty()) {
        EXPECT_NEAR(least, gap, 1e-14);
      }
    }
  }
}

}  // namespace
}  // namespace touchstone

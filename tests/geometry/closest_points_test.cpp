#include "geometry/closest_points.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "geometry/gap_derivatives.hpp"
#include "geometry/kkt_points.hpp"
#include "tests/geometry/support.hpp"

namespace touchstone {
namespace {

using test::contacts;
using test::Random;

Pose at(double x, double y, double z) { return {{x, y, z}, Mat3::Identity()}; }

/// Moves A so that s(n) is the gap: for a gap ≥ 0 the signed distance, else a bound from below.
void place(const ConvexSet& A, Pose& a, const ConvexSet& B, const Pose& b, const Vec3& n,
           double gap) {
  a.x += (gap - test::support_gap(A, a, B, b, n)) * n;
  const Vec3 on_a = a.to_world(A.support(-(a.R.transpose() * n)));
  const Vec3 on_b = b.to_world(B.support(b.R.transpose() * n));
  a.x += on_b + gap * n - on_a;
}

void expect_closest(const ConvexSet& A, const Pose& a, const ConvexSet& B, const Pose& b,
                    const ClosestPoints& c, double least) {
  EXPECT_EQ(c.status, ClosestStatus::solved);
  EXPECT_LE(c.residual, 1e-11);
  EXPECT_NEAR(c.normal.norm(), 1.0, 1e-14);
  EXPECT_GE(c.gap, least - 1e-9);
  // s(n) is the gap at the normal, and no s(n) exceeds the signed distance.
  EXPECT_NEAR(c.gap, test::support_gap(A, a, B, b, c.normal), 1e-10);
  EXPECT_LE(A.largest_value(a.to_body(c.on_a)), 1e-9);
  EXPECT_LE(B.largest_value(b.to_body(c.on_b)), 1e-9);
}

class CurvedPair : public testing::TestWithParam<std::tuple<int, int, int>> {};

/// Separated, touching, slightly penetrating and random pairs against a chosen answer or brute
/// force; then again from a start that is 0.02 off.
TEST_P(CurvedPair, ClosestPointsAreFound) {
  const auto [dim, kind_a, kind_b] = GetParam();
  Random random(7000u + static_cast<unsigned>(100 * dim + 10 * kind_a + kind_b));
  const int trials = kind_a == 1 || kind_b > 4 ? 12 : 40;
  for (int trial = 0; trial < trials; ++trial) {
    SCOPED_TRACE(trial);
    const auto A = random.curved(kind_a, dim);
    const auto B = kind_b < 4 ? random.bounded(kind_b, dim) : random.curved(kind_b - 4, dim);
    Pose a = random.pose(dim, 1.0);
    const Pose b = random.pose(dim, 1.0);
    double expected = 0.0;
    if (trial % 4 < 3) {
      expected = trial % 4 == 0 ? random.uniform(0.01, 1.0) : trial % 4 == 1 ? 0.0 : -0.01;
      place(*A, a, *B, b, random.direction(dim), expected);
    } else {
      expected = test::brute_force_gap(*A, a, *B, b);
    }
    const ClosestPoints c = closest_points(*A, a, *B, b);
    // Brute force ends within 1e-8 of the normal of a flat face, where the support values of an
    // intersection, on which it rests, are short by up to 2e-9 (ImplicitSet).
    const bool rests_on_it = trial % 4 == 3 && (kind_a == 1 || kind_b == 5);
    expect_closest(*A, a, *B, b, c, expected - (rests_on_it ? 1e-9 : 0.0));
    // Brute force may stall on a kink of s; chosen gaps are exact.
    if (expected >= 0.0 && trial % 4 < 3) {
      EXPECT_NEAR(c.gap, expected, 1e-9);
    }
    const Vec3 start = (c.normal + 0.02 * random.direction(dim)).normalized();
    const ClosestPoints again = closest_points(*A, a, *B, b, start);
    EXPECT_EQ(again.status, ClosestStatus::solved);
    if (expected >= 0.0) {
      EXPECT_NEAR(again.gap, c.gap, 1e-9);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(AllKinds, CurvedPair,
                         testing::Combine(testing::Values(2, 3), testing::Values(0, 1, 2),
                                          testing::Values(0, 1, 2, 3, 4, 5, 6)));

/// The largest of all equations (9): both points on their surfaces [m], opposite unit normals, and
/// a − b along them [m]; from values and gradients alone.
double equation_9(const ConvexSet& A, const Pose& a, const ConvexSet& B, const Pose& b,
                  const ClosestPoints& c) {
  const Vec3 x = a.to_body(c.on_a), y = b.to_body(c.on_b);
  const Vec3 f = a.R * A.gradient(0, x), g = b.R * B.gradient(0, y);
  const Vec3 n = g.normalized();
  return std::max({std::abs(A.value(0, x)) / f.norm(), std::abs(B.value(0, y)) / g.norm(),
                   (f.normalized() + n).norm(), (c.on_a - c.on_b - c.gap * n).norm()});
}

TEST(EllipsoidPairs, TenThousandSolveTheWholeOfEquation9) {
  Random random(75);
  for (int trial = 0; trial < 10000; ++trial) {
    const Ellipsoid A(3, random.axes()), B(3, random.axes());
    const Pose a = random.pose(3, 2.0), b = random.pose(3, 2.0);
    const ClosestPoints c = closest_points(A, a, B, b);
    ASSERT_LT(equation_9(A, a, B, b, c), 1e-12) << trial;
    const Vec3 start = (c.normal + 0.01 * random.direction(3)).normalized();
    const ClosestPoints warm = closest_points(A, a, B, b, start);
    ASSERT_LT(equation_9(A, a, B, b, warm), 1e-12) << trial;
    if (c.gap > 0.0) {
      ASSERT_NEAR(warm.gap, c.gap, 1e-13) << trial;
    }
  }
}

/// Any kind against any, at a chosen gap: exact where it is ≥ 0, a bound where it is not.
TEST(AllKinds, TenThousandPairsAtChosenGaps) {
  Random random(76);
  auto any = [&](int kind, int dim) {
    return kind < 4 ? random.bounded(kind, dim) : random.curved(kind - 4, dim);
  };
  for (int trial = 0; trial < 10000; ++trial) {
    const int dim = 2 + trial % 2, kinds = trial / 2 % 49;
    const auto A = any(kinds / 7, dim), B = any(kinds % 7, dim);
    Pose a = random.pose(dim, 1.0);
    const Pose b = random.pose(dim, 1.0);
    const double gap = trial % 5 == 0 ? 0.0 : random.uniform(-0.02, 1.0);
    place(*A, a, *B, b, random.direction(dim), gap);
    const ClosestPoints c = closest_points(*A, a, *B, b);
    ASSERT_EQ(c.status, ClosestStatus::solved) << trial;
    ASSERT_GE(c.gap, gap - 1e-10) << trial << " " << A->kind() << " " << B->kind();
    if (gap >= 0.0) {
      ASSERT_LE(c.gap, gap + 1e-10) << trial << " " << A->kind() << " " << B->kind();
    }
    ASSERT_LE(A->largest_value(a.to_body(c.on_a)), 1e-9) << trial;
    ASSERT_LE(B->largest_value(b.to_body(c.on_b)), 1e-9) << trial;
  }
}

/// The general method on pairs that have a method of their own.
TEST(GeneralMethod, AgreesWithTheSpecialOnes) {
  Random random(71);
  for (int dim : {2, 3}) {
    for (int trial = 0; trial < 200; ++trial) {
      const auto A = random.ellipsoid(dim);
      const auto B = random.bounded(trial % 4, dim);
      Pose a = random.pose(dim, 1.0);
      const Pose b = random.pose(dim, 1.0);
      place(*A, a, *B, b, random.direction(dim), random.uniform(-0.01, 0.5));
      const ClosestPoints special = closest_points(*A, a, *B, b);
      const ClosestPoints general = general_closest_points(*A, a, *B, b, Vec3::Zero());
      EXPECT_EQ(general.status, ClosestStatus::solved);
      EXPECT_NEAR(general.gap, special.gap, 1e-10);
      if (special.gap > 1e-6) {
        EXPECT_LE((general.on_a - special.on_a).norm(), 1e-6);
      }
    }
  }
}

TEST(GeneralMethod, ClosedForms) {
  const Cylinder can(0.5, 2.0);
  const Ball ball(3, 0.25);
  // Beside the lateral surface, above a cap, and off the rim along the diagonal.
  EXPECT_NEAR(closest_points(ball, at(1.0, 0, 0.3), can, {}).gap, 0.25, 1e-14);
  EXPECT_NEAR(closest_points(ball, at(0.1, 0.2, 1.5), can, {}).gap, 0.25, 1e-14);
  const ClosestPoints rim = closest_points(ball, at(0.8, 0.0, 1.4), can, {});
  EXPECT_NEAR(rim.gap, 0.25, 1e-14);
  EXPECT_EQ(rim.active_b.count, 2);
  EXPECT_LE((rim.on_b - Vec3(0.5, 0.0, 1.0)).norm(), 1e-14);
  // Crossed cylinders: the distance of the axes minus the radii.
  const Pose lying{{0.0, 0.0, 1.7},
                   Eigen::AngleAxisd(std::numbers::pi / 2, Vec3::UnitX()).toRotationMatrix()};
  const Pose across{{0.2, 0.3, 0.0},
                    Eigen::AngleAxisd(std::numbers::pi / 2, Vec3::UnitY()).toRotationMatrix()};
  EXPECT_NEAR(closest_points(can, lying, can, across).gap, 0.7, 1e-13);
  // The face centre of a superquadric, where its curvature vanishes.
  const Superquadric die(3, Vec3::Ones(), 4.0);
  EXPECT_NEAR(closest_points(ball, at(0, 0, 1.5), die, {}).gap, 0.25, 1e-13);
  EXPECT_NEAR(closest_points(die, at(0, 0, 2.5), die, {}).gap, 0.5, 1e-13);
  const HalfSpace floor(3, Vec3::UnitZ(), 0.0);
  EXPECT_NEAR(closest_points(die, at(0, 0, 1.5), floor, {}).gap, 0.5, 1e-15);
  EXPECT_NEAR(closest_points(floor, {}, die, at(0, 0, 1.5)).normal.z(), -1.0, 1e-15);
}

/// Deep overlaps have the smallest depth, and points on both sets.
TEST(DeepOverlaps, NoLocalDepthIsTakenForTheSmallest) {
  Random random(72);
  for (int trial = 0; trial < 400; ++trial) {
    const auto A = random.ellipsoid(3);
    const auto B = trial % 2 ? std::shared_ptr<ConvexSet>(random.ellipsoid(3))
                             : std::shared_ptr<ConvexSet>(random.polytope(3, 12));
    const Pose a = random.pose(3, 0.4), b = random.pose(3, 0.4);
    const ClosestPoints c = closest_points(*A, a, *B, b);
    if (trial < 60) {
      EXPECT_GE(c.gap, test::brute_force_gap(*A, a, *B, b) - 1e-9) << trial;
    }
    EXPECT_LE(A->largest_value(a.to_body(c.on_a)), 1e-10) << trial;
    EXPECT_LE(B->largest_value(b.to_body(c.on_b)), 1e-10) << trial;
  }
}

TEST(DeepOverlaps, ConcentricSetsHaveADocumentedAnswer) {
  const Superquadric die(3, Vec3(1.0, 0.8, 0.6), 4.0);
  const ClosestPoints c = closest_points(die, {}, die, {});
  EXPECT_NEAR(c.gap, -1.2, 1e-6);  // along the shortest axis
  EXPECT_NEAR(std::abs(c.normal.z()), 1.0, 1e-3);
  const Cylinder can(0.5, 4.0);
  EXPECT_NEAR(closest_points(can, {}, can, {}).gap, -1.0, 1e-4);
}

TEST(Contacts, ACylinderStandsLiesAndTips) {
  const Cylinder can(0.5, 2.0);
  const HalfSpace floor(3, Vec3::UnitZ(), 0.0);
  const auto standing = contacts(can, at(0, 0, 1.0), floor, {}, 0.01);
  ASSERT_EQ(standing.size(), 8u);
  Vec3 mean = Vec3::Zero();
  for (const auto& c : standing) mean += c.on_a / 8.0;
  EXPECT_LE(mean.norm(), 1e-15);  // the centre of the support is below the centre of mass
  const Mat3 side = Eigen::AngleAxisd(std::numbers::pi / 2, Vec3::UnitX()).toRotationMatrix();
  const auto lying = contacts(can, {{0, 0, 0.5}, side}, floor, {}, 0.01);
  ASSERT_EQ(lying.size(), 2u);
  EXPECT_NEAR((lying[0].on_a - lying[1].on_a).norm(), 2.0, 1e-15);
  const Mat3 tilted = Eigen::AngleAxisd(0.6, Vec3::UnitX()).toRotationMatrix();
  EXPECT_EQ(contacts(can, {{0, 0, 1.0}, tilted}, floor, {}, 1.0).size(), 1u);
}

TEST(Contacts, ACylinderRestsOnABoxAndOnACylinder) {
  const Cylinder can(0.5, 2.0);
  const auto slab = box(3, Vec3(4.0, 4.0, 1.0));
  for (double gap : {0.001, -0.001}) {
    const auto on_slab = contacts(can, at(0.1, 0.2, 1.5 + gap), *slab, {}, 0.01);
    EXPECT_GE(on_slab.size(), 8u);
    for (const auto& c : on_slab) {
      EXPECT_NEAR(c.gap, gap, 1e-12);
      EXPECT_NEAR(c.normal.z(), 1.0, 1e-12);
    }
    const auto on_can = contacts(can, at(0.3, 0.0, 2.0 + gap), can, {}, 0.01);
    EXPECT_GE(on_can.size(), 4u);
    for (const auto& c : on_can) EXPECT_NEAR(c.gap, gap, 1e-12);
  }
}

TEST(Contacts, SwappingMirrors) {
  Random random(73);
  for (int trial = 0; trial < 60; ++trial) {
    const auto A = random.curved(trial % 2 * 2, 3);
    const auto B = random.bounded(trial % 4, 3);
    Pose a = random.pose(3, 1.0);
    const Pose b = random.pose(3, 1.0);
    place(*A, a, *B, b, random.direction(3), 0.01);
    const auto forth = contacts(*A, a, *B, b, 0.02), back = contacts(*B, b, *A, a, 0.02);
    ASSERT_FALSE(forth.empty());
    ASSERT_FALSE(back.empty());
    EXPECT_NEAR(forth[0].gap, back[0].gap, 1e-10);
    EXPECT_LE((forth[0].normal + back[0].normal).norm(), 1e-6);
  }
}

/// Second derivatives of the gap of superquadrics away from their flat curves, by differences of
/// the general method; at a flat point they are refused.
TEST(GapDerivatives, OfSuperquadrics) {
  Random random(74);
  using Twist = GapDerivatives::Twist;
  for (int trial = 0; trial < 20; ++trial) {
    const Superquadric A(3, random.axes(), random.uniform(2.0, 4.0)), B(3, random.axes(), 3.0);
    Pose a = random.pose(3, 1.0);
    const Pose b = random.pose(3, 1.0);
    place(A, a, B, b, b.R * (a.R * Vec3(1.0, 0.9, 1.1)).normalized(), 0.1);
    const ClosestPoints c = closest_points(A, a, B, b);
    const Vec3 x = a.to_body(c.on_a).cwiseAbs(), y = b.to_body(c.on_b).cwiseAbs();
    if (std::min(x.minCoeff(), y.minCoeff()) < 0.1)
      continue;  // nearly flat: huge third derivatives
    const GapDerivatives D = gap_derivatives(A, a, B, b, c.on_a, c.on_b, c.normal);
    Twist d;
    for (int i = 0; i < 12; ++i) d[i] = random.normal();
    d.normalize();
    auto gap = [&](double t) {
      auto moved = [&](const Pose& p, const Vec3& dx, const Vec3& w) {
        return Pose{p.x + t * dx,
                    Eigen::AngleAxisd(t * w.norm(), w.normalized()).toRotationMatrix() * p.R};
      };
      return closest_points(A, moved(a, d.head<3>(), d.segment<3>(3)), B,
                            moved(b, d.segment<3>(6), d.tail<3>()), c.normal)
          .gap;
    };
    const double h = 1e-3;
    const double bend =
        (16.0 * (gap(h) + gap(-h)) - gap(2 * h) - gap(-2 * h) - 30.0 * gap(0)) / (12.0 * h * h);
    EXPECT_NEAR(D.velocity_terms(d), bend, 1e-4 * (1.0 + D.hessian.norm())) << trial;
  }
  const Superquadric die(3, Vec3::Ones(), 4.0);
  const HalfSpace floor(3, Vec3::UnitZ(), 0.0);
  const Vec3 o = Vec3::Zero();
  EXPECT_THROW(gap_derivatives(die, at(0, 0, 1), floor, {}, o, o, Vec3::UnitZ()), SingularGap);
  const Cylinder can(0.5, 2.0);
  const Pose lying{{0, 0, 0.5},
                   Eigen::AngleAxisd(std::numbers::pi / 2, Vec3::UnitX()).toRotationMatrix()};
  EXPECT_THROW(gap_derivatives(can, lying, floor, {}, o, o, Vec3::UnitZ()), SingularGap);
}

}  // namespace
}  // namespace touchstone

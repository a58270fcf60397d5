#include "geometry/gap_derivatives.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "geometry/closest_points.hpp"
#include "tests/geometry/support.hpp"

namespace touchstone {
namespace {

using test::Random;
using Twist = GapDerivatives::Twist;

Pose moved(const Pose& pose, const Vec3& dx, const Vec3& dtheta) {
  const double angle = dtheta.norm();
  if (angle == 0.0) return {pose.x + dx, pose.R};
  return {pose.x + dx, Eigen::AngleAxisd(angle, dtheta / angle).toRotationMatrix() * pose.R};
}

/// A pair and its closest points; the second set may be a half-space.
struct Pair {
  std::shared_ptr<ConvexSet> A, B;
  Pose a, b;

  ContactPoint closest(const Twist& d = Twist::Zero()) const {
    const Pose at = moved(a, d.head<3>(), d.segment<3>(3));
    const Pose bt = moved(b, d.segment<3>(6), d.tail<3>());
    return test::contacts(*A, at, *B, bt, 100.0).at(0);
  }
  GapDerivatives derivatives() const {
    const ContactPoint c = closest();
    return gap_derivatives(*A, a, *B, b, c.on_a, c.on_b, c.normal);
  }
};

/// Bodies placed so that the gap is the chosen one.
Pair random_pair(Random& random, int dim, int kind, double gap) {
  Pair p{random.ellipsoid(dim), nullptr, random.pose(dim, 1.0), random.pose(dim, 1.0)};
  const Vec3 n = random.direction(dim);
  if (kind == 0) p.B = random.ellipsoid(dim);
  if (kind == 1) p.B = random.ball(dim);
  const Vec3 on_a = p.a.to_world(p.A->support(-(p.a.R.transpose() * n)));
  if (kind == 2) {
    const Vec3 outward = p.b.R.transpose() * n;
    p.B = std::make_shared<HalfSpace>(dim, outward, 0.3);
    p.a.x += p.b.x + 0.3 * n - on_a + gap * n;
  } else {
    p.a.x += p.b.to_world(p.B->support(p.b.R.transpose() * n)) - on_a + gap * n;
  }
  return p;
}

Twist planar(int dim, Twist d) {
  if (dim == 2)
    for (int i : {2, 3, 4, 8, 9, 10}) d[i] = 0.0;
  return d;
}

Twist random_twist(Random& random, int dim) {
  Twist d;
  for (int i = 0; i < 12; ++i) d[i] = random.normal();
  return planar(dim, d);
}

TEST(GapDerivatives, FirstAndSecondAgreeWithDifferencesAtRandomPoses) {
  Random random(81);
  for (int dim : {2, 3}) {
    for (int kind : {0, 1, 2}) {
      for (int trial = 0; trial < 60; ++trial) {
        const double gap = trial % 3 == 0 ? 0.0 : trial % 3 == 1 ? 0.4 : -0.004;
        const Pair p = random_pair(random, dim, kind, gap);
        const GapDerivatives D = p.derivatives();
        EXPECT_NEAR(D.gap, gap, 1e-12);
        const double size = std::max(1.0, D.hessian.norm());
        for (int k = 0; k < 3; ++k) {
          const Twist d = random_twist(random, dim).normalized();
          const double h = 1e-4 / std::sqrt(size);
          auto at = [&](double t) { return p.closest(t * d).gap; };
          const double slope = (8.0 * (at(h) - at(-h)) - at(2 * h) + at(-2 * h)) / (12.0 * h);
          const double bend =
              (16.0 * (at(h) + at(-h)) - at(2 * h) - at(-2 * h) - 30.0 * at(0)) / (12.0 * h * h);
          EXPECT_NEAR(D.velocity(d), slope, 1e-9);
          EXPECT_NEAR(D.velocity_terms(d), bend, 3e-6 * size) << dim << kind << trial;
          const ContactPoint plus = p.closest(h * d), minus = p.closest(-h * d);
          const double curved = 1e-4 * size;  // h² times the third derivative
          EXPECT_LE((D.D_normal * d - (plus.normal - minus.normal) / (2 * h)).norm(), curved);
          EXPECT_LE((D.D_on_a * d - (plus.on_a - minus.on_a) / (2 * h)).norm(), curved);
          EXPECT_LE((D.D_on_b * d - (plus.on_b - minus.on_b) / (2 * h)).norm(), curved);
        }
      }
    }
  }
}

/// Spheres: ψ = |x_a − x_b| − r_a − r_b, whose Hessian is (I − nnᵀ)/|x_a − x_b| in the positions
/// and zero in the rotations.
TEST(GapDerivatives, SpheresHaveTheirClosedForm) {
  const Ball A(3, 0.7), B(3, 0.4);
  const Pose a{{0.9, 0.4, 1.1}, Random(5).rotation(3)}, b{{0.1, -0.2, 0.3}, Mat3::Identity()};
  const ClosestPoints c = closest_points(A, a, B, b);
  const GapDerivatives D = gap_derivatives(A, a, B, b, c.on_a, c.on_b, c.normal);
  const Vec3 d = a.x - b.x, n = d.normalized();
  const Mat3 P = (Mat3::Identity() - n * n.transpose()) / d.norm();
  GapDerivatives::Matrix expected = GapDerivatives::Matrix::Zero();
  expected.block<3, 3>(0, 0) = expected.block<3, 3>(6, 6) = P;
  expected.block<3, 3>(0, 6) = expected.block<3, 3>(6, 0) = -P;
  EXPECT_LE((D.hessian - expected).cwiseAbs().maxCoeff(), 1e-14);
  EXPECT_NEAR(D.gap, d.norm() - 1.1, 1e-15);
  EXPECT_LE(D.gradient.segment<3>(3).norm() + D.gradient.tail<3>().norm(), 1e-15);
}

/// Baraff's second derivative of the gap at a touching pair, in its explicit form:
///   ψ̈ = n·(P_a − P_b) − 2 (n × ω_a)·s + σᵀFσ − hᵀ(F − G)⁻¹h,   h = Tᵀ(n × (ω_a − ω_b)) − Fσ
/// with F, G the Hessians of the heights of A and B over the tangent plane and s the slip.
TEST(GapDerivatives, TouchingPairsHaveTheExplicitSecondDerivative) {
  Random random(82);
  for (int trial = 0; trial < 300; ++trial) {
    const Pair p = random_pair(random, 3, trial % 3, 0.0);
    const ContactPoint c = p.closest();
    const Vec3 n = c.normal, r_a = c.on_a - p.a.x, r_b = c.on_b - p.b.x;
    Twist nu = random_twist(random, 3), rate = random_twist(random, 3);
    const Vec3 w_a = nu.segment<3>(3), w_b = nu.tail<3>();
    Vec3 s = nu.head<3>() + w_a.cross(r_a) - nu.segment<3>(6) - w_b.cross(r_b);
    nu.head<3>() -= n.dot(s) * n;  // the contact neither opens nor closes
    s -= n.dot(s) * n;
    auto material = [](const Vec3& v_dot, const Vec3& w, const Vec3& w_dot, const Vec3& r) {
      return Vec3(v_dot + w_dot.cross(r) + w.cross(w.cross(r)));
    };
    const Vec3 P_a = material(rate.head<3>(), w_a, rate.segment<3>(3), r_a);
    const Vec3 P_b = material(rate.segment<3>(6), w_b, rate.tail<3>(), r_b);
    Eigen::Matrix<double, 3, 2> T;
    T.col(0) = n.unitOrthogonal();
    T.col(1) = n.cross(T.col(0));
    auto height = [&](const ConvexSet& set, const Pose& pose, const Vec3& at) {
      const Vec3 x = pose.to_body(at);
      const Mat3 H = pose.R * set.hessian(0, x) * pose.R.transpose();
      return Eigen::Matrix2d(-T.transpose() * H * T / n.dot(pose.R * set.gradient(0, x)));
    };
    const Eigen::Matrix2d F = height(*p.A, p.a, c.on_a), G = height(*p.B, p.b, c.on_b);
    const Eigen::Vector2d sigma = T.transpose() * s;
    const Eigen::Vector2d h = T.transpose() * n.cross(w_a - w_b) - F * sigma;
    const double expected = n.dot(P_a - P_b) - 2.0 * n.cross(w_a).dot(s) + sigma.dot(F * sigma) -
                            h.dot((F - G).inverse() * h);
    const double found = p.derivatives().acceleration(nu, rate);
    EXPECT_NEAR(found, expected, 1e-11 * (1.0 + std::abs(expected) + F.norm() * s.squaredNorm()));
  }
}

/// A rolling sphere: −R|ω_t|² and +R|ω_t|² cancel, ψ̈ = n·v̇ whatever it does.
TEST(GapDerivatives, SphereOnAFixedPlane) {
  const Ball A(3, 0.5);
  const HalfSpace floor(3, Vec3::UnitZ(), 0.0);
  const Pose a{{1.0, 2.0, 0.5}, Mat3::Identity()};
  const auto D = gap_derivatives(A, a, floor, {}, {1.0, 2.0, 0.0}, {1.0, 2.0, 0.0}, Vec3::UnitZ());
  Twist nu = Twist::Zero(), rate = Twist::Zero();
  nu.head<6>() << 3.0, -2.0, 0.0, 1.0, 5.0, -4.0;
  rate.head<6>() << 1.0, 1.0, -9.81, 2.0, 3.0, 4.0;
  EXPECT_NEAR(D.acceleration(nu, rate), -9.81, 1e-13);
}

TEST(GapDerivatives, SingularAndWrongPlacesAreRefused) {
  const HalfSpace floor(3, Vec3::UnitZ(), 0.0), roof(3, -Vec3::UnitZ(), 0.0);
  const Ball ball(3, 1.0), small(3, 0.25);
  const Vec3 o = Vec3::Zero(), z = Vec3::UnitZ();
  const Pose up{{0.0, 0.0, 1.0}, Mat3::Identity()};
  EXPECT_THROW(gap_derivatives(roof, {}, floor, {}, o, o, z), SingularGap);
  const auto cube = box(3, Vec3::Ones());  // its lower face, then a corner of it
  const Pose lifted{{0.0, 0.0, 0.5}, Mat3::Identity()};
  EXPECT_THROW(gap_derivatives(*cube, lifted, floor, {}, o, o, z), SingularGap);
  EXPECT_THROW(gap_derivatives(*cube, lifted, floor, {}, {0.5, 0.5, 0}, {0.5, 0.5, 0}, z),
               SingularGap);
  // Concentric: the penetration is the sum of the radii.
  EXPECT_THROW(gap_derivatives(ball, {}, small, {}, -z, 0.25 * z, z), SingularGap);
  EXPECT_THROW(gap_derivatives(ball, up, floor, {}, {0.1, 0, 0}, o, z), std::invalid_argument);
  EXPECT_THROW(gap_derivatives(ball, up, floor, {}, o, o, -z), std::invalid_argument);
  EXPECT_THROW(gap_derivatives(ball, up, HalfSpace(2, Vec3::UnitY(), 0.0), {}, o, o, z),
               std::logic_error);
}

}  // namespace
}  // namespace touchstone

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "tests/geometry/support.hpp"

namespace touchstone {
namespace {

using test::Random;

TEST(Polytope, BoxHasSixOrderedFacetsAndTwelveEdges) {
  const auto cube = box(3, Vec3(1.0, 2.0, 3.0));
  EXPECT_EQ(cube->vertices().size(), 8u);
  EXPECT_EQ(cube->edges().size(), 12u);
  ASSERT_EQ(cube->count(), 6);
  for (const auto& f : cube->facets()) {
    EXPECT_EQ(f.vertices.size(), 4u);
    EXPECT_EQ(f.normal.cwiseAbs().maxCoeff(), 1.0);  // exact, not nearly, an axis
    EXPECT_EQ(f.normal.cwiseAbs().sum(), 1.0);
    EXPECT_EQ(f.offset, f.normal.cwiseAbs().dot(Vec3(0.5, 1.0, 1.5)));
  }
}

/// Counter-clockwise loops seen from outside; each edge in two facets, once in each direction;
/// Euler.
TEST(Polytope, LoopsAndEdgesAreConsistentOnRandomHulls) {
  Random random(11);
  for (int trial = 0; trial < 100; ++trial) {
    const auto P = random.polytope(3, 4 + trial % 40);
    EXPECT_EQ(P->vertices().size() + P->facets().size(), P->edges().size() + 2);
    for (const auto& f : P->facets()) {
      for (std::size_t i = 0; i < f.vertices.size(); ++i) {
        const Vec3& a = P->vertices()[f.vertices[i]];
        const Vec3& b = P->vertices()[f.vertices[(i + 1) % f.vertices.size()]];
        const Vec3& c = P->vertices()[f.vertices[(i + 2) % f.vertices.size()]];
        EXPECT_GT((b - a).cross(c - b).dot(f.normal), 0.0);
        EXPECT_NEAR(f.normal.dot(a), f.offset, 1e-14);
      }
      for (const Vec3& v : P->vertices()) EXPECT_LE(f.normal.dot(v), f.offset + 1e-14);
    }
    for (std::size_t e = 0; e < P->edges().size(); ++e) {
      for (int side : {0, 1}) {
        const auto& loop = P->facets()[P->edge_facets()[e][side]].vertices;
        const auto at = std::find(loop.begin(), loop.end(), P->edges()[e][side]);
        ASSERT_NE(at, loop.end());
        const auto next = at + 1 == loop.end() ? loop.begin() : at + 1;
        EXPECT_EQ(*next, P->edges()[e][1 - side]);
      }
    }
  }
}

TEST(Polytope, InteriorRepeatedAndCoplanarPointsAreDropped) {
  std::vector<Vec3> points;
  for (int x : {0, 1, 2})
    for (int y : {0, 1, 2})
      for (int z : {0, 1, 2}) points.emplace_back(x, y, z);
  points.push_back(points[0]);
  const Polytope P(3, points);
  EXPECT_EQ(P.vertices().size(), 8u);
  EXPECT_EQ(P.count(), 6);
  const Polytope Q(
      2, {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {2, 2, 0}, {1, 1, 0}, {0, 2, 0}, {0, 0, 0}, {0, 1, 0}});
  ASSERT_EQ(Q.vertices().size(), 4u);
  EXPECT_EQ(Q.vertices()[0], Vec3(0, 0, 0));
  EXPECT_EQ(Q.vertices()[1], Vec3(2, 0, 0));
}

TEST(Polytope, RotatedAndShiftedCubeStillHasMergedFacets) {
  Random random(12);
  for (int trial = 0; trial < 50; ++trial) {
    const Pose pose = random.pose(3, 100.0);
    const auto cube = box(3, Vec3(1, 1, 1));
    std::vector<Vec3> points;
    for (const Vec3& v : cube->vertices()) points.push_back(pose.to_world(v));
    const Polytope P(3, points);
    EXPECT_EQ(P.count(), 6);
    EXPECT_EQ(P.edges().size(), 12u);
  }
}

TEST(Polytope, RegularPolygonKeepsEveryVertexInOrder) {
  for (int n : {3, 4, 5, 100, 1000, 10000, 100000}) {
    const double R = 0.37;
    const auto P = regular_polygon(n, R);
    ASSERT_EQ(P->vertices().size(), static_cast<std::size_t>(n));
    ASSERT_EQ(P->count(), n);
    EXPECT_EQ(P->vertices()[0], Vec3(0.0, -R, 0.0));
    for (int i = 0; i < n; i += std::max(1, n / 17)) {
      const double t = -0.5 * std::numbers::pi + 2.0 * std::numbers::pi * i / n;
      EXPECT_LE((P->vertices()[i] - R * Vec3(std::cos(t), std::sin(t), 0.0)).norm(), 1e-15);
      EXPECT_EQ(P->facets()[i].vertices[0], i);
      EXPECT_EQ(P->support_vertex(P->vertices()[i]), i);
    }
  }
}

TEST(Polytope, PlanarVerticesAreCounterClockwise) {
  Random random(13);
  for (int trial = 0; trial < 100; ++trial) {
    const auto P = random.polytope(2, 3 + trial % 30);
    const auto v = P->vertices();
    for (std::size_t i = 0; i < v.size(); ++i)
      EXPECT_GT((v[(i + 1) % v.size()] - v[i]).cross(v[(i + 2) % v.size()] - v[i]).z(), 0.0);
    for (const auto& f : P->facets())
      for (const Vec3& x : v) EXPECT_LE(f.normal.dot(x), f.offset + 1e-15);
  }
}

TEST(Polytope, BoxMassProperties) {
  const Vec3 s(1.0, 2.0, 3.0);
  const auto m = box(3, s)->mass_properties(2.0);
  EXPECT_NEAR(m.mass, 12.0, 1e-14);
  EXPECT_LE(m.centroid.norm(), 1e-15);
  EXPECT_TRUE(
      m.inertia.isApprox(Mat3(Vec3(13.0, 10.0, 5.0).asDiagonal()), 1e-14));  // m(b² + c²)/12
  const auto q = box(2, Vec3(1.0, 2.0, 0.0))->mass_properties(2.0);
  EXPECT_NEAR(q.mass, 4.0, 1e-15);
  EXPECT_NEAR(q.inertia(2, 2), 4.0 * 5.0 / 12.0, 1e-15);
}

/// m R² (2 + cos(2π/n))/6; n = 4 gives the square's m s²/6, n → ∞ the disc's m R²/2.
TEST(Polytope, RegularPolygonMassProperties) {
  for (int n : {3, 4, 6, 11, 1000, 10000}) {
    const double R = 1.3, turn = 2.0 * std::numbers::pi / n;
    const auto m = regular_polygon(n, R)->mass_properties(1.7);
    EXPECT_NEAR(m.mass / (1.7 * 0.5 * n * R * R * std::sin(turn)), 1.0, 1e-13) << n;
    EXPECT_NEAR(m.inertia(2, 2) / (m.mass * R * R * (2.0 + std::cos(turn)) / 6.0), 1.0, 1e-13) << n;
    EXPECT_LE(m.centroid.norm(), 1e-14);
  }
}

/// Right tetrahedron with legs a on the axes: V = a³/6, centroid a/4, I_xx = 3 m a²/40, I_xy = m
/// a²/80.
TEST(Polytope, TetrahedronMassProperties) {
  const double a = 2.0;
  const auto m = Polytope(3, {{0, 0, 0}, {a, 0, 0}, {0, a, 0}, {0, 0, a}}).mass_properties(3.0);
  EXPECT_NEAR(m.mass, 3.0 * a * a * a / 6.0, 1e-14);
  EXPECT_TRUE(m.centroid.isApprox(Vec3::Constant(a / 4.0), 1e-14));
  Mat3 I = Mat3::Constant(m.mass * a * a / 80.0);
  I.diagonal().setConstant(3.0 * m.mass * a * a / 40.0);
  EXPECT_TRUE(m.inertia.isApprox(I, 1e-14)) << m.inertia;
}

TEST(Polytope, MassPropertiesFollowRigidMotions) {
  Random random(14);
  for (int dim : {2, 3}) {
    for (int trial = 0; trial < 50; ++trial) {
      const auto P = random.polytope(dim, 12);
      const Pose pose = random.pose(dim, 5.0);
      std::vector<Vec3> moved;
      for (const Vec3& v : P->vertices()) moved.push_back(pose.to_world(v));
      const auto m = P->mass_properties(1.3);
      const auto w = Polytope(dim, moved).mass_properties(1.3);
      EXPECT_NEAR(w.mass, m.mass, 1e-13);
      EXPECT_LE((w.centroid - pose.to_world(m.centroid)).norm(), 1e-13);
      EXPECT_LE((w.inertia - pose.R * m.inertia * pose.R.transpose()).norm(), 1e-12);
    }
  }
}

/// Independent of the simplices: ∫ x dV and V by the divergence theorem over the facets of a prism.
TEST(Polytope, PrismMassPropertiesFromItsPolygon) {
  Random random(15);
  for (int trial = 0; trial < 30; ++trial) {
    const auto base = random.polytope(2, 9);
    const double height = random.uniform(0.3, 2.0);
    std::vector<Vec3> points;
    for (const Vec3& v : base->vertices()) {
      points.emplace_back(v.x(), v.y(), -height / 2.0);
      points.emplace_back(v.x(), v.y(), height / 2.0);
    }
    const Polytope prism(3, points);
    EXPECT_EQ(prism.count(), base->count() + 2);
    const auto m2 = base->mass_properties(1.0);
    const auto m3 = prism.mass_properties(1.0);
    EXPECT_NEAR(m3.mass, m2.mass * height, 1e-13);
    EXPECT_LE((m3.centroid - m2.centroid).norm(), 1e-13);
    EXPECT_NEAR(m3.inertia(2, 2), m2.inertia(2, 2) * height, 1e-13);
    EXPECT_NEAR(m3.inertia(0, 0), m2.inertia(0, 0) * height + m3.mass * height * height / 12.0,
                1e-13);
    EXPECT_NEAR(m3.inertia(0, 1), m2.inertia(0, 1) * height, 1e-13);
  }
}

TEST(Polytope, DegenerateInputIsRejected) {
  const std::vector<Vec3> line{{0, 0, 0}, {1, 1, 0}, {2, 2, 0}, {3, 3, 0}};
  const std::vector<Vec3> plane{{0, 0, 1}, {1, 0, 1}, {0, 1, 1}, {1, 1, 1}, {3, 2, 1}};
  const std::vector<Vec3> same(5, Vec3(1, 2, 0));
  EXPECT_THROW(Polytope(2, line), std::invalid_argument);
  EXPECT_THROW(Polytope(3, line), std::invalid_argument);
  EXPECT_THROW(Polytope(3, plane), std::invalid_argument);
  EXPECT_THROW(Polytope(2, plane), std::invalid_argument);  // z ≠ 0
  EXPECT_THROW(Polytope(2, same), std::invalid_argument);
  EXPECT_THROW(Polytope(3, same), std::invalid_argument);
  EXPECT_THROW(Polytope(3, {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}), std::invalid_argument);
  EXPECT_THROW(Polytope(2, {}), std::invalid_argument);
  EXPECT_THROW(Polytope(2, {{0, 0, 0}, {1, 0, 0}, {0, std::nan(""), 0}}), std::invalid_argument);
  EXPECT_THROW(Polytope(5, line), std::invalid_argument);
  // Coplanar only up to roundoff, in a rotated plane.
  Random random(16);
  const Mat3 R = random.rotation(3);
  std::vector<Vec3> tilted;
  for (const Vec3& p : plane) tilted.push_back(R * p);
  EXPECT_THROW(Polytope(3, tilted), std::invalid_argument);
}

}  // namespace
}  // namespace touchstone

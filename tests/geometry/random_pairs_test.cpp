#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "geometry/closest_points.hpp"
#include "tests/geometry/support.hpp"

namespace touchstone {
namespace {

using test::contacts;
using test::Random;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

double smallest_gap(const std::vector<ContactPoint>& points) {
  double least = kInfinity;
  for (const auto& c : points) least = std::min(least, c.gap);
  return least;
}

/// What every contact point of every pair must satisfy, whatever the method.
void expect_sound(const ConvexSet& A, const Pose& a, const ConvexSet& B, const Pose& b,
                  const ContactPoint& c) {
  EXPECT_NEAR(c.normal.norm(), 1.0, 1e-14);
  EXPECT_NEAR(c.gap, c.normal.dot(c.on_a - c.on_b), 1e-13);
  EXPECT_LE((c.on_a - c.on_b - c.gap * c.normal).norm(), 1e-12);
  EXPECT_LE(A.largest_value(a.to_body(c.on_a)), 1e-11);
  EXPECT_LE(B.largest_value(b.to_body(c.on_b)), 1e-11);
}

class EveryPair : public testing::TestWithParam<std::tuple<int, int, int>> {};

TEST_P(EveryPair, GapIsTheLargestSupportGap) {
  const auto [dim, kind_a, kind_b] = GetParam();
  Random random(1000u + static_cast<unsigned>(100 * dim + 10 * kind_a + kind_b));
  int separated = 0, overlapping = 0;
  for (int trial = 0; trial < 60; ++trial) {
    const auto A = random.bounded(kind_a, dim), B = random.bounded(kind_b, dim);
    const Pose a = random.pose(dim, 1.6), b = random.pose(dim, 1.6);
    const auto points = contacts(*A, a, *B, b, 100.0);
    ASSERT_FALSE(points.empty());
    for (const auto& c : points) expect_sound(*A, a, *B, b, c);
    const double expected = test::brute_force_gap(*A, a, *B, b), gap = smallest_gap(points);
    (gap > 0.0 ? separated : overlapping)++;
    // From below: no direction of a dense search does better (the search itself may stall on a
    // kink). From above: s at the reported normal is the gap, and no s(n) exceeds the signed
    // distance.
    EXPECT_GE(gap, expected - 1e-9) << "trial " << trial;
    EXPECT_NEAR(gap, test::support_gap(*A, a, *B, b, points[0].normal), 1e-10) << "trial " << trial;
  }
  EXPECT_GT(separated, 5);
  EXPECT_GT(overlapping, 5);
}

INSTANTIATE_TEST_SUITE_P(AllKinds, EveryPair,
                         testing::Combine(testing::Values(2, 3), testing::Values(0, 1, 2, 3),
                                          testing::Values(0, 1, 2, 3)));

/// Equations (9) of the geometrically implicit method, from the sets' own functions f and g.
double kkt_residual(const ConvexSet& A, const Pose& a, const ConvexSet& B, const Pose& b,
                    const Vec3& on_a, const Vec3& on_b) {
  const Vec3 xa = a.to_body(on_a), xb = b.to_body(on_b);
  const Vec3 f = a.R * A.gradient(0, xa).normalized(), g = b.R * B.gradient(0, xb).normalized();
  const Vec3 d = on_a - on_b;
  return std::max({(d + d.norm() * f).norm(), (f + g).norm(), std::abs(A.value(0, xa)),
                   std::abs(B.value(0, xb))});
}

TEST(SmoothPairs, SeparatedPairsSolveTheClosestPointEquations) {
  Random random(21);
  for (int dim : {2, 3}) {
    int separated = 0;
    double worst = 0.0;
    for (int trial = 0; separated < 2000; ++trial) {
      const auto A = random.ellipsoid(dim);
      const auto B = trial % 5 == 0 ? std::shared_ptr<ConvexSet>(random.ball(dim))
                                    : std::shared_ptr<ConvexSet>(random.ellipsoid(dim));
      const Pose a = random.pose(dim, 2.0), b = random.pose(dim, 2.0);
      const ClosestPoints c = closest_points(*A, a, *B, b);
      if (c.gap <= 0.0) continue;
      ++separated;
      worst = std::max(worst, kkt_residual(*A, a, *B, b, c.on_a, c.on_b));
      EXPECT_GT(c.normal.dot(c.on_a - c.on_b), 0.0);
    }
    EXPECT_LE(worst, 1e-12) << dim;
  }
}

TEST(SmoothPairs, NeedlesAndPancakesConverge) {
  Random random(22);
  for (int dim : {2, 3}) {
    double worst = 0.0;
    int slowest = 0;
    for (int trial = 0; trial < 2000; ++trial) {
      auto axis = [&] { return std::pow(10.0, random.uniform(-3.0, 0.0)); };
      const Ellipsoid A(dim, Vec3(axis(), axis(), axis())), B(dim, Vec3(axis(), axis(), axis()));
      const Pose a = random.pose(dim, 0.7), b = random.pose(dim, 0.7);
      const ClosestPoints c = closest_points(A, a, B, b);
      worst = std::max(worst, c.residual);
      slowest = std::max(slowest, c.iterations);
    }
    EXPECT_LE(worst, 1e-12) << dim;
    EXPECT_LE(slowest, 60) << dim;
  }
}

/// Build backwards from the answer: two bodies whose surfaces have opposite normals at chosen
/// points.
TEST(SmoothPairs, ChosenGapIsFoundAgain) {
  Random random(23);
  for (int dim : {2, 3}) {
    for (int trial = 0; trial < 1000; ++trial) {
      const auto A = random.ellipsoid(dim), B = random.ellipsoid(dim);
      Pose a = random.pose(dim, 1.0), b = random.pose(dim, 1.0);
      const Vec3 n = random.direction(dim);
      // Penetrations far below the smallest radius of curvature there can be, 0.2²/1.5.
      const double gap = trial % 3 == 0 ? 0.0 : random.uniform(-0.001, 0.1);
      const Vec3 on_a = a.to_world(A->support(-(a.R.transpose() * n)));
      const Vec3 on_b = b.to_world(B->support(b.R.transpose() * n));
      a.x += on_b + gap * n - on_a;
      const auto c = contacts(*A, a, *B, b, 1.0);
      ASSERT_EQ(c.size(), 1u);
      EXPECT_NEAR(c[0].gap, gap, 1e-13);
      EXPECT_LE((c[0].normal - n).norm(), 1e-11);
      EXPECT_LE((c[0].on_b - on_b).norm(), 1e-11);
    }
  }
}

/// An ellipsoid that rests at a chosen point of a chosen vertex, edge or facet of a polytope.
TEST(SmoothPolytopePairs, ChosenGapIsFoundAgain) {
  Random random(24);
  for (int dim : {2, 3}) {
    for (int trial = 0; trial < 1500; ++trial) {
      const auto P = random.polytope(dim, 10);
      const auto& facet = P->facets()[trial % P->count()];
      std::vector<const Polytope::Facet*> meeting{&facet};
      Vec3 b = P->vertices()[facet.vertices[0]];
      if (trial % 3 == 0) {  // inside the facet
        for (std::size_t i = 1; i < facet.vertices.size(); ++i)
          b += P->vertices()[facet.vertices[i]];
        b /= static_cast<double>(facet.vertices.size());
      } else if (trial % 3 == 1 && dim == 3) {  // on an edge
        const std::size_t e = static_cast<std::size_t>(trial) % P->edges().size();
        b = 0.3 * P->vertices()[P->edges()[e][0]] + 0.7 * P->vertices()[P->edges()[e][1]];
        meeting = {&P->facets()[P->edge_facets()[e][0]], &P->facets()[P->edge_facets()[e][1]]};
      } else {  // at a vertex
        for (const auto& f : P->facets())
          if (&f != &facet && std::count(f.vertices.begin(), f.vertices.end(), facet.vertices[0]))
            meeting.push_back(&f);
      }
      Vec3 n = Vec3::Zero();
      for (const auto* f : meeting) n += random.uniform(0.2, 1.0) * f->normal;
      n.normalize();
      const double gap = trial % 2 == 0 ? random.uniform(0.0, 0.3) : random.uniform(-1e-3, 0.0);
      const auto E = random.ellipsoid(dim);
      Pose e = random.pose(dim, 1.0);
      e.x = b + gap * n - e.R * E->support(-(e.R.transpose() * n));
      const Pose world = random.pose(dim, 2.0);
      const auto c = contacts(*E, {world.to_world(e.x), world.R * e.R}, *P, world, 1.0);
      ASSERT_EQ(c.size(), 1u);
      EXPECT_NEAR(c[0].gap, gap, 1e-12) << "trial " << trial;
      EXPECT_LE((c[0].normal - world.R * n).norm(), 1e-9) << "trial " << trial;
      EXPECT_LE((c[0].on_b - world.to_world(b)).norm(), 1e-9) << "trial " << trial;
    }
  }
}

TEST(PolytopePairs, SeparatedGapIsTheDistanceOfAllFeatures) {
  Random random(25);
  for (int dim : {2, 3}) {
    int separated = 0;
    for (int trial = 0; separated < 1000; ++trial) {
      const auto A = random.polytope(dim, 4 + trial % 12);
      const auto B = trial % 3 ? random.polytope(dim, 8) : box(dim, Vec3(1.0, 0.7, 1.3));
      const Pose a = random.pose(dim, 2.0), b = random.pose(dim, 2.0);
      if (test::brute_force_depth(*A, a, *B, b) <= 0.0) continue;
      ++separated;
      const auto points = contacts(*A, a, *B, b, 100.0);
      ASSERT_FALSE(points.empty());
      for (const auto& c : points) expect_sound(*A, a, *B, b, c);
      EXPECT_NEAR(smallest_gap(points), test::brute_force_distance(*A, a, *B, b), 1e-12) << trial;
    }
  }
}

TEST(PolytopePairs, OverlappingGapIsThePenetrationDepth) {
  Random random(26);
  for (int dim : {2, 3}) {
    int overlapping = 0;
    for (int trial = 0; overlapping < 1000; ++trial) {
      const auto A = random.polytope(dim, 4 + trial % 12);
      const auto B = trial % 3 ? random.polytope(dim, 8) : box(dim, Vec3(1.0, 0.7, 1.3));
      const Pose a = random.pose(dim, 0.9), b = random.pose(dim, 0.9);
      const double depth = test::brute_force_depth(*A, a, *B, b);
      if (depth > 0.0) continue;
      ++overlapping;
      const auto points = contacts(*A, a, *B, b, 0.0);
      ASSERT_FALSE(points.empty());
      for (const auto& c : points) expect_sound(*A, a, *B, b, c);
      EXPECT_NEAR(smallest_gap(points), depth, 1e-12) << trial;
    }
  }
}

TEST_P(EveryPair, SwappingTheSetsMirrorsTheAnswer) {
  const auto [dim, kind_a, kind_b] = GetParam();
  Random random(2000u + static_cast<unsigned>(100 * dim + 10 * kind_a + kind_b));
  for (int trial = 0; trial < 60; ++trial) {
    const auto A = random.bounded(kind_a, dim), B = random.bounded(kind_b, dim);
    const Pose a = random.pose(dim, 1.3), b = random.pose(dim, 1.3);
    const auto ab = contacts(*A, a, *B, b, 0.5), ba = contacts(*B, b, *A, a, 0.5);
    ASSERT_EQ(ab.size(), ba.size()) << "trial " << trial;
    for (const auto& c : ab) {
      const auto mirrored = std::any_of(ba.begin(), ba.end(), [&](const ContactPoint& d) {
        return std::abs(c.gap - d.gap) < 1e-11 && (c.normal + d.normal).norm() < 1e-9 &&
               (c.on_a - d.on_b).norm() < 1e-9 && (c.on_b - d.on_a).norm() < 1e-9;
      });
      EXPECT_TRUE(mirrored) << "trial " << trial << " gap " << c.gap;
    }
  }
}

TEST_P(EveryPair, MovesWithTheWorldAndRepeatsBitForBit) {
  const auto [dim, kind_a, kind_b] = GetParam();
  Random random(3000u + static_cast<unsigned>(100 * dim + 10 * kind_a + kind_b));
  for (int trial = 0; trial < 60; ++trial) {
    const auto A = random.bounded(kind_a, dim), B = random.bounded(kind_b, dim);
    const Pose a = random.pose(dim, 1.3), b = random.pose(dim, 1.3), w = random.pose(dim, 3.0);
    const auto here = contacts(*A, a, *B, b, 0.5), again = contacts(*A, a, *B, b, 0.5);
    const auto there =
        contacts(*A, {w.to_world(a.x), w.R * a.R}, *B, {w.to_world(b.x), w.R * b.R}, 0.5);
    ASSERT_EQ(here.size(), there.size()) << "trial " << trial;
    ASSERT_EQ(here.size(), again.size());
    for (std::size_t i = 0; i < here.size(); ++i) {
      EXPECT_EQ(here[i].gap, again[i].gap);
      EXPECT_EQ(here[i].on_a, again[i].on_a);
      const auto same = std::find_if(there.begin(), there.end(), [&](const ContactPoint& d) {
        return d.feature == here[i].feature;
      });
      ASSERT_NE(same, there.end()) << "trial " << trial;
      EXPECT_NEAR(here[i].gap, same->gap, 1e-12) << "trial " << trial;
      EXPECT_LE((w.R * here[i].normal - same->normal).norm(), 1e-9) << "trial " << trial;
      EXPECT_LE((w.to_world(here[i].on_a) - same->on_a).norm(), 1e-9) << "trial " << trial;
    }
  }
}

}  // namespace
}  // namespace touchstone

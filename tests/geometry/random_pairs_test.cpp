#include <gtest/gtest.h>

#include <algorithm>

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
    // From below: no direction of a dense search does better (the search itself may stall on a kink).
    // From above: s at the reported normal is the gap, and no s(n) exceeds the signed distance.
    EXPECT_GE(gap, expected - 1e-9) << "trial " << trial;
    EXPECT_NEAR(gap, test::support_gap(*A, a, *B, b, points[0].normal), 1e-10) << "trial " << trial;
  }
  EXPECT_GT(separated, 5);
  EXPECT_GT(overlapping, 5);
}

INSTANTIATE_TEST_SUITE_P(AllKinds, EveryPair,
                         testing::Combine(testing::Values(2, 3), testing::Values(0, 1, 2, 3),
                                          testing::Values(0, 1, 2, 3)));

}  // namespace
}  // namespace touchstone

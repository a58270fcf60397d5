#include "geometry/ratio_events.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

#include "geometry/event_reduction.hpp"
#include "tests/geometry/support.hpp"

/// Events: components and gradients, ρ as their maximum, the nearly active set, what can be
/// dropped.

namespace touchstone {
namespace {

using test::Random;

struct Scene {
  RatioBody a, b;
  Pose pose_a, pose_b;
  EventFinder finder() const { return {a, pose_a, b, pose_b}; }
  RatioMetric metric() const { return ratio_metric(a, pose_a, b, pose_b); }
};

Scene random_scene(int dim, Random& random, int points) {
  return {RatioBody(random.polytope(dim, points)), RatioBody(random.polytope(dim, points)),
          random.pose(dim, 1.2), random.pose(dim, 1.2)};
}

/// A unit cube on a larger box, with this gap, turn about z and tilt about x.
Scene stack(double gap, double turn, double tilt, double size = 1.0) {
  const Mat3 R = (Eigen::AngleAxisd(tilt, Vec3::UnitX()) * Eigen::AngleAxisd(turn, Vec3::UnitZ()))
                     .toRotationMatrix();
  return {RatioBody(box(3, Vec3::Ones())),
          RatioBody(box(3, {size, size, 1.0})),
          {Vec3(0, 0, 1.0 + gap), R},
          {}};
}

double largest_phi(const std::vector<RatioEvent>& events) {
  double most = -1e300;
  for (const RatioEvent& e : events) most = std::max(most, e.phi);
  return most;
}

/// The event of the same features in another pose of A and B.
bool again(const EventFinder& finder, const RatioEvent& e, RatioEvent& out) {
  switch (e.kind) {
    case EventKind::vertex_face:
      return finder.vertex_face(e.feature_a, e.feature_b, out);
    case EventKind::face_vertex:
      return finder.face_vertex(e.feature_a, e.feature_b, out);
    default:
      return finder.edge_edge(e.feature_a, e.feature_b, 1e-12, out);
  }
}

TEST(RatioEvents, HaveTheRatioMetricAsTheirLargestComponent) {
  Random random(1);
  for (int k = 0; k < 300; ++k) {
    const Scene scene = random_scene(2 + k % 2, random, 8);
    const RatioMetric m = scene.metric();
    EXPECT_NEAR(largest_phi(scene.finder().all(1e-12)), m.rho, 1e-11 * (1.0 + std::abs(m.rho)));
  }
}

TEST(RatioEvents, GradientsMatchFiniteDifferences) {
  Random random(2);
  std::map<EventKind, int> seen;
  for (int k = 0; k < 60; ++k) {
    const int dim = 2 + k % 2;
    Scene scene = random_scene(dim, random, 8);
    for (const RatioEvent& e : scene.finder().all(1e-12)) {
      if (e.r < 0.5 || e.r > 2.0 || e.span < 0.2) continue;
      RatioEvent plus, minus;
      if (e.kind == EventKind::edge_edge && !again(scene.finder(), e, plus)) continue;
      ++seen[e.kind];
      for (const bool of_a : {true, false}) {
        Pose& pose = of_a ? scene.pose_a : scene.pose_b;
        const Pose old = pose;
        const auto gradient = of_a ? e.gradient_a(old.x) : e.gradient_b(old.x);
        for (int i = 0; i < 6; ++i) {
          if (dim == 2 && i >= 2 && i <= 4) continue;
          constexpr double h = 1e-5;
          const auto moved = [&](double step, RatioEvent& out) {
            if (i < 3)
              pose.x = old.x + step * Vec3::Unit(i);
            else
              pose.R = Eigen::AngleAxisd(step, Vec3::Unit(i - 3)).toRotationMatrix() * old.R;
            const bool found = again(scene.finder(), e, out);
            pose = old;
            return found;
          };
          ASSERT_TRUE(moved(h, plus) && moved(-h, minus));
          EXPECT_NEAR((plus.phi - minus.phi) / (2 * h), gradient[i], 1e-6 * (1.0 + gradient.norm()))
              << "component " << i << " of body " << (of_a ? "A" : "B");
        }
      }
    }
  }
  EXPECT_GT(seen[EventKind::vertex_face], 50);
  EXPECT_GT(seen[EventKind::face_vertex], 50);
  EXPECT_GT(seen[EventKind::edge_edge], 50);
}

TEST(RatioEvents, GradientOfTheMetricIsThatOfItsEvent) {
  Random random(6);
  for (int k = 0; k < 100; ++k) {
    Scene scene = random_scene(2 + k % 2, random, 10);
    const RatioMetric m = scene.metric();
    for (const RatioEvent& e : scene.finder().all(1e-12)) {
      if (std::abs(e.phi - m.rho) > 1e-11 * (1.0 + std::abs(m.rho))) continue;
      EXPECT_LE((e.normal - m.normal).norm(), 1e-7);
      EXPECT_LE((e.point - m.point).norm(), 1e-7) << "both grown bodies meet in one point";
    }
  }
}

TEST(RatioEvents, PointsLieOnBothGrownBodies) {
  Random random(9);
  for (int k = 0; k < 100; ++k) {
    const Scene scene = random_scene(3, random, 8);
    const Vec3 x_a = scene.pose_a.to_world(scene.a.interior());
    const Vec3 x_b = scene.pose_b.to_world(scene.b.interior());
    for (const RatioEvent& e : scene.finder().all(1e-12)) {
      const double of_a = e.normal.dot(e.point - x_a), of_b = e.normal.dot(e.point - x_b);
      EXPECT_NEAR(of_b - of_a, e.span, 1e-9);
      EXPECT_NEAR(e.gap, e.span * (1.0 - 1.0 / e.r), 1e-9);
      EXPECT_NEAR(of_b / e.r - of_a / e.r, e.span - e.gap, 1e-9);
    }
  }
}

TEST(NearlyActiveEvents, HoldTheMaximumForRandomPairs) {
  Random random(12);
  int pairs = 0;
  for (int k = 0; k < 400; ++k) {
    const Scene scene = random_scene(2 + k % 2, random, 10);
    const RatioMetric m = scene.metric();
    const auto events =
        scene.finder().nearly_active(m, {.eps_t = 0.1, .eps_x = 1e-9, .eps_p = 1e-9});
    if (m.rho > 0.1) {
      EXPECT_TRUE(events.empty());
      continue;
    }
    if (m.r < 0.05) continue;
    ++pairs;
    ASSERT_FALSE(events.empty()) << k;
    EXPECT_NEAR(largest_phi(events), m.rho, 1e-10 / m.r) << k;
  }
  EXPECT_GT(pairs, 100);
}

TEST(NearlyActiveEvents, OfAlignedCubesAreTheCornersOfTheirCommonFace) {
  const Scene scene = stack(0.01, 0.0, 0.0);
  const auto events = scene.finder().nearly_active(scene.metric(), {});
  EXPECT_GE(events.size(), 8u);
  for (const RatioEvent& e : events) {
    EXPECT_NEAR(e.phi, 0.01 / 1.01, 1e-14);
    EXPECT_NEAR(std::abs(e.point.x()) / e.r, 0.5, 1e-12);
    EXPECT_NEAR(std::abs(e.point.y()) / e.r, 0.5, 1e-12);
    EXPECT_NEAR((e.normal - Vec3::UnitZ()).norm(), 0.0, 1e-14);
  }
  EXPECT_EQ(contact_hull(events, Vec3::UnitZ(), 1e-9).size(), 4u);
}

TEST(NearlyActiveEvents, OfACubeTurnedByAnEighthAreAnOctagon) {
  const Scene scene = stack(0.0, std::numbers::pi / 4, 0.0);
  const auto events = scene.finder().nearly_active(scene.metric(), {});
  EXPECT_EQ(events.size(), 8u);
  const double side = 0.5 * (std::sqrt(2.0) - 1.0);
  for (const RatioEvent& e : events) {
    EXPECT_EQ(e.kind, EventKind::edge_edge);
    const Vec3 p = e.point.cwiseAbs();
    EXPECT_NEAR(std::max(p.x(), p.y()), 0.5, 1e-12);
    EXPECT_NEAR(std::min(p.x(), p.y()), side, 1e-12);
  }
  EXPECT_EQ(contact_hull(events, Vec3::UnitZ(), 1e-9).size(), 8u);
}

TEST(NearlyActiveEvents, KeepTheCornersOfATiltedCube) {
  for (const double tilt : {0.0, 1e-12, 1e-6, 1e-3, 0.02}) {
    const Scene scene = stack(0.002, 0.3, tilt, 4.0);
    const auto events = scene.finder().nearly_active(scene.metric(), {});
    std::set<int> corners;
    for (const RatioEvent& e : events)
      if (e.kind == EventKind::vertex_face) corners.insert(e.feature_a);
    EXPECT_EQ(corners.size(), 4u) << tilt;
    EXPECT_EQ(events.size(), 4u) << tilt;
  }
}

TEST(ContactHull, IsASegmentOrAPointWhereTheRegionIs) {
  const RatioBody square(box(2, {1, 1, 0})), table(box(2, {4, 1, 0}));
  for (const double tilt : {0.0, 0.4}) {
    const Mat3 R = Eigen::AngleAxisd(tilt, Vec3::UnitZ()).toRotationMatrix();
    const Pose pose{Vec3(0, 0.5 + 0.5 * (std::sin(tilt) + std::cos(tilt)), 0), R};
    const EventFinder finder(square, pose, table, {});
    const auto events = finder.nearly_active(ratio_metric(square, pose, table, {}), {});
    EXPECT_EQ(events.size(), tilt == 0.0 ? 2u : 1u);
    EXPECT_EQ(contact_hull(events, Vec3::UnitY(), 1e-9).size(), events.size());
  }
  EXPECT_TRUE(contact_hull({}, Vec3::UnitY(), 1e-9).empty());
}

TEST(NearlyActiveEvents, OfAHalfSpaceAreTheLowestVertices) {
  const RatioBody cube(box(3, Vec3::Ones())), ground(HalfSpace(3, Vec3::UnitZ(), 0.0), 0.5);
  const Pose pose{Vec3(0, 0, 0.49), Mat3::Identity()};
  const EventFinder finder(cube, pose, ground, {});
  const auto events = finder.nearly_active(ratio_metric(cube, pose, ground, {}), {});
  ASSERT_EQ(events.size(), 4u);
  for (const RatioEvent& e : events) EXPECT_NEAR(e.gap, -0.01, 1e-15);
}

/// Is every ν that the kept constraints allow allowed by all?
void expect_same_feasible_set(const std::vector<RatioEvent>& events, const std::vector<int>& kept,
                              Random& random) {
  const auto value = [&](const RatioEvent& e, const Eigen::Matrix<double, 6, 1>& nu) {
    return e.r * e.span * (e.gradient_a(Vec3::Zero()).dot(nu) + e.phi);
  };
  for (int k = 0; k < 200; ++k) {
    Eigen::Matrix<double, 6, 1> nu;
    for (int i = 0; i < 6; ++i) nu[i] = random.normal();
    double of_kept = 1e300, of_all = 1e300;
    for (const RatioEvent& e : events) of_all = std::min(of_all, value(e, nu));
    for (const int i : kept) of_kept = std::min(of_kept, value(events[i], nu));
    if (of_kept >= 0.0) {
      EXPECT_GE(of_all, -1e-7);
    }
  }
}

TEST(EssentialEvents, OfAlignedCubesAreFour) {
  const Scene scene = stack(0.0, 0.0, 0.0);
  const auto events = scene.finder().nearly_active(scene.metric(), {});
  const auto kept = essential_events(events);
  ASSERT_EQ(kept.size(), 4u) << "of " << events.size();
  Random random(1);
  expect_same_feasible_set(events, kept, random);
  for (const int i : kept) EXPECT_NE(events[i].kind, EventKind::edge_edge);
}

TEST(EssentialEvents, KeepTheCornersOfTheContactRegion) {
  Random random(15);
  for (int k = 0; k < 30; ++k) {
    Scene scene = stack(-1e-3, random.uniform(0.1, 1.4), 0.0, random.uniform(0.6, 1.6));
    scene.pose_a.x += Vec3(random.uniform(-0.4, 0.4), random.uniform(-0.4, 0.4), 0.0);
    const auto events = scene.finder().nearly_active(scene.metric(), {});
    const auto kept = essential_events(events);
    const auto hull = contact_hull(events, Vec3::UnitZ(), 1e-9);
    EXPECT_EQ(kept.size(), hull.size());
    expect_same_feasible_set(events, kept, random);
  }
}

TEST(EssentialEvents, OfManyNormalsLeaveTheFeasibleSetAlone) {
  Random random(16);
  int dropped = 0;
  for (int k = 0; k < 60; ++k) {
    const Scene scene = random_scene(3, random, 30);
    const RatioMetric m = scene.metric();
    if (m.rho < -0.5) continue;
    const auto events = scene.finder().nearly_active(m, {.eps_t = 0.3, .eps_x = 0.2, .eps_p = 0.2});
    const auto kept = essential_events(events, {.friction = false});
    dropped += static_cast<int>(events.size() - kept.size());
    expect_same_feasible_set(events, kept, random);
    EXPECT_GE(essential_events(events).size(), kept.size());
  }
  EXPECT_GT(dropped, 20);
}

TEST(EssentialEvents, DropNothingThatIsNeeded) {
  const Scene scene = stack(0.0, 0.3, 0.01, 4.0);  // four corners at four heights
  const auto events = scene.finder().nearly_active(scene.metric(), {});
  const auto kept = essential_events(events, {.friction = false});
  EXPECT_EQ(kept.size(), events.size());
  EXPECT_TRUE(essential_events({}).empty());
}

}  // namespace
}  // namespace touchstone

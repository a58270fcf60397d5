#include "geometry/ratio_metric.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "geometry/facet_form.hpp"
#include "geometry/minkowski.hpp"
#include "geometry/ratio_events.hpp"
#include "tests/geometry/support.hpp"

/// The ratio metric against closed forms, its definition and the equivalence theorem.

namespace touchstone {
namespace {

using test::Random;

Pose at(double x, double y = 0.0, double z = 0.0) { return {Vec3(x, y, z), Mat3::Identity()}; }

RatioBody body(std::shared_ptr<const Polytope> shape) { return RatioBody(std::move(shape)); }

/// A random pair of polytopes near each other, with random interior points in space and plane.
struct Pair {
  Pair(int dim, Random& random, int points = 12)
      : a(body(random.polytope(dim, points))),
        b(body(random.polytope(dim, points))),
        pose_a(random.pose(dim, 1.2)),
        pose_b(random.pose(dim, 1.2)) {}
  RatioMetric metric() const { return ratio_metric(a, pose_a, b, pose_b); }
  double distance() const {
    return (pose_a.to_world(a.interior()) - pose_b.to_world(b.interior())).norm();
  }
  RatioBody a, b;
  Pose pose_a, pose_b;
};

TEST(RatioMetric, OfTwoUnitCubesIsTheirCentreDistance) {
  for (const int dim : {2, 3}) {
    const RatioBody cube = body(box(dim, Vec3::Ones()));
    for (const double D : {0.01, 0.3, 0.999, 1.0, 1.001, 1.7, 25.0})
      for (int axis = 0; axis < dim; ++axis)
        for (const double sign : {-1.0, 1.0}) {
          const Pose moved{sign * D * Vec3::Unit(axis), Mat3::Identity()};
          const RatioMetric m = ratio_metric(cube, moved, cube, at(0));
          EXPECT_NEAR(m.r, D, 1e-14 * std::max(1.0, D)) << dim << "-D";
          EXPECT_NEAR(m.rho, (D - 1.0) / D, 1e-14 / D);
          EXPECT_NEAR(m.normal.dot(Vec3::Unit(axis)), sign, 1e-14);
        }
  }
}

TEST(RatioMetric, OfTurnedAndScaledBoxes) {
  // A square on its corner above a flat one: heights a/√2 and b/2 add up.
  const RatioBody a = body(box(2, {1.0, 1.0, 0.0})), b = body(box(2, {3.0, 0.5, 0.0}));
  const Pose tilted{Vec3(0.2, 2.0, 0.0),
                    Eigen::AngleAxisd(std::numbers::pi / 4, Vec3::UnitZ()).toRotationMatrix()};
  EXPECT_NEAR(ratio_metric(a, tilted, b, at(0)).r, 2.0 / (std::sqrt(0.5) + 0.25), 1e-14);
  // Boxes with sides p and q, apart along z by D: r = 2D/(p + q).
  const RatioBody p = body(box(3, {1, 1, 0.4})), q = body(box(3, {2, 5, 0.8}));
  EXPECT_NEAR(ratio_metric(p, at(0.1, 0.2, 1.5), q, at(0)).r, 2.0 * 1.5 / 1.2, 1e-14);
}

TEST(RatioMetric, OfAHalfSpaceFollowsTheLowestVertex) {
  Random random(3);
  for (int k = 0; k < 100; ++k) {
    const int dim = 2 + k % 2;
    const RatioBody a = body(random.polytope(dim, 10));
    const Pose pose = random.pose(dim, 2.0);
    const Vec3 n = random.direction(dim);
    const double depth = random.uniform(0.2, 2.0), c = random.uniform(-1, 1);
    const HalfSpace ground(dim, n, c);
    const Vec3 x = pose.to_world(a.interior());
    double lowest = 1e300;
    for (const Vec3& v : a.polytope()->vertices())
      lowest = std::min(lowest, n.dot(pose.to_world(v)) - c);
    const double over = n.dot(x) - c + depth;  // height of one interior point over the other
    if (over < 0.05) continue;
    const RatioBody b(ground, depth);
    EXPECT_NEAR(ratio_metric(a, pose, b, at(0)).rho, lowest / over, 1e-12 / over);
    EXPECT_NEAR(ratio_metric(b, at(0), a, pose).rho, lowest / over, 1e-12 / over);
  }
}

TEST(RatioMetric, IsCertifiedByItsPrimalAndDualSolutions) {
  Random random(11);
  for (int k = 0; k < 2000; ++k) {
    const int dim = 2 + k % 2;
    const Pair pair(dim, random, 4 + k % 40);
    const RatioMetric m = pair.metric();
    const Vec3 x_a = pair.pose_a.to_world(pair.a.interior());
    const Vec3 x_b = pair.pose_b.to_world(pair.b.interior());
    // Primal: every inequality holds at (point, r), the active ones as equations.
    const Eigen::VectorXd in_a =
        pair.a.rows().transpose() * (pair.pose_a.R.transpose() * (m.point - x_a));
    const Eigen::VectorXd in_b =
        pair.b.rows().transpose() * (pair.pose_b.R.transpose() * (m.point - x_b));
    const double tolerance = 1e-11 * (1.0 + m.r);
    EXPECT_LE(std::max(in_a.maxCoeff(), in_b.maxCoeff()), m.r + tolerance);
    // Dual: nonnegative, sums to one, balanced, with the same value.
    double sum = 0.0, value = 0.0;
    Vec3 balance = Vec3::Zero();
    for (int i = 0; i <= dim; ++i) {
      const auto& f = m.active[i];
      EXPECT_GE(f.multiplier, 0.0);
      EXPECT_NEAR(f.body == 0 ? in_a[f.facet] : in_b[f.facet], m.r, tolerance);
      const Vec3 g = f.body == 0 ? Vec3(pair.pose_a.R * pair.a.rows().col(f.facet))
                                 : Vec3(pair.pose_b.R * pair.b.rows().col(f.facet));
      sum += f.multiplier;
      balance += f.multiplier * g;
      value -= f.multiplier * g.dot(f.body == 0 ? x_a : x_b);
    }
    EXPECT_NEAR(sum, 1.0, 1e-12);
    EXPECT_LE(balance.norm(), 1e-10);
    EXPECT_NEAR(value, m.r, tolerance);
  }
}

TEST(RatioMetric, IsTheGaugeOfTheMinkowskiDifference) {
  Random random(5);
  for (int k = 0; k < 300; ++k) {
    const Pair pair(2 + k % 2, random);
    const Vec3 x_a = pair.pose_a.to_world(pair.a.interior());
    const Vec3 x_b = pair.pose_b.to_world(pair.b.interior());
    double r = 0.0;  // max n·δ/h(n), with the difference B − A about the interior points
    for (const Plane& plane :
         minkowski_facets(*pair.b.polytope(), {pair.pose_b.x - x_b, pair.pose_b.R},
                          *pair.a.polytope(), {pair.pose_a.x - x_a, pair.pose_a.R}))
      r = std::max(r, plane.normal.dot(x_a - x_b) / plane.offset);
    EXPECT_NEAR(pair.metric().r, r, 1e-12 * r);
  }
}

TEST(RatioMetric, IsUnchangedByRigidMotionAndExchange) {
  Random random(8);
  for (int k = 0; k < 200; ++k) {
    const int dim = 2 + k % 2;
    const Pair pair(dim, random);
    const RatioMetric m = pair.metric();
    EXPECT_NEAR(ratio_metric(pair.b, pair.pose_b, pair.a, pair.pose_a).r, m.r, 1e-12 * m.r);
    const Pose motion{random.point(dim, 100.0), random.rotation(dim)};
    const auto moved = [&](const Pose& p) { return Pose{motion.to_world(p.x), motion.R * p.R}; };
    EXPECT_NEAR(ratio_metric(pair.a, moved(pair.pose_a), pair.b, moved(pair.pose_b)).r, m.r,
                1e-12 * m.r);
  }
}

TEST(RatioMetric, StartsAgainFromTheLastBasis) {
  Random random(21);
  int cold = 0, warm = 0;
  for (int k = 0; k < 50; ++k) {
    Pair pair(3, random, 60);
    RatioMetric last = pair.metric();
    for (int step = 0; step < 20; ++step) {
      pair.pose_a.x += 1e-3 * random.direction(3);
      pair.pose_a.R =
          Eigen::AngleAxisd(1e-3, random.direction(3)).toRotationMatrix() * pair.pose_a.R;
      const RatioMetric fresh = pair.metric();
      const RatioMetric again = ratio_metric(pair.a, pair.pose_a, pair.b, pair.pose_b, &last);
      EXPECT_NEAR(again.r, fresh.r, 1e-13 * fresh.r);
      cold += fresh.pivots;
      warm += again.pivots;
      last = again;
    }
  }
  EXPECT_LT(10 * warm, cold) << warm << " and " << cold << " pivots";
}

TEST(RatioMetric, OfStackedCubesDoesNotCycle) {
  const RatioBody cube = body(box(3, Vec3::Ones()));
  Random random(2);
  for (int k = 0; k < 500; ++k) {
    // Every face, edge and corner contact, exactly degenerate.
    const Vec3 d(k % 3 - 1, (k / 3) % 3 - 1, (k / 9) % 3 - 1);
    if (d.isZero()) continue;
    const double quarter = std::numbers::pi / 2 * static_cast<double>(k % 4);
    const Pose pose{d, Eigen::AngleAxisd(quarter, Vec3::Unit(k % 3)).toRotationMatrix()};
    const RatioMetric m = ratio_metric(cube, pose, cube, at(0));
    EXPECT_NEAR(m.r, 1.0, 1e-14);
    EXPECT_LE(m.pivots, 20);
  }
}

TEST(RatioMetric, IsEquivalentToTheMinkowskiDepth) {
  Random random(77);
  int deep = 0, overlapping = 0;
  for (int k = 0; k < 1000; ++k) {
    const Pair pair(2 + k % 2, random);
    const RatioMetric m = pair.metric();
    const double s =
        minkowski_gap(*pair.a.polytope(), pair.pose_a, *pair.b.polytope(), pair.pose_b).s;
    const double D = pair.distance();
    const double eps = 0.5 * (pair.a.inner_radius() + pair.b.inner_radius());
    if (s >= 0.0) {
      EXPECT_LE(m.rho, s / eps * (1 + 1e-12));
      EXPECT_GE(m.rho, s / D * (1 - 1e-12));
      continue;
    }
    ++overlapping;
    EXPECT_LE(m.rho, s / D * (1 - 1e-12));
    EXPECT_GE(m.rho, s / (2 * m.r * eps) * (1 + 1e-12));
    if (-s <= eps)
      EXPECT_GE(m.rho, s / eps * (1 + 1e-12));
    else
      ++deep;
  }
  EXPECT_GT(overlapping, 200);
  EXPECT_GT(deep, 20);
}

TEST(RatioMetric, BeatsTheSourcesBoundWhenDeep) {
  // Two unit cubes whose centres nearly coincide: s < 1 but ρ → −∞, whatever ε is.
  const RatioBody cube = body(box(3, Vec3::Ones()));
  const RatioMetric m = ratio_metric(cube, at(1e-6), cube, at(0));
  EXPECT_LT(m.rho, -0.9e6);
}

TEST(MinkowskiGap, MatchesTheBruteForceDepthAndDistance) {
  Random random(31);
  for (int k = 0; k < 200; ++k) {
    const Pair pair(2 + k % 2, random, 8);
    const Polytope &A = *pair.a.polytope(), &B = *pair.b.polytope();
    const MinkowskiGap gap = minkowski_gap(A, pair.pose_a, B, pair.pose_b);
    const double expected = gap.s > 0.0 ? test::brute_force_distance(A, pair.pose_a, B, pair.pose_b)
                                        : test::brute_force_depth(A, pair.pose_a, B, pair.pose_b);
    EXPECT_NEAR(gap.s, expected, 1e-12);
    EXPECT_NEAR(test::support_gap(A, pair.pose_a, B, pair.pose_b, gap.normal), gap.s, 1e-12);
  }
}

TEST(RatioBody, RefusesAnInteriorPointOutside) {
  const auto cube = box(3, Vec3::Ones());
  EXPECT_NO_THROW(RatioBody(cube, Vec3(0.4, 0, 0)));
  EXPECT_THROW(RatioBody(cube, Vec3(0.5, 0, 0)), std::invalid_argument);
  EXPECT_THROW(RatioBody(cube, Vec3(0.6, 0, 0)), std::invalid_argument);
  EXPECT_THROW(RatioBody(cube, Vec3(NAN, 0, 0)), std::invalid_argument);
  EXPECT_THROW(RatioBody(HalfSpace(3, Vec3::UnitZ(), 0.0), 0.0), std::invalid_argument);
  const RatioBody one(cube);
  EXPECT_THROW(ratio_metric(one, at(0), one, at(0)), std::invalid_argument);
  const RatioBody ground(HalfSpace(3, Vec3::UnitZ(), 0.0), 1.0);
  EXPECT_THROW(ratio_metric(ground, at(0), ground, at(1)), std::invalid_argument);
}

std::vector<Plane> cube_planes() {
  std::vector<Plane> planes;
  for (int i = 0; i < 3; ++i)
    for (const double sign : {-2.0, 2.0}) planes.push_back({sign * Vec3::Unit(i), 1.0});
  return planes;
}

TEST(FacetForm, GivesTheUnitCube) {
  auto planes = cube_planes();
  planes.push_back(planes[0]);              // twice the same
  planes.push_back({Vec3(1, 1, 1), 10.0});  // touches nothing
  planes.push_back({Vec3(-6, 0, 0), 3.0});  // the first again, scaled
  const Polytope cube = polytope_of_facets(3, planes);
  EXPECT_EQ(cube.facets().size(), 6u);
  EXPECT_EQ(cube.vertices().size(), 8u);
  for (const Vec3& v : cube.vertices())
    EXPECT_NEAR((v.cwiseAbs() - Vec3(.5, .5, .5)).norm(), 0, 1e-14);
}

TEST(FacetForm, GivesBackRandomPolytopes) {
  Random random(4);
  for (int k = 0; k < 40; ++k) {
    const int dim = 2 + k % 2;
    const auto shape = random.polytope(dim, 12);
    std::vector<Plane> planes;
    for (const auto& f : shape->facets()) planes.push_back({f.normal, f.offset});
    const Polytope again = polytope_of_facets(dim, planes);
    ASSERT_EQ(again.facets().size(), shape->facets().size());
    const Vec3 d = random.direction(dim);
    EXPECT_NEAR(again.support(d).dot(d), shape->support(d).dot(d), 1e-11);
  }
}

TEST(FacetForm, NamesWhatIsWrong) {
  const auto message = [](const std::vector<Plane>& planes, std::optional<Vec3> interior = {}) {
    try {
      polytope_of_facets(3, planes, interior);
    } catch (const std::invalid_argument& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  auto open = cube_planes();
  open.pop_back();
  EXPECT_NE(message(open).find("unbounded"), std::string::npos) << message(open);
  EXPECT_NE(message({}).find("unbounded"), std::string::npos);
  auto empty = cube_planes();
  empty.push_back({Vec3(1, 0, 0), -3.0});
  EXPECT_NE(message(empty).find("empty"), std::string::npos) << message(empty);
  auto flat = cube_planes();
  flat.push_back({Vec3(1, 0, 0), -0.5});
  EXPECT_NE(message(flat).find("without interior"), std::string::npos) << message(flat);
  EXPECT_NE(message(cube_planes(), Vec3(0, 0, 0.7)).find("beyond facet"), std::string::npos);
  auto zero = cube_planes();
  zero.push_back({Vec3::Zero(), 1.0});
  EXPECT_NE(message(zero).find("facet 6"), std::string::npos) << message(zero);
}

}  // namespace
}  // namespace touchstone

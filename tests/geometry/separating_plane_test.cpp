#include "geometry/separating_plane.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "geometry/separating_axis.hpp"
#include "tests/geometry/support.hpp"

namespace touchstone {

namespace {

using test::Random;

TEST(SeparatingPlane, ClimbingFindsTheFarthestVertexFromAnyStart) {
  Random random(11);
  for (const int dim : {2, 3}) {
    const auto P = random.polytope(dim, 60);
    const VertexGraph graph = vertex_graph(*P);
    for (int i = 0; i < 200; ++i) {
      const Vec3 d = random.direction(dim);
      int steps = 0;
      const int start = i % static_cast<int>(P->vertices().size());
      const int top = climb(*P, graph, d, start, steps);
      EXPECT_EQ(d.dot(P->vertices()[top]), d.dot(P->vertices()[P->support_vertex(d)]));
    }
  }
}

/// Two tumbling bodies that approach, touch, overlap and part again.
struct Tumble {
  std::shared_ptr<Polytope> A, B;
  Vec3 from, spin_a, spin_b;

  Tumble(Random& random, int dim)
      : A(random.polytope(dim, 8)),
        B(random.polytope(dim, 8)),
        from(random.direction(dim)),
        spin_a(dim == 3 ? random.direction(3) : Vec3(Vec3::UnitZ())),
        spin_b(dim == 3 ? random.direction(3) : Vec3(Vec3::UnitZ())) {}
  Pose a(double t) const {
    return {from * (2.6 * std::cos(t)), Eigen::AngleAxisd(0.7 * t, spin_a).toRotationMatrix()};
  }
  Pose b(double t) const {
    return {Vec3::Zero(), Eigen::AngleAxisd(-0.4 * t, spin_b).toRotationMatrix()};
  }
};

TEST(SeparatingPlane, FollowsTumblingBodiesAndAgreesWithAFullSearchAtEveryStep) {
  Random random(12);
  int kept = 0, adjacent = 0, full = 0, proofs = 0, separated = 0, steps = 0;
  for (int i = 0; i < 12; ++i) {
    const Tumble pair(random, i % 3 == 2 ? 2 : 3);
    SeparatingPlane plane(*pair.A, *pair.B, 1e-9);
    for (double t = 0.0; t < 3.0; t += 0.01) {
      ++steps;
      const auto& found = plane.update(pair.a(t), pair.b(t));
      const double depth = steps % 10 == 0
                               ? test::brute_force_depth(*pair.A, pair.a(t), *pair.B, pair.b(t))
                               : separating_axis(*pair.A, pair.a(t), *pair.B, pair.b(t)).s;
      ASSERT_EQ(found.separated, depth >= -1e-9) << i << " at " << t;
      if (!found.separated) continue;
      ++separated;
      // The plane is one: no vertex of A below it, none of B above.
      EXPECT_NEAR(test::support_gap(*pair.A, pair.a(t), *pair.B, pair.b(t), found.n), found.s,
                  1e-12);
    }
    kept += plane.counts().kept;
    adjacent += plane.counts().adjacent;
    full += plane.counts().full;
    proofs += plane.counts().proofs_kept;
  }
  EXPECT_GT(separated, 500);
  EXPECT_GT(steps - separated, 500);
  EXPECT_GT(kept, 9 * separated / 10);  // coherence
  EXPECT_GT(adjacent, 0);
  EXPECT_GT(proofs, 8 * (steps - separated) / 10);
  EXPECT_EQ(kept + adjacent + full + proofs, steps);
}

TEST(SeparatingPlane, LooksAtFewVerticesWhenClimbing) {
  Random random(13);
  std::vector<Vec3> points;
  for (int i = 0; i < 100; ++i) points.push_back(random.direction(3));
  const Polytope A(3, points), B(3, points);
  SeparatingPlane climbing(A, B, 1e-9), all(A, B, 1e-9, false);
  for (int i = 0; i < 100; ++i) {
    const Pose a{{0.0, 0.0, 2.1}, Eigen::AngleAxisd(0.002 * i, Vec3::UnitX()).toRotationMatrix()};
    ASSERT_TRUE(climbing.update(a, {}).separated);
    ASSERT_TRUE(all.update(a, {}).separated);
  }
  EXPECT_LT(4 * climbing.counts().vertices, all.counts().vertices);
}

// X20: equal cubes, one lowered into the other with coinciding faces: no vertex is inside, no edge
// crosses a face, and yet they penetrate.
TEST(SeparatingPlane, FlagsStackedEqualCubesWithoutAProof) {
  const auto cube = box(3, Vec3::Ones());
  SeparatingPlane plane(*cube, *cube, 1e-9);
  EXPECT_TRUE(plane.update({{0.0, 0.0, 1.0}, Mat3::Identity()}, {}).separated);
  const auto& found = plane.update({{0.0, 0.0, 0.99}, Mat3::Identity()}, {});
  EXPECT_FALSE(found.separated);
  EXPECT_EQ(found.penetration.kind, PenetrationWitness::Kind::none);
  EXPECT_NEAR(found.s, -0.01, 1e-15);
  // Shifted sideways there is a proof, and it is tried first from then on.
  EXPECT_EQ(plane.update({{0.2, 0.1, 0.99}, Mat3::Identity()}, {}).penetration.kind,
            PenetrationWitness::Kind::vertex_of_a);
  plane.update({{0.2, 0.1, 0.98}, Mat3::Identity()}, {});
  EXPECT_EQ(plane.counts().proofs_kept, 1);
  EXPECT_TRUE(plane.update({{0.2, 0.1, 1.001}, Mat3::Identity()}, {}).separated);
}

TEST(SeparatingPlane, CrossedBarsArePenetratingByTheirEdges) {
  const auto bar = box(3, {4.0, 1.0, 1.0});
  SeparatingPlane plane(*bar, *bar, 1e-9);
  const Pose crossed{{0.0, 0.0, 0.9}, Eigen::AngleAxisd(1.2, Vec3::UnitZ()).toRotationMatrix()};
  const auto& found = plane.update(crossed, {});
  EXPECT_FALSE(found.separated);
  EXPECT_EQ(found.penetration.kind, PenetrationWitness::Kind::edge_of_a);
}

}  // namespace

}  // namespace touchstone

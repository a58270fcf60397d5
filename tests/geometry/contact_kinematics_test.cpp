#include "geometry/contact_kinematics.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "geometry/contact_region.hpp"
#include "tests/geometry/support.hpp"

namespace touchstone {

namespace {

using Kind = ContactFeature::Kind;
using test::Random;

/// A body with constant v̇ and ω̇ at t = 0: x + vt + ½v̇t², exp(ωt + ½ω̇t²)R.
struct Mover {
  Pose start;
  Vec3 v, w, dv, dw;

  Mover(Random& random, const Pose& pose, int dim)
      : start(pose),
        v(random.point(dim, 1.0)),
        w(turn(random, dim)),
        dv(random.point(dim, 1.0)),
        dw(turn(random, dim)) {}

  static Vec3 turn(Random& random, int dim) {
    return dim == 3 ? random.point(3, 1.0) : Vec3(0.0, 0.0, random.uniform(-1.0, 1.0));
  }
  Pose at(double t) const {
    const Vec3 turn = w * t + 0.5 * dw * t * t;
    Pose pose{start.x + v * t + 0.5 * dv * t * t, start.R};
    if (turn.norm() > 0.0)
      pose.R = Eigen::AngleAxisd(turn.norm(), turn.normalized()).toRotationMatrix() * start.R;
    return pose;
  }
  Motion motion() const { return {start.x, v, w}; }
};

/// Central differences of sixth order.
template <class F>
std::pair<double, double> differences(F f, double h) {
  const double p1 = f(h), m1 = f(-h), p2 = f(2 * h), m2 = f(-2 * h), p3 = f(3 * h), m3 = f(-3 * h);
  const double first = (45 * (p1 - m1) - 9 * (p2 - m2) + (p3 - m3)) / (60 * h);
  const double second =
      (270 * (p1 + m1) - 27 * (p2 + m2) + 2 * (p3 + m3) - 490 * f(0.0)) / (180 * h * h);
  return {first, second};
}

struct Scene {
  std::shared_ptr<const ConvexSet> A, B;
  Mover a, b;
};

/// The gap of the contact point with this number at time t, from the geometry alone.
double gap_at(const Scene& s, double t, int feature) {
  for (const ContactPoint& c : test::contacts(*s.A, s.a.at(t), *s.B, s.b.at(t), 10.0))
    if (c.feature == feature) return c.gap;
  return std::numeric_limits<double>::quiet_NaN();
}

void expect_derivatives(const Scene& s, const ContactPoint& point) {
  const FeaturePair features = contact_features(*s.A, s.a.start, *s.B, s.b.start, point);
  const ContactKinematics k =
      contact_kinematics(s.A->dim(), point, features, s.a.motion(), s.b.motion());
  const auto [first, second] =
      differences([&](double t) { return gap_at(s, t, point.feature); }, 5e-4);
  EXPECT_NEAR(k.rate, first, 1e-8);
  EXPECT_NEAR(k.second(s.a.dv, s.a.dw, s.b.dv, s.b.dw), second, 1e-6);
  EXPECT_NEAR(k.second(Vec3::Zero(), Vec3::Zero(), Vec3::Zero(), Vec3::Zero()), k.bias, 1e-12);
}

ContactPoint only_contact(const Scene& s) {
  const auto all = test::contacts(*s.A, s.a.start, *s.B, s.b.start, 10.0);
  EXPECT_EQ(all.size(), 1u);
  return all.at(0);
}

/// B (or A) moved along the normal until the gap is the one asked for.
Pose shifted(const Pose& pose, const Vec3& by) { return {pose.x + by, pose.R}; }

/// A pair brought to the given gap at whatever features lie nearest.
Scene brought_together(Random& random, std::shared_ptr<const ConvexSet> A,
                       std::shared_ptr<const ConvexSet> B, double gap) {
  const int dim = A->dim();
  Pose a{4.0 * random.direction(dim), random.rotation(dim)};
  const Pose b{B->bounded() ? Vec3(0.3 * random.direction(dim)) : Vec3(Vec3::Zero()),
               random.rotation(dim)};
  for (int i = 0; i < 3; ++i) {  // once is exact; again removes round-off
    const auto all = test::contacts(*A, a, *B, b, 20.0);
    a = shifted(a, (gap - all.front().gap) * all.front().normal);
  }
  return {A, B, Mover(random, a, dim), Mover(random, b, dim)};
}

Kind kind_of(const Scene& s, const ContactPoint& c, bool of_b) {
  const FeaturePair f = contact_features(*s.A, s.a.start, *s.B, s.b.start, c);
  return of_b ? f.b.kind : f.a.kind;
}

TEST(ContactKinematics, SmoothAgainstSmoothAndHalfSpace) {
  Random random(1);
  for (int i = 0; i < 40; ++i) {
    const int dim = i % 2 ? 2 : 3;
    std::shared_ptr<const ConvexSet> B = random.ellipsoid(dim);
    if (i % 4 >= 2) B = std::make_shared<HalfSpace>(dim, random.direction(dim), 0.1);
    const Scene s = brought_together(random, random.ellipsoid(dim), B, i % 3 ? 0.0 : 0.05);
    expect_derivatives(s, only_contact(s));
  }
}

TEST(ContactKinematics, SmoothAgainstFaceEdgeAndVertexOfAPolytope) {
  Random random(2);
  std::map<Kind, int> seen;
  for (int i = 0; i < 240; ++i) {
    const int dim = i % 4 == 3 ? 2 : 3;
    std::shared_ptr<const ConvexSet> A = random.ball(dim), B = random.polytope(dim, 9);
    if (i % 2) A = random.ellipsoid(dim);
    const bool swapped = i % 5 == 0;
    if (swapped) std::swap(A, B);
    const Scene s = brought_together(random, A, B, i % 3 ? 1e-13 : 0.07);
    const ContactPoint c = only_contact(s);
    const Kind kind = kind_of(s, c, !swapped);
    // The feature must be the same over the whole stencil: a foot or a normal near the border of
    // two features is left out.
    bool same = true;
    for (const double t : {-1.5e-3, 1.5e-3}) {
      const auto moved = test::contacts(*A, s.a.at(t), *B, s.b.at(t), 10.0).front();
      const FeaturePair f = contact_features(*A, s.a.at(t), *B, s.b.at(t), moved);
      same = same && (swapped ? f.a.kind : f.b.kind) == kind;
    }
    if (!same) continue;
    ++seen[kind];
    expect_derivatives(s, c);
  }
  EXPECT_GE(seen[Kind::face], 20);
  EXPECT_GE(seen[Kind::edge], 20);
  EXPECT_GE(seen[Kind::vertex], 20);
}

// Polytopes: the gap of a vertex is its height over the facet's plane, that of two edges the
// distance of their lines; both are written out here.
TEST(ContactKinematics, VertexAgainstFaceEitherWay) {
  Random random(3);
  for (int i = 0; i < 40; ++i) {
    const int dim = i % 2 ? 2 : 3;
    const auto A = random.polytope(dim, 10), B = random.polytope(dim, 10);
    const bool a_has_vertex = i % 4 < 2;
    const auto& V = a_has_vertex ? A : B;
    const auto& F = a_has_vertex ? B : A;
    Mover v(random, random.pose(dim, 1.0), dim), f(random, random.pose(dim, 1.0), dim);
    const int vertex = i % static_cast<int>(V->vertices().size()), facet = i % F->count();
    const auto height = [&](double t) {
      const Vec3 m = f.at(t).R * F->facets()[facet].normal;
      return m.dot(v.at(t).to_world(V->vertices()[vertex]) -
                   f.at(t).to_world(F->vertices()[F->facets()[facet].vertices[0]]));
    };
    const Vec3 m = f.start.R * F->facets()[facet].normal;
    const Vec3 on_v = v.start.to_world(V->vertices()[vertex]), on_f = on_v - height(0.0) * m;
    ContactPoint c{on_v, on_f, m, height(0.0), 0};
    c.feature = pair_id(*B, vertex_id(*A, vertex), facet_id(*B, facet));
    if (!a_has_vertex) {
      c = {on_f, on_v, -m, height(0.0), pair_id(*B, facet_id(*A, facet), vertex_id(*B, vertex))};
    }
    const Mover &a = a_has_vertex ? v : f, &b = a_has_vertex ? f : v;
    const FeaturePair pair = contact_features(*A, a.start, *B, b.start, c);
    EXPECT_EQ(pair.a.kind, a_has_vertex ? Kind::vertex : Kind::face);
    EXPECT_EQ(pair.b.kind, a_has_vertex ? Kind::face : Kind::vertex);
    const ContactKinematics k = contact_kinematics(dim, c, pair, a.motion(), b.motion());
    const auto [first, second] = differences(height, 5e-3);
    EXPECT_NEAR(k.rate, first, 1e-9);
    EXPECT_NEAR(k.second(a.dv, a.dw, b.dv, b.dw), second, 1e-8);
    // The closed form at zero gap, here at the vertex: n·(P_A − P_B) + 2ṅ·s.
    const Vec3 n_rate = f.w.cross(c.normal);
    EXPECT_LT((k.n_rate - n_rate).norm(), 1e-12);
  }
}

TEST(ContactKinematics, EdgeAgainstEdge) {
  Random random(4);
  for (int i = 0; i < 40; ++i) {
    const auto A = random.polytope(3, 10), B = random.polytope(3, 10);
    const int ea = i % static_cast<int>(A->edges().size());
    const int eb = (7 * i) % static_cast<int>(B->edges().size());
    Mover a(random, random.pose(3, 1.0), 3), b(random, random.pose(3, 1.0), 3);
    const Vec3 a0 = A->vertices()[A->edges()[ea][0]], a1 = A->vertices()[A->edges()[ea][1]];
    const Vec3 b0 = B->vertices()[B->edges()[eb][0]], b1 = B->vertices()[B->edges()[eb][1]];
    const auto lines = [&](double t) {
      ContactPoint c;
      const Vec3 p = a.at(t).to_world(a0), u = a.at(t).R * (a1 - a0);
      const Vec3 q = b.at(t).to_world(b0), w = b.at(t).R * (b1 - b0);
      c.normal = u.cross(w).normalized();
      c.gap = c.normal.dot(p - q);
      c.on_a = p + (q - p).dot(w.cross(c.normal)) / u.dot(w.cross(c.normal)) * u;
      c.on_b = c.on_a - c.gap * c.normal;
      return c;
    };
    ContactPoint c = lines(0.0);
    c.feature = pair_id(*B, edge_id(*A, A->edges()[ea][0], A->edges()[ea][1]),
                        edge_id(*B, B->edges()[eb][0], B->edges()[eb][1]));
    const FeaturePair pair = contact_features(*A, a.start, *B, b.start, c);
    ASSERT_EQ(pair.a.kind, Kind::edge);
    ASSERT_EQ(pair.b.kind, Kind::edge);
    if (pair.a.edge.cross(pair.b.edge).norm() < 0.2) continue;  // differences too steep
    const ContactKinematics k = contact_kinematics(3, c, pair, a.motion(), b.motion());
    const auto [first, second] = differences([&](double t) { return lines(t).gap; }, 2e-3);
    EXPECT_NEAR(k.rate, first, 1e-8 * (1.0 + std::abs(first)));
    EXPECT_NEAR(k.second(a.dv, a.dw, b.dv, b.dw), second, 1e-6 * (1.0 + std::abs(second)));
    // The travel of the points, which rolling contact needs.
    const double h = 1e-4;
    const Vec3 moved = (lines(h).on_a - lines(-h).on_a) / (2.0 * h);
    EXPECT_LT((moved - (a.v + a.w.cross(k.r_a) + k.path_a)).norm(), 1e-5 * (1.0 + moved.norm()));
  }
}

// T21: e_a = x, e_b = (.6, .8, 0).
TEST(ContactKinematics, EdgeNormalTurnsAsInTheCourseNotes) {
  const FeaturePair pair{{.kind = Kind::edge, .edge = Vec3::UnitX()},
                         {.kind = Kind::edge, .edge = {0.6, 0.8, 0.0}}};
  const ContactPoint c{Vec3::Zero(), Vec3::Zero(), Vec3::UnitZ(), 0.0, 0};
  const Motion a{Vec3::Zero(), Vec3::Zero(), {0.3, -0.7, 0.2}};
  const Motion b{Vec3::Zero(), Vec3::Zero(), {-0.5, 0.1, 0.9}};
  EXPECT_LT((contact_kinematics(3, c, pair, a, b).n_rate - Vec3(-0.7, 1.1, 0.0)).norm(), 1e-14);
}

// T20: a plane turns with ω about y through the pivot while a particle at x moves outwards with u.
TEST(ContactKinematics, CoriolisTermOfATurningPlane) {
  const double w = 0.7, u = 1.3, x = 2.0;
  const FeaturePair pair{{.kind = Kind::vertex}, {.kind = Kind::face}};
  const ContactPoint c{{x, 0.0, 0.0}, {x, 0.0, 0.0}, Vec3::UnitZ(), 0.0, 0};
  const Motion particle{{x, 0.0, 0.0}, {u, 0.0, -w * x}, Vec3::Zero()};
  const Motion plane{Vec3::Zero(), Vec3::Zero(), {0.0, w, 0.0}};
  const ContactKinematics k = contact_kinematics(3, c, pair, particle, plane);
  EXPECT_NEAR(k.rate, 0.0, 1e-15);
  EXPECT_NEAR(k.bias, 2.0 * w * u, 1e-14);
}

// T13: a cube over the edge of a table meets it in two vertices and two crossings of edges.
TEST(ContactKinematics, ContactPolygonOfAnOverhangingCubeNamesItsFeatures) {
  const auto cube = box(3, Vec3::Ones()), table = box(3, {4.0, 4.0, 1.0});
  const Pose on_edge{{2.2, 0.1, 1.0}, Mat3::Identity()};
  int vertex_face = 0, edge_edge = 0;
  for (const ContactPoint& c : test::contacts(*cube, on_edge, *table, {}, 1e-6)) {
    const FeaturePair pair = contact_features(*cube, on_edge, *table, {}, c);
    vertex_face += pair.a.kind == Kind::vertex && pair.b.kind == Kind::face;
    edge_edge += pair.a.kind == Kind::edge && pair.b.kind == Kind::edge;
    EXPECT_NO_THROW(contact_kinematics(3, c, pair, {}, {}));
  }
  EXPECT_EQ(vertex_face, 2);
  EXPECT_EQ(edge_edge, 2);
}

TEST(ContactKinematics, RefusesConformingAndDegenerateContactWithTheCause) {
  const ContactPoint c{Vec3::Zero(), Vec3::Zero(), Vec3::UnitZ(), 0.0, 0};
  const Motion still;
  const auto refused = [&](const ContactFeature& a, const ContactFeature& b, const char* cause) {
    try {
      contact_kinematics(3, c, {a, b}, still, still);
      ADD_FAILURE() << "accepted " << to_string(a.kind) << " on " << to_string(b.kind);
    } catch (const NoGapDerivative& error) {
      EXPECT_NE(std::string(error.what()).find(cause), std::string::npos) << error.what();
    }
  };
  const ContactFeature vertex{.kind = Kind::vertex}, face{.kind = Kind::face};
  const ContactFeature edge{.kind = Kind::edge, .edge = Vec3::UnitX()};
  ContactFeature cylinder{.kind = Kind::smooth};  // axis y
  cylinder.curvature(0, 0) = 2.0;
  ContactFeature hollow = cylinder;
  hollow.curvature(0, 0) = -2.0;
  refused(face, face, "face on face");
  refused(cylinder, face, "conforming");
  refused(cylinder, hollow, "conforming");
  refused(edge, edge, "edge on edge");
  refused(edge, face, "conforming");
  refused(vertex, vertex, "no normal");
  refused(vertex, edge, "degenerate");
  // The same features are fine where they determine the points: the cylinder across the edge, and a
  // vertex at a distance from an edge.
  const ContactFeature along_y{.kind = Kind::edge, .edge = Vec3::UnitY()};
  EXPECT_NO_THROW(contact_kinematics(3, c, {cylinder, edge}, still, still));
  EXPECT_THROW(contact_kinematics(3, c, {cylinder, along_y}, still, still), NoGapDerivative);
  const ContactPoint apart{{0.0, 0.0, 0.1}, Vec3::Zero(), Vec3::UnitZ(), 0.1, 0};
  EXPECT_NO_THROW(contact_kinematics(3, apart, {vertex, edge}, still, still));
}

}  // namespace

}  // namespace touchstone

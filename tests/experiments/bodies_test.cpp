#include "experiments/harness/bodies.hpp"

#include <gtest/gtest.h>

#include <numbers>
#include <set>

#include "experiments/harness/provenance.hpp"
#include "geometry/curved_shapes.hpp"
#include "geometry/implicit_set.hpp"
#include "geometry/shapes.hpp"

/// bodies.json: what a drawing of a run's motion needs, as results/README.md promises it.

namespace touchstone {
namespace {

using Shape = std::shared_ptr<const ConvexSet>;

Json written(const Body& body, std::vector<Body> others = {}, std::vector<Joint> joints = {}) {
  const int dim = body.shape->dim();
  others.insert(others.begin(), body);
  return Json::parse(bodies_json(World(dim, -Vec3::Unit(dim - 1), others, {}, {}, joints)));
}

Json shape_of(const Shape& shape) {
  return written({.name = "body", .shape = shape}).at("bodies").at(0);
}

std::vector<Vec3> vertices_of(const Json& body) {
  std::vector<Vec3> list;
  for (const Json& x : body.at("vertices"))
    list.emplace_back(x.at(0), x.at(1), x.size() == 3 ? x.at(2).get<double>() : 0.0);
  return list;
}

/// Six times the volume below a face loop and a point, by triangles from its first vertex.
double six_volumes(const std::vector<Vec3>& x, const std::vector<std::size_t>& loop) {
  double sum = 0.0;
  for (std::size_t k = 2; k < loop.size(); ++k)
    sum += x[loop[0]].dot(x[loop[k - 1]].cross(x[loop[k]]));
  return sum;
}

struct Solid {
  const char* name;
  Shape shape;
  double volume = shape->mass_properties(1.0).mass;
};

class Meshes : public testing::TestWithParam<Solid> {};

TEST_P(Meshes, AreClosedInscribedAndNearlyAsLargeAsTheSet) {
  const ConvexSet& set = *GetParam().shape;
  const Json body = shape_of(GetParam().shape);
  EXPECT_EQ(body.at("shape"), set.kind());
  const std::vector<Vec3> x = vertices_of(body);
  for (const Vec3& v : x)
    EXPECT_NEAR(set.largest_value(v), 0.0, 1e-6) << v.transpose() << " is not on the surface";
  std::set<std::pair<std::size_t, std::size_t>> edges;
  double volume = 0.0;
  for (const Json& face : body.at("faces")) {
    const std::vector<std::size_t> loop = face;
    ASSERT_GE(loop.size(), 3u);
    for (std::size_t k = 0; k < loop.size(); ++k)
      EXPECT_TRUE(edges.emplace(loop[k], loop[(k + 1) % loop.size()]).second) << "edge taken twice";
    volume += six_volumes(x, loop) / 6.0;
  }
  for (const auto& [a, b] : edges) EXPECT_TRUE(edges.contains({b, a})) << "the mesh has a hole";
  EXPECT_EQ(x.size() + body.at("faces").size(), edges.size() / 2 + 2) << "Euler's formula";
  EXPECT_LE(volume, GetParam().volume * (1.0 + 1e-6));
  EXPECT_GE(volume, 0.9 * GetParam().volume);
}

/// Two balls of radius 1 at the distance 1: a lens of volume 5π/12.
Shape lens() {
  const auto ball = std::make_shared<Ball>(3, 1.0);
  return std::make_shared<Intersection>(
      3, std::vector<Intersection::Member>{{ball}, {ball, {.x = Vec3(0.0, 0.0, 1.0)}}});
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, Meshes,
    testing::Values(Solid{"box", box(3, {1.0, 2.0, 3.0})},
                    Solid{"sphere", std::make_shared<Ball>(3, 0.7)},
                    Solid{"ellipsoid", std::make_shared<Ellipsoid>(3, Vec3(1.0, 0.5, 0.3))},
                    Solid{"superquadric",
                          std::make_shared<Superquadric>(3, Vec3(1.0, 0.5, 0.8), 6.0)},
                    Solid{"cylinder", std::make_shared<Cylinder>(0.4, 1.1)},
                    Solid{"intersection", lens(), 5.0 * std::numbers::pi / 12.0}),
    [](const auto& instance) { return instance.param.name; });

TEST(Outlines, GoAroundOnceAndLieOnTheSurface) {
  const std::vector<Shape> shapes{std::make_shared<Ball>(2, 0.3),
                                  std::make_shared<Ellipsoid>(2, Vec3(2.0, 0.4, 1.0)),
                                  std::make_shared<Superquadric>(2, Vec3(1.0, 0.5, 1.0), 8.0)};
  for (const Shape& shape : shapes) {
    SCOPED_TRACE(shape->kind());
    const std::vector<Vec3> x = vertices_of(shape_of(shape));
    double area = 0.0, turned = 0.0;
    for (std::size_t k = 0; k < x.size(); ++k) {
      const Vec3 &a = x[k], &b = x[(k + 1) % x.size()];
      EXPECT_NEAR(shape->largest_value(a), 0.0, 1e-9);
      area += 0.5 * a.cross(b).z();
      turned += std::atan2(a.cross(b).z(), a.dot(b));
    }
    EXPECT_NEAR(turned, 2.0 * std::numbers::pi, 1e-12) << "counter-clockwise, once";
    EXPECT_GE(area, 0.99 * shape->mass_properties(1.0).mass);
  }
}

TEST(Outlines, OfPolygonsAreExactUnlessThereAreThousandsOfVertices) {
  const auto hexagon = regular_polygon(6, 0.2);
  const std::vector<Vec3> x = vertices_of(shape_of(hexagon));
  EXPECT_EQ(x, std::vector<Vec3>(hexagon->vertices().begin(), hexagon->vertices().end()));
  EXPECT_LE(vertices_of(shape_of(regular_polygon(6000, 1.0))).size(), 200u);
}

TEST(Dimensions, OfNamedShapesAreExact) {
  EXPECT_EQ(shape_of(std::make_shared<Ball>(3, 0.7)).at("semi_axes"), Json({0.7, 0.7, 0.7}));
  const Json die = shape_of(std::make_shared<Superquadric>(3, Vec3(1.0, 0.5, 0.8), 6.0));
  EXPECT_EQ(die.at("semi_axes"), Json({1.0, 0.5, 0.8}));
  EXPECT_EQ(die.at("exponent"), 6.0);
  const Json drum = shape_of(std::make_shared<Cylinder>(0.4, 1.1));
  EXPECT_EQ(drum.at("radius"), 0.4);
  EXPECT_EQ(drum.at("height"), 1.1);
}

TEST(Poses, AreGivenForFixedBodiesOnly) {
  Body wall{.name = "wall", .shape = std::make_shared<HalfSpace>(2, Vec3(0.0, 2.0, 0.0), 0.5)};
  wall.fixed = true;
  wall.position = {3.0, -1.0, 0.0};
  wall.angle = 0.25;
  const Json bodies = written({.name = "block", .shape = box(2, {1, 1, 0})}, {wall}).at("bodies");
  EXPECT_EQ(bodies[0].at("fixed"), false);
  EXPECT_FALSE(bodies[0].contains("position"));
  EXPECT_EQ(bodies[1].at("position"), Json({3.0, -1.0}));
  EXPECT_EQ(bodies[1].at("angle"), 0.25);
  EXPECT_EQ(bodies[1].at("normal"), Json({0.0, 1.0}));
  EXPECT_EQ(bodies[1].at("offset"), 0.25);  // along the unit normal
  EXPECT_FALSE(bodies[1].contains("vertices"));
}

TEST(Joints, AreAttachedWhereTheyWereAsked) {
  std::vector<Body> bodies{{.name = "a", .shape = box(3, {1, 1, 1})},
                           {.name = "b", .shape = box(3, {1, 1, 1})}};
  bodies[1].position = {3.0, 0.0, 0.0};
  bodies[1].orientation = Eigen::AngleAxisd(std::numbers::pi / 2, Vec3::UnitZ());
  const Joint rod = distance_joint("rod", bodies, 0, 1, {0.5, 0.0, 0.0}, {2.5, 0.0, 0.0});
  const Json joint = written(bodies[0], {bodies[1]}, {rod}).at("joints").at(0);
  EXPECT_EQ(joint.at("kind"), "distance");
  EXPECT_EQ(joint.at("bodies"), Json({"a", "b"}));
  EXPECT_EQ(joint.at("points").at(0), Json({0.5, 0.0, 0.0}));
  EXPECT_NEAR(joint.at("points").at(1).at(1).get<double>(), 0.5, 1e-15);  // turned into b's frame
}

}  // namespace
}  // namespace touchstone

#include "experiments/scene.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <numbers>

#include "experiments/shapes.hpp"
#include "formulations/formulation.hpp"
#include "geometry/shapes.hpp"
#include "tests/experiments/scene_files.hpp"

namespace touchstone {
namespace {

TEST(SceneFile, ReadsBodiesAndDefaults) {
  const Scene scene = read(planar);
  EXPECT_EQ(scene.name, "scene");
  EXPECT_EQ(scene.world.dim(), 2);
  EXPECT_EQ(scene.world.gravity(), Vec3(0.0, -9.81, 0.0));
  EXPECT_FALSE(scene.formulation);
  EXPECT_EQ(scene.parameters.real("h"), 0.01);
  EXPECT_EQ(scene.parameters.real("t_end"), 1.0);
  EXPECT_EQ(scene.parameters.integer("record_every"), 1);
  const Body& ball = scene.world.body(scene.world.index("ball"));
  EXPECT_EQ(ball.mass, 2.0);
  EXPECT_DOUBLE_EQ(ball.inertia(2, 2), 1.0);  // ½ m r²
  EXPECT_EQ(ball.position, Vec3(0.0, 1.0, 0.0));
  EXPECT_EQ(read(spatial).world.gravity(), Vec3(0.0, 0.0, -9.81));
}

TEST(SceneFile, ReadsEveryKeyOfABody) {
  const Scene flat = read(with_line(
      planar, 12,
      "angle = 0.5\nvelocity = [1, 2]\nangular_velocity = 3\nforce = [4, 5]\ntorque = 6"));
  const Body& ball = flat.world.body(1);
  EXPECT_EQ(ball.angle, 0.5);
  EXPECT_EQ(ball.twist.v, Vec3(1, 2, 0));
  EXPECT_EQ(ball.twist.w, Vec3(0, 0, 3));
  EXPECT_EQ(ball.applied.force, Vec3(4, 5, 0));
  EXPECT_EQ(ball.applied.torque, Vec3(0, 0, 6));

  const Scene solid = read(with_line(spatial, 12, "axis_angle = [0, 0, 2, 1.5707963267948966]"));
  const Body& box = solid.world.body(1);
  EXPECT_LT((box.orientation * Vec3::UnitX() - Vec3::UnitY()).norm(), 1e-15);
  const double m = 2.0 / 12.0;
  EXPECT_NEAR(box.inertia(0, 0), m * (4.0 + 16.0), 1e-12);
  EXPECT_NEAR(box.inertia(2, 2), m * (1.0 + 4.0), 1e-12);
}

TEST(SceneFile, MassAndInertiaCanBeGiven) {
  EXPECT_EQ(read(with_line(planar, 10, "mass = 2\ninertia = 7")).world.body(1).inertia(2, 2), 7.0);
  const Scene disc = read(with_line(planar, 10, "density = 3"));
  EXPECT_NEAR(disc.world.body(1).mass, 3.0 * std::numbers::pi, 1e-12);
  EXPECT_NEAR(disc.world.body(1).inertia(2, 2), 1.5 * std::numbers::pi, 1e-12);
  const Scene principal = read(with_line(spatial, 10, "mass = 2\ninertia = [1, 2, 2.5]"));
  EXPECT_EQ(principal.world.body(1).inertia.diagonal(), Vec3(1, 2, 2.5));
  const Scene full =
      read(with_line(spatial, 10, "mass = 2\ninertia = [[2, 0.1, 0], [0.1, 2, 0], [0, 0, 3]]"));
  EXPECT_EQ(full.world.body(1).inertia(0, 1), 0.1);
}

TEST(SceneFile, PolytopeIsRecentredWhenItsMassComesFromTheShape) {
  const std::string triangle =
      "shape = { kind = \"polytope\", vertices = [[0, 0], [3, 0], [0, 3]] }";
  const Lines lines = with_line(planar, 9, triangle);
  const Scene recentred = read(lines);
  const Body& body = recentred.world.body(1);
  Vec3 sum = Vec3::Zero();
  for (const Vec3& vertex : body.shape->vertices()) sum += vertex;
  EXPECT_LT(sum.norm(), 1e-12);  // a triangle's centroid is the mean of its vertices
  EXPECT_EQ(body.position, Vec3(0.0, 1.0, 0.0));
  // Its own mass and inertia: the frame is as given.
  const Scene given = read(with_line(lines, 10, "mass = 2\ninertia = 1"));
  EXPECT_NEAR(given.world.body(1).shape->support(Vec3(1, 0, 0)).x(), 3.0, 1e-15);
}

TEST(SceneFile, OverridesWinOverTheFileAndPairsOverTheLaw) {
  const Lines full = with_line(planar, 12,
                               "[run]\nh = 0.5\n[law]\nmu = 0.2\nrestitution = 0.1\n"
                               "[[body]]\nname = \"other\"\nmass = 1\nposition = [5, 5]\n"
                               "shape = { kind = \"ellipse\", semi_axes = [1, 2] }\n"
                               "[[pair]]\nbodies = [\"ground\", \"ball\"]\nmu = 0.7");
  const Scene scene = read(full, {"h=0.25", "mu=0.3"});
  EXPECT_EQ(scene.parameters.real("h"), 0.25);
  for (const Pair& pair : scene.world.pairs()) {
    const bool special =
        scene.world.body(pair.b).name == "ground" && scene.world.body(pair.a).name == "ball";
    EXPECT_EQ(pair.law.mu, special ? 0.7 : 0.3);
    EXPECT_EQ(pair.law.restitution, 0.1);
  }
  EXPECT_EQ(scene.world.pairs().size(), 3u);
}

TEST(SceneFile, EveryShapeIsRegisteredAndCanBeRead) {
  const std::vector<std::string> names = Registry<ShapeEntry>::instance().names();
  EXPECT_THAT(names, testing::IsSupersetOf({"half-space", "disc", "sphere", "ellipse", "ellipsoid",
                                            "regular-polygon", "box", "polytope", "superellipse",
                                            "superquadric", "cylinder"}));
  const auto shape = [](const Lines& base, const std::string& text) {
    const std::string far = base == planar ? "position = [0, 50]" : "position = [0, 0, 50]";
    return read(with_line(with_line(base, 9, "shape = { " + text + " }"), 11, far))
        .world.body(1)
        .shape->kind();
  };
  EXPECT_EQ(shape(planar, "kind = \"disc\", radius = 1"), "disc");
  EXPECT_EQ(shape(planar, "kind = \"ellipse\", semi_axes = [2, 1]"), "ellipse");
  EXPECT_EQ(shape(planar, "kind = \"regular-polygon\", edges = 5, radius = 1"), "polytope");
  EXPECT_EQ(shape(planar, "kind = \"box\", sides = [1, 2]"), "polytope");
  EXPECT_EQ(shape(spatial, "kind = \"sphere\", radius = 1"), "sphere");
  EXPECT_EQ(shape(spatial, "kind = \"ellipsoid\", semi_axes = [3, 2, 1]"), "ellipsoid");
  EXPECT_EQ(shape(planar, "kind = \"superellipse\", semi_axes = [2, 1], exponent = 4"),
            "superellipse");
  EXPECT_EQ(shape(spatial, "kind = \"superquadric\", semi_axes = [3, 2, 1], exponent = 2.5"),
            "superquadric");
  EXPECT_EQ(shape(spatial, "kind = \"cylinder\", radius = 1, height = 2"), "cylinder");
  EXPECT_EQ(shape(spatial, "kind = \"polytope\", vertices = [[0,0,0], [1,0,0], [0,1,0], [0,0,1]]"),
            "polytope");
}

TEST(SceneFile, HalfSpaceTakesNormalAndOffset) {
  const Scene scene =
      read(with_line(planar, 5, "shape = { kind = \"half-space\", normal = [0, 2], offset = -1 }"));
  const auto& ground = dynamic_cast<const HalfSpace&>(*scene.world.body(0).shape);
  EXPECT_EQ(ground.normal(), Vec3(0, 1, 0));
  EXPECT_EQ(ground.offset(), -1.0);
}

// The examples are what users copy: they must stay readable, and their data right.
class ExampleScene : public testing::TestWithParam<std::string> {};

std::filesystem::path example(const std::string& name) {
  const auto root = std::filesystem::path(__FILE__).parent_path().parent_path().parent_path();
  return root / "experiments" / "scenes" / (name + ".toml");
}

TEST_P(ExampleScene, IsReadAndStartsInContactOrAbove) {
  const Scene scene = read_scene(example(GetParam()));
  EXPECT_EQ(scene.name, GetParam());
  EXPECT_FALSE(scene.world.moving().empty());
}

INSTANTIATE_TEST_SUITE_P(Scenes, ExampleScene,
                         testing::Values("block-on-slope", "box-stack", "bouncing-ball",
                                         "spinning-sphere", "rolling-polygon", "four-bar"),
                         [](const auto& given) {
                           std::string name = given.param;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

// Before the foot strikes, time stepping tends to the event-driven motion; the blow stops the
// linkage, which has one degree of freedom.
TEST(SceneFile, FourBarIsTheSameForEveryFormulation) {
  const Scene scene = read_scene(example("four-bar"));
  const auto state_at = [&](const std::string& name, double h, double t_end) {
    const auto formulation = make_formulation(name, scene.world);
    State state = initial_state(scene.world);
    for (int k = 0; k < std::lround(t_end / h); ++k) state = formulation->advance(state, h).next;
    return state;
  };
  const State exact = state_at("baraff-acceleration", 0.01, 0.16);
  const Vec coarse = state_at("stewart-trinkle", 1e-3, 0.16).q;
  const Vec fine = state_at("stewart-trinkle", 5e-4, 0.16).q;
  EXPECT_NEAR((coarse - exact.q).norm() / (fine - exact.q).norm(), 2.0, 0.05);
  // What is left after extrapolation is of second order.
  EXPECT_LT((2.0 * fine - coarse - exact.q).norm(), 0.02 * (fine - exact.q).norm());
  for (const std::string name : {"baraff-acceleration", "stewart-trinkle"}) {
    const State stopped = state_at(name, 2e-3, 0.2);
    EXPECT_LT(stopped.nu.norm(), 1e-9) << name;
  }
}

TEST(SceneFile, SpinningSphereStopsAfterOneSecond) {
  const Scene scene = read_scene(example("spinning-sphere"));
  const Body& sphere = scene.world.body(scene.world.index("sphere"));
  const FrictionLaw& law = scene.world.pairs().at(0).law;
  const double moment = law.mu * law.e_r * sphere.mass * -scene.world.gravity().z();
  EXPECT_NEAR(sphere.twist.w.z() * sphere.inertia(2, 2) / moment, 1.0, 1e-12);
}

TEST(SceneFile, RollingPolygonHasThePublishedEnergy) {
  const Scene scene = read_scene(example("rolling-polygon"));
  EXPECT_NEAR(energy(scene.world, initial_state(scene.world)).kinetic, 6.75, 1e-12);
}

}  // namespace
}  // namespace touchstone

#include "formulations/common/contacts.hpp"

#include <gtest/gtest.h>

#include <random>

#include "formulations/common/friction_polygon.hpp"
#include "geometry/shapes.hpp"

namespace touchstone {

namespace {

Body moving(std::shared_ptr<const ConvexSet> shape, const std::string& name, const Vec3& position) {
  Body body{.name = name, .shape = std::move(shape)};
  const MassProperties unit = body.shape->mass_properties(1.0);
  body.inertia = unit.inertia / unit.mass;
  body.position = position;
  return body;
}

Body ground(int dim) {
  Body body{
      .name = "ground",
      .shape = std::make_shared<HalfSpace>(dim, dim == 2 ? Vec3::UnitY() : Vec3::UnitZ(), 0.0)};
  body.fixed = true;
  return body;
}

struct Scene {
  World world;
  State state;
  Configuration configuration;
  std::vector<Contact> contacts;

  Scene(World w, double h) : world(std::move(w)), state(initial_state(world)) { refresh(h); }
  void refresh(double h) {
    configuration.update(world, state);
    find_contacts(configuration, state, h, contacts);
  }
};

std::vector<Column> normals(const Scene& scene) {
  std::vector<Column> columns;
  for (const Contact& c : scene.contacts)
    columns.push_back(wrench_column(scene.world, scene.configuration, c, c.n));
  return columns;
}

// T11: the cube on a plane, side s, I = ms²/6.
TEST(Delassus, OfACubeOnAPlaneIsTheKnownMatrix) {
  const double side = 0.7;
  Scene scene(
      World(3, {0, 0, -9.81},
            {moving(box(3, Vec3::Constant(side)), "cube", {0, 0, 0.5 * side}), ground(3)}, {}),
      0.01);
  ASSERT_EQ(scene.contacts.size(), 4u);
  const auto W = normals(scene);
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) {
      const Vec3 ri = scene.contacts[static_cast<std::size_t>(i)].point / (0.5 * side);
      const Vec3 rj = scene.contacts[static_cast<std::size_t>(j)].point / (0.5 * side);
      // 4 on the diagonal, 1 for neighbours, −2 for opposite corners: 1 + (3/2)(xᵢxⱼ + yᵢyⱼ)
      const double expected = 1.0 + 1.5 * (ri.x() * rj.x() + ri.y() * rj.y());
      EXPECT_NEAR(delassus(scene.configuration, W[static_cast<std::size_t>(i)],
                           W[static_cast<std::size_t>(j)]),
                  expected, 1e-13);
    }
  Mat A(4, 4);
  delassus(scene.configuration, W, W, A);
  EXPECT_LT(
      (Eigen::SelfAdjointEigenSolver<Mat>(A).eigenvalues() - Eigen::Vector4d(0, 4, 6, 6)).norm(),
      1e-12);
}

// W_nᵀν is the rate of the gap: compare with the gap a moment earlier and later.
TEST(WrenchColumn, NormalVelocityIsTheRateOfTheGap) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> u(-1.0, 1.0);
  const auto vector = [&] { return Vec3(u(random), u(random), u(random)); };
  const std::vector<std::shared_ptr<const ConvexSet>> shapes{
      std::make_shared<Ball>(3, 0.5), std::make_shared<Ellipsoid>(3, Vec3(0.5, 0.3, 0.4))};
  for (int trial = 0; trial < 50; ++trial)
    for (const auto& shape : shapes) {
      Body a = moving(shape, "a", {0.0, 0.0, 1.1}),
           b = moving(std::make_shared<Ball>(3, 0.5), "b", 0.05 * vector());
      for (Body* body : {&a, &b}) {
        body->orientation = Eigen::Quaterniond(Eigen::AngleAxisd(u(random), vector().normalized()));
        body->twist = {vector(), vector()};
      }
      Scene scene(World(3, Vec3::Zero(), {a, b}, {}), 1.0);
      ASSERT_EQ(scene.contacts.size(), 1u);
      const Column n = normals(scene).front();
      const double rate = velocity(scene.world, n, scene.state.nu), h = 1e-5;
      const Vec q = scene.state.q;
      const auto gap_at = [&](double t) {
        scene.state.q = q;
        advance_coordinates(scene.world, scene.state.nu, t, scene.state.q);
        scene.refresh(1.0);
        return scene.contacts.front().gap;
      };
      EXPECT_NEAR((gap_at(h) - gap_at(-h)) / (2.0 * h), rate, 1e-8);
    }
}

TEST(WrenchColumn, TorsionIsTheRelativeSpinAboutTheNormal) {
  Body ball = moving(std::make_shared<Ball>(3, 1.0), "ball", {0, 0, 1});
  ball.twist.w = {0.5, 0.7, 3.0};
  Scene scene(World(3, Vec3::Zero(), {ball, ground(3)}, {}), 0.01);
  ASSERT_EQ(scene.contacts.size(), 1u);
  const Contact& c = scene.contacts.front();
  const auto u = [&](const Vec3& force, const Vec3& moment) {
    return velocity(scene.world, wrench_column(scene.world, scene.configuration, c, force, moment),
                    scene.state.nu);
  };
  EXPECT_DOUBLE_EQ(u(Vec3::Zero(), c.n), 3.0);
  EXPECT_DOUBLE_EQ(u(c.t, Vec3::Zero()), -0.7);  // ω × r with r = −z: (−ω_y, ω_x, 0)
  EXPECT_DOUBLE_EQ(u(c.o, Vec3::Zero()), 0.5);
}

// Poison: what a fixed body's velocity would be must not matter.
TEST(WrenchColumn, FixedBodiesTakeNoPart) {
  Scene scene(World(2, Vec3::Zero(),
                    {moving(std::make_shared<Ball>(2, 1.0), "disc", {0, 1, 0}), ground(2)}, {}),
              0.01);
  const Column n = normals(scene).front();
  EXPECT_EQ(n.b, -1);
  EXPECT_DOUBLE_EQ(delassus(scene.configuration, n, n), 1.0);
  Vec nu = Vec::Zero(3);
  apply_impulse(scene.configuration, n, 2.0, nu);
  EXPECT_EQ(nu, (Vec(3) << 0.0, 2.0, 0.0).finished());
}

TEST(WrenchColumn, ImpulsesConserveMomentumAtAnyGap) {
  Body a = moving(std::make_shared<Ball>(3, 0.5), "a", {0.0, 0.3, 1.4}),
       b = moving(std::make_shared<Ball>(3, 0.5), "b", {0, 0, 0});
  Scene scene(World(3, {0, 0, -50.0}, {a, b}, {}), 1.0);
  ASSERT_EQ(scene.contacts.size(), 1u);
  ASSERT_GT(scene.contacts.front().gap, 0.1);
  for (const Vec3& force :
       {scene.contacts.front().n, scene.contacts.front().t, scene.contacts.front().o})
    apply_impulse(scene.configuration,
                  wrench_column(scene.world, scene.configuration, scene.contacts.front(), force),
                  3.0, scene.state.nu);
  const Momentum p = momentum(scene.world, scene.state);
  EXPECT_LT(p.linear.norm() + p.angular.norm(), 1e-14);
}

TEST(Tangents, AreRightHandedAndTheDocumentedOnes) {
  Contact c;
  c.n = Vec3::UnitY();
  set_tangents(2, c);
  EXPECT_EQ(c.t, Vec3::UnitX());
  c.n = Vec3::UnitZ();
  set_tangents(3, c);
  EXPECT_EQ(c.t, Vec3::UnitX());
  EXPECT_EQ(c.o, Vec3::UnitY());
  std::mt19937 random(3);
  std::normal_distribution<double> normal;
  for (int k = 0; k < 1000; ++k) {
    c.n = Vec3(normal(random), normal(random), normal(random)).normalized();
    set_tangents(3, c);
    const Mat3 frame = (Mat3() << c.n, c.t, c.o).finished();
    EXPECT_LT((frame.transpose() * frame - Mat3::Identity()).norm(), 1e-14);
    EXPECT_NEAR(frame.determinant(), 1.0, 1e-14);
  }
}

TEST(FrictionPolygon, IsInscribedInTheEllipsoidAndBalanced) {
  const FrictionLaw law{.mu = 0.4, .e_t = 1.0, .e_o = 0.5, .e_r = 0.3};
  std::vector<FrictionDirection> directions;
  for (const int d : {3, 4, 5, 8, 16}) {
    friction_directions(3, d, law, directions);
    ASSERT_EQ(static_cast<int>(directions.size()), d + 2);
    Vec3 sum = Vec3::Zero();
    for (const FrictionDirection& k : directions) {
      EXPECT_NEAR(Vec3(k.t / law.e_t, k.o / law.e_o, k.r / law.e_r).norm(), 1.0, 1e-14);
      sum += Vec3(k.t, k.o, k.r);
    }
    EXPECT_LT(sum.norm(), 1e-14);  // positively spanning: rest needs no friction
  }
  friction_directions(3, 8, {.mu = 0.4}, directions);
  EXPECT_EQ(directions.size(), 8u);
  friction_directions(3, 8, {.mu = 0.0}, directions);
  EXPECT_TRUE(directions.empty());
  friction_directions(2, 8, law, directions);
  ASSERT_EQ(directions.size(), 2u);
  EXPECT_EQ(directions[0].t, -directions[1].t);
}

TEST(ContactName, TellsFeaturesApartOnlyWhereThereAreSeveral) {
  Scene box_scene(
      World(2, Vec3::Zero(), {moving(box(2, {1, 1, 0}), "box", {0, 0.5, 0}), ground(2)}, {}), 0.01);
  ASSERT_EQ(box_scene.contacts.size(), 2u);
  EXPECT_NE(contact_name(box_scene.world, box_scene.contacts[0]),
            contact_name(box_scene.world, box_scene.contacts[1]));
  EXPECT_EQ(contact_name(box_scene.world, box_scene.contacts[0]).substr(0, 11), "box/ground#");
  Scene disc_scene(
      World(2, Vec3::Zero(), {moving(std::make_shared<Ball>(2, 1.0), "disc", {0, 1, 0}), ground(2)},
            {}),
      0.01);
  EXPECT_EQ(contact_name(disc_scene.world, disc_scene.contacts.front()), "disc/ground");
}

// With many bodies a broad phase chooses the pairs; every pair on its own gives the same contacts,
// in the same order, while the bodies move.
// Kept separating planes reject pairs, and never one with contacts, whatever the search met before.
TEST(FindContacts, KeptPlanesChangeNothing) {
  std::vector<Body> bodies;
  for (int i = 0; i < 8; ++i)
    bodies.push_back(moving(box(3, {1, 1, 1}), "box" + std::to_string(i),
                            {1.05 * (i % 2), 1.05 * (i / 2 % 2), 1.05 * (i / 4)}));
  const World world(3, Vec3::Zero(), bodies, {});
  State state = initial_state(world);
  for (int k = 0; k < world.nv(); ++k)
    state.nu[k] = (k % 6 < 3 ? 0.2 : 1.0) * std::sin(1.0 + 7.0 * k);
  Configuration kept;
  std::vector<Contact> found, expected;
  std::size_t touching = 0;
  for (int step = 0; step < 400; ++step) {
    // To and fro, so that the bodies part and meet again; now and then a jump.
    advance_coordinates(world, state.nu,
                        (step / 50 % 2 == 0 ? 1.0 : -1.0) * (step % 37 == 0 ? 0.1 : 0.005),
                        state.q);
    kept.update(world, state);
    Configuration fresh;
    fresh.update(world, state);
    const double margin = step % 3 == 0 ? 0.0 : 0.02;
    find_contacts_within(kept, margin, found);
    find_contacts_within(fresh, margin, expected);
    ASSERT_EQ(found.size(), expected.size()) << step;
    for (std::size_t k = 0; k < found.size(); ++k) {
      ASSERT_EQ(found[k].feature, expected[k].feature);
      ASSERT_EQ(found[k].gap, expected[k].gap);
      ASSERT_EQ(found[k].point, expected[k].point);
    }
    touching += found.size();
  }
  const PairPlanes::Counts& counts = kept.planes().counts;
  EXPECT_GT(touching, 100u);
  EXPECT_GT(counts.shown, 1000);
  EXPECT_LT(counts.shown, counts.asked);
}

TEST(FindContacts, ManyBodiesGiveTheContactsOfEveryPairInOrder) {
  std::vector<Body> bodies{ground(3)};
  std::mt19937 engine(7);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  for (int i = 0; i < 25; ++i) {
    std::shared_ptr<const ConvexSet> shape = box(3, {0.5, 0.4, 0.3});
    if (i % 3 == 0) shape = std::make_shared<Ball>(3, 0.25);
    bodies.push_back(moving(shape, "body" + std::to_string(i),
                            {uniform(engine), uniform(engine), 0.6 + 0.5 * uniform(engine)}));
    bodies.back().twist.v = {uniform(engine), uniform(engine), uniform(engine)};
    bodies.back().twist.w = {uniform(engine), uniform(engine), uniform(engine)};
  }
  const double h = 0.02;
  Scene scene(World(3, {0, 0, -9.81}, bodies, {}), h);
  std::size_t found = 0;
  for (int step = 0; step < 10; ++step) {
    std::vector<std::tuple<int, int, int, double>> all, chosen;
    for (const Pair& pair : scene.world.pairs()) {
      double margin = 0.0;
      for (const int i : {pair.a, pair.b}) {
        if (scene.world.body(i).fixed) continue;
        const Twist u = twist(scene.world, scene.state.nu, i);
        margin +=
            2.0 * h * (u.v.norm() + u.w.norm() * scene.world.body(i).shape->radius() + h * 9.81);
      }
      std::vector<ContactPoint> points;
      contact_points(*scene.world.body(pair.a).shape, scene.configuration.pose(pair.a),
                     *scene.world.body(pair.b).shape, scene.configuration.pose(pair.b), margin,
                     points);
      for (const ContactPoint& p : points) all.emplace_back(pair.a, pair.b, p.feature, p.gap);
    }
    for (const Contact& c : scene.contacts) chosen.emplace_back(c.a, c.b, c.feature, c.gap);
    ASSERT_EQ(chosen, all);
    found += all.size();
    advance_coordinates(scene.world, scene.state.nu, h, scene.state.q);
    scene.refresh(h);
  }
  EXPECT_GT(found, 100u);
  EXPECT_EQ(scene.world.pair(0, 3)->a, 3);  // the moving body comes first
  EXPECT_EQ(scene.world.pair(0, 0), nullptr);
}

}  // namespace

}  // namespace touchstone

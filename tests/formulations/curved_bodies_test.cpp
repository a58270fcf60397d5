/// Cylinders and superquadrics in motion, by the linearised and by the implicit gap.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>

#include "formulations/common/contacts.hpp"
#include "geometry/curved_shapes.hpp"
#include "tests/formulations/conformance.hpp"

namespace touchstone {
namespace {

using conformance::floor_body;
using conformance::g;
using conformance::trace;
using conformance::Trace;

constexpr double radius = 0.5, height = 1.2, h = 0.01;

Body body(std::shared_ptr<const ConvexSet> shape, const Vec3& position,
          const Eigen::Quaterniond& orientation = Eigen::Quaterniond::Identity()) {
  Body b{.name = "body", .shape = std::move(shape)};
  const MassProperties unit = b.shape->mass_properties(1.0);
  b.inertia = unit.inertia / unit.mass;
  b.position = position;
  b.orientation = orientation;
  return b;
}

Body can(const Vec3& position, double tilt) {
  return body(std::make_shared<Cylinder>(radius, height), position,
              Eigen::Quaterniond(Eigen::AngleAxisd(tilt, Vec3::UnitX())));
}

World on_floor(const Body& b, double mu = 0.5) {
  return World(3, {0.0, 0.0, -g}, {b, floor_body(3)}, {.mu = mu});
}

class CurvedBodies : public testing::TestWithParam<const char*> {
 protected:
  Trace run(const World& world, double t_end) const {
    return trace(Registry<FormulationEntry>::instance().find(GetParam()), world, h, t_end);
  }
};

double deepest(const World& world, const Trace& t) {
  double worst = 0.0;
  Configuration configuration;
  std::vector<Contact> contacts;
  for (const State& state : t.states) {
    configuration.update(world, state);
    find_contacts(configuration, state, h, contacts);
    for (const Contact& c : contacts) worst = std::max(worst, -c.gap);
  }
  return worst;
}

TEST_P(CurvedBodies, AStandingCylinderRests) {
  const World world = on_floor(can({0.0, 0.0, 0.5 * height}, 0.0));
  const Trace t = run(world, 0.5);
  EXPECT_EQ(t.worst, Status::solved);
  EXPECT_LT(t.states.back().nu.norm(), 1e-9);
  EXPECT_NEAR(t.states.back().q[2], 0.5 * height, 1e-9);
  EXPECT_LT(deepest(world, t), 1e-9);
}

TEST_P(CurvedBodies, ALyingCylinderRollsWithoutLoss) {
  Body b = can({0.0, 0.0, radius}, 0.5 * std::numbers::pi);  // its axis along y
  const double spin = 2.0;
  b.twist = {{spin * radius, 0.0, 0.0}, {0.0, spin, 0.0}};
  const World world = on_floor(b);
  const Trace t = run(world, 1.0);
  EXPECT_EQ(t.worst, Status::solved);
  for (const double energy : t.energy) EXPECT_NEAR(energy / t.energy.front(), 1.0, 1e-9);
  EXPECT_NEAR(t.states.back().q[0], spin * radius * 1.0, 1e-9);
  EXPECT_LT(deepest(world, t), 1e-9);
}

/// Tilted by less than atan(radius / half the height) it falls back onto its cap.
TEST_P(CurvedBodies, ATippedCylinderFallsBackAndComesToRest) {
  const double tilt = 0.2;
  const double centre = radius * std::sin(tilt) + 0.5 * height * std::cos(tilt);
  const World world = on_floor(can({0.0, 0.0, centre}, tilt), 1.0);
  const Trace t = run(world, 2.0);
  EXPECT_EQ(t.worst, Status::solved);
  EXPECT_NEAR(t.states.back().q[2], 0.5 * height, 2e-3);
  EXPECT_LT(t.states.back().nu.norm(), 1e-2);
  EXPECT_LT(t.energy.back(), t.energy.front());
}

TEST_P(CurvedBodies, ASuperquadricDieRestsAndDoesNotGainEnergy) {
  const auto die = std::make_shared<Superquadric>(3, Vec3(0.5, 0.5, 0.4), 4.0);
  const World flat = on_floor(body(die, {0.0, 0.0, 0.4}));
  const Trace rest = run(flat, 0.5);
  EXPECT_EQ(rest.worst, Status::solved);
  EXPECT_LT(rest.states.back().nu.norm(), 1e-9);
  EXPECT_LT(deepest(flat, rest), 1e-9);
  const Eigen::Quaterniond tilt(Eigen::AngleAxisd(0.3, Vec3(1.0, 0.5, 0.0).normalized()));
  const double lowest = (tilt * die->support(tilt.conjugate() * Vec3(0, 0, -1))).z();
  const World rocking = on_floor(body(die, {0.0, 0.0, -lowest}, tilt));
  const Trace t = run(rocking, 0.5);
  EXPECT_EQ(t.worst, Status::solved);
  EXPECT_LE(*std::max_element(t.energy.begin(), t.energy.end()), t.energy.front() + 0.02);
  // The linearised gap lets a body sink that turns: 3.0e-3 m measured.
  EXPECT_LT(deepest(rocking, t), std::string(GetParam()) == "geometric-ncp" ? 1e-9 : 5e-3);
}

INSTANTIATE_TEST_SUITE_P(Methods, CurvedBodies, testing::Values("stewart-trinkle", "geometric-ncp"),
                         [](const auto& method) {
                           std::string name = method.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(ContactNames, OfACylinderAreAllDifferent) {
  const World world = on_floor(can({0.0, 0.0, 0.5 * height}, 0.0));
  const State state = initial_state(world);
  Configuration configuration;
  configuration.update(world, state);
  std::vector<Contact> contacts;
  find_contacts(configuration, state, h, contacts);
  ASSERT_EQ(contacts.size(), 8u);
  std::set<std::string> names;
  for (const Contact& c : contacts) names.insert(contact_name(world, c));
  EXPECT_EQ(names.size(), 8u);
}

}  // namespace
}  // namespace touchstone

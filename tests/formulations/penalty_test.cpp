#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "tests/formulations/conformance.hpp"

namespace touchstone {

namespace {

using conformance::ball_body;
using conformance::box_body;
using conformance::floor_body;

std::unique_ptr<Formulation> make(const World& world, const std::vector<std::string>& sets) {
  const auto& entry = Registry<FormulationEntry>::instance().find("penalty");
  Parameters settings = entry.parameters;
  for (const std::string& set : sets) {
    const auto [key, value] = split_assignment(set);
    settings.set(key, value);
  }
  return make_formulation(entry, world, settings, nullptr);
}

World dropped_ball(double speed, double restitution) {
  Body ball = ball_body(2, "ball", 0.5, {0.0, 0.5, 0.0});
  ball.mass = 2.0;
  ball.twist.v = {0.0, -speed, 0.0};
  return World(2, Vec3::Zero(), {ball, floor_body(2)}, {.restitution = restitution});
}

// T37: an undamped spring contact lasts π√(m/k), is v₀√(m/k) deep and gives the impulse 2mv₀.
TEST(Penalty, ElasticImpactHasTheClosedFormDurationDepthAndImpulse) {
  const double m = 2.0, v0 = 1.5, k = 1e4;
  const World world = dropped_ball(v0, 1.0);
  const auto formulation = make(world, {"stiffness=1e4", "resolution=0.001"});
  State state = initial_state(world);
  const double h = 1e-4;
  double deepest = 0.0, impulse = 0.0, duration = 0.0;
  for (int i = 0; i < 1000; ++i) {
    const Step& step = formulation->advance(state, h);
    state = step.next;
    deepest = std::max(deepest, 0.5 - state.q[1]);
    for (const ContactResult& c : step.contacts) impulse += c.p_n;
    if (!step.contacts.empty()) duration += h;
  }
  EXPECT_NEAR(duration, std::numbers::pi * std::sqrt(m / k), 2.0 * h);
  EXPECT_NEAR(deepest, v0 * std::sqrt(m / k), 1e-5);
  EXPECT_NEAR(impulse, 2.0 * m * v0, 5e-3);
}

// T37: e = exp(−πζ/√(1−ζ²)), contact ended at zero penetration; ours ends where the force would
// pull.
TEST(Penalty, DampingGivesTheRestitutionThatWasAskedFor) {
  for (const double e : {0.9, 0.7, 0.5}) {
    const World world = dropped_ball(1.0, e);
    const auto formulation = make(world, {"stiffness=1e5", "resolution=0.01"});
    State state = initial_state(world);
    for (int i = 0; i < 50; ++i) state = formulation->advance(state, 0.001).next;
    // Cutting the pull at the end of contact gives a little more than the linear formula: never
    // less.
    EXPECT_GE(state.nu[1], e - 0.005);
    EXPECT_LT(state.nu[1], e + 0.06);
  }
}

TEST(Penalty, RestsWhereTheSpringCarriesTheWeight) {
  const World world(2, {0.0, -9.81, 0.0},
                    {ball_body(2, "ball", 0.5, {0.0, 0.5, 0.0}), floor_body(2)}, {});
  const auto formulation = make(world, {"stiffness=1e4"});
  State state = initial_state(world);
  double elastic = 0.0;
  for (int i = 0; i < 100; ++i) {
    const Step& step = formulation->advance(state, 0.01);
    state = step.next;
    elastic = step.elastic;
  }
  const double depth = 9.81 / 1e4;
  EXPECT_NEAR(0.5 - state.q[1], depth, 1e-10);
  EXPECT_NEAR(elastic, 0.5 * 1e4 * depth * depth, 1e-9);
}

// X22: a block on an incline creeps with v = ε tan α/μ.
TEST(Penalty, RegularisedFrictionCreepsAtTheClosedFormSpeed) {
  const double angle = 0.2, mu = 0.5, slow = 1e-3;
  const World world(2, conformance::tilted_gravity(2, angle),
                    {box_body(2, "block", {0.6, 0.1, 0.0}, {0.0, 0.05, 0.0}), floor_body(2)},
                    {.mu = mu});
  const auto formulation = make(world, {"creep_speed=1e-3"});
  State state = initial_state(world);
  for (int i = 0; i < 100; ++i) state = formulation->advance(state, 0.01).next;
  EXPECT_NEAR(state.nu[0], slow * std::tan(angle) / mu, 1e-8);
}

// The ledger: without gravity the kinetic energy changes by exactly the work of the contacts.
TEST(Penalty, WorkOfTheContactsIsTheChangeOfKineticEnergy) {
  Body ball = ball_body(3, "ball", 0.5, {0.0, 0.0, 0.55});
  ball.twist = {{1.0, 0.5, -2.0}, {3.0, -1.0, 5.0}};
  const World world(3, Vec3::Zero(), {ball, floor_body(3)}, {.mu = 0.4, .e_r = 0.1});
  const auto formulation = make(world, {});
  State state = initial_state(world);
  double work = 0.0;
  for (int i = 0; i < 20; ++i) {
    const Step& step = formulation->advance(state, 0.01);
    work += step.work.normal + step.work.friction;
    state = step.next;
  }
  EXPECT_LT(work, -0.1);
  EXPECT_NEAR(energy(world, state).kinetic - energy(world, initial_state(world)).kinetic, work,
              1e-12);
}

}  // namespace

}  // namespace touchstone

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "geometry/shapes.hpp"
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

// X17: a body laid on an undamped spring: h = −(mg/K)(1 − cos Wt). The velocity vanishes as K
// grows, the acceleration keeps the amplitude g and the force swings between 0 and 2mg.
TEST(Penalty, AccelerationOfARestingBodyDoesNotConvergeWithTheStiffness) {
  for (const double K : {1e4, 1e6}) {
    const World world(2, {0.0, -conformance::g, 0.0},
                      {ball_body(2, "ball", 0.5, {0.0, 0.5, 0.0}), floor_body(2)},
                      {.restitution = 1.0});
    const auto formulation = make(world, {"stiffness=" + std::to_string(K), "resolution=1"});
    const double W = std::sqrt(K), h = 1e-3 / W;
    State state = initial_state(world);
    double deepest = 0.0, fastest = 0.0, largest = 0.0, highest = 0.0;
    for (int i = 0; i < 7000; ++i) {
      const Step& step = formulation->advance(state, h);
      highest = std::max(highest, std::abs(step.next.nu[1] - state.nu[1]) / h);
      state = step.next;
      deepest = std::max(deepest, 0.5 - state.q[1]);
      fastest = std::max(fastest, std::abs(state.nu[1]));
      for (const ContactResult& c : step.contacts) largest = std::max(largest, c.p_n / h);
    }
    EXPECT_NEAR(deepest, 2.0 * conformance::g / K, 2e-3 * conformance::g / K);
    EXPECT_NEAR(fastest, conformance::g / W, 2e-3 * conformance::g / W);
    EXPECT_NEAR(largest, 2.0 * conformance::g, 2e-2);
    EXPECT_NEAR(highest, conformance::g, 2e-2);
  }
}

/// The rod of the thesis' figure 10.1 with its tip on the floor at depth d, m = 1, I = 1/16. The
/// other corners stay clear of the floor.
World rod(double d, double omega, double slip, double gravity) {
  const double angle = 0.4 * std::numbers::pi, s = std::sin(angle), c = std::cos(angle);
  Body body{.name = "rod"};
  const std::vector<Vec3> corners{{-c, -s, 0.0}, {c, s, 0.0}, {c - 0.02, s, 0.0}};
  body.shape = std::make_shared<Polytope>(2, corners);
  body.inertia = Mat3::Identity() / 16.0;
  body.position = {0.0, s - d, 0.0};
  body.twist.w = {0.0, 0.0, -omega};  // clockwise
  body.twist.v = {omega * s + slip, -omega * c, 0.0};
  return World(2, {0.0, -gravity, 0.0}, {body, floor_body(2)},
               {.mu = (c * c + 0.125) / (c * s), .restitution = 1.0});
}

struct Jam {
  bool stopped = false;  // the slip came to an end: friction below its bound
  double t = 0.0, v_n = 0.0, impulse = 0.0;
};

/// Runs until the tip stops sliding, leaves the floor or 12/W have passed.
Jam run_rod(const World& world, double K) {
  const auto formulation =
      make(world, {"stiffness=" + std::to_string(K), "resolution=1", "creep_speed=1e-9"});
  const double W = std::sqrt(K), h = 5e-4 / W;
  State state = initial_state(world);
  Jam jam;
  for (int i = 0; i < 24000; ++i) {
    const Step& step = formulation->advance(state, h);
    if (step.contacts.empty() && i > 10) break;
    state = step.next;
    for (const ContactResult& c : step.contacts) {
      jam.impulse += c.p_n;
      jam.v_n = c.u_n;
      jam.stopped = std::abs(c.p_t) < 0.999 * c.contact.law->mu * c.p_n;
    }
    jam.t = state.t;
    if (jam.stopped) break;
  }
  return jam;
}

// X7: the penalty method's limit of the inconsistent rod is the impulse of chapter 13. The notes
// freeze the geometry; while the slip lasts the rod turns by about 0.5 t* rad.
TEST(Penalty, InconsistentRodJamsWithTheImpulseOfTheRigidLimit) {
  struct Row {
    double K, t, v_n, tolerance;
  };
  for (const Row& row : {Row{1e6, 0.003605, -0.180141, 1e-2}, Row{1e8, 5.727e-4, -0.150422, 2e-3},
                         Row{1e10, 7.997e-5, -0.145593, 5e-4}}) {
    const Jam jam = run_rod(rod(0.0, 0.0, -1.0, 9.8), row.K);
    ASSERT_TRUE(jam.stopped) << row.K;
    EXPECT_NEAR(jam.t / row.t, 1.0, row.tolerance) << row.K;
    EXPECT_NEAR(jam.v_n / row.v_n, 1.0, row.tolerance) << row.K;
    EXPECT_NEAR(jam.impulse / 0.144809754, 1.0, row.tolerance) << row.K;
  }
}

// X8: the finite solution f = m of the indeterminate rod is an unstable equilibrium of the spring:
// from less depth than m/K the rod lifts off, from more it jams.
TEST(Penalty, IndeterminateRodLeavesTheUnstableEquilibrium) {
  const double K = 1e8, omega = 3.369835608;
  const Jam from_zero = run_rod(rod(0.0, omega, -1.0, 9.8), K);
  EXPECT_FALSE(from_zero.stopped);
  EXPECT_LT(from_zero.impulse, 1e-12);
  const Jam above = run_rod(rod(0.9 / K, omega, -1.0, 9.8), K);
  EXPECT_FALSE(above.stopped);
  EXPECT_LT(above.t * 1e4, 4.0);  // cosh Wt = 10 at Wt = 2.99
  const Jam below = run_rod(rod(1.1 / K, omega, -1.0, 9.8), K);
  EXPECT_TRUE(below.stopped);
  EXPECT_NEAR(below.impulse, 0.1448, 2e-3);
}

// Backward Euler on m d̈ = mg − Kd: v⁺ = (v + hg − hW²d)/(1 + h²W²), at any step.
TEST(Penalty, ImplicitStepsFollowBackwardEulerFarBeyondTheExplicitLimit) {
  const double K = 1e8, h = 0.01;
  const World world(2, {0.0, -conformance::g, 0.0},
                    {ball_body(2, "ball", 0.5, {0.0, 0.5, 0.0}), floor_body(2)},
                    {.restitution = 1.0});
  const auto formulation = make(world, {"stiffness=1e8", "integrator=implicit"});
  State state = initial_state(world);
  double d = 0.0, v = 0.0;
  for (int i = 0; i < 20; ++i) {
    v = (v + h * conformance::g - h * K * d) / (1.0 + h * h * K);
    d += h * v;
    const Step& step = formulation->advance(state, h);
    EXPECT_EQ(step.status, Status::solved);
    state = step.next;
    EXPECT_NEAR(state.nu[1], -v, 1e-12);
    EXPECT_NEAR(state.q[1], 0.5 - d, 1e-12);
  }
  EXPECT_NEAR(d, conformance::g / K, 1e-12);
}

// X22 with the implicit integrator, at steps that explicit friction could not take.
TEST(Penalty, ImplicitFrictionCreepsAtTheClosedFormSpeed) {
  const double angle = 0.2, mu = 0.5, slow = 1e-6;
  const World world(2, conformance::tilted_gravity(2, angle),
                    {box_body(2, "block", {0.6, 0.1, 0.0}, {0.0, 0.05, 0.0}), floor_body(2)},
                    {.mu = mu});
  const auto formulation =
      make(world, {"creep_speed=1e-6", "stiffness=1e7", "integrator=implicit"});
  State state = initial_state(world);
  for (int i = 0; i < 100; ++i) state = formulation->advance(state, 0.01).next;
  EXPECT_NEAR(state.nu[0], slow * std::tan(angle) / mu, 1e-12);
}

}  // namespace

}  // namespace touchstone

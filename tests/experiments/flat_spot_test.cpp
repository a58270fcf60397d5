#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "experiments/studies/rocking_body.hpp"
#include "formulations/common/event_driven.hpp"
#include "geometry/curved_shapes.hpp"
#include "geometry/shapes.hpp"
#include "tests/formulations/conformance.hpp"

/// Flat spots of strictly convex bodies (Baraff, thesis 1992, section 6.7; X15).

namespace touchstone {

namespace {

using conformance::floor_body;

constexpr double gravity = 9.8;

double total(const World& world, const State& state) {
  const Energy e = energy(world, state);
  return e.kinetic + e.potential;
}

RockingBody exact(double exponent, double phi0, double inertia = 0.5) {
  return {{1.0, 1.0, exponent}, 1.0, inertia, gravity, phi0};
}

World rocking(double exponent, double phi0, double mu = 0.0, double spin = 0.0) {
  Body body{.name = "die",
            .shape = std::make_shared<Superquadric>(2, Vec3(1.0, 1.0, 0.0), exponent)};
  body.inertia = 0.5 * Mat3::Identity();
  body.angle = phi0;
  const double height = exact(exponent, 0.1).height(phi0);
  body.position = {0.0, height, 0.0};
  body.twist = {{mu > 0.0 ? -spin * height : 0.0, 0.0, 0.0}, {0.0, 0.0, spin}};
  return World(2, {0.0, -gravity, 0.0}, {body, floor_body(2)}, {.mu = mu});
}

struct Followed {
  State end;
  Status status = Status::solved;
  std::vector<double> crossings;  // times
  double drift = 0.0;             // of the energy [J]
  double gain = 0.0;              // largest energy over all before [J]
  long evaluations = 0;
  std::vector<std::string> kinds;
};

Followed run(const World& world, double h, double t_end, const EventSettings& settings = {}) {
  EventDriven formulation(world, settings, make_solver("lemke"));
  Followed r;
  r.end = initial_state(world);
  const double start = total(world, r.end);
  double lowest = start;
  const int steps = static_cast<int>(std::lround(t_end / h));
  for (int k = 1; k <= steps && r.status == Status::solved; ++k) {
    const Step& step = formulation.advance(r.end, h);
    r.status = step.status;
    for (const Event& e : step.events) {
      if (e.kind == "flat") r.crossings.push_back(e.t);
      r.kinds.push_back(e.kind);
    }
    r.end = step.next;
    r.end.t = k * h;
    const double now = total(world, r.end);
    r.drift = std::max(r.drift, std::abs(now - start));
    r.gain = std::max(r.gain, now - lowest);
    lowest = std::min(lowest, now);
  }
  r.evaluations = formulation.evaluations();
  return r;
}

TEST(RockingBody, HasTheDerivativesAndTheIntegralsOfItsHeight) {
  for (const double p : {2.0, 2.5, 3.0, 4.0, 10.0}) {
    const RockingBody body({1.5, 0.8, p}, 1.3, 0.7, gravity, 0.5);
    for (const double phi : {-0.4, -0.05, 0.1, 0.3, 0.9}) {
      const double d = 1e-5;
      EXPECT_NEAR(body.slope(phi), (body.height(phi + d) - body.height(phi - d)) / (2.0 * d), 1e-8);
      EXPECT_NEAR(body.bend(phi), (body.slope(phi + d) - body.slope(phi - d)) / (2.0 * d), 2e-6);
    }
    // at(t) satisfies φ̇ = ω and ω̇ = −R h'/I, also just before and after a flat spot.
    for (const double t : {0.1, 0.97 * body.quarter(), 1.03 * body.quarter(), 5.1}) {
      const double d = 1e-5;
      const auto now = body.at(t), before = body.at(t - d), after = body.at(t + d);
      EXPECT_NEAR((after.phi - before.phi) / (2.0 * d), now.omega, 1e-7);
      EXPECT_NEAR((after.omega - before.omega) / (2.0 * d),
                  -body.reaction(now) * body.slope(now.phi) / 0.7, 1e-4);
    }
  }
  // The ellipse: a Runge–Kutta solution of I φ̈ = −R h' (X14).
  const RockingBody ellipse({2.0, 1.0, 2.0}, 1.0, 1.25, gravity, 0.6);
  EXPECT_NEAR(ellipse.highest_reaction(), 28.5566, 5e-5);
  EXPECT_NEAR(std::sqrt(gravity * ellipse.bend(0.0) / 1.25), 4.849742, 5e-7);
  EXPECT_THROW(RockingBody({1.0, 1.0, 4.0}, 1.0, 0.5, gravity, 0.8), std::exception);
}

TEST(RockingBody, OfExponentFourHasTheHeightOfTheThesis) {
  const RockingBody body = exact(4.0, 0.4);
  const double phi = 0.3;
  EXPECT_NEAR(
      body.height(phi),
      std::pow(std::pow(std::cos(phi), 4.0 / 3.0) + std::pow(std::sin(phi), 4.0 / 3.0), 0.75),
      1e-15);
  for (const double small : {1e-6, 1e-9})
    EXPECT_NEAR(body.bend(small) * std::pow(small, 2.0 / 3.0), 1.0 / 3.0, 10.0 * std::cbrt(small));
  EXPECT_NEAR(body.impulse_factor(), 2.0 * std::pow(body.speed(0.0), 4.0 / 3.0), 1e-14);
}

// X14: small oscillations have the frequency √(m g h''(0)/I) = 4.849742 rad/s.
TEST(BaraffEllipse, OscillatesWithTheLinearFrequency) {
  const double phi0 = 1e-4, quarter = 0.5 * std::numbers::pi / 4.849742;
  Body ellipse{.name = "ellipse", .shape = std::make_shared<Ellipsoid>(2, Vec3(2.0, 1.0, 0.0))};
  ellipse.inertia = 1.25 * Mat3::Identity();
  ellipse.angle = phi0;
  ellipse.position = {0.0, std::hypot(2.0 * std::sin(phi0), std::cos(phi0)), 0.0};
  const World world(2, {0.0, -gravity, 0.0}, {ellipse, floor_body(2)}, {});
  EXPECT_LT(std::abs(run(world, quarter, quarter).end.q[2]) / phi0, 1e-6);
}

// Several periods; the number of evaluations is bounded and the energy kept.
TEST(FlatSpot, IsPassedForSeveralPeriods) {
  const World world = rocking(4.0, 0.4);
  const RockingBody reference = exact(4.0, 0.4);
  const Followed r = run(world, 0.01, 8.0);
  ASSERT_EQ(r.status, Status::solved);
  ASSERT_EQ(r.crossings.size(), 10u);  // two and a half periods of 1.5948 s, twice each
  for (std::size_t k = 0; k < r.crossings.size(); ++k)
    EXPECT_NEAR(r.crossings[k], (2.0 * static_cast<double>(k) + 1.0) * reference.quarter(), 2e-9);
  EXPECT_LT(r.drift, 2e-9);
  EXPECT_NEAR(r.end.q[2], reference.at(8.0).phi, 1e-8);
  EXPECT_NEAR(r.end.nu[2], reference.at(8.0).omega, 1e-7);
  EXPECT_LT(r.evaluations, 4000 * 10);
}

TEST(FlatSpot, OfOtherExponentsIsPassedToo) {
  for (const auto& [p, tolerance] :
       {std::pair{2.5, 1e-8}, std::pair{3.0, 1e-8}, std::pair{6.0, 1e-8}, std::pair{20.0, 1e-5}}) {
    const RockingBody reference = exact(p, 0.3);
    const Followed r = run(rocking(p, 0.3), 0.01, 2.0);
    ASSERT_EQ(r.status, Status::solved) << p;
    EXPECT_GE(r.crossings.size(), 1u) << p;
    EXPECT_LT(r.drift, tolerance) << p;
    EXPECT_NEAR(r.end.q[2], reference.at(2.0).phi, tolerance) << p;
  }
}

// R diverges, its impulse over ±Δt falls like Δt^(1/3) (6-40): the impulse of order zero.
TEST(FlatSpot, GivesAnImpulseThatFallsWithTheCubeRootOfTime) {
  const World world = rocking(4.0, 0.4);
  const RockingBody reference = exact(4.0, 0.4);
  const auto impulse = [&](double dt) {
    EventDriven formulation(world, {}, make_solver("lemke"));
    const State before = formulation.advance(initial_state(world), reference.quarter() - dt).next;
    return formulation.advance(before, 2.0 * dt).contacts.at(0).p_n;
  };
  double last = 0.0;
  for (const double dt : {1e-3, 1e-4, 1e-5, 1e-6}) {
    const double p = impulse(dt);
    // The crossing takes 3e-12 s too long (IsCrossedOnTimeToOrderFiveThirds).
    const double R = reference.reaction(reference.at(reference.quarter() + dt));
    EXPECT_NEAR(p, reference.impulse(reference.quarter() - dt, reference.quarter() + dt),
                1e-9 * p + 5e-12 * R);
    if (last > 0.0) {
      // Corrections are O(Δt^(2/3)), those of the longer interval here.
      EXPECT_NEAR(std::log10(last / p), 1.0 / 3.0, 2.0 * std::cbrt(100.0 * dt * dt));
    }
    last = p;
  }
  EXPECT_NEAR(last / (reference.impulse_factor() * 0.01), 1.0, 2e-4);
}

/// Ends of one crossing from φ = −a, all by itself: its length and its energy.
struct Crossing {
  double late = 0.0, energy = 0.0;
};

Crossing cross(double a) {
  const World world = rocking(4.0, 0.4);
  const RockingBody reference = exact(4.0, 0.4);
  State state = initial_state(world);
  const double omega = reference.speed(a);
  state.q << 0.0, reference.height(a), -a;
  state.nu << 0.0, -reference.slope(a) * omega, omega;
  Configuration configuration;
  configuration.update(world, state);
  std::vector<Contact> contacts;
  find_contacts_within(configuration, 1e-9, contacts);
  ContactPhase phase(world);
  phase.begin({{.tracked = track(configuration, contacts.at(0))}});
  SingularPassage passage(world);
  EXPECT_TRUE(passage.cross(phase, 0.0, phase.pack(state), 0.05 * a / omega));
  const State end = phase.unpack(passage.length(), passage.end());
  // The exact time from −a to where it ends, by the quarter period and the clock of the reference.
  const auto instant = [&](double phi) {  // of φ after the flat spot
    double low = reference.quarter(), high = 1.5 * reference.quarter();
    for (int k = 0; k < 200; ++k) {
      const double middle = 0.5 * (low + high);
      (-reference.at(middle).phi < phi ? low : high) = middle;
    }
    return low - reference.quarter();
  };
  return {passage.length() - instant(a) - instant(end.q[2]),
          total(world, end) - total(world, state)};
}

// singular_passage.hpp: the error is one of time, O(h^(5/3)), and energy is kept.
TEST(FlatSpot, IsCrossedOnTimeToOrderFiveThirds) {
  const Crossing coarse = cross(1e-4), fine = cross(1e-5);
  EXPECT_NEAR(std::log10(coarse.late / fine.late), 5.0 / 3.0, 0.05);
  EXPECT_LT(std::abs(cross(1e-7).late), 1e-11);
  for (const double a : {1e-4, 1e-5, 1e-6, 1e-7}) EXPECT_LT(std::abs(cross(a).energy), 1e-9) << a;
}

// With friction the body rolls over the spot and keeps its energy; it may also start there.
TEST(FlatSpot, IsRolledOverAndLeft) {
  const Followed rolls = run(rocking(4.0, 0.4, 0.5), 0.01, 3.0);
  ASSERT_EQ(rolls.status, Status::solved);
  EXPECT_GE(rolls.crossings.size(), 2u);
  EXPECT_LT(rolls.drift, 1e-9);
  for (const double mu : {0.0, 0.5}) {
    const Followed leaves = run(rocking(4.0, 0.0, mu, 1.0), 0.01, 2.0);
    ASSERT_EQ(leaves.status, Status::solved) << mu;
    ASSERT_GE(leaves.crossings.size(), 3u) << mu;
    EXPECT_EQ(leaves.crossings[0], 0.0);
    EXPECT_NEAR(leaves.crossings[2], 2.0 * leaves.crossings[1], 1e-9) << mu;  // half periods
    EXPECT_LT(leaves.drift, 1e-9) << mu;
  }
}

// A body at rest on its flat spot stays there without effort, whatever round-off its angle has.
TEST(FlatSpot, IsRestedOn) {
  // Two points at a distance of 1e-3 of the radius hold it; 1e-13 m and m/s are left to round-off.
  constexpr double left = 2e-10;
  for (const double angle : {0.0, 0.5 * std::numbers::pi, 1e-10}) {
    const Followed r = run(rocking(4.0, angle), 0.1, 10.0);
    ASSERT_EQ(r.status, Status::solved) << angle;
    EXPECT_LT(r.evaluations, 1000) << angle;
    EXPECT_NEAR(r.end.q[2], angle, left);
    EXPECT_LT(r.end.nu.cwiseAbs().maxCoeff(), left);
  }
  // … and rocks where its centre is beside the spot.
  const Followed rocks = run(rocking(4.0, 1e-5), 0.01, 0.2);
  EXPECT_EQ(rocks.status, Status::solved);
  EXPECT_GE(rocks.crossings.size(), 10u);
  EXPECT_LT(rocks.drift, 1e-12);
}

// A side load that the spot cannot hold tips the body, one that it can does not.
TEST(FlatSpot, IsTippedOff) {
  World world = rocking(4.0, 0.0);
  std::vector<Body> bodies(world.bodies().begin(), world.bodies().end());
  bodies[0].applied.torque = {0.0, 0.0, 5e-3};
  const Followed holds = run(World(2, {0.0, -gravity, 0.0}, bodies, {}), 0.01, 1.0);
  EXPECT_EQ(holds.status, Status::solved);
  EXPECT_NEAR(holds.end.q[2], 0.0, 2e-10);
  bodies[0].applied.torque = {0.0, 0.0, 0.5};
  const Followed tips = run(World(2, {0.0, -gravity, 0.0}, bodies, {}), 0.01, 1.0);
  EXPECT_EQ(tips.status, Status::solved);
  EXPECT_GT(std::abs(tips.end.q[2]) + std::abs(tips.end.nu[2]), 1e-5);
}

/// Dice of exponent 4 in space: on a floor, on a box, on a ball.
Body die(const Vec3& position, const Eigen::Quaterniond& q, const Vec3& spin) {
  Body body{.name = "die", .shape = std::make_shared<Superquadric>(3, Vec3::Constant(0.5), 4.0)};
  const MassProperties m = body.shape->mass_properties(1.0);
  body.mass = m.mass;
  body.inertia = m.inertia;
  body.position = position;
  body.orientation = q.normalized();
  body.twist.w = spin;
  return body;
}

TEST(FlatSpot, OfADieInSpaceIsPassedAndRestedOn) {
  const Eigen::Quaterniond tilted(0.9, 0.2, -0.3, 0.1), level(1.0, 0.0, 0.0, 0.0);
  const Eigen::Quaterniond turned = Eigen::Quaterniond(std::sqrt(0.5), std::sqrt(0.5), 0.0, 0.0) *
                                    Eigen::Quaterniond(std::cos(0.3), 0.0, std::sin(0.3), 0.0);
  for (const double mu : {0.0, 0.3}) {
    const FrictionLaw law{.mu = mu};
    const World rocks(3, {0.0, 0.0, -gravity},
                      {die({0.0, 0.0, 1.2}, tilted, {1.0, 0.5, -0.3}), floor_body(3)}, law);
    const Followed r = run(rocks, 0.01, 2.0);
    ASSERT_EQ(r.status, Status::solved) << mu;
    EXPECT_GE(r.crossings.size(), 2u) << mu;
    EXPECT_LT(r.gain, 1e-9) << mu;
    EXPECT_LT(r.evaluations, 30000) << mu;
    for (const Eigen::Quaterniond& q : {level, turned}) {
      const World drops(3, {0.0, 0.0, -gravity},
                        {die({0.0, 0.0, 0.7}, q, Vec3::Zero()), floor_body(3)}, law);
      const Followed rest = run(drops, 0.01, 1.0);
      ASSERT_EQ(rest.status, Status::solved) << mu;
      EXPECT_LT(rest.end.nu.cwiseAbs().maxCoeff(), 1e-9) << mu;
      EXPECT_LT(rest.evaluations, 500) << mu;
    }
  }
}

}  // namespace

}  // namespace touchstone

#include "formulations/common/state.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "geometry/shapes.hpp"
#include "solvers/error.hpp"

namespace touchstone {

namespace {

Body top(const Vec3& inertia) {
  Body body{.name = "top", .shape = std::make_shared<Ball>(3, 1.0)};
  body.mass = 2.0;
  body.inertia = inertia.asDiagonal();
  return body;
}

World free_world(const Body& body, const Vec3& gravity = Vec3::Zero()) {
  return World(body.shape->dim(), gravity, {body}, {});
}

/// Semi-implicit Euler without contacts, as the time steppers do it.
State integrate(const World& world, double h, int steps) {
  State state = initial_state(world);
  Configuration configuration;
  for (int k = 0; k < steps; ++k) {
    configuration.update(world, state);
    Vec nu;
    configuration.free_velocity(state.nu, h, nu);
    state.nu = nu;
    advance_coordinates(world, nu, h, state.q);
  }
  return state;
}

// T27: constant ω turns by exactly ωt, whatever the step.
TEST(Kinematics, ConstantAngularVelocityIsExact) {
  Body body = top({1.0, 1.0, 1.0});
  body.twist.w = {0.3, -1.2, 2.0};
  const World world = free_world(body);
  const State end = integrate(world, 0.1, 50);
  const Eigen::Quaterniond exact(
      Eigen::AngleAxisd(5.0 * body.twist.w.norm(), body.twist.w.normalized()));
  EXPECT_LT(orientation(end, 0).angularDistance(exact), 1e-13);
  EXPECT_NEAR(orientation(end, 0).norm(), 1.0, 1e-15);
}

TEST(Kinematics, QuaternionRateIsTheDerivativeOfTheMotion) {
  Body body = top({1.0, 1.0, 1.0});
  body.orientation = Eigen::Quaterniond(0.5, -0.1, 0.7, 0.3).normalized();
  body.twist.w = {0.4, 0.9, -1.1};
  const World world = free_world(body);
  const State start = initial_state(world);
  const double h = 1e-6;
  Vec forward = start.q, backward = start.q;
  advance_coordinates(world, start.nu, h, forward);
  advance_coordinates(world, start.nu, -h, backward);
  const Eigen::Vector4d difference = (forward - backward).segment<4>(3) / (2.0 * h);
  const Eigen::Vector4d rate = quaternion_rate(orientation(start, 0)) * body.twist.w;
  EXPECT_LT((difference - rate).norm(), 1e-9);
}

// The paper claims GᵀG = I; with unit quaternions and q̇ = ½(0, ω)q it is ¼ I.
TEST(Kinematics, QuaternionRateHasOrthogonalColumns) {
  const auto G = quaternion_rate(Eigen::Quaterniond(0.5, -0.1, 0.7, 0.3).normalized());
  EXPECT_LT((G.transpose() * G - 0.25 * Mat3::Identity()).norm(), 1e-15);
}

// T29: free rotation keeps L and T; the explicit gyroscopic force does so to first order in h.
TEST(Dynamics, FreeRotationConservesAngularMomentumAndEnergyToFirstOrder) {
  Body body = top({1.0, 2.0, 3.0});
  body.twist.w = {1.0, 0.5, 2.0};
  const World world = free_world(body);
  const State start = initial_state(world);
  const auto drift = [&](double h) {
    const State end = integrate(world, h, static_cast<int>(std::lround(1.0 / h)));
    return (momentum(world, end).angular - momentum(world, start).angular).norm() +
           std::abs(energy(world, end).kinetic - energy(world, start).kinetic);
  };
  const double coarse = drift(0.002), fine = drift(0.001);
  EXPECT_LT(fine, 0.02);
  EXPECT_NEAR(coarse / fine, 2.0, 0.1);
}

// T29: the axis of a symmetric top precesses in the body at (I₃ − I₁)ω₃/I₁.
TEST(Dynamics, SymmetricTopPrecessesAtTheClosedFormRate) {
  Body body = top({1.0, 1.0, 1.5});
  body.twist.w = {0.1, 0.0, 2.0};
  const World world = free_world(body);
  const double rate = 0.5 * 2.0 / 1.0, quarter = 0.5 * std::numbers::pi / rate;
  const int steps = 20000;
  const State end = integrate(world, quarter / steps, steps);
  const Vec3 in_body = pose(world, end, 0).R.transpose() * twist(world, end.nu, 0).w;
  EXPECT_NEAR(std::atan2(in_body.y(), in_body.x()), 0.5 * std::numbers::pi, 1e-3);
  EXPECT_NEAR(in_body.z(), 2.0, 1e-3);
}

// T23, T24, T25: forces and torques as the external generalised force.
TEST(Dynamics, ExternalForceIsGravityLoadAndGyroscopicTorque) {
  Body body = top({1.0, 2.0, 3.0});
  body.applied = {{1.0, 2.6, 0.0}, {0.0, 6.0, 0.0}};
  body.twist.w = {1.0, 1.0, 0.0};
  const World world = free_world(body, {0.0, 0.0, -9.81});
  Configuration configuration;
  const State state = initial_state(world);
  configuration.update(world, state);
  Vec force;
  configuration.external_forces(state.nu, force);
  // −ω × Iω with Iω = (1, 2, 0): −(0, 0, 1·2 − 1·1).
  const Vec expected = (Vec(6) << 1.0, 2.6, -19.62, 0.0, 6.0, -1.0).finished();
  EXPECT_LT((force - expected).norm(), 1e-14);
}

TEST(Energy, CountsTranslationRotationAndHeight) {
  Body body = top({1.0, 2.0, 3.0});
  body.position = {5.0, 6.0, 7.0};
  body.orientation = Eigen::Quaterniond(Eigen::AngleAxisd(0.5 * std::numbers::pi, Vec3::UnitX()));
  body.twist = {{1.0, 2.0, 2.0}, {0.0, 2.0, 0.0}};
  const World world = free_world(body, {0.0, 0.0, -10.0});
  const Energy e = energy(world, initial_state(world));
  // Turned by 90° about x, the world's y is the body's −z: inertia 3 about it.
  EXPECT_NEAR(e.kinetic, 0.5 * 2.0 * 9.0 + 0.5 * 3.0 * 4.0, 1e-13);
  EXPECT_NEAR(e.potential, 140.0, 1e-12);
}

TEST(State, PlanarBodiesHaveThreeCoordinatesAndVelocities) {
  Body disc{.name = "disc", .shape = std::make_shared<Ball>(2, 1.0)};
  disc.position = {1.0, 2.0, 0.0};
  disc.angle = 7.0;  // not wrapped: turns count
  disc.twist = {{3.0, 4.0, 0.0}, {0.0, 0.0, 5.0}};
  const World world = free_world(disc);
  const State state = initial_state(world);
  EXPECT_EQ(state.q, (Vec(3) << 1.0, 2.0, 7.0).finished());
  EXPECT_EQ(state.nu, (Vec(3) << 3.0, 4.0, 5.0).finished());
}

TEST(World, PutsTheMovingBodyOfAPairFirst) {
  Body ground{.name = "ground", .shape = std::make_shared<HalfSpace>(3, Vec3::UnitZ(), 0.0)};
  ground.fixed = true;
  Body wall = ground;
  wall.name = "wall";
  const World world(3, Vec3::Zero(), {ground, wall, top({1.0, 1.0, 1.0})}, {});
  ASSERT_EQ(world.pairs().size(), 2u);  // two fixed bodies are no pair
  EXPECT_EQ(world.pairs()[0].a, 2);
  EXPECT_EQ(world.pairs()[0].b, 0);
  EXPECT_EQ(world.velocity_offset(0), -1);
  EXPECT_EQ(world.nv(), 6);
  EXPECT_EQ(world.nq(), 7);
}

TEST(World, RefusesWhatHasNoMeaning) {
  const auto refused = [](const Body& body, const std::string& word) {
    try {
      free_world(body);
    } catch (const InputError& error) {
      return std::string(error.what()).find(word) != std::string::npos;
    }
    return false;
  };
  Body body = top({1.0, 1.0, 1.0});
  body.mass = -1.0;
  EXPECT_TRUE(refused(body, "mass = -1"));
  body = top({1.0, -1.0, 1.0});
  EXPECT_TRUE(refused(body, "inertia"));
  body = top({1.0, 1.0, 1.0});
  body.orientation.coeffs() *= 2.0;
  EXPECT_TRUE(refused(body, "unit quaternion"));
  body = top({1.0, 1.0, 1.0});
  body.shape = std::make_shared<HalfSpace>(3, Vec3::UnitZ(), 0.0);
  EXPECT_TRUE(refused(body, "fixed"));
  EXPECT_THROW(World(3, Vec3::Zero(), {top({1, 1, 1}), top({1, 1, 1})}, {}), InputError);
  EXPECT_THROW(World(3, Vec3::Zero(), {top({1, 1, 1})}, {.mu = -0.1}), InputError);
  EXPECT_THROW(World(2, Vec3::Zero(), {top({1, 1, 1})}, {}), InputError);
}

}  // namespace

}  // namespace touchstone

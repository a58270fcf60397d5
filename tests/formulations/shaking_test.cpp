#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "geometry/shapes.hpp"
#include "solvers/error.hpp"
#include "tests/formulations/conformance.hpp"

/// A world whose frame is shaken, against closed forms: every formulation that takes one.

namespace touchstone {
namespace {

using conformance::box_body;
using conformance::floor_body;
using conformance::g;

constexpr double pi = std::numbers::pi;

Shaking shaking_of(const Vec3& amplitude, double start) {
  return {.amplitude = amplitude, .frequency = 5.0, .start = start};
}

/// A ball, or a box for formulations that want facets; on or above a floor.
World one_body(const FormulationEntry& entry, int dim, double height, const Vec3& gravity,
               const Shaking& shaking, const FrictionLaw& law = {.mu = 0.3}) {
  const Vec3 position = height * Vec3::Unit(dim - 1);
  const World world(dim, gravity,
                    {conformance::ball_body(dim, "body", 0.1, position), floor_body(dim)}, law, {},
                    {}, shaking);
  if (entry.inapplicable(world).empty()) return world;
  return World(dim, gravity,
               {box_body(dim, "body", Vec3(0.2, 0.2, 0.2), position), floor_body(dim)}, law, {}, {},
               shaking);
}

std::vector<std::string> shaken_formulations() {
  std::vector<std::string> names;
  for (const FormulationEntry* entry : Registry<FormulationEntry>::instance().all())
    if (entry->takes_shaking) names.push_back(entry->name);
  return names;
}

class ShakenWorld : public testing::TestWithParam<std::string> {
 protected:
  const FormulationEntry& entry() const {
    return Registry<FormulationEntry>::instance().find(GetParam());
  }
};

INSTANTIATE_TEST_SUITE_P(Formulations, ShakenWorld, testing::ValuesIn(shaken_formulations()),
                         [](const auto& instance) {
                           std::string name = instance.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

// v = v₀ + gt − ṡ(t) at the end of every step, wherever the steps begin and end.
TEST_P(ShakenWorld, FreeBodyHasTheVelocityOfTheClosedForm) {
  for (const int dim : {2, 3}) {
    const Vec3 amplitude = dim == 2 ? Vec3(0.02, 0.03, 0.0) : Vec3(0.02, -0.01, 0.03);
    const Shaking shaking = shaking_of(amplitude, 0.0137);
    const Vec3 gravity = -g * Vec3::Unit(dim - 1);
    const World world = one_body(entry(), dim, 50.0, gravity, shaking);
    const auto formulation = make_formulation(GetParam(), world);
    State state = initial_state(world);
    constexpr double h = 0.007;
    for (int k = 1; k <= 60; ++k) {
      state = formulation->advance(state, h).next;
      state.t = k * h;
      const Vec3 expected = gravity * state.t - shaking.velocity(state.t);
      EXPECT_LT((twist(world, state.nu, 0).v - expected).norm(), 1e-12) << "dim " << dim;
    }
  }
}

// Positions follow x₀ + ½gt² − s(t) at first order.
TEST_P(ShakenWorld, FreeBodyFollowsTheClosedFormAtFirstOrder) {
  const Shaking shaking = shaking_of({0.0, 0.03, 0.0}, 0.1);
  const World world = one_body(entry(), 2, 50.0, {0.0, -g, 0.0}, shaking);
  std::vector<double> errors;
  for (const double h : {0.004, 0.002}) {
    const auto formulation = make_formulation(GetParam(), world);
    const auto run = conformance::trace(*formulation, world, h, 0.5);
    const double t = run.states.back().t;
    const double expected = 50.0 - 0.5 * g * t * t - shaking.displacement(t).y();
    errors.push_back(std::abs(run.states.back().q[1] - expected));
  }
  EXPECT_LT(errors[0], 0.02);
  EXPECT_GT(errors[0], 0.0);
  if (GetParam() != "penalty") {  // its sub-steps follow from the stiffness, not from h
    EXPECT_LT(errors[1], 0.55 * errors[0]);
  }
}

// Without gravity the ledger has nothing but the frame's work, and closes to round-off.
TEST_P(ShakenWorld, WorkOfTheFrameIsBookedAsApplied) {
  const World world = one_body(entry(), 2, 50.0, Vec3::Zero(), shaking_of({0.01, 0.03, 0.0}, 0.0));
  const auto formulation = make_formulation(GetParam(), world);
  State state = initial_state(world);
  double booked = 0.0;
  for (int k = 1; k <= 40; ++k) {
    const Step& step = formulation->advance(state, 0.003);
    booked += step.work.applied;
    state = step.next;
    EXPECT_NEAR(energy(world, state).kinetic, booked, 1e-12);
  }
  EXPECT_GT(booked, 1e-3);
}

// Below 1 g nothing leaves the floor, which pushes with m(gh + Δṡ).
TEST_P(ShakenWorld, WeaklyShakenBodyStaysAndItsFloorPushes) {
  if (GetParam() == "penalty") GTEST_SKIP() << "its contacts are springs";
  const double omega = 2.0 * pi * 5.0;
  const Shaking shaking = shaking_of({0.0, 0.8 * g / (omega * omega), 0.0}, 0.05);
  const World world = one_body(entry(), 2, 0.1, {0.0, -g, 0.0}, shaking);
  const auto formulation = make_formulation(GetParam(), world);
  State state = initial_state(world);
  constexpr double h = 0.004;
  for (int k = 1; k <= 100; ++k) {
    const Step& step = formulation->advance(state, h);
    double pushed = 0.0;
    for (const ContactResult& contact : step.contacts) pushed += contact.p_n;
    const double frame = shaking.velocity(state.t + h).y() - shaking.velocity(state.t).y();
    EXPECT_NEAR(pushed, world.body(0).mass * (g * h + frame), 1e-9);
    state = step.next;
    EXPECT_NEAR(state.q[1], 0.1, 1e-9);
  }
}

// At 3 g a body leaves where s̈ = −g, that is cos ωτ = −1/3, with the frame's velocity.
TEST_P(ShakenWorld, StronglyShakenBodyFliesAsTheClosedFormSays) {
  if (GetParam() == "penalty") GTEST_SKIP() << "its contacts are springs";
  const double omega = 2.0 * pi * 5.0;
  const Shaking shaking = shaking_of({0.0, 3.0 * g / (omega * omega), 0.0}, 0.0);
  const World world = one_body(entry(), 2, 0.1, {0.0, -g, 0.0}, shaking);
  const double leaves = std::acos(-1.0 / 3.0) / omega;
  const auto height = [&](double t) {
    const double tau = t - leaves;
    return shaking.velocity(leaves).y() * tau - 0.5 * g * tau * tau -
           (shaking.displacement(t) - shaking.displacement(leaves)).y();
  };
  const auto formulation = make_formulation(GetParam(), world);
  constexpr double h = 0.0005;
  const auto run = conformance::trace(*formulation, world, h, 0.2);
  double worst = 0.0, highest = 0.0;
  for (const State& state : run.states) {
    const double expected = state.t > leaves ? std::max(0.0, height(state.t)) : 0.0;
    worst = std::max(worst, std::abs(state.q[1] - 0.1 - expected));
    highest = std::max(highest, expected);
  }
  EXPECT_GT(highest, 0.02);
  EXPECT_LT(worst, 0.02 * highest);
}

TEST(ShakenWorlds, AreRefusedByFormulationsThatKnowConstantGravityOnly) {
  int refused = 0;
  for (const FormulationEntry* entry : Registry<FormulationEntry>::instance().all()) {
    if (entry->takes_shaking) continue;
    ++refused;
    const World world = one_body(*entry, 2, 1.0, {0.0, -g, 0.0}, shaking_of({0.0, 0.01, 0.0}, 0.0));
    try {
      make_formulation(entry->name, world);
      ADD_FAILURE() << entry->name << " took a shaken world";
    } catch (const InputError& error) {
      EXPECT_THAT(error.what(), testing::HasSubstr("shaken"));
    }
  }
  EXPECT_GE(refused, 1);
}

TEST(ShakenWorlds, NameWhatIsWrongWithTheShaking) {
  const auto world = [](const Shaking& shaking) {
    return World(2, {0.0, -g, 0.0}, {floor_body(2)}, {}, {}, {}, shaking);
  };
  const auto expect = [&](const Shaking& shaking, const char* what) {
    try {
      world(shaking);
      ADD_FAILURE() << "no error about " << what;
    } catch (const InputError& error) {
      EXPECT_THAT(error.what(), testing::HasSubstr(what));
    }
  };
  expect({.amplitude = {0.0, 0.1, 0.0}, .frequency = 0.0}, "frequency = 0");
  expect({.amplitude = {0.0, 0.1, 0.0}, .frequency = 1.0, .start = -1.0}, "start = -1");
  expect({.amplitude = {0.0, 0.1, 0.1}, .frequency = 1.0}, "z = 0");
  expect({.amplitude = {0.0, NAN, 0.0}, .frequency = 1.0}, "finite");
  EXPECT_NO_THROW(world({}));
}

}  // namespace
}  // namespace touchstone

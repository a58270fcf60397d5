#include "formulations/common/resting_friction.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "formulations/common/event_driven.hpp"
#include "geometry/shapes.hpp"

namespace touchstone {
namespace {

using Rule = RestingFriction::Rule;

constexpr double g = 9.81, mu = 0.5;
const std::vector<Rule> all_rules{Rule::exact, Rule::lag, Rule::regularised, Rule::sign_guess};

/// A box of 1 kg on a plane of the given slope along x (planar), or with gravity turned about the
/// vertical as well (spatial).
World block(int dim, double slope, double azimuth = 0.0) {
  const auto shape = box(dim, {0.4, 0.2, dim == 2 ? 0.0 : 0.2});
  const MassProperties unit = shape->mass_properties(1.0);
  Body body{.name = "block", .shape = shape};
  body.inertia = unit.inertia / unit.mass;
  body.position = dim == 2 ? Vec3(0.0, 0.1, 0.0) : Vec3(0.0, 0.0, 0.1);
  Body floor{
      .name = "floor",
      .shape = std::make_shared<HalfSpace>(dim, dim == 2 ? Vec3::UnitY() : Vec3::UnitZ(), 0.0)};
  floor.fixed = true;
  const Vec3 along(std::cos(azimuth), dim == 2 ? 0.0 : std::sin(azimuth), 0.0);
  const Vec3 up = dim == 2 ? Vec3::UnitY() : Vec3::UnitZ();
  return World(dim, g * (std::sin(slope) * along - std::cos(slope) * up), {body, floor},
               {.mu = mu});
}

struct Followed {
  State end;
  Status status = Status::solved;
  std::map<std::string, long> counts{};
  double law_error = 0.0;
};

Followed follow(const World& world, Rule rule, double t_end, bool ask_every_step = false) {
  EventSettings settings;
  settings.friction.rule = rule;
  settings.ask_every_step = ask_every_step;
  settings.longest_step = 0.01;
  EventDriven formulation(world, settings, make_solver("lemke"));
  Followed run{.end = initial_state(world)};
  const Step& step = formulation.advance(run.end, t_end);
  run.end = step.next;
  run.status = step.status;
  run.counts = step.counts;
  if (const auto at = step.worst.find("friction_law_error"); at != step.worst.end())
    run.law_error = at->second;
  return run;
}

TEST(RestingFriction, HoldsABlockBelowTheAngleOfFriction) {
  for (const int dim : {2, 3})
    for (const Rule rule : {Rule::exact, Rule::lag, Rule::sign_guess}) {
      const Followed run = follow(block(dim, 0.9 * std::atan(mu)), rule, 1.0, true);
      ASSERT_EQ(run.status, Status::solved);
      EXPECT_LT(run.end.nu.norm(), 1e-12) << dim << "-D, rule " << static_cast<int>(rule);
      EXPECT_LT(std::abs(run.end.q[0]), 1e-12);
    }
  const Followed modes = follow(block(2, 0.9 * std::atan(mu)), Rule::modes, 1.0, true);
  EXPECT_LT(modes.end.nu.norm(), 1e-12);
  EXPECT_EQ(modes.counts.at("friction_failures"), 0);
}

TEST(RestingFriction, LetsABlockSlideAboveIt) {
  const double slope = 1.1 * std::atan(mu), a = g * (std::sin(slope) - mu * std::cos(slope));
  for (const int dim : {2, 3})
    for (const Rule rule : all_rules) {
      const Followed run = follow(block(dim, slope), rule, 1.0);
      ASSERT_EQ(run.status, Status::solved);
      // The regularised law reaches its limit at 1 mm/s, some 1e-3/a later.
      const double late = rule == Rule::regularised ? 1e-3 : 1e-9;
      EXPECT_NEAR(run.end.nu[0], a, late) << dim << "-D, rule " << static_cast<int>(rule);
    }
  EXPECT_NEAR(follow(block(2, slope), Rule::modes, 1.0).end.nu[0], a, 1e-9);
}

/// X22: v = ε tan α/μ.
TEST(RestingFriction, CreepsAsTheRegularisedLawSays) {
  const double slope = 0.2, expected = 1e-3 * std::tan(slope) / mu;
  for (const int dim : {2, 3}) {
    const Followed run = follow(block(dim, slope), Rule::regularised, 2.0);
    ASSERT_EQ(run.status, Status::solved);
    EXPECT_NEAR(run.end.nu[0] / expected, 1.0, 1e-7) << dim << "-D";
  }
}

/// The approximations bound each friction component by itself (14-14): along the diagonal of their
/// axes they hold up to √2 μ.
TEST(RestingFriction, OfTheApproximationsIsABox) {
  const double slope = std::atan(1.2 * mu);
  const World world = block(3, slope, M_PI / 4.0);
  const double slides = g * (std::sin(slope) - mu * std::cos(slope));
  EXPECT_NEAR(follow(world, Rule::exact, 1.0).end.nu.head<2>().norm(), slides, 1e-9);
  for (const Rule rule : {Rule::lag, Rule::sign_guess}) {
    const Followed run = follow(world, rule, 1.0);
    EXPECT_LT(run.end.nu.norm(), 1e-10);
    EXPECT_GT(run.law_error, 0.1);  // and the records say that it is not the law
  }
}

/// The lag: sliding friction is that of the last step's normal force. Where the normal force grows
/// with the friction (a braked, leaning rod) the first step of a new contact iterates from zero.
TEST(RestingFriction, CountsALagThatDoesNotSettle) {
  ContactProblem problem;
  FrictionCones& cones = problem.cones;  // X5 with the slip reversed: the iteration alternates
  cones.W = Mat::Constant(1, 1, 2.527864045);
  cones.q = Vec::Constant(1, -g);
  cones.friction = {0};
  cones.mu = Vec::Constant(1, 0.750245100);
  const Mat load = Mat::Constant(1, 1, 0.750245100 * 4.702282018);
  Vec lagged = Vec::Constant(1, std::nan(""));
  const auto solver = make_solver("lemke");
  const RestingForces forces =
      resting_forces(problem, {.rule = Rule::lag}, ForceForm::lcp, *solver, {}, load, lagged);
  EXPECT_THAT(forces.failure, ::testing::HasSubstr("does not settle"));
  Vec known = Vec::Constant(1, 0.5);  // of the last step: one program, nothing to settle
  const RestingForces once =
      resting_forces(problem, {.rule = Rule::lag}, ForceForm::lcp, *solver, {}, load, known);
  EXPECT_EQ(once.failure, "");
  EXPECT_NEAR(once.answer.z[0], (g - 0.5 * load(0, 0)) / cones.W(0, 0), 1e-10);
}

/// X6 with G = −8 has three answers; the enumeration stays on the branch of the last forces.
TEST(RestingFriction, KeepsItsBranchWhereModesAreSeveral) {
  ContactProblem problem;
  FrictionCones& cones = problem.cones;
  cones.W = (Mat(2, 2) << 2.527864045, -4.702282018, -4.702282018, 15.472135955).finished();
  cones.q = (Vec(2) << 1.0, -8.0).finished();
  cones.friction = {1};
  cones.mu = Vec::Constant(1, 0.750245100);
  const auto solver = make_solver("lemke");
  const auto from = [&](double n, double t) {
    Vec none;
    return resting_forces(problem, {.rule = Rule::modes}, ForceForm::lcp, *solver,
                          (Vec(2) << n, t).finished(), {}, none)
        .answer.z;
  };
  EXPECT_NEAR((from(0.1, 0.0) - Vec::Zero(2)).norm(), 0.0, 1e-9);
  EXPECT_NEAR((from(1.3, 0.9) - Vec((Vec(2) << 1.302713, 0.912978).finished())).norm(), 0.0, 2e-6);
  EXPECT_NEAR((from(1.0, 0.75) - Vec((Vec(2) << 1.0, 0.750245).finished())).norm(), 0.0, 2e-6);
}

TEST(RestingFriction, AsksAgainAfterEachStepWhenTold) {
  const World world = block(3, 0.2);
  EXPECT_EQ(follow(world, Rule::sign_guess, 1.0).counts.at("force_solves"), 1);
  const Followed often = follow(world, Rule::sign_guess, 1.0, true);
  EXPECT_GE(often.counts.at("force_solves"), 100);
  EXPECT_EQ(often.counts.at("friction_failures"), 0);
}

}  // namespace
}  // namespace touchstone

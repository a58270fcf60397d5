#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "formulations/common/friction_polygon.hpp"
#include "formulations/common/time_stepping.hpp"
#include "geometry/shapes.hpp"
#include "tests/formulations/conformance.hpp"

namespace touchstone {

namespace {

using conformance::ball_body;
using conformance::box_body;
using conformance::floor_body;
using conformance::trace;
using conformance::Trace;

const FormulationEntry& stewart_trinkle() {
  return Registry<FormulationEntry>::instance().find("stewart-trinkle");
}

std::unique_ptr<Formulation> make(const World& world, const std::vector<std::string>& sets = {}) {
  Parameters settings = stewart_trinkle().parameters;
  for (const std::string& set : sets) {
    const auto [key, value] = split_assignment(set);
    settings.set(key, value);
  }
  return make_formulation(stewart_trinkle(), world, settings, make_solver("lemke"));
}

World on_floor(const Body& body, const FrictionLaw& law, const Vec3& gravity) {
  const int dim = body.shape->dim();
  return World(dim, gravity, {body, floor_body(dim)}, law);
}

/// A ball that cannot turn: a puck with one point of contact.
Body puck(const Vec3& velocity) {
  Body body = ball_body(3, "puck", 0.5, {0.0, 0.0, 0.5});
  body.inertia = 1e12 * Mat3::Identity();
  body.twist.v = velocity;
  return body;
}

/// Two boxes that fall onto the floor and onto each other, with an elliptic law and torsion.
World falling_boxes() {
  Body low = box_body(3, "low", {0.5, 0.4, 0.2}, {0.0, 0.0, 0.3}),
       high = box_body(3, "high", {0.2, 0.3, 0.25}, {0.1, 0.05, 0.7});
  low.orientation = Eigen::Quaterniond(Eigen::AngleAxisd(0.2, Vec3(1.0, 0.4, 0.1).normalized()));
  high.orientation = Eigen::Quaterniond(Eigen::AngleAxisd(0.5, Vec3(-0.2, 1.0, 0.6).normalized()));
  low.twist.v = {0.4, -0.2, 0.0};
  high.twist.w = {1.0, 0.0, 4.0};
  high.mass = 0.3;
  return World(3, {0.0, 0.0, -9.81}, {low, high, floor_body(3)},
               {.mu = 0.4, .e_t = 1.0, .e_o = 0.7, .e_r = 0.05});
}

TEST(StewartTrinkle, MixedAndReducedFormsGiveTheSameVelocities) {
  const World world = falling_boxes();
  const auto reduced = make(world), mixed = make(world, {"form=mixed"});
  State state = initial_state(world);
  double worst = 0.0, impulse = 0.0;
  for (int k = 0; k < 150; ++k) {
    const Step& a = mixed->advance(state, 0.005);
    ASSERT_EQ(a.status, Status::solved);
    const Vec nu = a.next.nu;
    const Step& b = reduced->advance(state, 0.005);
    ASSERT_EQ(b.status, Status::solved);
    worst = std::max(worst, (nu - b.next.nu).cwiseAbs().maxCoeff());
    for (const ContactResult& c : b.contacts) impulse += c.p_n;
    state = b.next;
  }
  EXPECT_GT(impulse, 1.0);
  EXPECT_LT(worst, 1e-10);
}

/// Positions in the whole problem (p_n, p_f, σ) of the unknowns of some of its contacts, all with
/// `d` directions.
std::vector<Eigen::Index> unknowns_of(const std::vector<Eigen::Index>& chosen,
                                      Eigen::Index contacts, Eigen::Index d) {
  std::vector<Eigen::Index> at;
  for (const Eigen::Index i : chosen) at.push_back(i);
  for (const Eigen::Index i : chosen)
    for (Eigen::Index k = 0; k < d; ++k) at.push_back(contacts + d * i + k);
  for (const Eigen::Index i : chosen) at.push_back(contacts + d * contacts + i);
  return at;
}

/// The answer of the working set, extended by zero impulses and the smallest slip multipliers that
/// the idle contacts allow, solves the problem of all candidates; and it is what the step did.
void expect_solves_whole_problem(const World& world, const State& state, double h, const Lcp& whole,
                                 const Step& step) {
  Configuration configuration;
  configuration.update(world, state);
  std::vector<Contact> all;
  find_contacts(configuration, state, h, all);
  std::vector<Eigen::Index> chosen;
  for (const ContactResult& r : step.contacts)
    for (std::size_t i = 0; i < all.size(); ++i)
      if (all[i].a == r.contact.a && all[i].b == r.contact.b && all[i].feature == r.contact.feature)
        chosen.push_back(static_cast<Eigen::Index>(i));
  ASSERT_EQ(chosen.size(), step.contacts.size());
  const Eigen::Index c = static_cast<Eigen::Index>(all.size()), d = 10;  // 8 and the torsion pair
  const auto at = unknowns_of(chosen, c, d);
  const Answer part = make_solver("lemke")->solve(Lcp{whole.M.dense()(at, at), whole.q(at), {}});
  ASSERT_EQ(part.status, Status::solved);
  Vec z = Vec::Zero(whole.q.size());
  z(at) = part.z;
  const Vec w = whole.M.dense() * z + whole.q;
  for (Eigen::Index i = 0; i < c; ++i)
    if (std::find(chosen.begin(), chosen.end(), i) == chosen.end())
      z[c + d * c + i] = std::max(0.0, -w.segment(c + d * i, d).minCoeff());
  EXPECT_LT(residual(whole, z).natural, 1e-9);

  Vec nu;
  configuration.free_velocity(state.nu, h, nu);
  FrictionBlock W_f;
  W_f.build(world, configuration, all, 8);
  for (Eigen::Index i = 0; i < c; ++i) {
    const Contact& contact = all[static_cast<std::size_t>(i)];
    apply_impulse(configuration, wrench_column(world, configuration, contact, contact.n), z[i], nu);
  }
  for (Eigen::Index k = 0; k < d * c; ++k)
    apply_impulse(configuration, W_f.columns[static_cast<std::size_t>(k)], z[c + k], nu);
  EXPECT_LT((step.next.nu - nu).cwiseAbs().maxCoeff(), 1e-9);
}

// The working set and the islands change the cost, not the problem.
TEST(StewartTrinkle, WorkingSetSolvesTheProblemOfAllCandidates) {
  const World world = falling_boxes();
  const auto formulation = make(world);
  State state = initial_state(world);
  Eigen::Index largest = 0;
  for (int k = 0; k < 120; ++k) {
    const double h = 0.005;
    const Problem whole = dynamic_cast<TimeStepping&>(*formulation).whole_problem(state, h);
    const Step& step = formulation->advance(state, h);
    SCOPED_TRACE("step " + std::to_string(k));
    expect_solves_whole_problem(world, state, h, std::get<Lcp>(whole), step);
    largest = std::max(largest, unknowns(whole) - step.unknowns);
    state = step.next;
  }
  EXPECT_GT(largest, 0);  // some candidates did stay out
}

// Of a 1000-gon no vertex may pass through the floor, whether it was in the problem or not.
TEST(StewartTrinkle, NoVertexOfAThousandIsForgotten) {
  Body disc{.name = "disc", .shape = regular_polygon(1000, 1.0)};
  disc.inertia = 0.5 * Mat3::Identity();
  disc.position = {0.0, 1.0, 0.0};
  disc.twist = {{-3.0, 0.0, 0.0}, {0.0, 0.0, 3.0}};
  const World world = on_floor(disc, {.mu = 0.4}, {0.0, -9.81, 0.0});
  const auto formulation = make(world);
  State state = initial_state(world);
  const double h = 0.01;
  for (int k = 0; k < 100; ++k) {
    const Pose before = pose(world, state, 0);
    const Step& step = formulation->advance(state, h);
    const Twist after = twist(world, step.next.nu, 0);
    double least = 1.0;
    for (const Vec3& vertex : disc.shape->vertices()) {
      const Vec3 r = before.R * vertex;
      least = std::min(least, before.x.y() + r.y() + h * (after.v + after.w.cross(r)).y());
    }
    EXPECT_GT(least, -1e-12) << "step " << k;
    state = step.next;
  }
}

// Case 1: with v₀/(μgh) an integer, semi-implicit Euler stops after v₀²/(2μg) − v₀h/2 exactly.
TEST(StewartTrinkle, SlidingBlockStopsAtTheDiscreteClosedForm) {
  const double v0 = 2.0, mu = 0.4, g = 10.0, h = 0.01;
  Body block = box_body(2, "block", {0.6, 0.05, 0.0}, {0.0, 0.025, 0.0});
  block.twist.v = {v0, 0.0, 0.0};
  const World world = on_floor(block, {.mu = mu}, {0.0, -g, 0.0});
  const State end = trace(stewart_trinkle(), world, h, 0.6).states.back();
  EXPECT_NEAR(pose(world, end, 0).x.x(), v0 * v0 / (2.0 * mu * g) - 0.5 * v0 * h, 1e-12);
  EXPECT_LT(end.nu.norm(), 1e-12);
}

// Case 4: angular momentum about the floor is kept, so the rolling speed is exact in the discrete
// scheme.
TEST(StewartTrinkle, SlippingBallEndsUpRollingAtTheExactSpeed) {
  for (const int dim : {2, 3}) {
    const Vec3 up = dim == 2 ? Vec3::UnitY() : Vec3::UnitZ();
    Body ball = ball_body(dim, "ball", 0.5, 0.5 * up);
    ball.twist.v = {2.0, 0.0, 0.0};
    const World world = on_floor(ball, {.mu = 0.4}, -9.81 * up);
    const Trace run = trace(stewart_trinkle(), world, 0.01, 1.0);
    const double exact = dim == 2 ? 2.0 * 2.0 / 3.0 : 5.0 * 2.0 / 7.0;
    EXPECT_NEAR(run.states.back().nu[0], exact, 1e-12);
    EXPECT_EQ(run.contacts.front().front().mode, Mode::slip);
    EXPECT_EQ(run.contacts.back().front().mode, Mode::stick);
  }
}

// Case 3: the stick limit of a d-gon at azimuth δ from a vertex is μ cos(π/d)/cos(π/d − δ).
TEST(StewartTrinkle, StickLimitOfTheFrictionPolygonIsTheClosedForm) {
  const double mu = 0.5;
  for (const int d : {4, 8, 16})
    for (const double part : {0.0, 0.3, 0.5, 0.8}) {
      const double half = std::numbers::pi / d, delta = part * 2.0 * half;
      const double limit = mu * std::cos(half) / std::cos(half - delta);
      for (const double factor : {1.0 - 1e-6, 1.0 + 1e-6}) {
        Body body = puck(Vec3::Zero());
        body.applied.force = factor * limit * 9.81 * Vec3(std::cos(delta), std::sin(delta), 0.0);
        const World world = on_floor(body, {.mu = mu}, {0.0, 0.0, -9.81});
        const auto formulation = make(world, {"directions=" + std::to_string(d)});
        const double speed =
            formulation->advance(initial_state(world), 0.01).next.nu.head<2>().norm();
        EXPECT_EQ(speed > 1e-9, factor > 1.0)
            << "d = " << d << ", azimuth " << delta << ", speed " << speed;
      }
    }
}

// Case 3: a puck launched between two vertices of the polygon; the stopping time depends on d.
TEST(StewartTrinkle, PuckStopsAtTheTimeOfTheFrictionPolygon) {
  const double mu = 0.4, g = 9.81, h = 1e-4;
  for (const int d : {4, 8}) {
    const double half = std::numbers::pi / d, delta = 0.3 * half;
    const World world =
        on_floor(puck({std::cos(delta), std::sin(delta), 0.0}), {.mu = mu}, {0.0, 0.0, -g});
    const double exact = (std::cos(delta) - std::sin(delta) / std::tan(half)) / (mu * g) +
                         std::sin(delta) / (std::sin(half) * mu * g * std::cos(half));
    const auto formulation = make(world, {"directions=" + std::to_string(d)});
    State state = initial_state(world);
    double t = 0.0;
    while (state.nu.head<2>().norm() > 1e-9 && t < 1.0) {
      state = formulation->advance(state, h).next;
      t += h;
    }
    EXPECT_NEAR(t, exact, 2.0 * h) << "d = " << d;
  }
}

// Chakraborty et al., example 2: torsional friction as a pair of directions.
TEST(StewartTrinkle, SpinningSphereSlowsDownAsInThePaper) {
  Body sphere = ball_body(3, "sphere", 1.0, {0.0, 0.0, 1.0});
  sphere.inertia = 0.4 * Mat3::Identity();
  sphere.twist.w = {0.0, 0.0, 1.962};
  const World world = on_floor(sphere, {.mu = 0.2, .e_r = 0.4}, {0.0, 0.0, -9.81});
  const double h = 0.07;
  const Trace run = trace(stewart_trinkle(), world, h, 16 * h);
  for (std::size_t k = 0; k <= 14; ++k)
    EXPECT_NEAR(run.states[k].nu[5], 1.962 * (1.0 - h * static_cast<double>(k)), 1e-12);
  EXPECT_NEAR(run.states[15].nu[5], 0.0, 1e-12);
  EXPECT_NEAR(-run.contacts[13].front().p_r / h, 0.7848, 1e-10);
  EXPECT_NEAR(-run.contacts[14].front().p_r / h, 0.224229, 1e-6);
  EXPECT_EQ(run.contacts[13].front().mode, Mode::spin);
  EXPECT_EQ(run.contacts[14].front().mode, Mode::stick);
  for (const State& state : run.states) EXPECT_LT(state.nu.head<5>().norm(), 1e-12);
}

TEST(StewartTrinkle, RestitutionReversesTheApproachSpeedExactly) {
  for (const double e : {0.25, 0.5, 1.0}) {
    Body ball = ball_body(3, "ball", 0.1, {0.0, 0.0, 0.5});
    const World world = on_floor(ball, {.restitution = e}, {0.0, 0.0, -9.81});
    const Trace run = trace(stewart_trinkle(), world, 0.001, 0.5);
    bool bounced = false;
    for (std::size_t k = 1; k < run.states.size() && !bounced; ++k) {
      const double before = run.states[k - 1].nu[2], after = run.states[k].nu[2];
      if (after < 0.0) continue;
      EXPECT_NEAR(after, -e * before, 1e-12);
      EXPECT_NEAR(before, -std::sqrt(2.0 * 9.81 * 0.4), 0.02);
      bounced = true;
    }
    EXPECT_TRUE(bounced);
  }
}

// Case 12: the bouncing ball comes to rest at t∞ = √(2h₀/g)(1 + e)/(1 − e), to first order in h.
TEST(StewartTrinkle, BouncingBallComesToRestAtTheZenoTime) {
  const double e = 0.5, exact = std::sqrt(2.0 / 9.81) * (1.0 + e) / (1.0 - e);
  const World world =
      on_floor(ball_body(2, "ball", 0.1, {0.0, 1.1, 0.0}), {.restitution = e}, {0.0, -9.81, 0.0});
  const Trace run = trace(stewart_trinkle(), world, 1e-4, 2.0);
  std::size_t k = run.states.size() - 1;
  while (k > 0 && std::abs(run.states[k].nu[1]) < 1e-2) --k;
  EXPECT_NEAR(1e-4 * static_cast<double>(k), exact, 0.02);
  EXPECT_LT(run.states.back().nu.norm(), 1e-9);
}

// Case 8: a sphere that passes over another one tangentially leaves it by √((R + r)² + (vh)²) − (R
// + r).
TEST(StewartTrinkle, LinearisedGapOpensOnAConvexBody) {
  Body small = ball_body(3, "small", 0.2, {0.0, 0.0, 1.2}),
       large = ball_body(3, "large", 1.0, Vec3::Zero());
  large.fixed = true;
  small.twist.v = {1.0, 0.0, 0.0};
  const World world(3, Vec3::Zero(), {small, large}, {});
  const double h = 0.01;
  const State end = make(world)->advance(initial_state(world), h).next;
  EXPECT_NEAR(pose(world, end, 0).x.norm() - 1.2, std::sqrt(1.2 * 1.2 + h * h) - 1.2, 1e-15);
}

// T15: a stack at rest carries (m₁ + m₂)g below and m₂g between.
TEST(StewartTrinkle, StackCarriesItsWeight) {
  Body low = box_body(3, "low", {0.4, 0.4, 0.2}, {0.0, 0.0, 0.1}),
       high = box_body(3, "high", {0.3, 0.3, 0.2}, {0.0, 0.0, 0.3});
  low.mass = 2.0;
  high.mass = 5.0;
  const World world(3, {0.0, 0.0, -10.0}, {low, high, floor_body(3)}, {.mu = 0.5});
  const double h = 0.01;
  const Trace run = trace(stewart_trinkle(), world, h, 0.5);
  double floor = 0.0, between = 0.0;
  for (const ContactResult& c : run.contacts.back())
    (c.contact.b == 2 ? floor : between) += c.p_n / h;
  EXPECT_NEAR(floor, 70.0, 1e-8);
  EXPECT_NEAR(between, 50.0, 1e-8);
  EXPECT_LT(run.states.back().nu.norm(), 1e-10);
}

TEST(StewartTrinkle, SeparateBodiesDoNotFeelEachOther) {
  const auto far_box = [](const std::string& name, double x) {
    Body body = box_body(3, name, {0.4, 0.3, 0.2}, {x, 0.0, 0.4});
    body.orientation = Eigen::Quaterniond(Eigen::AngleAxisd(0.7, Vec3(1.0, 2.0, 0.5).normalized()));
    return body;
  };
  const World alone(3, {0, 0, -9.81}, {far_box("one", 0.0), floor_body(3)}, {.mu = 0.3});
  const World both(3, {0, 0, -9.81}, {far_box("one", 0.0), far_box("two", 50.0), floor_body(3)},
                   {.mu = 0.3});
  const State a = trace(stewart_trinkle(), alone, 0.005, 0.6).states.back();
  const State b = trace(stewart_trinkle(), both, 0.005, 0.6).states.back();
  EXPECT_EQ(a.nu, b.nu.head<6>());  // bit for bit: they share no problem
}

TEST(StewartTrinkle, NearestKeepsTheLowestCandidates) {
  const World world = on_floor(box_body(2, "box", {1.0, 1.0, 0.0}, {0.0, 0.5, 0.0}), {.mu = 0.5},
                               {0.0, -9.81, 0.0});
  EXPECT_EQ(make(world)->advance(initial_state(world), 0.01).contacts.size(), 2u);
  EXPECT_EQ(make(world, {"nearest=1"})->advance(initial_state(world), 0.01).contacts.size(), 1u);
}

TEST(StewartTrinkle, PhysicalResidualIsReportedInMetresPerSecond) {
  const World world = on_floor(box_body(2, "box", {1.0, 1.0, 0.0}, {0.0, 0.5, 0.0}), {.mu = 0.5},
                               {0.0, -9.81, 0.0});
  const Problem problem =
      dynamic_cast<TimeStepping&>(*make(world)).whole_problem(initial_state(world), 0.01);
  // Nothing is done: both corners keep falling with gh.
  const Residual idle = residual(problem, Vec::Zero(unknowns(problem)));
  ASSERT_TRUE(idle.physical.has_value());
  EXPECT_NEAR(*idle.physical, 9.81 * 0.01, 1e-14);
}

}  // namespace

}  // namespace touchstone

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "formulations/common/event_driven.hpp"
#include "geometry/shapes.hpp"
#include "tests/formulations/conformance.hpp"

namespace touchstone {

namespace {

using conformance::ball_body;
using conformance::box_body;
using conformance::floor_body;
using conformance::trace;
using conformance::Trace;

std::unique_ptr<Formulation> make(const World& world, const std::vector<std::string>& sets = {},
                                  const std::string& solver = "lemke") {
  const auto& entry = Registry<FormulationEntry>::instance().find("baraff-acceleration");
  Parameters settings = entry.parameters;
  for (const std::string& set : sets) {
    const auto [key, value] = split_assignment(set);
    settings.set(key, value);
  }
  return make_formulation(entry, world, settings, make_solver(solver));
}

/// Events of a run, and its end.
struct History {
  std::vector<Event> events;
  std::vector<std::string> notes;
  State end;
  Status status = Status::solved;
  double time_of(const std::string& contact, const std::string& kind, int which = 0) const {
    for (const Event& e : events)
      if (e.contact == contact && e.kind == kind && which-- == 0) return e.t;
    return -1.0;
  }
};

History follow_run(Formulation& formulation, const World& world, double h, double t_end) {
  History result;
  result.end = initial_state(world);
  const int steps = static_cast<int>(std::lround(t_end / h));
  for (int k = 1; k <= steps && result.status == Status::solved; ++k) {
    const Step& step = formulation.advance(result.end, h);
    result.events.insert(result.events.end(), step.events.begin(), step.events.end());
    result.notes.insert(result.notes.end(), step.notes.begin(), step.notes.end());
    result.status = step.status;
    result.end = step.next;
    result.end.t = k * h;
  }
  return result;
}

World rolling_disc() {
  Body disc = ball_body(2, "disc", 1.0, {0.0, 1.0, 0.0});
  disc.inertia = 0.5 * Mat3::Identity();
  disc.twist = {{-3.0, 0.0, 0.0}, {0.0, 0.0, 3.0}};
  return World(2, {0.0, -9.81, 0.0}, {disc, floor_body(2)}, {.mu = 0.4});
}

/// Example 3 of Chakraborty et al. 2007.
World on_two_spheres() {
  Body ball = ball_body(3, "ball", 1.0, {0.0, 6.62105263157895, 8.78417110772903});
  ball.inertia = 0.4 * Mat3::Identity();
  ball.applied.force = {1.0, 2.6, -9.81};
  Body first = ball_body(3, "first", 10.0, {0.0, 0.0, 0.0}),
       second = ball_body(3, "second", 9.0, {0.0, 11.4, 0.0});
  first.fixed = second.fixed = true;
  return World(3, Vec3::Zero(), {ball, first, second}, {.mu = 0.2, .e_r = 0.3});
}

TEST(BaraffAcceleration, ARollingDiscKeepsItsEnergy) {
  const World world = rolling_disc();
  auto formulation = make(world);
  const Trace t = trace(*formulation, world, 0.01, 10.0);
  EXPECT_EQ(t.worst, Status::solved);
  for (const double energy : t.energy) EXPECT_NEAR(energy / t.energy.front(), 1.0, 1e-10);
  EXPECT_NEAR(t.states.back().q[0], -30.0, 1e-9);
}

TEST(BaraffAcceleration, ASphereOnTwoSpheresMeetsItsEventsOnTime) {
  const World world = on_two_spheres();
  EventDriven formulation(world, {}, make_solver("lemke"));
  const History r = follow_run(formulation, world, 0.01, 4.0);
  ASSERT_EQ(r.status, Status::solved);
  // Both contacts start at rest: the acceleration problem says which slides, and along what.
  EXPECT_EQ(r.time_of("ball/first", "slip"), 0.0);
  EXPECT_EQ(r.time_of("ball/second", "stick"), 0.0);
  EXPECT_NEAR(r.time_of("ball/second", "slip"), 2.944807, 1e-6);
  EXPECT_NEAR(r.time_of("ball/first", "separate"), 3.213206, 1e-6);
  EXPECT_NEAR(r.time_of("ball/second", "separate"), 3.701600, 1e-6);
  EXPECT_EQ(formulation.events(), 4);
  EXPECT_LT(formulation.evaluations(), 3000);
  Vec x(3), nu(6);  // an independent event-driven solution
  x << 8.366123066, 6.967563113, 3.500379123;
  nu << 5.513040854, 1.294368391, -8.722948886, 1.415773247, 4.733801545, 2.111624546;
  EXPECT_LT((r.end.q.head(3) - x).cwiseAbs().maxCoeff(), 1e-6);
  EXPECT_LT((r.end.nu - nu).cwiseAbs().maxCoeff(), 1e-6);
}

TEST(BaraffAcceleration, DoesNotDependOnTheOutputTimes) {
  const World world = on_two_spheres();
  auto coarse = make(world), fine = make(world);
  const History a = follow_run(*coarse, world, 0.5, 4.0), b = follow_run(*fine, world, 0.01, 4.0);
  EXPECT_LT((a.end.nu - b.end.nu).cwiseAbs().maxCoeff(), 1e-12);
  ASSERT_EQ(a.events.size(), b.events.size());
  for (std::size_t k = 0; k < a.events.size(); ++k) EXPECT_EQ(a.events[k].t, b.events[k].t);
}

TEST(BaraffAcceleration, ASpinningSphereStopsAtTheClosedFormTime) {
  Body ball = ball_body(3, "ball", 1.0, {0.0, 0.0, 1.0});
  ball.inertia = 0.4 * Mat3::Identity();
  ball.twist.w = {0.0, 0.0, 1.962};
  const World world(3, {0.0, 0.0, -9.81}, {ball, floor_body(3)}, {.mu = 0.2, .e_r = 0.4});
  auto formulation = make(world);
  const History r = follow_run(*formulation, world, 0.07, 1.4);
  EXPECT_NEAR(r.time_of("ball/floor", "stick"), 1.0, 1e-9);
  EXPECT_LT(r.end.nu.cwiseAbs().maxCoeff(), 1e-12);
}

// X23: rolls with 5/7 g sin α while tan α ≤ 7μ/2, slides with g(sin α − μ cos α) beyond.
TEST(BaraffAcceleration, ASphereRollsOrSlidesDownAnInclineAsItShould) {
  const double mu = 0.2, limit = std::atan(3.5 * mu), t = 0.5;
  for (const double angle : {0.5 * limit, 0.99 * limit, 1.01 * limit, 1.4 * limit}) {
    const World world(3, conformance::tilted_gravity(3, angle),
                      {ball_body(3, "ball", 0.3, {0.0, 0.0, 0.3}), floor_body(3)}, {.mu = mu});
    auto formulation = make(world);
    const History r = follow_run(*formulation, world, 0.05, t);
    const double g = conformance::g;
    const double rolls = 5.0 / 7.0 * g * std::sin(angle);
    const double slides = g * (std::sin(angle) - mu * std::cos(angle));
    EXPECT_NEAR(r.end.nu[0], t * (angle < limit ? rolls : slides), 1e-10) << angle;
    EXPECT_EQ(r.events.at(1).kind, angle < limit ? "stick" : "slip");
  }
}

// X16: a particle leaves a smooth sphere where cos θ = ⅔ (cos θ₀ for a start at rest).
TEST(BaraffAcceleration, ABallLeavesASphereAtTwoThirdsOfItsHeight) {
  const double R = 1.5, theta0 = 0.1;
  Body ball = ball_body(3, "ball", 0.5, {R * std::sin(theta0), 0.0, R * std::cos(theta0)});
  Body sphere = ball_body(3, "sphere", 1.0, Vec3::Zero());
  sphere.fixed = true;
  const World world(3, {0.0, 0.0, -9.81}, {ball, sphere}, {});
  EventDriven formulation(world, {}, make_solver("lemke"));
  State state = initial_state(world);
  double height = 0.0;
  for (int k = 0; k < 2000 && height == 0.0; ++k) {
    const Step& step = formulation.advance(state, 1e-3);
    ASSERT_EQ(step.status, Status::solved);
    for (const Event& e : step.events)
      if (e.kind == "separate") {
        // From there it falls freely: back from the end of the step to the event.
        const double dt = step.next.t - e.t;
        height = step.next.q[2] - dt * step.next.nu[2] - 0.5 * 9.81 * dt * dt;
      }
    state = step.next;
  }
  EXPECT_NEAR(height, 2.0 / 3.0 * R * std::cos(theta0), 1e-8);
}

// X18, T8: the time of a fall, then bounces until the threshold; the n-th apex is e^{2n}H.
TEST(BaraffAcceleration, ABouncingBallKeepsTheClosedFormTimes) {
  const double H = 1.0, g = 9.81, e = 0.5;
  const World world(3, {0.0, 0.0, -g},
                    {ball_body(3, "ball", 1.0, {0.0, 0.0, 1.0 + H}), floor_body(3)},
                    {.mu = 0.2, .restitution = e});
  auto formulation = make(world);
  const History r = follow_run(*formulation, world, 0.01, 2.0);
  const double fall = std::sqrt(2.0 * H / g);
  double t = fall, flight = 2.0 * e * fall;
  for (int k = 0; k < 8; ++k) {
    EXPECT_NEAR(r.time_of("ball/floor", "touch", k), t, 1e-11) << k;
    t += flight;
    flight *= e;
  }
  EXPECT_NEAR(r.time_of("ball/floor", "stick"), fall * (1.0 + e) / (1.0 - e), 1e-4);
  EXPECT_EQ(r.end.nu.cwiseAbs().maxCoeff(), 0.0);
}

TEST(BaraffAcceleration, ReportsZenoBehaviourThatNoThresholdEnds) {
  const World world(3, {0.0, 0.0, -9.81},
                    {ball_body(3, "ball", 1.0, {0.0, 0.0, 2.0}), floor_body(3)},
                    {.restitution = 0.9});
  auto formulation = make(world, {"rest_speed=0", "max_events=1000"});
  const History r = follow_run(*formulation, world, 0.1, 20.0);
  EXPECT_EQ(r.status, Status::iteration_limit);
  ASSERT_FALSE(r.notes.empty());
  EXPECT_NE(r.notes.back().find("Zeno behaviour"), std::string::npos) << r.notes.back();
  EXPECT_NE(r.notes.back().find("rest_speed"), std::string::npos);
}

TEST(PredictedCollision, SolvesTheParabolaOfTheThesis) {
  EXPECT_DOUBLE_EQ(predicted_collision(2.0, 0.0, -9.81), std::sqrt(4.0 / 9.81));
  EXPECT_DOUBLE_EQ(predicted_collision(2.0, -1.0, 0.0), 2.0);
  EXPECT_DOUBLE_EQ(predicted_collision(3.0, -4.0, 2.0), 1.0);  // roots 1 and 3
  EXPECT_DOUBLE_EQ(predicted_collision(3.0, -1.0, 2.0), 3.0);  // no real root: linear
  EXPECT_TRUE(std::isinf(predicted_collision(3.0, 1.0, 2.0)));
  // No cancellation: t = 1e-9 beside a root at −2e9.
  EXPECT_NEAR(predicted_collision(1.0, -1e9, -1.0) / 1e-9, 1.0, 1e-15);
}

/// A rod of half-length 1 with I = m/16 whose tip touches the floor; Fig. 10.1 of the thesis.
World rod(double v0, double omega, double gravity, double restitution = 0.0) {
  const double theta = 72.0 * std::numbers::pi / 180.0, c = std::cos(theta), s = std::sin(theta);
  Body body{.name = "rod",
            .shape = std::make_shared<Polytope>(
                2, std::vector<Vec3>{{1, 0, 0}, {0, 0.02, 0}, {-1, 0, 0}, {0, -0.02, 0}})};
  body.inertia = Mat3::Identity() / 16.0;
  body.position = {0.0, s, 0.0};
  body.angle = theta;
  body.twist = {{-v0, omega * c, 0.0}, {0.0, 0.0, omega}};  // the tip slides along −x at v0 + ωs
  const double mu = (c * c + 0.125) / (c * s);
  return World(2, {0.0, -gravity, 0.0}, {body, floor_body(2)},
               {.mu = mu, .restitution = restitution});
}

// X3: without gravity the rod skims along, f = 0.
TEST(BaraffRod, Skims) {
  const World world = rod(1.0, 0.0, 0.0);
  auto formulation = make(world);
  const History r = follow_run(*formulation, world, 0.01, 0.5);
  EXPECT_EQ(r.status, Status::solved);
  EXPECT_NEAR(r.end.nu[0], -1.0, 1e-14);
  EXPECT_NEAR(r.end.nu.tail(2).norm(), 0.0, 1e-14);
}

// X1: of the two solutions Lemke's method finds f = 0, the rod lifts off with 1 m/s².
TEST(BaraffRod, IndeterminateLiftsOffByLemke) {
  const double omega = -3.369835608;
  const World world = rod(0.0, omega, 9.8);
  auto formulation = make(world);
  const Step& step = formulation->advance(initial_state(world), 1e-6);
  EXPECT_EQ(step.status, Status::solved);
  EXPECT_TRUE(step.contacts.empty());
  EXPECT_NEAR(step.next.nu[2], omega, 1e-12);
}

// X2, X4: no finite force, so an impulse stops the tip's slip and a collision follows.
TEST(BaraffRod, InconsistentReceivesTheImpulseOfChapterThirteen) {
  const double v0 = 2.0, h = 1e-9;
  const World world = rod(v0, 0.0, 9.8);
  auto formulation = make(world);
  const Step& step = formulation->advance(initial_state(world), h);
  ASSERT_EQ(step.status, Status::solved);
  EXPECT_NEAR(step.next.nu[0], -0.851302115 * v0, 2e-8);
  EXPECT_NEAR(step.next.nu[1], 0.276604825 * v0, 2e-8);
  EXPECT_NEAR(step.next.nu[2], 0.895112015 * v0, 5e-7);  // h·1e2 rad/s² on the way
  ASSERT_EQ(step.contacts.size(), 1u);
  EXPECT_NEAR(step.contacts[0].p_n, 0.276604825 * v0, 1e-7);
  EXPECT_NEAR(step.contacts[0].p_t, 0.148697885 * v0, 1e-7);
  ASSERT_FALSE(step.notes.empty());
  bool told = false;
  for (const std::string& note : step.notes)
    told = told || note.find("no finite contact forces") != std::string::npos;
  EXPECT_TRUE(told);
  EXPECT_NEAR(energy(world, step.next).kinetic, 0.425651057 * v0 * v0, 2e-6);
}

TEST(BaraffRod, InconsistentWithFullRestitutionKeepsTheEnergyAfterTheFirstImpulse) {
  const double v0 = 1.0;
  const World world = rod(v0, 0.0, 9.8, 1.0);
  auto formulation = make(world);
  const Step& step = formulation->advance(initial_state(world), 1e-9);
  ASSERT_EQ(step.status, Status::solved);
  EXPECT_NEAR(energy(world, step.next).kinetic, 0.435193663, 1e-7);
}

// X14: a smooth ellipse rocks on its side; R = m(g + h''ω²)/(1 + m h'²/I).
TEST(BaraffEllipse, RocksWithTheClosedFormReaction) {
  const double a = 2.0, b = 1.0, phi0 = 0.6, g = 9.8;
  Body ellipse{.name = "ellipse", .shape = std::make_shared<Ellipsoid>(2, Vec3(a, b, 0.0))};
  ellipse.inertia = 1.25 * Mat3::Identity();
  ellipse.angle = phi0;
  ellipse.position = {0.0, std::hypot(a * std::sin(phi0), b * std::cos(phi0)), 0.0};
  const World world(2, {0.0, -g, 0.0}, {ellipse, floor_body(2)}, {});
  auto formulation = make(world);
  State state = initial_state(world);
  const double h = 2e-4;
  double highest = 0.0, lowest = 1e9, drift = 0.0;
  const double start = energy(world, state).kinetic + energy(world, state).potential;
  for (int k = 1; k <= 7500; ++k) {
    const Step& step = formulation->advance(state, h);
    ASSERT_EQ(step.status, Status::solved);
    const double R = step.contacts.at(0).p_n / h;
    highest = std::max(highest, R);
    lowest = std::min(lowest, R);
    state = step.next;
    state.t = k * h;
    const Energy e = energy(world, state);
    drift = std::max(drift, std::abs(e.kinetic + e.potential - start));
  }
  EXPECT_NEAR(highest, 28.5566, 1e-4);
  EXPECT_NEAR(lowest, 5.44679, 1e-4);
  EXPECT_LT(drift, 1e-9);
}

TEST(BaraffAcceleration, RefusesOverlappingBodiesByName) {
  const World world(3, {0.0, 0.0, -9.81},
                    {ball_body(3, "ball", 1.0, {0.0, 0.0, 0.8}), floor_body(3)}, {});
  auto formulation = make(world);
  try {
    formulation->advance(initial_state(world), 0.01);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("'ball' and 'floor' overlap by 0.2 m"),
              std::string::npos)
        << error.what();
  }
}

// Every integrator gives the motion to its accuracy.
TEST(BaraffAcceleration, RunsWithEveryIntegrator) {
  Body egg = ball_body(3, "egg", 1.0, {0.0, 0.0, 2.0});
  egg.inertia = Vec3(0.3, 0.4, 0.5).asDiagonal();
  egg.twist = {{0.3, 0.0, -1.0}, {1.0, 2.0, 0.5}};
  const World world(3, {0.0, 0.0, -9.81}, {egg, floor_body(3)}, {.mu = 0.0, .restitution = 0.5});
  const auto end = [&](const char* name, const char* substep) {
    auto formulation =
        make(world, {std::string("integrator=") + name, std::string("substep=") + substep});
    return follow_run(*formulation, world, 0.1, 0.7).end.nu;
  };
  const Vec exact = end("dormand-prince", "1e-3");
  double last = 0.0;
  for (const auto& [name, order] :
       {std::pair{"euler", 1}, std::pair{"midpoint", 2}, std::pair{"rk4", 4}}) {
    const double coarse = (end(name, "0.02") - exact).norm();
    const double fine = (end(name, "0.01") - exact).norm();
    EXPECT_NEAR(std::log2(coarse / fine), order, order == 4 ? 1.0 : 0.5)
        << name << " " << coarse << " " << fine;
    last = fine;
  }
  EXPECT_LT(last, 1e-6);
}

}  // namespace

}  // namespace touchstone

#include <gtest/gtest.h>

#include <cmath>

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

std::unique_ptr<Formulation> make(const std::string& name, const World& world,
                                  const std::vector<std::string>& sets = {},
                                  const std::string& solver = "newton-fb") {
  const auto& entry = Registry<FormulationEntry>::instance().find(name);
  Parameters settings = entry.parameters;
  for (const std::string& set : sets) {
    const auto [key, value] = split_assignment(set);
    settings.set(key, value);
  }
  return make_formulation(entry, world, settings, make_solver(solver));
}

/// Example 1 of the paper.
World rolling_disc() {
  Body disc = ball_body(2, "disc", 1.0, {0.0, 1.0, 0.0});
  disc.inertia = 0.5 * Mat3::Identity();
  disc.twist = {{-3.0, 0.0, 0.0}, {0.0, 0.0, 3.0}};
  return World(2, {0.0, -9.81, 0.0}, {disc, floor_body(2)}, {.mu = 0.4});
}

/// Example 2 of the paper.
World spinning_sphere() {
  Body ball = ball_body(3, "ball", 1.0, {0.0, 0.0, 1.0});
  ball.inertia = 0.4 * Mat3::Identity();
  ball.twist.w = {0.0, 0.0, 1.962};
  return World(3, {0.0, 0.0, -9.81}, {ball, floor_body(3)}, {.mu = 0.2, .e_r = 0.4});
}

/// Example 3 of the paper; `small` is the shape of the small body.
World on_two_spheres(std::shared_ptr<const ConvexSet> small = std::make_shared<Ball>(3, 1.0),
                     const Vec3& position = {0.0, 6.62105263157895, 8.78417110772903}) {
  Body ball = ball_body(3, "ball", 1.0, position);
  ball.shape = std::move(small);
  ball.inertia = 0.4 * Mat3::Identity();
  ball.applied.force = {1.0, 2.6, -9.81};
  Body first = ball_body(3, "first", 10.0, {0.0, 0.0, 0.0}),
       second = ball_body(3, "second", 9.0, {0.0, 11.4, 0.0});
  first.fixed = second.fixed = true;
  return World(3, Vec3::Zero(), {ball, first, second}, {.mu = 0.2, .e_r = 0.3});
}

double mode_change(const Trace& t, const std::string& body, const World& world, Mode from,
                   double h) {
  for (std::size_t k = 1; k < t.contacts.size(); ++k) {
    const auto mode = [&](std::size_t at) {
      for (const ContactResult& c : t.contacts[at])
        if (world.body(c.contact.b).name == body) return c.mode;
      return Mode::separate;
    };
    if (mode(k - 1) == from && mode(k) != from) return static_cast<double>(k + 1) * h;
  }
  return -1.0;
}

TEST(GeometricNcp, ARollingDiscKeepsItsEnergyToRoundOff) {
  const World world = rolling_disc();
  auto formulation = make("geometric-ncp", world);
  const Trace t = trace(*formulation, world, 0.01, 10.0);
  EXPECT_EQ(t.worst, Status::solved);
  for (const double energy : t.energy) EXPECT_NEAR(energy / t.energy.front(), 1.0, 1e-12);
}

TEST(GeometricNcp, ASpinningSphereStopsAsTheDiscreteLawSays) {
  const World world = spinning_sphere();
  auto formulation = make("geometric-ncp", world);
  const double h = 0.07;
  const Trace t = trace(*formulation, world, h, 1.4);
  ASSERT_EQ(t.worst, Status::solved);
  for (std::size_t k = 1; k < t.states.size(); ++k) {
    const double time = static_cast<double>(k) * h;
    const Vec& nu = t.states[k].nu;
    EXPECT_NEAR(nu[5], time < 1.0 ? 1.962 * (1.0 - time) : 0.0, 1e-9) << time;
    EXPECT_LT(nu.head(5).lpNorm<Eigen::Infinity>(), 1e-10);
    const double moment = -t.contacts[k - 1].at(0).p_r / h;
    EXPECT_NEAR(moment, k <= 14 ? 0.7848 : k == 15 ? 0.4 * 1.962 * 0.02 / h : 0.0, 1e-9) << time;
  }
}

TEST(GeometricNcp, ASphereOnTwoSpheresChangesItsModesWhenItShould) {
  const World world = on_two_spheres();
  const double h = 0.01;
  auto formulation = make("geometric-ncp", world);
  const Trace t = trace(*formulation, world, h, 4.0);
  ASSERT_EQ(t.worst, Status::solved);
  // An event-driven solution, error below 1e-6 s.
  EXPECT_NEAR(mode_change(t, "second", world, Mode::stick, h), 2.944807, h);
  EXPECT_NEAR(mode_change(t, "first", world, Mode::slip, h), 3.213206, h);
  EXPECT_NEAR(mode_change(t, "second", world, Mode::slip, h), 3.701600, h);
  EXPECT_EQ(t.contacts[0][0].mode, Mode::slip);
  for (const auto& contacts : t.contacts)
    for (const ContactResult& c : contacts) {
      EXPECT_GE(c.contact.gap, -1e-9);
      const double friction = std::sqrt(c.p_t * c.p_t + c.p_o * c.p_o + c.p_r * c.p_r / 0.09);
      if (c.mode == Mode::slip)
        EXPECT_NEAR(friction, 0.2 * c.p_n, 1e-8 * h);
      else
        EXPECT_LE(friction, 0.2 * c.p_n + 1e-8 * h);
    }
}

TEST(GeometricNcp, HasTheUnknownsOfThePaper) {
  const auto count = [](const World& world, double h) {
    return make("geometric-ncp", world)->advance(initial_state(world), h).unknowns;
  };
  EXPECT_EQ(count(rolling_disc(), 0.01), 9);
  EXPECT_EQ(count(on_two_spheres(), 0.01), 28);
}

TEST(GeometricNcp, ConvergesAtFirstOrderToTheEventDrivenSolution) {
  const World world = on_two_spheres();
  Vec reference(6);  // ν at t = 2.5 s of the event-driven solution
  reference << 2.380001867, 0.0, -0.6109065427, 0.2919490215, 2.158407889, 1.137390366;
  double last = 0.0;
  for (const double h : {0.01, 0.005, 0.0025, 0.00125}) {
    auto formulation = make("geometric-ncp", world);
    const Trace t = trace(*formulation, world, h, 2.5);
    const double error = (t.states.back().nu - reference).norm();
    if (last > 0.0) {
      EXPECT_NEAR(last / error, 2.0, 0.1) << h;
    }
    last = error;
  }
}

TEST(GeometricNcp, GivesTheSameMotionWithEveryGapStartAndSolver) {
  const World world = on_two_spheres();
  auto reference = make("geometric-ncp", world);
  const Trace expected = trace(*reference, world, 0.01, 4.0);
  struct Variant {
    std::vector<std::string> sets;
    std::string solver;
  };
  std::vector<Variant> variants{{{"gap=g(a1)"}, "newton-fb"},
                                {{"gap=distance"}, "newton-fb"},
                                {{"start=predicted"}, "newton-fb"},
                                {{"start=predicted"}, "newton-min"}};
  for (const char* backend : {"siconos-mcp-min", "path"})
    if (Registry<SolverEntry>::instance().find(backend).unavailable.empty())
      variants.push_back({{"start=predicted"}, backend});
  for (const Variant& variant : variants) {
    auto formulation = make("geometric-ncp", world, variant.sets, variant.solver);
    const Trace t = trace(*formulation, world, 0.01, 4.0);
    EXPECT_EQ(t.worst, Status::solved) << variant.solver;
    ASSERT_EQ(t.states.size(), expected.states.size());
    double worst = 0.0;
    for (std::size_t k = 0; k < t.states.size(); ++k)
      worst = std::max(worst, (t.states[k].nu - expected.states[k].nu).lpNorm<Eigen::Infinity>());
    EXPECT_LT(worst, 1e-7) << variant.sets.front() << " " << variant.solver;
  }
}

TEST(TzitzourisPang, MovesAsTheGeometricNcpWhereAClosedFormExists) {
  Body egg = ball_body(3, "egg", 1.0, {0.0, 0.0, 1.5});
  egg.shape = std::make_shared<Ellipsoid>(3, Vec3(1.0, 1.5, 0.7));
  egg.inertia = Vec3(0.3, 0.4, 0.5).asDiagonal();
  egg.twist = {{0.3, 0.0, -1.0}, {1.0, 2.0, 0.5}};
  const World on_floor(3, {0.0, 0.0, -9.81}, {egg, floor_body(3)},
                       {.mu = 0.3, .e_t = 0.8, .e_o = 1.3, .e_r = 0.2});
  for (const World* world : {&on_floor}) {
    auto implicit = make("geometric-ncp", *world), closed = make("tzitzouris-pang", *world);
    const Trace a = trace(*implicit, *world, 0.01, 2.0), b = trace(*closed, *world, 0.01, 2.0);
    EXPECT_EQ(a.worst, Status::solved);
    EXPECT_EQ(b.worst, Status::solved);
    for (std::size_t k = 0; k < a.states.size(); ++k)
      EXPECT_LT((a.states[k].nu - b.states[k].nu).lpNorm<Eigen::Infinity>(), 1e-9) << k;
  }
}

/// A face on a face has no unique closest points; the point that carries the contact is found with
/// the motion, and lies inside the face.
TEST(GeometricNcp, ABoxSlidesOnItsFaceAndStops) {
  Body box = box_body(3, "box", {1.0, 1.0, 1.0}, {0.0, 0.0, 0.5});
  box.twist.v = {0.5, 0.0, 0.0};
  const World world(3, {0.0, 0.0, -9.81}, {box, floor_body(3)}, {.mu = 0.3, .e_r = 0.2});
  auto formulation = make("geometric-ncp", world);
  const double h = 0.01;
  const Trace t = trace(*formulation, world, h, 0.5);
  ASSERT_EQ(t.worst, Status::solved);
  for (std::size_t k = 1; k < t.states.size(); ++k) {
    const double expected = std::max(0.0, 0.5 - 0.3 * 9.81 * h * static_cast<double>(k));
    EXPECT_NEAR(t.states[k].nu[0], expected, 1e-9) << k;
    EXPECT_NEAR(t.states[k].q[2], 0.5, 1e-9);
  }
  // While it slides, the friction μmg at the floor is balanced by the normal impulse at a lever
  // μ·½ ahead of the centre.
  const ContactResult& first = t.contacts.front().at(0);
  EXPECT_NEAR(first.contact.point.x() - t.states[1].q[0], 0.3 * 0.5, 1e-8);
}

TEST(GeometricNcp, TellsWhatItDoesNotModel) {
  const auto& entry = Registry<FormulationEntry>::instance().find("geometric-ncp");
  const World bouncing(3, Vec3::Zero(), {ball_body(3, "ball", 1.0, {0, 0, 1}), floor_body(3)},
                       {.mu = 0.2, .restitution = 0.5});
  EXPECT_NE(entry.inapplicable(bouncing).find("restitution = 0.5"), std::string::npos);
  const auto& closed = Registry<FormulationEntry>::instance().find("tzitzouris-pang");
  const World box(3, Vec3::Zero(), {box_body(3, "box", {1, 1, 1}, {0, 0, 1}), floor_body(3)},
                  {.mu = 0.2});
  EXPECT_NE(closed.inapplicable(box).find("closed form"), std::string::npos);
}

TEST(GeometricNcp, SeparatesOverlappingBodiesWithinTheStepAndSaysSo) {
  Body ball = ball_body(3, "ball", 1.0, {0.0, 0.0, 0.8});
  const World world(3, {0.0, 0.0, -9.81}, {ball, floor_body(3)}, {.mu = 0.2});
  auto formulation = make("geometric-ncp", world);
  const Step& step = formulation->advance(initial_state(world), 0.01);
  EXPECT_EQ(step.status, Status::solved);
  EXPECT_NEAR(step.next.q[2], 1.0, 1e-9);
  ASSERT_FALSE(step.notes.empty());
  EXPECT_NE(step.notes.front().find("ball/floor overlap by 0.2"), std::string::npos)
      << step.notes.front();
}

// --- input at the edge of the model

/// The step separates bodies however deep they are in each other, along the shortest way out.
TEST(GeometricNcp, SeparatesABallThatIsDeepInAnother) {
  Body inner = ball_body(3, "inner", 1.0, {0.0, 0.0, 0.1}),
       outer = ball_body(3, "outer", 2.0, Vec3::Zero());
  outer.fixed = true;
  const World world(3, Vec3::Zero(), {inner, outer}, {.mu = 0.2});
  auto formulation = make("geometric-ncp", world);
  const Step& step = formulation->advance(initial_state(world), 0.01);
  EXPECT_EQ(step.status, Status::solved);
  EXPECT_NEAR(step.next.q.head<3>().norm(), 3.0, 1e-9);
  ASSERT_FALSE(step.notes.empty());
  EXPECT_NE(step.notes.front().find("overlap by 2.9"), std::string::npos) << step.notes.front();
}

/// Concentric balls have every normal; contact_points takes the last axis, and so does the step.
TEST(GeometricNcp, SeparatesCoincidentCentresAlongTheLastAxis) {
  Body inner = ball_body(3, "inner", 1.0, Vec3::Zero()),
       outer = ball_body(3, "outer", 2.0, Vec3::Zero());
  outer.fixed = true;
  const World world(3, Vec3::Zero(), {inner, outer}, {.mu = 0.2});
  for (const char* name : {"geometric-ncp", "tzitzouris-pang"}) {
    auto formulation = make(name, world);
    const Step& step = formulation->advance(initial_state(world), 0.01);
    ASSERT_TRUE(step.next.q.allFinite()) << name;
    EXPECT_EQ(step.status, Status::solved) << name;
    EXPECT_NEAR(std::abs(step.next.q[2]), 3.0, 1e-9) << name;
    ASSERT_FALSE(step.notes.empty()) << name;
    EXPECT_NE(step.notes.front().find("overlap by 3"), std::string::npos) << step.notes.front();
  }
}

/// Without torsional weight friction has no such component and no unknown for it.
TEST(GeometricNcp, LeavesOutComponentsOfFrictionWithoutWeight) {
  Body ball = ball_body(3, "ball", 1.0, {0.0, 0.0, 1.0});
  ball.inertia = 0.4 * Mat3::Identity();
  ball.twist = {{1.0, 2.0, 0.0}, {0.0, 0.0, 3.0}};
  const auto end = [&](const FrictionLaw& law, int unknowns) {
    const World world(3, {0.0, 0.0, -9.81}, {ball, floor_body(3)}, law);
    auto formulation = make("geometric-ncp", world);
    EXPECT_EQ(formulation->advance(initial_state(world), 0.01).unknowns, unknowns);
    const Trace t = trace(*formulation, world, 0.01, 0.5);
    EXPECT_EQ(t.worst, Status::solved);
    return t.states.back().nu;
  };
  const Vec no_torsion = end({.mu = 0.3, .e_r = 0.0}, 6 + 9);
  EXPECT_NEAR(no_torsion[5], 3.0, 1e-12) << "nothing brakes the spin";
  const Vec frictionless = end({.mu = 0.0}, 6 + 6);
  EXPECT_NEAR((frictionless.head<2>() - Eigen::Vector2d(1.0, 2.0)).norm(), 0.0, 1e-12);
  EXPECT_THROW(World(3, Vec3::Zero(), {ball, floor_body(3)}, {.mu = 0.3, .e_o = 0.0}), InputError)
      << "a tangent without friction is refused";
}

TEST(GeometricNcp, CarriesAPileOfBallsAndEllipsoidsToRestWithoutAFailedStep) {
  std::vector<Body> bodies;
  for (int k = 0; k < 10; ++k) {
    const double x = 0.3 * ((k * 7) % 5 - 2), y = 0.3 * ((k * 3) % 4 - 1.5);
    Body body = ball_body(3, "body" + std::to_string(k), 0.5, {x, y, 1.0 + 1.1 * k});
    if (k % 2 == 1) body.shape = std::make_shared<Ellipsoid>(3, Vec3(0.5, 0.4, 0.6));
    body.inertia = 0.1 * Mat3::Identity();
    bodies.push_back(body);
  }
  bodies.push_back(floor_body(3));
  const World world(3, {0.0, 0.0, -9.81}, bodies, {.mu = 0.4, .e_r = 0.05});
  auto formulation = make("geometric-ncp", world);
  State state = initial_state(world);
  for (int k = 0; k < 150; ++k) {
    const Step& step = formulation->advance(state, 0.01);
    ASSERT_EQ(step.status, Status::solved) << "t = " << state.t;
    for (const ContactResult& c : step.contacts) EXPECT_GT(c.contact.gap, -1e-9);
    state = step.next;
  }
}

}  // namespace

}  // namespace touchstone

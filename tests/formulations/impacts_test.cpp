#include "formulations/common/impacts.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "formulations/common/verdict.hpp"
#include "tests/formulations/conformance.hpp"
#include "tests/solvers/known_problems.hpp"

namespace touchstone {

namespace {

using conformance::ball_body;
using conformance::box_body;
using conformance::floor_body;
using testing::expect_near;
using testing::vec;

struct Scene {
  World world;
  State state;
  Configuration configuration;
  std::vector<Contact> contacts;

  explicit Scene(World w) : world(std::move(w)), state(initial_state(world)) {
    configuration.update(world, state);
    find_contacts_within(configuration, 1e-9, contacts);
  }
  ImpactResult resolve(const ImpactRule& rule) {
    return resolve_impact(configuration, contacts, rule, *make_solver("lemke"), 1e-9, state.nu);
  }
};

constexpr ImpactRule sequential{.order = ImpactOrder::sequential};
constexpr ImpactRule simultaneous{};

/// Unit cube, m = 1, I = 1/6, falling flat at 1 m/s; corners in the given order, counted as in T11:
/// (+,+), (−,+), (−,−), (+,−).
Scene flat_cube(double restitution, const std::vector<int>& order) {
  Body cube = box_body(3, "cube", {1.0, 1.0, 1.0}, {0.0, 0.0, 0.5});
  cube.twist.v = {0.0, 0.0, -1.0};
  Scene scene(World(3, Vec3::Zero(), {cube, floor_body(3)}, {.restitution = restitution}));
  const double x[] = {0.5, -0.5, -0.5, 0.5}, y[] = {0.5, 0.5, -0.5, -0.5};
  std::vector<Contact> ordered;
  for (const int k : order)
    for (const Contact& c : scene.contacts)
      if ((c.point - Vec3(x[k], y[k], 0.0)).norm() < 1e-12) ordered.push_back(c);
  scene.contacts = ordered;
  return scene;
}

// X21, T12: all four corners at once bounce the cube flat, the sum of the impulses is (1 + ε)mv.
TEST(Impacts, ACubeThatFallsFlatBouncesFlatWhenCornersActTogether) {
  for (const double e : {0.0, 0.5, 1.0})
    for (const RestitutionLaw law : {RestitutionLaw::newton, RestitutionLaw::poisson}) {
      Scene scene = flat_cube(e, {0, 1, 2, 3});
      const ImpactResult r = scene.resolve({.restitution = law});
      EXPECT_EQ(r.answer.status, Status::solved);
      double sum = 0.0;
      for (const Vec& p : r.impulses) sum += p[0];
      EXPECT_NEAR(sum, 1.0 + e, 1e-12);
      expect_near(scene.state.nu, vec({0, 0, e, 0, 0, 0}), 1e-12);
    }
}

// T12: one after the other the corners give it a spin, and with ε = 0 a hop that nothing pays for.
TEST(Impacts, ACubeThatFallsFlatTumblesWhenCornersActInTurn) {
  const auto impulses = [](const ImpactResult& r) {
    return vec({r.impulses[0][0], r.impulses[1][0], r.impulses[2][0], r.impulses[3][0]});
  };
  Scene half = flat_cube(0.5, {0, 1, 2, 3});
  const ImpactResult r = half.resolve(sequential);
  EXPECT_EQ(r.count, 5);
  expect_near(impulses(r), vec({.45199585, .234375, .56835938, .19702148}), 5e-9);
  EXPECT_NEAR(half.state.nu[2], .45175171, 5e-9);
  expect_near(half.state.nu.tail(3), vec({-.23703003, .46115112, 0.0}), 5e-9);
  EXPECT_NEAR(energy(half.world, half.state).kinetic / 0.5, .24888687, 5e-9);

  Scene dead = flat_cube(0.0, {0, 1, 2, 3});
  const ImpactResult d = dead.resolve(sequential);
  EXPECT_EQ(d.count, 6);
  EXPECT_NEAR(impulses(d).sum(), 1.03295898, 5e-9);
  EXPECT_NEAR(dead.state.nu[2], .03295898, 5e-9);

  Scene full = flat_cube(1.0, {0, 1, 2, 3});
  const ImpactResult f = full.resolve(sequential);
  EXPECT_EQ(f.count, 5);
  expect_near(impulses(f), vec({.71875, .25, .875, .0625}), 1e-12);
  EXPECT_NEAR(full.state.nu[2], .90625, 1e-12);
  EXPECT_NEAR(energy(full.world, full.state).kinetic, 0.5, 1e-12);

  Scene across = flat_cube(1.0, {0, 2, 1, 3});
  expect_near(impulses(across.resolve(sequential)), vec({1, 1, 0, 0}), 1e-12);
  EXPECT_NEAR(across.state.nu[2], 1.0, 1e-12);
  Scene other = flat_cube(0.5, {0, 2, 1, 3});
  expect_near(impulses(other.resolve(sequential)), vec({.6796875, .65625, 0, 0}), 1e-12);
  EXPECT_NEAR(other.state.nu[2], .3359375, 1e-12);
  EXPECT_NEAR(energy(other.world, other.state).kinetic / 0.5, .11450195, 5e-9);
}

Scene cradle(double restitution) {
  std::vector<Body> balls;
  for (int k = 0; k < 3; ++k)
    balls.push_back(ball_body(2, std::string(1, static_cast<char>('a' + k)), 0.5,
                              {static_cast<double>(k), 0.0, 0.0}));
  balls[0].twist.v = {1.0, 0.0, 0.0};
  return Scene(World(2, Vec3::Zero(), balls, {.restitution = restitution}));
}

// X21, T17: Newton's cradle tells simultaneous from sequential impulses.
TEST(Impacts, TheCradleOfThreeBallsGivesThirdsTogetherAndOneBallInTurn) {
  const auto speeds = [](const Scene& s) {
    return vec({s.state.nu[0], s.state.nu[3], s.state.nu[6]});
  };
  Scene together = cradle(1.0);
  const ImpactResult r = together.resolve(simultaneous);
  expect_near(speeds(together), vec({-1.0 / 3, 2.0 / 3, 2.0 / 3}), 1e-12);
  EXPECT_NEAR(energy(together.world, together.state).kinetic, 0.5, 1e-12);
  for (const Vec& p : r.impulses)
    EXPECT_TRUE(std::abs(p[0] - 4.0 / 3) < 1e-12 || std::abs(p[0] - 2.0 / 3) < 1e-12) << p[0];
  Scene turn = cradle(1.0);
  turn.resolve(sequential);
  expect_near(speeds(turn), vec({0, 0, 1}), 1e-12);
  Scene dead = cradle(0.0);
  dead.resolve(simultaneous);
  expect_near(speeds(dead), vec({1.0 / 3, 1.0 / 3, 1.0 / 3}), 1e-12);
}

// T14: j = (1 + ε) m_red v and the loss ½ m_red (1 − ε²) v².
TEST(Impacts, ACentralHitHasTheClosedFormImpulse) {
  Body a = ball_body(3, "a", 0.5, {0.0, 0.0, 0.0}), b = ball_body(3, "b", 0.5, {1.0, 0.0, 0.0});
  a.mass = 2.0;
  b.mass = 3.0;
  a.twist.v = {1.5, 0.0, 0.0};
  b.twist.v = {-0.5, 0.0, 0.0};
  const double e = 0.3, reduced = 6.0 / 5.0, v = 2.0;
  for (const RestitutionLaw law : {RestitutionLaw::newton, RestitutionLaw::poisson}) {
    Scene scene(World(3, Vec3::Zero(), {a, b}, {.mu = 0.4, .e_r = 0.1, .restitution = e}));
    const double before = energy(scene.world, scene.state).kinetic;
    const ImpactResult r = scene.resolve({.restitution = law});
    EXPECT_NEAR(r.impulses[0][0], (1 + e) * reduced * v, 1e-9);
    EXPECT_NEAR(before - energy(scene.world, scene.state).kinetic,
                0.5 * reduced * (1 - e * e) * v * v, 1e-9);
  }
}

/// Oblique impact of a ball with friction: slides where μ is small, rolls where it is large, in the
/// plane and in space alike. The slip needs the impulse 2/7 m v_t to stop (solid ball).
TEST(Impacts, ObliqueImpactsStickOrSlideAsCoulombSays) {
  for (const double mu : {0.05, 0.1, 0.4})
    for (const double e : {0.0, 0.6})
      for (const RestitutionLaw law : {RestitutionLaw::newton, RestitutionLaw::poisson}) {
        Body ball = ball_body(3, "ball", 0.5, {0.0, 0.0, 0.5});
        ball.twist.v = {1.2, 0.9, -2.0};
        Scene scene(World(3, Vec3::Zero(), {ball, floor_body(3)}, {.mu = mu, .restitution = e}));
        const ImpactResult r = scene.resolve({.restitution = law});
        const double normal = (1 + e) * 2.0, tangential = r.impulses[0].tail(2).norm();
        EXPECT_NEAR(r.impulses[0][0], normal, 1e-9);
        EXPECT_NEAR(tangential, std::min(mu * normal, 2.0 / 7.0 * 1.5), 1e-9) << mu << " " << e;
        EXPECT_NEAR(r.impulses[0][1] * 0.9 - r.impulses[0][2] * 1.2, 0.0, 1e-9);
      }
}

// The verdicts of X1, X2, X9, X10, X11, X12.
TEST(Verdicts, AreUniqueSeveralImpulsiveOrNone) {
  using testing::chair;
  using testing::rod;
  const Examination indeterminate = examine(rod(-1.0, 1.0));
  EXPECT_EQ(indeterminate.verdict, Verdict::several);
  ASSERT_EQ(indeterminate.solutions.size(), 2u);
  EXPECT_EQ(indeterminate.solutions[0][0], 0.0);
  EXPECT_EQ(indeterminate.solutions[1][0], 1.0);
  const Examination inconsistent = examine(rod(-1.0, -9.8));
  EXPECT_EQ(inconsistent.verdict, Verdict::impulsive);
  expect_near(inconsistent.impulse, vec({1.0}), 0.0);
  EXPECT_EQ(examine(rod(-1.0, 0.0)).verdict, Verdict::unique);  // X3: skims
  EXPECT_EQ(examine(rod(2.5, -9.8)).verdict, Verdict::unique);  // X2 without friction
  EXPECT_EQ(examine(subset_sum({3, 5, 7}, 8)).verdict, Verdict::unique);
  EXPECT_EQ(examine(subset_sum({3, 5, 7}, 11)).verdict, Verdict::impulsive);
  EXPECT_EQ(examine(subset_sum({1, 2, 3, 4, 5}, 7)).solutions.size(), 3u);
  EXPECT_EQ(examine(chair()).verdict, Verdict::several);
  // X10: finite forces (0, 0) and the impulse (0, 1) are both legal.
  const Lcp both = subset_sum({1}, 0);
  EXPECT_TRUE(is_valid_impulse(both.M.to_dense(), vec({0, 0, 1})));
  EXPECT_FALSE(is_valid_impulse(Mat::Identity(2, 2), vec({0, 1})));
  EXPECT_FALSE(is_valid_impulse(Mat::Identity(2, 2), vec({0, 0})));
  // X11: a rod on a movable base, a = −0.99 f/m − f_b/M.
  EXPECT_EQ(examine(rod(-0.99, 0.0)).verdict, Verdict::unique);
  EXPECT_EQ(examine(rod(-0.99, -0.01)).verdict, Verdict::impulsive);
  const Examination pushed = examine(rod(-0.99, 0.01));
  ASSERT_EQ(pushed.solutions.size(), 2u);
  EXPECT_NEAR(pushed.solutions[1][0], 1.0 / 99.0, 1e-15);
  // No finite forces and no impulse either: a contact that nothing moves.
  EXPECT_EQ(examine(Lcp{Mat::Zero(1, 1), vec({1.0})}).verdict, Verdict::unique);
}

// Bilateral rows: T31, the double pendulum that hangs at rest has the tensions 2g and g, in the
// mixed LCP and in both programs, beside a contact that carries nothing and one that carries.
TEST(ContactForces, BilateralRowsHaveForcesOfEitherSign) {
  const double g = 9.81;
  ContactProblem problem;
  problem.bilateral = 2;
  problem.cones.friction = {0, 0};
  problem.cones.mu = Vec::Zero(2);
  Mat W = Mat::Identity(4, 4);
  W.bottomRightCorner(2, 2) << 1, -1, -1, 2;
  problem.cones.W = W;
  problem.cones.q = vec({-g, 2.0, g, 0.0});  // the contacts first
  for (const ForceForm form : {ForceForm::lcp, ForceForm::qp1, ForceForm::qp2}) {
    const auto solver = make_solver(form == ForceForm::lcp ? "lemke" : "active-set-qp");
    const Answer answer = solve_contacts(problem, form, *solver, {});
    ASSERT_EQ(answer.status, Status::solved);
    expect_near(answer.z, vec({g, 0.0, -2 * g, -g}), 1e-9);
  }
}

// (8-7), (8-10) and (8-11) are one problem: T11, the cube at rest, and T15, the stack.
TEST(ContactForces, TheProgramsGiveTheForcesOfTheLcp) {
  ContactProblem stack;
  stack.cones.friction = {0, 0};
  stack.cones.mu = Vec::Zero(2);
  const double m1 = 2.0, m2 = 3.0, g = 9.81;
  stack.cones.W = (Mat(2, 2) << 1 / m1, -1 / m1, -1 / m1, 1 / m1 + 1 / m2).finished();
  stack.cones.q = vec({-g, 0.0});
  for (const ForceForm form : {ForceForm::lcp, ForceForm::qp1, ForceForm::qp2}) {
    const auto solver = make_solver(form == ForceForm::lcp ? "lemke" : "active-set-qp");
    expect_near(solve_contacts(stack, form, *solver, {}).z, vec({(m1 + m2) * g, m2 * g}), 1e-9);
  }
  ContactProblem cube;
  cube.cones.friction = {0, 0, 0, 0};
  cube.cones.mu = Vec::Zero(4);
  cube.cones.W = (Mat(4, 4) << 4, 1, -2, 1, 1, 4, 1, -2, -2, 1, 4, 1, 1, -2, 1, 4).finished();
  cube.cones.q = Vec::Constant(4, -g);
  for (const ForceForm form : {ForceForm::lcp, ForceForm::qp1, ForceForm::qp2}) {
    const auto solver = make_solver(form == ForceForm::lcp ? "lemke" : "active-set-qp");
    const Answer answer = solve_contacts(cube, form, *solver, {});
    ASSERT_EQ(answer.status, Status::solved);
    EXPECT_NEAR(answer.z.sum(), g, 1e-9);  // forces are not unique, accelerations are
    expect_near(cube.cones.W * answer.z + cube.cones.q, Vec::Zero(4), 1e-9);
  }
}

}  // namespace

}  // namespace touchstone

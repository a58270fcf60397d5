#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "formulations/common/ratio_contacts.hpp"
#include "geometry/shapes.hpp"
#include "tests/formulations/conformance.hpp"

/// ratio-metric: closed forms, the three couplings, stabilisation, and what it refuses.

namespace touchstone {

namespace {

using conformance::box_body;
using conformance::floor_body;

const FormulationEntry& ratio_stepping() {
  return Registry<FormulationEntry>::instance().find("ratio-metric");
}

std::unique_ptr<Formulation> make(const World& world, const std::vector<std::string>& sets = {},
                                  const std::string& solver = "lemke") {
  Parameters settings = ratio_stepping().parameters;
  for (const std::string& set : sets) {
    const auto [key, value] = split_assignment(set);
    settings.set(key, value);
  }
  return make_formulation(ratio_stepping(), world, settings, make_solver(solver));
}

/// Two boxes that fall onto the floor and onto each other.
World falling_boxes(double mu) {
  Body low = box_body(3, "low", {0.5, 0.4, 0.2}, {0.0, 0.0, 0.3}),
       high = box_body(3, "high", {0.2, 0.3, 0.25}, {0.1, 0.05, 0.7});
  low.orientation = Eigen::Quaterniond(Eigen::AngleAxisd(0.2, Vec3(1.0, 0.4, 0.1).normalized()));
  high.orientation = Eigen::Quaterniond(Eigen::AngleAxisd(0.5, Vec3(-0.2, 1.0, 0.6).normalized()));
  low.twist.v = {0.4, -0.2, 0.0};
  high.twist.w = {1.0, 0.0, 4.0};
  high.mass = 0.3;
  return World(3, {0.0, 0.0, -9.81}, {low, high, floor_body(3)}, {.mu = mu});
}

/// A plank that tips over a box: planar, the contacts slide and turn.
World tipping_plank(double mu) {
  Body plank = box_body(2, "plank", {1.0, 0.1, 0.0}, {0.3, 0.45, 0.0}),
       block = box_body(2, "block", {0.4, 0.4, 0.0}, {0.0, 0.2, 0.0});
  block.mass = 3.0;
  return World(2, {0.0, -9.81, 0.0}, {plank, block, floor_body(2)}, {.mu = mu});
}

/// Two squares hinged together, thrown at the floor.
World hinged_pair() {
  Body a = box_body(2, "a", {0.4, 0.2, 0.0}, {0.0, 0.3, 0.0}),
       b = box_body(2, "b", {0.4, 0.2, 0.0}, {0.4, 0.3, 0.0});
  a.twist.v = b.twist.v = {0.5, -1.0, 0.0};
  std::vector<Body> bodies{a, b, floor_body(2)};
  const Joint joint = ball_joint("pin", bodies, 0, 1, {0.2, 0.3, 0.0});
  return World(2, {0.0, -9.81, 0.0}, bodies, {.mu = 0.3}, {}, {joint});
}

TEST(RatioMetricStepping, CubesMeetAsTheClosedFormSays) {
  // Two unit cubes of equal mass at the distance D approach with the speed w between them. r = D,
  // ψ = D − 1: the row is −w + D(D − 1)/h ≥ 0, Newton's method for ρ = (D − 1)/D = 0. It overshoots
  // by (D − 1)², and the next step takes that away, with a velocity that stays.
  const double D = 1.05, u = 3.0, h = 0.01;
  Body left = box_body(3, "left", {1.0, 1.0, 1.0}, {-0.5 * D, 0.0, 0.0}),
       right = box_body(3, "right", {1.0, 1.0, 1.0}, {0.5 * D, 0.0, 0.0});
  left.twist.v = {u, 0.0, 0.0};
  right.twist.v = {-u, 0.0, 0.0};
  const World world(3, Vec3::Zero(), {left, right}, {});
  const auto formulation = make(world);
  State state = initial_state(world);
  double distance = D, speed = 2.0 * u;
  for (int k = 0; k < 5; ++k) {
    state = formulation->advance(state, h).next;
    speed = std::min(speed, distance * (distance - 1.0) / h);
    distance -= speed * h;
    EXPECT_NEAR(state.nu[0], 0.5 * speed, 1e-12) << k;
    EXPECT_NEAR(state.nu[6], -0.5 * speed, 1e-12) << k;
    EXPECT_NEAR(ratio_infeasibility(world, state), std::max(0.0, (1.0 - distance) / distance),
                1e-13);
  }
  EXPECT_NEAR(speed, -(1.0 - (D - 1.0) * (D - 1.0)) * (D - 1.0) * (D - 1.0) / h, 1e-12);
}

TEST(RatioMetricStepping, OnAFloorItsEventsAreThoseOfTheLinearisedGap) {
  // Corners on a half-space have E below the corner and the gap rψ; the normal row and, with
  // the wrench at E, the step differ from stewart-trinkle's by O(h) while the gap is open only.
  Body box = box_body(2, "box", {0.4, 0.3, 0.0}, {0.0, 0.15, 0.0});
  box.twist.v = {1.0, 0.0, 0.0};
  const World world(2, {0.0, -9.81, 0.0}, {box, floor_body(2)}, {.mu = 0.3});
  const auto ratio = make(world), gap = make_formulation("stewart-trinkle", world);
  State state = initial_state(world);
  for (int k = 0; k < 50; ++k) {
    const Vec nu = ratio->advance(state, 0.01).next.nu;
    state = gap->advance(state, 0.01).next;
    EXPECT_LT((nu - state.nu).lpNorm<Eigen::Infinity>(), 1e-11) << k;
  }
}

/// Boxes of 0.2 m above each other that fall together with 10 m/s, `gap` between them, the lowest
/// just above the floor.
World falling_column(int boxes, double gap) {
  std::vector<Body> bodies;
  for (int k = 0; k < boxes; ++k) {
    bodies.push_back(box_body(2, "box" + std::to_string(k), {0.2, 0.2, 0.0},
                              {0.0, 0.101 + k * (0.2 + gap), 0.0}));
    bodies.back().twist.v = {0.0, -10.0, 0.0};
  }
  bodies.push_back(floor_body(2));
  return World(2, {0.0, -9.81, 0.0}, bodies, {.mu = 0.3});
}

TEST(RatioMetricStepping, SeesWhatAStoppedBodyIsHitBy) {
  // No two boxes approach each other when the step begins, so that no event is looked for across
  // the gaps; when the floor stops the first box, the second would move 0.1 m into it, and so on.
  const double h = 0.01, gap = 0.01;
  for (const char* coupling : {"lcp", "qp"}) {
    const World world = falling_column(4, gap);
    RatioContacts contacts(world);
    const State start = initial_state(world);
    Configuration configuration;
    configuration.update(world, start);
    std::vector<Contact> found;
    contacts.find(configuration, start, h, found);
    EXPECT_GE(found.size(), 2u);  // corners above the floor
    for (const Contact& contact : found) EXPECT_EQ(contact.b, world.index("floor"));
    const auto formulation = make(world, {std::string("coupling=") + coupling},
                                  coupling == std::string("lcp") ? "lemke" : "active-set-qp");
    const Step& step = formulation->advance(start, h);
    EXPECT_EQ(step.status, Status::solved);
    for (int k = 1; k < 4; ++k) {  // each box closes rψ to the one below, r = (0.2 + gap)/0.2
      const double relative = step.next.nu[3 * k + 1] - step.next.nu[3 * (k - 1) + 1];
      EXPECT_NEAR(relative, -(0.2 + gap) / 0.2 * gap / h, 1e-10) << coupling << ", " << k;
    }
  }
}

TEST(RatioMetricStepping, CommonMotionNeedsNoMoreEvents) {
  // The same configuration at rest and flying: the same events.
  std::vector<Contact> of_rest, flying;
  const World world = falling_column(4, 1e-4);
  RatioContacts contacts(world);
  Configuration configuration;
  State state = initial_state(world);
  state.q[1] += 10.0, state.q[4] += 10.0, state.q[7] += 10.0, state.q[10] += 10.0;
  configuration.update(world, state);
  contacts.find(configuration, state, 0.01, flying);
  state.nu.setZero();
  contacts.find(configuration, state, 0.01, of_rest);
  ASSERT_EQ(flying.size(), of_rest.size());
  EXPECT_EQ(flying.size(), 12u);  // three gaps, each with two corners of either box
  for (std::size_t k = 0; k < flying.size(); ++k) EXPECT_EQ(flying[k].feature, of_rest[k].feature);
}

TEST(RatioMetricStepping, SeesEdgesWhoseNormalTurnsIntoSupport) {
  // A bar lies across the ridge of a wide, shallow roof, tilted more than the roof's slope: along
  // the normal of bar and ridge the far eave is 0.2 m higher than the ridge. As the bar levels out
  // it comes down on the ridge within the step.
  const double tilt = 0.06, gap = 0.003, h = 0.01;
  Body roof{.name = "roof"};
  roof.shape = std::make_shared<Polytope>(3, std::vector<Vec3>{{0, -2, 0},
                                                               {0, 2, 0},
                                                               {-20, -2, -1},
                                                               {-20, 2, -1},
                                                               {20, -2, -1},
                                                               {20, 2, -1},
                                                               {-20, -2, -5},
                                                               {-20, 2, -5},
                                                               {20, -2, -5},
                                                               {20, 2, -5}});
  roof.fixed = true;
  const Vec3 n(std::sin(tilt), 0.0, std::cos(tilt));
  Body bar = box_body(3, "bar", {0.4, 0.1, 0.1}, Vec3(0.0, 0.0, gap) + 0.05 * std::sqrt(2.0) * n);
  bar.orientation = Eigen::AngleAxisd(tilt, Vec3::UnitY()) *
                    Eigen::AngleAxisd(0.25 * std::numbers::pi, Vec3::UnitX());
  bar.twist = {{0.0, 0.0, -0.5}, {0.0, -3.0, 0.0}};
  const World world(3, {0.0, 0.0, -9.81}, {bar, roof}, {});
  const State start = initial_state(world);
  Configuration configuration;
  configuration.update(world, start);
  RatioContacts contacts(world);
  std::vector<Contact> found;
  contacts.find(configuration, start, h, found);
  EXPECT_TRUE(std::any_of(found.begin(), found.end(),
                          [&](const Contact& c) { return (c.n - n).norm() < 1e-9; }));
  double overlap[2];  // with the rule for ε_p, and with one that sees translations only
  for (const int k : {0, 1}) {
    const auto formulation = make(world, {k == 0 ? "eps_p=0" : "eps_p=0.04"});
    configuration.update(world, formulation->advance(start, h).next);
    overlap[k] = contacts.infeasibility(configuration);
  }
  EXPECT_LT(overlap[0], 1e-4);  // the turn of the normal within the step, O(h²)
  EXPECT_GT(overlap[1], 5.0 * overlap[0]);
}

struct Difference {
  double velocity = 0.0, impulse = 0.0;
  int solved = 0, failed = 0;
};

/// Steps the first and compares the second from the same states.
Difference compare(const World& world, Formulation& first, Formulation& second, int steps,
                   double h) {
  Difference found;
  State state = initial_state(world);
  for (int k = 0; k < steps; ++k) {
    const Step& a = first.advance(state, h);
    EXPECT_EQ(a.status, Status::solved) << k;
    const State next = a.next;
    for (const ContactResult& c : a.contacts) found.impulse += c.p_n;
    const Step& b = second.advance(state, h);
    if (b.status == Status::solved) {
      ++found.solved;
      found.velocity = std::max(found.velocity, (b.next.nu - next.nu).lpNorm<Eigen::Infinity>());
    } else {
      ++found.failed;
    }
    state = next;
  }
  return found;
}

TEST(RatioMetricStepping, FixedPointAgreesWithTheExactLcp) {
  for (const World& world : {tipping_plank(0.2), falling_boxes(0.2), hinged_pair()}) {
    const auto exact = make(world), fixed = make(world, {"coupling=fixed-point"}, "active-set-qp");
    const Difference d = compare(world, *exact, *fixed, 100, 0.005);
    EXPECT_GT(d.impulse, 0.5);
    EXPECT_GT(d.solved, 90) << d.failed << " did not converge";
    EXPECT_LT(d.velocity, 1e-8);
  }
}

TEST(RatioMetricStepping, RelaxationIsTheSameForEverySolver) {
  for (const World& world : {tipping_plank(0.4), falling_boxes(0.4), hinged_pair()}) {
    const auto own = make(world, {"coupling=qp"}, "active-set-qp");
    for (const char* solver : {"interior-point", "sparse-interior-point", "osqp"}) {
      if (!Registry<SolverEntry>::instance().find(solver).unavailable.empty()) continue;
      const auto other = make(world, {"coupling=qp", "first_set=1"}, solver);
      const Difference d = compare(world, *own, *other, 40, 0.01);
      EXPECT_GT(d.solved, 35) << solver;
      EXPECT_LT(d.velocity, 1e-6) << solver;
    }
  }
}

TEST(RatioMetricStepping, RelaxationWithoutFrictionIsTheExactLcp) {
  const World world = falling_boxes(0.0);
  const auto exact = make(world), relaxed = make(world, {"coupling=qp"}, "active-set-qp");
  EXPECT_LT(compare(world, *exact, *relaxed, 100, 0.005).velocity, 1e-9);
}

TEST(RatioMetricStepping, RelaxedSlidingOpensWithMuTimesTheSlip) {
  // (16) with Γ = 0: a sliding block rises so that u_n = μ|u_t| until the gap makes up for it.
  Body box = box_body(2, "box", {0.4, 0.3, 0.0}, {0.0, 0.15, 0.0});
  box.inertia *= 1e9;
  box.twist.v = {1.0, 0.0, 0.0};
  const double mu = 0.3, h = 0.01;
  const World world(2, {0.0, -9.81, 0.0}, {box, floor_body(2)}, {.mu = mu});
  const State next =
      make(world, {"coupling=qp"}, "active-set-qp")->advance(initial_state(world), h).next;
  // u_n = μu_t, m(u_t − 1) = −μp, m(u_n + gh) = p.
  const double u_t = (1.0 - mu * 9.81 * h) / (1.0 + mu * mu);
  EXPECT_NEAR(next.nu[0], u_t, 1e-9);
  EXPECT_NEAR(next.nu[1], mu * u_t, 1e-9);
}

TEST(RatioMetricStepping, ReducedEventsGiveTheSameFrictionlessStep) {
  const World world = falling_boxes(0.0);
  const auto all = make(world), reduced = make(world, {"reduce=true"});
  EXPECT_LT(compare(world, *all, *reduced, 100, 0.005).velocity, 1e-9);
}

TEST(RatioMetricStepping, AtRestNothingIsInfeasible) {
  // The theorem: v⁺ = 0 ⇒ I(q⁺) = 0, from a start that overlaps; for each coupling, to the
  // accuracy of its solver.
  struct Way {
    const char *coupling, *solver;
    double zero;  // [m/s, rad/s]
  };
  for (const auto& [coupling, solver, zero] :
       {Way{"lcp", "lemke", 1e-12}, Way{"qp", "active-set-qp", 1e-12},
        Way{"qp", "sparse-interior-point", 1e-8}, Way{"fixed-point", "active-set-qp", 1e-12}})
    for (const int dim : {2, 3}) {
      const Vec3 up = dim == 2 ? Vec3::UnitY() : Vec3::UnitZ();
      const World world(dim, -9.81 * up,
                        {box_body(dim, "low", {0.4, 0.3, 0.3}, 0.145 * up),
                         box_body(dim, "high", {0.3, 0.3, 0.3}, 0.44 * up), floor_body(dim)},
                        {.mu = 0.5});
      EXPECT_GT(ratio_infeasibility(world, initial_state(world)), 0.01);
      const auto formulation = make(world, {std::string("coupling=") + coupling}, solver);
      State state = initial_state(world);
      bool rested = false;
      for (int k = 0; k < 100; ++k) {
        state = formulation->advance(state, 0.01).next;
        if (state.nu.lpNorm<Eigen::Infinity>() > zero) continue;
        rested = true;
        EXPECT_LT(ratio_infeasibility(world, state), zero) << dim << ", " << solver;
      }
      EXPECT_TRUE(rested) << dim << ", " << coupling << ", " << solver;
    }
}

TEST(RatioMetricStepping, GammaTakesItsPartOfTheOverlapAway) {
  const double depth = 0.01, h = 0.01;
  for (const double gamma : {0.0, 0.25, 0.5, 1.0}) {
    const World world(
        2, {0.0, -9.81, 0.0},
        {box_body(2, "box", {0.4, 0.3, 0.0}, {0.0, 0.15 - depth, 0.0}), floor_body(2)}, {});
    const auto formulation = make(world, {"gamma=" + std::to_string(gamma)});
    const State next = formulation->advance(initial_state(world), h).next;
    // The row is W_nᵀν + γ r ψ/h ≥ 0 with r = H/(H − ψ), H = n·δ.
    const double span = 0.15 - depth + std::hypot(0.2, 0.15), r = span / (span + depth);
    EXPECT_NEAR(next.nu[1], gamma * r * depth / h, 1e-12) << gamma;
  }
}

TEST(RatioMetricStepping, StabilisationKeepsJointsTogether) {
  const World world = hinged_pair();
  double error[2] = {};
  for (const int gamma : {0, 1}) {
    const auto formulation = make(world, {"gamma=" + std::to_string(gamma)});
    State state = initial_state(world);
    for (int k = 0; k < 200; ++k) {
      state = formulation->advance(state, 0.005).next;
      error[gamma] += ratio_infeasibility(world, state) / 200.0;
    }
  }
  EXPECT_GT(error[0], 0.0);
  EXPECT_LT(error[1], 0.2 * error[0]);
}

TEST(RatioMetricStepping, KeepsMomentum) {
  Body a = box_body(3, "a", {0.3, 0.3, 0.3}, {-0.3, 0.02, 0.0}),
       b = box_body(3, "b", {0.4, 0.2, 0.3}, {0.3, 0.0, 0.05});
  a.twist = {{2.0, 0.0, 0.1}, {1.0, 2.0, 3.0}};
  b.twist = {{-1.0, 0.2, 0.0}, {0.0, -1.0, 2.0}};
  const World world(3, Vec3::Zero(), {a, b}, {.mu = 0.3});
  const auto formulation = make(world);
  State state = initial_state(world);
  const Vec3 start = momentum(world, state).linear;
  double impulse = 0.0;
  for (int k = 0; k < 60; ++k) {
    const Step& step = formulation->advance(state, 0.005);
    for (const ContactResult& c : step.contacts) impulse += c.p_n;
    state = step.next;
  }
  EXPECT_GT(impulse, 0.1);
  EXPECT_LT((momentum(world, state).linear - start).norm(), 1e-12);
}

TEST(RatioMetricStepping, SaysWhenTheFixedPointDoesNotConverge) {
  const World world = tipping_plank(0.2);
  const auto formulation = make(world, {"coupling=fixed-point", "max_solves=1"}, "active-set-qp");
  State state = initial_state(world);
  Status worst = Status::solved;
  std::string note;
  for (int k = 0; k < 100 && worst == Status::solved; ++k) {
    const Step& step = formulation->advance(state, 0.005);
    worst = step.status;
    if (!step.notes.empty()) note = step.notes.back();
    state = step.next;
  }
  EXPECT_EQ(worst, Status::iteration_limit);
  EXPECT_NE(note.find("not converged in 1 solves"), std::string::npos) << note;
}

TEST(RatioMetricStepping, RefusesWhatHasNoFacets) {
  const World world(2, {0.0, -9.81, 0.0},
                    {conformance::ball_body(2, "ball", 0.1, {0.0, 0.1, 0.0}), floor_body(2)}, {});
  const std::string why = ratio_stepping().inapplicable(world);
  EXPECT_NE(why.find("\"ball\""), std::string::npos) << why;
  EXPECT_THROW(make(world), InputError);
}

}  // namespace

}  // namespace touchstone

#include "experiments/harness/event_log.hpp"

#include <gtest/gtest.h>

#include "experiments/harness/run.hpp"
#include "tests/formulations/conformance.hpp"

/// Events are located inside the step: exactly where the deciding quantity is linear, and well
/// within a step of the event-driven solution on the paper's third example.

namespace touchstone {
namespace {

using conformance::ball_body;
using conformance::box_body;
using conformance::floor_body;

std::vector<Event> events_of(const std::string& name, const World& world, double h, double t_end) {
  auto formulation = make_formulation(name, world);
  State state = initial_state(world);
  Record record(world, state, h);
  for (int k = 1; k <= step_count(h, t_end); ++k) {
    const Step& step = formulation->advance(state, h);
    EXPECT_EQ(step.status, Status::solved) << k;
    state = step.next;
    state.t = k * h;
    record.add(state, step, 0.0, true);
  }
  return record.events();
}

double time_of(const std::vector<Event>& events, const std::string& contact,
               const std::string& kind) {
  for (const Event& event : events)
    if (event.contact == contact && event.kind == kind) return event.t;
  ADD_FAILURE() << contact << " has no event " << kind;
  return -1.0;
}

class LocatedEvents : public ::testing::TestWithParam<std::string> {};

/// ω(t) = 1.962 (1 − t) stops at t = 1, between the steps at 0.98 and 1.05.
TEST_P(LocatedEvents, ASpinningSphereStopsAtOneSecond) {
  Body ball = ball_body(3, "ball", 1.0, {0.0, 0.0, 1.0});
  ball.inertia = 0.4 * Mat3::Identity();
  ball.twist.w = {0.0, 0.0, 1.962};
  const World world(3, {0.0, 0.0, -9.81}, {ball, floor_body(3)}, {.mu = 0.2, .e_r = 0.4});
  const auto events = events_of(GetParam(), world, 0.07, 1.4);
  ASSERT_EQ(events.size(), 3u);
  EXPECT_EQ(events[0].kind, "touch");
  EXPECT_EQ(events[0].t, 0.0);
  EXPECT_EQ(events[1].kind, "slip");
  EXPECT_EQ(events[1].mode, "spin");
  EXPECT_EQ(events[2].kind, "stick");
  EXPECT_NEAR(events[2].t, 1.0, 1e-9);
}

/// v(t) = 0.5 − μgt: a block stops at t = 0.5/(0.3·9.81) = 0.16990 s.
TEST_P(LocatedEvents, ASlidingBlockStopsWhenItsVelocityIsUsedUp) {
  Body box = box_body(3, "box", {1.0, 1.0, 1.0}, {0.0, 0.0, 0.5});
  box.twist.v = {0.5, 0.0, 0.0};
  const World world(3, {0.0, 0.0, -9.81}, {box, floor_body(3)}, {.mu = 0.3});
  double stop = -1.0;
  for (const Event& event : events_of(GetParam(), world, 0.01, 0.4))
    if (event.kind == "stick") stop = event.t;
  EXPECT_NEAR(stop, 0.5 / (0.3 * 9.81), 1e-8);
}

/// Without gravity the flight is uniform: contact at t = gap / speed.
TEST_P(LocatedEvents, AFlyingBallTouchesWhereItsGapIsUsedUp) {
  Body ball = ball_body(3, "ball", 0.5, {0.0, 0.0, 0.8731});
  ball.twist.v = {0.0, 0.0, -1.0};
  const World world(3, Vec3::Zero(), {ball, floor_body(3)}, {.mu = 0.3});
  const auto events = events_of(GetParam(), world, 0.05, 0.6);
  ASSERT_FALSE(events.empty());
  EXPECT_EQ(events[0].kind, "touch");
  EXPECT_NEAR(events[0].t, 0.3731, 1e-12);
}

INSTANTIATE_TEST_SUITE_P(Formulations, LocatedEvents,
                         ::testing::Values("geometric-ncp", "stewart-trinkle"),
                         [](const auto& name) {
                           return name.param == "geometric-ncp" ? "implicit" : "explicit_";
                         });

/// Example 3 of Chakraborty et al. (2007) against an event-driven solution (error below 1e-6 s):
/// every event within a step, and the nearer the smaller the step.
TEST(LocatedEvents, OfASphereOnTwoSpheresConverge) {
  Body ball = ball_body(3, "ball", 1.0, {0.0, 6.62105263157895, 8.78417110772903});
  ball.inertia = 0.4 * Mat3::Identity();
  ball.applied.force = {1.0, 2.6, -9.81};
  Body first = ball_body(3, "first", 10.0, {0.0, 0.0, 0.0}),
       second = ball_body(3, "second", 9.0, {0.0, 11.4, 0.0});
  first.fixed = second.fixed = true;
  const World world(3, Vec3::Zero(), {ball, first, second}, {.mu = 0.2, .e_r = 0.3});
  struct Expected {
    const char *contact, *kind;
    double t;
  };
  const Expected expected[] = {{"ball/second", "slip", 2.944807},
                               {"ball/first", "separate", 3.213206},
                               {"ball/second", "separate", 3.701600}};
  for (const double h : {0.01, 0.0025}) {
    const auto events = events_of("geometric-ncp", world, h, 4.0);
    EXPECT_EQ(time_of(events, "ball/first", "slip"), 0.0) << "contact 1 slides from the start";
    EXPECT_EQ(time_of(events, "ball/second", "stick"), 0.0) << "contact 2 rolls first";
    for (const Expected& e : expected)
      EXPECT_NEAR(time_of(events, e.contact, e.kind), e.t, h) << e.contact << " " << e.kind;
  }
}

}  // namespace
}  // namespace touchstone

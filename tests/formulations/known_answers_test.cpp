/// Cases with known answers of the course notes (T…) that no other test has; docs/known-answers.md
/// lists them all.

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "formulations/common/contact_phase.hpp"
#include "formulations/formulation.hpp"
#include "geometry/shapes.hpp"
#include "tests/formulations/conformance.hpp"

namespace touchstone {
namespace {

using conformance::ball_body;
using conformance::box_body;
using conformance::floor_body;
using conformance::g;

std::unique_ptr<Formulation> make(const World& world) {
  return make_formulation("baraff-acceleration", world);
}

/// ẏ = −K y, K diagonal.
struct Decay final : OdeSystem {
  Vec K;
  void derivative(double, const Vec& y, Vec& dy) override { dy = -K.cwiseProduct(y); }
};

Vec euler(const Vec& K, Vec y, double h, int steps) {
  Decay system;
  system.K = K;
  RungeKuttaStep step(Tableau::named("euler"));
  Vec f;
  for (int k = 0; k < steps; ++k) {
    system.derivative(0.0, y, f);
    step.take(system, 0.0, y, f, h);
    y = step.end();
  }
  return y;
}

// T1: ẋ = −kx by Euler is (1 − hk)ⁿ: lands on 0 at hk = 1, alternates up to 2, grows beyond. T5:
// the stiffest of two modes decides.
TEST(KnownAnswers, EulerOnADecay) {
  const Vec k = Vec::Constant(1, 4.0), one = Vec::Ones(1);
  for (const double h : {0.1, 0.25, 0.4, 0.5, 0.6})
    for (const int n : {1, 2, 7})
      EXPECT_NEAR(euler(k, one, h, n)[0], std::pow(1.0 - 4.0 * h, n), 1e-12 * std::pow(1.4, n));
  const Vec modes = (Vec(2) << 1.0, 100.0).finished();
  const Vec end = euler(modes, Vec::Ones(2), 0.03, 10);
  EXPECT_NEAR(end[0], std::pow(0.97, 10), 1e-14);
  EXPECT_NEAR(end[1], std::pow(-2.0, 10), 1e-9);
}

// T9: an upward force U leaves max(0, mg − U) to the floor and lifts with max(0, U/m − g).
TEST(KnownAnswers, RestUnderWind) {
  for (const double U : {0.0, 5.0, 9.0, 12.0}) {
    Body ball = ball_body(2, "ball", 0.5, {0, 0.5, 0});
    ball.applied.force = {0, U, 0};
    const World world(2, {0, -g, 0}, {ball, floor_body(2)}, {.mu = 0.3});
    const Step step = make(world)->advance(initial_state(world), 0.1);
    double pressed = 0.0;
    for (const ContactResult& c : step.contacts) pressed += c.p_n;
    EXPECT_NEAR(pressed, 0.1 * std::max(0.0, g - U), 1e-10);
    EXPECT_NEAR(step.next.nu[1], 0.1 * std::max(0.0, U - g), 1e-10);
  }
}

// T10: Coulomb friction stops a block at v₀/(μg), after v₀²/(2μg).
TEST(KnownAnswers, SlidingBlockStops) {
  Body block = box_body(2, "block", {1, 0.2, 1}, {0, 0.1, 0});
  block.twist.v = {2.0, 0, 0};
  const World world(2, {0, -g, 0}, {block, floor_body(2)}, {.mu = 0.4});
  const auto formulation = make(world);
  State state = initial_state(world);
  double stopped = -1.0;
  for (int k = 0; k < 10; ++k) {
    const Step& step = formulation->advance(state, 0.1);
    ASSERT_EQ(step.status, Status::solved);
    for (const Event& e : step.events)
      if (e.kind == "stick" && stopped < 0.0) stopped = e.t;
    state = step.next;
  }
  EXPECT_NEAR(stopped, 2.0 / (0.4 * g), 1e-9);
  EXPECT_NEAR(state.q[0], 4.0 / (2 * 0.4 * g), 1e-9);
}

// T10b: a block sticks on a slope iff tan θ ≤ μ, and slides with g(sin θ − μ cos θ) beyond.
TEST(KnownAnswers, BlockOnASlope) {
  const double mu = 0.5;
  for (const int dim : {2, 3})
    for (const double tan : {0.2, 0.499, 0.501, 0.8}) {
      const double slope = std::atan(tan);
      const Vec3 up = Vec3::Unit(dim - 1);
      const World world(
          dim, conformance::tilted_gravity(dim, slope),
          {box_body(dim, "block", {1, 1, 0.2}, (dim == 2 ? 0.5 : 0.1) * up), floor_body(dim)},
          {.mu = mu});
      const Step step = make(world)->advance(initial_state(world), 0.1);
      ASSERT_EQ(step.status, Status::solved);
      const double slides = std::max(0.0, g * (std::sin(slope) - mu * std::cos(slope)));
      EXPECT_NEAR(step.next.nu[0], 0.1 * slides, 1e-8) << dim << " " << tan;
    }
}

// T13: a cube of side 1 over the edge of a table at x = c: 2 vertices on the face and 2 crossings
// of edges. At rest for c ≥ 0, and for c < 0 it begins to tip.
TEST(KnownAnswers, OverhangingCube) {
  for (const double c : {0.3, 0.1, -0.1, -0.3}) {
    Body table = box_body(3, "table", {4, 3, 1}, {c - 2.0, 0, -0.5});
    table.fixed = true;
    const World world(3, {0, 0, -g}, {box_body(3, "cube", {1, 1, 1}, {0, 0, 0.5}), table}, {});
    const double h = 1e-7;
    const Step step = make(world)->advance(initial_state(world), h);
    ASSERT_EQ(step.status, Status::solved);
    double vertices = 0.0, edges = 0.0;
    for (const ContactResult& k : step.contacts)
      (std::abs(k.contact.point.x() - c) < 1e-3 ? edges : vertices) += k.p_n / h;
    EXPECT_NEAR(vertices, c >= 0.0 ? g * c / (c + 0.5) : 0.0, 1e-5) << c;
    EXPECT_NEAR(edges, c >= 0.0 ? g * 0.5 / (c + 0.5) : g / (1 + 6 * c * c), 1e-5) << c;
  }
}

// T18: contacts that share no moving body have no entry in the Delassus matrix.
TEST(KnownAnswers, ContactsWithoutACommonBodyDoNotCouple) {
  std::vector<Body> bodies;
  for (int i = 0; i < 4; ++i)
    bodies.push_back(ball_body(3, "ball" + std::to_string(i), 0.5, {i * 1.0, 0, 0.5}));
  bodies.push_back(floor_body(3));
  const World world(3, {0, 0, -g}, bodies, {});
  Configuration configuration;
  configuration.update(world, initial_state(world));
  std::vector<Contact> contacts;
  find_contacts_within(configuration, 1e-9, contacts);
  ASSERT_EQ(contacts.size(), 7u);  // four on the floor, three between neighbours
  const auto moving = [&](int i) { return !world.body(i).fixed; };
  for (const Contact& x : contacts)
    for (const Contact& y : contacts) {
      const bool common = x.a == y.a || (x.a == y.b && moving(x.a)) ||
                          (x.b == y.a && moving(x.b)) || (x.b == y.b && moving(x.b));
      const double entry = delassus(configuration, wrench_column(world, configuration, x, x.n),
                                    wrench_column(world, configuration, y, y.n));
      EXPECT_TRUE(common || entry == 0.0);
      EXPECT_TRUE(&x != &y || entry > 0.0);
    }
}

// T19: a vertex straight below the centre at depth d, ω horizontal: f = max(0, m(g − ω²d)).
TEST(KnownAnswers, CentripetalRelief) {
  const double depth = 2.0 / 3.0;
  for (const double omega : {0.0, 1.5, 3.0, 4.5}) {
    Body wedge = box_body(2, "wedge", {1, 1, 1}, {0, depth, 0});
    wedge.shape = std::make_shared<Polytope>(
        2, std::vector<Vec3>{{0, -depth, 0}, {0.5, 1.0 / 3, 0}, {-0.5, 1.0 / 3, 0}});
    wedge.twist.w.z() = omega;
    const World world(2, {0, -g, 0}, {wedge, floor_body(2)}, {});
    const double h = 1e-7;
    const Step step = make(world)->advance(initial_state(world), h);
    double f = 0.0;
    for (const ContactResult& k : step.contacts) f += k.p_n / h;
    EXPECT_NEAR(f, std::max(0.0, g - omega * omega * depth), 1e-5) << omega;
  }
}

// T26: a blow off the centre gives the same linear velocity and more energy.
TEST(KnownAnswers, OffCentreBlow) {
  const World world(3, Vec3::Zero(), {box_body(3, "box", {1, 2, 3}, Vec3::Zero())}, {});
  Configuration configuration;
  State state = initial_state(world);
  configuration.update(world, state);
  const Vec3 J(0.3, -0.2, 0.5), r(0.4, 0.9, -1.2);
  Column w;
  w.a = 0;
  w.on_a << J, r.cross(J);
  apply_impulse(configuration, w, 1.0, state.nu);
  const Vec3 moment = r.cross(J);
  const Mat3 I = world.body(0).inertia;
  EXPECT_LT((state.nu.head<3>() - J / world.body(0).mass).norm(), 1e-15);
  EXPECT_NEAR(energy(world, state).kinetic,
              0.5 * J.squaredNorm() / world.body(0).mass + 0.5 * moment.dot(I.inverse() * moment),
              1e-14);
}

// T28: rotations by 180° about each axis survive the way through the state.
TEST(KnownAnswers, HalfTurns) {
  for (const Vec3& axis :
       {Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(0, 0, 1), Vec3(1, 1, 0).normalized().eval()}) {
    Body body = box_body(3, "box", {1, 2, 3}, Vec3::Zero());
    body.orientation = Eigen::AngleAxisd(std::numbers::pi, axis);
    const World world(3, Vec3::Zero(), {body}, {});
    const Mat3 expected = 2.0 * axis * axis.transpose() - Mat3::Identity();
    EXPECT_LT((pose(world, initial_state(world), 0).R - expected).norm(), 1e-14);
  }
}

// T36: the gap at a located impact, and its time. A ball that flies at speed v meets the floor
// where its gap is used up; the state delivered at that time has no gap left.
TEST(KnownAnswers, ImpactsAreLocatedToRoundOff) {
  for (const double v : {0.1, 1.0, 30.0}) {
    Body ball = ball_body(2, "ball", 0.5, {0, 0.5 + 0.777 * v, 0});
    ball.twist.v = {0, -v, 0};
    const World world(2, Vec3::Zero(), {ball, floor_body(2)}, {.restitution = 1.0});
    const Step step = make(world)->advance(initial_state(world), 1.0);
    ASSERT_FALSE(step.events.empty());
    EXPECT_NEAR(step.events.front().t, 0.777, 1e-12);
    EXPECT_NEAR(step.next.q[1], 0.5 + 0.223 * v, 1e-11 * (1.0 + v));
  }
}

}  // namespace
}  // namespace touchstone

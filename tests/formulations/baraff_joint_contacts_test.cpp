/// Joints in the event-driven method: impacts, friction, contacts that joints hold.

#include "tests/formulations/jointed_scenes.hpp"

namespace touchstone {
namespace {

using namespace jointed;

/// A rod of length 1 and mass 1 hinged at the origin falls from `angle` above the horizontal onto a
/// stop at the distance `arm`.
struct Stop {
  double angle = 0.4, arm = 0.8, restitution = 0.0;
  static constexpr double w = 0.02, I = (1.0 + w * w) / 12.0 + 0.25;   // about the hinge
  double speed() const { return std::sqrt(g * std::sin(angle) / I); }  // ½Iω² = mg ½ sin θ
  World world() const {
    const Vec3 along(std::cos(angle), std::sin(angle), 0);
    Body rod = box_body(2, "rod", {1.0, w, 1.0}, 0.5 * along);
    rod.angle = angle;
    rod.inertia(2, 2) = (1.0 + w * w) / 12.0;
    Body stop = ball_body(2, "stop", 0.1, {arm, -0.1 - w / 2, 0});
    stop.fixed = true;
    const std::vector<Body> bodies{rod, stop, base(2)};
    return with_joints(2, bodies, {hinge_joint("pin", bodies, 0, 2, 2, Vec3::Zero(), {0, 0, 1})},
                       {.restitution = restitution});
  }
};

// The rod strikes with ω, leaves with −eω; the stop gives (1 + e)Iω/arm, and the pin the rest of
// m Δv: nothing for a stop at the centre of percussion I/(½m).
TEST(BaraffJoints, HingedRodStrikesAStop) {
  for (const std::string order : {"impacts=simultaneous", "impacts=sequential"})
    for (const std::string law : {"restitution_law=newton", "restitution_law=poisson"})
      for (const double e : {0.0, 0.5, 1.0})
        for (const double arm : {0.4, 0.8, 2.0 * Stop::I}) {
          const Stop scene{.arm = arm, .restitution = e};
          const World world = scene.world();
          const auto formulation = make(world, {order, law});
          State state = initial_state(world);
          double touched = -1.0;
          ContactResult hit;
          double before = 0.0;
          for (int k = 0; k < 4000 && touched < 0.0; ++k) {
            const Step& step = formulation->advance(state, 1e-4);
            ASSERT_EQ(step.status, Status::solved);
            before = state.nu[2];
            state = step.next;
            for (const Event& event : step.events)
              if (event.kind == "touch") touched = event.t;
            if (!step.contacts.empty()) hit = step.contacts.front();
          }
          ASSERT_GT(touched, 0.0);
          const double w = scene.speed(), rest = state.t - touched;
          EXPECT_NEAR(before, -w, 2e-4 * g * 2);
          // Until the end of the output step the rod swings freely, or rests.
          const double swing = e > 0.0 ? -0.5 * g / Stop::I * rest : 0.0;
          EXPECT_NEAR(state.nu[2], e * w + swing, 1e-7) << e << " " << arm << order << law;
          const double weight = e > 0.0 ? 0.0 : 0.5 * g / arm * rest;
          EXPECT_NEAR(hit.p_n, (1.0 + e) * Stop::I * w / arm + weight, 1e-8);
        }
}

// Two rods joined by a hinge, at rest in space, are struck by a ball: momenta are conserved, energy
// too for e = 1, and the velocities are those of the whole KKT system.
TEST(BaraffJoints, StruckPairConservesMomentum) {
  for (const std::string order : {"impacts=simultaneous", "impacts=sequential"})
    for (const double e : {0.0, 1.0}) {
      Body left = box_body(2, "left", {1, 0.1, 1}, {-0.5, 0, 0});
      Body right = box_body(2, "right", {1, 0.1, 1}, {0.5, 0, 0});
      Body ball = ball_body(2, "ball", 0.1, {0.7, 1.15, 0});
      ball.twist.v = {0, -2, 0};
      const std::vector<Body> bodies{left, right, ball};
      const World world(2, Vec3::Zero(), bodies, {.restitution = e}, {},
                        {hinge_joint("pin", bodies, 0, 1, 2, Vec3::Zero(), {0, 0, 1})});
      const State start = initial_state(world);
      const State end = run(*make(world, {order}), world, 0.1, 0.5 + 1e-9);
      const Momentum p0 = momentum(world, start), p1 = momentum(world, end);
      EXPECT_LT((p0.linear - p1.linear).norm(), 1e-9);
      EXPECT_LT((p0.angular - p1.angular).norm(), 1e-9);
      EXPECT_GT(std::abs(end.nu[2]), 0.1);
      // At the impact: unknown impulse p at x = 0.7 and (P_x, P_y) in the pin.
      const double m = left.mass, I = left.inertia(2, 2), mb = ball.mass;
      Mat K(2, 2);  // unknowns p (down on the right rod), P (up on it, down on the left one)
      K << 1 / m + 0.04 / I + 1 / mb, -(1 / m) + 0.5 * 0.2 / I,  //
          -1 / m + 0.5 * 0.2 / I, 2 * (1 / m + 0.25 / I);
      const Eigen::Vector2d z = K.inverse() * Eigen::Vector2d(2.0 * (1.0 + e), 0.0);
      // v_rel rows: ball − rod at 0.2 right of its centre; pin: the ends of both rods.
      const double after = -2.0 + z[0] / mb;
      EXPECT_NEAR(end.nu[7], after, 1e-7);
      if (e == 1.0)
        EXPECT_NEAR(energy(world, start).kinetic, energy(world, end).kinetic, 1e-9);
      else
        EXPECT_LT(energy(world, end).kinetic, energy(world, start).kinetic);
    }
}

/// A wheel of radius 1 and inertia ½, free about its centre at the origin, turns with ω under a
/// lever of mass 1: a bar with its centre above the wheel, its pin at (−arm, 1 + rise).
World brake(int dim, double omega, double mu, double arm, double rise) {
  const auto turned = [&](const Vec3& x) { return dim == 2 ? x : Vec3(x.x(), -x.z(), x.y()); };
  const double w = 0.1;
  Body wheel = ball_body(dim, "wheel", 1.0, Vec3::Zero());
  wheel.mass = 1.0;
  wheel.inertia = 0.5 * Mat3::Identity();
  wheel.twist.w = turned({0, 0, omega});
  Body lever =
      box_body(dim, "lever", dim == 2 ? Vec3(1, w, 1) : Vec3(1, 0.5, w), turned({0, 1 + w / 2, 0}));
  lever.mass = 1.0;
  const std::vector<Body> bodies{wheel, lever, base(dim)};
  const Vec3 axis = turned(Vec3::UnitZ());
  return with_joints(dim, bodies,
                     {hinge_joint("axle", bodies, 0, 2, dim, Vec3::Zero(), axis),
                      hinge_joint("pin", bodies, 1, 2, dim, turned({-arm, 1 + rise, 0}), axis)},
                     {.mu = mu});
}

// Moments about the pin: N·arm + F·rise = mg·arm with F = ∓μN on the lever, so that
// N = mg·arm/(arm ∓ μ·rise); the wheel loses μN/I [rad/s²] and then sticks.
TEST(BaraffJoints, BrakeStopsTheWheel) {
  for (const int dim : {2, 3})
    for (const double omega : {2.0, -2.0}) {
      const double mu = 0.3, arm = 0.9, rise = 0.4;
      const World world = brake(dim, omega, mu, arm, rise);
      // A wheel that turns to the left above drags the lever along −x.
      const double N = g * arm / (arm + (omega > 0.0 ? -1.0 : 1.0) * mu * rise);
      const double stops = 2.0 / (mu * N / 0.5);
      const auto formulation = make(world);
      State state = initial_state(world);
      double stuck = -1.0;
      const double h = 0.05;
      for (int k = 0; k < 10; ++k) {
        const Step& step = formulation->advance(state, h);
        ASSERT_EQ(step.status, Status::solved);
        state = step.next;
        for (const Event& event : step.events)
          if (event.kind == "stick" && stuck < 0.0) stuck = event.t;
        ASSERT_EQ(step.contacts.size(), 1u);
        if (k == 0) {
          EXPECT_NEAR(step.contacts[0].p_n, N * h, 1e-9) << dim << " " << omega;
        }
        if (k == 9) {
          EXPECT_NEAR(step.contacts[0].p_n, g * h, 1e-9);
        }
      }
      EXPECT_NEAR(stuck, stops, 1e-8) << dim << " " << omega;
      EXPECT_LT(state.nu.norm(), 1e-9);
    }
}

// Elimination against the whole problem with the joints as bilateral rows, in the mixed LCP and in
// both programs: frictionless, the lever carries N = mg on the wheel.
TEST(BaraffJoints, EliminationAgreesWithBilateralRows) {
  const World world = brake(2, 2.0, 0.0, 0.9, 0.4);
  const State state = initial_state(world);
  Configuration configuration;
  configuration.update(world, state);
  Joints joints;
  joints.update(configuration, state.nu);
  std::vector<Contact> contacts;
  find_contacts_within(configuration, 1e-9, contacts);
  ASSERT_EQ(contacts.size(), 1u);
  const ContactRates rates =
      contact_rates(configuration, track(configuration, contacts[0]), contacts[0], state.nu);
  std::vector<Column> rows{wrench_column(world, configuration, contacts[0], contacts[0].n)};
  std::vector<double> bias{contacts[0].n.dot(rates.c) + rates.n_dot.dot(rates.s)};
  for (const JointRow& row : joints.rows()) rows.push_back(row.column), bias.push_back(row.bias);
  const auto n = static_cast<Eigen::Index>(rows.size());
  const Vec free = JointedBodies(configuration).accelerations(state.nu, {}, {});
  ContactProblem whole;
  whole.bilateral = static_cast<int>(joints.rows().size());
  whole.cones = {.W = Mat(n, n), .q = Vec(n), .friction = {0}, .mu = Vec::Zero(1)};
  delassus(configuration, rows, rows, whole.cones.W);
  for (Eigen::Index i = 0; i < n; ++i)
    whole.cones.q[i] = velocity(world, rows[static_cast<std::size_t>(i)], free) +
                       bias[static_cast<std::size_t>(i)];
  for (const ForceForm form : {ForceForm::lcp, ForceForm::qp1, ForceForm::qp2}) {
    const auto solver = make_solver(form == ForceForm::lcp ? "lemke" : "active-set-qp");
    const Answer answer = solve_contacts(whole, form, *solver, {});
    ASSERT_EQ(answer.status, Status::solved);
    EXPECT_NEAR(answer.z[0], g, 1e-9);
  }
  for (const std::string form : {"lcp", "qp-1", "qp-2"}) {
    const auto formulation =
        make(world, {"form=" + form}, form == "lcp" ? "lemke" : "active-set-qp");
    const Step step = formulation->advance(state, 0.1);
    ASSERT_EQ(step.status, Status::solved) << form;
    EXPECT_NEAR(step.contacts.at(0).p_n, 0.1 * g, 1e-9) << form;
    EXPECT_NEAR(step.next.nu[2], 2.0, 1e-9) << form;
  }
}

// With μ·rise > arm the brake locks: no finite forces hold the turning wheel, and an impulse along
// Lemke's ray stops it at once.
TEST(BaraffJoints, SelfLockingBrakeStopsAtOnce) {
  const World world = brake(2, 2.0, 0.9, 0.5, 0.8);
  const auto formulation = make(world);
  const State start = initial_state(world);
  const Step& step = formulation->advance(start, 0.01);
  ASSERT_EQ(step.status, Status::solved);
  ASSERT_FALSE(step.notes.empty());
  EXPECT_NE(step.notes.front().find("no finite contact forces"), std::string::npos);
  EXPECT_LT(step.next.nu.norm(), 1e-9);
  // The other way round it slides as usual.
  const World other = brake(2, -2.0, 0.9, 0.5, 0.8);
  const Step easy = make(other)->advance(initial_state(other), 0.01);
  EXPECT_NEAR(easy.contacts.at(0).p_n, 0.01 * g * 0.5 / (0.5 + 0.9 * 0.8), 1e-10);
}

// A welded body on the floor has no mobility: the contact carries nothing and nothing moves.
TEST(BaraffJoints, ContactThatJointsHoldCarriesNothing) {
  for (const int dim : {2, 3}) {
    const Vec3 up = Vec3::Unit(dim - 1);
    const std::vector<Body> bodies{box_body(dim, "box", {1, 1, 1}, 0.5 * up),
                                   conformance::floor_body(dim), base(dim)};
    const World world(dim, -g * up, bodies, {.mu = 0.5}, {},
                      {fixed_joint("weld", bodies, 0, 2, dim, 0.5 * up)});
    const Step step = make(world)->advance(initial_state(world), 0.1);
    EXPECT_EQ(step.status, Status::solved);
    EXPECT_LT(step.next.nu.norm(), 1e-12);
    for (const ContactResult& c : step.contacts) EXPECT_LT(c.p_n, 1e-9);
  }
}

}  // namespace
}  // namespace touchstone

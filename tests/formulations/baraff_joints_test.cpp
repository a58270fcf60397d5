/// Joints in the event-driven method: reactions, periods, energy, drift, impacts, friction.

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "formulations/common/event_driven.hpp"
#include "geometry/shapes.hpp"
#include "solvers/error.hpp"
#include "tests/formulations/conformance.hpp"

namespace touchstone {
namespace {

using conformance::ball_body;
using conformance::box_body;

constexpr double g = 9.81;
const Vec3 down(0, -g, 0);

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

/// A fixed body far from everything, to which others are tied.
Body base(int dim) {
  Body body = ball_body(dim, "base", 0.01, {0, 50, 0});
  body.fixed = true;
  return body;
}

Body bob(const std::string& name, const Vec3& at, const Vec3& v = Vec3::Zero()) {
  Body body = ball_body(2, name, 0.05, at);
  body.mass = 1.0;
  body.twist.v = v;
  return body;
}

World with_joints(int dim, std::vector<Body> bodies, const std::vector<Joint>& joints,
                  const FrictionLaw& law = {}) {
  return World(dim, dim == 2 ? down : Vec3(0, 0, -g), std::move(bodies), law, {}, joints);
}

/// Multipliers and accelerations of the joints at the start.
struct Reaction {
  Vec forces, nu_dot;
};
Reaction reaction(const World& world) {
  ContactPhase phase(world);
  phase.begin({});
  Vec dy;
  phase.derivative(0.0, phase.pack(initial_state(world)), dy);
  return {phase.joint_forces(), dy.segment(world.nq(), world.nv())};
}

World bead(const Vec3& at, const Vec3& v) {
  const std::vector<Body> bodies{bob("bead", at, v), base(2)};
  return with_joints(2, bodies, {distance_joint("wire", bodies, 0, 1, at, Vec3::Zero())});
}

// T30: a bead of mass 1 on the unit circle.
TEST(BaraffJoints, BeadOnACircle) {
  const double V = 1.7;
  const Reaction side = reaction(bead({1, 0, 0}, {0, V, 0}));
  EXPECT_NEAR(side.forces[0], -V * V, 1e-13);
  EXPECT_NEAR(side.nu_dot[1], -g, 1e-13);
  EXPECT_NEAR(reaction(bead({0, -1, 0}, {V, 0, 0})).forces[0], -(g + V * V), 1e-13);
  // At rest f̂ = −(f·x)x.
  const Vec3 x(std::cos(0.3), std::sin(0.3), 0.0);
  EXPECT_NEAR(reaction(bead(x, Vec3::Zero())).forces[0], g * x.y(), 1e-13);
}

/// A rod that a hinge holds at the origin, its centre at `at`, turning with ω.
World hinged(const Vec3& at, double omega, double inertia) {
  Body body = bob("rod", at, Vec3(0, 0, omega).cross(at));
  body.twist.w.z() = omega;
  body.inertia(2, 2) = inertia;
  const std::vector<Body> bodies{body, base(2)};
  return with_joints(2, bodies, {hinge_joint("pin", bodies, 0, 1, 2, Vec3::Zero(), {0, 0, 1})});
}

// T33: the same with a hinge's rows. A body with inertia I on an arm of length 1 turns with
// α = −mg/(I + m) from the side, and the pin carries m(a − g); I → 0 is the bead.
TEST(BaraffJoints, HingeMatchesTheBead) {
  const double V = 1.7;
  for (const double I : {0.1, 1e-3, 1e-6}) {
    const Reaction side = reaction(hinged({1, 0, 0}, V, I));
    EXPECT_NEAR(side.forces[0], -V * V, 1e-9);
    EXPECT_NEAR(side.forces[1], g - g / (1.0 + I), 1e-9);
    const Reaction bottom = reaction(hinged({0, -1, 0}, V, I));
    EXPECT_NEAR(bottom.forces[0], 0.0, 1e-9);
    EXPECT_NEAR(bottom.forces[1], g + V * V, 1e-9);
  }
}

World double_pendulum(const Vec3& first, const Vec3& second) {
  const std::vector<Body> bodies{bob("one", first), bob("two", first + second), base(2)};
  return with_joints(2, bodies,
                     {distance_joint("upper", bodies, 0, 2, first, Vec3::Zero()),
                      distance_joint("lower", bodies, 1, 0, first + second, first)});
}

// T31: hanging at rest, tensions 2g and g; horizontal at rest, none.
TEST(BaraffJoints, DoublePendulumMultipliers) {
  const World hanging = double_pendulum({0, -1, 0}, {0, -1, 0});
  Configuration configuration;
  configuration.update(hanging, initial_state(hanging));
  Joints joints;
  joints.update(configuration, initial_state(hanging).nu);
  const auto A = [&](std::size_t i, std::size_t j) {
    return delassus(configuration, joints.rows()[i].column, joints.rows()[j].column);
  };
  EXPECT_NEAR(A(0, 0), 1.0, 1e-14);
  EXPECT_NEAR(A(0, 1), -1.0, 1e-14);
  EXPECT_NEAR(A(1, 1), 2.0, 1e-14);
  const Reaction rest = reaction(hanging);
  EXPECT_NEAR(rest.forces[0], -2 * g, 1e-13);
  EXPECT_NEAR(rest.forces[1], -g, 1e-13);
  EXPECT_LT(rest.nu_dot.norm(), 1e-13);
  const Reaction flat = reaction(double_pendulum({1, 0, 0}, {1, 0, 0}));
  EXPECT_LT(flat.forces.norm(), 1e-13);
  EXPECT_NEAR(flat.nu_dot[1], -g, 1e-13);
  EXPECT_NEAR(flat.nu_dot[4], -g, 1e-13);
}

State run(Formulation& formulation, const World& world, double h, double t_end,
          const std::function<void(const Step&)>& look = {}) {
  State state = initial_state(world);
  const int steps = static_cast<int>(std::lround(t_end / h));
  for (int k = 0; k < steps; ++k) {
    const Step& step = formulation.advance(state, t_end / steps);
    EXPECT_EQ(step.status, Status::solved) << (step.notes.empty() ? "" : step.notes.front());
    if (step.status != Status::solved) break;
    if (look) look(step);
    state = step.next;
  }
  return state;
}

// T = 4 √(l/g) K(sin θ₀/2), l = (I + mr²)/(mr): rope and hinge come back to where they started.
TEST(BaraffJoints, PendulumPeriod) {
  const double start = 2.0;  // [rad] from hanging
  const Vec3 at(std::sin(start), -std::cos(start), 0);
  for (const double I : {0.0, 0.4}) {
    const World world = I > 0.0 ? hinged(at, 0.0, I) : bead(at, Vec3::Zero());
    const double period = 4.0 * std::sqrt((1.0 + I) / g) * std::comp_ellint_1(std::sin(start / 2));
    const auto formulation = make(world);
    const State half = run(*formulation, world, period / 20, period / 2);
    EXPECT_NEAR(half.q[0], -at.x(), 1e-8);
    const State end = run(*make(world), world, period / 20, period);
    EXPECT_LT((end.q.head(2) - at.head<2>()).norm(), 1e-8);
    EXPECT_LT(end.nu.norm(), 1e-7);
  }
}

struct Drift {
  double joint = 0.0, energy = 0.0, work = 0.0;
};
Drift ten_seconds(const std::vector<std::string>& sets) {
  const World world = double_pendulum({1, 0, 0}, {0.6, 0.8, 0});
  const Energy start = energy(world, initial_state(world));
  Drift worst;
  Configuration configuration;
  run(*make(world, sets), world, 0.01, 10.0, [&](const Step& step) {
    configuration.update(world, step.next);
    const Energy now = energy(world, step.next);
    worst.joint = std::max(worst.joint, joint_error(configuration));
    worst.energy = std::max(
        worst.energy, std::abs(now.kinetic + now.potential - start.kinetic - start.potential));
    worst.work = std::max(worst.work, std::abs(step.work.joints));
  });
  return worst;
}

// T32 without feedback: projection holds the joints, keeping the drift lets it grow. Energy [J] of
// a double pendulum that tumbles for 10 s.
TEST(BaraffJoints, ProjectionHoldsTheJointsAndTheEnergy) {
  const Drift projected = ten_seconds({"integration_tolerance=1e-12"});
  EXPECT_LT(projected.joint, 1e-10);
  EXPECT_LT(projected.energy, 1e-9);
  EXPECT_LT(projected.work, 1e-10);
  const Drift kept = ten_seconds({"integration_tolerance=1e-8", "drift=keep"});
  const Drift held = ten_seconds({"integration_tolerance=1e-8"});
  EXPECT_GT(kept.joint, 1e-7);
  EXPECT_LT(held.joint, 0.01 * kept.joint);
}

/// Four bars with 5-row hinges: three rows depend on the others; planar, none does.
World four_bar(int dim) {
  const Vec3 z = Vec3::UnitZ();
  const auto turned = [&](const Vec3& x) { return dim == 2 ? x : Vec3(x.x(), -x.z(), x.y()); };
  const auto bar = [&](const std::string& name, const Vec3& from, const Vec3& to) {
    const Vec3 along = to - from;
    const double length = along.norm(), angle = std::atan2(along.y(), along.x());
    Body body = ball_body(dim, name, 0.01, turned(0.5 * (from + to)));
    body.mass = length;
    body.inertia = Mat3::Identity() * length * length * length / 12.0;
    if (dim == 2)
      body.angle = angle;
    else
      body.orientation = Eigen::AngleAxisd(angle, turned(z));
    return body;
  };
  const Vec3 A(0, 0, 0), B(-0.3, 0, 0), C(-0.3, -0.5, 0), D(0.6, 0, 0);
  std::vector<Body> bodies{bar("crank", A, B), bar("coupler", B, C), bar("rod", C, D), base(dim)};
  std::vector<Joint> joints;
  const auto hinge = [&](const std::string& name, int a, int b, const Vec3& at) {
    joints.push_back(hinge_joint(name, bodies, a, b, dim, turned(at), turned(z)));
  };
  hinge("a", 0, 3, A), hinge("b", 0, 1, B), hinge("c", 1, 2, C), hinge("d", 2, 3, D);
  return with_joints(dim, bodies, joints);
}

TEST(BaraffJoints, DependentRowsOfALoopChangeNothing) {
  const World plane = four_bar(2), space = four_bar(3);
  const State flat = run(*make(plane), plane, 0.05, 2.0),
              solid = run(*make(space), space, 0.05, 2.0);
  for (int i = 0; i < 3; ++i) {
    EXPECT_NEAR(flat.q[3 * i], solid.q[7 * i], 1e-8);
    EXPECT_NEAR(flat.q[3 * i + 1], solid.q[7 * i + 2], 1e-8);
    EXPECT_NEAR(flat.nu[3 * i + 2], -solid.nu[6 * i + 4], 1e-7);
  }
  Configuration configuration;
  configuration.update(space, solid);
  EXPECT_LT(joint_error(configuration), 1e-10);
  const Energy e0 = energy(plane, initial_state(plane)), e1 = energy(plane, flat);
  EXPECT_NEAR(e0.kinetic + e0.potential, e1.kinetic + e1.potential, 1e-8);
  EXPECT_GT(e1.kinetic, 0.1);
}

// Time stepping tends to the event-driven motion at first order in h.
TEST(BaraffJoints, TimeSteppingTendsToIt) {
  const World world = four_bar(2);
  const State exact = run(*make(world), world, 0.1, 0.5);
  const auto error = [&](double h) {
    const auto formulation = make_formulation("stewart-trinkle", world);
    return (run(*formulation, world, h, 0.5).q - exact.q).norm();
  };
  const double coarse = error(2.5e-4), fine = error(1.25e-4), finest = error(6.25e-5);
  EXPECT_LT(finest, 1e-4);
  EXPECT_NEAR(coarse / fine, 2.0, 0.1);
  EXPECT_NEAR(fine / finest, 2.0, 0.05);
}

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

std::string refusal(const World& world) {
  try {
    make(world)->advance(initial_state(world), 0.01);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(BaraffJoints, BadStatesAreRefused) {
  EXPECT_EQ(refusal(bead({1, 0, 0}, {0, 1, 0})), "");
  const std::string parts = refusal(bead({1, 0, 0}, {0.25, 1, 0}));
  EXPECT_NE(parts.find("joint 'wire' of 'bead' and 'base': the velocities at t = 0 do not satisfy "
                       "it: they part at 0.25 m/s"),
            std::string::npos)
      << parts;
  // Two ropes along one line hold a bob that moves across them: no acceleration keeps both.
  const std::vector<Body> bodies{bob("bob", {0, 0, 0}, {0, 1, 0}), base(2)};
  const std::vector<Joint> ropes{distance_joint("left", bodies, 0, 1, Vec3::Zero(), {-1, 0, 0}),
                                 distance_joint("right", bodies, 0, 1, Vec3::Zero(), {1, 0, 0})};
  const std::string torn = refusal(with_joints(2, bodies, ropes));
  EXPECT_NE(torn.find("of 'bob' and 'base': no joint forces satisfy it"), std::string::npos)
      << torn;
}

}  // namespace
}  // namespace touchstone

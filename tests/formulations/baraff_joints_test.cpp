/// Joints in the event-driven method: reactions, periods, energy, drift, closed loops, bad states.

#include "solvers/error.hpp"
#include "tests/formulations/jointed_scenes.hpp"

namespace touchstone {
namespace {

using namespace jointed;

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

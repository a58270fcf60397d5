#include "formulations/common/joints.hpp"

#include <gtest/gtest.h>

#include "formulations/formulation.hpp"
#include "geometry/shapes.hpp"
#include "tests/formulations/conformance.hpp"
#include "tests/solvers/random_problems.hpp"

namespace touchstone {
namespace {

using conformance::ball_body;
using conformance::box_body;
using conformance::floor_body;
using testing::Random;

const FrictionLaw rough{.mu = 0.5};

/// Two turned boxes that fly apart from each other, and a fixed one.
std::vector<Body> turned_boxes(int dim, Random& random) {
  std::vector<Body> bodies;
  for (const char* name : {"a", "b", "c"}) {
    Body body = box_body(dim, name, {1.0, 2.0, 0.5}, 10.0 * random.vector(3));
    body.mass = random.uniform(0.5, 2.0);
    if (dim == 2) body.position.z() = 0.0;
    body.angle = random.uniform(-3.0, 3.0);
    if (dim == 3) {
      const Vec q = random.vector(4).normalized();
      body.orientation = Eigen::Quaterniond(q[0], q[1], q[2], q[3]);
    }
    bodies.push_back(body);
  }
  bodies[2].fixed = true;
  return bodies;
}

Vec3 in_world(int dim, const Vec3& x) { return dim == 2 ? Vec3(x.x(), x.y(), 0.0) : x; }

Joint joint_of(JointKind kind, int dim, const std::vector<Body>& bodies, int a, int b,
               Random& random) {
  const Vec3 p = in_world(dim, random.vector(3)), q = in_world(dim, random.vector(3));
  switch (kind) {
    case JointKind::ball:
      return ball_joint("j", bodies, a, b, p);
    case JointKind::hinge:
      return hinge_joint("j", bodies, a, b, dim, p, random.unit());
    case JointKind::distance:
      return distance_joint("j", bodies, a, b, p, q);
    case JointKind::fixed:
      return fixed_joint("j", bodies, a, b, dim, p);
  }
  throw std::logic_error("unnamed kind of joint");
}

/// Values of the joint's rows when the bodies have moved with the constant velocity ν for the time
/// t.
Vec values_after(const World& world, const State& start, double t) {
  State state = start;
  advance_coordinates(world, state.nu, t, state.q);
  Configuration configuration;
  configuration.update(world, state);
  std::vector<JointRow> rows;
  joint_rows(configuration, state.nu, 0, rows);
  Vec values(rows.size());
  for (std::size_t k = 0; k < rows.size(); ++k)
    values[static_cast<Eigen::Index>(k)] = rows[k].value;
  return values;
}

TEST(Joints, ColumnsAndBiasesAreDerivatives) {
  Random random(1);
  for (const int dim : {2, 3})
    for (const JointKind kind :
         {JointKind::ball, JointKind::hinge, JointKind::distance, JointKind::fixed})
      for (const int partner : {1, 2}) {  // moving, fixed
        const std::vector<Body> bodies = turned_boxes(dim, random);
        const World world(dim, Vec3::Zero(), bodies, {}, {},
                          {joint_of(kind, dim, bodies, 0, partner, random)});
        State state = initial_state(world);
        state.nu = random.vector(world.nv());
        advance_coordinates(world, 0.3 * random.vector(world.nv()), 1.0, state.q);  // off the joint
        Configuration configuration;
        configuration.update(world, state);
        std::vector<JointRow> rows;
        joint_rows(configuration, state.nu, 0, rows);
        const double step = 1e-4;
        const Vec before = values_after(world, state, -step), now = values_after(world, state, 0.0),
                  after = values_after(world, state, step);
        ASSERT_EQ(static_cast<std::size_t>(now.size()), rows.size());
        for (std::size_t k = 0; k < rows.size(); ++k) {
          const auto i = static_cast<Eigen::Index>(k);
          EXPECT_NEAR(velocity(world, rows[k].column, state.nu),
                      (after[i] - before[i]) / (2 * step), 1e-6)
              << to_string(kind) << " " << dim;
          EXPECT_NEAR(rows[k].bias, (after[i] - 2 * now[i] + before[i]) / (step * step), 1e-5)
              << to_string(kind) << " " << dim;
        }
      }
}

TEST(Joints, CountOfEquations) {
  Random random(2);
  const std::map<std::pair<JointKind, int>, int> expected{
      {{JointKind::ball, 2}, 2},     {{JointKind::ball, 3}, 3},    {{JointKind::hinge, 2}, 2},
      {{JointKind::hinge, 3}, 5},    {{JointKind::fixed, 2}, 3},   {{JointKind::fixed, 3}, 6},
      {{JointKind::distance, 2}, 1}, {{JointKind::distance, 3}, 1}};
  for (const auto& [key, count] : expected) {
    const std::vector<Body> bodies = turned_boxes(key.second, random);
    const World world(key.second, Vec3::Zero(), bodies, {}, {},
                      {joint_of(key.first, key.second, bodies, 0, 1, random)});
    const State state = initial_state(world);
    EXPECT_EQ(values_after(world, state, 0.0).size(), count) << to_string(key.first);
    EXPECT_LT(values_after(world, state, 0.0).cwiseAbs().maxCoeff(), 1e-13);
  }
}

/// Two cubes held together are one box: the same step, in flight and on the floor.
TEST(Joints, TwoFixedCubesAreOneBox) {
  for (const int dim : {2, 3}) {
    const Vec3 up = Vec3::Unit(dim - 1);
    const double height = 0.5;
    Body left = box_body(dim, "left", {1, 1, 1}, height * up - 0.5 * Vec3::UnitX());
    Body right = box_body(dim, "right", {1, 1, 1}, height * up + 0.5 * Vec3::UnitX());
    Body whole = box_body(dim, "whole", {2, 1, 1}, height * up);
    whole.mass = 2.0;
    whole.inertia *= 2.0;
    const Vec3 v(0.7, dim == 3 ? 0.2 : 0.0, 0.0),
        w = dim == 3 ? Vec3(0.1, -0.3, 0.2) : Vec3(0, 0, 0.4);
    whole.twist = {v, w};
    left.twist = {v + w.cross(-0.5 * Vec3::UnitX()), w};
    right.twist = {v + w.cross(0.5 * Vec3::UnitX()), w};
    const std::vector<Body> halves{left, right, floor_body(dim)};
    const World one(dim, -9.81 * up, {whole, floor_body(dim)}, rough);
    const World two(dim, -9.81 * up, halves, rough, {},
                    {fixed_joint("weld", halves, 0, 1, dim, height * up)});
    const State start_one = initial_state(one), start_two = initial_state(two);
    const Step a = make_formulation("stewart-trinkle", one)->advance(start_one, 1e-3);
    const Step b = make_formulation("stewart-trinkle", two)->advance(start_two, 1e-3);
    ASSERT_EQ(b.status, Status::solved);
    const Twist box = twist(one, a.next.nu, 0), cube = twist(two, b.next.nu, 0);
    // The joint takes the gyroscopic torques of the cubes at the start of the step.
    const double gyroscopic = dim == 3 ? 1e-4 : 1e-11;
    EXPECT_LT((cube.w - box.w).norm(), gyroscopic);
    EXPECT_LT((cube.v - box.v - box.w.cross(-0.5 * Vec3::UnitX())).norm(), gyroscopic);
    double weight_one = 0.0, weight_two = 0.0;
    for (const auto& c : a.contacts) weight_one += c.p_n;
    for (const auto& c : b.contacts) weight_two += c.p_n;
    EXPECT_NEAR(weight_one, weight_two, gyroscopic);
  }
}

/// The elimination against the whole problem with the joint impulses as unknowns.
TEST(Joints, EliminationSolvesTheWholeProblem) {
  Random random(3);
  const std::vector<Body> bodies{box_body(2, "a", {1, 0.2, 1}, {0.5, 0.1, 0}),
                                 box_body(2, "b", {1, 0.2, 1}, {1.5, 0.1, 0}), floor_body(2)};
  const World world(2, {0, -9.81, 0}, bodies, rough, {},
                    {ball_joint("elbow", bodies, 0, 1, {1.0, 0.1, 0}),
                     distance_joint("rope", bodies, 0, 1, {0.2, 0.1, 0}, {1.7, 0.1, 0})});
  State state = initial_state(world);
  for (int k = 0; k < 20; ++k) {
    state.nu = random.vector(world.nv());
    const double h = 0.01;
    const Step step = make_formulation("stewart-trinkle", world)->advance(state, h);
    ASSERT_EQ(step.status, Status::solved);
    Configuration configuration;
    configuration.update(world, state);
    Joints joints;
    joints.update(configuration, state.nu);
    for (const JointRow& row : joints.rows())
      EXPECT_NEAR(velocity(world, row.column, step.next.nu), -row.value / h, 1e-11);
    // M(ν⁺ − ν_free) − Wp lies in the range of J.
    Vec rest;
    configuration.free_velocity(state.nu, h, rest);
    for (const ContactResult& c : step.contacts) {
      apply_impulse(configuration, wrench_column(world, configuration, c.contact, c.contact.n),
                    c.p_n, rest);
      apply_impulse(configuration, wrench_column(world, configuration, c.contact, c.contact.t),
                    c.p_t, rest);
    }
    Mat J(world.nv(), static_cast<Eigen::Index>(joints.rows().size()));
    Vec impulse(world.nv());
    for (const int i : world.moving()) {
      const int at = world.velocity_offset(i);
      impulse.segment(at, 3) =
          configuration.mass(i).topLeftCorner(3, 3) * (step.next.nu - rest).segment(at, 3);
    }
    for (std::size_t r = 0; r < joints.rows().size(); ++r) {
      const Column& w = joints.rows()[r].column;
      J.col(static_cast<Eigen::Index>(r)) << w.on_a.head(3), w.on_b.head(3);
    }
    const Vec fit = J * J.completeOrthogonalDecomposition().solve(impulse);
    EXPECT_LT((fit - impulse).norm(), 1e-11);
  }
}

double pendulum_error(double h) {
  const std::vector<Body> bodies{ball_body(2, "bob", 0.1, {1.0, 0.0, 0.0}), floor_body(2)};
  const World world(2, {0, -9.81, 0}, bodies, {}, {},
                    {distance_joint("rope", bodies, 0, 1, {1.0, 0.0, 0.0}, {0.0, 0.0, 0.0})});
  auto formulation = make_formulation("stewart-trinkle", world);
  State state = initial_state(world);
  Configuration configuration;
  double worst = 0.0;
  for (double t = 0.0; t < 2.0; t += h) {
    state = formulation->advance(state, h).next;
    configuration.update(world, state);
    worst = std::max(worst, joint_error(configuration));
  }
  return worst;
}

TEST(Joints, PendulumKeepsItsLengthToSecondOrder) {
  const double coarse = pendulum_error(0.01), fine = pendulum_error(0.005);
  EXPECT_LT(coarse, 1e-2);
  EXPECT_NEAR(coarse / fine, 4.0, 0.5);
}

TEST(Joints, RedundantLoopStaysTogether) {
  // Two bodies with the same hinge twice: JᵀM⁻¹J is singular, the motion is not.
  const std::vector<Body> bodies{box_body(3, "a", {1, 0.2, 0.2}, {0.5, 0, 2}),
                                 box_body(3, "b", {1, 0.2, 0.2}, {1.5, 0, 2}), floor_body(3)};
  const auto hinge = [&](const std::string& name, int a, int b, double x) {
    return hinge_joint(name, bodies, a, b, 3, {x, 0, 2}, Vec3::UnitY());
  };
  const Vec3 down(0, 0, -9.81);
  const World once(3, down, bodies, {}, {}, {hinge("h", 0, 1, 1.0), hinge("g", 0, 2, 0.0)});
  const World twice(3, down, bodies, {}, {},
                    {hinge("h", 0, 1, 1.0), hinge("g", 0, 2, 0.0), hinge("h2", 0, 1, 1.0)});
  auto first = make_formulation("stewart-trinkle", once);
  auto second = make_formulation("stewart-trinkle", twice);
  State s = initial_state(once), t = s;
  for (int k = 0; k < 100; ++k) {
    s = first->advance(s, 0.005).next;
    t = second->advance(t, 0.005).next;
  }
  EXPECT_LT((s.nu - t.nu).norm(), 1e-9);
  EXPECT_GT(s.nu.norm(), 1.0);
}

TEST(Joints, WorkLedgerCloses) {
  const std::vector<Body> bodies{ball_body(2, "bob", 0.1, {1.0, 0.0, 0.0}), floor_body(2)};
  const World world(2, Vec3::Zero(), bodies, {}, {},
                    {distance_joint("rope", bodies, 0, 1, {1.0, 0.0, 0.0}, {0.0, 0.0, 0.0})});
  State state = initial_state(world);
  state.nu << 0.0, 3.0, 0.0;
  auto formulation = make_formulation("stewart-trinkle", world);
  for (int k = 0; k < 10; ++k) {
    const double before = energy(world, state).kinetic;
    const Step& step = formulation->advance(state, 0.01);
    EXPECT_NEAR(energy(world, step.next).kinetic - before, step.work.joints, 1e-12);
    state = step.next;
  }
}

TEST(Joints, BadJointsAreNamed) {
  const std::vector<Body> bodies{ball_body(2, "bob", 0.1, {1.0, 0.0, 0.0}), floor_body(2)};
  const auto message = [&](const Joint& joint) {
    try {
      const World world(2, Vec3::Zero(), bodies, {}, {}, {joint});
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  Joint rope = distance_joint("rope", bodies, 0, 1, {1.0, 0.0, 0.0}, {0.0, 0.0, 0.0});
  EXPECT_EQ(message(rope), "");
  rope.length = 2.0;
  EXPECT_NE(message(rope).find("joint 'rope': 'bob' and 'floor' do not satisfy it"),
            std::string::npos);
  rope.b = 0;
  EXPECT_NE(message(rope).find("two different bodies"), std::string::npos);
}

TEST(Joints, FormulationsWithoutJointsRefuse) {
  const std::vector<Body> bodies{ball_body(2, "bob", 0.1, {1.0, 0.0, 0.0}), floor_body(2)};
  const World world(2, Vec3::Zero(), bodies, {}, {},
                    {ball_joint("pin", bodies, 0, 1, {0.0, 0.0, 0.0})});
  EXPECT_THROW(make_formulation("penalty", world), InputError);
}

}  // namespace
}  // namespace touchstone

/// The analytic Jacobians of the implicit methods against central differences, at random points.

#include "formulations/common/implicit_step.hpp"

#include <gtest/gtest.h>

#include "formulations/common/rotation.hpp"
#include "formulations/common/time_stepping.hpp"
#include "geometry/shapes.hpp"
#include "tests/formulations/conformance.hpp"
#include "tests/solvers/random_problems.hpp"

namespace touchstone {

namespace {

using conformance::ball_body;
using conformance::box_body;
using conformance::floor_body;
using testing::Random;

Body egg(const std::string& name, const Vec3& axes, const Vec3& position) {
  Body body = ball_body(3, name, 1.0, position);
  body.shape = std::make_shared<Ellipsoid>(3, axes);
  body.orientation = Eigen::Quaterniond(0.9, 0.3, -0.2, 0.4).normalized();
  body.twist = {{0.3, -0.2, -0.5}, {1.0, 2.0, 0.5}};
  return body;
}

const FrictionLaw elliptic{.mu = 0.3, .e_t = 0.8, .e_o = 1.3, .e_r = 0.2};
const Vec3 down{0.0, 0.0, -9.81};

World eggs_on_floor() {  // two moving bodies, two kinds of contact
  return World(3, down,
               {egg("low", {1.0, 1.5, 0.7}, {0, 0, 0.8}),
                egg("high", {0.6, 0.8, 1.1}, {0.1, 0.2, 2.3}), floor_body(3)},
               elliptic);
}

World box_on_floor() {
  return World(3, down, {box_body(3, "box", {1.0, 0.8, 0.6}, {0, 0, 0.3}), floor_body(3)},
               elliptic);
}

World ball_on_box() {
  Body table = box_body(3, "table", {2.0, 2.0, 1.0}, {0, 0, -0.5});
  table.fixed = true;
  return World(3, down, {ball_body(3, "ball", 0.5, {0.1, 0.2, 0.5}), table}, elliptic);
}

World disc_on_floor() {
  return World(2, {0, -9.81, 0}, {ball_body(2, "disc", 1.0, {0, 1, 0}), floor_body(2)},
               {.mu = 0.4});
}

World balls() {
  return World(3, down,
               {ball_body(3, "low", 1.0, {0, 0, 1}), ball_body(3, "high", 0.5, {0.3, 0.2, 2.4}),
                floor_body(3)},
               elliptic);
}

World egg_on_floor() {
  return World(3, down, {egg("egg", {1.0, 1.5, 0.7}, {0, 0, 0.9}), floor_body(3)}, elliptic);
}

World frictionless() {
  return World(3, down, {egg("egg", {1.0, 1.5, 0.7}, {0, 0, 0.9}), floor_body(3)}, {.mu = 0.0});
}

struct Case {
  const char* name;
  const char* formulation;
  const char* gap;
  World (*world)();
  int unknowns;
};

void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

Mcp whole_problem(const Case& c) {
  static std::vector<std::unique_ptr<World>> worlds;  // problems refer to their world
  worlds.push_back(std::make_unique<World>(c.world()));
  const World& world = *worlds.back();
  const auto& entry = Registry<FormulationEntry>::instance().find(c.formulation);
  Parameters settings = entry.parameters;
  if (c.gap) settings.set("gap", Parameter::Value(std::string(c.gap)));
  const auto formulation =
      make_formulation(entry, world, settings, make_solver(entry.default_solver));
  return std::get<Mcp>(
      dynamic_cast<TimeStepping&>(*formulation).whole_problem(initial_state(world), 0.05));
}

/// Largest difference between J and central differences of F, relative to the column.
template <class F, class J>
double jacobian_error(const F& evaluate, const J& jacobian, const Vec& z) {
  SpMat sparse;
  jacobian(z, sparse);
  const Mat exact = sparse;
  double worst = 0.0;
  Vec up, low;
  for (Eigen::Index j = 0; j < z.size(); ++j) {
    Vec moved = z;
    moved[j] = z[j] + 1e-6;
    evaluate(moved, up);
    moved[j] = z[j] - 1e-6;
    evaluate(moved, low);
    const double error = ((up - low) / 2e-6 - exact.col(j)).lpNorm<Eigen::Infinity>();
    worst = std::max(worst, error / (1.0 + exact.col(j).lpNorm<Eigen::Infinity>()));
  }
  return worst;
}

class ImplicitJacobian : public ::testing::TestWithParam<Case> {};

TEST_P(ImplicitJacobian, OfThePaperIsThatOfDifferences) {
  const Mcp mcp = whole_problem(GetParam());
  ASSERT_EQ(mcp.l.size(), GetParam().unknowns);
  Random random(7);
  for (int repeat = 0; repeat < 25; ++repeat) {
    const double error =
        jacobian_error([&](const Vec& z, Vec& F) { mcp.function->evaluate(z, F); },
                       [&](const Vec& z, SpMat& J) { mcp.function->jacobian(z, J); },
                       1.5 * random.vector(mcp.l.size()));
    EXPECT_LT(error, 1e-6) << "point " << repeat;
  }
}

TEST_P(ImplicitJacobian, OfTheProjectedFormIsThatOfDifferences) {
  const Mcp mcp = whole_problem(GetParam());
  const auto& step = dynamic_cast<const ImplicitStep&>(*mcp.function);
  Random random(8);
  SpMat unused;
  for (int repeat = 0; repeat < 25; ++repeat) {
    // A random point is on a kink with probability zero.
    const double error = jacobian_error([&](const Vec& z, Vec& F) { step.projected(z, F, unused); },
                                        [&](const Vec& z, SpMat& J) {
                                          Vec F;
                                          step.projected(z, F, J);
                                          // σ plays no part: its row is 0 with a unit diagonal.
                                          for (const auto& place : step.places())
                                            if (place.n_friction > 0)
                                              J.coeffRef(place.sigma(), place.sigma()) = 0.0;
                                        },
                                        1.5 * random.vector(mcp.l.size()));
    EXPECT_LT(error, 1e-6) << "point " << repeat;
  }
}

/// The reduced system of the fast path gives the step of the whole one.
TEST_P(ImplicitJacobian, OfTheProjectedFormGivesTheReducedStep) {
  const Mcp mcp = whole_problem(GetParam());
  const auto& step = dynamic_cast<const ImplicitStep&>(*mcp.function);
  Random random(9);
  for (int repeat = 0; repeat < 25; ++repeat) {
    const Vec z = 1.5 * random.vector(mcp.l.size());
    Vec F, d;
    SpMat J;
    step.projected(z, F, J);
    Eigen::FullPivLU<Mat> lu(Mat{J});
    lu.setThreshold(1e-10);
    if (!step.newton_step(z, d)) {  // multipliers at random can leave nothing to determine a point
      EXPECT_FALSE(lu.isInvertible()) << "point " << repeat;
      continue;
    }
    const Vec expected = lu.solve(F);
    EXPECT_LT((J * d - F).lpNorm<Eigen::Infinity>(), 1e-8 * (1.0 + d.lpNorm<Eigen::Infinity>()));
    EXPECT_LT((d - expected).norm(), 1e-6 * (1.0 + expected.norm())) << "point " << repeat;
  }
}

/// 6 n_b + 11 n_c; one less on a half-space, m more for an intersection of m > 1 surfaces (at most
/// eight); planar 3 n_b + 7 n_c, one less on a line.
INSTANTIATE_TEST_SUITE_P(
    Scenes, ImplicitJacobian,
    ::testing::Values(Case{"disc", "geometric-ncp", "f(a2)", disc_on_floor, 9},
                      Case{"eggs", "geometric-ncp", "f(a2)", eggs_on_floor, 12 + 11 + 10},
                      Case{"eggs_g", "geometric-ncp", "g(a1)", eggs_on_floor, 12 + 11 + 10},
                      Case{"eggs_distance", "geometric-ncp", "distance", eggs_on_floor,
                           12 + 11 + 10},
                      Case{"box", "geometric-ncp", "f(a2)", box_on_floor, 6 + 10 + 6},
                      Case{"ball_on_box_f", "geometric-ncp", "f(a2)", ball_on_box, 6 + 11 + 6},
                      Case{"ball_on_box_g", "geometric-ncp", "g(a1)", ball_on_box, 6 + 11 + 6},
                      Case{"frictionless", "geometric-ncp", "f(a2)", frictionless, 6 + 6},
                      Case{"disc_closed_form", "tzitzouris-pang", nullptr, disc_on_floor, 3 + 3},
                      Case{"balls_closed_form", "tzitzouris-pang", nullptr, balls, 12 + 10},
                      Case{"egg_closed_form", "tzitzouris-pang", nullptr, egg_on_floor, 6 + 5}),
    [](const auto& scene) { return std::string(scene.param.name); });

TEST(Rotation, LeftJacobianIsTheDerivativeOfTheExponential) {
  Random random(3);
  for (const double size : {1e-9, 1e-3, 0.05, 0.099, 0.101, 0.5, 2.0}) {
    const Vec3 theta = size * random.unit(), delta = 1e-6 * random.unit();
    const Mat3 expected = rotation(left_jacobian(theta) * delta) * rotation(theta);
    EXPECT_LT((rotation(theta + delta) - expected).norm(), 1e-11) << size;
    EXPECT_LT((rotation(theta) * rotation(theta).transpose() - Mat3::Identity()).norm(), 1e-14);
  }
}

}  // namespace

}  // namespace touchstone

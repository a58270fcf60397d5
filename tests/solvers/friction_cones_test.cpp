#include "solvers/own/friction_cones.hpp"

#include <gtest/gtest.h>

#include <random>

#include "tests/solvers/known_problems.hpp"

namespace touchstone {

namespace {

using testing::expect_near;
using testing::vec;

/// A problem built backwards from an answer in which contacts separate, stick and slip in turn.
struct Planted {
  FrictionCones problem;
  Vec r;
};

Planted planted(unsigned seed, const std::vector<int>& friction, bool symmetric) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  Planted p;
  p.problem.friction = friction;
  p.problem.mu = Vec::Constant(static_cast<Eigen::Index>(friction.size()), 0.4);
  Eigen::Index n = 0;
  for (const int d : friction) n += 1 + d;
  const auto noise = [&](Eigen::Index rows, Eigen::Index columns) {
    Mat m(rows, columns);
    for (double& x : m.reshaped()) x = normal(random);
    return m;
  };
  const Mat G = noise(n, n);
  p.problem.W = G * G.transpose() / static_cast<double>(n) + 0.5 * Mat::Identity(n, n);
  if (!symmetric) p.problem.W += 0.05 * noise(n, n);
  p.r = Vec::Zero(n);
  Vec u = Vec::Zero(n);
  Eigen::Index k = 0;
  for (std::size_t i = 0; i < friction.size(); ++i) {
    const int d = friction[i], mode = static_cast<int>((i + seed) % 3);
    const Vec direction = d > 0 ? Vec(noise(d, 1).normalized()) : Vec(0);
    if (mode == 0) {
      u[k] = std::abs(normal(random));
      u.segment(k + 1, d) = noise(d, 1);
    } else {
      p.r[k] = 0.5 + std::abs(normal(random));
      const double share = mode == 1 ? 0.6 : 1.0;
      p.r.segment(k + 1, d) = share * 0.4 * p.r[k] * direction;
      if (mode == 2) u.segment(k + 1, d) = -(0.3 + std::abs(normal(random))) * direction;
    }
    k += 1 + d;
  }
  p.problem.q = u - p.problem.W * p.r;
  return p;
}

TEST(FrictionCones, FindsPlantedAnswersOfEveryKindOfContact) {
  for (const bool symmetric : {true, false})
    for (unsigned seed = 0; seed < 60; ++seed) {
      const Planted p = planted(seed, {2, 3, 0, 1, 3, 2}, symmetric);
      ASSERT_LT(residual(p.problem, p.r), 1e-12);
      const Claim claim = solve(p.problem, {}, 1e-11);
      EXPECT_EQ(claim.status, Status::solved) << seed;
      EXPECT_LT(residual(p.problem, claim.z), 1e-10) << seed;
    }
}

TEST(FrictionCones, AgreesWithTheConeSolverOnItsClass) {
  const auto nsgs = make_solver("nsgs");
  for (unsigned seed = 0; seed < 30; ++seed) {
    const Planted p = planted(seed, {2, 2, 2, 2}, true);
    const FrictionContact same{3, p.problem.W, p.problem.q, p.problem.mu};
    const Answer answer = nsgs->solve(same);
    ASSERT_EQ(answer.status, Status::solved);
    const Claim claim = solve(p.problem, {}, 1e-11);
    expect_near(claim.z, answer.z, 1e-7);
  }
}

/// Three components on a diagonal W: slip against the friction, λ ∝ −u, in closed form.
TEST(FrictionCones, SlidesAgainstTheSlipInThreeComponents) {
  FrictionCones problem;
  problem.friction = {3};
  problem.mu = vec({0.5});
  problem.W = Mat::Identity(4, 4);
  problem.q = vec({-2.0, 3.0, 0.0, 4.0});
  const Claim claim = solve(problem, {}, 1e-12);
  expect_near(claim.z, vec({2.0, -0.6, 0.0, -0.8}), 1e-11);
}

/// The radius that Poisson's second phase adds acts without a normal force.
TEST(FrictionCones, AddsTheExtraRadius) {
  FrictionCones problem;
  problem.friction = {1};
  problem.mu = vec({0.5});
  problem.extra = vec({0.25});
  problem.W = Mat::Identity(2, 2);
  problem.q = vec({1.0, 2.0});
  expect_near(solve(problem, {}, 1e-12).z, vec({0.0, -0.25}), 1e-11);
  problem.q = vec({-1.0, 2.0});
  expect_near(solve(problem, {}, 1e-12).z, vec({1.0, -0.75}), 1e-11);
}

TEST(FrictionCones, ReportsAContactThatNoForceHoldsApart) {
  FrictionCones problem;
  problem.friction = {0};
  problem.mu = vec({0.0});
  problem.W = Mat::Constant(1, 1, -1.0);
  problem.q = vec({-9.8});
  EXPECT_EQ(solve(problem, {}, 1e-12).status, Status::singular);
}

/// Four legs that stick: forces are not unique, the accelerations are.
TEST(FrictionCones, SolvesRedundantContacts) {
  const double x[] = {1, -1, -1, 1}, y[] = {1, 1, -1, -1};
  Mat J(12, 6);  // unit mass and inertia, legs one below the centre
  for (int i = 0; i < 4; ++i) {
    const Eigen::Vector3d r(x[i], y[i], -1.0);
    const Eigen::Vector3d axes[] = {{0, 0, 1}, {1, 0, 0}, {0, 1, 0}};
    for (int k = 0; k < 3; ++k)
      J.row(3 * i + k) << axes[k].transpose(), r.cross(axes[k]).transpose();
  }
  FrictionCones problem;
  problem.friction = {2, 2, 2, 2};
  problem.mu = Vec::Constant(4, 0.5);
  problem.W = J * J.transpose();
  for (const double slope : {0.3, 0.45}) {
    Vec load = Vec::Zero(6);
    load << slope, 0.0, -1.0, 0.0, 0.0, 0.0;
    problem.q = J * load;
    const Claim claim = solve(problem, {}, 1e-10);
    ASSERT_EQ(claim.status, Status::solved) << slope;
    EXPECT_LT((problem.W * claim.z + problem.q).cwiseAbs().maxCoeff(), 1e-9);
    EXPECT_NEAR(claim.z[0] + claim.z[3] + claim.z[6] + claim.z[9], 1.0, 1e-9);
  }
}

}  // namespace

}  // namespace touchstone

#include "solvers/own/static_friction.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numbers>

#include "tests/solvers/random_problems.hpp"

namespace touchstone {

namespace {

using testing::Random;

/// The rod of the thesis' figure 10.1, m = 1: a = A f + (q_n, q_t).
struct Rod {
  double s = std::sin(0.4 * std::numbers::pi), c = std::cos(0.4 * std::numbers::pi);
  double I = 1.0 / 16.0;
  double mu = (c * c + 0.125) / (c * s);
  double B = 1.0 + c * c / I, C = -c * s / I, E = 1.0 + s * s / I;

  AccelerationProblem problem(double q_n, double q_t, double slip) const {
    AccelerationProblem p;
    p.A = (Mat(2, 2) << B, C, C, E).finished();
    p.b = -(Vec(2) << q_n, q_t).finished();
    p.tangents = {1};
    p.mu = Vec::Constant(1, mu);
    if (slip != 0.0) p.slip = (Vec(2) << 0.0, slip).finished();
    return p;
  }
};

Vec one(double x) { return Vec::Constant(1, x); }

TEST(Rod, HasTheNumbersOfTheNotes) {
  const Rod rod;
  EXPECT_NEAR(rod.mu, 0.750245100, 1e-9);
  EXPECT_NEAR(rod.B, 2.527864045, 1e-9);
  EXPECT_NEAR(rod.C, -4.702282018, 1e-9);
  EXPECT_NEAR(rod.E, 15.472135955, 1e-9);
  EXPECT_NEAR(rod.B + rod.mu * rod.C, -1.0, 1e-14);
}

// X5, inconsistent rod: f ← ρf + g/B from any start.
TEST(Lotstedt, DivergesByTheKnownFactorForTheInconsistentRod) {
  const Rod rod;
  const double rho = -rod.mu * rod.C / rod.B;
  EXPECT_NEAR(rho, 1.395590895, 1e-9);
  for (const double start : {0.0, 3.0}) {
    const auto run = iterate_lotstedt(rod.problem(-9.8, 0.0, -1.0), one(start), 200);
    EXPECT_EQ(run.end, LotstedtIteration::End::diverged);
    for (std::size_t k = 1; k < 8; ++k)
      EXPECT_NEAR(run.normal[k][0], rho * run.normal[k - 1][0] + 9.8 / rod.B,
                  1e-10 * run.normal[k][0]);
  }
}

// X5, indeterminate rod: the fixed point m is unstable.
TEST(Lotstedt, LeavesTheUnstableFixedPointOfTheIndeterminateRod) {
  const AccelerationProblem p = Rod().problem(1.0, 0.0, -1.0);
  EXPECT_NEAR(lotstedt_lag(p, one(1.0)).f[0], 1.0, 1e-12);
  EXPECT_EQ(iterate_lotstedt(p, one(1.1), 200).end, LotstedtIteration::End::diverged);
  const auto falls = iterate_lotstedt(p, one(0.9), 200);
  EXPECT_EQ(falls.end, LotstedtIteration::End::converged);
  EXPECT_EQ(falls.f[0], 0.0);
}

// X5, reversed slip: a cycle of two about the true value, which the law has.
TEST(Lotstedt, AlternatesWhenTheSlipIsReversed) {
  const Rod rod;
  const double g = 9.8;
  const AccelerationProblem p = rod.problem(-g, 0.0, 1.0);
  const auto run = iterate_lotstedt(p, one(0.0), 50);
  EXPECT_EQ(run.end, LotstedtIteration::End::alternates);
  EXPECT_NEAR(run.normal[1][0], 0.395590895 * g, 1e-8);
  EXPECT_EQ(run.normal[2][0], 0.0);
  const StaticForces exact = exact_forces(p);
  EXPECT_EQ(exact.status, Status::solved);
  EXPECT_NEAR(exact.f[0], 0.165132910 * g, 1e-8);
  EXPECT_LT(exact.error, 1e-10);
  EXPECT_GT(lotstedt_lag(p, one(0.0)).error, 1.0);  // the lag shows as an error of the law
}

TEST(Lotstedt, LagIsTheBoxProgram) {
  Random random(1);
  for (int i = 0; i < 30; ++i) {
    const int contacts = random.integer(1, 4);
    AccelerationProblem p;
    const Mat J = random.matrix(3 * contacts + 1, 3 * contacts);
    p.A = J.transpose() * J;
    p.b = random.vector(3 * contacts);
    p.tangents.assign(contacts, 2);
    p.mu = Vec::Constant(contacts, 0.5);
    const Vec lagged = Vec::Constant(contacts, 0.4);
    const StaticForces found = lotstedt_lag(p, lagged);
    ASSERT_EQ(found.status, Status::solved);
    const Vec a = p.A * found.f - p.b;
    for (int k = 0; k < 3 * contacts; ++k) {  // (14-9)
      const bool normal = k % 3 == 0;
      const double low = normal ? 0.0 : -0.2, f = found.f[k];
      EXPECT_GE(f, low - 1e-9);
      EXPECT_LE(f, normal ? f : 0.2 + 1e-9);
      const bool inside = f > low + 1e-7 && (normal || f < 0.2 - 1e-7);
      EXPECT_LE(inside ? std::abs(a[k]) : 0.0, 1e-7);
      EXPECT_GE(f <= low + 1e-9 ? a[k] : 0.0, -1e-7);
    }
  }
}

// X22: a block on an incline creeps at v = ε tan α/μ, where friction carries it.
TEST(RegularisedFriction, HoldsABlockAtTheCreepOfTheClosedForm) {
  const double alpha = 0.3, mu = 0.6, g = 9.8, epsilon = 1e-3;
  AccelerationProblem p;
  p.A = Mat::Identity(2, 2);
  p.b = (Vec(2) << g * std::cos(alpha), -g * std::sin(alpha)).finished();
  p.tangents = {1};
  p.mu = one(mu);
  p.slip = (Vec(2) << 0.0, epsilon * std::tan(alpha) / mu).finished();
  const StaticForces held = regularised_friction(p, epsilon);
  EXPECT_EQ(held.status, Status::solved);
  EXPECT_NEAR((p.A * held.f - p.b)[1], 0.0, 1e-14);
  p.slip[1] = 0.0;  // at rest there is no friction yet
  EXPECT_NEAR((p.A * regularised_friction(p, epsilon).f - p.b)[1], g * std::sin(alpha), 1e-14);
  p.slip[1] = 2.0;  // above ε it is Coulomb's
  EXPECT_LT(regularised_friction(p, epsilon).error, 1e-12);
}

TEST(RegularisedFriction, ReturnsTheRayOfTheInconsistentRod) {
  const StaticForces found = regularised_friction(Rod().problem(-9.8, 0.0, -1.0), 1e-3);
  EXPECT_EQ(found.status, Status::ray);
  EXPECT_NEAR(found.ray.direction[0], 1.0, 1e-15);
}

// X6 and E10: the rod with its tip at rest.
TEST(PlanarModes, StaticRodHasOneAnswerOrThree) {
  const Rod rod;
  for (const double g : {0.0, 1.0, 9.8}) {  // G = ω²c with ω²s − g = 1
    const double G = (1.0 + g) / rod.s * rod.c;
    const auto all = all_planar_solutions(exact_law(rod.problem(1.0, G, 0.0)));
    ASSERT_EQ(all.size(), 1u);
    EXPECT_EQ(all[0].modes[0], PlanarMode::separate);
  }
  const auto three = all_planar_solutions(exact_law(rod.problem(1.0, -8.0, 0.0)));
  ASSERT_EQ(three.size(), 3u);
  EXPECT_EQ(three[0].modes[0], PlanarMode::separate);
  EXPECT_EQ(three[1].modes[0], PlanarMode::stick);
  EXPECT_NEAR(three[1].r[0], 1.302713, 1e-6);
  EXPECT_NEAR(three[1].r[1], 0.912978, 1e-6);
  EXPECT_EQ(three[2].modes[0], PlanarMode::slip_forward);
  EXPECT_NEAR(three[2].r[0], 1.0, 1e-12);
  const Vec a = rod.problem(1.0, -8.0, 0.0).A * three[2].r + (Vec(2) << 1.0, -8.0).finished();
  EXPECT_NEAR(a[1], -1.094388, 1e-6);
  // The three part at G = −(C + μE).
  const double edge = -(rod.C + rod.mu * rod.E);
  EXPECT_NEAR(edge, -6.905612175, 1e-9);
  EXPECT_EQ(all_planar_solutions(exact_law(rod.problem(1.0, edge + 1e-3, 0.0))).size(), 1u);
  EXPECT_EQ(all_planar_solutions(exact_law(rod.problem(1.0, edge - 1e-3, 0.0))).size(), 3u);
}

// X13 (theorem 4) and the counts of E10: one or three, never none or two; three only when F ≥ 0.
TEST(PlanarModes, EveryStaticContactHasAnOddNumberOfAnswers) {
  Random random(2);
  std::map<std::size_t, int> counts;
  for (int i = 0; i < 20000; ++i) {
    AccelerationProblem p;
    const Mat J = random.matrix(2, 2);
    p.A = J.transpose() * J + 1e-3 * Mat::Identity(2, 2);
    p.b = random.vector(2);
    p.tangents = {1};
    p.mu = one(random.uniform(0.0, 2.0));
    const auto all = all_planar_solutions(exact_law(p));
    ++counts[all.size()];
    EXPECT_LE(all.size() > 1 ? p.b[0] : 0.0, 0.0);
    for (const PlanarSolution& s : all) EXPECT_LT(residual(exact_law(p), s.r), 1e-7);
  }
  EXPECT_EQ(counts[1] + counts[3], 20000);
  EXPECT_GT(counts[3], 100);
}

TEST(PlanarModes, RefuseWhatIsNotPlanarOrTooMany) {
  FrictionCones cones{.W = Mat::Identity(3, 3), .q = Vec::Ones(3), .friction = {2}, .mu = one(0.5)};
  EXPECT_THROW(all_planar_solutions(cones), InputError);
  cones = {.W = Mat::Identity(20, 20),
           .q = Vec::Ones(20),
           .friction = std::vector<int>(10, 1),
           .mu = Vec::Ones(10)};
  EXPECT_THROW(all_planar_solutions(cones), InputError);
}

// The chair in the plane: two feet with friction. Sticking forces are not unique, and one is found.
TEST(PlanarModes, GivesAPointOfAContinuum) {
  AccelerationProblem p;
  Mat J(3, 4);  // unit block, feet at x = ±1, y = −1: columns (n, t, n, t)
  J << 0, 1, 0, 1, 1, 0, 1, 0, -1, 1, 1, 1;
  p.A = J.transpose() * J;
  p.b = J.transpose() * Eigen::Vector3d(0.0, 9.8, 0.0);
  p.tangents = {1, 1};
  p.mu = Vec::Constant(2, 0.5);
  const auto all = all_planar_solutions(exact_law(p));
  const auto sticks = std::ranges::find_if(
      all, [](const PlanarSolution& s) { return s.modes == std::vector(2, PlanarMode::stick); });
  ASSERT_NE(sticks, all.end());
  EXPECT_FALSE(sticks->unique);
  for (const PlanarSolution& s : all) {
    EXPECT_NEAR(s.r[0] + s.r[2], 9.8, 1e-9);
    EXPECT_NEAR(s.r[1] + s.r[3], 0.0, 1e-9);
  }
}

// E9, X24: Jacobi on a positive definite matrix locks into a cycle; damped it does not.
TEST(Jacobi, CyclesOnAPositiveDefiniteMatrix) {
  FrictionCones p{
      .W = Mat::Constant(3, 3, 0.9), .q = -Vec::Ones(3), .friction = {0, 0, 0}, .mu = Vec::Zero(3)};
  p.W.diagonal().setOnes();
  EXPECT_EQ(jacobi_forces(p, 100), Vec::Zero(3));
  EXPECT_EQ(jacobi_forces(p, 101), Vec::Ones(3));
  EXPECT_LT((jacobi_forces(p, 400, 0.5) - Vec::Constant(3, 1.0 / 2.8)).norm(), 1e-12);
}

TEST(Jacobi, ConvergesToTheLawOfOneContact) {
  FrictionCones p{.W = Mat::Identity(3, 3), .q = Vec(3), .friction = {2}, .mu = one(0.5)};
  p.q << -2.0, 0.3, 0.4;  // sticks
  EXPECT_LT((jacobi_forces(p, 50) - Eigen::Vector3d(2.0, -0.3, -0.4)).norm(), 1e-14);
  p.q << -2.0, 3.0, 4.0;  // slides against (0.6, 0.8)
  EXPECT_LT((jacobi_forces(p, 50) - Eigen::Vector3d(2.0, -0.6, -0.8)).norm(), 1e-14);
}

/// Planar contacts on a few bodies: A = JᵀJ of the given rank.
AccelerationProblem random_planar(Random& random, int contacts, int rank) {
  AccelerationProblem p;
  const Mat J = random.matrix(rank, 2 * contacts);
  p.A = J.transpose() * J;
  p.b = J.transpose() * random.vector(rank) + 0.1 * random.vector(2 * contacts);
  p.tangents.assign(static_cast<std::size_t>(contacts), 1);
  p.mu = Vec::Constant(contacts, random.uniform(0.1, 0.8));
  return p;
}

// Exact in the plane: an accepted answer is one of all the answers. Failures say so.
TEST(SignGuess, PlanarAnswersAreAmongAllSolutions) {
  Random random(3);
  int solved = 0;
  for (int i = 0; i < 150; ++i) {
    const int contacts = random.integer(1, 3);
    const AccelerationProblem p = random_planar(random, contacts, 2 * contacts + 1);
    const StaticForces found = sign_guess(p);
    if (found.status != Status::solved) continue;
    ++solved;
    EXPECT_LT(found.error, 1e-7);
    const auto all = all_planar_solutions(exact_law(p));
    EXPECT_TRUE(std::ranges::any_of(
        all, [&](const PlanarSolution& s) { return (s.r - found.f).norm() < 1e-6; }));
  }
  EXPECT_GT(solved, 130);
}

TEST(SignGuess, ReportsTheBoxAsAnErrorOfTheLawInSpace) {
  AccelerationProblem p;
  p.A = Mat::Identity(3, 3);
  p.b = Eigen::Vector3d(1.0, 5.0, 5.0);
  p.tangents = {2};
  p.mu = one(0.5);
  const StaticForces found = sign_guess(p);
  EXPECT_EQ(found.status, Status::solved);
  EXPECT_NEAR(found.f[1], 0.5, 1e-12);  // the corner of the box, √2 outside the cone
  EXPECT_GT(found.error, 0.1);
  EXPECT_LT(exact_forces(p).error, 1e-10);
}

// (e): maximum dissipation at rest decides where slip starts; the isotropic law agrees with nsn.
TEST(ExactLaw, FirstSlipOfAnIsotropicContactIsThatOfTheConeSolver) {
  Random random(4);
  for (int i = 0; i < 40; ++i) {
    AccelerationProblem p;
    const Mat J = random.matrix(4, 3);
    p.A = J.transpose() * J + 0.1 * Mat::Identity(3, 3);
    p.b = Eigen::Vector3d(1.0, random.uniform(-2, 2), random.uniform(-2, 2));
    p.tangents = {2};
    p.mu = one(0.3);
    const StaticForces found = exact_forces(p);
    ASSERT_EQ(found.status, Status::solved);
    EXPECT_LT(found.error, 1e-10);
    const Answer cone = make_solver("nsn")->solve(FrictionContact{3, p.A, -p.b, p.mu});
    ASSERT_TRUE(cone.ok());
    EXPECT_LT(law_error(p, cone.z), 1e-8);
  }
}

// The ellipsoid with torsion for a body whose rows are not coupled: (W + κ) r_f = −q_f.
TEST(ExactLaw, EllipsoidWithTorsionStartsAgainstTheFriction) {
  const double e_t = 1.0, e_o = 0.5, e_r = 0.1;
  AccelerationProblem p;
  p.A = Eigen::Vector4d(1.0, e_t * e_t, e_o * e_o, 25.0 * e_r * e_r).asDiagonal();
  p.b = Eigen::Vector4d(1.0, -e_t * 2.0, -e_o * 1.5, -e_r * 30.0);
  p.tangents = {3};
  p.mu = one(0.4);
  const StaticForces found = exact_forces(p);
  ASSERT_EQ(found.status, Status::solved);
  const Vec a = p.A * found.f - p.b;
  EXPECT_NEAR(found.f.tail(3).norm(), 0.4, 1e-12);
  const double kappa = -a.tail(3).dot(found.f.tail(3)) / found.f.tail(3).squaredNorm();
  EXPECT_GT(kappa, 0.0);
  EXPECT_LT((a.tail(3) + kappa * found.f.tail(3)).norm(), 1e-10);
}

// A contact that slides beside one at rest, in one problem.
TEST(ExactLaw, MixesSlidingWithRest) {
  Random random(5);
  for (int i = 0; i < 40; ++i) {
    AccelerationProblem p = random_planar(random, 2, 5);
    p.mu.setConstant(0.2);
    p.slip = (Vec(4) << 0.0, 0.7, 0.0, 0.0).finished();
    const StaticForces found = exact_forces(p);
    if (found.status != Status::solved) continue;
    EXPECT_LT(found.error, 1e-9);
    EXPECT_NEAR(found.f[1], -0.2 * found.f[0], 1e-12);
    const auto all = all_planar_solutions(exact_law(p));
    EXPECT_TRUE(std::ranges::any_of(
        all, [&](const PlanarSolution& s) { return (expand(p, s.r) - found.f).norm() < 1e-6; }));
  }
}

}  // namespace

}  // namespace touchstone

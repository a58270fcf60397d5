/// Semismooth Newton on the mixed NCP of the rolling disc (Chakraborty et al. 2007, example 1).

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "solvers/solver.hpp"
#include "tests/solvers/random_problems.hpp"
#include "tests/solvers/rolling_disc_ncp.hpp"

namespace touchstone::testing {
namespace {

TEST(RollingDiscNcp, HasTheJacobianOfItsFunction) {
  Random random(11);
  const RollingDisc disc(Disc{});
  Vec plus(9), minus(9);
  SpMat J(9, 9);
  for (int trial = 0; trial < 20; ++trial) {
    Vec z = random.vector(9);
    z[4] -= 2.0;  // away from the centre, where ‖a1 − q‖ has a kink
    disc.jacobian(z, J);
    for (int j = 0; j < 9; ++j) {
      const double step = 1e-6;
      Vec moved = z;
      moved[j] += step;
      disc.evaluate(moved, plus);
      moved[j] = z[j] - step;
      disc.evaluate(moved, minus);
      const Vec slope = (plus - minus) / (2.0 * step);
      EXPECT_LE((slope - Vec(J.col(j))).lpNorm<Eigen::Infinity>(), 1e-8) << "column " << j;
    }
  }
}

class DiscStep : public ::testing::TestWithParam<std::string> {};

void expect_rolling(const Answer& answer, const Disc& disc) {
  ASSERT_EQ(answer.status, Status::solved);
  EXPECT_LE(answer.residual.natural, 1e-10);
  EXPECT_NEAR(answer.z[0], -3.0, 1e-9);
  EXPECT_NEAR(answer.z[1], 0.0, 1e-9);
  EXPECT_NEAR(answer.z[2], 3.0, 1e-9);
  EXPECT_NEAR(answer.z[3], -3.0 * disc.h, 1e-9);
  EXPECT_NEAR(answer.z[4], 0.0, 1e-9);
  EXPECT_NEAR(answer.z[6], disc.m * disc.g * disc.h, 1e-9);
  EXPECT_NEAR(answer.z[7], 0.0, 1e-9);
}

TEST_P(DiscStep, KeepsRollingFromTheStateOfTheLastStep) {
  const Disc disc;
  expect_rolling(make_solver(GetParam())->solve(rolling_disc(disc), disc_guess(disc)), disc);
}

TEST_P(DiscStep, KeepsRollingFromAColdStart) {
  const Disc disc;
  expect_rolling(make_solver(GetParam())->solve(rolling_disc(disc)), disc);
}

TEST_P(DiscStep, KeepsRollingFromTheLastAnswerAndIsFast) {
  Disc disc;
  const auto solver = make_solver(GetParam());
  Answer answer = solver->solve(rolling_disc(disc), disc_guess(disc));
  double fastest = 1.0;
  std::vector<double> times;
  int iterations = 0;
  for (int step = 0; step < 400; ++step) {
    disc.q[0] = disc.h * -3.0 * (step + 1);
    answer = solver->solve(rolling_disc(disc), Vec(answer.z));  // contact points lag by h v
    ASSERT_EQ(answer.status, Status::solved) << "step " << step;
    ASSERT_NEAR(answer.z[0], -3.0, 1e-9) << "step " << step;
    times.push_back(answer.seconds);
    iterations = std::max(iterations, answer.iterations);
    // From the start of the step: no contact impulse is known yet.
    fastest = std::min(fastest, solver->solve(rolling_disc(disc), disc_guess(disc)).seconds);
  }
  std::nth_element(times.begin(), times.begin() + 200, times.end());
  RecordProperty("warm_median_ns", static_cast<int>(1e9 * times[200]));
  RecordProperty("state_start_fastest_ns", static_cast<int>(1e9 * fastest));
  RecordProperty("iterations", iterations);
  EXPECT_GE(iterations, 1);
  EXPECT_LE(iterations, 5);
  EXPECT_LT(*std::min_element(times.begin(), times.end()), 1e-3);  // a loaded machine is no failure
}

TEST_P(DiscStep, SlidesWhereRollingWouldNeedMoreFriction) {
  Disc disc;
  disc.nu = {3.0, 0.0, 0.0};  // sliding without spin: p_t = −μ m g h, σ = slip speed
  const double pn = disc.m * disc.g * disc.h, pt = -disc.mu * pn;
  Vec guess = disc_guess(disc);
  guess[6] = pn;  // without it the min map walks to the other root of (14), above the centre
  const Answer answer = make_solver(GetParam())->solve(rolling_disc(disc), guess);
  ASSERT_EQ(answer.status, Status::solved);
  EXPECT_NEAR(answer.z[6], pn, 1e-9);
  EXPECT_NEAR(answer.z[7], pt, 1e-9);
  EXPECT_NEAR(answer.z[0], 3.0 + pt, 1e-9);
  EXPECT_NEAR(answer.z[2], 2.0 * pt, 1e-9);  // ½ m Δω = −r_y p_t = p_t
  EXPECT_NEAR(answer.z[8], answer.z[0] + answer.z[2], 1e-9);
}

/// p_n = 0 makes (17) and (18) vanish with their gradients: σ is free and J is singular.
TEST_P(DiscStep, FallsFreelyAboveThePlane) {
  Disc disc;
  disc.q[1] = 2.0;
  const auto solver = make_solver(GetParam());
  for (const Vec& guess : {Vec(disc_guess(disc)), Vec()}) {
    const Answer answer = solver->solve(rolling_disc(disc), guess);
    ASSERT_EQ(answer.status, Status::solved) << answer.z.transpose();
    EXPECT_NEAR(answer.z[1], -disc.g * disc.h, 1e-9);
    EXPECT_NEAR(answer.z[0], -3.0, 1e-9);
    // (17) and (18) are quadratic in (p_n, p_t): a residual of 1e-10 leaves p_t only to 1e-5.
    EXPECT_NEAR(answer.z[6], 0.0, 1e-9);
    EXPECT_NEAR(answer.z[7], 0.0, 2e-5);
  }
}

INSTANTIATE_TEST_SUITE_P(Newton, DiscStep, ::testing::Values("newton-fb", "newton-min"),
                         [](const auto& tested) {
                           return tested.param == "newton-fb" ? std::string("Fb")
                                                              : std::string("Min");
                         });

}  // namespace
}  // namespace touchstone::testing

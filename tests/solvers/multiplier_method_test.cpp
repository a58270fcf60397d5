#include "solvers/own/multiplier_method.hpp"

#include <gtest/gtest.h>

#include "solvers/solver.hpp"
#include "tests/solvers/chain_qp.hpp"

/// The method of multipliers by itself; as the polish of sparse-interior-point it runs in the tests
/// of that solver.

namespace touchstone {
namespace {

/// A scaled problem with the systems of its Newton steps.
struct Method {
  explicit Method(const Qp& qp) : problem(qp) {
    scaled.load(qp);
    newton.load(scaled.P, scaled.A, scaled.equation);
    method.load(scaled, newton);
  }
  /// In the units of the problem.
  Vec answer(const MultiplierMethod::Point& point) const {
    Vec z(point.x.size() + point.y.size());
    z << scaled.size * scaled.columns.cwiseProduct(point.x),
        scaled.size * scaled.rows.cwiseProduct(point.y);
    return z;
  }
  MultiplierMethod::Point scaled_point(const Vec& z) const {
    return {z.head(problem.c.size()).cwiseQuotient(scaled.columns) / scaled.size,
            z.tail(problem.l.size()).cwiseQuotient(scaled.rows) / scaled.size};
  }
  MultiplierMethod::Point zero() const {
    return {Vec::Zero(problem.c.size()), Vec::Zero(problem.l.size())};
  }
  bool run(const MultiplierMethod::Point& start, double penalty, int steps) {
    return method.run(start, penalty, steps, [this](const MultiplierMethod::Point& point) {
      shown = answer(point);
      return residual(problem, shown).natural < 1e-10;
    });
  }

  Qp problem;
  ScaledQp scaled;
  QuasidefiniteSystem newton;
  MultiplierMethod method;
  Vec shown;  // last
};

TEST(MultiplierMethod, EndsFromNothingWithAnyPenalty) {
  random_problems::Random random(15);
  for (int k = 0; k < 20; ++k) {
    Qp qp = chain_qp(2 + k % 7, 1 + k % 3, random);
    if (k % 2) add_equations(qp);
    const Answer expected = make_solver("active-set-qp")->solve(qp);
    ASSERT_EQ(expected.status, Status::solved) << k;
    Method method(qp);
    for (const double penalty : {1.0, 1e3, 1e6}) {
      ASSERT_TRUE(method.run(method.zero(), penalty, 200)) << k << ", " << penalty;
      EXPECT_LT((method.shown - expected.z).head(qp.c.size()).cwiseAbs().maxCoeff(), 1e-8) << k;
    }
  }
}

TEST(MultiplierMethod, OneStepFromASolution) {
  random_problems::Random random(16);
  for (int k = 0; k < 10; ++k) {
    Qp qp = chain_qp(40, 1 + k % 3, random);
    if (k % 2) add_equations(qp);
    const Answer solved = make_solver("sparse-interior-point")->solve(qp);
    ASSERT_EQ(solved.status, Status::solved) << k;
    Method method(qp);
    MultiplierMethod::Point start = method.scaled_point(solved.z);
    EXPECT_TRUE(method.run(start, 1e5, 1)) << k;
    start.x.setZero();  // multipliers alone say which rows are active where they are not zero
    EXPECT_TRUE(method.run(start, 1e5, 20)) << k;
  }
}

TEST(MultiplierMethod, MultipliersHaveTheirSignsToTheLastBit) {
  random_problems::Random random(17);
  const Qp qp = chain_qp(60, 3, random);
  Method method(qp);
  ASSERT_TRUE(method.run(method.zero(), 1e3, 200));
  const Vec y = method.shown.tail(qp.l.size());
  int active = 0;
  for (const double multiplier : y) {
    EXPECT_LE(multiplier, 0.0);  // only lower bounds
    active += multiplier < 0.0;
  }
  EXPECT_GT(active, 20);
  EXPECT_LT(active, static_cast<int>(y.size()) - 20);
}

TEST(MultiplierMethod, SaysThatItWasNotDone) {
  random_problems::Random random(18);
  const Qp qp = chain_qp(60, 3, random);
  Method method(qp);
  EXPECT_FALSE(method.run(method.zero(), 1e3, 2));
  EXPECT_EQ(method.method.steps(), 2);
  Qp contradiction = chain_qp(5, 2, random);
  contradiction.u[contradiction.u.size() - 1] = contradiction.l[0] - 0.5;  // the first row again
  contradiction.l[contradiction.l.size() - 1] = -inf;
  Method none(contradiction);
  EXPECT_FALSE(none.run(none.zero(), 1e3, 200));
}

}  // namespace
}  // namespace touchstone

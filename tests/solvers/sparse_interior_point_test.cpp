#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "solvers/own/quasidefinite_system.hpp"
#include "solvers/solver.hpp"
#include "tests/solvers/chain_qp.hpp"

namespace touchstone {
namespace {

Answer solve(const Qp& qp) { return make_solver("sparse-interior-point")->solve(qp); }

Vec vec(std::initializer_list<double> values) {
  return Eigen::Map<const Vec>(values.begin(), static_cast<Eigen::Index>(values.size()));
}

TEST(SparseInteriorPoint, AgreesWithTheOtherSolversOnContactLikeProblems) {
  random_problems::Random random(5);
  for (int k = 0; k < 20; ++k) {
    Qp qp = chain_qp(2 + k % 7, 1 + k % 3, random);
    if (k % 2) add_equations(qp);
    const Answer answer = solve(qp);
    ASSERT_EQ(answer.status, Status::solved) << k << ", residual " << answer.residual.natural;
    for (const char* name : {"active-set-qp", "interior-point"}) {
      const Answer other = make_solver(name)->solve(qp);
      ASSERT_EQ(other.status, Status::solved) << name << ", " << k;
      EXPECT_LT((answer.z - other.z).head(qp.c.size()).cwiseAbs().maxCoeff(), 1e-8)
          << name << ", " << k;
    }
  }
}

TEST(SparseInteriorPoint, SolvesALargeOneInAFewStepsToTheTolerance) {
  random_problems::Random random(6);
  const Qp qp = chain_qp(2000, 4, random);
  const Answer answer = solve(qp);
  EXPECT_EQ(answer.status, Status::solved) << answer.residual.natural;
  EXPECT_LT(answer.iterations, 40);
}

TEST(SparseInteriorPoint, FindsAContradictionInALargeOne) {
  random_problems::Random random(9);
  Qp qp = chain_qp(500, 4, random);
  qp.u[qp.u.size() - 1] = qp.l[0] - 0.5;  // the first row again, on the other side
  qp.l[qp.l.size() - 1] = -inf;
  EXPECT_EQ(solve(qp).status, Status::infeasible);
  qp = chain_qp(500, 7, random);  // seven equations for each six velocities
  for (Eigen::Index r = 0; r < qp.l.size(); ++r)
    qp.u[r] = qp.l[r] += 0.1 * random.uniform(0.0, 1.0);
  EXPECT_NE(solve(qp).status, Status::solved);
}

TEST(SparseInteriorPoint, DenseAndSparseDataGiveTheSameAnswer) {
  random_problems::Random random(7);
  const Qp qp = chain_qp(5, 2, random);
  const Answer sparse = solve(qp);
  const Answer dense = solve({qp.P.to_dense(), qp.c, qp.A.to_dense(), qp.l, qp.u});
  ASSERT_TRUE(sparse.ok() && dense.ok());
  EXPECT_LT((sparse.z - dense.z).cwiseAbs().maxCoeff(), 1e-12);
}

TEST(SparseInteriorPoint, ProvesWhatHasNoSolution) {
  const Mat one = Mat::Identity(1, 1), two = Mat::Ones(2, 1);
  const Answer crossed = solve({one, vec({0}), two, vec({2, -inf}), vec({inf, 1})});
  EXPECT_EQ(crossed.status, Status::infeasible);
  const Answer equations = solve({one, vec({0}), two, vec({1, 2}), vec({1, 2})});
  EXPECT_NE(equations.status, Status::solved);
  const Answer downhill = solve({Mat::Zero(1, 1), vec({-1}), one, vec({0}), vec({inf})});
  EXPECT_EQ(downhill.status, Status::infeasible);
  const Answer concave = solve({Mat(-one), vec({0}), one, vec({0}), vec({1})});
  EXPECT_EQ(concave.status, Status::not_applicable);
}

TEST(SparseInteriorPoint, SolvesLinearProgramsAndRepeatedEquations) {
  const Answer linear =
      solve({Mat::Zero(2, 2), vec({-1, -2}), Mat::Identity(2, 2), vec({0, 0}), vec({1, 1})});
  ASSERT_TRUE(linear.ok());
  EXPECT_LT((linear.z.head(2) - vec({1, 1})).norm(), 1e-9);
  const Answer repeated =
      solve({Mat::Identity(1, 1), vec({0}), Mat::Ones(2, 1), vec({1, 1}), vec({1, 1})});
  ASSERT_TRUE(repeated.ok());
  EXPECT_NEAR(repeated.z[0], 1.0, 1e-12);
}

TEST(QuasidefiniteSystem, SolvesTheDenseSystem) {
  random_problems::Random random(8);
  const Qp qp = chain_qp(4, 3, random);
  const RowMat A = qp.A.to_sparse();
  std::vector<char> equation(static_cast<std::size_t>(A.rows()), 0);
  equation[1] = equation[4] = 1;
  Vec D = random.vector(A.rows()).cwiseAbs();
  D[1] = D[4] = 0.0;
  QuasidefiniteSystem system;
  system.load(qp.P.to_sparse(), A, equation);
  ASSERT_TRUE(system.factorise(D));
  const Eigen::Index n = A.cols();
  Mat K = Mat::Zero(n + 2, n + 2);
  const Mat dense = qp.A.to_dense();
  K.topLeftCorner(n, n) = qp.P.to_dense() + dense.transpose() * D.asDiagonal() * dense;
  K.row(n).head(n) = dense.row(1);
  K.row(n + 1).head(n) = dense.row(4);
  K.topRightCorner(n, 2) = K.bottomLeftCorner(2, n).transpose();
  const Vec expected = random.vector(n + 2);
  Vec x;
  system.solve(K * expected, x);
  EXPECT_LT((x - expected).cwiseAbs().maxCoeff(), 1e-10);
}

}  // namespace
}  // namespace touchstone

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "solvers/solver.hpp"
#include "tests/solvers/known_problems.hpp"
#include "tests/solvers/random_problems.hpp"

/// The active-set method, and QP against LCP: the optimality conditions of the thesis' QPs are its
/// LCP, whichever solver is asked.

namespace touchstone::testing {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr double inf = std::numeric_limits<double>::infinity();
const char* const qp_solvers[] = {"active-set-qp", "interior-point"};

Answer solve(const Problem& problem) { return make_solver("active-set-qp")->solve(problem); }

/// (8-10): min fᵀAf − bᵀf subject to Af ≥ b, f ≥ 0; the optimal value is 0 (here q = −b).
Qp qp1(const Lcp& lcp) {
  const Eigen::Index n = lcp.q.size();
  const Mat M = lcp.M.to_dense();
  Mat A(2 * n, n);
  A << M, Mat::Identity(n, n);
  Vec l = Vec::Zero(2 * n);
  l.head(n) = -lcp.q;
  return {2.0 * M, lcp.q, A, l, Vec::Constant(2 * n, inf)};
}

/// (8-11): min ½fᵀAf − bᵀf subject to f ≥ 0.
Qp qp2(const Lcp& lcp) {
  const Eigen::Index n = lcp.q.size();
  return {lcp.M, lcp.q, Mat::Identity(n, n), Vec::Zero(n), Vec::Constant(n, inf)};
}

TEST(ActiveSetQp, EqualityBoundsAndARowWithoutBounds) {
  const Qp qp{Mat::Identity(2, 2), vec({-1, -1}), (Mat(3, 2) << 1, 1, 1, 0, 5, 7).finished(),
              vec({1, -inf, -inf}), vec({1, 0.25, inf})};
  const Answer answer = solve(qp);
  ASSERT_EQ(answer.status, Status::solved);
  expect_near(answer.z, vec({0.25, 0.75, 0.25, 0.5, 0}), 1e-14);
  EXPECT_THAT(answer.notes, IsEmpty());
}

TEST(ActiveSetQp, BoxFrictionOfLotstedt) {  // min ½f² + pf, |f| ≤ μf̃ = 2
  for (const auto& [p, f] : {std::pair{1.0, -1.0}, {5.0, -2.0}, {-5.0, 2.0}}) {
    const Qp qp{Mat::Identity(1, 1), vec({p}), Mat::Identity(1, 1), vec({-2}), vec({2})};
    EXPECT_EQ(solve(qp).z[0], f);
  }
}

TEST(ActiveSetQp, EmptyUnconstrainedAndLinear) {
  EXPECT_EQ(solve(Qp{Mat(0, 0), Vec(0), Mat(0, 0), Vec(0), Vec(0)}).status, Status::solved);
  const Qp plain{2.0 * Mat::Identity(2, 2), vec({-2, 4}), Mat(0, 2), Vec(0), Vec(0)};
  expect_near(solve(plain).z, vec({1, -2}), 1e-15);
  // A linear programme: max x₀ + 2x₁ on the unit box.
  const Qp linear{Mat::Zero(2, 2), vec({-1, -2}), Mat::Identity(2, 2), vec({0, 0}), vec({1, 1})};
  const Answer answer = solve(linear);
  ASSERT_EQ(answer.status, Status::solved);
  expect_near(answer.z, vec({1, 1, 1, 2}), 1e-12);
  EXPECT_THAT(answer.notes, Contains(HasSubstr("proximal")));
}

TEST(ActiveSetQp, InfeasibleUnboundedAndNonConvex) {
  const Mat one = Mat::Identity(1, 1);
  const Qp crossed{one, vec({0}), (Mat(2, 1) << 1, 1).finished(), vec({2, -inf}), vec({inf, 1})};
  EXPECT_EQ(solve(crossed).status, Status::infeasible);
  const Qp equations{one, vec({0}), (Mat(2, 1) << 1, 1).finished(), vec({1, 2}), vec({1, 2})};
  EXPECT_EQ(solve(equations).status, Status::infeasible);
  const Qp repeated{one, vec({0}), (Mat(2, 1) << 1, 1).finished(), vec({1, 1}), vec({1, 1})};
  EXPECT_EQ(solve(repeated).status, Status::solved);
  const Qp downhill{Mat::Zero(1, 1), vec({-1}), one, vec({0}), vec({inf})};
  const Answer unbounded = solve(downhill);
  EXPECT_EQ(unbounded.status, Status::infeasible);
  EXPECT_THAT(unbounded.notes, Contains(HasSubstr("unbounded")));
  const Qp concave{Mat(-one), vec({0}), one, vec({0}), vec({1})};
  const Answer refused = solve(concave);
  EXPECT_EQ(refused.status, Status::not_applicable);
  EXPECT_THAT(refused.notes, Contains(HasSubstr("not convex")));
  EXPECT_EQ(solve(rod(1.0, -1.0)).status, Status::not_applicable) << "takes only QPs";
}

TEST(QpAndLcp, ChairByBothFormsOfTheThesis) {  // X12, rank 3
  const Lcp lcp = chair();
  for (const char* name : qp_solvers) {
    for (const Qp& qp : {qp1(lcp), qp2(lcp)}) {
      const Answer answer = make_solver(name)->solve(qp);
      ASSERT_EQ(answer.status, Status::solved) << name;
      const Vec f = answer.z.head(4);
      EXPECT_NEAR(f.sum(), 1.0, 1e-9) << name;
      expect_near(lcp.M.to_dense() * f + lcp.q, Vec::Zero(4), 1e-9);
    }
  }
}

/// QP-2's optimality conditions are the LCP, with y = −w; QP-1 has the same minimisers, value 0.
TEST(QpAndLcp, AgreeOnDefiniteAndRankDeficientProblems) {
  Random random(81);
  const auto lemke = make_solver("lemke"), pivoting = make_solver("principal-pivoting");
  for (const char* name : qp_solvers) {
    const auto solver = make_solver(name);
    for (int trial = 0; trial < 300; ++trial) {
      const Eigen::Index n = random.integer(1, 12);
      const Lcp lcp = trial % 2 ? rank_deficient(random, n) : positive_definite(random, n);
      const Vec w = lcp.M.to_dense() * lemke->solve(lcp).z + lcp.q;
      const Vec w2 = lcp.M.to_dense() * pivoting->solve(lcp).z + lcp.q;
      ASSERT_LE((w - w2).cwiseAbs().maxCoeff(), 1e-8) << "trial " << trial;
      const Answer two = solver->solve(qp2(lcp));
      ASSERT_EQ(two.status, Status::solved) << name << ", QP-2, trial " << trial;
      ASSERT_LE((two.z.tail(n) + w).cwiseAbs().maxCoeff(), 1e-8) << name << ", trial " << trial;
      ASSERT_LE(residual(lcp, Vec(two.z.head(n).cwiseMax(0.0))).natural, 1e-8) << trial;
    }
  }
}

TEST(QpAndLcp, FirstFormHasValueZero) {
  Random random(82);
  for (const char* name : qp_solvers) {
    const auto solver = make_solver(name);
    for (int trial = 0; trial < 200; ++trial) {
      const Lcp lcp = positive_definite(random, random.integer(1, 8));
      const Answer answer = solver->solve(qp1(lcp));
      ASSERT_EQ(answer.status, Status::solved) << name << ", trial " << trial;
      const Vec f = answer.z.head(lcp.q.size());
      ASSERT_NEAR(f.dot(lcp.M.to_dense() * f + lcp.q), 0.0, 1e-8) << name << ", trial " << trial;
    }
  }
}

TEST(QpAndLcp, BoxQpsAgreeWithBoxPivoting) {  // Lötstedt's box QP
  Random random(83);
  const auto pivoting = make_solver("principal-pivoting");
  for (const char* name : qp_solvers) {
    const auto solver = make_solver(name);
    for (int trial = 0; trial < 300; ++trial) {
      const Eigen::Index n = random.integer(1, 12);
      const Mat B = random.matrix(n, trial % 2 ? (n + 1) / 2 : n), M = B * B.transpose();
      const Vec q = random.vector(n), l = -random.vector(n).cwiseAbs(), u = l.cwiseAbs();
      const Answer box = pivoting->solve(Mlcp{M, q, l, u});
      ASSERT_EQ(box.status, Status::solved) << "trial " << trial;
      const Answer answer = solver->solve(Qp{M, q, Mat::Identity(n, n), l, u});
      ASSERT_EQ(answer.status, Status::solved) << name << ", trial " << trial;
      ASSERT_LE((M * (answer.z.head(n) - box.z)).cwiseAbs().maxCoeff(), 1e-8)
          << name << ", trial " << trial;
    }
  }
}

TEST(QpAndLcp, GeneralQpsAgreeInXWhereItIsUnique) {
  Random random(84);
  const auto active = make_solver("active-set-qp"), interior = make_solver("interior-point");
  for (int trial = 0; trial < 300; ++trial) {
    const Eigen::Index n = random.integer(1, 10), m = random.integer(0, 15);
    const Mat B = random.matrix(n, n), A = random.matrix(m, n);
    const Vec inside = A * random.vector(n);  // a feasible point exists
    Vec l(m), u(m);
    for (Eigen::Index i = 0; i < m; ++i) {
      l[i] = random.chance(0.3) ? -inf : inside[i] - random.uniform(0, 0.5);
      u[i] = random.chance(0.3) ? inf : inside[i] + random.uniform(0, 0.5);
      if (i < n / 3) l[i] = u[i] = inside[i];
    }
    const Qp qp{B * B.transpose() + 0.1 * Mat::Identity(n, n), random.vector(n), A, l, u};
    const Answer one = active->solve(qp), two = interior->solve(qp);
    ASSERT_EQ(one.status, Status::solved) << "trial " << trial;
    ASSERT_EQ(two.status, Status::solved) << "trial " << trial;
    ASSERT_LE((one.z.head(n) - two.z.head(n)).cwiseAbs().maxCoeff(), 1e-8) << "trial " << trial;
  }
}

TEST(QpAndLcp, InfeasibleQpsAreFoundByBoth) {
  Random random(85);
  for (const char* name : qp_solvers) {
    const auto solver = make_solver(name);
    for (int trial = 0; trial < 100; ++trial) {
      // vᵀA = 0 with v = (1, …, 1) and Σ lᵢ > 0 contradict l ≤ Ax.
      const Eigen::Index n = random.integer(1, 6), m = n + 1;
      Mat A = random.matrix(m, n);
      A.row(m - 1) = -A.topRows(m - 1).colwise().sum();
      Vec l = random.vector(m);
      l[m - 1] += 0.5 - l.sum();
      const Qp qp{Mat::Identity(n, n), random.vector(n), A, l, Vec::Constant(m, inf)};
      ASSERT_EQ(solver->solve(qp).status, Status::infeasible) << name << ", trial " << trial;
    }
  }
}

}  // namespace
}  // namespace touchstone::testing

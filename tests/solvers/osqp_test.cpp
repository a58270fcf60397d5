#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "solvers/solver.hpp"
#include "tests/solvers/known_problems.hpp"
#include "tests/solvers/random_problems.hpp"

namespace touchstone::testing {
namespace {

using ::testing::AnyOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr double inf = std::numeric_limits<double>::infinity();

class Osqp : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::string reason = Registry<SolverEntry>::instance().find("osqp").unavailable;
    if (!reason.empty()) GTEST_SKIP() << reason;
  }
  static Answer solve(const Problem& problem) { return make_solver("osqp")->solve(problem); }
};

/// Thesis (8-10): min fᵀAf − bᵀf subject to Af ≥ b, f ≥ 0.
Qp explicit_form(const Lcp& lcp) {
  const Mat A = lcp.M.to_dense();
  const Eigen::Index n = A.rows();
  Mat rows(2 * n, n);
  rows << A, Mat::Identity(n, n);
  Vec l = Vec::Zero(2 * n);
  l.head(n) = -lcp.q;
  return {2.0 * A, lcp.q, rows, l, Vec::Constant(2 * n, inf)};
}

/// Thesis (8-11): min ½fᵀAf − bᵀf subject to f ≥ 0.
Qp short_form(const Lcp& lcp) {
  const Eigen::Index n = lcp.q.size();
  return {lcp.M, lcp.q, Mat::Identity(n, n), Vec::Zero(n), Vec::Constant(n, inf)};
}

/// The stabilised contact QP of the ratio-metric method, (16): min ½vᵀMv + gᵀv over (v, λ) subject
/// to
///     W_nᵀv − Uλ ≥ −Δ,   W_fᵀv + Eλ ≥ 0,   λ ≥ 0,                                          (16)
/// with g = −M v₀, and Δ = ψ/h.
Qp stabilised_contact(const Contacts& c, const Vec& velocity) {
  const Eigen::Index nv = c.inverse_mass.size(), nc = c.W_n.cols(), nf = c.W_f.cols();
  const Vec mass = c.inverse_mass.cwiseInverse();
  Mat P = Mat::Zero(nv + nc, nv + nc);
  P.topLeftCorner(nv, nv) = mass.asDiagonal();
  Vec gradient = Vec::Zero(nv + nc);
  gradient.head(nv) = -mass.cwiseProduct(velocity);
  Mat A = Mat::Zero(nc + nf + nc, nv + nc);
  A.topLeftCorner(nc, nv) = c.W_n.transpose();
  A.topRightCorner(nc, nc) = -Mat(c.mu.asDiagonal());
  A.block(nc, 0, nf, nv) = c.W_f.transpose();
  for (Eigen::Index i = 0; i < nc; ++i)
    A.block(nc + i * c.directions, nv + i, c.directions, 1).setOnes();
  A.bottomRightCorner(nc, nc).setIdentity();
  Vec l = Vec::Zero(A.rows());
  l.head(nc) = -c.gap_rate;
  return {P, gradient, A, l, Vec::Constant(A.rows(), inf)};
}

/// (15), the optimality conditions of (16), with v eliminated: unknowns (c_n, β, λ).
Lcp stabilised_contact_lcp(const Contacts& c, const Vec& velocity) {
  Lcp lcp = stewart_trinkle(c, velocity);
  const Eigen::Index nc = c.W_n.cols(), nf = c.W_f.cols();
  lcp.M.dense().block(0, nc + nf, nc, nc) = -Mat(c.mu.asDiagonal());
  return lcp;
}

/// P = BBᵀ of any rank; a random active set with y* of the right sign; c = −Px* − Aᵀy*.
Qp qp_from_its_answer(Random& random, Eigen::Index n, Eigen::Index m) {
  const Mat B = random.matrix(n, random.integer(0, static_cast<int>(n)));
  const Mat P = B * B.transpose(), A = random.matrix(m, n);
  const Vec x = random.vector(n), Ax = A * x;
  Vec y = Vec::Zero(m), l(m), u(m);
  for (Eigen::Index i = 0; i < m; ++i) {
    l[i] = random.chance(0.3) ? -inf : Ax[i] - random.uniform(0.1, 1.0);
    u[i] = random.chance(0.3) ? inf : Ax[i] + random.uniform(0.1, 1.0);
    const double draw = random.uniform(-1.0, 1.0);
    if (!random.chance(0.5)) continue;
    y[i] = draw;
    (draw < 0.0 ? l[i] : u[i]) = Ax[i];
    if (random.chance(0.2)) l[i] = u[i] = Ax[i];  // an equation
  }
  return {P, -P * x - A.transpose() * y, A, l, u};
}

// --- The quadratic programs of contact

TEST_F(Osqp, ThesisFormsGiveTheForcesOfTheLcp) {  // (8-10), (8-11)
  Random random(810);
  for (int trial = 0; trial < 50; ++trial) {
    const Lcp lcp = positive_definite(random, 1 + trial % 10);
    const Answer expected = make_solver("lemke")->solve(lcp);
    ASSERT_EQ(expected.status, Status::solved);
    for (const Qp& qp : {explicit_form(lcp), short_form(lcp)}) {
      const Answer answer = solve(qp);
      ASSERT_EQ(answer.status, Status::solved) << "trial " << trial << ", rows " << qp.l.size();
      expect_near(answer.z.head(lcp.q.size()), expected.z, 1e-7);
    }
  }
}

TEST_F(Osqp, ExplicitFormHasValueZero) {  // thesis: fᵀ(Af − b) = 0 at the optimum of (8-10)
  const Lcp lcp{Mat((Mat(2, 2) << 2, 1, 1, 2).finished()), vec({-5, -6})};  // T16
  const Answer answer = solve(explicit_form(lcp));
  ASSERT_EQ(answer.status, Status::solved);
  const Vec f = answer.z.head(2);
  expect_near(f, vec({4.0 / 3.0, 7.0 / 3.0}), 1e-10);
  EXPECT_NEAR(f.dot(lcp.M.to_dense() * f + lcp.q), 0.0, 1e-9);
}

TEST_F(Osqp, ChairHasUniqueAccelerations) {  // X12: rank 3, f = ¼(1,1,1,1) + t(1,−1,1,−1)
  const Lcp lcp = chair();
  for (const Problem& problem :
       {Problem(lcp), Problem(explicit_form(lcp)), Problem(short_form(lcp))}) {
    const Answer answer = solve(problem);
    ASSERT_EQ(answer.status, Status::solved) << problem_class(problem);
    const Vec f = answer.z.head(4);
    EXPECT_GE(f.minCoeff(), -1e-10);
    EXPECT_NEAR(f.sum(), 1.0, 1e-9);
    expect_near(lcp.M.to_dense() * f + lcp.q, Vec::Zero(4), 1e-9);
    EXPECT_NEAR(f[0] + f[1], 0.5, 1e-9);
    EXPECT_NEAR(f[1] + f[2], 0.5, 1e-9);
  }
}

/// A block on a table, m = 2 kg: f_N = mg, and friction holds what the bound μf̃ allows.
TEST_F(Osqp, LotstedtsBoxOnOneBlock) {
  const double m = 2.0, g = 9.81, bound = 0.3 * m * g;
  for (const double push : {0.5 * bound, bound, 3.0 * bound, -3.0 * bound}) {
    const Vec b = vec({g, -push / m});
    const Vec l = vec({0, -bound}), u = vec({inf, bound});
    const Vec expected = vec({m * g, -std::clamp(push, -bound, bound)});
    const Answer qp = solve(Qp{Mat::Identity(2, 2) / m, -b, Mat::Identity(2, 2), l, u});
    ASSERT_EQ(qp.status, Status::solved) << push;
    expect_near(qp.z.head(2), expected, 1e-9);
    const Answer box = solve(Mlcp{Mat::Identity(2, 2) / m, -b, l, u});
    ASSERT_EQ(box.status, Status::solved) << push;
    expect_near(box.z, expected, 1e-9);
  }
}

TEST_F(Osqp, LotstedtsBoxAgreesWithLemke) {
  Random random(14);
  for (int trial = 0; trial < 50; ++trial) {
    const int contacts = 1 + trial % 4;
    const Contacts c = spatial_contacts(random, 1, contacts, 4, false);
    Mat W(6, 3 * contacts);
    W.leftCols(contacts) = c.W_n;
    for (Eigen::Index i = 0; i < contacts; ++i)  // the directions 0 and 1 of 4 are t and o
      W.middleCols(contacts + 2 * i, 2) = c.W_f.middleCols(4 * i, 2);
    Vec l = Vec::Zero(3 * contacts), u = Vec::Constant(3 * contacts, inf);
    u.tail(2 * contacts) = Vec::Constant(2 * contacts, 0.4) + 0.3 * random.vector(2 * contacts);
    l.tail(2 * contacts) = -u.tail(2 * contacts);
    const Mat A = W.transpose() * c.inverse_mass.asDiagonal() * W;
    const Mlcp box{A, W.transpose() * random.vector(6), l, u};
    const Answer expected = make_solver("lemke")->solve(box);
    const Answer answer = solve(box);
    ASSERT_EQ(expected.status, Status::solved) << trial;
    ASSERT_EQ(answer.status, Status::solved) << trial << ", residual " << answer.residual.natural;
    expect_near(A * answer.z, A * expected.z, 1e-7);  // forces need not be unique, motion is
  }
}

/// A sliding point, μ = ½: the relaxed problem (16) lifts it, v_n = μ|v_t|.
TEST_F(Osqp, StabilisedContactLiftsASlidingPoint) {
  Contacts c;
  c.directions = 2;
  c.W_n = vec({0, 1});
  c.W_f = (Mat(2, 2) << 1, -1, 0, 0).finished();
  c.inverse_mass = vec({1, 1});
  c.mu = vec({0.5});
  c.gap_rate = vec({0});
  const Answer answer = solve(stabilised_contact(c, vec({2, -0.981})));
  ASSERT_EQ(answer.status, Status::solved);
  const double c_n = (2.0 * 0.5 + 0.981) / 1.25, v_t = 2.0 - 0.5 * c_n;
  expect_near(answer.z.head(3), vec({v_t, 0.5 * v_t, v_t}), 1e-10);
  expect_near(answer.z.tail(4), vec({-c_n, 0, -0.5 * c_n, 0}), 1e-10);  // impulses are −y
}

TEST_F(Osqp, StabilisedContactAgreesWithItsLcp) {
  Random random(16);
  for (int trial = 0; trial < 40; ++trial) {
    const bool redundant = trial % 2 == 1;
    const int bodies = 1 + trial % 3;
    const Contacts c = spatial_contacts(random, bodies, 1 + trial % 6, 4, redundant);
    const Vec velocity = random.vector(6 * bodies);
    const Answer expected = make_solver("lemke")->solve(stabilised_contact_lcp(c, velocity));
    ASSERT_EQ(expected.status, Status::solved) << trial;
    const Eigen::Index nc = c.W_n.cols(), nf = c.W_f.cols();
    const Vec impulse = c.W_n * expected.z.head(nc) + c.W_f * expected.z.segment(nc, nf);
    const Answer answer = solve(stabilised_contact(c, velocity));
    ASSERT_EQ(answer.status, Status::solved) << trial << ", residual " << answer.residual.natural;
    expect_near(answer.z.head(6 * bodies), velocity + c.inverse_mass.cwiseProduct(impulse), 1e-7);
  }
}

// --- Complementarity problems

TEST_F(Osqp, StackOfTwo) {  // T15: f = ((m1 + m2) g, m2 g)
  expect_stacks_carried([](const Lcp& problem) { return solve(problem); }, {1e-3, 1.0, 1e3});
}

TEST_F(Osqp, NewtonsCradle) {  // T17, ε = 1: impulses m v (4/3, 2/3)
  const Answer answer = solve(Lcp{Mat((Mat(2, 2) << 2, -1, -1, 2).finished()), vec({-2, 0})});
  ASSERT_EQ(answer.status, Status::solved);
  expect_near(answer.z, vec({4.0 / 3.0, 2.0 / 3.0}), 1e-10);
}

TEST_F(Osqp, ThreeCoupledContactsWhereJacobiCycles) {  // T16
  const Answer answer = solve(three_coupled());
  ASSERT_EQ(answer.status, Status::solved);
  expect_near(answer.z, Vec::Constant(3, 1.0 / 2.8), 1e-10);
}

TEST_F(Osqp, RandomLcps) {
  Random random(1);
  int solved = 0, tried = 0;
  for (int trial = 0; trial < 100; ++trial) {
    const Eigen::Index n = 1 + trial % 20;
    for (const Lcp& lcp : {positive_definite(random, n), rank_deficient(random, n)}) {
      const Answer answer = solve(lcp);
      ++tried;
      if (answer.ok()) ++solved;
      EXPECT_LE(answer.residual.natural, 1e-7) << trial << " " << to_string(answer.status);
    }
  }
  RecordProperty("solved", solved);
  EXPECT_EQ(solved, tried);
}

TEST_F(Osqp, SparseAndDenseAgree) {
  Random random(2);
  const Lcp dense = positive_definite(random, 12);
  const Answer one = solve(dense), other = solve(Lcp{dense.M.to_sparse(), dense.q});
  ASSERT_EQ(one.status, Status::solved);
  EXPECT_EQ(one.z, other.z);
  const Qp qp = short_form(dense);
  const Answer sparse = solve(Qp{qp.P.to_sparse(), qp.c, qp.A.to_sparse(), qp.l, qp.u});
  EXPECT_EQ(sparse.z, solve(qp).z);
}

// --- General quadratic programs

/// A first-order method stalls at some of the degenerate vertices of the nearly linear programs in
/// this family (rank of P down to 0): those must be few, and none may pass for solved.
TEST_F(Osqp, QpsBuiltFromTheirAnswers) {
  Random random(3);
  int solved = 0;
  for (int trial = 0; trial < 200; ++trial) {
    const Answer answer = solve(qp_from_its_answer(random, 1 + trial % 12, trial % 25));
    if (answer.ok()) {
      ++solved;
      EXPECT_LE(answer.residual.natural, 2e-10) << trial;
    } else {
      EXPECT_THAT(answer.status, AnyOf(Status::inaccurate, Status::iteration_limit)) << trial;
      EXPECT_TRUE(answer.z.allFinite()) << trial;
    }
  }
  RecordProperty("solved", solved);
  EXPECT_GE(solved, 195);  // what was measured
}

TEST_F(Osqp, WithoutConstraints) {
  const Answer answer = solve(Qp{Mat((Mat(2, 2) << 2, 1, 1, 2).finished()), vec({-5, -6}),
                                 Mat::Zero(0, 2), Vec(0), Vec(0)});
  ASSERT_EQ(answer.status, Status::solved);
  expect_near(answer.z, vec({4.0 / 3.0, 7.0 / 3.0}), 1e-10);
}

TEST_F(Osqp, WithoutVariables) {
  EXPECT_EQ(solve(Lcp{Mat(0, 0), Vec(0)}).status, Status::solved);
  const auto constant = [](double l, double u) {
    return Qp{Mat(0, 0), Vec(0), Mat::Zero(1, 0), vec({l}), vec({u})};
  };
  EXPECT_EQ(solve(constant(-1, 1)).status, Status::solved);
  EXPECT_EQ(solve(constant(1, 2)).status, Status::infeasible);
}

// --- Problems without a solution, and those that are not for this method

TEST_F(Osqp, ContradictingConstraintsAreInfeasible) {
  const Answer answer =
      solve(Qp{Mat::Identity(1, 1), vec({0}), Mat::Ones(2, 1), vec({1, -inf}), vec({inf, 0})});
  EXPECT_EQ(answer.status, Status::infeasible);
  EXPECT_THAT(answer.notes, Contains(HasSubstr("no x")));
  EXPECT_TRUE(answer.z.allFinite());
}

TEST_F(Osqp, UnboundedObjectiveIsInfeasible) {
  const Answer answer =
      solve(Qp{Mat::Zero(1, 1), vec({1}), Mat::Ones(1, 1), vec({-inf}), vec({0})});
  EXPECT_EQ(answer.status, Status::infeasible);
  EXPECT_THAT(answer.notes, Contains(HasSubstr("unbounded")));
}

TEST_F(Osqp, LcpWithoutSolutionIsInfeasible) {  // d = (1, 1): Md = 0, qᵀd < 0
  const Answer answer = solve(Lcp{Mat((Mat(2, 2) << 1, -1, -1, 1).finished()), vec({-1, -1})});
  EXPECT_EQ(answer.status, Status::infeasible);
  const Answer form = solve(explicit_form({Mat::Zero(1, 1), vec({-1})}));  // 0·f ≥ 1
  EXPECT_EQ(form.status, Status::infeasible);
}

TEST_F(Osqp, NonConvexProblemsAreRefused) {
  const Mat saddle = vec({1, -1}).asDiagonal();
  const Qp qp{saddle, vec({0, 0}), Mat::Identity(2, 2), vec({-1, -1}), vec({1, 1})};
  for (const Problem& problem : {Problem(qp), Problem(rod(-1.0, -9.8)), Problem(rod(-1.0, 1.0))}) {
    const Answer answer = solve(problem);
    EXPECT_EQ(answer.status, Status::not_applicable);
    EXPECT_THAT(answer.notes, Contains(HasSubstr("not positive semidefinite")));
  }
}

TEST_F(Osqp, UnsymmetricLcpsAreNotAccepted) {
  const Mat M = (Mat(2, 2) << 2, 1, 0.5, 2).finished();
  EXPECT_FALSE(make_solver("osqp")->accepts(Lcp{M, vec({-1, -1})}));
  EXPECT_FALSE(make_solver("osqp")->accepts(Lcp{Matrix(M).to_sparse(), vec({-1, -1})}));
  EXPECT_EQ(solve(Lcp{M, vec({-1, -1})}).status, Status::not_applicable);
  EXPECT_FALSE(
      make_solver("osqp")->accepts(FrictionContact{3, Mat::Identity(3, 3), Vec(3), Vec(1)}));
}

TEST_F(Osqp, IterationLimitIsReported) {
  Random random(4);
  Parameters settings;
  settings.declare(integer("max_iterations", 2, "1", ""));
  const Answer answer = make_solver("osqp", settings)->solve(positive_definite(random, 20));
  EXPECT_EQ(answer.status, Status::iteration_limit);
  EXPECT_LE(answer.iterations, 2);
}

// --- Behaviour

TEST_F(Osqp, RerunsGiveTheSameBitsWhateverCameBefore) {
  Random random(5);
  const Lcp a = positive_definite(random, 15), b = rank_deficient(random, 9);
  const auto solver = make_solver("osqp");
  const Vec first = solver->solve(a).z;
  solver->solve(b);
  EXPECT_EQ(solver->solve(a).z, first);
  EXPECT_EQ(make_solver("osqp")->solve(a).z, first);
}

TEST_F(Osqp, AGoodGuessSavesIterations) {
  Random random(6);
  const Qp qp = qp_from_its_answer(random, 12, 20);
  const auto solver = make_solver("osqp");
  const Answer cold = solver->solve(qp);
  ASSERT_EQ(cold.status, Status::solved);
  const Answer warm = solver->solve(qp, cold.z);
  EXPECT_EQ(warm.status, Status::solved);
  EXPECT_LE(warm.iterations, cold.iterations);
}

TEST_F(Osqp, IsSilent) {
  ::testing::internal::CaptureStdout();
  ::testing::internal::CaptureStderr();
  solve(chair());
  solve(Lcp{Mat((Mat(2, 2) << 1, -1, -1, 1).finished()), vec({-1, -1})});
  solve(rod(-1.0, 1.0));
  EXPECT_THAT(::testing::internal::GetCapturedStdout(), IsEmpty());
  EXPECT_THAT(::testing::internal::GetCapturedStderr(), IsEmpty());
}

}  // namespace
}  // namespace touchstone::testing

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "geometry/ratio_metric.hpp"
#include "solvers/solver.hpp"
#include "tests/geometry/support.hpp"

/// The linear program of the ratio metric handed to general solvers.

namespace touchstone {
namespace {

using test::Random;

struct Pair {
  RatioBody a, b;
  Pose pose_a, pose_b;
};

/// min t with g·(x − x_i) − t ≤ 0, as a QP without quadratic part, about the interior point of A.
Qp general_form(const Pair& pair) {
  const int dim = pair.a.dim();
  const Vec3 delta =
      pair.pose_a.to_world(pair.a.interior()) - pair.pose_b.to_world(pair.b.interior());
  const Eigen::Index m = pair.a.rows().cols(), n = pair.b.rows().cols();
  Eigen::Matrix3Xd g(3, m + n);
  g << pair.pose_a.R * pair.a.rows(), pair.pose_b.R * pair.b.rows();
  Qp qp;
  qp.P = Mat::Zero(dim + 1, dim + 1);
  qp.c = Vec::Unit(dim + 1, dim);
  Mat A(m + n, dim + 1);
  A << g.topRows(dim).transpose(), Vec::Constant(m + n, -1.0);
  qp.A = A;
  qp.l = Vec::Constant(m + n, -std::numeric_limits<double>::infinity());
  qp.u = Vec::Zero(m + n);
  qp.u.tail(n) = -(g.rightCols(n).transpose() * delta);
  return qp;
}

Pair random_pair(int k, Random& random) {
  const int dim = 2 + k % 2, points = 5 + k % 25;
  const double size = std::pow(10.0, random.uniform(-1.0, 1.0));
  auto scaled = [&] {
    std::vector<Vec3> p;
    for (int i = 0; i < points; ++i) p.push_back(random.point(dim, size));
    return RatioBody(std::make_shared<Polytope>(dim, p));
  };
  return {scaled(), scaled(), random.pose(dim, 1.5 * size), random.pose(dim, 1.5 * size)};
}

class RatioLp : public testing::TestWithParam<const char*> {};

TEST_P(RatioLp, AgreesWithAGeneralSolver) {
  Random random(19);
  if (const std::string why = Registry<SolverEntry>::instance().find(GetParam()).unavailable;
      !why.empty())
    GTEST_SKIP() << why;
  const auto solver = make_solver(GetParam());
  int solved = 0;
  for (int k = 0; k < 120; ++k) {
    const Pair pair = random_pair(k, random);
    const RatioMetric m = ratio_metric(pair.a, pair.pose_a, pair.b, pair.pose_b);
    const Answer answer = solver->solve(general_form(pair));
    const double r = answer.z[pair.a.dim()];
    if (answer.ok()) {
      ++solved;
      EXPECT_NEAR(r, m.r, 1e-10 * std::max(1.0, m.r)) << k;
      continue;
    }
    // A splitting method may end before: its own residual says how well its answer can agree.
    ASSERT_EQ(std::string(GetParam()), "osqp") << k << ": " << to_string(answer.status);
    EXPECT_NEAR(r, m.r, 100.0 * answer.residual.natural * std::max(1.0, m.r)) << k;
  }
  EXPECT_GE(solved, std::string(GetParam()) == "osqp" ? 100 : 120);
}

INSTANTIATE_TEST_SUITE_P(Solvers, RatioLp,
                         testing::Values("interior-point", "sparse-interior-point", "active-set-qp",
                                         "osqp"),
                         [](const auto& instance) {
                           std::string name = instance.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace touchstone

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>
#include <thread>

#include "solvers/solver.hpp"
#include "tests/solvers/known_problems.hpp"
#include "tests/solvers/nonlinear_problems.hpp"
#include "tests/solvers/random_problems.hpp"

namespace touchstone::testing {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr double inf = std::numeric_limits<double>::infinity();

std::string why_unavailable() { return Registry<SolverEntry>::instance().find("path").unavailable; }

class Path : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!why_unavailable().empty()) GTEST_SKIP() << why_unavailable();
  }
  static Answer solve(const Problem& problem) { return make_solver("path")->solve(problem); }
};

class Throwing final : public McpFunction {
 public:
  void evaluate(const Vec& z, Vec& F) const override {
    if (z[0] != 0.0) throw std::runtime_error("no such place");
    F.setConstant(1, -1.0);
  }
  void jacobian(const Vec&, SpMat& J) const override { J = Mat::Identity(1, 1).sparseView(); }
};

TEST(PathLibrary, IsThereOrSaysWhyNot) {
  const std::string reason = why_unavailable();
  if (reason.empty()) {
    EXPECT_NE(make_solver("path"), nullptr);
  } else {
    EXPECT_THAT(reason, HasSubstr("PATH"));
    EXPECT_THROW(make_solver("path"), InputError);
  }
}

TEST_F(Path, KnownLcps) {  // T16, T17
  const Answer two = solve(Lcp{Mat((Mat(2, 2) << 2, 1, 1, 2).finished()), vec({-5, -6})});
  ASSERT_EQ(two.status, Status::solved);
  expect_near(two.z, vec({4.0 / 3.0, 7.0 / 3.0}), 1e-10);
  const Answer cradle = solve(Lcp{Mat((Mat(2, 2) << 2, -1, -1, 2).finished()), vec({-2, 0})});
  ASSERT_EQ(cradle.status, Status::solved);
  expect_near(cradle.z, vec({4.0 / 3.0, 2.0 / 3.0}), 1e-10);
}

TEST_F(Path, Chair) {  // X12
  const Lcp lcp = chair();
  const Answer answer = solve(lcp);
  ASSERT_EQ(answer.status, Status::solved);
  EXPECT_NEAR(answer.z.sum(), 1.0, 1e-9);
  expect_near(lcp.M.to_dense() * answer.z + lcp.q, Vec::Zero(4), 1e-9);
}

TEST_F(Path, RodWithoutSolutionIsNotSolved) {  // X2: M = −1, q = −9.8
  const Answer answer = solve(rod(-1.0, -9.8));
  EXPECT_NE(answer.status, Status::solved);
}

TEST_F(Path, RandomLcps) {
  Random random(1);
  int solved = 0, tried = 0;
  double seconds = 0.0;
  for (int trial = 0; trial < 100; ++trial) {
    const Eigen::Index n = 1 + trial % 20;
    for (const Lcp& lcp : {positive_definite(random, n), rank_deficient(random, n)}) {
      const Answer answer = solve(lcp);
      ++tried;
      seconds += answer.seconds;
      if (answer.ok()) ++solved;
    }
  }
  RecordProperty("solved", solved);
  RecordProperty("microseconds_each", static_cast<int>(1e6 * seconds / tried));
  EXPECT_EQ(solved, tried);
}

TEST_F(Path, StewartTrinkleSteps) {
  Random random(7);
  int solved = 0;
  double seconds = 0.0;
  for (int trial = 0; trial < 100; ++trial) {
    const Contacts c = planar_contacts(random, 1 + trial % 6);
    const Answer answer = solve(stewart_trinkle(c, random.vector(3)));
    seconds += answer.seconds;
    if (answer.ok()) ++solved;
  }
  RecordProperty("solved", solved);
  RecordProperty("microseconds_each", static_cast<int>(1e4 * seconds));
  EXPECT_GE(solved, 95);  // nothing promises that PATH solves all of these copositive problems
}

TEST_F(Path, MixedBounds) {  // −1 ≤ z₀ ≤ 1 ⊥ z₀ − 3, z₁ free: z₁ + z₀ = 2
  const Mat M = (Mat(2, 2) << 1, 0, 1, 1).finished();
  const Answer answer = solve(Mlcp{M, vec({-3, -2}), vec({-1, -inf}), vec({1, inf})});
  ASSERT_EQ(answer.status, Status::solved);
  expect_near(answer.z, vec({1, 1}), 1e-10);
}

TEST_F(Path, KojimaShindoWhoseJacobianGrows) {
  const Mcp mcp{std::make_shared<KojimaShindo>(), Vec::Zero(4), Vec::Constant(4, inf)};
  const Answer answer = solve(mcp);
  ASSERT_EQ(answer.status, Status::solved);
  EXPECT_THAT(answer.notes, Contains(HasSubstr("gained nonzeros")));
  const Vec one = vec({std::sqrt(6.0) / 2.0, 0, 0, 0.5}), other = vec({1, 0, 3, 0});
  EXPECT_LE(std::min((answer.z - one).norm(), (answer.z - other).norm()),
            1e-5);  // one is degenerate
}

TEST_F(Path, ExceptionsOfTheFunctionComeBack) {
  const Mcp mcp{std::make_shared<Throwing>(), Vec::Zero(1), Vec::Constant(1, inf)};
  EXPECT_THROW(solve(mcp), std::runtime_error);
  EXPECT_EQ(solve(rod(1.0, -1.0)).status, Status::solved);  // and leave the library usable
}

TEST_F(Path, TooLargeWithoutALicence) {
  if (std::getenv("PATH_LICENSE_STRING")) GTEST_SKIP() << "there is a licence";
  SpMat identity(5000, 5000);
  identity.setIdentity();
  const Answer answer = solve(Lcp{identity, Vec::Constant(5000, -1.0)});
  if (answer.status == Status::solved) GTEST_SKIP() << "this library asks for no licence";
  EXPECT_EQ(answer.status, Status::not_applicable);
  EXPECT_THAT(answer.notes, Contains(HasSubstr("PATH_LICENSE_STRING")));
}

TEST_F(Path, EmptyAndThreadsAndSilence) {
  ::testing::internal::CaptureStdout();
  EXPECT_EQ(solve(Lcp{Mat(0, 0), Vec(0)}).status, Status::solved);
  const auto work = [] {
    for (int i = 0; i < 50; ++i) EXPECT_EQ(solve(chair()).status, Status::solved);
  };
  std::thread one(work), other(work);
  one.join();
  other.join();
  EXPECT_THAT(::testing::internal::GetCapturedStdout(), IsEmpty());
}

}  // namespace
}  // namespace touchstone::testing

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "solvers/solver.hpp"
#include "tests/solvers/known_problems.hpp"
#include "tests/solvers/random_problems.hpp"

namespace touchstone::testing {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using ::testing::StartsWith;

std::unique_ptr<Solver> chain_of(const std::string& names) {
  return make_solver("chain", {text("solvers", names, "")});
}

TEST(Chain, EndsAtTheFirstAcceptedAnswerAndSaysSo) {
  const Answer answer =
      make_solver("chain")->solve(Lcp{Mat((Mat(2, 2) << 2, 1, 1, 2).finished()), vec({-5, -6})});
  ASSERT_EQ(answer.status, Status::solved);
  EXPECT_NEAR(answer.z[0], 4.0 / 3.0, 1e-15);
  EXPECT_THAT(answer.notes, ElementsAre(StartsWith("chain: lemke: solved, residual")));
}

TEST(Chain, GoesOnAfterARay) {  // X9: Lemke ends on a ray although 3 + 5 = 8
  const Lcp problem = subset_sum({3, 5, 7}, 8);
  const Answer first = make_solver("lemke")->solve(problem);
  ASSERT_EQ(first.status, Status::ray);
  const Answer answer = chain_of("lemke,enumeration")->solve(problem);
  ASSERT_EQ(answer.status, Status::solved);
  EXPECT_LE(answer.residual.natural, 1e-12);
  EXPECT_TRUE(answer.ray.empty());
  EXPECT_THAT(answer.notes, Contains(StartsWith("chain: lemke: ray, residual")));
  EXPECT_THAT(answer.notes, Contains(StartsWith("chain: enumeration: solved")));
  EXPECT_GE(answer.iterations, first.iterations);
}

TEST(Chain, KeepsTheOrderThatWasAskedFor) {
  const Answer answer = chain_of("enumeration,lemke")->solve(rod(2.0, -3.0));
  ASSERT_EQ(answer.status, Status::solved);
  EXPECT_THAT(answer.notes[0], StartsWith("chain: enumeration: solved"));
  EXPECT_THAT(answer.notes, Not(Contains(HasSubstr("lemke"))));
}

TEST(Chain, PrefersAProofOfInfeasibilityToARay) {  // X2
  for (const char* names : {"lemke,enumeration", "enumeration,lemke"}) {
    const Answer answer = chain_of(names)->solve(rod(-1.0, -9.8));
    EXPECT_EQ(answer.status, Status::infeasible) << names;
    EXPECT_THAT(answer.notes, Contains(StartsWith("chain: lemke: ray"))) << names;
  }
}

TEST(Chain, ReturnsTheRayWhenNothingBetterIsFound) {
  const Answer answer = chain_of("lemke")->solve(rod(-1.0, -9.8));
  EXPECT_EQ(answer.status, Status::ray);
  EXPECT_EQ(answer.ray.direction, vec({1}));
}

TEST(Chain, SkipsWhatDoesNotAcceptTheProblem) {
  Random random(91);
  const Lcp large = positive_definite(random, 60);
  ASSERT_FALSE(make_solver("enumeration")->accepts(large));
  const Answer answer = chain_of("enumeration,lemke")->solve(large);
  ASSERT_EQ(answer.status, Status::solved);
  EXPECT_THAT(answer.notes, Contains("chain: enumeration skipped: does not accept this problem"));
}

TEST(Chain, RefusesWhatNoLinkAccepts) {
  const Problem qp = Qp{Mat::Identity(1, 1), vec({1}), Mat::Identity(1, 1), vec({0}), vec({1})};
  const auto only_lemke = chain_of("lemke");
  EXPECT_FALSE(only_lemke->accepts(qp));
  EXPECT_EQ(only_lemke->solve(qp).status, Status::not_applicable);
}

TEST(Chain, RefusesUnknownNamesAndItself) {
  EXPECT_THROW(chain_of("lemke,lemme"), InputError);
  EXPECT_THROW(chain_of("lemke,chain"), InputError);
}

TEST(Chain, NanIsNeverSolved) {
  Lcp problem{Mat::Identity(2, 2), vec({-1, 1})};
  problem.q[0] = std::nan("");
  EXPECT_EQ(make_solver("chain")->solve(problem).status, Status::not_applicable);
}

TEST(Chain, SolvesTheEmptyProblem) {
  const Answer answer = make_solver("chain")->solve(Lcp{Mat(0, 0), Vec(0)});
  EXPECT_EQ(answer.status, Status::solved);
  EXPECT_EQ(answer.z.size(), 0);
}

// A name in the table that no solver has would only ever be a note.
TEST(Chain, NamesOnlySolversThatExist) {
  const std::vector<Problem> unsolvable{
      Lcp{Mat(Mat::Constant(1, 1, -1.0)), vec({-9.8})},
      Qp{Mat(Mat::Identity(1, 1)), vec({0}), Mat(Mat::Ones(2, 1)), vec({1, -3}), vec({2, -2})},
      FrictionContact{2, Mat(Mat::Zero(2, 2)), vec({-1, 0}), vec({0.5})},
  };
  for (const Problem& problem : unsolvable) {
    const Answer answer = make_solver("chain")->solve(problem);
    EXPECT_NE(answer.status, Status::solved);
    EXPECT_GE(answer.notes.size(), 2u);
    EXPECT_THAT(answer.notes, ::testing::Not(Contains(HasSubstr("not registered"))));
  }
}

TEST(Chain, PassesTheGuessOn) {
  Random random(92);
  const Lcp problem = positive_definite(random, 12);
  const auto chain = make_solver("chain");
  const Answer cold = chain->solve(problem), warm = chain->solve(problem, cold.z);
  ASSERT_EQ(warm.status, Status::solved);
  EXPECT_THAT(warm.notes, Contains("chain: lemke: lemke: warm start"));
}

}  // namespace
}  // namespace touchstone::testing

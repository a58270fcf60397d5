/// Every registered solver on every problem that it accepts.
///
/// A problem with a solution has to be solved, with the known answer, unless the solver is listed
/// with the reason why it fails there (conformance_expected.cpp); one that is listed has to fail. A
/// problem without a solution must not be solved by anyone. Nothing may be written to the standard
/// streams, and no answer may hold NaN.
///
/// TOUCHSTONE_CONFORMANCE_TABLE=1 prints status and residual of each pair.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <set>

#include "solvers/solver.hpp"
#include "tests/solvers/capture.hpp"
#include "tests/solvers/conformance_cases.hpp"
#include "tests/solvers/known_problems.hpp"
#include "tests/solvers/nonlinear_problems.hpp"

namespace touchstone::testing {
namespace {

using ::testing::HasSubstr;

constexpr double inf = std::numeric_limits<double>::infinity();

const std::vector<Case>& cases() {
  static const std::vector<Case> all = conformance_cases();
  return all;
}

double distance(const Vec& a, const Vec& b) {
  if (a.size() != b.size()) return inf;
  if (a.size() == 0) return 0.0;
  return (a - b).cwiseAbs().maxCoeff() / std::max(1.0, b.cwiseAbs().maxCoeff());
}

/// Mz + q of the classes that have one.
Vec value(const Problem& problem, const Vec& z) {
  Vec F;
  if (const Lcp* p = std::get_if<Lcp>(&problem)) p->M.multiply(z, F), F += p->q;
  if (const FrictionContact* p = std::get_if<FrictionContact>(&problem))
    p->W.multiply(z, F), F += p->q;
  return F;
}

/// What is wrong with an answer that claims to be solved; empty when nothing is.
std::string wrong(const Case& one, const Answer& answer) {
  double nearest = one.answers.empty() ? 0.0 : inf;
  for (const Vec& z : one.answers) nearest = std::min(nearest, distance(answer.z, z));
  if (!(nearest <= one.accuracy))
    return fmt::format("z is off the known answers by {:.1e}", nearest);
  if (one.F.size() == 0) return {};
  const double off = distance(value(one.problem, answer.z), one.F);
  return off <= one.accuracy ? std::string()
                             : fmt::format("Mz + q is off the known one by {:.1e}", off);
}

const ExpectedFailure* expected(const std::string& solver, const std::string& name) {
  for (const ExpectedFailure& failure : expected_failures())
    if (failure.solver == solver &&
        std::find(failure.cases.begin(), failure.cases.end(), name) != failure.cases.end())
      return &failure;
  return nullptr;
}

std::string describe(const Answer& answer) {
  std::string text =
      fmt::format("{}, residual {:.1e}", to_string(answer.status), answer.residual.natural);
  for (const std::string& note : answer.notes) text += "; " + note;
  return text;
}

std::vector<std::string> solver_names() { return Registry<SolverEntry>::instance().names(); }

class SolverConformance : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    const std::string reason = Registry<SolverEntry>::instance().find(GetParam()).unavailable;
    if (!reason.empty()) GTEST_SKIP() << GetParam() << ": " << reason;
    solver_ = make_solver(GetParam());
  }
  std::unique_ptr<Solver> solver_;
};

TEST_P(SolverConformance, SolvesWhatItAccepts) {
  int tried = 0;
  std::string table;
  for (const Case& one : cases()) {
    if (!solver_->accepts(one.problem)) continue;
    ++tried;
    Capture capture;
    const Answer answer = solver_->solve(one.problem, {}, one.tolerance);
    EXPECT_EQ(capture.stop(), "") << one.name;
    EXPECT_TRUE(answer.z.allFinite()) << one.name << ": " << describe(answer);
    const bool good = answer.ok() && wrong(one, answer).empty();
    const ExpectedFailure* const failure = expected(GetParam(), one.name);
    table += fmt::format("{} | {} | {}\n", GetParam(), one.name, describe(answer));
    if (!one.solvable) {
      EXPECT_FALSE(answer.ok()) << one.name << " has no solution: " << answer.z.transpose();
    } else if (failure && !failure->on_every_machine) {
      EXPECT_TRUE(good || !answer.ok()) << one.name << ": " << wrong(one, answer);
    } else if (failure) {
      EXPECT_FALSE(good) << one.name << " is an expected failure (" << failure->reason
                         << "), but passes: take it off the list";
      EXPECT_FALSE(answer.ok()) << one.name << ": " << wrong(one, answer);
    } else {
      EXPECT_TRUE(answer.ok()) << one.name << ": " << describe(answer);
      if (answer.ok()) {
        EXPECT_EQ(wrong(one, answer), "") << one.name;
      }
    }
  }
  EXPECT_GT(tried, 0) << "no problem of the collection is for this solver";
  RecordProperty("tried", tried);
  if (std::getenv("TOUCHSTONE_CONFORMANCE_TABLE")) fmt::print("{}", table);
}

/// Problems that are none, with the word that the refusal has to say.
struct Malformed {
  std::string name;
  Problem problem;
  std::string cause;
};

std::vector<Malformed> malformed() {
  const double nan = std::nan("");
  const Mat I = Mat::Identity(2, 2), wide = Mat::Ones(2, 3);
  const Mat bent = (Mat(2, 2) << 1, 0.5, 0, 1).finished();
  Mat poisoned = I, infinite = I;
  poisoned(1, 0) = nan;
  infinite(0, 1) = inf;
  const Vec one = Vec::Ones(2), three = Vec::Ones(3), zero = Vec::Zero(2);
  const auto affine = std::make_shared<Affine>(I, -one);
  std::vector<Malformed> list = {
      {"lcp, q too long", Lcp{I, three}, "M is 2 x 2; expected 3 x 3"},
      {"lcp, M not square", Lcp{wide, one}, "M"},
      {"lcp, NaN in M", Lcp{poisoned, one}, "M"},
      {"lcp, infinite M", Lcp{infinite, one}, "M"},
      {"lcp, NaN in sparse M", Lcp{SpMat(poisoned.sparseView()), one}, "M"},
      {"lcp, NaN in q", Lcp{I, vec({1, nan})}, "q[1]"},
      {"mlcp, l too long", Mlcp{I, one, three, one}, "l"},
      {"mlcp, l above u", Mlcp{I, one, one, zero}, "l[0]"},
      {"mlcp, NaN in u", Mlcp{I, one, zero, vec({nan, 1})}, "u[0]"},
      {"mlcp, M not square", Mlcp{wide, one, zero, one}, "M"},
      {"mcp, no function", Mcp{nullptr, zero, one}, "function"},
      {"mcp, u too long", Mcp{affine, zero, three}, "u"},
      {"mcp, NaN in l", Mcp{affine, vec({0, nan}), one}, "l[1]"},
      {"qp, P not symmetric", Qp{bent, one, I, zero, one}, "P"},
      {"qp, P not square", Qp{wide, one, I, zero, one}, "P"},
      {"qp, A too wide", Qp{I, one, wide, zero, one}, "A"},
      {"qp, infinite c", Qp{I, vec({inf, 0}), I, zero, one}, "c[0]"},
      {"qp, NaN in A", Qp{I, one, poisoned, zero, one}, "A"},
  };
  for (const int dim : {2, 3}) {
    const Mat W = Mat::Identity(dim, dim);
    const Vec q = Vec::Ones(dim), mu = vec({0.5});
    Vec sick = q;
    sick[1] = nan;
    list.push_back({"cone, negative friction", FrictionContact{dim, W, q, vec({-0.5})}, "mu"});
    list.push_back({"cone, NaN in q", FrictionContact{dim, W, sick, mu}, "q[1]"});
    list.push_back({"cone, q too long", FrictionContact{dim, W, Vec::Ones(dim + 1), mu}, "q"});
    list.push_back({"cone, too many mu", FrictionContact{dim, W, q, one}, "mu"});
  }
  return list;
}

TEST_P(SolverConformance, RefusesWhatIsNoProblem) {
  for (const Malformed& one : malformed()) {
    Capture capture;
    const Answer answer = solver_->solve(one.problem);
    EXPECT_EQ(capture.stop(), "") << one.name;
    EXPECT_EQ(answer.status, Status::not_applicable) << one.name;
    ASSERT_EQ(answer.notes.size(), 1u) << one.name;
    if (solver_->accepts(one.problem)) {
      EXPECT_THAT(answer.notes[0], HasSubstr(one.cause)) << one.name;
    }
  }
}

TEST_P(SolverConformance, RefusesAGuessOfAnotherSize) {
  for (const Case& one : cases())
    if (solver_->accepts(one.problem) && unknowns(one.problem) > 0) {
      EXPECT_THROW(solver_->solve(one.problem, Vec::Ones(unknowns(one.problem) + 1)),
                   std::invalid_argument);
      return;
    }
}

INSTANTIATE_TEST_SUITE_P(Solvers, SolverConformance, ::testing::ValuesIn(solver_names()),
                         [](const auto& one) {
                           std::string name = one.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(ConformanceList, NamesOnlySolversAndCasesThatExist) {
  std::set<std::string> names, pairs;
  for (const Case& one : cases())
    EXPECT_TRUE(names.insert(one.name).second) << one.name << " stands there twice";
  for (const ExpectedFailure& failure : expected_failures()) {
    EXPECT_TRUE(Registry<SolverEntry>::instance().contains(failure.solver)) << failure.solver;
    EXPECT_GE(failure.reason.size(), 10u) << failure.solver << ": give the reason";
    for (const std::string& name : failure.cases) {
      EXPECT_TRUE(names.contains(name)) << failure.solver << ": no case '" << name << "'";
      EXPECT_TRUE(pairs.insert(failure.solver + name).second) << failure.solver << ", " << name;
    }
  }
}

}  // namespace
}  // namespace touchstone::testing

/// Siconos' solvers behind the referee: known answers, its traps, and its silence.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <thread>

#include "solvers/solver.hpp"
#include "tests/solvers/capture.hpp"
#include "tests/solvers/known_problems.hpp"
#include "tests/solvers/nonlinear_problems.hpp"
#include "tests/solvers/random_problems.hpp"

namespace touchstone::testing {
namespace {

constexpr double inf = std::numeric_limits<double>::infinity();

const std::vector<std::string> lcp_names = {
    "siconos-avi",   "siconos-enum",      "siconos-lemke",
    "siconos-murty", "siconos-newton-fb", "siconos-newton-min",
    "siconos-pgs",   "siconos-rpgs",      "siconos-newton-min-undamped"};
const std::vector<std::string> mlcp_names = {"siconos-mlcp-enum", "siconos-mlcp-lemke",
                                             "siconos-mlcp-pgs", "siconos-mlcp-rpgs"};
const std::vector<std::string> mcp_names = {"siconos-mcp-fb", "siconos-mcp-min"};
const std::vector<std::string> spatial_names = {"siconos-aclm",   "siconos-admm",  "siconos-eg",
                                                "siconos-fpp",    "siconos-nsgs",  "siconos-nsn-ac",
                                                "siconos-nsn-fb", "siconos-prox",  "siconos-tfp",
                                                "siconos-vi-eg",  "siconos-vi-fpp"};
const std::vector<std::string> planar_names = {"siconos-fc2d-lemke", "siconos-fc2d-nsgs"};

std::vector<std::string> all_names() {
  std::vector<std::string> names;
  for (const auto* list : {&lcp_names, &mlcp_names, &mcp_names, &spatial_names, &planar_names})
    names.insert(names.end(), list->begin(), list->end());
  return names;
}

std::string reason() { return Registry<SolverEntry>::instance().find("siconos-lemke").unavailable; }

class Siconos : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!reason().empty()) GTEST_SKIP() << reason();
  }
};

/// W = HᵀH of contacts of one body, q of a body that falls and slides.
FrictionContact contacts(Random& random, int count, int dim) {
  const Mat H = random.matrix(dim == 3 ? 6 : 3, dim * count);
  FrictionContact problem;
  problem.dim = dim;
  problem.W = H.transpose() * H;
  problem.q = H.transpose() * random.vector(H.rows());
  problem.mu = Vec::Constant(count, 0.4);
  return problem;
}

/// A mass on the ground, pushed sideways: sticks below μ, slides above. r and u are known.
FrictionContact block(double push) {
  FrictionContact problem;
  problem.W = Mat(Mat::Identity(3, 3) * 0.5);
  problem.q = vec({-1.0, push, 0.0});
  problem.mu = vec({0.5});
  return problem;
}

TEST(SiconosEntries, AreThereWithOrWithoutTheLibrary) {
  for (const std::string& name : all_names()) {
    const SolverEntry& entry = Registry<SolverEntry>::instance().find(name);
    EXPECT_TRUE(entry.make) << name;
    if (!entry.unavailable.empty()) {
      EXPECT_NE(entry.unavailable.find("libsiconos-numerics-dev"), std::string::npos);
      EXPECT_THROW(make_solver(name), InputError);
    }
  }
}

// M = −1, q = −9.8 has no solution; Siconos by default answers z = −9.8 with success.
TEST_F(Siconos, FindsNoSolutionWhereThereIsNone) {
  for (const std::string& name : lcp_names) {
    const Answer answer = make_solver(name)->solve(rod(-1.0, -9.8));
    EXPECT_NE(answer.status, Status::solved) << name;
    EXPECT_GT(answer.residual.natural, 1.0) << name;
  }
}

TEST_F(Siconos, SolvesProblemsOfSizeOneAndZero) {
  for (const std::string& name : lcp_names) {
    const auto solver = make_solver(name);
    const Answer one = solver->solve(rod(2.0, -9.8));
    EXPECT_EQ(one.status, Status::solved) << name;
    EXPECT_NEAR(one.z[0], 4.9, 1e-9) << name;
    EXPECT_EQ(solver->solve(Lcp{Mat(0, 0), Vec(0)}).status, Status::solved) << name;
  }
}

TEST_F(Siconos, SolvesPositiveDefiniteLcps) {
  for (const std::string& name : lcp_names) {
    Random random(11);
    const auto solver = make_solver(name), oracle = make_solver("lemke");
    int solved = 0;
    for (int trial = 0; trial < 20; ++trial) {
      const Lcp problem = positive_definite(random, random.integer(1, 8));
      const Answer answer = solver->solve(problem);
      if (!answer.ok()) continue;
      ++solved;
      EXPECT_LE((answer.z - oracle->solve(problem).z).lpNorm<Eigen::Infinity>(), 1e-8) << name;
    }
    EXPECT_EQ(solved, 20) << name;
    RecordProperty(name, solved);
  }
}

// The legs of the chair carry 1/4 each on average; forces are not unique, their sum is.
TEST_F(Siconos, SolvesTheRankDeficientChair) {
  for (const char* name : {"siconos-lemke", "siconos-pgs", "siconos-rpgs"}) {
    const Answer answer = make_solver(name)->solve(chair());
    ASSERT_EQ(answer.status, Status::solved) << name;
    EXPECT_NEAR(answer.z.sum(), 1.0, 1e-8) << name;
  }
}

TEST_F(Siconos, NeverCallsNanSolved) {
  Random random(5);
  const Contacts system = spatial_contacts(random, 2, 6, 4, true);
  const Lcp problem = stewart_trinkle(system, random.vector(12));
  for (const std::string& name : lcp_names) {
    const auto solver = make_solver(name);
    if (!solver->accepts(problem)) continue;
    const Answer answer = solver->solve(problem);
    if (answer.ok()) {
      EXPECT_TRUE(answer.z.allFinite()) << name;
      EXPECT_LE(answer.residual.natural, 1e-9) << name;
    }
  }
}

// Free, lower, upper and boxed rows in one problem whose answer was chosen first.
TEST_F(Siconos, SolvesMixedProblemsBuiltBackwards) {
  Random random(7);
  for (const std::string& name : mlcp_names) {
    const auto solver = make_solver(name);
    int solved = 0;
    for (int trial = 0; trial < 10; ++trial) {
      const Mat B = random.matrix(6, 6);
      const Mat M = B * B.transpose() + Mat::Identity(6, 6);
      Mlcp problem{M, Vec(), vec({-inf, -inf, 0.0, -inf, -1.0, -1.0}),
                   vec({inf, inf, inf, 2.0, 1.0, 1.0})};
      const Vec z = vec({0.3, -0.7, 0.0, 2.0, 1.0, 0.2});
      const Vec F = vec({0.0, 0.0, 0.5, -0.4, -0.3, 0.0});
      problem.q = F - M * z;
      if (name == "siconos-mlcp-pgs") {  // takes no boxes: those two rows become one-sided
        EXPECT_FALSE(solver->accepts(problem));
        problem.l[4] = -inf;
        problem.u[5] = inf;
      }
      const Answer answer = solver->solve(problem);
      if (!answer.ok()) continue;
      ++solved;
      EXPECT_LE((answer.z - z).lpNorm<Eigen::Infinity>(), 1e-8) << name;
    }
    EXPECT_GE(solved, 9) << name;
  }
}

TEST_F(Siconos, SolvesANonlinearMixedProblem) {
  for (const std::string& name : mcp_names) {
    const auto solver = make_solver(name);
    const Mcp problem{std::make_shared<Curved>(), vec({-inf, 0.0}), vec({inf, inf})};
    const Answer answer = solver->solve(problem);
    ASSERT_EQ(answer.status, Status::solved) << name;
    const double z1 = 0.5 * (-1.25 + std::sqrt(1.25 * 1.25 + 7.0));  // z₁² + 1.25z₁ − 1.75 = 0
    EXPECT_NEAR(answer.z[1], z1, 1e-9) << name;
    EXPECT_NEAR(answer.z[0], 1.0 + z1, 1e-9) << name;
    // u₁ below the root: z₁ = u₁ and F₁ < 0; from above only: the same bound by itself.
    for (const double lower : {0.0, -inf}) {
      const Mcp bounded{std::make_shared<Curved>(), vec({-inf, lower}), vec({inf, 0.25})};
      const Answer at_bound = solver->solve(bounded);
      ASSERT_EQ(at_bound.status, Status::solved) << name << ", l = " << lower;
      EXPECT_NEAR(at_bound.z[1], 0.25, 1e-9) << name;
      EXPECT_NEAR(at_bound.z[0], 1.25, 1e-9) << name;
    }
  }
}

TEST_F(Siconos, SaysWhyAFunctionCouldNotBeEvaluated) {
  for (const std::string& name : mcp_names)
    for (const bool throws : {true, false}) {
      const Mcp problem{std::make_shared<Broken>(throws), vec({0.0}), vec({inf})};
      // The data scale of the problem is evaluated by the layer itself, outside every solver.
      if (throws) {
        EXPECT_THROW(make_solver(name)->solve(problem), std::runtime_error) << name;
      } else {
        const Answer answer = make_solver(name)->solve(problem);
        EXPECT_NE(answer.status, Status::solved) << name;
        ASSERT_FALSE(answer.notes.empty()) << name;
        EXPECT_NE(answer.notes[0].find("not finite"), std::string::npos) << answer.notes[0];
      }
    }
}

TEST_F(Siconos, KnowsWhenABlockSticksAndSlides) {
  for (const std::string& name : spatial_names) {
    const auto solver = make_solver(name);
    const Answer sticks = solver->solve(block(0.5));  // |0.5| < μ·1
    ASSERT_EQ(sticks.status, Status::solved) << name;
    EXPECT_LE((sticks.z - Vec(vec({2.0, -1.0, 0.0}))).lpNorm<Eigen::Infinity>(), 1e-8) << name;
    const Answer slides = solver->solve(block(2.0));
    ASSERT_EQ(slides.status, Status::solved) << name;
    EXPECT_LE((slides.z - Vec(vec({2.0, -1.0, 0.0}))).lpNorm<Eigen::Infinity>(), 1e-8) << name;
  }
}

TEST_F(Siconos, AgreesOnTheVelocitiesOfFrictionContact) {
  for (const auto& [names, dim] : {std::pair{&spatial_names, 3}, std::pair{&planar_names, 2}})
    for (const std::string& name : *names) {
      Random random(21);
      const auto solver = make_solver(name);
      const auto reference = make_solver(dim == 3 ? "siconos-nsgs" : "siconos-fc2d-nsgs");
      int solved = 0;
      for (int trial = 0; trial < 6; ++trial) {
        const FrictionContact problem = contacts(random, 2, dim);
        const Answer answer = solver->solve(problem), other = reference->solve(problem);
        if (!answer.ok() || !other.ok()) continue;
        ++solved;
        const Vec difference = problem.W.dense() * (answer.z - other.z);
        EXPECT_LE(difference.lpNorm<Eigen::Infinity>(), 1e-6) << name;
      }
      RecordProperty(name, solved);
      EXPECT_GE(solved, 1) << name;
    }
}

// Siconos divides residuals by norms of the data and of the answer; the referee does not.
TEST_F(Siconos, StopsByTheRefereesResidualWhateverTheScale) {
  for (const double scale : {1e-6, 1.0, 1e6}) {
    FrictionContact problem = block(0.7);
    problem.q *= scale;
    const Tolerance tolerance{.absolute = 0.0, .relative = 1e-10};
    const Answer answer = make_solver("siconos-nsgs")->solve(problem, {}, tolerance);
    EXPECT_EQ(answer.status, Status::solved) << scale;
    EXPECT_LE(answer.residual.natural, 1e-10 * scale * 1.0001) << scale;
  }
}

TEST_F(Siconos, WritesNothing) {
  Random random(31);
  const Contacts system = spatial_contacts(random, 1, 3, 4, true);
  const std::vector<Lcp> lcps = {rod(-1.0, -9.8),
                                 chair(),
                                 {Mat::Zero(3, 3), Vec::Constant(3, -1.0)},
                                 {Mat::Constant(2, 2, 1.0), vec({-1.0, -2.0})},
                                 rank_deficient(random, 6),
                                 stewart_trinkle(system, random.vector(6))};
  FrictionContact hopeless = block(1.0);
  hopeless.W = Mat::Zero(3, 3).eval();
  Mlcp mixed{Mat::Zero(2, 2), vec({-1.0, -1.0}), vec({-inf, 0.0}), vec({inf, inf})};
  const Mcp broken{std::make_shared<Broken>(false), vec({0.0}), vec({inf})};
  FrictionContact flat = contacts(random, 2, 2);

  std::string statuses;
  Capture capture;
  for (const std::string& name : all_names()) {
    const auto solver = make_solver(name, {integer("max_iterations", 50, "1", "")});
    for (const Lcp& problem : lcps)
      if (solver->accepts(problem)) statuses += to_string(solver->solve(problem).status);
    for (const Problem& problem :
         {Problem(hopeless), Problem(block(1.0)), Problem(mixed), Problem(broken), Problem(flat)})
      if (solver->accepts(problem)) statuses += to_string(solver->solve(problem).status);
  }
  const std::string written = capture.stop();
  EXPECT_EQ(written, "");
  EXPECT_FALSE(statuses.empty());
}

// Siconos asserts that a contact can be moved: the child dies, the program does not.
TEST_F(Siconos, OutlivesAnAssertionOfTheLibrary) {
  FrictionContact problem = block(1.0);
  problem.W = Mat::Zero(3, 3).eval();
  const Answer answer = make_solver("siconos-nsgs")->solve(problem);
  EXPECT_EQ(answer.status, Status::inaccurate);
  ASSERT_FALSE(answer.notes.empty());
  EXPECT_NE(answer.notes[0].find("signal"), std::string::npos) << answer.notes[0];
}

// The same answer from a child and from the program itself.
TEST_F(Siconos, AnswersTheSameInAChildAndHere) {
  Random random(3);
  const Lcp problem = positive_definite(random, 8);
  for (const char* name : {"siconos-lemke", "siconos-rpgs"}) {
    const Answer here = make_solver(name, {flag("child_process", false, "")})->solve(problem);
    const Answer there = make_solver(name, {flag("child_process", true, "")})->solve(problem);
    ASSERT_TRUE(here.ok()) << name;
    EXPECT_EQ(here.z, there.z) << name;
    EXPECT_EQ(here.iterations, there.iterations) << name;
  }
}

TEST_F(Siconos, ServesSeveralThreads) {
  std::vector<int> solved(4, 0);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < solved.size(); ++t)
    threads.emplace_back([t, &solved] {
      Random random(t);
      const auto lemke = make_solver("siconos-lemke"), newton = make_solver("siconos-nsn-ac");
      for (int trial = 0; trial < 10; ++trial) {
        solved[t] += lemke->solve(positive_definite(random, 5)).ok() ? 1 : 0;
        solved[t] += newton->solve(block(0.1 * trial)).ok() ? 1 : 0;
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(solved, std::vector<int>(4, 20));
}

TEST_F(Siconos, RefusesWhatItCannotTake) {
  FrictionContact flat = block(1.0);
  EXPECT_EQ(make_solver("siconos-fc2d-nsgs")->solve(flat).status, Status::not_applicable);
  EXPECT_EQ(make_solver("siconos-enum")->solve(Lcp{Mat::Identity(17, 17), Vec::Ones(17)}).status,
            Status::not_applicable);
  Lcp sick = chair();
  sick.q[2] = std::nan("");
  for (const std::string& name : lcp_names)
    EXPECT_EQ(make_solver(name)->solve(sick).status, Status::not_applicable) << name;
}

}  // namespace
}  // namespace touchstone::testing

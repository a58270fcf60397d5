#include <gmock/gmock.h>

#include "solvers/fclib.hpp"
#include "solvers/problem_file.hpp"
#include "solvers/referee.hpp"
#include "solvers/solver.hpp"
#include "tests/experiments/command_line.hpp"
#include "tests/experiments/records.hpp"

/// Problems leave a run as files and come back to be judged.

namespace touchstone::cli {
namespace {

using testing::HasSubstr;

std::string example(const std::string& name) {
  return (fs::path(TOUCHSTONE_SOURCE_DIR) / "experiments/scenes" / name).string();
}

TEST(Export, WritesTheProblemOfAStep) {
  const TempFolder root;
  const std::string file = (root / "step.json").string();
  const Outcome outcome = touchstone(
      root.path(), {"export", "rolling-disc", "--set", "edges=20", "--step", "3", "--out", file});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const Problem problem = read_problem(file);
  ASSERT_EQ(problem_class(problem), "lcp");
  EXPECT_EQ(unknowns(problem) % 4, 0);  // p_n, two directions and σ per candidate
  EXPECT_GT(unknowns(problem), 0);
  EXPECT_EQ(make_solver("lemke")->solve(problem).status, Status::solved);
}

// The exact-cone problem of a body at rest: each of four corners falls with gh; μ is the scene's.
TEST(Export, WritesTheExactConeProblem) {
  const TempFolder root;
  const std::string file = (root / "cone.json").string();
  const Outcome outcome = touchstone(root.path(), {"export", example("box-stack.toml"), "--cone",
                                                   "--set", "mu=0.3", "--out", file});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const FrictionContact problem = std::get<FrictionContact>(read_problem(file));
  ASSERT_EQ(problem.dim, 3);
  ASSERT_GE(problem.mu.size(), 4);
  EXPECT_EQ(problem.q.size(), 3 * problem.mu.size());
  const Mat W = problem.W.to_dense();
  EXPECT_LT((W - W.transpose()).norm(), 1e-12 * W.norm());
  EXPECT_GT(Eigen::SelfAdjointEigenSolver<Mat>(W).eigenvalues()[0], -1e-10);
}

TEST(Export, WritesFclibFilesThatSolveReadsBack) {
  if (!fclib_available()) GTEST_SKIP() << fclib_unavailable();
  const TempFolder root;
  const std::string hdf5 = (root / "cone.hdf5").string(), json = (root / "cone.json").string();
  for (const std::string& file : {hdf5, json})
    ASSERT_EQ(
        touchstone(root.path(), {"export", example("box-stack.toml"), "--cone", "--out", file})
            .code,
        0);
  const FrictionContact a = read_fclib(hdf5), b = std::get<FrictionContact>(read_problem(json));
  EXPECT_EQ(a.W.to_dense(), b.W.to_dense());
  EXPECT_EQ(a.q, b.q);
  EXPECT_EQ(a.mu, b.mu);
  const Outcome solved = touchstone(root.path(), {"solve", hdf5, "--solver", "nsgs"});
  EXPECT_EQ(solved.code, 0) << solved.out;
  const Outcome lcp = touchstone(root.path(), {"export", "rolling-disc", "--out", hdf5});
  EXPECT_EQ(lcp.code, 2);
  EXPECT_THAT(lcp.err, HasSubstr("--cone"));
}

TEST(Export, RefusesWhatHasNoProblem) {
  const TempFolder root;
  const Outcome outcome = touchstone(root.path(), {"export", "rolling-disc", "--formulation",
                                                   "penalty", "--out", (root / "p.json").string()});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("no problem to export"));
  EXPECT_FALSE(fs::exists(root / "p.json"));
  const Outcome torsion = touchstone(root.path(), {"export", example("spinning-sphere.toml"),
                                                   "--cone", "--out", (root / "p.json").string()});
  EXPECT_EQ(torsion.code, 2);
  EXPECT_THAT(torsion.err, HasSubstr("e_r = 0"));
}

TEST(Solve, JudgesAFileAndTellsARayFromASolution) {
  const TempFolder root;
  put(root / "good.json",
      R"({"class": "lcp", "M": {"rows": 2, "cols": 2, "dense": [2, 1, 1, 2]}, "q": [-5, -6]})");
  put(root / "ray.json",
      R"({"class": "lcp", "M": {"rows": 1, "cols": 1, "dense": [-1]}, "q": [-9.8]})");
  const auto solve = [&](const char* name) {
    return touchstone(root.path(), {"solve", (root / name).string(), "--solver", "lemke"});
  };
  const Outcome good = solve("good.json");
  EXPECT_EQ(good.code, 0);
  EXPECT_THAT(good.out, HasSubstr("solved"));
  const Outcome ray = solve("ray.json");
  EXPECT_EQ(ray.code, 1);
  EXPECT_THAT(ray.out, HasSubstr("ray"));
  const Outcome missing = solve("missing.json");
  EXPECT_EQ(missing.code, 2);
  EXPECT_THAT(missing.err, HasSubstr("missing.json"));
}

}  // namespace
}  // namespace touchstone::cli

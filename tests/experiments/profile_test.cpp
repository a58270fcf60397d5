/// Dumps, collections and the profile command, as a user meets them.

#include <gmock/gmock.h>

#include "experiments/profile/collection.hpp"
#include "experiments/profile/runner.hpp"
#include "solvers/collections/families.hpp"
#include "solvers/fclib.hpp"
#include "solvers/solver.hpp"
#include "tests/experiments/command_line.hpp"
#include "tests/experiments/records.hpp"

namespace touchstone::cli {
namespace {

using testing::HasSubstr;

std::string scene(const std::string& name) {
  return (fs::path(TOUCHSTONE_SOURCE_DIR) / "experiments/scenes" / name).string();
}

Words rolling_disc(const TempFolder& root, const std::string& dump, const Words& more = {}) {
  Words words{"run",          "rolling-disc", "--set",  "t_end=0.1",  "--out",
              (root / "run"), "--rerun",      "--dump", (root / dump)};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

TEST(Families, ArePosedSoundlyAndReproducibly) {
  for (const FamilyEntry* family : Registry<FamilyEntry>::instance().all())
    for (const int k : {0, 3}) {
      const Problem problem = family->make(k), again = family->make(k);
      EXPECT_EQ(defect(problem), "") << family->name;
      EXPECT_GT(unknowns(problem), 0) << family->name;
      const Answer answer = make_solver("chain")->solve(problem);
      EXPECT_EQ(answer.status, Status::solved) << family->name << " " << k;
      EXPECT_EQ(residual(again, answer.z).natural, answer.residual.natural) << family->name;
    }
}

TEST(Dump, WritesTheStepsThatAskForContactWithTheirOrigin) {
  const TempFolder root;
  const Outcome outcome = touchstone(
      root.path(), rolling_disc(root, "steps", {"--set", "edges=20", "--dump-every", "3"}));
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const Json index = Json::parse(content(root / "steps/index.json"));
  EXPECT_EQ(index["target"], "rolling-disc");
  EXPECT_EQ(index["run"]["parameters"]["edges"], 20);
  EXPECT_EQ(index["problems"][1]["step"], 4);
  const auto items = open_collection((root / "steps").string());
  ASSERT_GE(items.size(), 3u);
  for (const Item& item : items)
    EXPECT_EQ(make_solver("lemke")->solve(item.load().problem).status, Status::solved);
  EXPECT_TRUE(unfinished_below(root.path()).empty());
}

TEST(Dump, IsTheSameTwiceAndLeavesTheRunAsItWas) {
  const TempFolder root;
  const Words formulation{"--set", "edges=20"};
  ASSERT_EQ(touchstone(root.path(), rolling_disc(root, "a", formulation)).code, 0);
  const std::string with = content(root / "run/trajectory.csv");
  ASSERT_EQ(touchstone(root.path(), rolling_disc(root, "b", formulation)).code, 0);
  ASSERT_EQ(files_below(root / "a"), files_below(root / "b"));
  for (const std::string& file : files_below(root / "a"))
    EXPECT_EQ(content(root / "a" / file), content(root / "b" / file)) << file;
  ASSERT_EQ(touchstone(root.path(), {"run", "rolling-disc", "--set", "t_end=0.1", "--set",
                                     "edges=20", "--out", root / "run", "--rerun"})
                .code,
            0);
  EXPECT_EQ(content(root / "run/trajectory.csv"), with);
}

TEST(Dump, WritesExactConesAsFclibFiles) {
  if (!fclib_available()) GTEST_SKIP() << fclib_unavailable();
  const TempFolder root;
  for (const char* name : {"a", "b"}) {
    const Outcome outcome =
        touchstone(root.path(), {"simulate", scene("box-stack.toml"), "--set", "t_end=0.03",
                                 "--out", root / "run", "--dump", root / name, "--cone"});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
  }
  const Words files = files_below(root / "a");
  ASSERT_GE(files.size(), 3u);
  for (const std::string& file : files)
    EXPECT_EQ(content(root / "a" / file), content(root / "b" / file))
        << file << ": no dates inside";
  const Posed posed = open_collection((root / "a").string()).front().load();
  EXPECT_EQ(problem_class(posed.problem), "friction-contact");
}

// A nonlinear problem is not written as numbers; its step is posed again from the state.
TEST(Dump, PosesNonlinearStepsAgain) {
  const TempFolder root;
  const Outcome outcome =
      touchstone(root.path(), {"run", "rolling-disc", "--formulation", "geometric-ncp", "--set",
                               "t_end=0.05", "--out", root / "run", "--dump", root / "steps"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto items = open_collection((root / "steps").string());
  ASSERT_GE(items.size(), 2u);
  const Posed posed = items[1].load();
  ASSERT_EQ(problem_class(posed.problem), "mcp");
  EXPECT_EQ(unknowns(posed.problem), 9);
  EXPECT_EQ(make_solver("newton-fb")->solve(posed.problem, posed.start).status, Status::solved);
}

TEST(Dump, RefusesWhatHasNoProblemsAndFoldersOfOthers) {
  const TempFolder root;
  const Outcome penalty =
      touchstone(root.path(), rolling_disc(root, "steps", {"--formulation", "penalty"}));
  EXPECT_EQ(penalty.code, 2);
  EXPECT_THAT(penalty.err, HasSubstr("no problem per step"));
  put(root / "mine/letter.txt", "dear");
  const Outcome foreign =
      touchstone(root.path(), rolling_disc(root, "mine", {"--set", "edges=20"}));
  EXPECT_EQ(foreign.code, 2);
  EXPECT_THAT(foreign.err, HasSubstr("--dump"));
  EXPECT_EQ(content(root / "mine/letter.txt"), "dear");
}

TEST(Profile, ComparesSolversAndResumes) {
  const TempFolder root;
  const Words words{"profile",
                    "random:stewart-trinkle:6",
                    "random:planar-cone:3",
                    "--solvers",
                    "lemke,chain,newton-*,nsgs",
                    "--repeats",
                    "1",
                    "--out",
                    root / "p"};
  const Outcome first = touchstone(root.path(), words);
  ASSERT_EQ(first.code, 0) << first.err << first.out;
  EXPECT_THAT(first.out, HasSubstr("same bits as"));  // the chain stops at its first link
  EXPECT_THAT(first.out, HasSubstr("lcp: 6 problems"));
  EXPECT_THAT(first.out, HasSubstr("friction-contact: "));
  const std::string rows = content(root / "p/rows.csv");
  const Outcome second = touchstone(root.path(), words);
  EXPECT_THAT(second.out, HasSubstr("45 of them already on disk"));
  EXPECT_EQ(content(root / "p/rows.csv"), rows);
  const Json about = Json::parse(content(root / "p/profile.json"));
  EXPECT_EQ(about["common_problems"]["lcp"], 6);
  Words other = words;
  other.insert(other.end(), {"--tolerance", "1e-6"});
  const Outcome refused = touchstone(root.path(), other);
  EXPECT_EQ(refused.code, 2);
  EXPECT_THAT(refused.err, HasSubstr("other settings"));
}

TEST(Profile, NamesWhatItDoesNotKnow) {
  const TempFolder root;
  const auto error = [&](const Words& more) {
    Words words{"profile", "--out", root / "p"};
    words.insert(words.end(), more.begin(), more.end());
    const Outcome outcome = touchstone(root.path(), words);
    EXPECT_EQ(outcome.code, 2);
    return outcome.err;
  };
  EXPECT_THAT(error({"random:stewart"}), HasSubstr("stewart-trinkle"));
  EXPECT_THAT(error({"random:cone:0"}), HasSubstr("number of problems"));
  EXPECT_THAT(error({"nothing.hdf5"}), HasSubstr("no such file"));
  EXPECT_THAT(error({"random:cone", "--solvers", "lemk"}), HasSubstr("lemke"));
  EXPECT_THAT(error({"random:cone", "--solvers", "zz*"}), HasSubstr("no solver"));
  EXPECT_THAT(error({"random:cone", "--class", "lcps"}), HasSubstr("lcp"));
  EXPECT_FALSE(fs::exists(root / "p"));
}

TEST(Profile, PatternsMatchNames) {
  EXPECT_TRUE(matches("siconos-lemke", "siconos-*"));
  EXPECT_TRUE(matches("siconos-lemke", "*lemke"));
  EXPECT_TRUE(matches("newton-fb", "n*-*b"));
  EXPECT_FALSE(matches("newton-fb", "newton"));
  EXPECT_FALSE(matches("pgs", "*lemke"));
}

}  // namespace
}  // namespace touchstone::cli

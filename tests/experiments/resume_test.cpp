#include <gmock/gmock.h>
#include <sys/stat.h>

#include "tests/experiments/records.hpp"

/// Results on disk are used again when they are whole and of the same inputs and code, and only
/// then.

namespace touchstone::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

const Words small{"--set", "edges=8", "--set", "t_end=0.1"};

/// A folder with one finished run of `small`.
class Resume : public testing::Test {
 protected:
  Resume() : run(root / "run") { run_disc(root, run, small); }

  /// A rerun writes a new file while the old one still exists: their inodes differ.
  ino_t identity() const {
    struct stat info {};
    EXPECT_EQ(::stat((run / "steps.csv").c_str(), &info), 0) << run;
    return info.st_ino;
  }

  void expect_found(const Words& choice) {
    const ino_t before = identity();
    EXPECT_THAT(run_disc(root, run, choice).out, HasSubstr("already on disk"));
    EXPECT_EQ(identity(), before);
  }

  void expect_rerun(const Words& choice) {
    const ino_t before = identity();
    EXPECT_THAT(run_disc(root, run, choice).out, Not(HasSubstr("already on disk")));
    EXPECT_NE(identity(), before);
    EXPECT_THAT(unfinished_below(root.path()), testing::IsEmpty());
    EXPECT_EQ(files_below(run), (Words{"bodies.json", "contacts.csv", "energy.csv", "oracle.csv",
                                       "run.json", "steps.csv", "summary.json", "trajectory.csv"}));
    EXPECT_EQ(read_json(run / "run.json").at("status"), "completed");
    EXPECT_EQ(read_json(run / "summary.json").at("status"), "completed");
  }

  /// Changes one value of run.json in place.
  void edit(const std::string& key, const Json& value) {
    Json json = read_json(run / "run.json");
    ASSERT_TRUE(json.contains(key));
    json[key] = value;
    put(run / "run.json", json.dump(2));
  }

  TempFolder root;
  fs::path run;
};

TEST_F(Resume, UsesAnIdenticalRun) {
  const std::string before = content(run / "run.json");
  expect_found(small);
  EXPECT_EQ(content(run / "run.json"), before) << "wall time included";
}

TEST_F(Resume, KnowsTheSameParametersInAnyOrderAndSpelling) {
  expect_found({"--set", "t_end=0.10", "--set", "edges=8", "--formulation", "stewart-trinkle",
                "--solver", "lemke"});
}

TEST_F(Resume, ShowsTheSameTable) {
  const std::string fresh = run_disc(root, run, {"--set", "edges=9", "--set", "t_end=0.1"}).out;
  const std::string found = run_disc(root, run, {"--set", "edges=9", "--set", "t_end=0.1"}).out;
  const std::string table = fresh.substr(0, fresh.find("\n\n"));
  EXPECT_THAT(table, HasSubstr("edges=9"));
  EXPECT_EQ(found.substr(0, found.find("\n\n")), table);
}

TEST_F(Resume, RunsAgainForAnotherParameter) {
  expect_rerun({"--set", "edges=9", "--set", "t_end=0.1"});
  EXPECT_EQ(read_json(run / "run.json").at("parameters").at("edges"), 9);
}

TEST_F(Resume, RunsAgainForAnotherFormulation) {
  expect_rerun({"--set", "edges=8", "--set", "t_end=0.1", "--formulation", "penalty"});
}

TEST_F(Resume, RunsAgainForAnotherSolver) {
  expect_rerun({"--set", "edges=8", "--set", "t_end=0.1", "--solver", "enumeration"});
}

TEST_F(Resume, RunsAgainForOtherSettingsOfTheSolver) {
  expect_rerun({"--set", "edges=8", "--set", "t_end=0.1", "--set", "solver.max_iterations=100"});
}

TEST_F(Resume, RunsAgainWhenAsked) {
  Words again = small;
  again.push_back("--rerun");
  expect_rerun(again);
}

TEST_F(Resume, RunsAgainWhenTheRunFailed) {
  edit("status", "failed at t = 0.05: the solver reports ray (residual 1)");
  expect_rerun(small);
}

TEST_F(Resume, RunsAgainForOtherSourcesOrCompiler) {
  edit("sources", "0123456789abcdef");
  expect_rerun(small);
  edit("compiler", "another compiler");
  expect_rerun(small);
}

struct Damage {
  std::string name, text;
};

void PrintTo(const Damage& damage, std::ostream* out) { *out << damage.name; }

class DamagedRunJson : public Resume, public testing::WithParamInterface<Damage> {};

TEST_P(DamagedRunJson, RunsAgain) {
  put(run / "run.json", GetParam().text);
  expect_rerun(small);
}

INSTANTIATE_TEST_SUITE_P(Texts, DamagedRunJson,
                         testing::Values(Damage{"empty", ""}, Damage{"cut", R"({"study": "rol)"},
                                         Damage{"list", "[]"}, Damage{"null", "null"},
                                         Damage{"no_keys", "{}"},
                                         Damage{"status_is_a_number", R"({"status": 7})"}),
                         [](const auto& instance) { return instance.param.name; });

TEST_F(Resume, RunsAgainWithoutSummary) {
  fs::remove(run / "summary.json");
  expect_rerun(small);
}

TEST_F(Resume, RunsAgainWithADamagedSummary) {
  put(run / "summary.json", "{\"status\": \"comp");
  expect_rerun(small);
}

TEST_F(Resume, RunsAgainWithoutATable) {
  fs::remove(run / "energy.csv");
  expect_rerun(small);
}

TEST(ResumedRun, ThatFailsIsTriedAgain) {
  const TempFolder root;
  const Words hopeless{"--set", "edges=100", "--set", "solver.max_iterations=1"};
  run_disc(root, root / "run", hopeless, 1);
  EXPECT_THAT(run_disc(root, root / "run", hopeless, 1).out, Not(HasSubstr("already on disk")));
}

TEST(ResumedScene, RunsAgainOnlyWhenItsFileChanged) {
  const TempFolder root;
  const fs::path scene = root / "mine.toml";
  const std::string text = content(TOUCHSTONE_SOURCE_DIR "/experiments/scenes/bouncing-ball.toml");
  put(scene, text);
  const Words command{"simulate", scene, "--set", "t_end=0.1", "--out", root / "run"};
  EXPECT_THAT(touchstone(root.path(), command).out, Not(HasSubstr("already on disk")));
  EXPECT_THAT(touchstone(root.path(), command).out, HasSubstr("already on disk"));
  put(scene, text + "velocity = [1.0, 0.0]\n");
  EXPECT_THAT(touchstone(root.path(), command).out, Not(HasSubstr("already on disk")));
  EXPECT_EQ(read_csv(root / "run/trajectory.csv").number(0, "ball.vx"), 1.0);
}

TEST(ResumedSweep, RunsOnlyWhatIsNew) {
  const TempFolder root;
  const auto sweep = [&](const std::string& values) {
    const Outcome outcome =
        touchstone(root.path(), {"sweep", "rolling-disc", "--set", "t_end=0.1", "--vary",
                                 "edges=" + values, "--out", root / "out"});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return outcome.out;
  };
  EXPECT_THAT(sweep("6,8"), HasSubstr("0 of 2 runs were already on disk"));
  EXPECT_THAT(sweep("6,8"), HasSubstr("2 of 2 runs were already on disk"));
  EXPECT_THAT(sweep("6,8,10"), HasSubstr("2 of 3 runs were already on disk"));
  EXPECT_EQ(read_csv(root / "out/sweep.csv").rows.size(), 3u);
}

}  // namespace
}  // namespace touchstone::cli

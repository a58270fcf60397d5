#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "tests/experiments/command_line.hpp"

/// Ctrl-C in the middle of work: a message, exit code 130, whole results or none, and the same
/// command finishes the work later.

namespace touchstone::cli {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

Words long_run(const fs::path& out) {
  return {"run",   "rolling-disc", "--set", "edges=1000",
          "--set", "h=0.00001",    "--out", out.string()};
}

/// Starts the command, waits for `sign` that work has begun, and sends the signal.
Outcome interrupted(const fs::path& root, const Words& command, const fs::path& sign, int signal) {
  Program program(root, command);
  EXPECT_TRUE(wait_until([&] { return fs::exists(sign); })) << "no " << sign;
  EXPECT_TRUE(wait_until([&] { return program.catches(signal); })) << "no handler";
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  program.signal(signal);
  return program.finish(10.0);
}

class Interruption : public testing::TestWithParam<int> {};

TEST_P(Interruption, OfARunLeavesNothing) {
  const TempFolder root;
  const fs::path parent = root / "made", out = parent / "run";  // made just before the run starts
  const Outcome outcome = interrupted(root.path(), long_run(out), parent, GetParam());
  EXPECT_EQ(outcome.code, 130) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("touchstone: interrupted"));
  EXPECT_THAT(outcome.out, IsEmpty());
  EXPECT_THAT(files_below(root.path()), IsEmpty());
  EXPECT_THAT(unfinished_below(root.path()), IsEmpty());
  EXPECT_FALSE(fs::exists(out));

  Words again = long_run(out);
  again.insert(again.end(), {"--set", "t_end=0.001"});
  const Outcome second = touchstone(root.path(), again);
  EXPECT_EQ(second.code, 0) << second.err;
  EXPECT_TRUE(fs::exists(out / "summary.json"));
  EXPECT_THAT(unfinished_below(root.path()), IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(Signals, Interruption, testing::Values(SIGINT, SIGTERM),
                         [](const auto& instance) {
                           return instance.param == SIGINT ? "INT" : "TERM";
                         });

TEST(InterruptedRun, KeepsTheEarlierResult) {
  const TempFolder root;
  const fs::path parent = root / "made", out = parent / "run";
  Words first = long_run(out);
  first.insert(first.end(), {"--set", "t_end=0.001"});
  ASSERT_EQ(touchstone(root.path(), first).code, 0);
  const std::string before = content(out / "summary.json");
  const Words files = files_below(root.path());

  EXPECT_EQ(interrupted(root.path(), long_run(out), parent, SIGINT).code, 130);
  EXPECT_EQ(files_below(root.path()), files);
  EXPECT_EQ(content(out / "summary.json"), before);
}

TEST(InterruptedSweep, KeepsFinishedRunsAndGoesOnLater) {
  const TempFolder root;
  const fs::path out = root / "sweep";
  const Words command{"sweep",  "rolling-disc",  "--set",  "edges=1000", "--set", "t_end=2",
                      "--vary", "h=0.1,0.00001", "--jobs", "1",          "--out", out.string()};
  const fs::path cases = out / "stewart-trinkle";
  const fs::path finished = cases / "edges=1000_t_end=2_h=0.1";
  const Outcome outcome = interrupted(root.path(), command, finished / "summary.json", SIGINT);
  EXPECT_EQ(outcome.code, 130) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("finished runs are kept"));
  EXPECT_THAT(unfinished_below(root.path()), IsEmpty());
  EXPECT_THAT(files_below(out),
              testing::Each(testing::StartsWith("stewart-trinkle/edges=1000_t_end=2_h=0.1/")))
      << "only the finished run";
  EXPECT_EQ(files_below(finished),
            (Words{"bodies.json", "contacts.csv", "energy.csv", "oracle.csv", "run.json",
                   "steps.csv", "summary.json", "trajectory.csv"}));
  EXPECT_EQ(nlohmann::json::parse(content(finished / "summary.json")).at("status"), "completed");

  const Outcome second = touchstone(root.path(), command);
  EXPECT_EQ(second.code, 0) << second.err;
  EXPECT_THAT(second.out, HasSubstr("1 of 2 runs were already on disk"));
  EXPECT_TRUE(fs::exists(cases / "edges=1000_t_end=2_h=0.00001/summary.json"));
  EXPECT_TRUE(fs::exists(out / "sweep.csv"));
}

TEST(InterruptedStudy, HasOnlyWholeRuns) {
  const TempFolder root;
  const fs::path out = root / "study", cases = out / "stewart-trinkle";
  const Outcome outcome =
      interrupted(root.path(), {"run", "rolling-disc", "--jobs", "2", "--out", out.string()},
                  cases / "edges=10_h=0.01/summary.json", SIGINT);
  EXPECT_EQ(outcome.code, 130) << outcome.err;
  EXPECT_THAT(unfinished_below(root.path()), IsEmpty());
  EXPECT_FALSE(fs::exists(out / "table.csv"));
  for (const auto& run : fs::directory_iterator(cases))
    EXPECT_EQ(files_below(run.path()).size(), 8u) << run.path();
}

}  // namespace
}  // namespace touchstone::cli

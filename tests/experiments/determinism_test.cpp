#include <gmock/gmock.h>

#include "tests/experiments/records.hpp"

/// The same inputs give the same bytes, timings aside, however often and with however many workers.

namespace touchstone::cli {
namespace {

void expect_equal_records(const fs::path& one, const fs::path& other) {
  const auto expected = records_below(one), found = records_below(other);
  ASSERT_FALSE(expected.empty());
  EXPECT_EQ(files_below(one), files_below(other));
  for (const auto& [file, text] : expected)
    EXPECT_TRUE(found.contains(file) && found.at(file) == text) << file << " differs";
}

class Rerun : public testing::TestWithParam<std::string> {};

TEST_P(Rerun, OfAStudyGivesTheSameBytes) {
  const TempFolder root;
  const Words choice{"--formulation", GetParam(), "--set", "edges=100", "--set", "t_end=0.5"};
  run_disc(root, root / "first", choice);
  run_disc(root, root / "second", choice);
  expect_equal_records(root / "first", root / "second");
}

INSTANTIATE_TEST_SUITE_P(Formulations, Rerun, testing::Values("stewart-trinkle", "penalty"),
                         [](const auto& instance) {
                           return instance.param == "penalty" ? "penalty" : "stewart_trinkle";
                         });

TEST(RerunOfAScene, GivesTheSameBytes) {
  const TempFolder root;
  for (const char* run : {"first", "second"})
    run_scene(root, root / run, "box-stack.toml", {"--set", "t_end=0.1"});
  expect_equal_records(root / "first", root / "second");
}

TEST(Sweep, GivesTheSameBytesWithOneAndTwoWorkers) {
  const TempFolder root;
  for (const char* jobs : {"1", "2"}) {
    const Outcome outcome = touchstone(
        root.path(), {"sweep", "rolling-disc", "--set", "t_end=0.5", "--vary", "edges=0,8,100",
                      "--vary", "h=0.01,0.005", "--jobs", jobs, "--out", root / jobs});
    ASSERT_EQ(outcome.code, 0) << outcome.out << outcome.err;
  }
  EXPECT_EQ(files_below(root / "1").size(), 6u * 8u + 1u) << "six runs and their table";
  expect_equal_records(root / "1", root / "2");
}

TEST(Sweep, ListsItsRunsInTheOrderAsked) {
  const TempFolder root;
  const Outcome outcome =
      touchstone(root.path(), {"sweep", "rolling-disc", "--set", "t_end=0.2", "--vary", "edges=8,0",
                               "--vary", "h=0.01,0.02", "--jobs", "2", "--out", root / "out"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const Csv table = read_csv(root / "out/sweep.csv");
  Words cases;
  for (const Words& row : table.rows) cases.push_back(row[table.column("case")]);
  EXPECT_EQ(cases, (Words{"t_end=0.2_edges=8_h=0.01", "t_end=0.2_edges=8_h=0.02",
                          "t_end=0.2_edges=0_h=0.01", "t_end=0.2_edges=0_h=0.02"}));
}

}  // namespace
}  // namespace touchstone::cli

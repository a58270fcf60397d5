#include <gtest/gtest.h>

#include <algorithm>

#include "experiments/harness/spec.hpp"
#include "experiments/harness/study.hpp"

/// The computed studies of the ratio metric, small.

namespace touchstone {
namespace {

Computed compute(const std::string& name, const std::vector<std::string>& sets) {
  const StudyEntry& entry = Registry<StudyEntry>::instance().find(name);
  const RunSpec spec = make_spec("study", name, entry.parameters, "", std::nullopt, sets);
  return entry.make()->compute(spec.parameters, [](double) {});
}

TEST(RatioEquivalenceStudy, FindsNoPairBeyondItsBounds) {
  for (const char* dim : {"dim=2", "dim=3"}) {
    const Computed found = compute("ratio-equivalence", {dim, "pairs=500"});
    EXPECT_EQ(found.summary.at("pairs"), 500);
    EXPECT_EQ(found.summary.at("violations"), 0) << dim;
    EXPECT_GE(found.summary.at("least_rho_D_over_s").get<double>(), 1.0 - 1e-6);
    EXPECT_GE(found.summary.at("least_s_over_rho_eps").get<double>(), 1.0);
    EXPECT_GT(found.summary.at("deep_beyond_theorem").get<int>(), 0) << "the limit is needed";
  }
}

TEST(RatioEquivalenceStudy, GivesTheSameBytesAgain) {
  const auto once = compute("ratio-equivalence", {"pairs=50"});
  const auto again = compute("ratio-equivalence", {"pairs=50"});
  EXPECT_EQ(once.tables, again.tables);
  EXPECT_EQ(once.summary, again.summary);
  EXPECT_NE(once.tables, compute("ratio-equivalence", {"pairs=50", "seed=2"}).tables);
}

TEST(RatioCostStudy, MeasuresEverySizeAskedFor) {
  const Computed found =
      compute("ratio-cost", {"pairs=2", "repeats=1", "largest=32", "largest_minkowski=16"});
  const std::string& table = found.tables.at("cost.csv");
  EXPECT_EQ(std::count(table.begin(), table.end(), '\n'), 4) << table;
  EXPECT_LT(found.summary.at("depth_difference").get<double>(), 1e-12);
  EXPECT_TRUE(found.summary.at("speedup_100").is_null()) << "no such size was asked for";
}

TEST(RatioEventsStudy, KeepsFewerEventsAndTheSameVelocities) {
  const Computed found = compute("ratio-events", {"repeats=1", "run_steps=3"});
  EXPECT_LT(2 * found.summary.at("kept").get<int>(), found.summary.at("events").get<int>());
  EXPECT_LT(found.summary.at("velocity_difference").get<double>(), 1e-10);
  const std::string& runs = found.tables.at("runs.csv");
  EXPECT_EQ(std::count(runs.begin(), runs.end(), '\n'), 6) << runs;
}

}  // namespace
}  // namespace touchstone

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/experiments/study_run.hpp"

/// balance2, pyramid1, dice3, setup6 and gamma-sweep: two step sizes of each scene, and the checks.

namespace touchstone {
namespace {

using testing::IsEmpty;
using testing::Not;

double average(const std::string& study, const std::vector<std::string>& sets) {
  const StudyRun run(study, "ratio-metric", sets, "chain");
  EXPECT_EQ(run.record.status(), "completed") << study;
  return run.result().summary.at("average_infeasibility");
}

class InfeasibilityStudy : public testing::TestWithParam<const char*> {};

TEST_P(InfeasibilityStudy, StabilisationKeepsItSmallAndOfSecondOrder) {
  const double coarse = average(GetParam(), {"gamma=1", "h=0.01"}),
               fine = average(GetParam(), {"gamma=1", "h=0.00125"}),
               unstable = average(GetParam(), {"gamma=0", "h=0.01"});
  EXPECT_LT(coarse, 0.2 * unstable);
  EXPECT_NEAR(std::log(coarse / fine) / std::log(8.0), 2.0, 0.3);
}

INSTANTIATE_TEST_SUITE_P(Scenes, InfeasibilityStudy,
                         testing::Values("balance2", "pyramid1", "dice3", "setup6"));

TEST(InfeasibilityChecks, FlagAWrongSlopeAndAnUnstabilisedRunThatIsBetter) {
  const StudyRun run("balance2", "ratio-metric", {"h=0.02", "t_end=0.1"}, "chain");
  const auto result = [&](const char* gamma, double h, double value) {
    CaseResult r = run.result();
    r.parameters.set("gamma", gamma);
    r.parameters.set("h", h);
    r.summary["average_infeasibility"] = value;
    return r;
  };
  EXPECT_THAT(failures(run.study->check_study({result("1", 0.02, 4e-4), result("1", 0.01, 1e-4),
                                               result("0", 0.02, 1e-2), result("0", 0.01, 5e-3)})),
              IsEmpty());
  EXPECT_THAT(failures(run.study->check_study({result("1", 0.02, 4e-4), result("1", 0.01, 2e-4),
                                               result("0", 0.02, 1e-2), result("0", 0.01, 5e-3)})),
              Not(IsEmpty()));
  EXPECT_THAT(failures(run.study->check_study({result("1", 0.02, 4e-4), result("1", 0.01, 1e-4),
                                               result("0", 0.02, 1e-2), result("0", 0.01, 5e-5)})),
              Not(IsEmpty()));
}

TEST(GammaSweepStudy, MeasuresEnergyAndInfeasibility) {
  const StudyRun run("gamma-sweep", "ratio-metric", {"gamma=0.5", "t_end=0.2"}, "chain");
  const CaseResult result = run.result();
  EXPECT_GT(result.summary.at("average_infeasibility").get<double>(), 0.0);
  EXPECT_TRUE(std::isfinite(result.summary.at("energy_change_joules").get<double>()));
}

}  // namespace
}  // namespace touchstone

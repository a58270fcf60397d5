#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/experiments/study_run.hpp"

/// spinning-sphere: the published numbers, and its closed form for other data.

namespace touchstone {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

TEST(SpinningSphereStudy, GivesThePublishedSpinAndMoment) {
  for (const char* formulation : {"geometric-ncp", "tzitzouris-pang", "stewart-trinkle"}) {
    const StudyRun run("spinning-sphere", formulation, {});
    ASSERT_EQ(run.record.status(), "completed");
    for (const State& state : run.record.trajectory()) {
      EXPECT_NEAR(state.nu[5], state.t < 1.0 ? 1.962 * (1.0 - state.t) : 0.0, 1e-9);
      EXPECT_LT(state.nu.head(5).lpNorm<Eigen::Infinity>(), 1e-10);
    }
    for (const ContactRow& row : run.record.contacts()) {
      const double expected = row.t < 0.99 ? 0.7848 : row.t < 1.06 ? 0.2242285714285714 : 0.0;
      EXPECT_NEAR(-row.p_r / 0.07, expected, 1e-9) << formulation << " at " << row.t;
    }
    EXPECT_THAT(failures(run.study->check_run(run.result())), IsEmpty()) << formulation;
  }
}

TEST(SpinningSphereStudy, HasAClosedFormForOtherData) {
  const StudyRun run("spinning-sphere", "geometric-ncp",
                     {"h=0.013", "mass=2.5", "inertia=0.3", "radius=0.5", "omega=-7", "mu=0.35",
                      "e_r=0.1", "e_t=0.7", "t_end=3"});
  EXPECT_THAT(failures(run.study->check_run(run.result())), IsEmpty());
  const auto oracle = run.study->oracle(run.spec.parameters);
  const double moment = 0.35 * 0.1 * 2.5 * 9.81, stop = 0.3 * 7.0 / moment;
  EXPECT_NEAR(oracle->values(0.5 * stop)[0], -3.5, 1e-12);
  EXPECT_NEAR(oracle->values(0.5 * stop)[1], moment, 1e-12) << "against the spin";
  EXPECT_EQ(oracle->values(1.01 * stop)[0], 0.0);
}

TEST(SpinningSphereStudy, FlagsWhatIsWrong) {
  const StudyRun run("spinning-sphere", "geometric-ncp", {});
  for (const char* key : {"spin_error", "moment_error", "other_velocities"}) {
    CaseResult wrong = run.result();
    wrong.summary[key] = 1e-6;
    EXPECT_THAT(failures(run.study->check_run(wrong)), SizeIs(1)) << key;
    EXPECT_THAT(failures(run.study->check_study({wrong})), SizeIs(1)) << key;
  }
}

}  // namespace
}  // namespace touchstone

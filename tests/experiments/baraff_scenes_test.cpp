#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/experiments/study_run.hpp"

/// baraff-scenes: the closing pictures of the thesis, run as published (a second together).

namespace touchstone {
namespace {

class BaraffScene : public testing::TestWithParam<int> {};

// The gate has redundant contacts that stick, clatter and nearly coincide: without sharing out
// friction at a limit, and without stopping slow slips, it ends in Zeno behaviour within 0.3 s.
TEST_P(BaraffScene, RunsToItsEndAndShowsWhatThePictureShows) {
  const StudyEntry& entry = Registry<StudyEntry>::instance().find("baraff-scenes");
  const Case the_case = entry.make()->published_cases().at(static_cast<std::size_t>(GetParam()));
  const StudyRun run("baraff-scenes", the_case.formulation, the_case.sets);
  EXPECT_THAT(failures(run.study->check_run(run.result())), testing::IsEmpty());
  EXPECT_THAT(failures(run.study->check_study({run.result()})), testing::IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(AppendixD, BaraffScene, testing::Values(0, 1, 2));

TEST(BaraffScenes, ChecksFlagAGainOfEnergyAndABodyThatStaysUp) {
  const StudyRun run("baraff-scenes", "baraff-acceleration",
                     {"scene=dice-through-lattice", "t_end=0.02"});
  CaseResult result = run.result();
  EXPECT_THAT(failures(run.study->check_study({result})),
              testing::ElementsAre(testing::HasSubstr("falls through the lattice")));
  EXPECT_THAT(failures(run.study->check_run(result)), testing::IsEmpty());
  result.summary["max_energy_gain"] = 1e-6;
  EXPECT_THAT(failures(run.study->check_run(result)),
              testing::ElementsAre(testing::HasSubstr("energy is not gained")));
}

}  // namespace
}  // namespace touchstone

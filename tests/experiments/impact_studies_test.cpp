#include <gtest/gtest.h>

#include "experiments/harness/batch.hpp"
#include "solvers/collections/subset_sum.hpp"
#include "solvers/error.hpp"
#include "tests/experiments/records.hpp"

/// The computed studies of subset sum and of simultaneous impacts.

namespace touchstone {
namespace {

using cli::TempFolder;

CaseResult compute(const TempFolder& root, const std::string& name,
                   const std::vector<std::string>& sets) {
  const StudyEntry& entry = Registry<StudyEntry>::instance().find(name);
  return run_cases(entry, {{"", sets}}, {root / "out"}, {.jobs = 1}).results.at(0);
}

TEST(SubsetSumProblem, CountsSubsetsAndRefusesBadMasses) {
  EXPECT_EQ(count_subsets({3, 5, 7}, 8), 1);
  EXPECT_EQ(count_subsets({3, 5, 7}, 11), 0);
  EXPECT_EQ(count_subsets({1, 2, 3, 4, 5}, 7), 3);
  EXPECT_EQ(count_subsets({}, 0), 1);
  EXPECT_EQ(count_subsets({1}, -1), 0);
  EXPECT_THROW(subset_sum({1, 0}, 1), InputError);
}

TEST(SubsetSumStudy, CountsSolutionsAndFindsLemkesRay) {
  const TempFolder root;
  const CaseResult result = compute(root, "subset-sum", {"repeats=1", "largest=8"});
  const cli::Csv cases = cli::read_csv(root / "out/cases.csv");
  ASSERT_EQ(cases.rows.size(), 5u);
  const double solutions[] = {1, 0, 1, 3, 0};
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(cases.number(i, "solutions"), solutions[i]) << i;
    EXPECT_EQ(cases.number(i, "subsets"), solutions[i]) << i;
    EXPECT_EQ(cases.number(i, "ray_E2"), 1.0) << i;
    EXPECT_NEAR(cases.number(i, "ray_cover"), 0.99, 1e-15) << i;
  }
  const cli::Csv cost = cli::read_csv(root / "out/cost.csv");
  ASSERT_EQ(cost.rows.size(), 7u);
  EXPECT_EQ(cost.number(6, "solutions"), 6.0);  // of 8 into distinct parts
  EXPECT_TRUE(result.summary.at("lemke_exponent").is_null()) << "no size to fit it to";
  EXPECT_EQ(result.summary.at("ray_error"), 0.0);
}

TEST(SimultaneousImpactsStudy, MeetsItsClosedForms) {
  const TempFolder root;
  const CaseResult result = compute(root, "simultaneous-impacts", {"largest=5", "samples=4"});
  const StudyEntry& entry = Registry<StudyEntry>::instance().find("simultaneous-impacts");
  for (const Check& check : entry.make()->check_run(result))
    EXPECT_TRUE(check.passed) << check.claim << ": " << check.measured;
  const cli::Csv cube = cli::read_csv(root / "out/cube.csv");
  ASSERT_EQ(cube.rows.size(), 9u);
  EXPECT_EQ(cube.number(4, "impulses"), 5.0);  // 1234, e = 1/2
  EXPECT_NEAR(cube.number(4, "w_x"), -.23703003, 5e-9);
  EXPECT_NEAR(cube.number(4, "w_y"), .46115112, 5e-9);
  EXPECT_NEAR(cube.number(4, "energy"), .24888687, 5e-9);
  EXPECT_EQ(cube.number(3, "impulses"), 6.0);  // 1234, e = 0: a hop
  EXPECT_NEAR(cube.number(3, "v_z"), .03295898, 5e-9);
  EXPECT_NEAR(cube.number(7, "energy"), .11450195, 5e-9);  // 1324, e = 1/2
}

}  // namespace
}  // namespace touchstone

#include <gtest/gtest.h>

#include <functional>

#include "tests/experiments/records.hpp"
#include "tests/experiments/study_run.hpp"

namespace touchstone {

namespace {

/// Recomputes `column` of results/published/STUDY.csv up to t_end for the cases that `chosen`
/// names, with the default solver, and compares to 1e-9. A change in these numbers is a change of
/// results and must be meant. Returns how many were compared.
int recompute(const std::string& name, const std::string& column, const std::string& t_end,
              const std::function<bool(const std::string&)>& chosen) {
  std::filesystem::path file = project_root() / "results/published" / name;
  file += ".csv";
  const cli::Csv published = cli::read_csv(file);
  int compared = 0;
  for (std::size_t row = 0; row < published.rows.size(); ++row) {
    const std::string &formulation = published.rows[row][0], &label = published.rows[row][1];
    if (label.find("solver=") != std::string::npos || !chosen(label)) continue;
    cli::Words sets = label == "defaults" ? cli::Words{} : cli::split(label, '_');
    sets.push_back("t_end=" + t_end);
    const StudyRun run(name, formulation, sets);
    const double value = run.study->measures(run.spec.parameters, run.record).at(column);
    EXPECT_NEAR(value, published.number(row, column), 1e-9) << formulation << ' ' << label;
    ++compared;
  }
  return compared;
}

bool is_coarse(const std::string& label) {
  return label.find("h=0.01") != std::string::npos || label.find("h=0.005") != std::string::npos;
}

TEST(PublishedResults, RollingDiscAfterOneSecondIsReproduced) {
  EXPECT_EQ(recompute("rolling-disc", "kinetic_1s", "1", is_coarse), 12);
}

TEST(PublishedResults, SpinningSphereIsReproduced) {
  const auto all = [](const std::string&) { return true; };
  EXPECT_EQ(recompute("spinning-sphere", "last_moment", "1.26", all), 3);
}

TEST(PublishedResults, SphereOnTwoSpheresAtTheTimeOfConvergenceIsReproduced) {
  EXPECT_EQ(recompute("sphere-on-two-spheres", "state_error_2.5s", "2.5", is_coarse), 7);
}

TEST(PublishedResults, EllipsoidOnEllipsoidsAfterOneSecondIsReproduced) {
  EXPECT_EQ(recompute("ellipsoid-on-ellipsoids", "own_work_1s", "1", is_coarse), 6);
}

}  // namespace

}  // namespace touchstone

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "experiments/harness/run.hpp"
#include "experiments/harness/study.hpp"

namespace touchstone {

namespace {

std::vector<std::string> split(const std::string& line, char separator) {
  std::vector<std::string> parts;
  std::stringstream stream(line);
  for (std::string part; std::getline(stream, part, separator);) parts.push_back(part);
  return parts;
}

// results/published/rolling-disc.csv holds the numbers of the published runs. Those of the first
// second at the coarse steps are quick to compute again; a change in them is a change of results
// and must be meant.
TEST(PublishedResults, RollingDiscAfterOneSecondIsReproduced) {
  std::ifstream file(project_root() / "results/published/rolling-disc.csv");
  std::string line;
  ASSERT_TRUE(std::getline(file, line));
  ASSERT_EQ(line.substr(0, 28), "formulation,case,kinetic_1s,");
  const StudyEntry& entry = Registry<StudyEntry>::instance().find("rolling-disc");
  const auto study = entry.make();
  int compared = 0;
  while (std::getline(file, line)) {
    const std::vector<std::string> cells = split(line, ',');
    std::vector<std::string> sets = split(cells[1], '_');
    if (cells[1].find("h=0.01") == std::string::npos &&
        cells[1].find("h=0.005") == std::string::npos)
      continue;
    sets.push_back("t_end=1");
    const RunSpec spec = make_spec("study", entry.name, entry.parameters, cells[0], {}, sets);
    const World world = study->world(spec.parameters);
    const Record record = simulate(spec, world);
    const double kinetic = study->measures(spec.parameters, record).at("kinetic_1s");
    EXPECT_NEAR(kinetic, std::stod(cells[2]), 1e-9) << cells[1];
    ++compared;
  }
  EXPECT_EQ(compared, 12);
}

}  // namespace

}  // namespace touchstone

/// Random Stewart–Trinkle steps: 1 to 50 contacts, 4 and 8 directions, half of them redundant.
///
/// The test takes a sample of each seed. The whole collection, with the table of docs/solvers.md:
///     TOUCHSTONE_RANDOM_PROBLEMS=10000 TOUCHSTONE_RANDOM_CONTACTS=50 TOUCHSTONE_RANDOM_SEED=52001
///     TOUCHSTONE_RANDOM_SOLVERS=lemke,chain,newton-min
///     touchstone_tests --gtest_filter='*RandomSteps*'
/// None of the seeds was used while the solvers were written.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <sstream>

#include "solvers/solver.hpp"
#include "tests/solvers/random_problems.hpp"

namespace touchstone::testing {
namespace {

constexpr double wanted = 1e-9;  // natural residual of a problem that counts as solved

std::string from_environment(const char* name, const std::string& otherwise) {
  const char* const value = std::getenv(name);
  return value ? value : otherwise;
}
int number(const char* name, int otherwise) {
  return std::stoi(from_environment(name, std::to_string(otherwise)));
}

struct Score {
  std::string name;
  std::unique_ptr<Solver> solver{};
  int solved = 0, repeated = 0;
  double worst = 0.0;  // residual of what counts as solved
  std::vector<double> microseconds{};

  void add(const Answer& answer) {
    microseconds.push_back(1e6 * answer.seconds);
    if (!answer.ok() || !(answer.residual.natural <= wanted)) return;
    ++solved;
    repeated += answer.notes.size() > (name == "chain" ? 1u : 0u) ? 1 : 0;
    worst = std::max(worst, answer.residual.natural);
  }
  std::string row() {
    std::sort(microseconds.begin(), microseconds.end());
    return fmt::format("{:<22} {:>6}/{:<6} {:>7.2f} % {:>8} {:>9.1e} {:>10.1f} {:>10.1f}\n", name,
                       solved, microseconds.size(),
                       100.0 * solved / static_cast<double>(microseconds.size()), repeated, worst,
                       microseconds[microseconds.size() / 2], microseconds.back());
  }
};

std::vector<Score> scores(const std::string& names) {
  std::vector<Score> list;
  std::istringstream stream(names);
  for (std::string name; std::getline(stream, name, ',');)
    list.push_back({name, make_solver(name)});
  return list;
}

std::vector<Score> run(unsigned long seed, int problems, int contacts, const std::string& names) {
  Random random(seed);
  std::vector<Score> list = scores(names);
  for (int trial = 0; trial < problems; ++trial) {
    const int count = random.integer(1, contacts);
    const Problem problem = random_step(random, count, trial % 2 ? 4 : 8, random.chance(0.5));
    for (Score& score : list) score.add(score.solver->solve(problem));
  }
  return list;
}

TEST(RandomSteps, LemkeTheChainAndNewtonSolveThem) {
  const int problems = number("TOUCHSTONE_RANDOM_PROBLEMS", 400);
  const int contacts = number("TOUCHSTONE_RANDOM_CONTACTS", 20);
  const std::string names =
      from_environment("TOUCHSTONE_RANDOM_SOLVERS", "lemke,chain,newton-min,newton-fb");
  std::vector<unsigned long> seeds = {52001, 770077};
  if (const int seed = number("TOUCHSTONE_RANDOM_SEED", 0)) seeds = {static_cast<unsigned>(seed)};
  for (const unsigned long seed : seeds) {
    std::string table =
        fmt::format("seed {}\n{:<22} {:>13} {:>9} {:>8} {:>9} {:>10} {:>10}\n", seed, "solver",
                    "solved/tried", "", "repeated", "worst", "median us", "slowest us");
    for (Score& score : run(seed, problems, contacts, names)) {
      if (score.name == "lemke") {
        EXPECT_GE(score.solved, problems - problems / 1000);
      }
      if (score.name == "chain") {
        EXPECT_EQ(score.solved, problems);
      }
      if (score.name.starts_with("newton")) {
        EXPECT_GE(score.solved, problems * 9 / 10) << score.name;
      }
      table += score.row();
    }
    RecordProperty(fmt::format("table_{}", seed), table);
    if (std::getenv("TOUCHSTONE_RANDOM_PROBLEMS")) fmt::print("{}", table);
  }
}

}  // namespace
}  // namespace touchstone::testing

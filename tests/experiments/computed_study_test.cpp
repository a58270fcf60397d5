#include <gtest/gtest.h>

#include <limits>

#include "experiments/harness/batch.hpp"
#include "experiments/harness/csv.hpp"
#include "tests/experiments/records.hpp"

/// Studies that compute their tables themselves, without a formulation.

namespace touchstone {
namespace {

using cli::TempFolder;

class Squares final : public Study {
 public:
  std::vector<Case> published_cases() const override { return {{"", {}}, {"", {"count=2"}}}; }
  Computed compute(const Parameters& p, const Progress& progress) const override {
    CsvTable table({"x", "square", "name"});
    for (long x = 0; x < p.integer("count"); ++x) {
      table.add(x, static_cast<double>(x) * 0.1, "n" + std::to_string(x));
      progress(static_cast<double>(x + 1) / static_cast<double>(p.integer("count")));
    }
    return {{{"squares.csv", table.text()}}, {{"rows", p.integer("count")}}};
  }
};

StudyEntry squares() {
  return {.name = "squares",
          .summary = "",
          .cite = "",
          .parameters = {integer("count", 3, "1", "rows").at_least(1),
                         integer("seed", 7, "1", "of the random numbers")},
          .make = [] { return std::make_unique<Squares>(); }};
}

Batch run(const TempFolder& root, const std::vector<Case>& cases) {
  return run_cases(squares(), cases, case_folders(root.path(), cases), {.jobs = 1});
}

TEST(ComputedStudy, WritesItsTablesAndNumbers) {
  const TempFolder root;
  const Batch batch = run(root, Squares().published_cases());
  ASSERT_EQ(batch.results.size(), 2u);
  EXPECT_EQ(cli::content(root / "count=2/squares.csv"), "x,square,name\n0,0,n0\n1,0.1,n1\n");
  EXPECT_EQ(batch.results[0].folder, root / "defaults");
  EXPECT_EQ(batch.results[0].summary.at("rows"), 3);
  EXPECT_EQ(batch.results[0].summary.at("status"), "completed");
  const Json json = cli::read_json(root / "defaults/run.json");
  EXPECT_TRUE(json.at("formulation").is_null());
  EXPECT_EQ(json.at("parameters").at("count"), 3);
  EXPECT_EQ(json.at("seed"), 7);
  EXPECT_EQ(json.at("files"), Json{"squares.csv"});
  for (const Check& check : Squares().check_run(batch.results[0])) EXPECT_TRUE(check.passed);
}

TEST(ComputedStudy, IsNotComputedTwice) {
  const TempFolder root;
  EXPECT_EQ(run(root, {{"", {}}}).found, 0);
  EXPECT_EQ(run(root, {{"", {}}}).found, 1);
  EXPECT_EQ(run(root, {{"", {"count=4"}}}).found, 0);
}

TEST(ComputedStudy, TakesNoFormulationAndNoSolver) {
  const TempFolder root;
  EXPECT_THROW(run(root, {{"stewart-trinkle", {}}}), InputError);
  EXPECT_THROW(run(root, {{"", {}, "lemke"}}), InputError);
  EXPECT_THROW(run(root, {{"", {"mu=1"}}}), InputError);
  EXPECT_TRUE(cli::files_below(root.path()).empty());
}

TEST(ComputedStudy, EndsWhereProgressMeetsAnInterruption) {
  const TempFolder root;
  interrupt_flag() = true;
  EXPECT_THROW(run(root, {{"", {}}}), Interrupted);
  interrupt_flag() = false;
  EXPECT_TRUE(cli::files_below(root.path()).empty());
}

TEST(SimulatedStudy, NeedsAFormulation) {
  const TempFolder root;
  const StudyEntry& disc = Registry<StudyEntry>::instance().find("rolling-disc");
  EXPECT_THROW(run_cases(disc, {{"", {}}}, {root / "out"}, {}), InputError);
}

TEST(CsvTable, LeavesCellsEmptyThatAreNoNumbers) {
  CsvTable table({"a", "b"});
  table.add(std::numeric_limits<double>::quiet_NaN(), 1.0 / 3.0);
  table.add(std::numeric_limits<double>::infinity(), "text");
  EXPECT_EQ(table.text(), "a,b\n,0.3333333333333333\n,text\n");
  EXPECT_THROW(table.add(1.0), std::logic_error);
}

}  // namespace
}  // namespace touchstone

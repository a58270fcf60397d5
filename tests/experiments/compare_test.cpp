#include "experiments/harness/compare.hpp"

#include <gmock/gmock.h>

#include "experiments/harness/oracle_error.hpp"
#include "tests/experiments/records.hpp"

/// `touchstone compare`: who takes part, what is measured, what is written.

namespace touchstone::cli {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

Outcome compare(const TempFolder& root, const Words& more) {
  Words words{"compare", "rolling-disc", "--no-figure", "--set", "t_end=0.3"};
  words.insert(words.end(), more.begin(), more.end());
  return touchstone(root.path(), words);
}

std::map<std::string, Words> rows_by_name(const Csv& csv) {
  std::map<std::string, Words> rows;
  for (const Words& row : csv.rows) rows[row.at(0)] = row;
  return rows;
}

TEST(Compare, RunsEveryFormulationThatApplies) {
  const TempFolder root;
  const Outcome outcome = compare(root, {});
  ASSERT_EQ(outcome.code, 0) << outcome.out << outcome.err;
  const Csv csv = read_csv(root / "results/rolling-disc/compare/t_end=0.3/table.csv");
  const auto rows = rows_by_name(csv);
  for (const char* name : {"geometric-ncp", "penalty", "stewart-trinkle", "tzitzouris-pang"}) {
    ASSERT_TRUE(rows.contains(name)) << name;
    EXPECT_THAT(outcome.out, HasSubstr(name));
  }
  for (const char* rigid : {"geometric-ncp", "stewart-trinkle", "tzitzouris-pang"})
    for (const char* column : {"energy_loss", "oracle_error_max", "oracle_error_final"})
      EXPECT_LT(std::abs(std::stod(rows.at(rigid).at(csv.column(column)))), 1e-12)
          << rigid << " keeps the energy of a smooth disc: " << column;
  EXPECT_EQ(rows.at("penalty").at(csv.column("failed_steps")), "0");
  EXPECT_GT(std::stod(rows.at("penalty").at(csv.column("median_step_us"))), 0.0);
}

TEST(Compare, ListsWhoDoesNotApplyAndWhy) {
  const TempFolder root;
  const Outcome outcome = compare(root, {"--set", "edges=8"});
  ASSERT_EQ(outcome.code, 0) << outcome.out << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("not run\n"));
  EXPECT_THAT(outcome.out, HasSubstr("no gap function in closed form"));
  const Json json =
      read_json(root / "results/rolling-disc/compare/t_end=0.3_edges=8/comparison.json");
  ASSERT_FALSE(json.at("left_out").empty());
  Words left_out;
  for (const Json& one : json.at("left_out")) left_out.push_back(one.at("formulation"));
  EXPECT_THAT(left_out, Contains("tzitzouris-pang"));
  for (const Json& run : json.at("runs")) {
    EXPECT_THAT(left_out, Not(Contains(run.at("formulation").get<std::string>())));
    const fs::path folder = root / "results/rolling-disc/compare/t_end=0.3_edges=8";
    EXPECT_TRUE(fs::exists(folder / run.at("folder").get<std::string>() / "run.json"));
  }
}

TEST(Compare, SharesItsRunsWithRunAndRepeatsNone) {
  const TempFolder root;
  const Words only{"--formulations", "stewart-trinkle,geometric-ncp"};
  ASSERT_EQ(touchstone(root.path(), {"run", "rolling-disc", "--formulation", "geometric-ncp",
                                     "--set", "t_end=0.3"})
                .code,
            0);
  EXPECT_THAT(compare(root, only).out, HasSubstr("2 formulations, 1 of the runs already on disk"));
  EXPECT_THAT(compare(root, only).out, HasSubstr("2 of the runs already on disk"));
}

TEST(Compare, SetsAFormulationsOwnParameterOnlyThere) {
  const TempFolder root;
  const Outcome outcome =
      compare(root, {"--set", "stiffness=1e6", "--formulations", "stewart-trinkle,penalty", "--out",
                     (root / "here").string()});
  ASSERT_EQ(outcome.code, 0) << outcome.out << outcome.err;
  EXPECT_EQ(read_json(root / "here/penalty/t_end=0.3_stiffness=1e6/run.json")
                .at("parameters")
                .at("stiffness"),
            1e6);
  EXPECT_TRUE(fs::exists(root / "here/stewart-trinkle/t_end=0.3/run.json"));
  EXPECT_TRUE(fs::exists(root / "here/compare/t_end=0.3_stiffness=1e6/table.csv"));
}

TEST(Compare, RefusesWhatNobodyHas) {
  const TempFolder root;
  const Outcome key = compare(root, {"--set", "stifness=1"});
  EXPECT_EQ(key.code, 2);
  EXPECT_THAT(key.err, HasSubstr("unknown parameter 'stifness'; did you mean 'stiffness'?"));
  const Outcome name = compare(root, {"--formulations", "stewart-trinkle,newmark"});
  EXPECT_EQ(name.code, 2);
  EXPECT_THAT(name.err, HasSubstr("unknown formulation 'newmark'"));
  const Outcome nobody = compare(root, {"--set", "edges=8", "--formulations", "tzitzouris-pang"});
  EXPECT_EQ(nobody.code, 2);
  EXPECT_THAT(nobody.err, HasSubstr("no formulation can be compared here: tzitzouris-pang"));
  EXPECT_TRUE(files_below(root.path()).empty());
}

TEST(Compare, TakesASceneFile) {
  const TempFolder root;
  const Outcome outcome = touchstone(
      root.path(), {"compare", TOUCHSTONE_SOURCE_DIR "/experiments/scenes/spinning-sphere.toml",
                    "--no-figure", "--formulations", "stewart-trinkle,geometric-ncp"});
  ASSERT_EQ(outcome.code, 0) << outcome.out << outcome.err;
  const Csv csv = read_csv(root / "results/scene-spinning-sphere/compare/defaults/table.csv");
  EXPECT_EQ(csv.rows.size(), 2u);
  EXPECT_EQ(csv.rows[0].at(csv.column("oracle_error_max")), "") << "a scene has no oracle";
}

// --- the error against the oracle

std::map<std::string, std::string> tables(const std::string& oracle) {
  return {{"trajectory.csv", "t,b.x,b.vx,b.vy,b.vz\n0,5,1,0,0\n1,5,3,0.2,0\n2,5,5,0,0\n"},
          {"energy.csv", "t,kinetic,total\n0,10,10\n1,9,9\n2,8,8\n"},
          {"oracle.csv", oracle}};
}

TEST(OracleError, IsScaledByTheRangeOfTheQuantity) {
  const Json error = oracle_error(tables("t,b.vx,b.vy\n0,1,0\n1,3,0\n2,6,0\n"));
  EXPECT_DOUBLE_EQ(error.at("columns").at("b.vx").at("max"), 1.0 / 5.0);
  EXPECT_DOUBLE_EQ(error.at("columns").at("b.vx").at("final"), 1.0 / 5.0);
  EXPECT_DOUBLE_EQ(error.at("columns").at("b.vx").at("rms"), std::sqrt(1.0 / 25.0 / 3.0));
  EXPECT_DOUBLE_EQ(error.at("columns").at("b.vy").at("max"), 0.2 / 5.0) << "the vector's scale";
  EXPECT_DOUBLE_EQ(error.at("columns").at("b.vy").at("final"), 0.0);
  EXPECT_DOUBLE_EQ(error.at("max"), 1.0 / 5.0);
}

TEST(OracleError, OfAConstantIsScaledByItsSizeAndOfZeroNotAtAll) {
  EXPECT_DOUBLE_EQ(oracle_error(tables("t,kinetic\n0,10\n1,10\n2,10\n")).at("max"), 0.2);
  EXPECT_DOUBLE_EQ(oracle_error(tables("t,b.vy\n0,0\n1,0\n2,0\n")).at("max"), 0.2);
}

TEST(OracleError, ComparesAsFarAsTheRunWentAndNamesWhatItCannot) {
  const Json error = oracle_error(tables("t,kinetic,lift\n0,10,1\n1,9,1\n"));
  EXPECT_EQ(error.at("max"), 0.0);
  EXPECT_EQ(error.at("not_compared"), Json::array({"lift"}));
  EXPECT_TRUE(oracle_error(tables("t,lift\n0,1\n")).is_null());
  auto without = tables("");
  without.erase("oracle.csv");
  EXPECT_TRUE(oracle_error(without).is_null());
}

}  // namespace
}  // namespace touchstone::cli

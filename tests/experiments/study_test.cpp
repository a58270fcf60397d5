#include "experiments/harness/study.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/experiments/records.hpp"
#include "tests/experiments/study_run.hpp"

/// rolling-disc in a second, and the verdicts: they pass what is right and flag what is wrong.

namespace touchstone {
namespace {

const StudyEntry& disc() { return Registry<StudyEntry>::instance().find("rolling-disc"); }

Parameters parameters(const std::vector<std::string>& sets) {
  return make_spec("study", "rolling-disc", disc().parameters, "stewart-trinkle", std::nullopt,
                   sets)
      .parameters;
}

struct DiscRun : StudyRun {
  explicit DiscRun(const std::vector<std::string>& sets)
      : StudyRun("rolling-disc", "stewart-trinkle", sets) {}
};

TEST(RollingDiscStudy, HundredEdgesLoseAsMuchAsThePrototype) {
  const DiscRun run({"edges=100", "h=0.01", "t_end=1"});
  ASSERT_EQ(run.record.status(), "completed");
  EXPECT_NEAR(run.record.energy().back().t, 1.0, 1e-12);
  EXPECT_NEAR(run.record.energy().back().kinetic, 5.878, 1e-3 * 5.878);
  const Json measures = run.study->measures(run.spec.parameters, run.record);
  EXPECT_EQ(measures.at("kinetic_1s"), run.record.energy().back().kinetic);
}

TEST(RollingDiscStudy, SmoothDiscKeepsItsEnergy) {
  const DiscRun run({"edges=0", "h=0.01", "t_end=1"});
  ASSERT_EQ(run.record.status(), "completed");
  EXPECT_LT(run.record.summary().at("max_energy_change").get<double>(), 1e-9);
  EXPECT_NEAR(run.record.energy().back().kinetic, 6.75, 1e-9 * 6.75);
}

TEST(RollingDiscStudy, RecordsTheStartAndEveryStep) {
  const DiscRun run({"edges=8", "h=0.01", "t_end=0.1"});
  EXPECT_EQ(run.record.trajectory().size(), 11u);
  EXPECT_EQ(run.record.energy().front().kinetic, 6.75) << "m v²/2 + I ω²/2";
}

TEST(StepCount, ReachesTheEndWithWholeSteps) {
  EXPECT_EQ(step_count(0.1, 1.0), 10);
  EXPECT_EQ(step_count(0.3, 1.0), 4);
  EXPECT_EQ(step_count(2.0, 1.0), 1);
  EXPECT_THROW(step_count(1e-12, 1.0), InputError);
}

TEST(InterruptFlag, StopsARunAtItsNextStep) {
  interrupt_flag() = true;
  EXPECT_THROW(DiscRun({"edges=8", "t_end=0.1"}), Interrupted);
  interrupt_flag() = false;
  EXPECT_EQ(DiscRun({"edges=8", "t_end=0.1"}).record.status(), "completed");
}

// --- verdicts

/// A finished case, made by hand.
CaseResult result(const std::vector<std::string>& sets, const Json& changes = Json::object(),
                  const std::string& formulation = "stewart-trinkle") {
  CaseResult made{{formulation, sets}, parameters(sets), {}, {}};
  made.summary = {{"status", "completed"},  {"failed_steps", 0}, {"max_energy_change", 0.0},
                  {"max_energy_gain", 0.0}, {"unknowns", 9},     {"facet_energy_error_2s", 0.0}};
  made.summary.update(changes);
  return made;
}

std::vector<std::string> failed(const std::vector<Check>& checks) {
  std::vector<std::string> claims;
  for (const Check& check : checks)
    if (!check.passed) claims.push_back(check.claim);
  return claims;
}

using Claims = std::vector<std::string>;

TEST(CheckRun, PassesAGoodRun) {
  const auto study = disc().make();
  const auto checks = study->check_run(result({"edges=100"}));
  EXPECT_GE(checks.size(), 3u);
  EXPECT_EQ(failed(checks), Claims{});
}

TEST(CheckRun, FlagsARunThatEndedEarly) {
  const auto study = disc().make();
  const std::string why = "failed at t = 0.5: the solver reports ray (residual 1)";
  const auto checks =
      study->check_run(result({"edges=100"}, {{"status", why}, {"failed_steps", 1}}));
  EXPECT_EQ(failed(checks), (Claims{"the run reaches its end", "no failed step"}));
  EXPECT_EQ(checks.front().measured, why);
}

TEST(CheckRun, FlagsAFailedStepOfACompletedRun) {
  const auto study = disc().make();
  EXPECT_EQ(failed(study->check_run(result({"edges=100"}, {{"failed_steps", 3}}))),
            Claims{"no failed step"});
}

TEST(CheckRun, FlagsEnergyThatGrows) {
  const auto study = disc().make();
  EXPECT_EQ(failed(study->check_run(result({"edges=100"}, {{"max_energy_gain", 1e-6}}))),
            Claims{"energy never grows"});
}

TEST(CheckRun, FlagsASmoothDiscThatLosesEnergy) {
  const auto study = disc().make();
  const Json loss{{"max_energy_change", 1e-6}};
  EXPECT_EQ(failed(study->check_run(result({"edges=0"}, loss))).size(), 1u);
  EXPECT_EQ(failed(study->check_run(result({"edges=100"}, loss))), Claims{}) << "a polygon must";
}

TEST(CheckRun, NeedsItsNumbers) {
  const auto study = disc().make();
  CaseResult incomplete = result({"edges=100"});
  incomplete.summary.erase("failed_steps");
  EXPECT_THROW(study->check_run(incomplete), std::exception);
}

/// The published study with these kinetic energies at 1 s: the prototype's and, for
/// edges=1000_h=0.01, T₀ exp(−2 · 2/3 · 9.81 · 0.01).
std::vector<CaseResult> published() {
  const std::map<std::string, double> kinetic{{"edges=100_h=0.01", 5.878},
                                              {"edges=1000_h=0.01_nearest=4", 6.475},
                                              {"edges=1000_h=0.001", 6.658},
                                              {"edges=20_h=0.001", 3.948},
                                              {"edges=1000_h=0.01", 5.9223}};
  std::vector<CaseResult> results;
  for (const Case& c : disc().make()->published_cases()) {
    const auto known = kinetic.find(c.name());
    results.push_back(result(c.sets, {{"kinetic_1s", known == kinetic.end() ? 1.0 : known->second}},
                             c.formulation));
  }
  return results;
}

CaseResult& find(std::vector<CaseResult>& results, const std::string& name,
                 const std::string& formulation = "stewart-trinkle") {
  const auto it = std::ranges::find_if(results, [&](const CaseResult& r) {
    return r.the_case.name() == name && r.the_case.formulation == formulation;
  });
  if (it == results.end()) throw std::runtime_error("no published case " + name);
  return *it;
}

TEST(CheckStudy, JudgesEveryPublishedClaim) {
  const auto study = disc().make();
  const auto checks = study->check_study(published());
  EXPECT_GE(checks.size(), 10u) << "a renamed case must not silence its check";
  EXPECT_EQ(failed(checks), Claims{});
}

class WrongEnergy : public testing::TestWithParam<std::string> {};

TEST_P(WrongEnergy, IsFlagged) {
  const auto study = disc().make();
  auto results = published();
  CaseResult& wrong = find(results, GetParam());
  wrong.summary["kinetic_1s"] = 1.02 * wrong.summary.at("kinetic_1s").get<double>();
  const auto claims = failed(study->check_study(results));
  ASSERT_EQ(claims.size(), 1u);
  EXPECT_TRUE(claims.front().starts_with(GetParam() + ":")) << claims.front();
}

INSTANTIATE_TEST_SUITE_P(Cases, WrongEnergy,
                         testing::Values("edges=100_h=0.01", "edges=1000_h=0.01_nearest=4",
                                         "edges=1000_h=0.001", "edges=20_h=0.001",
                                         "edges=1000_h=0.01"));

TEST(CheckStudy, FlagsTheOtherClaims) {
  const auto study = disc().make();
  auto results = published();
  find(results, "edges=100_h=0.0001").summary["facet_energy_error_2s"] = 0.006;
  EXPECT_EQ(failed(study->check_study(results)).size(), 1u);
  find(results, "edges=0_h=0.01").summary["max_energy_change"] = 1e-8;
  EXPECT_EQ(failed(study->check_study(results)).size(), 2u);
  CaseResult& implicit = find(results, "edges=0_h=0.01", "geometric-ncp");
  implicit.summary["max_energy_change"] = 1e-6;  // what the paper reports
  implicit.summary["unknowns"] = 10;
  EXPECT_EQ(failed(study->check_study(results)).size(), 4u);
}

TEST(PublishedStudy, PassesItsVerdict) {
  const cli::TempFolder root;
  const cli::Outcome outcome =
      cli::touchstone(root.path(), {"run", "rolling-disc", "--out", root / "study"});
  EXPECT_EQ(outcome.code, 0) << outcome.out << outcome.err;
  EXPECT_NE(outcome.out.find("rolling-disc: passed"), std::string::npos) << outcome.out;
  EXPECT_EQ(outcome.out.find("FAIL"), std::string::npos) << outcome.out;
  const auto cases = disc().make()->published_cases();
  EXPECT_EQ(cli::read_csv(root / "study/table.csv").rows.size(), cases.size());
  for (const Case& c : cases)
    EXPECT_TRUE(
        std::filesystem::exists(root.path() / "study" / c.formulation / c.name() / "summary.json"))
        << c.name();
}

TEST(CaseName, JoinsItsSettings) {
  EXPECT_EQ((Case{"penalty", {}}).name(), "defaults");
  EXPECT_EQ((Case{"penalty", {"edges=8", "h=0.1"}}).name(), "edges=8_h=0.1");
  EXPECT_EQ((Case{"stewart-trinkle", {"h=0.1"}, "lemke"}).name(), "h=0.1_solver=lemke");
}

}  // namespace
}  // namespace touchstone

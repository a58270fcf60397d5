#include "tests/experiments/records.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <regex>

/// What a run leaves behind, as results/README.md and the design promise it.

namespace touchstone::cli {
namespace {

using testing::AnyOf;
using testing::IsSupersetOf;

const Words polygon{"--set", "edges=100", "--set", "t_end=0.5"};
const Words tables{"contacts.csv", "energy.csv", "steps.csv", "trajectory.csv"};

Words keys(const Json& object) {
  Words list;
  for (const auto& [key, value] : object.items()) list.push_back(key);
  return list;
}

TEST(RunDirectory, OfAStudyHoldsExactlyItsFiles) {
  const TempFolder root;
  run_disc(root, root / "run", polygon);
  EXPECT_EQ(files_below(root / "run"),
            (Words{"bodies.json", "contacts.csv", "energy.csv", "oracle.csv", "run.json",
                   "steps.csv", "summary.json", "trajectory.csv"}));
}

TEST(RunDirectory, OfASceneHoldsTheSceneAndNoOracle) {
  const TempFolder root;
  run_scene(root, root / "run", "spinning-sphere.toml");
  EXPECT_EQ(files_below(root / "run"),
            (Words{"bodies.json", "contacts.csv", "energy.csv", "run.json", "scene.toml",
                   "steps.csv", "summary.json", "trajectory.csv"}));
}

TEST(Headers, OfAPlanarRun) {
  const TempFolder root;
  run_disc(root, root / "run", polygon);
  EXPECT_EQ(read_csv(root / "run/trajectory.csv").header,
            split("t,disc.x,disc.y,disc.theta,disc.vx,disc.vy,disc.w", ','));
  EXPECT_EQ(read_csv(root / "run/contacts.csv").header,
            split("t,contact,gap,p_n,p_t,p_o,p_r,slip,mode", ','));
  EXPECT_EQ(read_csv(root / "run/energy.csv").header,
            split("t,kinetic,potential,elastic,total,work_applied,work_normal,work_friction,"
                  "work_joints,work_numerical",
                  ','));
  EXPECT_EQ(read_csv(root / "run/steps.csv").header,
            split("t,status,residual,iterations,solve_us,step_us", ','));
  EXPECT_EQ(read_csv(root / "run/oracle.csv").header, split("t,kinetic", ','));
}

TEST(Headers, OfASpatialRunNameEveryMovingBody) {
  const TempFolder root;
  run_scene(root, root / "run", "box-stack.toml", {"--set", "t_end=0.05"});
  Words expected{"t"};
  for (const char* body : {"lower", "middle", "upper"})  // the floor does not move
    for (const std::string& column : split("x,y,z,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz", ','))
      expected.push_back(std::string(body) + "." + column);
  EXPECT_EQ(read_csv(root / "run/trajectory.csv").header, expected);
}

TEST(RunJson, SaysWhatWasRun) {
  const TempFolder root;
  run_disc(root, root / "run", polygon);
  const Json run = read_json(root / "run/run.json");
  EXPECT_THAT(keys(run),
              IsSupersetOf({"study", "formulation", "solver", "parameters", "seed", "commit",
                            "compiler", "dependencies", "wall_seconds", "status"}));
  EXPECT_EQ(run.at("study"), "rolling-disc");
  EXPECT_EQ(run.at("formulation"), "stewart-trinkle");
  EXPECT_EQ(run.at("solver"), "lemke");
  EXPECT_EQ(run.at("status"), "completed");
  EXPECT_GT(run.at("wall_seconds").get<double>(), 0.0);
  EXPECT_FALSE(run.at("commit").get<std::string>().empty());
  EXPECT_THAT(keys(run.at("dependencies")), IsSupersetOf({"eigen", "fmt", "qhull"}));
  const Json& parameters = run.at("parameters");
  EXPECT_EQ(parameters.at("edges"), 100);
  EXPECT_EQ(parameters.at("t_end"), 0.5);
  EXPECT_EQ(parameters.at("h"), 0.01) << "defaults are written, too";
  EXPECT_THAT(keys(parameters), IsSupersetOf({"h", "t_end", "mu", "e_t", "e_o", "e_r",
                                              "restitution", "edges", "directions"}));
}

TEST(RunJson, HasNoSolverWhereNoneIsUsed) {
  const TempFolder root;
  run_disc(root, root / "run", {"--formulation", "penalty", "--set", "t_end=0.1"});
  EXPECT_TRUE(read_json(root / "run/run.json").at("solver").is_null());
}

TEST(SummaryJson, HasWhatEveryRunHas) {
  const TempFolder root;
  run_disc(root, root / "run", polygon);
  const Json summary = read_json(root / "run/summary.json");
  for (const char* key : {"energy_loss", "max_penetration", "max_residual", "median_step_us"})
    EXPECT_TRUE(summary.at(key).is_number()) << key;
  EXPECT_EQ(summary.at("steps"), 50);
  EXPECT_EQ(summary.at("failed_steps"), 0);
  EXPECT_EQ(summary.at("final_state").at("t"), 0.5);
}

class Events : public testing::TestWithParam<std::string> {};

TEST_P(Events, AreOfTheDocumentedKindsAndInOrder) {
  const TempFolder root;
  run_scene(root, root / "run", GetParam());
  const Json events = read_json(root / "run/summary.json").at("events");
  ASSERT_FALSE(events.empty());
  double t = 0.0;
  for (const Json& event : events) {
    EXPECT_THAT(keys(event),
                AnyOf(Words{"t", "contact", "kind"}, Words{"t", "contact", "kind", "mode"}));
    if (event.contains("mode")) {
      EXPECT_EQ(event.at("mode"), "spin");
      EXPECT_EQ(event.at("kind"), "slip");
    }
    EXPECT_THAT(event.at("kind").get<std::string>(), AnyOf("slip", "stick", "separate", "touch"));
    EXPECT_GE(event.at("t").get<double>(), t);
    t = event.at("t");
  }
  EXPECT_EQ(events[0].at("kind"), "touch");
}

INSTANTIATE_TEST_SUITE_P(Scenes, Events,
                         testing::Values("bouncing-ball.toml", "block-on-slope.toml",
                                         "spinning-sphere.toml"),
                         [](const auto& instance) {
                           std::string name = instance.param.substr(0, instance.param.find('.'));
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

void expect_closed_ledger(const fs::path& run) {
  const Csv energy = read_csv(run / "energy.csv");
  ASSERT_GT(energy.rows.size(), 2u);
  const double start = energy.number(0, "total");
  for (std::size_t r = 0; r < energy.rows.size(); ++r) {
    const auto sum = [&](const Words& names) {
      double value = 0.0, scale = std::abs(start);
      for (const std::string& name : names) {
        value += energy.number(r, name);
        scale = std::max(scale, std::abs(energy.number(r, name)));
      }
      return std::pair{value, 1e-12 * scale};
    };
    const double total = energy.number(r, "total");
    const auto [stored, stored_error] = sum({"kinetic", "potential", "elastic"});
    EXPECT_NEAR(total, stored, stored_error) << "row " << r;
    const auto [work, work_error] =
        sum({"work_applied", "work_normal", "work_friction", "work_joints", "work_numerical"});
    EXPECT_NEAR(total, start + work, work_error) << "row " << r;
  }
}

// Of the redundant contacts under a box some carry nothing, now this one and now that: they still
// touch.
TEST(StackEvents, OfAStackAtRestAreOnlyTheFirstTouches) {
  const TempFolder root;
  run_scene(root, root / "run", "box-stack.toml", {"--set", "t_end=0.5"});
  const Json events = read_json(root / "run/summary.json").at("events");
  EXPECT_GE(events.size(), 6u);
  for (const Json& event : events)
    EXPECT_THAT(event.at("kind").get<std::string>(), AnyOf("touch", "stick")) << event;
}

TEST(EnergyLedger, Closes) {
  const TempFolder root;
  run_disc(root, root / "polygon", polygon);
  run_disc(root, root / "penalty", {"--formulation", "penalty", "--set", "t_end=0.5"});
  run_scene(root, root / "ball", "bouncing-ball.toml");
  run_scene(root, root / "stack", "box-stack.toml", {"--set", "t_end=0.1"});
  for (const char* run : {"polygon", "penalty", "ball", "stack"}) {
    SCOPED_TRACE(run);
    expect_closed_ledger(root / run);
  }
}

TEST(EnergyLedger, CreditsEachCause) {
  const TempFolder root;
  run_scene(root, root / "slope", "block-on-slope.toml");  // slides: friction takes the energy
  const Csv slope = read_csv(root / "slope/energy.csv");
  const std::size_t last = slope.rows.size() - 1;
  const double lost = slope.number(0, "total") - slope.number(last, "total");
  EXPECT_GT(lost, 0.1);
  EXPECT_NEAR(slope.number(last, "work_friction"), -lost, 0.02 * lost);

  run_scene(root, root / "ball", "bouncing-ball.toml");  // bounces: the normal impulses do
  const Csv ball = read_csv(root / "ball/energy.csv");
  const std::size_t end = ball.rows.size() - 1;
  const double dissipated = ball.number(0, "total") - ball.number(end, "total");
  EXPECT_GT(dissipated, 9.0);
  EXPECT_NEAR(ball.number(end, "work_normal"), -dissipated, 0.02 * dissipated);
  EXPECT_EQ(ball.number(end, "work_friction"), 0.0);
}

void expect_last_row_is_final_state(const fs::path& run, const std::string& body) {
  const Csv trajectory = read_csv(run / "trajectory.csv");
  const Words& last = trajectory.rows.back();
  const Json state = read_json(run / "summary.json").at("final_state");
  EXPECT_EQ(std::stod(last[0]), state.at("t").get<double>());
  std::vector<double> expected = state.at(body).at("q");
  const std::vector<double> nu = state.at(body).at("nu");
  expected.insert(expected.end(), nu.begin(), nu.end());
  ASSERT_EQ(last.size(), expected.size() + 1);
  for (std::size_t k = 0; k < expected.size(); ++k)
    EXPECT_EQ(std::stod(last[k + 1]), expected[k]) << trajectory.header[k + 1];
}

TEST(Trajectory, EndsInTheFinalState) {
  const TempFolder root;
  run_disc(root, root / "planar", polygon);
  expect_last_row_is_final_state(root / "planar", "disc");
  run_scene(root, root / "spatial", "spinning-sphere.toml");
  expect_last_row_is_final_state(root / "spatial", "sphere");
}

TEST(Tables, ShareTheirTimes) {
  const TempFolder root;
  run_disc(root, root / "run", polygon);
  const Csv trajectory = read_csv(root / "run/trajectory.csv");
  const Csv energy = read_csv(root / "run/energy.csv"), oracle = read_csv(root / "run/oracle.csv");
  ASSERT_EQ(trajectory.rows.size(), 51u) << "the start and 50 steps";
  ASSERT_EQ(energy.rows.size(), 51u);
  ASSERT_EQ(oracle.rows.size(), 51u);
  EXPECT_EQ(read_csv(root / "run/steps.csv").rows.size(), 50u);
  for (std::size_t r = 0; r < 51; ++r) {
    EXPECT_EQ(energy.rows[r][0], trajectory.rows[r][0]);
    EXPECT_EQ(oracle.rows[r][0], trajectory.rows[r][0]);
    EXPECT_NEAR(trajectory.number(r, "t"), 0.01 * static_cast<double>(r), 1e-12);
  }
}

TEST(RecordEvery, ThinsTheTablesAndKeepsTheEnd) {
  const TempFolder root;
  Words thin = polygon;
  thin.insert(thin.end(), {"--set", "record_every=7"});
  run_disc(root, root / "thin", thin);
  const Csv trajectory = read_csv(root / "thin/trajectory.csv");
  ASSERT_EQ(trajectory.rows.size(), 9u) << "the start, 7 of 50 steps, and the last one";
  EXPECT_NEAR(trajectory.number(1, "t"), 0.07, 1e-12);
  EXPECT_NEAR(trajectory.number(7, "t"), 0.49, 1e-12);
  EXPECT_NEAR(trajectory.number(8, "t"), 0.5, 1e-12);
  EXPECT_EQ(read_csv(root / "thin/steps.csv").rows.size(), 8u);
  expect_last_row_is_final_state(root / "thin", "disc");
}

TEST(RecordEvery, LeavesTheSummaryAlone) {
  const TempFolder root;
  Words thin = polygon;
  thin.insert(thin.end(), {"--set", "record_every=7"});
  run_disc(root, root / "full", polygon);
  run_disc(root, root / "thin", thin);
  const Json full = read_json(root / "full/summary.json");
  const Json thinned = read_json(root / "thin/summary.json");
  for (const char* key : {"status", "energy_loss", "max_energy_change", "max_penetration",
                          "max_residual", "failed_steps", "steps", "final_state", "events",
                          "kinetic_1s", "exact_kinetic_1s", "kinetic_end", "exact_kinetic_end"})
    EXPECT_EQ(full.at(key), thinned.at(key)) << key;
}

TEST(RecordEvery, LeavesTheStudysMeasuresAlone) {
  const TempFolder root;
  const Words full{"--set", "edges=100", "--set", "t_end=2"};
  Words thin = full;
  thin.insert(thin.end(), {"--set", "record_every=7"});  // no row at 1 s
  run_disc(root, root / "full", full);
  run_disc(root, root / "thin", thin);
  const Json measured = read_json(root / "full/summary.json");
  const Json thinned = read_json(root / "thin/summary.json");
  for (const char* key : {"kinetic_1s", "facet_energy_error_2s"})
    EXPECT_THAT(thinned.at(key), AnyOf(measured.at(key), Json(nullptr)))
        << key << ": the same, or nothing where the rows are too few";
}

/// Numbers that are none, in any spelling, as cells or values of their own.
void expect_no_bad_number(const fs::path& folder) {
  static const std::regex bad("(^|[,:\\[\\s])-?(nan|inf|infinity)(\\(|[,\\]\\s]|$)",
                              std::regex::icase);
  for (const std::string& file : files_below(folder)) {
    const std::string text = content(folder / file);
    for (const std::string& line : split(text, '\n'))
      EXPECT_FALSE(std::regex_search(line, bad)) << file << ": " << line;
  }
}

TEST(Files, HoldNoNanAndNoInfinity) {
  const TempFolder root;
  run_disc(root, root / "polygon", polygon);
  run_disc(root, root / "smooth", {"--set", "t_end=0.5"});
  run_disc(root, root / "penalty", {"--formulation", "penalty", "--set", "t_end=0.5"});
  run_scene(root, root / "sphere", "spinning-sphere.toml");
  for (const char* run : {"polygon", "smooth", "penalty", "sphere"}) {
    SCOPED_TRACE(run);
    expect_no_bad_number(root / run);
  }
}

TEST(FailedRun, IsRecordedWithItsReasonAndNoBadNumber) {
  const TempFolder root;
  const Outcome outcome =
      run_disc(root, root / "run", {"--set", "edges=100", "--set", "solver.max_iterations=1"}, 1);
  EXPECT_THAT(outcome.out, testing::HasSubstr("FAIL  the run reaches its end: failed at t = "));
  const Json run = read_json(root / "run/run.json"), summary = read_json(root / "run/summary.json");
  EXPECT_THAT(run.at("status").get<std::string>(), testing::HasSubstr("iteration_limit"));
  EXPECT_EQ(summary.at("status"), run.at("status"));
  EXPECT_EQ(summary.at("failed_steps"), 1);
  const Csv steps = read_csv(root / "run/steps.csv");
  EXPECT_EQ(steps.rows.back()[steps.column("status")], "iteration_limit");
  expect_last_row_is_final_state(root / "run", "disc");
  for (const std::string& file : tables) EXPECT_TRUE(fs::exists(root / "run" / file));
}

}  // namespace
}  // namespace touchstone::cli

#include "tests/experiments/command_line.hpp"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "tests/experiments/scene_files.hpp"

/// Bad input through the built program: one clear message, exit code 2, nothing left behind.

namespace touchstone::cli {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

void expect_refusal(const Outcome& outcome, const Words& says) {
  EXPECT_EQ(outcome.code, 2) << outcome.out << outcome.err;
  EXPECT_THAT(outcome.out, IsEmpty()) << "a refusal belongs on standard error";
  for (const std::string& part : says) EXPECT_THAT(outcome.err, HasSubstr(part));
  EXPECT_THAT(outcome.err, Not(HasSubstr("internal error")));
  EXPECT_LE(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 2)
      << "one message, and at most one line that points to --help:\n"
      << outcome.err;
}

struct BadInput {
  std::string name;
  Words arguments;
  Words says;
};

void PrintTo(const BadInput& bad, std::ostream* out) {
  for (const std::string& word : bad.arguments) *out << word << ' ';
}

class BadInputTest : public testing::TestWithParam<BadInput> {};

TEST_P(BadInputTest, IsRefusedWithItsCause) {
  const TempFolder root;
  expect_refusal(touchstone(root.path(), GetParam().arguments), GetParam().says);
  EXPECT_THAT(files_below(root.path()), IsEmpty());
}

Words with_set(const std::string& assignment) {
  return {"run", "rolling-disc", "--set", assignment};
}

const std::vector<BadInput> bad_names = {
    {"command", {"rnu"}, {"unknown command 'rnu'", "did you mean 'run'?", "simulate", "sweep"}},
    {"study",
     {"run", "roling-disc"},
     {"unknown study 'roling-disc'", "'rolling-disc'?", "Known studies: "}},
    {"study_of_sweep", {"sweep", "disc", "--vary", "h=1,2"}, {"unknown study 'disc'"}},
    {"formulation",
     {"run", "rolling-disc", "--formulation", "stewart-trinkel"},
     {"unknown formulation 'stewart-trinkel'", "did you mean 'stewart-trinkle'?", "penalty"}},
    {"solver",
     {"run", "rolling-disc", "--solver", "lemka"},
     {"unknown solver 'lemka'", "did you mean 'lemke'?", "enumeration"}},
    {"key", with_set("edgs=3"), {"unknown parameter 'edgs'", "did you mean 'edges'?", "t_end"}},
    {"solver_key",
     with_set("solver.max_iteration=3"),
     {"unknown parameter", "max_iteration'", "max_iterations"}},
    {"list", {"list", "solver"}, {"'solver'", "did you mean 'solvers'?", "studies"}},
    {"figure", {"figures", "fig9"}, {"'fig9'", "chakraborty2007_fig1a", "rolling-disc"}},
    {"option", {"run", "rolling-disc", "--fast"}, {"--fast"}},
};

const std::vector<BadInput> bad_values = {
    {"h_zero", with_set("h=0"), {"h = \"0\"", "expected a number above 0 [s]"}},
    {"h_negative", with_set("h=-1"), {"h = \"-1\"", "expected a number above 0 [s]"}},
    {"h_nan", with_set("h=nan"), {"h = \"nan\"", "expected a number above 0 [s]"}},
    {"h_infinite", with_set("h=inf"), {"h = \"inf\"", "expected a number above 0 [s]"}},
    {"h_text", with_set("h=abc"), {"h = \"abc\"", "expected a number above 0 [s]"}},
    {"h_tiny", with_set("h=1e-12"), {"h = 1e-12", "t_end = 10", "steps", "expected at most"}},
    {"edges_fraction", with_set("edges=2.5"), {"edges = \"2.5\"", "expected a whole number"}},
    {"edges_two", with_set("edges=2"), {"edges = 2", "expected 0", "at least 3"}},
    {"text_choice", with_set("form=mixd"), {"form = \"mixd\"", "one of reduced, mixed"}},
    {"no_value", with_set("novalue"), {"\"novalue\"", "expected KEY=VALUE"}},
    {"no_key", with_set("=3"), {"\"=3\"", "expected KEY=VALUE"}},
    {"empty_value", with_set("h="), {"h = \"\"", "expected a number above 0 [s]"}},
    {"vary_missing", {"sweep", "rolling-disc"}, {"--vary", "required"}},
    {"vary_no_values", {"sweep", "rolling-disc", "--vary", "h="}, {"--vary h=", "KEY=V1,V2"}},
    {"vary_no_equals",
     {"sweep", "rolling-disc", "--vary", "h"},
     {"--vary h", "expected KEY=V1,V2"}},
    {"vary_gap", {"sweep", "rolling-disc", "--vary", "h=0.1,,0.2"}, {"h=0.1,,0.2", "KEY=V1,V2"}},
    {"vary_twice", {"sweep", "rolling-disc", "--vary", "h=0.1,0.1"}, {"two cases", "h=0.1"}},
    {"vary_second_value_bad", {"sweep", "rolling-disc", "--vary", "h=0.1,abc"}, {"h = \"abc\""}},
    {"jobs_zero", {"run", "rolling-disc", "--jobs", "0"}, {"--jobs"}},
    {"jobs_negative", {"run", "rolling-disc", "--jobs", "-2"}, {"--jobs"}},
    {"study_missing", {"run"}, {"STUDY", "required"}},
};

const std::vector<BadInput> bad_solvers = {
    {"penalty_has_none",
     {"run", "rolling-disc", "--formulation", "penalty", "--solver", "lemke"},
     {"'penalty'", "uses no solver", "'lemke'"}},
    {"not_for_this_problem",
     {"run", "rolling-disc", "--solver", "enumeration", "--set", "form=mixed"},
     {"enumeration", "does not accept"}},
};

std::string name_of(const testing::TestParamInfo<BadInput>& instance) {
  return instance.param.name;
}
INSTANTIATE_TEST_SUITE_P(Names, BadInputTest, testing::ValuesIn(bad_names), name_of);
INSTANTIATE_TEST_SUITE_P(Values, BadInputTest, testing::ValuesIn(bad_values), name_of);
INSTANTIATE_TEST_SUITE_P(Solvers, BadInputTest, testing::ValuesIn(bad_solvers), name_of);

TEST(SolverKey, IsNamedAsTheUserWroteIt) {
  const TempFolder root;
  EXPECT_THAT(touchstone(root.path(), with_set("solver.max_iteration=3")).err,
              HasSubstr("unknown parameter 'solver.max_iteration'"));
}

TEST(JobsOption, SaysWhichNumbersAreAllowed) {
  const TempFolder root;
  const Outcome outcome = touchstone(root.path(), {"run", "rolling-disc", "--jobs", "0"});
  EXPECT_THAT(outcome.err, Not(HasSubstr("17976931348623157")))
      << "the largest double is no help to a reader";
}

// --- scene files

struct BadScene {
  std::string name;
  Lines lines;
  Words says;  // FILE stands for the path of the scene
};

void PrintTo(const BadScene& bad, std::ostream* out) { *out << bad.name; }

class BadSceneFile : public testing::TestWithParam<BadScene> {};

fs::path save(const TempFolder& folder, const Lines& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  put(folder / "scene.toml", text);
  return folder / "scene.toml";
}

TEST_P(BadSceneFile, IsRefusedWithFileAndLine) {
  const TempFolder root, scenes;
  const fs::path scene = save(scenes, GetParam().lines);
  Words says = GetParam().says;
  says.front() = scene.string() + says.front();
  expect_refusal(touchstone(root.path(), {"simulate", scene.string()}), says);
  EXPECT_THAT(files_below(root.path()), IsEmpty());
}

const std::vector<BadScene> bad_scenes = {
    {"syntax", with_line(planar, 10, "mass = = 2.0"), {":10"}},
    {"missing_shape", with_line(planar, 9, ""), {":7: ", "shape"}},
    {"negative_mass", with_line(planar, 10, "mass = -1.0"), {":10: ", "mass = -1", "above 0 [kg]"}},
    {"unknown_body_in_pair",
     with_line(planar, 12, "[[pair]]\nbodies = [\"ball\", \"wall\"]"),
     {":13: ", "'wall'", "ground", "ball"}},
    {"overlap",
     with_line(planar, 11, "position = [0.0, 0.5]"),
     {": ", "'ground'", "'ball'", "overlap by 0.5 m at the start"}},
};

INSTANTIATE_TEST_SUITE_P(Scenes, BadSceneFile, testing::ValuesIn(bad_scenes),
                         [](const auto& instance) { return instance.param.name; });

TEST(SimulateCommand, NamesAMissingSceneFile) {
  const TempFolder root;
  const std::string scene = root / "nowhere.toml";
  expect_refusal(touchstone(root.path(), {"simulate", scene}), {scene, "no such file"});
  EXPECT_THAT(files_below(root.path()), IsEmpty());
}

TEST(SimulateCommand, RunsAGoodSceneFile) {
  const TempFolder root;
  const fs::path scene = save(root, planar);
  const Outcome outcome =
      touchstone(root.path(), {"simulate", scene.string(), "--out", root / "run"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.err, IsEmpty());
  EXPECT_EQ(content(root / "run/scene.toml"), content(scene));
}

TEST(SimulateCommand, WritesBelowTheResultsFolderWhateverTheSceneIsCalled) {
  const TempFolder root, scenes;
  const fs::path scene = save(scenes, with_line(planar, 2, "dimension = 2\nname = \"..\""));
  touchstone(root.path(), {"simulate", scene.string()});  // may refuse
  for (const std::string& file : files_below(root.path()))
    EXPECT_THAT(file, testing::StartsWith("results/"));
}

TEST(SimulateCommand, LeavesAStudyOfTheSameNameAlone) {
  const TempFolder root, scenes;
  const Words study{"run", "rolling-disc", "--set", "t_end=0.1"};
  ASSERT_EQ(touchstone(root.path(), study).code, 0);
  const fs::path scene =
      save(scenes, with_line(planar, 2, "dimension = 2\nname = \"rolling-disc\""));
  touchstone(root.path(), {"simulate", scene.string(), "--set", "t_end=0.1"});  // may refuse
  EXPECT_THAT(touchstone(root.path(), study).out, HasSubstr("already on disk"));
}

TEST(SimulateCommand, TellsABodyCalledTFromTheTime) {
  const TempFolder root;
  const fs::path scene = save(root, with_line(planar, 8, "name = \"t\""));
  const Outcome outcome = touchstone(
      root.path(), {"simulate", scene.string(), "--set", "t_end=0.1", "--out", root / "run"});
  if (outcome.code == 2) return;  // refused: as good
  const auto state = nlohmann::json::parse(content(root / "run/summary.json")).at("final_state");
  EXPECT_TRUE(state.at("t").is_number()) << state;
}

// --- output folders

Words short_run(const fs::path& out) {
  return {"run", "rolling-disc", "--set", "t_end=0.1", "--out", out.string()};
}

TEST(OutputFolder, BelowARegularFileIsRefused) {
  const TempFolder root;
  put(root / "file", "mine");
  expect_refusal(touchstone(root.path(), short_run(root / "file/run")),
                 {"cannot", (root / "file").string(), "Not a directory"});
  EXPECT_EQ(content(root / "file"), "mine");
}

TEST(OutputFolder, ThatIsARegularFileIsRefused) {
  const TempFolder root;
  put(root / "file", "mine");
  expect_refusal(touchstone(root.path(), short_run(root / "file")),
                 {"cannot write", (root / "file").string(), "not a folder"});
  EXPECT_EQ(content(root / "file"), "mine");
}

TEST(OutputFolder, InProcIsRefused) {
  const TempFolder root;
  for (const char* folder : {"/proc/touchstone", "/proc/touchstone/run"})
    expect_refusal(touchstone(root.path(), short_run(folder)), {"cannot", "'/proc/touchstone"});
}

TEST(OutputFolder, WithForeignFilesIsLeftAlone) {
  const TempFolder root;
  put(root / "thesis/chapter1.tex", "years of work");
  expect_refusal(touchstone(root.path(), short_run(root / "thesis")),
                 {"cannot write", (root / "thesis").string(), "not a run's"});
  EXPECT_EQ(files_below(root.path()), Words{"thesis/chapter1.tex"});
  EXPECT_EQ(content(root / "thesis/chapter1.tex"), "years of work");
}

TEST(OutputFolder, OfARunKeepsForeignFiles) {
  const TempFolder root;
  ASSERT_EQ(touchstone(root.path(), short_run(root / "run")).code, 0);
  put(root / "run/notes.txt", "what I saw");
  Words again = short_run(root / "run");
  again.push_back("--rerun");
  touchstone(root.path(), again);  // may refuse or keep, never delete
  ASSERT_TRUE(fs::exists(root / "run/notes.txt"));
  EXPECT_EQ(content(root / "run/notes.txt"), "what I saw");
}

TEST(OutputFolder, MayBeSpelledWithADot) {
  const TempFolder root;
  fs::create_directory(root / "here");
  const Outcome outcome = touchstone(root.path(), short_run(root / "here" / "."));
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(fs::exists(root / "here/summary.json"));
}

TEST(OutputFolder, IsCheckedBeforeALongRun) {
  const TempFolder root;
  put(root / "thesis/chapter1.tex", "years of work");
  Program program(root.path(), {"run", "rolling-disc", "--set", "edges=1000", "--set", "h=0.000001",
                                "--out", root / "thesis"});
  EXPECT_EQ(program.finish(5.0).code, 2);
}

TEST(OutputFolder, EmptyOneIsUsed) {
  const TempFolder root;
  fs::create_directory(root / "empty");
  const Outcome outcome = touchstone(root.path(), short_run(root / "empty"));
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(fs::exists(root / "empty/summary.json"));
}

TEST(OutputFolder, WithoutOptionIsNamedByTheCase) {
  const TempFolder root;
  const Outcome outcome =
      touchstone(root.path(), {"run", "rolling-disc", "--set", "t_end=0.1", "--set", "edges=8"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(
      fs::exists(root / "results/rolling-disc/stewart-trinkle/t_end=0.1_edges=8/summary.json"));
}

}  // namespace
}  // namespace touchstone::cli

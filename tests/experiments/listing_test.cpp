#include <gmock/gmock.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tests/experiments/command_line.hpp"

/// What the program tells about itself: list and --help.

namespace touchstone::cli {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;

json listing(const Words& arguments) {
  const TempFolder root;
  const Outcome outcome = touchstone(root.path(), arguments);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.err, IsEmpty());
  return json::parse(outcome.out);
}

Words keys(const json& object) {
  Words list;
  for (const auto& [key, value] : object.items()) list.push_back(key);
  return list;
}

Words names(const json& entries) {
  Words list;
  for (const json& entry : entries) list.push_back(entry.at("name"));
  return list;
}

TEST(List, ShowsEveryKindWithItsEntries) {
  const TempFolder root;
  const Outcome outcome = touchstone(root.path(), {"list"});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_THAT(outcome.err, IsEmpty());
  EXPECT_THAT(outcome.out,
              AllOf(HasSubstr("studies\n"), HasSubstr("formulations\n"), HasSubstr("solvers\n"),
                    HasSubstr("shapes\n"), HasSubstr("rolling-disc"), HasSubstr("stewart-trinkle"),
                    HasSubstr("lemke"), HasSubstr("half-space")));
}

TEST(List, OfOneKindLeavesOutTheOthers) {
  const TempFolder root;
  const Outcome outcome = touchstone(root.path(), {"list", "solvers"});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("lemke"), Not(HasSubstr("half-space"))));
}

TEST(ListJson, HasTheFourKinds) {
  EXPECT_EQ(keys(listing({"list", "--json"})),
            (Words{"formulations", "shapes", "solvers", "studies"}));
}

TEST(ListJson, DescribesAStudy) {
  const json studies = listing({"list", "studies", "--json"});
  const Words all = names(studies);
  const auto at = std::find(all.begin(), all.end(), "rolling-disc");
  ASSERT_NE(at, all.end());
  const json& disc = studies[static_cast<std::size_t>(at - all.begin())];
  EXPECT_EQ(keys(disc), (Words{"cite", "figures", "formulation", "name", "parameters", "summary"}));
  EXPECT_EQ(disc.at("formulation"), "stewart-trinkle");
  EXPECT_EQ(disc.at("figures"), json({"chakraborty2007_fig1a", "chakraborty2007_fig1b"}));
}

TEST(ListJson, DescribesFormulationsAndSolvers) {
  const json all = listing({"list", "--json"});
  for (const json& entry : all.at("formulations"))
    EXPECT_THAT(keys(entry), testing::IsSupersetOf(
                                 {"name", "summary", "cite", "available", "solver", "parameters"}));
  for (const json& entry : all.at("solvers"))
    EXPECT_THAT(keys(entry),
                testing::IsSupersetOf({"name", "summary", "cite", "available", "parameters"}));
  for (const char* kind : {"formulations", "solvers"})
    for (const json& entry : all.at(kind))
      EXPECT_EQ(entry.contains("reason"), !entry.at("available").get<bool>())
          << entry.at("name") << ": unavailable is a stated fact with a reason";
}

TEST(ListJson, DescribesShapes) {
  for (const json& entry : listing({"list", "shapes", "--json"}))
    EXPECT_EQ(keys(entry), (Words{"dimensions", "keys", "name", "summary"}));
}

TEST(ListJson, GivesEveryParameterAllThatAUserNeeds) {
  const json all = listing({"list", "--json"});
  int seen = 0;
  for (const char* kind : {"studies", "formulations", "solvers"})
    for (const json& entry : all.at(kind))
      for (const json& parameter : entry.at("parameters")) {
        EXPECT_EQ(keys(parameter), (Words{"default", "description", "expected", "name", "unit"}));
        ++seen;
      }
  EXPECT_GT(seen, 15);
}

class Help : public testing::TestWithParam<std::string> {};

TEST_P(Help, IsPrintedWithExitCodeZero) {
  const TempFolder root;
  const Outcome outcome = touchstone(root.path(), {GetParam(), "--help"});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_THAT(outcome.err, IsEmpty());
  EXPECT_THAT(outcome.out,
              AllOf(HasSubstr("Usage: touchstone " + GetParam()), HasSubstr("--help")));
  EXPECT_THAT(files_below(root.path()), IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(Commands, Help,
                         testing::Values("list", "run", "simulate", "sweep", "figures"),
                         [](const auto& instance) { return instance.param; });

TEST(HelpOfTheProgram, NamesEveryCommandAndTheExitCodes) {
  const TempFolder root;
  const Outcome outcome = touchstone(root.path(), {"--help"});
  EXPECT_EQ(outcome.code, 0);
  for (const char* word : {"list", "run", "simulate", "sweep", "figures", "test", "bench",
                           "Exit codes", "130 interrupted"})
    EXPECT_THAT(outcome.out, HasSubstr(word));
}

TEST(Version, NamesTheCommit) {
  const TempFolder root;
  const Outcome outcome = touchstone(root.path(), {"--version"});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_THAT(outcome.out, testing::MatchesRegex("touchstone [0-9.]+ \\(.+\\)\n"));
}

}  // namespace
}  // namespace touchstone::cli

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

namespace touchstone {

namespace {

namespace fs = std::filesystem;

std::string text_of(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

std::set<std::string> matches(const std::string& text, const std::regex& pattern) {
  std::set<std::string> found;
  for (std::sregex_iterator m(text.begin(), text.end(), pattern), end; m != end; ++m)
    found.insert((*m)[1].str() + "." + (*m)[2].str());
  return found;
}

TEST(KnownAnswersPage, NamesTestsThatExist) {
  const fs::path root(TOUCHSTONE_SOURCE_DIR);
  std::set<std::string> tests;
  for (const auto& file : fs::recursive_directory_iterator(root / "tests"))
    if (file.path().extension() == ".cpp")
      tests.merge(matches(text_of(file.path()), std::regex(R"(TEST(?:_[FP])?\((\w+),\s*(\w+)\))")));
  const auto named = matches(text_of(root / "docs" / "known-answers.md"),
                             std::regex(R"(`([A-Z]\w+)\.([A-Z]\w+)`)"));
  EXPECT_GT(named.size(), 60u);
  for (const std::string& name : named) EXPECT_TRUE(tests.contains(name)) << name;
}

}  // namespace

}  // namespace touchstone

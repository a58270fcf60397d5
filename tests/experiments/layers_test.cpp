#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <set>

#include "experiments/harness/provenance.hpp"

namespace touchstone {

namespace {

namespace fs = std::filesystem;

/// Which folders each folder may include: geometry and solvers know nothing of each other or of
/// anything above.
const std::map<std::string, std::set<std::string>> allowed{
    {"geometry", {"geometry"}},
    {"solvers", {"solvers"}},
    {"formulations", {"geometry", "solvers", "formulations"}},
    {"experiments", {"geometry", "solvers", "formulations", "experiments"}},
};

TEST(Layers, IncludeOnlyWhatLiesBelowThem) {
  int includes = 0;
  for (const auto& [folder, below] : allowed)
    for (const auto& file :
         fs::recursive_directory_iterator(fs::path(TOUCHSTONE_SOURCE_DIR) / folder)) {
      if (file.path().extension() != ".hpp" && file.path().extension() != ".cpp") continue;
      std::ifstream in(file.path());
      for (std::string line; std::getline(in, line);) {
        if (!line.starts_with("#include \"")) continue;
        const std::string path = line.substr(10);
        const std::string layer = path.substr(0, path.find('/'));
        EXPECT_TRUE(below.contains(layer)) << file.path() << ": " << line;
        ++includes;
      }
    }
  EXPECT_GT(includes, 100);
}

}  // namespace

}  // namespace touchstone

#include "experiments/harness/provenance.hpp"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <CLI/Version.hpp>
#include <Eigen/Core>
#include <cstdlib>

namespace touchstone {

Json provenance() {
  const auto version = [](int major, int minor, int patch) {
    return fmt::format("{}.{}.{}", major, minor, patch);
  };
  return {
      {"commit", commit()},
      {"sources", source_hash()},
      {"compiler", fmt::format("{} {}", TOUCHSTONE_COMPILER, TOUCHSTONE_BUILD_TYPE)},
      {"dependencies",
       {{"eigen", version(EIGEN_WORLD_VERSION, EIGEN_MAJOR_VERSION, EIGEN_MINOR_VERSION)},
        {"fmt", version(FMT_VERSION / 10000, FMT_VERSION / 100 % 100, FMT_VERSION % 100)},
        {"cli11", CLI11_VERSION},
        {"toml++", version(TOML_LIB_MAJOR, TOML_LIB_MINOR, TOML_LIB_PATCH)},
        {"nlohmann-json", version(NLOHMANN_JSON_VERSION_MAJOR, NLOHMANN_JSON_VERSION_MINOR,
                                  NLOHMANN_JSON_VERSION_PATCH)},
        {"qhull", TOUCHSTONE_QHULL_VERSION}}},
  };
}

std::filesystem::path project_root() {
  const char* root = std::getenv("TOUCHSTONE_ROOT");
  return root ? root : TOUCHSTONE_SOURCE_DIR;
}

}  // namespace touchstone

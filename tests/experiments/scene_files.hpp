#pragma once

/// Small scene files for tests, written line by line.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "experiments/scene.hpp"
#include "solvers/error.hpp"

namespace touchstone {

using Lines = std::vector<std::string>;

// clang-format off
inline const Lines planar = {
    "[scene]",                                                          // 1
    "dimension = 2",                                                    // 2
    "[[body]]",                                                         // 3
    "name = \"ground\"",                                                // 4
    "shape = { kind = \"half-space\" }",                                // 5
    "fixed = true",                                                     // 6
    "[[body]]",                                                         // 7
    "name = \"ball\"",                                                  // 8
    "shape = { kind = \"disc\", radius = 1.0 }",                        // 9
    "mass = 2.0",                                                       // 10
    "position = [0.0, 1.0]",                                            // 11
};
inline const Lines spatial = {
    "[scene]",                                                          // 1
    "dimension = 3",                                                    // 2
    "[[body]]",                                                         // 3
    "name = \"ground\"",                                                // 4
    "shape = { kind = \"half-space\" }",                                // 5
    "fixed = true",                                                     // 6
    "[[body]]",                                                         // 7
    "name = \"ball\"",                                                  // 8
    "shape = { kind = \"box\", sides = [1.0, 2.0, 4.0] }",              // 9
    "mass = 2.0",                                                       // 10
    "position = [0.0, 0.0, 2.0]",                                       // 11
};
// clang-format on

/// A copy with line `number` (1 …) replaced, or appended when it is one past the end.
inline Lines with_line(Lines lines, std::size_t number, const std::string& text) {
  lines.resize(std::max(lines.size(), number));
  lines[number - 1] = text;
  return lines;
}

inline std::string write(const Lines& lines, const std::string& name = "scene.toml") {
  // A directory of its own, because tests run side by side.
  const auto* test = testing::UnitTest::GetInstance()->current_test_info();
  std::string directory = std::string(test->test_suite_name()) + "_" + test->name();
  std::ranges::replace(directory, '/', '_');
  directory = testing::TempDir() + directory;
  std::filesystem::create_directories(directory);
  const std::string path = directory + "/" + name;
  std::ofstream stream(path);
  for (const std::string& line : lines) stream << line << '\n';
  return path;
}

inline Scene read(const Lines& lines, const std::vector<std::string>& overrides = {}) {
  return read_scene(write(lines), overrides);
}

inline std::string error_of(const std::string& path,
                            const std::vector<std::string>& overrides = {}) {
  try {
    read_scene(path, overrides);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace touchstone

#pragma once

/// What a user asks for, a study or a scene file with some choices, as a spec and a world.

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "experiments/harness/spec.hpp"
#include "experiments/scene.hpp"

namespace touchstone {

/// The choices beside the name.
struct Asked {
  std::optional<std::string> formulation, solver;
  std::vector<std::string> sets;  // "KEY=VALUE"
};

struct Target {
  RunSpec spec;
  World world;
};

/// A scene file (NAME.toml) or a study by its name.
Target target_of(const std::string& name, const Asked& asked);

/// A scene file with the user's choices applied.
std::pair<RunSpec, Scene> scene_spec(const std::string& file, const Asked& asked);

}  // namespace touchstone

#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "formulations/common/world.hpp"
#include "solvers/parameters.hpp"

namespace touchstone {

/// A world and how to run it. Scenes come from TOML files (docs/scenes.md) or from studies.
struct Scene {
  std::string name;
  World world;
  Parameters parameters;                   // h, t_end, mu, …: documented, resolved
  std::optional<std::string> formulation;  // what the file asks for
  std::optional<std::string> solver;
};

/// What every scene file can set in [run] and [law], with defaults; `--set` overrides them.
Parameters scene_parameters();

/// Reads a scene file. `overrides` ("h=0.001") come last and win. Throws InputError that names
/// file, line and key, the value and what was expected.
Scene read_scene(const std::filesystem::path& file, const std::vector<std::string>& overrides = {});

/// Throws InputError that names both bodies and the depth when two bodies overlap at the start by
/// more than 1e-6 of the smaller one's radius. `where` opens the message.
void check_no_overlap(const World& world, const std::string& where);

}  // namespace touchstone

#pragma once

#include <filesystem>

#include "experiments/settings.hpp"

namespace touchstone {

/// The top-level table of a TOML file. InputError for a file that is missing, not readable or
/// empty, and for a syntax error (with its line).
Settings read_toml(const std::filesystem::path& file);

}  // namespace touchstone

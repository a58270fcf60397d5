#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>

namespace touchstone {

using Json = nlohmann::ordered_json;

const char* commit();       // of the source tree; "…+changes" when it had uncommitted ones
const char* source_hash();  // over all sources: equal hashes mean equal code

/// commit, sources, compiler and the versions of the libraries, for run.json.
Json provenance();

/// The project's folder: TOUCHSTONE_ROOT, set by the entry script, else where it was built from.
std::filesystem::path project_root();

}  // namespace touchstone

#pragma once

#include <string>
#include <vector>

namespace touchstone {

/// The candidate that needs the fewest edits to become `name`; empty when none is near.
std::string nearest_name(const std::string& name, const std::vector<std::string>& candidates);

/// "unknown solver 'lemk'; did you mean 'lemke'? Known solvers: enumeration, lemke"
std::string unknown_name(const std::string& kind, const std::string& name,
                         const std::vector<std::string>& known);

}  // namespace touchstone

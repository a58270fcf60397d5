#pragma once

/// Named families of random problems, for profiles of solvers: problem k of a family is the same
/// everywhere and for ever, whatever the number of problems asked for.

#include <functional>
#include <string>

#include "solvers/problem.hpp"
#include "solvers/registry.hpp"

namespace touchstone {

struct FamilyEntry {
  static constexpr const char* kind = "family";
  std::string name;
  std::string summary;
  int count = 0;  // problems unless the user says how many
  std::function<Problem(int)> make{};
};

}  // namespace touchstone

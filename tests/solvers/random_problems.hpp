#pragma once

/// The random problems of the library under the tests' own names.

#include "solvers/collections/random_problems.hpp"

namespace touchstone::testing {

using namespace random_problems;

}  // namespace touchstone::testing

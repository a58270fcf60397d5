#pragma once

#include <utility>
#include <vector>

#include "experiments/settings.hpp"
#include "formulations/common/world.hpp"

namespace touchstone {

/// A body as one [[body]] table describes it (docs/scenes.md).
Body read_body(int dim, const Settings& table);

/// The indices of the bodies that `bodies = ["a", "b"]` names, in that order; one of them moves.
std::pair<int, int> read_two_bodies(const Settings& table, const std::vector<Body>& bodies);

}  // namespace touchstone

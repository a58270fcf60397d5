#pragma once

#include <vector>

#include "experiments/settings.hpp"
#include "formulations/common/world.hpp"

namespace touchstone {

/// A joint as one [[joint]] table describes it (docs/scenes.md).
Joint read_joint(int dim, const Settings& table, const std::vector<Body>& bodies);

}  // namespace touchstone

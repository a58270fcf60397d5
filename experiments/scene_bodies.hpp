#pragma once

#include <vector>

#include "experiments/settings.hpp"
#include "formulations/common/world.hpp"

namespace touchstone {

/// A body as one [[body]] table describes it (docs/scenes.md).
Body read_body(int dim, const Settings& table);

}  // namespace touchstone

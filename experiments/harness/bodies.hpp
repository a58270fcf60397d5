#pragma once

/// What the bodies of a run look like, for whoever draws its motion (bodies.json).

#include <string>

#include "formulations/common/world.hpp"

namespace touchstone {

/// The text of bodies.json (results/README.md has its keys): per body its name, whether it is
/// fixed, the pose of a fixed one, and in the body's own frame an outline (planar) or a mesh
/// (spatial); per joint its kind and where it is attached. Polytopes are exact. Other shapes carry
/// their exact dimensions, where they have names, beside a polygon or mesh inscribed in them.
std::string bodies_json(const World& world);

}  // namespace touchstone

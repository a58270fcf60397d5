#pragma once

/// The scenes that Hart and Anitescu show as pictures, with data of our own (docs/ratio-metric.md):
/// polytopes and half-spaces only, feasible at the start.

#include "formulations/common/world.hpp"

namespace touchstone {

/// A beam on a wedge with two boxes that swing from its ends, one of them heavier.
World balance2(const FrictionLaw& law);
/// Six boxes stacked in a pyramid, hit by a hexagon that swings from a hook.
World pyramid1(const FrictionLaw& law);
/// Three cubes joined by two rods, thrown with a spin onto the floor, in space.
World dice3(const FrictionLaw& law);
/// Two pairs of 12-gon wheels roll down a slope towards two boxes; a rod keeps the axle of the one
/// wheel at a fixed distance from a crank of the other.
World setup6(const FrictionLaw& law);

}  // namespace touchstone

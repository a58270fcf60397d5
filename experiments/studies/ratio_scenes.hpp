#pragma once

/// The scenes that Hart and Anitescu show as pictures, with data of our own (docs/ratio-metric.md):
/// polytopes and half-spaces only, feasible at the start.

#include "formulations/common/world.hpp"

namespace touchstone {

/// A plank balances on a wedge with a light box on one side and a heavy one on the other.
World balance2(double mu);
/// Six boxes stacked in a pyramid; a hexagon is thrown at it.
World pyramid1(double mu);
/// Three spinning cubes thrown onto the floor, in space.
World dice3(double mu);
/// Two pairs of 12-gon wheels, each pair at a fixed distance, roll down a slope towards two boxes.
World setup6(double mu);

}  // namespace touchstone

#pragma once

#include <vector>

#include "formulations/common/world.hpp"

namespace touchstone {

/// Moves the body in the plane x = const, without turning it, until it touches both supports. False
/// where it cannot.
///
/// Newton's method, the gradient of a gap being its normal. Two polytopes are judged by the ratio
/// metric: their gap along its normal is piecewise linear in the position and zero exactly where
/// they touch, so that the method ends after finitely many steps.
bool settle(Body& body, const std::vector<Body>& supports);

}  // namespace touchstone

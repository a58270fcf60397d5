#pragma once

/// Argument checks shared by the shapes: the message names the shape, the value and what was
/// expected.

#include "geometry/convex_set.hpp"

namespace touchstone::checks {

void dimension(const char* shape, int dim);
void positive(const char* shape, const char* what, double value);
/// Every entry finite; for dim 2 also z = 0.
void point(const char* shape, const char* what, int dim, const Vec3& x);

}  // namespace touchstone::checks

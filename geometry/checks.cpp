#include "geometry/checks.hpp"

#include <fmt/format.h>

#include <cmath>
#include <stdexcept>

namespace touchstone::checks {

void dimension(const char* shape, int dim) {
  if (dim != 2 && dim != 3)
    throw std::invalid_argument(fmt::format("{}: dim is {}, expected 2 or 3", shape, dim));
}

void positive(const char* shape, const char* what, double value) {
  if (!(value > 0.0) || !std::isfinite(value))
    throw std::invalid_argument(
        fmt::format("{}: {} is {}, expected a finite number > 0", shape, what, value));
}

void point(const char* shape, const char* what, int dim, const Vec3& x) {
  if (!x.allFinite())
    throw std::invalid_argument(fmt::format("{}: {} is ({}, {}, {}), expected finite numbers",
                                            shape, what, x.x(), x.y(), x.z()));
  if (dim == 2 && x.z() != 0.0)
    throw std::invalid_argument(
        fmt::format("{}: {} has z = {}, expected z = 0 in a planar set", shape, what, x.z()));
}

}  // namespace touchstone::checks

#pragma once

#include <cmath>
#include <utility>
#include <vector>

namespace touchstone {

/// The least-squares exponent p of y ~ xᵖ.
inline double power_of(const std::vector<std::pair<double, double>>& points) {
  double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (const auto& [first, second] : points) {
    const double x = std::log(first), y = std::log(second);
    n += 1, sx += x, sy += y, sxx += x * x, sxy += x * y;
  }
  return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

}  // namespace touchstone

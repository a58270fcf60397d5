#include "geometry/convex_set.hpp"

#include <algorithm>

namespace touchstone {

double ConvexSet::largest_value(const Vec3& x) const {
  double largest = value(0, x);
  for (int j = 1; j < count(); ++j) largest = std::max(largest, value(j, x));
  return largest;
}

}  // namespace touchstone

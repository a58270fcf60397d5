#pragma once

#include <vector>

#include "geometry/convex_set.hpp"

namespace touchstone {

/// A set that may touch along a line or a flat face, beside polytopes.
class FlatSet {
 public:
  virtual ~FlatSet() = default;

  /// Points that span what may touch a plane with outward normal −d: the ends of the flat face or
  /// the line that is tilted against it by less than the angle with the given cosine; everywhere
  /// else the support point alone. Appended to `out`.
  virtual void supporting_points(const Vec3& d, double cosine, std::vector<Vec3>& out) const = 0;
};

/// Those of any set: the support point alone unless it is a FlatSet.
void supporting_points(const ConvexSet& set, const Vec3& d, double cosine, std::vector<Vec3>& out);

}  // namespace touchstone

#include "geometry/supporting_points.hpp"

namespace touchstone {

void supporting_points(const ConvexSet& set, const Vec3& d, double cosine, std::vector<Vec3>& out) {
  const FlatSet* flat = set.count() > 1 ? dynamic_cast<const FlatSet*>(&set) : nullptr;
  if (flat)
    flat->supporting_points(d, cosine, out);
  else
    out.push_back(set.support(d));
}

}  // namespace touchstone

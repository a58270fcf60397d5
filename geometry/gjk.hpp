#pragma once

/// Distance from the origin to a polytope known by its support function (Gilbert, Johnson and
/// Keerthi, IEEE J. Robotics and Automation 4, 1988). With vertices a − b it is the distance of two
/// polytopes.

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>

#include "geometry/convex_set.hpp"

namespace touchstone {

/// The point of a simplex that is nearest to the origin: Σ weightᵢ xᵢ over the vertices that carry
/// it.
struct Nearest {
  Vec3 point = Vec3::Zero();
  int count = 0;
  std::array<int, 4> vertex{};
  std::array<double, 4> weight{};
};

/// For 1 to 4 points; exact about which face carries the answer up to roundoff.
Nearest nearest_in_simplex(const std::array<Vec3, 4>& x, int count);

struct GjkResult {
  Vec3 point = Vec3::Zero();         // nearest to the origin; zero when the origin is inside
  int count = 0;                     // 1 to 4 vertices span it
  std::array<std::int64_t, 4> id{};  // their numbers, as the support function gave them
  std::array<double, 4> weight{};
};

struct SupportVertex {
  Vec3 x;
  std::int64_t id;
};

/// support(d) returns a SupportVertex farthest along d. Ends when no vertex is nearer by more than
/// roundoff of `scale` [m], the size of the coordinates, or by more than `relative` of the
/// distance: on curved sets every step finds a new vertex.
template <class Support>
GjkResult gjk(const Support& support, const Vec3& start, double scale, double relative = 0.0) {
  constexpr double eps = std::numeric_limits<double>::epsilon();
  std::array<Vec3, 4> x;
  std::array<std::int64_t, 4> id{};
  SupportVertex first = support(start);
  x[0] = first.x, id[0] = first.id;
  int count = 1;
  GjkResult best{first.x, 1, {first.id}, {1.0}};
  for (int iteration = 0; iteration < 1000; ++iteration) {
    const double distance = best.point.norm();
    if (distance <= 8.0 * eps * scale) break;
    const SupportVertex w = support(-best.point);
    const double enough = std::max(4.0 * eps * scale, relative * distance);
    if (best.point.dot(best.point - w.x) <= enough * distance) break;
    x[count] = w.x, id[count] = w.id;
    const Nearest nearest = nearest_in_simplex(x, count + 1);
    if (!(nearest.point.norm() < distance)) break;  // nothing but roundoff is left to gain
    const std::array<Vec3, 4> old_x = x;
    const std::array<std::int64_t, 4> old_id = id;
    count = nearest.count;
    best.point = nearest.point, best.count = count, best.weight = nearest.weight;
    for (int i = 0; i < count; ++i) {
      x[i] = old_x[nearest.vertex[i]];
      id[i] = best.id[i] = old_id[nearest.vertex[i]];
    }
    if (count == 4) {
      best.point.setZero();
      break;
    }
  }
  return best;
}

}  // namespace touchstone

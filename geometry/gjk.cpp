#include "geometry/gjk.hpp"

namespace touchstone {

namespace {

void consider(Nearest& best, const Nearest& candidate) {
  if (candidate.count > 0 &&
      (best.count == 0 || candidate.point.squaredNorm() < best.point.squaredNorm()))
    best = candidate;
}

Nearest on_edge(const std::array<Vec3, 4>& x, int i, int j) {
  const Vec3 e = x[j] - x[i];
  const double length2 = e.squaredNorm();
  const double t = -x[i].dot(e) / length2;
  if (!(t > 0.0 && t < 1.0)) return {};
  // The smaller of the two weights is the more accurate base.
  const Vec3 base = t < 0.5 ? x[i] : x[j];
  return {base - base.dot(e) / length2 * e, 2, {i, j}, {1.0 - t, t}};
}

Nearest on_triangle(const std::array<Vec3, 4>& x, int i, int j, int k) {
  const Vec3 n = (x[j] - x[i]).cross(x[k] - x[i]);
  const double n2 = n.squaredNorm();
  if (!(n2 > 0.0)) return {};
  // Barycentric weights of the projected origin from the areas it spans with each edge.
  const double wi = n.dot(x[j].cross(x[k])) / n2;
  const double wj = n.dot(x[k].cross(x[i])) / n2;
  const double wk = n.dot(x[i].cross(x[j])) / n2;
  if (!(wi > 0.0 && wj > 0.0 && wk > 0.0)) return {};
  return {n.dot(x[i]) / n2 * n, 3, {i, j, k}, {wi, wj, wk}};
}

/// Does the tetrahedron hold the origin (strictly)?
Nearest in_tetrahedron(const std::array<Vec3, 4>& x) {
  const double volume = (x[1] - x[0]).dot((x[2] - x[0]).cross(x[3] - x[0]));
  if (volume == 0.0) return {};
  const std::array<double, 4> w = {
      x[1].dot(x[2].cross(x[3])) / volume, -x[0].dot(x[2].cross(x[3])) / volume,
      x[0].dot(x[1].cross(x[3])) / volume, -x[0].dot(x[1].cross(x[2])) / volume};
  for (double weight : w)
    if (!(weight > 0.0)) return {};
  return {Vec3::Zero(), 4, {0, 1, 2, 3}, w};
}

}  // namespace

Nearest nearest_in_simplex(const std::array<Vec3, 4>& x, int count) {
  Nearest best;
  for (int i = 0; i < count; ++i) consider(best, {x[i], 1, {i}, {1.0}});
  for (int i = 0; i < count; ++i)
    for (int j = i + 1; j < count; ++j) consider(best, on_edge(x, i, j));
  for (int i = 0; i < count; ++i)
    for (int j = i + 1; j < count; ++j)
      for (int k = j + 1; k < count; ++k) consider(best, on_triangle(x, i, j, k));
  if (count == 4) consider(best, in_tetrahedron(x));
  return best;
}

}  // namespace touchstone

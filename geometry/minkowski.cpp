#include "geometry/minkowski.hpp"

#include <algorithm>
#include <limits>

#include "geometry/gjk.hpp"
#include "geometry/hull.hpp"

namespace touchstone {

namespace {

std::vector<Vec3> differences(const Polytope& A, const Pose& pose_a, const Polytope& B,
                              const Pose& pose_b) {
  std::vector<Vec3> b;
  b.reserve(B.vertices().size());
  for (const Vec3& v : B.vertices()) b.push_back(pose_b.R * v);
  // Positions are added last, so that far from the world's origin the difference keeps its digits.
  const Vec3 shift = pose_a.x - pose_b.x;
  std::vector<Vec3> points;
  points.reserve(A.vertices().size() * b.size());
  for (const Vec3& v : A.vertices()) {
    const Vec3 a = pose_a.R * v + shift;
    for (const Vec3& w : b) points.push_back(a - w);
  }
  return points;
}

/// Roundings of the coordinates: facets nearer than this to one plane are one facet.
double flatness(const Polytope& A, const Polytope& B) {
  return 64.0 * std::numeric_limits<double>::epsilon() * (A.radius() + B.radius());
}

std::vector<Plane> planar_facets(const std::vector<Vec3>& points, double tolerance) {
  const std::vector<int> hull = planar_hull(points, tolerance);
  std::vector<Plane> planes;
  for (std::size_t i = 0; i < hull.size(); ++i) {
    const Vec3& a = points[hull[i]];
    const Vec3& b = points[hull[(i + 1) % hull.size()]];
    const Vec3 n = Vec3(b.y() - a.y(), a.x() - b.x(), 0.0).normalized();
    planes.push_back({n, std::max(n.dot(a), n.dot(b))});
  }
  return planes;
}

std::vector<Plane> facets_of(int dim, const std::vector<Vec3>& points, double tolerance) {
  if (dim == 2) return planar_facets(points, tolerance);
  std::vector<Plane> planes;
  for (const auto& facet : spatial_hull(points, tolerance).facets)
    planes.push_back({facet.normal, facet.offset});
  return planes;
}

/// 0 lies outside: its distance from the hull of the points, here found through the support
/// functions of A and B, as the points need not be searched one by one.
MinkowskiGap distance(const Polytope& A, const Pose& pose_a, const Polytope& B,
                      const Pose& pose_b) {
  const Vec3 shift = pose_a.x - pose_b.x;
  const auto support = [&](const Vec3& d) {
    const int a = A.support_vertex(pose_a.R.transpose() * d);
    const int b = B.support_vertex(-(pose_b.R.transpose() * d));
    const Vec3 x = pose_a.R * A.vertices()[a] - pose_b.R * B.vertices()[b] + shift;
    return SupportVertex{x, static_cast<std::int64_t>(a) << 32 | b};
  };
  const double scale = A.radius() + B.radius() + shift.norm();
  const Vec3 nearest = gjk(support, shift, scale).point;
  const double s = nearest.norm();
  return {s, s > 0.0 ? Vec3(nearest / s) : Vec3(Vec3::Zero())};
}

}  // namespace

std::vector<Plane> minkowski_facets(const Polytope& A, const Pose& pose_a, const Polytope& B,
                                    const Pose& pose_b) {
  return facets_of(A.dim(), differences(A, pose_a, B, pose_b), flatness(A, B));
}

MinkowskiGap minkowski_gap(const Polytope& A, const Pose& pose_a, const Polytope& B,
                           const Pose& pose_b) {
  const std::vector<Plane> planes = minkowski_facets(A, pose_a, B, pose_b);
  const auto nearest =
      std::min_element(planes.begin(), planes.end(),
                       [](const Plane& p, const Plane& q) { return p.offset < q.offset; });
  if (nearest->offset >= 0.0) return {-nearest->offset, -nearest->normal};
  return distance(A, pose_a, B, pose_b);
}

}  // namespace touchstone

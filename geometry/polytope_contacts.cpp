#include "geometry/polytope_contacts.hpp"

#include <algorithm>

#include "geometry/contact_region.hpp"
#include "geometry/gjk.hpp"
#include "geometry/separating_axis.hpp"

namespace touchstone {

namespace {

// A face takes part in the contact region while it is tilted by less than this against the normal
// n.
constexpr double kCos80 =
    0.17364817766693033;  // n is a facet's normal: the incident face, as it is
constexpr double kCos15 =
    0.96592582628906831;  // otherwise edges meet, unless faces are nearly parallel

struct Direction {
  Vec3 n;
  double s;
  bool facet;
  ContactPoint witness;  // one pair whose gap is s
};

/// s(n) with the farthest vertices as witness.
double support_gap(const Polytope& A, const Pose& pose_a, const Polytope& B, const Pose& pose_b,
                   const Vec3& n) {
  const Vec3 na = pose_a.R.transpose() * n, nb = pose_b.R.transpose() * n;
  return n.dot(pose_a.x - pose_b.x) + na.dot(A.vertices()[A.support_vertex(-na)]) -
         nb.dot(B.vertices()[B.support_vertex(nb)]);
}

/// Closest points of the lines of two edges.
ContactPoint edge_pair(const Polytope& A, const Pose& pose_a, const Polytope& B, const Pose& pose_b,
                       const SeparatingAxis& axis) {
  const auto& ea = A.edges()[axis.edge_a];
  const auto& eb = B.edges()[axis.edge_b];
  const Vec3 a = pose_a.to_world(A.vertices()[ea[0]]), b = pose_b.to_world(B.vertices()[eb[0]]);
  const Vec3 u = pose_a.to_world(A.vertices()[ea[1]]) - a;
  const Vec3 w = pose_b.to_world(B.vertices()[eb[1]]) - b;
  const double t = (b - a).dot(w.cross(axis.n)) / u.dot(w.cross(axis.n));
  const Vec3 on_a = a + t * u;
  return {on_a, on_a - axis.s * axis.n, axis.n, axis.s,
          pair_id(polytope_numbers(B), edge_id(A, ea[0], ea[1]), edge_id(B, eb[0], eb[1]))};
}

/// The farthest vertex of the one on the facet of the other.
ContactPoint vertex_facet_pair(const Polytope& A, const Pose& pose_a, const Polytope& B,
                               const Pose& pose_b, const SeparatingAxis& axis) {
  if (axis.facet_a >= 0) {
    const int j = B.support_vertex(pose_b.R.transpose() * axis.n);
    const Vec3 on_b = pose_b.to_world(B.vertices()[j]);
    return {on_b + axis.s * axis.n, on_b, axis.n, axis.s,
            pair_id(B, facet_id(A, axis.facet_a), vertex_id(B, j))};
  }
  const int i = A.support_vertex(-(pose_a.R.transpose() * axis.n));
  const Vec3 on_a = pose_a.to_world(A.vertices()[i]);
  return {on_a, on_a - axis.s * axis.n, axis.n, axis.s,
          pair_id(B, vertex_id(A, i), facet_id(B, axis.facet_b))};
}

GjkResult distance(const Polytope& A, const Pose& pose_a, const Polytope& B, const Pose& pose_b) {
  const auto count = static_cast<std::int64_t>(B.vertices().size());
  auto support = [&](const Vec3& d) -> SupportVertex {
    const int i = A.support_vertex(pose_a.R.transpose() * d);
    const int j = B.support_vertex(-(pose_b.R.transpose() * d));
    return {pose_a.to_world(A.vertices()[i]) - pose_b.to_world(B.vertices()[j]), i * count + j};
  };
  const Vec3 start = pose_b.x - pose_a.x;
  return gjk(support, start.isZero(0.0) ? Vec3(Vec3::UnitX()) : start, A.radius() + B.radius());
}

ContactPoint gjk_pair(const GjkResult& near, const Polytope& A, const Pose& pose_a,
                      const Polytope& B, const Pose& pose_b) {
  const auto count = static_cast<std::int64_t>(B.vertices().size());
  ContactPoint c;
  for (int k = 0; k < near.count; ++k) {
    c.on_a += near.weight[k] * pose_a.to_world(A.vertices()[near.id[k] / count]);
    c.on_b += near.weight[k] * pose_b.to_world(B.vertices()[near.id[k] % count]);
  }
  c.gap = near.point.norm();
  c.normal = near.point / c.gap;
  c.feature = pair_id(polytope_numbers(B), static_cast<int>(near.id[0] / count),
                      static_cast<int>(near.id[0] % count));
  return c;
}

/// The direction of the signed distance: a facet of A − B, or for separated sets also the line
/// between two vertices or a vertex and an edge, which no separating axis finds.
Direction best_direction(const GjkResult& near, const Polytope& A, const Pose& pose_a,
                         const Polytope& B, const Pose& pose_b) {
  const SeparatingAxis axis = separating_axis(A, pose_a, B, pose_b);
  const double scale = A.radius() + B.radius();
  if (near.point.norm() > 1e-12 * scale) {
    const Vec3 n = near.point.normalized();
    const double s = support_gap(A, pose_a, B, pose_b, n);
    if (s > axis.s + 1e-12 * scale) return {n, s, false, gjk_pair(near, A, pose_a, B, pose_b)};
  }
  return {axis.n, axis.s, axis.facet,
          axis.facet ? vertex_facet_pair(A, pose_a, B, pose_b, axis)
                     : edge_pair(A, pose_a, B, pose_b, axis)};
}

}  // namespace

void polytope_half_space(const Polytope& P, const Pose& pose_p, const HalfSpace& H,
                         const Pose& pose_h, double margin, std::vector<ContactPoint>& out) {
  // Once into the polytope's frame; then one dot product per vertex.
  const Vec3 n = pose_h.R * H.normal();
  const Vec3 m = pose_p.R.transpose() * n;
  const double base = n.dot(pose_p.x - pose_h.x) - H.offset();
  if (base - P.radius() > margin) return;
  const double limit = margin - base;
  const auto vertices = P.vertices();
  for (std::size_t i = 0; i < vertices.size(); ++i) {
    const double height = m.dot(vertices[i]);
    if (height > limit) [[likely]]
      continue;
    const double gap = base + height;
    const Vec3 on_a = pose_p.to_world(vertices[i]);
    out.push_back({on_a, on_a - gap * n, n, gap, static_cast<int>(i)});
  }
}

void polytope_polytope(const Polytope& A, const Pose& pose_a, const Polytope& B, const Pose& pose_b,
                       double margin, std::vector<ContactPoint>& out) {
  const double scale = A.radius() + B.radius();
  const GjkResult near = distance(A, pose_a, B, pose_b);
  if (near.point.norm() > margin + 1e-12 * scale) return;
  const Direction best = best_direction(near, A, pose_a, B, pose_b);
  if (best.s > margin) return;
  const double cosine = best.facet ? kCos80 : kCos15;
  const Face face_a = supporting_face(A, pose_a, -best.n, cosine);
  const Face face_b = supporting_face(B, pose_b, best.n, cosine);
  std::vector<ContactPoint> region = contact_region(A.dim(), face_a, polytope_numbers(A), face_b,
                                                    polytope_numbers(B), best.n, scale);
  const bool attained = std::any_of(region.begin(), region.end(), [&](const ContactPoint& c) {
    return c.gap <= best.s + 1e-10 * scale;
  });
  if (!attained) out.push_back(best.witness);
  for (const ContactPoint& c : region)
    if (c.gap <= margin) out.push_back(c);
}

}  // namespace touchstone

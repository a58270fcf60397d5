#include "geometry/ratio_events.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "geometry/hull.hpp"

namespace touchstone {

RatioEvent::Gradient RatioEvent::gradient(const Vec3& x, double sign) const {
  const Vec3 f = sign / (r * span) * normal;
  Gradient g;
  g << f, (point - x).cross(f);
  return g;
}

const Vec3& EventFinder::Side::support(const Vec3& n) const {
  std::size_t best = 0;
  for (std::size_t v = 1; v < vertices.size(); ++v)
    if (n.dot(vertices[v]) > n.dot(vertices[best])) best = v;
  return vertices[best];
}

EventFinder::Shortfall EventFinder::Side::shortfall(const Vec3& n, int feature,
                                                    bool is_edge) const {
  const int v = is_edge ? body->polytope()->edges()[static_cast<std::size_t>(feature)][0] : feature;
  const Vec3 across = support(n) - vertices[static_cast<std::size_t>(v)];
  return {n.dot(across), across.norm()};
}

EventFinder::Shortfall EventFinder::short_a(const RatioEvent& e) const {
  if (e.kind == EventKind::face_vertex) return {};
  return a_.shortfall(-e.normal, e.feature_a, e.kind == EventKind::edge_edge);
}

EventFinder::Shortfall EventFinder::short_b(const RatioEvent& e) const {
  if (e.kind == EventKind::vertex_face) return {};
  return b_.shortfall(e.normal, e.feature_b, e.kind == EventKind::edge_edge);
}

bool EventFinder::Side::holds(const Vec3& p, double margin) const {
  const Vec3 y = R.transpose() * (p - x);
  for (Eigen::Index k = 0; k < body->rows().cols(); ++k)
    if ((body->rows().col(k).dot(y) - 1.0) * body->offset(static_cast<int>(k)) > margin)
      return false;
  return true;
}

std::vector<int> EventFinder::Side::active_facets(const Vec3& p, double r, double margin) const {
  const Vec3 y = R.transpose() * (p - x);
  std::vector<int> facets;
  for (int k = 0; k < body->rows().cols(); ++k)
    if ((r - body->rows().col(k).dot(y)) * body->offset(k) <= margin) facets.push_back(k);
  return facets;
}

std::vector<int> EventFinder::Side::adjacent_vertices(const Vec3& n,
                                                      const EventOptions& options) const {
  std::vector<int> found;
  if (vertices.empty()) return found;
  const Vec3& most = support(n);
  for (int v = 0; v < static_cast<int>(vertices.size()); ++v) {
    const Vec3 across = most - vertices[static_cast<std::size_t>(v)];
    if (Shortfall{n.dot(across), across.norm()}.within(options)) found.push_back(v);
  }
  return found;
}

std::vector<int> EventFinder::Side::adjacent_edges(const std::vector<int>& facets,
                                                   double margin) const {
  std::vector<int> found;
  if (!body->polytope()) return found;
  const auto& edges = body->polytope()->edges();
  for (int e = 0; e < static_cast<int>(edges.size()); ++e)
    for (const int k : facets) {
      const Vec3 n = normal(k);
      const double c = body->offset(k);
      if (c - n.dot(vertices[edges[e][0]]) > margin || c - n.dot(vertices[edges[e][1]]) > margin)
        continue;
      found.push_back(e);
      break;
    }
  return found;
}

EventFinder::EventFinder(const RatioBody& A, const Pose& pose_a, const RatioBody& B,
                         const Pose& pose_b) {
  const auto side = [](const RatioBody& body, const Pose& pose) {
    Side s{&body, pose.to_world(body.interior()), pose.R, {}};
    if (const Polytope* shape = body.polytope())
      for (const Vec3& v : shape->vertices()) s.vertices.push_back(pose.R * (v - body.interior()));
    return s;
  };
  a_ = side(A, pose_a);
  b_ = side(B, pose_b);
  delta_ = a_.x - b_.x;
}

/// ψ, n·δ, Φ and r; v are points of the features from the interior points.
bool EventFinder::complete(const Vec3& v_a, const Vec3& v_b, const Vec3& n, RatioEvent& out) const {
  out.span = n.dot(delta_);
  if (!(out.span > 0.0)) return false;
  const double height = n.dot(v_b) - n.dot(v_a);  // of this plane of K above the origin
  if (!(height > 0.0)) return false;              // features on the far sides
  out.normal = n;
  out.gap = out.span - height;
  out.phi = out.gap / out.span;
  out.r = out.span / height;
  return true;
}

bool EventFinder::vertex_face(int vertex_a, int facet_b, RatioEvent& out) const {
  out = {};
  out.kind = EventKind::vertex_face;
  out.feature_a = vertex_a;
  out.feature_b = facet_b;
  const Vec3 n = b_.normal(facet_b);
  const Vec3& v = a_.vertices[vertex_a];
  if (!complete(v, b_.body->offset(facet_b) * n, n, out)) return false;
  out.point = a_.x + out.r * v;
  return true;
}

bool EventFinder::face_vertex(int facet_a, int vertex_b, RatioEvent& out) const {
  out = {};
  out.kind = EventKind::face_vertex;
  out.feature_a = facet_a;
  out.feature_b = vertex_b;
  const Vec3 n = -a_.normal(facet_a);
  const Vec3& v = b_.vertices[vertex_b];
  if (!complete(-a_.body->offset(facet_a) * n, v, n, out)) return false;
  out.point = b_.x + out.r * v;
  return true;
}

bool EventFinder::edge_edge(int edge_a, int edge_b, double parallel, RatioEvent& out) const {
  out = {};
  out.kind = EventKind::edge_edge;
  out.feature_a = edge_a;
  out.feature_b = edge_b;
  const auto& ends_a = a_.body->polytope()->edges()[edge_a];
  const auto& ends_b = b_.body->polytope()->edges()[edge_b];
  const Vec3 &p = a_.vertices[ends_a[0]], &q = b_.vertices[ends_b[0]];
  const Vec3 u = a_.vertices[ends_a[1]] - p, w = b_.vertices[ends_b[1]] - q;
  Vec3 n = u.cross(w);
  const double sine = n.norm();
  if (sine <= parallel * u.norm() * w.norm()) return false;
  n /= n.dot(delta_) < 0.0 ? -sine : sine;
  if (!complete(p, q, n, out)) return false;
  // x_A + r (p + α u) = x_B + r (q + β w): α from the product with w × n.
  const Vec3 across = w.cross(n);
  const Vec3 apart = -delta_ / out.r + q - p;
  const double alpha = apart.dot(across) / u.dot(across);
  out.point = a_.x + out.r * (p + alpha * u);
  return true;
}

bool EventFinder::counts(const RatioEvent& e, double rho, const EventOptions& options) const {
  return std::abs(rho - e.phi) <= options.eps_t &&
         a_.holds(a_.x + (e.point - a_.x) / e.r, options.eps_x) &&
         b_.holds(b_.x + (e.point - b_.x) / e.r, options.eps_x) && short_a(e).within(options) &&
         short_b(e).within(options);
}

std::vector<RatioEvent> EventFinder::nearly_active(const RatioMetric& metric,
                                                   const EventOptions& options) const {
  std::vector<RatioEvent> events;
  if (metric.rho > options.eps_t) return events;
  const std::vector<int> facets_a = a_.active_facets(metric.point, metric.r, options.eps_p);
  const std::vector<int> facets_b = b_.active_facets(metric.point, metric.r, options.eps_p);
  RatioEvent e;
  const auto keep = [&](bool found) {
    if (found && counts(e, metric.rho, options)) events.push_back(e);
  };
  for (const int k : facets_b)
    for (const int v : a_.adjacent_vertices(-b_.normal(k), options)) keep(vertex_face(v, k, e));
  for (const int k : facets_a)
    for (const int v : b_.adjacent_vertices(-a_.normal(k), options)) keep(face_vertex(k, v, e));
  if (a_.body->dim() == 2) return events;
  const std::vector<int> edges_b = b_.adjacent_edges(facets_b, options.eps_p);
  for (const int i : a_.adjacent_edges(facets_a, options.eps_p))
    for (const int j : edges_b) keep(edge_edge(i, j, options.parallel, e));
  return events;
}

std::vector<RatioEvent> EventFinder::all(double tolerance) const {
  std::vector<RatioEvent> events;
  RatioEvent e;
  const auto keep = [&](bool found) {
    if (found && short_a(e).height <= tolerance && short_b(e).height <= tolerance)
      events.push_back(e);
  };
  const auto count = [](const auto& list) { return static_cast<int>(list.size()); };
  for (int v = 0; v < count(a_.vertices); ++v)
    for (int k = 0; k < b_.body->rows().cols(); ++k) keep(vertex_face(v, k, e));
  for (int k = 0; k < a_.body->rows().cols(); ++k)
    for (int v = 0; v < count(b_.vertices); ++v) keep(face_vertex(k, v, e));
  if (a_.body->dim() == 2 || !a_.body->polytope() || !b_.body->polytope()) return events;
  for (int i = 0; i < count(a_.body->polytope()->edges()); ++i)
    for (int j = 0; j < count(b_.body->polytope()->edges()); ++j) keep(edge_edge(i, j, 1e-12, e));
  return events;
}

std::vector<int> contact_hull(const std::vector<RatioEvent>& events, const Vec3& n,
                              double tolerance) {
  if (events.empty()) return {};
  const Vec3 u = n.unitOrthogonal(), w = n.cross(u);
  std::vector<Vec3> flat;
  for (const RatioEvent& e : events) flat.emplace_back(e.point.dot(u), e.point.dot(w), 0.0);
  std::vector<int> hull = planar_hull(flat, tolerance);
  const auto farthest = [&](const Vec3& from) {
    return static_cast<int>(std::max_element(flat.begin(), flat.end(),
                                             [&](const Vec3& p, const Vec3& q) {
                                               return (p - from).norm() < (q - from).norm();
                                             }) -
                            flat.begin());
  };
  if (hull.size() >= 3) return hull;
  const int one = farthest(flat[0]), other = farthest(flat[one]);
  if ((flat[one] - flat[other]).norm() <= tolerance) return {0};
  return {std::min(one, other), std::max(one, other)};
}

}  // namespace touchstone

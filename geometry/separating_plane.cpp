#include "geometry/separating_plane.hpp"

#include <algorithm>
#include <limits>

#include "geometry/separating_axis.hpp"

namespace touchstone {

namespace {

using Kind = PlaneWitness::Kind;
using Proof = PenetrationWitness::Kind;

Vec3 edge_direction(const Polytope& P, int e) {
  return P.vertices()[P.edges()[e][1]] - P.vertices()[P.edges()[e][0]];
}

/// Facets that share a vertex with facet f.
std::vector<int> neighbours(const Polytope& P, int f) {
  std::vector<int> near;
  const auto& own = P.facets()[f].vertices;
  for (int g = 0; g < P.count(); ++g) {
    const auto& other = P.facets()[g].vertices;
    const bool meets =
        std::ranges::any_of(other, [&](int v) { return std::ranges::find(own, v) != own.end(); });
    if (g != f && meets) near.push_back(g);
  }
  return near;
}

/// Edges that share an end with edge e.
std::vector<int> edges_at_ends(const Polytope& P, int e) {
  std::vector<int> near;
  const auto& own = P.edges()[e];
  for (int k = 0; k < static_cast<int>(P.edges().size()); ++k) {
    const auto& other = P.edges()[k];
    const bool meets =
        other[0] == own[0] || other[0] == own[1] || other[1] == own[0] || other[1] == own[1];
    if (k != e && meets) near.push_back(k);
  }
  return near;
}

/// Whether x (in P's frame) is inside by more than the margin.
bool inside(const Polytope& P, const Vec3& x, double margin) {
  return P.largest_value(x) < -margin;
}

/// Whether the segment (from, to), in P's frame, crosses facet f inside its loop and from one side
/// to the other, by more than the margin.
bool crosses(const Polytope& P, int f, const Vec3& from, const Vec3& to, double margin) {
  const auto& facet = P.facets()[f];
  const double h0 = facet.normal.dot(from) - facet.offset;
  const double h1 = facet.normal.dot(to) - facet.offset;
  if (!((h0 > margin && h1 < -margin) || (h0 < -margin && h1 > margin))) return false;
  const Vec3 x = from + h0 / (h0 - h1) * (to - from);
  for (int g = 0; g < P.count(); ++g)
    if (g != f && P.value(g, x) > -margin) return false;
  return true;
}

}  // namespace

VertexGraph vertex_graph(const Polytope& P) {
  VertexGraph graph(P.vertices().size());
  const auto join = [&graph](int v, int w) {
    graph[static_cast<std::size_t>(v)].push_back(w);
    graph[static_cast<std::size_t>(w)].push_back(v);
  };
  if (P.dim() == 2)
    for (const auto& side : P.facets()) join(side.vertices[0], side.vertices[1]);
  else
    for (const auto& e : P.edges()) join(e[0], e[1]);
  return graph;
}

int climb(const Polytope& P, const VertexGraph& graph, const Vec3& d, int start, int& steps) {
  int at = start;
  double height = d.dot(P.vertices()[at]);
  for (bool moved = true; moved;) {
    moved = false;
    for (const int next : graph[static_cast<std::size_t>(at)]) {
      ++steps;
      const double there = d.dot(P.vertices()[next]);
      if (!(there > height)) continue;
      at = next, height = there, moved = true;
      break;
    }
  }
  return at;
}

SeparatingPlane::SeparatingPlane(const Polytope& A, const Polytope& B, double tolerance,
                                 bool climbing)
    : A_(A),
      B_(B),
      tolerance_(tolerance),
      climbing_(climbing),
      graph_a_(vertex_graph(A)),
      graph_b_(vertex_graph(B)) {}

Vec3 SeparatingPlane::normal(const PlaneWitness& w, const Pose& pose_a, const Pose& pose_b) const {
  if (w.kind == Kind::facet_a) return -(pose_a.R * A_.facets()[w.a].normal);
  if (w.kind == Kind::facet_b) return pose_b.R * B_.facets()[w.b].normal;
  const Vec3 u = pose_a.R * edge_direction(A_, w.a), v = pose_b.R * edge_direction(B_, w.b);
  const Vec3 n = w.sign * u.cross(v);
  const double length = n.norm();
  // Parallel edges define no plane.
  return length > 1e-9 * u.norm() * v.norm() ? Vec3(n / length) : Vec3(Vec3::Zero());
}

/// (1)
double SeparatingPlane::gap(const Vec3& n, const Pose& pose_a, const Pose& pose_b) {
  const Vec3 down = -(pose_a.R.transpose() * n), up = pose_b.R.transpose() * n;
  if (climbing_) {
    near_a_ = climb(A_, graph_a_, down, near_a_, counts_.vertices);
    near_b_ = climb(B_, graph_b_, up, near_b_, counts_.vertices);
  } else {
    near_a_ = A_.support_vertex(down);
    near_b_ = B_.support_vertex(up);
    counts_.vertices += static_cast<int>(A_.vertices().size() + B_.vertices().size());
  }
  return n.dot(pose_a.x - pose_b.x) - down.dot(A_.vertices()[near_a_]) -
         up.dot(B_.vertices()[near_b_]);
}

/// Makes w the witness when its plane separates; keeps its s when it is the best so far.
bool SeparatingPlane::accept(const PlaneWitness& w, const Pose& pose_a, const Pose& pose_b) {
  const Vec3 n = normal(w, pose_a, pose_b);
  if (n.isZero(0.0)) return false;
  const double s = gap(n, pose_a, pose_b);
  if (s > found_.s || found_.plane.kind == Kind::none) found_.plane = w, found_.n = n, found_.s = s;
  found_.separated = s >= -tolerance_;
  if (found_.separated) found_.plane = w, found_.n = n, found_.s = s;
  return found_.separated;
}

std::vector<PlaneWitness> SeparatingPlane::adjacent(const PlaneWitness& w) const {
  std::vector<PlaneWitness> near;
  if (w.kind == Kind::facet_a)
    for (const int f : neighbours(A_, w.a)) near.push_back({Kind::facet_a, f, -1});
  if (w.kind == Kind::facet_b)
    for (const int f : neighbours(B_, w.b)) near.push_back({Kind::facet_b, -1, f});
  if (w.kind != Kind::edges) return near;
  for (const int f : A_.edge_facets()[w.a]) near.push_back({Kind::facet_a, f, -1});
  for (const int f : B_.edge_facets()[w.b]) near.push_back({Kind::facet_b, -1, f});
  for (const double sign : {1.0, -1.0}) {
    for (const int e : edges_at_ends(A_, w.a)) near.push_back({Kind::edges, e, w.b, sign});
    for (const int e : edges_at_ends(B_, w.b)) near.push_back({Kind::edges, w.a, e, sign});
  }
  return near;
}

/// From the old witness to ever better neighbours; found_ holds the old one's s.
bool SeparatingPlane::ascend(const Pose& pose_a, const Pose& pose_b) {
  for (;;) {
    const double before = found_.s;
    for (const PlaneWitness& w : adjacent(found_.plane))
      if (accept(w, pose_a, pose_b)) return true;
    if (!(found_.s > before)) return false;
  }
}

bool SeparatingPlane::search(const Pose& pose_a, const Pose& pose_b) {
  const SeparatingAxis axis = separating_axis(A_, pose_a, B_, pose_b);
  PlaneWitness w{axis.facet_a >= 0 ? Kind::facet_a : Kind::facet_b, axis.facet_a, axis.facet_b};
  if (!axis.facet) {
    w = {Kind::edges, axis.edge_a, axis.edge_b};
    if (normal(w, pose_a, pose_b).dot(axis.n) < 0.0) w.sign = -1.0;
  }
  found_.plane = w, found_.n = axis.n, found_.s = axis.s;
  found_.separated = axis.s >= -tolerance_;
  return found_.separated;
}

bool SeparatingPlane::holds(const PenetrationWitness& w, const Pose& pose_a,
                            const Pose& pose_b) const {
  const auto in_b = [&](int v) { return pose_b.to_body(pose_a.to_world(A_.vertices()[v])); };
  const auto in_a = [&](int v) { return pose_a.to_body(pose_b.to_world(B_.vertices()[v])); };
  switch (w.kind) {
    case Proof::vertex_of_a:
      return inside(B_, in_b(w.feature), tolerance_);
    case Proof::vertex_of_b:
      return inside(A_, in_a(w.feature), tolerance_);
    case Proof::edge_of_a:
      return crosses(B_, w.facet, in_b(A_.edges()[w.feature][0]), in_b(A_.edges()[w.feature][1]),
                     tolerance_);
    case Proof::edge_of_b:
      return crosses(A_, w.facet, in_a(B_.edges()[w.feature][0]), in_a(B_.edges()[w.feature][1]),
                     tolerance_);
    default:
      return false;
  }
}

PenetrationWitness SeparatingPlane::prove(const Pose& pose_a, const Pose& pose_b) const {
  const auto try_all = [&](Proof kind, std::size_t features, int facets) -> PenetrationWitness {
    for (int i = 0; i < static_cast<int>(features); ++i)
      for (int f = 0; f < facets; ++f)
        if (const PenetrationWitness w{kind, i, f}; holds(w, pose_a, pose_b)) return w;
    return {};
  };
  PenetrationWitness w = try_all(Proof::vertex_of_a, A_.vertices().size(), 1);
  if (w.kind == Proof::none) w = try_all(Proof::vertex_of_b, B_.vertices().size(), 1);
  if (w.kind == Proof::none) w = try_all(Proof::edge_of_a, A_.edges().size(), B_.count());
  if (w.kind == Proof::none) w = try_all(Proof::edge_of_b, B_.edges().size(), A_.count());
  return w;
}

bool SeparatingPlane::shows_gap(const Pose& pose_a, const Pose& pose_b, double margin) {
  if (found_.plane.kind == Kind::none) return false;
  const Vec3 n = normal(found_.plane, pose_a, pose_b);
  return !n.isZero(0.0) && gap(n, pose_a, pose_b) > margin;
}

double SeparatingPlane::find(const Pose& pose_a, const Pose& pose_b) {
  ++counts_.full;
  search(pose_a, pose_b);
  return found_.s;
}

const SeparatingPlane::Found& SeparatingPlane::update(const Pose& pose_a, const Pose& pose_b) {
  if (holds(found_.penetration, pose_a, pose_b)) {
    ++counts_.proofs_kept;
    found_.separated = false;
    found_.s = std::numeric_limits<double>::quiet_NaN();
    return found_;
  }
  found_.penetration = {};
  const PlaneWitness old = found_.plane;
  found_.s = -std::numeric_limits<double>::infinity();
  if (old.kind != Kind::none && accept(old, pose_a, pose_b)) {
    ++counts_.kept;
  } else if (old.kind != Kind::none && ascend(pose_a, pose_b)) {
    ++counts_.adjacent;
  } else {
    ++counts_.full;
    if (!search(pose_a, pose_b)) found_.penetration = prove(pose_a, pose_b);
  }
  return found_;
}

}  // namespace touchstone

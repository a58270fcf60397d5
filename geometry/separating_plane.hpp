#pragma once

/// Separating planes of two convex polytopes, found again quickly while the bodies move (Baraff's
/// thesis, section 5.1; course notes, section G 7).
///
/// Disjoint or touching polytopes have a separating plane that contains a facet of one of them, or
/// an edge of one and is parallel to an edge of the other. The facet or the pair of edges is the
/// witness: it is kept, not the plane, which is made anew from the poses. A plane with the normal n
/// (from B to A) separates when
///
///     s(n) = min_{a ∈ A} n·a − max_{b ∈ B} n·b ≥ −tolerance. (1)
///
/// The extreme vertices of (1) are found by walking uphill from the last ones over the edges of the
/// polytope (convexity makes a local maximum global), or by looking at every vertex.
///
/// When the witness fails, features that are adjacent to it are tried, the best of them taken, and
/// so on while s grows; then all features are searched. When that fails too, the bodies penetrate.
/// The proof is a vertex of one inside the other or an edge that crosses a facet; it is kept and
/// tried first while an event search backs up. Two equal cubes pushed into each other with
/// coinciding faces have no such proof: then the failed search alone says that they penetrate.

#include <memory>
#include <vector>

#include "geometry/shapes.hpp"

namespace touchstone {

/// The vertices next to each vertex.
using VertexGraph = std::vector<std::vector<int>>;
VertexGraph vertex_graph(const Polytope& P);

/// The vertex farthest along d, walking uphill from `start`; the same height as
/// P.support_vertex(d). `steps` counts the vertices looked at.
int climb(const Polytope& P, const VertexGraph& graph, const Vec3& d, int start, int& steps);

struct PlaneWitness {
  enum class Kind { none, facet_a, facet_b, edges };
  Kind kind = Kind::none;
  int a = -1, b = -1;  // the facet of A or B, or the edges of A and B
  double sign = 1.0;   // of e_A × e_B
};

struct PenetrationWitness {
  enum class Kind { none, vertex_of_a, vertex_of_b, edge_of_a, edge_of_b };
  Kind kind = Kind::none;
  int feature = -1;  // the vertex, or the edge
  int facet = -1;    // of the other body, that the edge crosses
};

class SeparatingPlane {
 public:
  /// `tolerance` [m]: overlap that still counts as touching. `climbing` false looks at every
  /// vertex. The polytopes must outlive the object.
  SeparatingPlane(const Polytope& A, const Polytope& B, double tolerance, bool climbing = true);

  struct Found {
    bool separated = false;
    Vec3 n = Vec3::Zero();  // of the plane, from B to A, world
    double s = 0.0;         // (1) [m]; of penetrating bodies the largest over all features, or NaN
                     // when the old proof of penetration still holds and nothing was searched
    PlaneWitness plane{};
    PenetrationWitness penetration{};
  };
  /// Planar sets too. What is found does not depend on the history, but the witness does.
  const Found& update(const Pose& pose_a, const Pose& pose_b);

  /// Whether the witness shows a gap of more than `margin` [m]: nothing is searched, and a yes is a
  /// proof.
  bool shows_gap(const Pose& pose_a, const Pose& pose_b, double margin);
  /// Searches all features for the plane with the largest s, which becomes the witness; returns s.
  double find(const Pose& pose_a, const Pose& pose_b);

  struct Counts {
    int kept = 0, adjacent = 0, full = 0;  // how updates ended: old witness, near it, full search
    int proofs_kept = 0;                   // the old proof of penetration still held
    int vertices = 0;                      // vertices looked at
  };
  const Counts& counts() const { return counts_; }

 private:
  Vec3 normal(const PlaneWitness& w, const Pose& pose_a, const Pose& pose_b) const;
  double gap(const Vec3& n, const Pose& pose_a, const Pose& pose_b);
  bool accept(const PlaneWitness& w, const Pose& pose_a, const Pose& pose_b);
  bool ascend(const Pose& pose_a, const Pose& pose_b);
  std::vector<PlaneWitness> adjacent(const PlaneWitness& w) const;
  bool search(const Pose& pose_a, const Pose& pose_b);
  bool holds(const PenetrationWitness& w, const Pose& pose_a, const Pose& pose_b) const;
  PenetrationWitness prove(const Pose& pose_a, const Pose& pose_b) const;

  const Polytope& A_;
  const Polytope& B_;
  double tolerance_;
  bool climbing_;
  VertexGraph graph_a_, graph_b_;
  int near_a_ = 0, near_b_ = 0;  // extreme vertices of the last plane
  Found found_;
  Counts counts_;
};

}  // namespace touchstone

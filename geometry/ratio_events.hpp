#pragma once

/// Events of the ratio metric: the smooth pieces of ρ.
///
/// A basic contact unit is a corner on a face or, in space, two crossing edges; each has a
/// direction n (unit, from B to A: the face's normal, or that of both edges) and a gap ψ = n·(v_A −
/// v_B) of its features. Growing both bodies until these features meet gives its own ratio r_m and
/// component
///
///     Φ^(m) = (r_m − 1)/r_m = ψ/(n·δ),   δ = x_A − x_B,                                        (1)
///
/// the gap over the distance of the interior points along n. The features meet at the event point
/// E = x_A + r_m (v_A − x_A), which may slide along a crossing edge; features of the bodies at
/// their own size are at x_i + (E − x_i)/r_m. The gradient is that of a contact with normal n at E,
///
///     ∂Φ/∂x_A = f,  ∂Φ/∂θ_A = (E − x_A) × f,  ∂Φ/∂x_B = −f,  ∂Φ/∂θ_B = −(E − x_B) × f,
///     f = n/(r_m n·δ)                                                                          (2)
///
/// (θ a small rotation in world axes): each constraint of the time-stepping method is an ordinary
/// contact at E with the gap r_m ψ, divided by r_m n·δ. Momentum and its moment are conserved.
///
/// ρ is the largest Φ^(m) over the events whose features support A and B in the directions −n and n
/// (their planes are the facets of the Minkowski difference) and for which n·δ > 0. The source says
/// "over all possible events", which is too many: for n·δ < 0 the ratio r_m is negative and Φ > 1,
/// and features on the far side have too large a Φ even if n·δ > 0 (docs/ratio-metric.md).

#include <vector>

#include "geometry/ratio_metric.hpp"

namespace touchstone {

enum class EventKind { vertex_face, face_vertex, edge_edge };  // the feature of A, then that of B

struct RatioEvent {
  EventKind kind = EventKind::vertex_face;
  int feature_a = 0, feature_b = 0;  // vertex, facet or edge of each shape
  Vec3 point = Vec3::Zero();         // E
  Vec3 normal = Vec3::Zero();        // n
  double phi = 0.0;                  // Φ
  double r = 1.0;                    // 1/(1 − Φ)
  double gap = 0.0;                  // ψ [m]
  double span = 0.0;                 // n·δ [m], > 0

  using Gradient = Eigen::Matrix<double, 6, 1>;  // (∂/∂x, ∂/∂θ) of one body
  /// With respect to the position x of a body's frame and a rotation about it.
  Gradient gradient_a(const Vec3& x) const { return gradient(x, 1.0); }
  Gradient gradient_b(const Vec3& x) const { return gradient(x, -1.0); }

 private:
  Gradient gradient(const Vec3& x, double sign) const;
};

/// When an event counts as nearly active (source, equations 9 to 11).
struct EventOptions {
  double eps_t = 0.1;      // ρ ≤ ε_t, and |ρ − Φ| ≤ ε_t
  double eps_x = 1e-3;     // [m] how far E, shrunk to each body, may lie outside of that body
  double eps_p = 0.05;     // [m] how far features may fall short of supporting their bodies, and
                           // facets of being active in the linear program: "ε-adjacent"
  double turn = 0.0;       // [rad] by how much normals may turn against the bodies: a feature at a
                           // lever from the supporting one may fall short by turn · lever more;
                           // the facets that are paired, and edges beside them, by ε_p alone
  double parallel = 1e-4;  // edges with a smaller sine of their angle have no common normal
};

/// Everything about a pair in a pose that its events are computed from.
class EventFinder {
 public:
  EventFinder(const RatioBody& A, const Pose& pose_a, const RatioBody& B, const Pose& pose_b);

  /// The component of one unit; false when n·δ ≤ 0, where it has none.
  bool vertex_face(int vertex_a, int facet_b, RatioEvent& out) const;
  bool face_vertex(int facet_a, int vertex_b, RatioEvent& out) const;
  /// Also false for edges whose angle has a sine below `parallel`.
  bool edge_edge(int edge_a, int edge_b, double parallel, RatioEvent& out) const;

  /// The nearly active events. Steps of the source: 1, 2 the solved linear program and its (nearly)
  /// active facets; 3 ε_p; 4a facets of A with ε-adjacent vertices of B; 4b the reverse; 4c the
  /// ε-adjacent edges of both. Ordered by kind, then features.
  std::vector<RatioEvent> nearly_active(const RatioMetric& metric,
                                        const EventOptions& options) const;

  /// Every event that supports both bodies to `tolerance` [m]: the facets of the Minkowski
  /// difference on the side of δ. Slow, for checks and small shapes.
  std::vector<RatioEvent> all(double tolerance) const;

 private:
  /// How a feature falls short of supporting its body across n: it is `height` below the vertex
  /// that does, `lever` away from it [m].
  struct Shortfall {
    double height = 0.0, lever = 0.0;
    bool within(const EventOptions& options) const {
      return height <= options.eps_p + options.turn * lever;
    }
  };
  struct Side {
    const RatioBody* body;
    Vec3 x;  // interior point, world axes
    Mat3 R;
    std::vector<Vec3> vertices;  // from the interior point, world axes
    Vec3 normal(int facet) const { return R * body->normal(facet); }
    const Vec3& support(const Vec3& n) const;  // a vertex
    /// Of a vertex or of an edge that is at right angles to n.
    Shortfall shortfall(const Vec3& n, int feature, bool is_edge) const;
    bool holds(const Vec3& p, double margin) const;
    std::vector<int> active_facets(const Vec3& p, double r, double margin) const;
    std::vector<int> adjacent_vertices(const Vec3& n, const EventOptions& options) const;
    std::vector<int> adjacent_edges(const std::vector<int>& facets, double margin) const;
  };

  Shortfall short_a(const RatioEvent& e) const;
  Shortfall short_b(const RatioEvent& e) const;
  bool complete(const Vec3& v_a, const Vec3& v_b, const Vec3& n, RatioEvent& out) const;
  bool counts(const RatioEvent& e, double rho, const EventOptions& options) const;

  Side a_, b_;
  Vec3 delta_;
};

/// The points of the contact region: the hull of the event points in the plane across n, as indices
/// into `events`, counter-clockwise seen from the tip of n. One or two where it is a point or a
/// segment.
std::vector<int> contact_hull(const std::vector<RatioEvent>& events, const Vec3& n,
                              double tolerance);

}  // namespace touchstone

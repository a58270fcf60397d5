#include "geometry/separating_axis.hpp"

#include <limits>
#include <vector>

namespace touchstone {

namespace {

/// B's pose seen from A's frame.
Pose relative(const Pose& a, const Pose& b) {
  return {a.R.transpose() * (b.x - a.x), a.R.transpose() * b.R};
}

class AxisSearch {
 public:
  AxisSearch(const Polytope& A, const Polytope& B, const Pose& b_in_a)
      : A_(A), B_(B), pose_(b_in_a), tie_(1e-12 * (A.radius() + B.radius())) {
    best_.s = -std::numeric_limits<double>::infinity();
  }

  SeparatingAxis run() {
    if (A_.dim() == 2) {
      planar_facets(A_, B_, pose_, -1.0);
      planar_facets(B_, A_, inverse(pose_), 1.0);
    } else {
      spatial_facets(A_, B_, pose_, -1.0);
      spatial_facets(B_, A_, inverse(pose_), 1.0);
      edges();
    }
    return best_;
  }

 private:
  static Pose inverse(const Pose& p) { return {-(p.R.transpose() * p.x), p.R.transpose()}; }

  /// `n` in A's frame. Deciding ties by the line of centres makes the choice independent of the
  /// order of the arguments, as far as the configuration is not symmetric itself.
  void offer(const SeparatingAxis& axis) {
    const bool ahead = axis.s > best_.s + tie_;
    const bool even = axis.s > best_.s - tie_ && axis.facet >= best_.facet &&
                      (axis.n - best_.n).dot(-pose_.x) > tie_;
    if (ahead || even) best_ = axis;
  }

  /// Facet normal m of P (in P's frame) with vertex q of Q lowest along it: n is ±m in A's frame.
  void offer_facet(int facet, const Vec3& m, double s, double sign) {
    if (sign < 0.0)
      offer({.n = -m, .s = s, .facet_a = facet});
    else
      offer({.n = pose_.R * m, .s = s, .facet_b = facet});
  }

  void spatial_facets(const Polytope& P, const Polytope& Q, const Pose& q_in_p, double sign) {
    for (int i = 0; i < P.count(); ++i) {
      const auto& f = P.facets()[i];
      const Vec3 m = q_in_p.R.transpose() * f.normal;
      const double low = m.dot(Q.vertices()[Q.support_vertex(-m)]) + f.normal.dot(q_in_p.x);
      offer_facet(i, f.normal, low - f.offset, sign);
    }
  }

  /// The lowest vertex only moves on counter-clockwise as the edges of P are walked in that order.
  void planar_facets(const Polytope& P, const Polytope& Q, const Pose& q_in_p, double sign) {
    const auto q = Q.vertices();
    const std::size_t count = q.size();
    std::size_t k =
        static_cast<std::size_t>(Q.support_vertex(-(q_in_p.R.transpose() * P.facets()[0].normal)));
    for (int i = 0; i < P.count(); ++i) {
      const auto& f = P.facets()[i];
      const Vec3 m = q_in_p.R.transpose() * f.normal;
      for (std::size_t turns = 0; turns < count; ++turns) {
        const std::size_t next = (k + 1) % count;
        if (!(m.dot(q[next] - q[k]) < 0.0)) break;
        k = next;
      }
      offer_facet(i, f.normal, m.dot(q[k]) + f.normal.dot(q_in_p.x) - f.offset, sign);
    }
  }

  /// Products of edges that are facets of A − B: the arcs between the facet normals of the two
  /// edges cross on the Gauss map (the normals of B reversed).
  void edges() {
    const std::size_t count = B_.edges().size();
    std::vector<Vec3> head(count), along(count), left(count), right(count);
    for (std::size_t j = 0; j < count; ++j) {
      head[j] = pose_.to_world(B_.vertices()[B_.edges()[j][0]]);
      along[j] = pose_.R * (B_.vertices()[B_.edges()[j][1]] - B_.vertices()[B_.edges()[j][0]]);
      left[j] = -(pose_.R * B_.facets()[B_.edge_facets()[j][0]].normal);
      right[j] = -(pose_.R * B_.facets()[B_.edge_facets()[j][1]].normal);
    }
    for (std::size_t i = 0; i < A_.edges().size(); ++i) {
      const Vec3& a = A_.vertices()[A_.edges()[i][0]];
      const Vec3 e = A_.vertices()[A_.edges()[i][1]] - a;
      const Vec3& l = A_.facets()[A_.edge_facets()[i][0]].normal;
      const Vec3& r = A_.facets()[A_.edge_facets()[i][1]].normal;
      for (std::size_t j = 0; j < count; ++j) {
        // e is normal to the plane of the arc (l, r), along[j] to that of (left, right).
        const double cl = left[j].dot(e), cr = right[j].dot(e);
        const double dl = l.dot(along[j]), dr = r.dot(along[j]);
        if (!(cl * cr < 0.0 && dl * dr < 0.0)) continue;
        Vec3 n = e.cross(along[j]);
        const double length = n.norm();
        // Nearly parallel edges give no direction of their own; the facets beside them do.
        if (length <= 1e-9 * e.norm() * along[j].norm()) continue;
        n /= length;
        // The arcs cross at ±n: at the end where the facets of A point away from it.
        if (n.dot(l + r) > 0.0) n = -n;
        if (n.dot(left[j] + right[j]) > 0.0) continue;  // they cross on opposite sides
        offer({.n = n,
               .s = n.dot(a - head[j]),
               .facet = false,
               .edge_a = static_cast<int>(i),
               .edge_b = static_cast<int>(j)});
      }
    }
  }

  const Polytope& A_;
  const Polytope& B_;
  const Pose pose_;
  const double tie_;
  SeparatingAxis best_;
};

}  // namespace

SeparatingAxis separating_axis(const Polytope& A, const Pose& pose_a, const Polytope& B,
                               const Pose& pose_b) {
  SeparatingAxis axis = AxisSearch(A, B, relative(pose_a, pose_b)).run();
  axis.n = pose_a.R * axis.n;
  return axis;
}

}  // namespace touchstone

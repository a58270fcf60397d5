#include "geometry/smooth_polytope.hpp"

#include <algorithm>
#include <array>
#include <numbers>
#include <vector>

#include "geometry/gjk.hpp"

namespace touchstone {

namespace {

/// E against the affine hull of 1 to 3 vertices of P: a smooth problem in the directions normal to
/// it.
struct Fit {
  Vec3 n = Vec3::Zero();
  Vec3 b = Vec3::Zero();  // the point of the affine hull nearest to E
  double s = 0.0;
  double residual = 0.0;
  int iterations = 0;
  int count = 0;
  std::array<int, 3> vertex{};
  double violation =
      std::numeric_limits<double>::infinity();  // of b ∈ hull, and of the others behind n
};

/// Which maximum of s an ascent should end at: when E overlaps P but not this face of it, the
/// distance to the face is the global maximum and the penetration of P a local one.
enum class Aim { distance, penetration };

/// Ascent within the subspace spanned by the columns of Q.
template <int K>
Fit ascend(const SmoothBody& E, const Vec3& w, const Eigen::Matrix<double, 3, K>& Q,
           const Vec3& hint, Aim aim) {
  SupportGap<K> gap{Q.transpose() * (E.x - w), E.L * Q, SupportGap<K>::Factor::Zero()};
  GapMaximum<K> found;
  const Eigen::Matrix<double, K, 1> start = Q.transpose() * hint;
  if (start.norm() > 1e-8) found = maximise<K>(gap, start.normalized());
  if (aim == Aim::distance && !(found.s > 0.0) && gap.p.norm() > 0.0) {
    const GapMaximum<K> other = maximise<K>(gap, touching_direction(gap));
    if (other.s > 0.0) found = other;  // s > 0 proves it the global maximum
  }
  Fit fit;
  fit.n = Q * found.n;
  fit.s = found.s, fit.residual = found.residual, fit.iterations = found.iterations;
  return fit;
}

class EllipsoidPolytope {
 public:
  EllipsoidPolytope(const SmoothBody& E, const Polytope& P)
      : E_(E), P_(P), scale_(P.radius() + E.L.norm() + E.x.norm()) {}

  ClosestPoints solve() const {
    const auto [start, vertices] = touching_start();
    Fit best;
    best.s = -std::numeric_limits<double>::infinity();
    if (vertices.count > 0) best = refine(start, vertices);
    if (!(best.s > 0.0)) best = overlapping(best);
    ClosestPoints c;
    c.normal = best.n;
    c.gap = best.s;
    c.on_a = E_.support(-best.n);
    c.on_b = c.on_a - best.s * best.n;
    c.residual = best.residual;
    c.iterations = best.iterations;
    return c;
  }

 private:
  struct Vertices {
    int count = 0;
    std::array<int, 4> id{};
  };

  double roundoff() const { return 1e-14 * scale_; }

  /// s(n) of the whole polytope: a lower bound of the signed gap for every n.
  double value(const Vec3& n) const {
    return n.dot(E_.x) - (E_.L * n).norm() - n.dot(P_.vertices()[P_.support_vertex(n)]);
  }

  /// Scale E about its centre until it touches P: the nearest point to the centre once E is mapped
  /// to the unit ball. Gives a separating direction whenever there is one.
  std::pair<Vec3, Vertices> touching_start() const {
    Mat3 T = E_.L;
    for (int i = 0; i < 3; ++i) {
      const double axis2 = E_.L.row(i).squaredNorm();
      T.row(i) = axis2 > 0.0 ? Vec3(E_.L.row(i) / axis2) : Vec3(Vec3::Zero());
    }
    auto support = [&](const Vec3& d) -> SupportVertex {
      const int v = P_.support_vertex(T.transpose() * d);
      return {T * (P_.vertices()[v] - E_.x), v};
    };
    const double size = T.norm() * (P_.radius() + E_.x.norm());
    const GjkResult near = gjk(support, T * E_.x, size);
    if (near.count > P_.dim() || near.point.norm() <= 1e-12 * size) return {Vec3::Zero(), {}};
    Vertices W{near.count, {}};
    for (int i = 0; i < near.count; ++i) W.id[i] = static_cast<int>(near.id[i]);
    return {-(T.transpose() * near.point).normalized(), W};
  }

  Fit fit_normal(const std::array<Vec3, 3>& w, int count, const Vec3& hint, Aim aim) const {
    if (P_.dim() == 2) {
      if (count == 1) return ascend<2>(E_, w[0], Mat3::Identity().leftCols<2>(), hint, aim);
    } else {
      if (count == 1) return ascend<3>(E_, w[0], Mat3::Identity(), hint, aim);
      if (count == 2) {
        Eigen::Matrix<double, 3, 2> Q;
        const Vec3 e = (w[1] - w[0]).normalized();
        Q.col(0) = e.unitOrthogonal();
        Q.col(1) = e.cross(Q.col(0));
        return ascend<2>(E_, w[0], Q, hint, aim);
      }
    }
    const Vec3 e = w[1] - w[0];
    Fit fit;
    fit.n = P_.dim() == 2 ? Vec3(e.y(), -e.x(), 0.0) : Vec3(e.cross(w[2] - w[0]));
    fit.n.normalize();
    if (fit.n.dot(hint) < 0.0) fit.n = -fit.n;
    fit.s = fit.n.dot(E_.x - w[0]) - (E_.L * fit.n).norm();
    return fit;
  }

  /// How far b is outside the hull of w [m].
  static double outside(const std::array<Vec3, 3>& w, int count, const Vec3& b) {
    if (count == 1) return 0.0;
    const Vec3 e = w[1] - w[0];
    if (count == 2) {
      const double t = (b - w[0]).dot(e) / e.norm();
      return std::max({0.0, -t, t - e.norm()});
    }
    const Vec3 n = e.cross(w[2] - w[0]).normalized();
    double worst = 0.0;
    for (int i = 0; i < 3; ++i) {
      const Vec3 side = w[(i + 1) % 3] - w[i];
      worst = std::max(worst, side.cross(n).normalized().dot(b - w[i]));
    }
    return worst;
  }

  /// The face of the simplex W on which the optimality conditions hold best.
  Fit best_face(const Vertices& W, const Vec3& hint) const {
    Fit best;
    for (unsigned mask = 1; mask < (1u << W.count); ++mask) {
      std::array<Vec3, 3> w;
      std::array<int, 3> id{};
      int count = 0;
      bool fits = true;
      for (int i = 0; i < W.count && fits; ++i) {
        if (!(mask >> i & 1u)) continue;
        fits = count < P_.dim();
        if (fits) w[count] = P_.vertices()[W.id[i]], id[count++] = W.id[i];
      }
      if (!fits) continue;
      Fit fit = fit_normal(w, count, hint, Aim::distance);
      if (!fit.n.allFinite() || fit.n.isZero()) continue;
      fit.b = E_.support(-fit.n) - fit.s * fit.n;
      fit.count = count, fit.vertex = id;
      fit.violation = outside(w, count, fit.b);
      for (int i = 0; i < W.count; ++i)
        fit.violation = std::max(fit.violation, fit.n.dot(P_.vertices()[W.id[i]] - fit.b));
      if (fit.violation < best.violation - roundoff()) best = fit;
    }
    return best;
  }

  /// Active-set ascent: E against a face of P; add the vertex of P that lies farthest in front of
  /// it. The distance falls strictly while the sets are separated, so that no face returns.
  Fit refine(Vec3 n, Vertices W) const {
    Fit best;
    best.n = n, best.s = value(n), best.b = E_.support(-n) - best.s * n;
    int iterations = 0;
    for (int round = 0; round < 60; ++round) {
      const Fit fit = best_face(W, n);
      if (fit.count == 0) break;
      iterations += fit.iterations;
      n = fit.n;
      const int v = P_.support_vertex(n);
      const double front = n.dot(P_.vertices()[v] - fit.b);
      const double s = fit.s - std::max(front, 0.0);
      if (front <= 4.0 * roundoff() && fit.violation <= 4.0 * roundoff()) {
        best = fit;
        break;
      }
      if (s > best.s) best = fit, best.s = s;
      W.count = fit.count;
      bool known = false;
      for (int i = 0; i < fit.count; ++i) {
        W.id[i] = fit.vertex[i];
        known = known || W.id[i] == v;
      }
      if (known) break;
      W.id[W.count++] = v;
    }
    best.iterations = iterations;
    return best;
  }

  /// The conditions of a local maximum hold at a depth where the sphere's curvature cannot spoil
  /// them and no other face is likely to be nearer.
  bool shallow(const Fit& fit) const {
    double smallest = std::numeric_limits<double>::infinity();
    for (int i = 0; i < P_.dim(); ++i) smallest = std::min(smallest, E_.L.row(i).norm());
    return fit.violation <= 4.0 * roundoff() && fit.s > -0.3 * smallest;
  }

  /// The smallest penetration over the facets and, unless the known one is shallow, over the edges
  /// and vertices.
  Fit overlapping(const Fit& known) const {
    Fit best = known;
    for (const auto& f : P_.facets()) {
      const double s = f.normal.dot(E_.x) - (E_.L * f.normal).norm() - f.offset;
      if (s > best.s + roundoff()) best = Fit{}, best.n = f.normal, best.s = s;
    }
    if (shallow(best)) return best;
    over_vertices(best);
    over_edges(best);
    return best;
  }

  /// On the cone of normals at w, all within a chord of m, s ≤ s(m) + |∇s| angle and |∇s| ≤ scale.
  bool hopeless(const Fit& best, const Vec3& w, const Vec3& m, double chord) const {
    const double s = m.dot(E_.x - w) - (E_.L * m).norm();
    return s + 0.5 * std::numbers::pi * chord * scale_ <= best.s;
  }

  /// From the middle of every normal cone and from its corners: an ascent may leave the cone.
  void over_vertices(Fit& best) const {
    const std::size_t count = P_.vertices().size();
    std::vector<Vec3> middle(count, Vec3::Zero());
    std::vector<double> chord(count, 0.0);
    for (const auto& f : P_.facets())
      for (int v : f.vertices) middle[v] += f.normal;
    for (Vec3& m : middle) m.normalize();
    for (const auto& f : P_.facets())
      for (int v : f.vertices) chord[v] = std::max(chord[v], (f.normal - middle[v]).norm());
    for (std::size_t v = 0; v < count; ++v)
      if (!hopeless(best, P_.vertices()[v], middle[v], chord[v]))
        consider(best, {static_cast<int>(v)}, 1, middle[v]);
    for (const auto& f : P_.facets())
      for (int v : f.vertices)
        if (!hopeless(best, P_.vertices()[v], middle[v], chord[v]))
          consider(best, {v}, 1, f.normal);
  }

  void over_edges(Fit& best) const {
    for (std::size_t e = 0; e < P_.edges().size(); ++e) {
      const std::array<int, 3> ends{P_.edges()[e][0], P_.edges()[e][1]};
      const Vec3& left = P_.facets()[P_.edge_facets()[e][0]].normal;
      const Vec3& right = P_.facets()[P_.edge_facets()[e][1]].normal;
      const Vec3 middle = (left + right).normalized();
      if (hopeless(best, P_.vertices()[ends[0]], middle, (left - middle).norm())) continue;
      for (const Vec3& hint : {middle, left, right}) consider(best, ends, 2, hint);
    }
  }

  /// Ascent on one vertex or edge; kept when it is better for the whole polytope.
  void consider(Fit& best, const std::array<int, 3>& id, int count, const Vec3& hint) const {
    std::array<Vec3, 3> w;
    for (int i = 0; i < count; ++i) w[i] = P_.vertices()[id[i]];
    Fit fit = fit_normal(w, count, hint, Aim::penetration);
    if (!(fit.s > best.s + roundoff())) return;
    fit.s = value(fit.n);
    if (fit.s > best.s + roundoff()) best = fit;
  }

  const SmoothBody& E_;
  const Polytope& P_;
  double scale_;
};

}  // namespace

ClosestPoints ball_polytope(const Vec3& c, double r, const Polytope& P) {
  const double scale = P.radius() + c.norm();
  auto support = [&](const Vec3& d) -> SupportVertex {
    const int v = P.support_vertex(d);
    return {P.vertices()[v] - c, v};
  };
  const GjkResult near = gjk(support, c, scale);
  ClosestPoints found;
  const double distance = near.point.norm();
  if (distance > 1e-12 * scale) {
    found.normal = -near.point / distance;
    found.on_b = c + near.point;
    found.gap = distance - r;
  } else {  // the centre inside: the nearest facet; its foot lies in the facet
    double most = -std::numeric_limits<double>::infinity();
    for (const auto& f : P.facets()) {
      const double s = f.normal.dot(c) - f.offset;
      if (s > most) most = s, found.normal = f.normal;
    }
    found.on_b = c - most * found.normal;
    found.gap = most - r;
  }
  found.on_a = c - r * found.normal;
  return found;
}

ClosestPoints ellipsoid_polytope(const SmoothBody& E, const Polytope& P) {
  return EllipsoidPolytope(E, P).solve();
}

}  // namespace touchstone

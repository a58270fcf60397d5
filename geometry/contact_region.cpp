#include "geometry/contact_region.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <typeinfo>

#include "geometry/supporting_points.hpp"

namespace touchstone {

namespace {

using Vec2 = Eigen::Vector2d;

double cross(const Vec2& a, const Vec2& b) { return a.x() * b.y() - a.y() * b.x(); }

/// A face projected along n: plane coordinates of its points and the height of the face above them.
struct Shadow {
  const Face& face;
  Vec3 n, e1, e2;
  std::vector<Vec2> at{};

  Shadow(const Face& f, const Vec3& normal, const Vec3& u, const Vec3& w)
      : face(f), n(normal), e1(u), e2(w) {
    for (const Vec3& p : f.points) at.emplace_back(p.dot(e1), p.dot(e2));
    // A loop that runs clockwise in these coordinates is turned, so that inside is always left.
    reversed = at.size() > 2 && f.normal.dot(n) < 0.0;
  }
  bool reversed = false;

  std::size_t edges() const { return at.size() > 2 ? at.size() : at.size() - 1; }
  std::size_t next(std::size_t i) const { return (i + 1) % at.size(); }

  bool holds(const Vec2& x, double tolerance) const {
    if (at.size() == 1) return (x - at[0]).norm() <= tolerance;
    for (std::size_t i = 0; i < edges(); ++i) {
      const Vec2 e = (at[next(i)] - at[i]).normalized();
      const double left = (reversed ? -1.0 : 1.0) * cross(e, x - at[i]);
      if (at.size() > 2) {
        if (left < -tolerance) return false;
      } else {
        const double along = e.dot(x - at[i]);
        if (std::abs(left) > tolerance || along < -tolerance ||
            along > (at[1] - at[0]).norm() + tolerance)
          return false;
      }
    }
    return true;
  }

  /// The point of the face above (or below) x.
  Vec3 lift(const Vec2& x) const {
    const Vec3 flat = x.x() * e1 + x.y() * e2;
    double height = face.points[0].dot(n);
    if (at.size() > 2) {
      height = face.normal.dot(face.points[0] - flat) / face.normal.dot(n);
    } else if (at.size() == 2) {
      const Vec2 e = at[1] - at[0];
      const double length2 = e.squaredNorm();
      const double t = length2 > 0.0 ? std::clamp(e.dot(x - at[0]) / length2, 0.0, 1.0) : 0.0;
      height += t * (face.points[1] - face.points[0]).dot(n);
    }
    return flat + height * n;
  }
};

class Region {
 public:
  Region(const Vec3& n, double scale) : n_(n), same_(1e-9 * scale) {}

  void add(const Vec3& a, const Vec3& b, int feature) {
    const double gap = n_.dot(a - b);
    for (ContactPoint& known : points_) {
      if ((known.on_a - a).squaredNorm() > same_ * same_) continue;
      if (gap < known.gap) known.on_a = a, known.on_b = b, known.gap = gap;
      return;
    }
    points_.push_back({a, b, n_, gap, feature});
  }
  std::vector<ContactPoint> take() { return std::move(points_); }

 private:
  Vec3 n_;
  double same_;
  std::vector<ContactPoint> points_;
};

/// Crossing of two segments of the plane, ends included up to the tolerance.
bool crossing(const Vec2& a, const Vec2& b, const Vec2& c, const Vec2& d, double tolerance,
              Vec2& x) {
  const Vec2 e = b - a, f = d - c;
  const double along = e.norm(), across = f.norm();
  const double det = cross(e, f);
  if (std::abs(det) <= 1e-9 * along * across) return false;  // parallel: ends tell everything
  const double t = cross(c - a, f) / det, u = cross(c - a, e) / det;
  if (t * along < -tolerance || (t - 1.0) * along > tolerance) return false;
  if (u * across < -tolerance || (u - 1.0) * across > tolerance) return false;
  x = a + std::clamp(t, 0.0, 1.0) * e;
  return true;
}

}  // namespace

FaceNumbers polytope_numbers(const Polytope& P) {
  return {[&P](int v, int w) { return edge_id(P, v, w); },
          static_cast<std::uint64_t>(facet_id(P, P.count()))};
}

FaceNumbers loop_numbers() {
  // Vertices 0…63, the edge that begins at a vertex 64…127, the face 128. The last edge joins the
  // last vertex and the first.
  return {[](int v, int w) { return 64 + (w == v + 1 || w == 0 ? v : w); }, 129};
}

int vertex_id(const Polytope&, int v) { return v; }

int edge_id(const Polytope& P, int v, int w) {
  const int first = static_cast<int>(P.vertices().size());
  if (P.dim() == 2)  // facet i is the edge from vertex i to the next
    return first + ((v + 1) % first == w ? v : w);
  for (std::size_t i = 0; i < P.edges().size(); ++i) {
    const auto& e = P.edges()[i];
    if ((e[0] == v && e[1] == w) || (e[0] == w && e[1] == v)) return first + static_cast<int>(i);
  }
  return first;
}

int facet_id(const Polytope& P, int f) {
  return static_cast<int>(P.vertices().size() + P.edges().size()) + f;
}

int pair_id(const FaceNumbers& B, int face_a, int face_b) {
  const std::uint64_t id =
      static_cast<std::uint64_t>(face_a) * B.faces + static_cast<std::uint64_t>(face_b);
  return static_cast<int>(id & 0x7fffffffu);  // unique up to 2³¹ pairs of faces
}

int pair_id(const Polytope& B, int face_a, int face_b) {
  return pair_id(polytope_numbers(B), face_a, face_b);
}

Face supporting_face(const Polytope& P, const Pose& pose, const Vec3& d, double cosine) {
  const Vec3 down = pose.R.transpose() * d;
  const int v = P.support_vertex(down);
  Face face;
  double most = cosine;
  auto has = [v](const auto& vertices) {
    return std::find(vertices.begin(), vertices.end(), v) != vertices.end();
  };
  for (int f = 0; f < P.count(); ++f) {
    const auto& facet = P.facets()[f];
    const double along = facet.normal.dot(down);
    if (along <= most || !has(facet.vertices)) continue;
    most = along;
    face.vertices = facet.vertices;
    face.normal = pose.R * facet.normal;
    face.id = facet_id(P, f);
  }
  if (face.vertices.empty()) {
    double least = std::sqrt(1.0 - cosine * cosine);
    for (const auto& e : P.edges()) {
      if (!has(e)) continue;
      const Vec3 along = (P.vertices()[e[1]] - P.vertices()[e[0]]).normalized();
      if (std::abs(along.dot(down)) >= least) continue;
      least = std::abs(along.dot(down));
      face.vertices = {e[0], e[1]};
      face.id = edge_id(P, e[0], e[1]);
    }
  }
  if (face.vertices.empty()) face.vertices = {v}, face.id = v;
  for (int i : face.vertices) face.points.push_back(pose.to_world(P.vertices()[i]));
  return face;
}

Face supporting_face(const ConvexSet& set, const Pose& pose, const Vec3& d, double cosine) {
  std::vector<Vec3> points;
  if (typeid(set) == typeid(Polytope))  // numbered as a loop too: its own numbers may exceed it
    points = supporting_face(static_cast<const Polytope&>(set), pose, d, cosine).points;
  else
    supporting_points(set, pose.R.transpose() * d, cosine, points);
  if (points.size() > 64) points.resize(64);
  Face face;
  face.id = points.size() > 2 ? 128 : points.size() == 2 ? 64 : 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    face.vertices.push_back(static_cast<int>(i));
    const bool world = typeid(set) == typeid(Polytope);
    face.points.push_back(world ? points[i] : pose.to_world(points[i]));
  }
  // The mean normal of the loop, which is all but flat.
  for (std::size_t i = 1; i + 1 < face.points.size(); ++i)
    face.normal += (face.points[i] - face.points[0]).cross(face.points[i + 1] - face.points[0]);
  if (points.size() > 2) face.normal.normalize();
  return face;
}

std::vector<ContactPoint> contact_region(int dim, const Face& face_a, const FaceNumbers& A,
                                         const Face& face_b, const FaceNumbers& B, const Vec3& n,
                                         double scale) {
  const double tolerance = 1e-10 * scale;
  const Vec3 e1 = dim == 2 ? Vec3(-n.y(), n.x(), 0.0) : Vec3(n.unitOrthogonal());
  const Vec3 e2 = n.cross(e1);
  const Shadow a(face_a, n, e1, e2), b(face_b, n, e1, e2);
  Region region(n, scale);
  for (std::size_t i = 0; i < a.at.size(); ++i)
    if (b.holds(a.at[i], tolerance))
      region.add(face_a.points[i], b.lift(a.at[i]), pair_id(B, face_a.vertices[i], face_b.id));
  for (std::size_t j = 0; j < b.at.size(); ++j)
    if (a.holds(b.at[j], tolerance))
      region.add(a.lift(b.at[j]), face_b.points[j], pair_id(B, face_a.id, face_b.vertices[j]));
  for (std::size_t i = 0; i < a.edges(); ++i) {
    for (std::size_t j = 0; j < b.edges(); ++j) {
      Vec2 x;
      if (!crossing(a.at[i], a.at[a.next(i)], b.at[j], b.at[b.next(j)], tolerance, x)) continue;
      region.add(a.lift(x), b.lift(x),
                 pair_id(B, A.edge(face_a.vertices[i], face_a.vertices[a.next(i)]),
                         B.edge(face_b.vertices[j], face_b.vertices[b.next(j)])));
    }
  }
  return region.take();
}

}  // namespace touchstone

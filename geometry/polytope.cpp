#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <stdexcept>

#include "geometry/checks.hpp"
#include "geometry/hull.hpp"
#include "geometry/shapes.hpp"

namespace touchstone {

namespace {

/// Points nearer than this to a common line (plane) count as collinear (coplanar): a few hundred
/// roundings of the extent, a few of the coordinates; far below any intended feature.
double flatness(const std::vector<Vec3>& points) {
  double extent = 0.0, largest = 0.0;
  for (const Vec3& p : points) {
    extent = std::max(extent, (p - points[0]).norm());
    largest = std::max(largest, p.cwiseAbs().maxCoeff());
  }
  return std::max(1e-13 * extent, 16.0 * std::numeric_limits<double>::epsilon() * largest);
}

/// Width of the thinnest slab through points[0] found by a greedy simplex: 0 when they are
/// coplanar.
double thickness(const std::vector<Vec3>& points) {
  auto farthest = [&](auto distance) {
    return *std::max_element(points.begin(), points.end(), [&](const Vec3& a, const Vec3& b) {
      return distance(a) < distance(b);
    });
  };
  const Vec3 o = points[0];
  const Vec3 d = (farthest([&](const Vec3& p) { return (p - o).norm(); }) - o).normalized();
  const Vec3 q = farthest([&](const Vec3& p) { return (p - o).cross(d).norm(); }) - o;
  const Vec3 normal = d.cross(q).normalized();
  const Vec3 r = farthest([&](const Vec3& p) { return std::abs((p - o).dot(normal)); }) - o;
  return std::abs(r.dot(normal));
}

struct Edges {
  std::vector<std::array<int, 2>> ends, facets;
};

/// Every edge once, in the order of the first facet that has it.
Edges edges_of(const std::vector<Polytope::Facet>& facets) {
  Edges edges;
  std::map<std::array<int, 2>, std::size_t> known;
  for (std::size_t f = 0; f < facets.size(); ++f) {
    const auto& loop = facets[f].vertices;
    for (std::size_t i = 0; i < loop.size(); ++i) {
      const int a = loop[i], b = loop[(i + 1) % loop.size()];
      if (auto it = known.find({b, a}); it != known.end()) {
        edges.facets[it->second][1] = static_cast<int>(f);
        known.erase(it);
      } else {
        known[{a, b}] = edges.ends.size();
        edges.ends.push_back({a, b});
        edges.facets.push_back({static_cast<int>(f), -1});
      }
    }
  }
  if (!known.empty())
    throw std::invalid_argument(
        "polytope: the hull of the points is too flat to resolve its facets");
  return edges;
}

}  // namespace

Polytope::Polytope(int dim, std::vector<Vec3> points) : dim_(dim) {
  checks::dimension("polytope", dim);
  if (points.size() < static_cast<std::size_t>(dim) + 1)
    throw std::invalid_argument(
        fmt::format("polytope: {} points, expected at least {}", points.size(), dim + 1));
  for (const Vec3& p : points) checks::point("polytope", "a point", dim, p);
  if (dim == 2)
    build_planar(points, flatness(points));
  else
    build_spatial(points, flatness(points));
  for (const Vec3& v : vertices_) radius_ = std::max(radius_, v.norm());
}

void Polytope::build_planar(const std::vector<Vec3>& points, double flat) {
  const std::vector<int> hull = planar_hull(points, flat);
  if (hull.size() < 3)
    throw std::invalid_argument("polytope: the points are collinear, expected a convex polygon");
  for (int i : hull) vertices_.push_back(points[i]);
  const int n = static_cast<int>(hull.size());
  for (int i = 0; i < n; ++i) {
    const Vec3& a = vertices_[i];
    const Vec3& b = vertices_[(i + 1) % n];
    const Vec3 normal = Vec3(b.y() - a.y(), a.x() - b.x(), 0.0).normalized();
    facets_.push_back({normal, std::max(normal.dot(a), normal.dot(b)), {i, (i + 1) % n}});
  }
}

void Polytope::build_spatial(const std::vector<Vec3>& points, double flat) {
  if (!(thickness(points) > flat))
    throw std::invalid_argument("polytope: the points are coplanar, expected a spatial hull");
  SpatialHull hull = spatial_hull(points, flat);
  vertices_ = std::move(hull.vertices);
  facets_ = std::move(hull.facets);
  Edges edges = edges_of(facets_);
  edges_ = std::move(edges.ends);
  edge_facets_ = std::move(edges.facets);
}

double Polytope::value(int j, const Vec3& x) const {
  return facets_[j].normal.dot(x) - facets_[j].offset;
}
Vec3 Polytope::gradient(int j, const Vec3&) const { return facets_[j].normal; }
Mat3 Polytope::hessian(int, const Vec3&) const { return Mat3::Zero(); }

int Polytope::support_vertex(const Vec3& d) const {
  int best = 0;
  double most = d.dot(vertices_[0]);
  for (std::size_t i = 1; i < vertices_.size(); ++i) {
    const double h = d.dot(vertices_[i]);
    if (h > most) {
      most = h;
      best = static_cast<int>(i);
    }
  }
  return best;
}

Vec3 Polytope::support(const Vec3& d) const { return vertices_[support_vertex(d)]; }

MassProperties Polytope::mass_properties(double density) const {
  checks::positive("polytope", "density", density);
  // Simplices from the mean of the vertices o: volume V, first moment V Σy/(dim + 1) and second
  // moment ∫ y yᵀ = V/((dim + 1)(dim + 2)) (Σ yᵢyᵢᵀ + Σyᵢ Σyᵢᵀ) with the apex at y = 0.
  Vec3 o = Vec3::Zero();
  for (const Vec3& v : vertices_) o += v;
  o /= static_cast<double>(vertices_.size());
  double volume = 0.0;
  Vec3 first = Vec3::Zero();
  Mat3 second = Mat3::Zero();
  auto add = [&](double V, std::initializer_list<Vec3> corners) {
    Vec3 sum = Vec3::Zero();
    Mat3 squares = Mat3::Zero();
    for (const Vec3& y : corners) {
      sum += y;
      squares += y * y.transpose();
    }
    volume += V;
    first += V / (dim_ + 1) * sum;
    second += V / ((dim_ + 1) * (dim_ + 2)) * (squares + sum * sum.transpose());
  };
  for (const Facet& f : facets_) {
    const Vec3 a = vertices_[f.vertices[0]] - o;
    for (std::size_t i = 1; i < f.vertices.size(); ++i) {
      const Vec3 b = vertices_[f.vertices[i]] - o;
      if (dim_ == 2) {
        add(a.cross(b).z() / 2.0, {a, b});
      } else if (i + 1 < f.vertices.size()) {
        const Vec3 c = vertices_[f.vertices[i + 1]] - o;
        add(a.dot(b.cross(c)) / 6.0, {a, b, c});
      }
    }
  }
  const Vec3 shift = first / volume;
  const Mat3 square =
      shift * shift.transpose();  // by itself, so that it is symmetric to the last bit
  const Mat3 central = second - volume * square;
  MassProperties m;
  m.mass = density * volume;
  m.centroid = o + shift;
  m.inertia = density * (central.trace() * Mat3::Identity() - central);
  return m;
}

std::shared_ptr<Polytope> regular_polygon(int edges, double circumradius) {
  if (edges < 3)
    throw std::invalid_argument(
        fmt::format("regular polygon: edges is {}, expected at least 3", edges));
  checks::positive("regular polygon", "circumradius", circumradius);
  std::vector<Vec3> points;
  points.reserve(static_cast<std::size_t>(edges));
  for (int i = 0; i < edges; ++i) {
    // Angle from −π/2; sine and cosine change places so that the first vertex is exactly (0, −R).
    const double angle = 2.0 * std::numbers::pi * i / edges;
    points.emplace_back(circumradius * std::sin(angle), -circumradius * std::cos(angle), 0.0);
  }
  return std::make_shared<Polytope>(2, std::move(points));
}

std::shared_ptr<Polytope> box(int dim, const Vec3& sides) {
  checks::dimension("box", dim);
  static constexpr const char* names[] = {"side x", "side y", "side z"};
  for (int i = 0; i < dim; ++i) checks::positive("box", names[i], sides[i]);
  const double x = sides.x() / 2.0, y = sides.y() / 2.0;
  std::vector<Vec3> points;
  for (double z : {-1.0, 1.0}) {
    if (dim == 2 && z > 0.0) break;
    const double height = dim == 2 ? 0.0 : z * sides.z() / 2.0;
    for (const auto& [sx, sy] : {std::pair{-x, -y}, {x, -y}, {x, y}, {-x, y}})
      points.emplace_back(sx, sy, height);
  }
  return std::make_shared<Polytope>(dim, std::move(points));
}

}  // namespace touchstone

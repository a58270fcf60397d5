#include "tests/geometry/support.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace touchstone::test {

namespace {

std::vector<Vec3> sphere_directions(int dim, int count) {
  std::vector<Vec3> directions;
  for (int i = 0; i < count; ++i) {
    if (dim == 2) {
      const double t = 2.0 * std::numbers::pi * i / count;
      directions.emplace_back(std::cos(t), std::sin(t), 0.0);
    } else {  // Fibonacci lattice
      const double z = 1.0 - (2.0 * i + 1.0) / count;
      const double t = std::numbers::pi * (3.0 - std::sqrt(5.0)) * i, r = std::sqrt(1.0 - z * z);
      directions.emplace_back(r * std::cos(t), r * std::sin(t), z);
    }
  }
  return directions;
}

std::vector<Vec3> edge_directions(const Polytope& P, const Pose& pose) {
  std::vector<Vec3> directions;
  for (const auto& e : P.edges())
    directions.push_back(pose.R * (P.vertices()[e[1]] - P.vertices()[e[0]]));
  return directions;
}

std::vector<Vec3> world_vertices(const Polytope& P, const Pose& pose) {
  std::vector<Vec3> v;
  for (const Vec3& p : P.vertices()) v.push_back(pose.to_world(p));
  return v;
}

std::vector<std::array<int, 2>> segments(const Polytope& P) {
  if (P.dim() == 3) return P.edges();
  std::vector<std::array<int, 2>> all;
  for (const auto& f : P.facets()) all.push_back({f.vertices[0], f.vertices[1]});
  return all;
}

double point_segment(const Vec3& p, const Vec3& a, const Vec3& b) {
  const double t = std::clamp((p - a).dot(b - a) / (b - a).squaredNorm(), 0.0, 1.0);
  return (p - a - t * (b - a)).norm();
}

/// Only the case of an interior crossing; ends are covered by point_segment.
double segment_segment(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
  const Vec3 n = (b - a).cross(d - c);
  const double n2 = n.squaredNorm();
  if (n2 < 1e-20) return std::numeric_limits<double>::infinity();
  const double t = (c - a).cross(d - c).dot(n) / n2, u = (c - a).cross(b - a).dot(n) / n2;
  if (t < 0.0 || t > 1.0 || u < 0.0 || u > 1.0) return std::numeric_limits<double>::infinity();
  return std::abs((c - a).dot(n)) / std::sqrt(n2);
}

double vertices_facets(const Polytope& P, const Pose& pose, const std::vector<Vec3>& points) {
  double least = std::numeric_limits<double>::infinity();
  const auto v = world_vertices(P, pose);
  for (const auto& f : P.facets()) {
    const Vec3 n = pose.R * f.normal;
    for (const Vec3& p : points) {
      const double height = n.dot(p - v[f.vertices[0]]);
      bool above = height >= 0.0;
      for (std::size_t i = 0; i < f.vertices.size() && above; ++i) {
        const Vec3& a = v[f.vertices[i]];
        const Vec3& b = v[f.vertices[(i + 1) % f.vertices.size()]];
        above = n.cross(b - a).dot(p - a) >= 0.0;
      }
      if (above) least = std::min(least, height);
    }
  }
  return least;
}

}  // namespace

double brute_force_gap(const ConvexSet& A, const Pose& a, const ConvexSet& B, const Pose& b) {
  const int dim = A.dim();
  std::vector<std::pair<double, Vec3>> found;
  for (const Vec3& n : sphere_directions(dim, dim == 2 ? 720 : 4000))
    found.emplace_back(support_gap(A, a, B, b, n), n);
  std::sort(found.begin(), found.end(),
            [](const auto& x, const auto& y) { return x.first > y.first; });
  double best = found[0].first;
  for (int k = 0; k < 6; ++k) {
    auto [s, n] = found[k];
    int moves = 0;
    for (double step = 0.05; step > 1e-10 && moves < 400;) {
      const Vec3 u = dim == 2 ? Vec3(-n.y(), n.x(), 0.0) : Vec3(n.unitOrthogonal());
      const Vec3 w = n.cross(u);
      bool better = false;
      for (int i = 0; i < (dim == 2 ? 2 : 12); ++i) {
        const double t = dim == 2 ? std::numbers::pi * i : std::numbers::pi * i / 6.0;
        const Vec3 trial =
            (n + step * (std::cos(t) * u + (dim == 2 ? 0.0 : std::sin(t)) * w)).normalized();
        const double there = support_gap(A, a, B, b, trial);
        if (there > s) s = there, n = trial, better = true, ++moves;
      }
      if (!better) step *= 0.5;
    }
    best = std::max(best, s);
  }
  return best;
}

double brute_force_depth(const Polytope& A, const Pose& a, const Polytope& B, const Pose& b) {
  std::vector<Vec3> axes;
  for (const auto& f : A.facets()) axes.push_back(-(a.R * f.normal));
  for (const auto& f : B.facets()) axes.push_back(b.R * f.normal);
  for (const Vec3& u : edge_directions(A, a)) {
    for (const Vec3& w : edge_directions(B, b)) {
      const Vec3 n = u.cross(w);
      if (n.norm() < 1e-9) continue;
      axes.push_back(n.normalized());
      axes.push_back(-n.normalized());
    }
  }
  double most = -std::numeric_limits<double>::infinity();
  for (const Vec3& n : axes) most = std::max(most, support_gap(A, a, B, b, n));
  return most;
}

double brute_force_distance(const Polytope& A, const Pose& a, const Polytope& B, const Pose& b) {
  const auto va = world_vertices(A, a), vb = world_vertices(B, b);
  double least = std::numeric_limits<double>::infinity();
  for (const Vec3& p : va)
    for (const auto& e : segments(B)) least = std::min(least, point_segment(p, vb[e[0]], vb[e[1]]));
  for (const Vec3& p : vb)
    for (const auto& e : segments(A)) least = std::min(least, point_segment(p, va[e[0]], va[e[1]]));
  if (A.dim() == 2) return least;
  for (const auto& e : segments(A))
    for (const auto& f : segments(B))
      least = std::min(least, segment_segment(va[e[0]], va[e[1]], vb[f[0]], vb[f[1]]));
  return std::min({least, vertices_facets(A, a, vb), vertices_facets(B, b, va)});
}

}  // namespace touchstone::test

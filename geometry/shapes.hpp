#pragma once

#include <array>
#include <memory>
#include <vector>

#include "geometry/convex_set.hpp"

namespace touchstone {

/// {x : n·x ≤ c}, |n| = 1: the solid side is behind the surface, n points out of it.
class HalfSpace final : public ConvexSet {
 public:
  /// n need not be a unit vector; a zero n is an error (std::invalid_argument).
  HalfSpace(int dim, const Vec3& n, double c);
  const Vec3& normal() const { return n_; }
  double offset() const { return c_; }

  std::string kind() const override { return "half-space"; }
  int dim() const override { return dim_; }
  int count() const override { return 1; }
  double value(int j, const Vec3& x) const override;
  Vec3 gradient(int j, const Vec3& x) const override;
  Mat3 hessian(int j, const Vec3& x) const override;
  Vec3 support(const Vec3& d) const override;
  bool bounded() const override { return false; }
  double radius() const override;
  MassProperties mass_properties(double density) const override;

 private:
  int dim_;
  Vec3 n_;
  double c_;
};

/// Disc (dim 2) or sphere (dim 3): f = |x|² − r².
class Ball final : public ConvexSet {
 public:
  Ball(int dim, double r);

  std::string kind() const override { return dim_ == 2 ? "disc" : "sphere"; }
  int dim() const override { return dim_; }
  int count() const override { return 1; }
  double value(int j, const Vec3& x) const override;
  Vec3 gradient(int j, const Vec3& x) const override;
  Mat3 hessian(int j, const Vec3& x) const override;
  Vec3 support(const Vec3& d) const override;
  double radius() const override { return r_; }
  MassProperties mass_properties(double density) const override;

 private:
  int dim_;
  double r_;
};

/// Ellipse (dim 2, semi-axes a, b) or ellipsoid (a, b, c): f = (x/a)² + (y/b)² + (z/c)² − 1.
class Ellipsoid final : public ConvexSet {
 public:
  Ellipsoid(int dim, const Vec3& semi_axes);
  const Vec3& semi_axes() const { return axes_; }

  std::string kind() const override { return dim_ == 2 ? "ellipse" : "ellipsoid"; }
  int dim() const override { return dim_; }
  int count() const override { return 1; }
  double value(int j, const Vec3& x) const override;
  Vec3 gradient(int j, const Vec3& x) const override;
  Mat3 hessian(int j, const Vec3& x) const override;
  Vec3 support(const Vec3& d) const override;
  double radius() const override;
  MassProperties mass_properties(double density) const override;

 private:
  int dim_;
  Vec3 axes_;  // planar: axes_.z() is unused
};

/// Convex polygon (dim 2) or polyhedron (dim 3): the hull of its vertices and, from Qhull, its
/// facets f_j = n_j·x − c_j with merged coplanar facets.
class Polytope final : public ConvexSet {
 public:
  struct Facet {
    Vec3 normal;    // unit, outward
    double offset;  // n·x ≤ offset
    std::vector<int>
        vertices;  // planar: the two ends; spatial: the loop, counter-clockwise seen from outside
  };
  /// The hull of the points: interior and repeated points are dropped. std::invalid_argument when
  /// they do not span the dimension (coplanar, collinear, too few, not finite).
  Polytope(int dim, std::vector<Vec3> points);

  std::string kind() const override { return "polytope"; }
  int dim() const override { return dim_; }
  int count() const override { return static_cast<int>(facets_.size()); }
  double value(int j, const Vec3& x) const override;
  Vec3 gradient(int j, const Vec3& x) const override;
  Mat3 hessian(int j, const Vec3& x) const override;
  Vec3 support(const Vec3& d) const override;
  double radius() const override { return radius_; }
  MassProperties mass_properties(double density) const override;
  std::span<const Vec3> vertices() const override { return vertices_; }

  const std::vector<Facet>& facets() const { return facets_; }
  const std::vector<std::array<int, 2>>& edges() const { return edges_; }  // spatial only
  /// The two facets that meet at each edge: the first has the edge (v0, v1) in its own direction.
  const std::vector<std::array<int, 2>>& edge_facets() const { return edge_facets_; }
  /// Index of the vertex farthest along d; the first of equals.
  int support_vertex(const Vec3& d) const;

 private:
  void build_planar(const std::vector<Vec3>& points, double flat);
  void build_spatial(const std::vector<Vec3>& points, double flat);

  int dim_;
  std::vector<Vec3> vertices_;  // planar: counter-clockwise
  std::vector<Facet> facets_;
  std::vector<std::array<int, 2>> edges_;
  std::vector<std::array<int, 2>> edge_facets_;
  double radius_ = 0.0;
};

/// Regular polygon with circumradius r and a vertex straight down (at −π/2): edges ≥ 3.
std::shared_ptr<Polytope> regular_polygon(int edges, double circumradius);

/// Box with full side lengths: planar (x, y), spatial (x, y, z).
std::shared_ptr<Polytope> box(int dim, const Vec3& sides);

}  // namespace touchstone

#include "geometry/geodesic_polyhedron.hpp"

#include <cmath>
#include <numbers>

namespace touchstone {

std::vector<Vec3> geodesic_points(int refinements) {
  const double golden = std::numbers::phi;
  std::vector<Vec3> list;
  for (const double one : {-1.0, 1.0})
    for (const double long_one : {-golden, golden})
      for (int axis = 0; axis < 3; ++axis) {
        Vec3 x = Vec3::Zero();
        x[(axis + 1) % 3] = one, x[(axis + 2) % 3] = long_one;
        list.push_back(x.normalized());
      }
  for (int k = 0; k < refinements; ++k) {
    const Polytope sphere(3, list);
    list.assign(sphere.vertices().begin(), sphere.vertices().end());
    for (const auto& [a, b] : sphere.edges())
      list.push_back((sphere.vertices()[static_cast<std::size_t>(a)] +
                      sphere.vertices()[static_cast<std::size_t>(b)])
                         .normalized());
  }
  return list;
}

namespace {

/// The mean of the support function over all directions, half the mean width: Σ Lθ/8π over the
/// edges, L the length and θ the angle between the normals of the two facets.
double mean_support(const Polytope& shape) {
  double sum = 0.0;
  for (std::size_t e = 0; e < shape.edges().size(); ++e) {
    const auto& [v, w] = shape.edges()[e];
    const auto& [f, g] = shape.edge_facets()[e];
    const Vec3 edge = shape.vertices()[static_cast<std::size_t>(w)] -
                      shape.vertices()[static_cast<std::size_t>(v)];
    const Vec3 &m = shape.facets()[static_cast<std::size_t>(f)].normal,
               &n = shape.facets()[static_cast<std::size_t>(g)].normal;
    sum += edge.norm() * std::atan2(m.cross(n).norm(), m.dot(n));
  }
  return sum / (8.0 * std::numbers::pi);
}

}  // namespace

std::shared_ptr<Polytope> geodesic_polyhedron(int refinements, const Vec3& semi_axes) {
  std::vector<Vec3> points = geodesic_points(refinements);
  const double scale = 1.0 / mean_support(Polytope(3, points));
  for (Vec3& x : points) x = scale * semi_axes.cwiseProduct(x);
  return std::make_shared<Polytope>(3, std::move(points));
}

}  // namespace touchstone

#include "experiments/harness/bodies.hpp"

#include <cmath>
#include <numbers>

#include "experiments/harness/provenance.hpp"
#include "geometry/curved_shapes.hpp"
#include "geometry/geodesic_polyhedron.hpp"
#include "geometry/implicit_set.hpp"
#include "geometry/shapes.hpp"

namespace touchstone {

namespace {

constexpr int outline_points = 96;            // of a smooth planar shape
constexpr int rim_points = 48;                // of a cylinder
constexpr int refinements = 2;                // of the icosahedron of directions: 162 of them
constexpr std::size_t most_vertices = 5'000;  // a finer polygon is drawn by its support points

/// The first `count` coordinates.
Json coordinates(const Vec3& x, int count) {
  return std::vector<double>(x.data(), x.data() + count);
}

Json points(std::span<const Vec3> list, int dim) {
  Json json = Json::array();
  for (const Vec3& x : list) json.push_back(coordinates(x, dim));
  return json;
}

std::vector<Vec3> directions_in_the_plane() {
  std::vector<Vec3> list;
  for (int k = 0; k < outline_points; ++k) {
    const double angle = 2.0 * std::numbers::pi * k / outline_points;
    list.emplace_back(std::cos(angle), std::sin(angle), 0.0);
  }
  return list;
}

std::vector<Vec3> rims(const Cylinder& cylinder) {
  std::vector<Vec3> list;
  for (const double z : {-0.5 * cylinder.height(), 0.5 * cylinder.height()})
    for (int k = 0; k < rim_points; ++k) {
      const double angle = 2.0 * std::numbers::pi * k / rim_points;
      list.emplace_back(cylinder.r() * std::cos(angle), cylinder.r() * std::sin(angle), z);
    }
  return list;
}

/// Where the ray from an interior point leaves the set, by bisection.
Vec3 surface_point(const ImplicitSet& set, const Vec3& d) {
  double inside = 0.0, outside = 2.0 * (set.radius() + set.interior().norm());
  while (outside - inside > 1e-14 * set.radius()) {
    const double middle = 0.5 * (inside + outside);
    (set.largest_value(set.interior() + middle * d) <= 0.0 ? inside : outside) = middle;
  }
  return set.interior() + inside * d;
}

/// Points of the surface whose hull stands for the set.
std::vector<Vec3> samples(const ConvexSet& set) {
  if (const auto* cylinder = dynamic_cast<const Cylinder*>(&set)) return rims(*cylinder);
  const auto* implicit = dynamic_cast<const ImplicitSet*>(&set);  // its support points are costly
  std::vector<Vec3> list;
  for (const Vec3& d : set.dim() == 2 ? directions_in_the_plane() : geodesic_points(refinements))
    list.push_back(implicit ? surface_point(*implicit, d) : set.support(d));
  return list;
}

/// The set itself when it is a polytope, else the hull of points of its surface.
Polytope drawn(const ConvexSet& set) {
  const auto* exact = dynamic_cast<const Polytope*>(&set);
  if (exact && exact->vertices().size() <= most_vertices) return *exact;
  return Polytope(set.dim(), samples(set));
}

/// The dimensions of shapes that a drawing can render better than by their mesh.
void add_dimensions(const ConvexSet& set, Json& json) {
  const int dim = set.dim();
  if (const auto* ball = dynamic_cast<const Ball*>(&set)) {
    json["semi_axes"] = coordinates(Vec3::Constant(ball->radius()), dim);
  } else if (const auto* ellipsoid = dynamic_cast<const Ellipsoid*>(&set)) {
    json["semi_axes"] = coordinates(ellipsoid->semi_axes(), dim);
  } else if (const auto* superquadric = dynamic_cast<const Superquadric*>(&set)) {
    json["semi_axes"] = coordinates(superquadric->semi_axes(), dim);
    json["exponent"] = superquadric->exponent();
  } else if (const auto* cylinder = dynamic_cast<const Cylinder*>(&set)) {
    json["radius"] = cylinder->r();
    json["height"] = cylinder->height();
  }
}

void add_shape(const ConvexSet& set, Json& json) {
  json["shape"] = set.kind();
  if (const auto* half_space = dynamic_cast<const HalfSpace*>(&set)) {
    json["normal"] = coordinates(half_space->normal(), set.dim());
    json["offset"] = half_space->offset();
  } else if (set.bounded()) {
    add_dimensions(set, json);
    const Polytope hull = drawn(set);
    json["vertices"] = points(hull.vertices(), set.dim());
    if (set.dim() == 2) return;
    json["faces"] = Json::array();
    for (const Polytope::Facet& facet : hull.facets()) json["faces"].push_back(facet.vertices);
  }
}

Json of_body(const Body& body, int dim) {
  Json json = {{"name", body.name}, {"fixed", body.fixed}};
  if (body.fixed) {
    json["position"] = coordinates(body.position, dim);
    const Eigen::Quaterniond& q = body.orientation;
    if (dim == 2)
      json["angle"] = body.angle;
    else
      json["quaternion"] = {q.w(), q.x(), q.y(), q.z()};
  }
  add_shape(*body.shape, json);
  return json;
}

Json of_joint(const Joint& joint, const World& world) {
  return {{"name", joint.name},
          {"kind", to_string(joint.kind)},
          {"bodies", {world.body(joint.a).name, world.body(joint.b).name}},
          {"points", {coordinates(joint.on_a, world.dim()), coordinates(joint.on_b, world.dim())}}};
}

/// A list with one entry to the line: long lists of numbers stay readable, and short in bytes.
std::string lines(const std::vector<Json>& entries) {
  std::string text = "[";
  for (const Json& entry : entries)
    text += (&entry == &entries.front() ? "\n    " : ",\n    ") + entry.dump();
  return text + (entries.empty() ? "]" : "\n  ]");
}

}  // namespace

std::string bodies_json(const World& world) {
  std::vector<Json> bodies, joints;
  for (const Body& body : world.bodies()) bodies.push_back(of_body(body, world.dim()));
  for (const Joint& joint : world.joints()) joints.push_back(of_joint(joint, world));
  return "{\n  \"dimension\": " + std::to_string(world.dim()) +
         ",\n  \"gravity\": " + coordinates(world.gravity(), world.dim()).dump() +
         ",\n  \"bodies\": " + lines(bodies) + ",\n  \"joints\": " + lines(joints) + "\n}\n";
}

}  // namespace touchstone

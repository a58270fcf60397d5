#include "experiments/scene_bodies.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "experiments/shapes.hpp"
#include "geometry/shapes.hpp"
#include "solvers/names.hpp"

namespace touchstone {

namespace {

constexpr double quaternion_tolerance = 1e-3;  // of |q| − 1, for quaternions typed with few digits
constexpr double centred = 1e-12;              // of the radius: a centroid at the origin

const std::vector<std::string> body_keys = {
    "name",  "shape",      "fixed",      "mass",     "density",          "inertia", "position",
    "angle", "quaternion", "axis_angle", "velocity", "angular_velocity", "force",   "torque"};

/// Names become column headers ("NAME.x") and parts of contact names ("a/b#3").
std::string read_name(const Settings& table) {
  const std::string& name = table.text("name");
  const bool plain = std::ranges::all_of(name, [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte >= 0x80 || std::isalnum(byte) || c == '_' || c == '-';
  });
  if (!plain) table.refuse("name", "a name of letters, digits, '_' and '-'");
  return name;
}

std::shared_ptr<const ConvexSet> read_shape(int dim, const Settings& table) {
  if (!table.has("shape")) table.refuse("shape", "shape = { kind = \"…\", … }");
  return make_shape(dim, table.table("shape"));
}

// --- mass

Mat3 planar_inertia(double about_z) { return Vec3(1.0, 1.0, about_z).asDiagonal(); }

Mat3 read_matrix(const Settings& table, const std::string& expected) {
  const auto rows = table.rows("inertia", 3, expected);
  if (rows.size() != 3) table.refuse("inertia", expected);
  Mat3 I;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      I(i, j) = rows[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)];
  if (I != I.transpose() || Eigen::LLT<Mat3>(I).info() != Eigen::Success)
    table.refuse("inertia", expected);
  return I;
}

Mat3 read_inertia(int dim, const Settings& table) {
  if (dim == 2) return planar_inertia(table.positive("inertia", "kg m²"));
  const std::string expected =
      "three principal values above 0, or a symmetric positive definite 3×3 matrix [kg m²]";
  const auto* list = std::get_if<Setting::List>(&table.at("inertia", expected).value);
  const bool nested =
      list && !list->empty() && std::holds_alternative<Setting::List>(list->front().value);
  if (nested) return read_matrix(table, expected);
  const std::vector<double> values = table.numbers("inertia", expected);
  const bool positive = std::ranges::all_of(values, [](double value) { return value > 0.0; });
  if (values.size() != 3 || !positive) table.refuse("inertia", expected);
  return Vec3(values[0], values[1], values[2]).asDiagonal();
}

/// The shape about its centroid: a body frame has its origin at the centre of mass.
std::shared_ptr<const ConvexSet> recentred(std::shared_ptr<const ConvexSet> shape,
                                           const Vec3& centroid, const Settings& table) {
  if (centroid.norm() <= centred * shape->radius()) return shape;
  if (shape->vertices().empty()) table.refuse("shape", "a shape with its centroid at the origin");
  std::vector<Vec3> points;
  for (const Vec3& vertex : shape->vertices()) points.push_back(vertex - centroid);
  return std::make_shared<Polytope>(shape->dim(), points);
}

/// Mass and inertia of a uniform body of the given shape.
void take_from_shape(const Settings& table, Body& body) {
  const bool by_density = table.has("density");
  const double density = by_density ? table.positive("density") : 1.0;
  MassProperties properties = body.shape->mass_properties(density);
  if (!by_density) {
    const double mass = table.positive("mass", "kg");
    properties.inertia *= mass / properties.mass;
    properties.mass = mass;
  }
  body.mass = properties.mass;
  const Mat3& I = properties.inertia;
  body.inertia = body.shape->dim() == 2 ? planar_inertia(I(2, 2)) : Mat3(0.5 * (I + I.transpose()));
  body.shape = recentred(body.shape, properties.centroid, table);
}

/// Also of a fixed body, whose mass has no effect, so that a mistake there is not passed over.
void read_mass(int dim, const Settings& table, Body& body) {
  const std::string unit = dim == 2 ? "kg/m²" : "kg/m³";
  if (table.has("density")) table.positive("density", unit);
  if (table.has("mass")) table.positive("mass", "kg");
  if (table.has("inertia")) body.inertia = read_inertia(dim, table);

  if (table.has("mass") && table.has("density"))
    table.refuse("density", "either mass or density, not both");
  if (table.has("inertia") && table.has("density"))
    table.refuse("inertia", "no inertia beside density, which sets it; give mass and inertia");
  if (body.fixed) return;
  if (!body.shape->bounded())
    table.refuse("shape",
                 fmt::format("fixed = true with it: a {} has no finite mass", body.shape->kind()));
  if (!table.has("mass") && !table.has("density"))
    table.refuse("mass", fmt::format("mass [kg] or density [{}] of a moving body", unit));
  if (table.has("inertia"))
    body.mass = table.positive("mass", "kg");
  else
    take_from_shape(table, body);
}

// --- where it starts

Eigen::Quaterniond read_quaternion(const Settings& table) {
  const std::string expected = "a unit quaternion [w, x, y, z]";
  const std::vector<double> q = table.numbers("quaternion", expected);
  if (q.size() != 4) table.refuse("quaternion", expected);
  const Eigen::Quaterniond quaternion(q[0], q[1], q[2], q[3]);
  if (!(std::abs(quaternion.norm() - 1.0) <= quaternion_tolerance))
    table.refuse("quaternion", fmt::format("{}; its norm is {}", expected, quaternion.norm()));
  return quaternion.normalized();
}

Eigen::Quaterniond read_axis_angle(const Settings& table) {
  const std::string expected = "an axis and an angle [x, y, z, angle in rad]";
  const std::vector<double> a = table.numbers("axis_angle", expected);
  if (a.size() != 4) table.refuse("axis_angle", expected);
  const Vec3 axis(a[0], a[1], a[2]);
  if (!(axis.norm() > 0.0)) table.refuse("axis_angle", expected + " with an axis other than zero");
  return Eigen::Quaterniond(Eigen::AngleAxisd(a[3], axis.normalized()));
}

void read_orientation(int dim, const Settings& table, Body& body) {
  if (dim == 2) {
    for (const char* key : {"quaternion", "axis_angle"})
      if (table.has(key)) table.refuse(key, "angle [rad] in a 2-D scene");
    if (table.has("angle")) body.angle = table.number("angle", "rad");
    return;
  }
  if (table.has("angle")) table.refuse("angle", "quaternion or axis_angle in a 3-D scene");
  if (table.has("quaternion") && table.has("axis_angle"))
    table.refuse("axis_angle", "either quaternion or axis_angle, not both");
  if (table.has("quaternion")) body.orientation = read_quaternion(table);
  if (table.has("axis_angle")) body.orientation = read_axis_angle(table);
}

/// A vector about the last axis of a planar scene is one number.
Vec3 read_axial(int dim, const Settings& table, const std::string& key, const std::string& unit) {
  if (!table.has(key)) return Vec3::Zero();
  return dim == 2 ? Vec3(0.0, 0.0, table.number(key, unit)) : table.vector(key, 3, unit);
}

void read_motion(int dim, const Settings& table, Body& body) {
  if (body.fixed)
    for (const char* key : {"velocity", "angular_velocity", "force", "torque"})
      if (table.has(key)) table.refuse(key, fmt::format("no {} of a fixed body", key));
  body.twist.v = table.vector("velocity", dim, "m/s", Vec3::Zero());
  body.twist.w = read_axial(dim, table, "angular_velocity", "rad/s");
  body.applied.force = table.vector("force", dim, "N", Vec3::Zero());
  body.applied.torque = read_axial(dim, table, "torque", "N·m");
}

}  // namespace

std::pair<int, int> read_two_bodies(const Settings& table, const std::vector<Body>& bodies) {
  const std::string expected = "the names of two bodies, bodies = [\"a\", \"b\"]";
  const std::vector<std::string> names = table.texts("bodies", expected);
  if (names.size() != 2 || names[0] == names[1]) table.refuse("bodies", expected);
  std::vector<std::string> known;
  for (const Body& body : bodies) known.push_back(body.name);
  const auto index = [&](const std::string& name) {
    const auto it = std::ranges::find(known, name);
    if (it == known.end())
      table.refuse("bodies", expected + "; " + unknown_name("body name", name, known));
    return static_cast<int>(it - known.begin());
  };
  const int i = index(names[0]), j = index(names[1]);
  if (bodies[static_cast<std::size_t>(i)].fixed && bodies[static_cast<std::size_t>(j)].fixed)
    table.refuse("bodies", "at least one body that is not fixed");
  return {i, j};
}

Body read_body(int dim, const Settings& table) {
  table.allow(body_keys);
  Body body;
  body.name = read_name(table);
  body.shape = read_shape(dim, table);
  body.fixed = table.flag("fixed", false);
  read_mass(dim, table, body);
  body.position = table.vector("position", dim, "m", Vec3::Zero());
  read_orientation(dim, table, body);
  read_motion(dim, table, body);
  return body;
}

}  // namespace touchstone

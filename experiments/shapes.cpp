#include "experiments/shapes.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <stdexcept>

#include "geometry/curved_shapes.hpp"
#include "geometry/shapes.hpp"

namespace touchstone {

namespace {

using Shape = std::shared_ptr<const ConvexSet>;

Vec3 up(int dim) { return Vec3::Unit(dim - 1); }

Vec3 positive_vector(const ShapeSettings& settings, const std::string& key, int dim) {
  const Vec3 values = settings.vector(key, dim, "m");
  if (!(values.head(dim).minCoeff() > 0.0))
    settings.refuse(key, fmt::format("{} numbers above 0 [m]", dim));
  return values;
}

Shape half_space(int dim, const ShapeSettings& settings) {
  settings.allow({"kind", "normal", "offset"});
  const Vec3 normal = settings.vector("normal", dim, "", up(dim));
  if (!(normal.norm() > 0.0)) settings.refuse("normal", "a vector other than zero");
  const double offset = settings.has("offset") ? settings.number("offset", "m") : 0.0;
  return std::make_shared<HalfSpace>(dim, normal.normalized(), offset);
}

Shape ball(int dim, const ShapeSettings& settings) {
  settings.allow({"kind", "radius"});
  return std::make_shared<Ball>(dim, settings.positive("radius", "m"));
}

Shape ellipsoid(int dim, const ShapeSettings& settings) {
  settings.allow({"kind", "semi_axes"});
  Vec3 axes = positive_vector(settings, "semi_axes", dim);
  if (dim == 2) axes.z() = 1.0;
  return std::make_shared<Ellipsoid>(dim, axes);
}

Shape polygon(int, const ShapeSettings& settings) {
  settings.allow({"kind", "edges", "radius"});
  const long edges = settings.integer_at_least("edges", 3);
  constexpr long most = 1'000'000;
  if (edges > most) settings.refuse("edges", fmt::format("a whole number of at most {}", most));
  return regular_polygon(static_cast<int>(edges), settings.positive("radius", "m"));
}

Shape brick(int dim, const ShapeSettings& settings) {
  settings.allow({"kind", "sides"});
  return box(dim, positive_vector(settings, "sides", dim));
}

Shape polytope(int dim, const ShapeSettings& settings) {
  settings.allow({"kind", "vertices"});
  const std::string expected =
      fmt::format("a list of at least {} points with {} coordinates [m] each", dim + 1, dim);
  std::vector<Vec3> points;
  for (const auto& row : settings.rows("vertices", static_cast<std::size_t>(dim), expected))
    points.emplace_back(row[0], row[1], dim == 3 ? row[2] : 0.0);
  try {
    return std::make_shared<Polytope>(dim, points);
  } catch (const std::invalid_argument& error) {
    settings.refuse("vertices", fmt::format("{} ({})", expected, error.what()));
  }
}

Shape superquadric(int dim, const ShapeSettings& settings) {
  settings.allow({"kind", "semi_axes", "exponent"});
  Vec3 axes = positive_vector(settings, "semi_axes", dim);
  if (dim == 2) axes.z() = 1.0;
  const double exponent = settings.number("exponent");
  if (!(exponent >= 2.0 && exponent <= 100.0))
    settings.refuse("exponent", "a number from 2 to 100");
  return std::make_shared<Superquadric>(dim, axes, exponent);
}

Shape cylinder(int, const ShapeSettings& settings) {
  settings.allow({"kind", "radius", "height"});
  return std::make_shared<Cylinder>(settings.positive("radius", "m"),
                                    settings.positive("height", "m"));
}

const Register<ShapeEntry> registered_half_space{
    {.name = "half-space",
     .summary = "everything behind a plane (a line in 2-D); always fixed",
     .keys = "normal (default: up the last axis), offset [m] along it (default 0)",
     .dimensions = "2, 3",
     .make = half_space}};
const Register<ShapeEntry> registered_disc{
    {.name = "disc", .summary = "a disc", .keys = "radius [m]", .dimensions = "2", .make = ball}};
const Register<ShapeEntry> registered_sphere{{.name = "sphere",
                                              .summary = "a solid sphere",
                                              .keys = "radius [m]",
                                              .dimensions = "3",
                                              .make = ball}};
const Register<ShapeEntry> registered_ellipse{{.name = "ellipse",
                                               .summary = "an ellipse along the body's axes",
                                               .keys = "semi_axes [a, b] [m]",
                                               .dimensions = "2",
                                               .make = ellipsoid}};
const Register<ShapeEntry> registered_ellipsoid{{.name = "ellipsoid",
                                                 .summary = "an ellipsoid along the body's axes",
                                                 .keys = "semi_axes [a, b, c] [m]",
                                                 .dimensions = "3",
                                                 .make = ellipsoid}};
const Register<ShapeEntry> registered_polygon{
    {.name = "regular-polygon",
     .summary = "a regular polygon with a vertex straight down",
     .keys = "edges (integer ≥ 3), radius [m] from the centre to a vertex",
     .dimensions = "2",
     .make = polygon}};
const Register<ShapeEntry> registered_box{{.name = "box",
                                           .summary = "a rectangle or a box along the body's axes",
                                           .keys = "sides [m], full lengths",
                                           .dimensions = "2, 3",
                                           .make = brick}};
const Register<ShapeEntry> registered_polytope{{.name = "polytope",
                                                .summary = "the convex hull of points",
                                                .keys = "vertices [m], a list of points",
                                                .dimensions = "2, 3",
                                                .make = polytope}};

const Register<ShapeEntry> registered_superellipse{
    {.name = "superellipse",
     .summary = "|x/a|ᵖ + |y/b|ᵖ ≤ 1 along the body's axes",
     .keys = "semi_axes [a, b] [m], exponent p (2 to 100)",
     .dimensions = "2",
     .make = superquadric}};
const Register<ShapeEntry> registered_superquadric{
    {.name = "superquadric",
     .summary = "|x/a|ᵖ + |y/b|ᵖ + |z/c|ᵖ ≤ 1 along the body's axes",
     .keys = "semi_axes [a, b, c] [m], exponent p (2 to 100)",
     .dimensions = "3",
     .make = superquadric}};
const Register<ShapeEntry> registered_cylinder{{.name = "cylinder",
                                                .summary = "a solid cylinder about its z axis",
                                                .keys = "radius [m], height [m], the full length",
                                                .dimensions = "3",
                                                .make = cylinder}};

bool fits(const ShapeEntry& entry, int dim) {
  return entry.dimensions.find(std::to_string(dim)) != std::string::npos;
}

}  // namespace

std::shared_ptr<const ConvexSet> make_shape(int dim, const ShapeSettings& settings) {
  std::vector<std::string> fitting;
  for (const ShapeEntry* entry : Registry<ShapeEntry>::instance().all())
    if (fits(*entry, dim)) fitting.push_back(entry->name);
  const std::string expected =
      fmt::format("a shape of a {}-D scene: {}", dim, fmt::join(fitting, ", "));

  if (!settings.has("kind")) settings.refuse("kind", expected);
  const std::string& kind = settings.text("kind");
  if (!Registry<ShapeEntry>::instance().contains(kind)) {
    const std::string nearest = nearest_name(kind, fitting);
    settings.refuse("kind", nearest.empty()
                                ? expected
                                : fmt::format("{}; did you mean '{}'?", expected, nearest));
  }
  const ShapeEntry& entry = Registry<ShapeEntry>::instance().find(kind);
  if (!fits(entry, dim)) settings.refuse("kind", expected);
  return entry.make(dim, settings);
}

}  // namespace touchstone

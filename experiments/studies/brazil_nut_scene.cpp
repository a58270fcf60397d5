#include "experiments/studies/brazil_nut_scene.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "experiments/studies/random_polytopes.hpp"

namespace touchstone {

namespace {

constexpr double g = 9.81;          // [m/s²]
constexpr double density = 1000.0;  // [kg/m³; planar kg/m²]
constexpr double spread = 0.15;     // grains are between (1 − spread) and 1 times the radius
constexpr double pi = std::numbers::pi;

/// Cells of the grid that the grains start from [m].
double pitch(const BrazilNut& data) { return 2.05 * data.radius; }

int columns(const BrazilNut& data) {
  if (data.columns > 0) return data.columns;
  return std::max(static_cast<int>(std::ceil(data.nut)) + 1,
                  static_cast<int>(std::lround(std::pow(data.grains, 1.0 / data.dim))));
}

/// The hull of the points with mass and inertia of the uniform body. Its frame is at the centroid,
/// which stands in the position.
Body solid(const std::string& name, int dim, std::vector<Vec3> points) {
  const Vec3 centroid = Polytope(dim, points).mass_properties(density).centroid;
  for (Vec3& p : points) p -= centroid;
  Body body{.name = name, .shape = std::make_shared<Polytope>(dim, std::move(points))};
  const MassProperties properties = body.shape->mass_properties(density);
  body.mass = properties.mass;
  body.inertia = properties.inertia;
  body.position = centroid;
  return body;
}

std::vector<Vec3> grain_points(int dim, double radius, RandomShapes& random) {
  std::vector<Vec3> points;
  const int count = dim == 2 ? random.integer(5, 8) : random.integer(8, 12);
  for (int i = 0; i < count; ++i) {
    const double angle = 2.0 * pi * (i + random.uniform(-0.25, 0.25)) / count;
    points.push_back(
        radius * (dim == 2 ? Vec3(std::cos(angle), std::sin(angle), 0.0) : random.direction(3)));
  }
  return points;
}

std::vector<Vec3> nut_points(int dim, double radius) {
  std::vector<Vec3> points;
  const int count = dim == 2 ? 10 : 20;
  for (int i = 0; i < count; ++i) {  // in space: a Fibonacci spiral
    const double z = dim == 2 ? 0.0 : 1.0 - (2.0 * i + 1.0) / count;
    const double angle = dim == 2 ? 2.0 * pi * i / count : pi * (3.0 - std::sqrt(5.0)) * i;
    const double rho = std::sqrt(1.0 - z * z);
    points.emplace_back(radius * rho * std::cos(angle), radius * rho * std::sin(angle), radius * z);
  }
  return points;
}

/// Centres of the grains' cells, from the floor up, but for those that the nut needs.
std::vector<Vec3> cells(const BrazilNut& data) {
  const double step = pitch(data), reach = data.radius * (1.0 + data.nut) * 1.001;
  const int across = columns(data), deep = data.dim == 2 ? 1 : across;
  const Vec3 nut(0.0, data.dim == 2 ? data.nut * data.radius : 0.0,
                 data.dim == 2 ? 0.0 : data.nut * data.radius);
  std::vector<Vec3> centres;
  for (int row = 0; static_cast<int>(centres.size()) < data.grains; ++row)
    for (int j = 0; j < deep; ++j)
      for (int i = 0; i < across; ++i) {
        const double x = step * (i - 0.5 * (across - 1)), height = step * (row + 0.5);
        const Vec3 centre =
            data.dim == 2 ? Vec3(x, height, 0.0) : Vec3(x, step * (j - 0.5 * (across - 1)), height);
        if ((centre - nut).norm() > reach && static_cast<int>(centres.size()) < data.grains)
          centres.push_back(centre);
      }
  return centres;
}

void add_walls(const BrazilNut& data, std::vector<Body>& bodies) {
  const auto wall = [&](const std::string& name, const Vec3& normal, double distance) {
    Body body{.name = name, .shape = std::make_shared<HalfSpace>(data.dim, normal, -distance)};
    body.fixed = true;
    bodies.push_back(body);
  };
  const double half = 0.5 * container_width(data);
  wall("floor", Vec3::Unit(data.dim - 1), 0.0);
  wall("left", Vec3::UnitX(), half);
  wall("right", -Vec3::UnitX(), half);
  if (data.dim == 2) return;
  wall("front", Vec3::UnitY(), half);
  wall("back", -Vec3::UnitY(), half);
}

}  // namespace

double container_width(const BrazilNut& data) { return columns(data) * pitch(data); }

World brazil_nut(const BrazilNut& data, const FrictionLaw& law) {
  const Vec3 up = Vec3::Unit(data.dim - 1);
  RandomShapes random(static_cast<std::uint64_t>(data.seed));
  std::vector<Body> bodies{solid("nut", data.dim, nut_points(data.dim, data.nut * data.radius))};
  bodies[0].position = 1.001 * data.nut * data.radius * up;
  int count = 0;
  for (const Vec3& centre : cells(data)) {
    const double radius = data.radius * random.uniform(1.0 - spread, 1.0);
    bodies.push_back(
        solid("grain" + std::to_string(++count), data.dim, grain_points(data.dim, radius, random)));
    Body& grain = bodies.back();
    const Mat3 turn = random.rotation(data.dim);
    grain.position = centre + turn * grain.position;
    if (data.dim == 2)
      grain.angle = std::atan2(turn(1, 0), turn(0, 0));
    else
      grain.orientation = Eigen::Quaterniond(turn);
  }
  add_walls(data, bodies);
  const double omega = 2.0 * pi * data.frequency;
  const Shaking shaking{.amplitude = data.strength * g / (omega * omega) * up,
                        .frequency = data.frequency,
                        .start = data.start};
  return World(data.dim, -g * up, bodies, law, {}, {}, shaking);
}

}  // namespace touchstone

#include "experiments/studies/ratio_scenes.hpp"

#include <cmath>
#include <numbers>

#include "geometry/shapes.hpp"

namespace touchstone {

namespace {

constexpr double g = 9.81;  // [m/s²]

Body solid(const std::string& name, std::shared_ptr<const ConvexSet> shape, double mass,
           const Vec3& position) {
  Body body{.name = name, .shape = std::move(shape)};
  const MassProperties unit = body.shape->mass_properties(1.0);
  body.mass = mass;
  body.inertia = unit.inertia * (mass / unit.mass);
  body.position = position;
  return body;
}

Body floor_of(int dim) {
  Body body{
      .name = "floor",
      .shape = std::make_shared<HalfSpace>(dim, dim == 2 ? Vec3::UnitY() : Vec3::UnitZ(), 0.0)};
  body.fixed = true;
  return body;
}

}  // namespace

World balance2(double mu) {
  Body wedge{.name = "wedge",
             .shape = std::make_shared<Polytope>(
                 2, std::vector<Vec3>{{-0.6, -0.6, 0.0}, {0.6, -0.6, 0.0}, {0.0, 0.6, 0.0}})};
  wedge.fixed = true;
  wedge.position = {0.0, 0.6, 0.0};
  const Body beam = solid("beam", box(2, {3.0, 0.4, 0.0}), 4.0, {0.0, 1.4, 0.0}),
             light = solid("light", box(2, {0.4, 0.4, 0.0}), 0.5, {-1.2, 1.8, 0.0}),
             heavy = solid("heavy", box(2, {0.5, 0.5, 0.0}), 1.5, {1.1, 1.85, 0.0});
  return World(2, {0.0, -g, 0.0}, {beam, light, heavy, wedge, floor_of(2)}, {.mu = mu});
}

World pyramid1(double mu) {
  constexpr double side = 0.4, pitch = 0.46, lean = 0.03;
  std::vector<Body> bodies;
  for (int row = 0; row < 3; ++row)
    for (int k = 0; k <= row; ++k)
      bodies.push_back(solid("box" + std::to_string(bodies.size() + 1), box(2, {side, side, 0.0}),
                             1.0, {pitch * (k - 0.5 * row) + lean * row, side * (row + 0.5), 0.0}));
  bodies.push_back(floor_of(2));
  return World(2, {0.0, -g, 0.0}, bodies, {.mu = mu});
}

World dice3(double mu) {
  constexpr double side = 0.2, top = 0.6;
  std::vector<Body> bodies;
  for (int k = 0; k < 3; ++k) {
    Body die = solid("die" + std::to_string(k + 1), box(3, {side, side, side}), 0.5,
                     {0.02 + 0.01 * k, 0.4 * (k - 1), top + 0.5 * side});
    die.orientation = Eigen::AngleAxisd(0.25 * (k - 1), Vec3::UnitZ());
    die.twist.v = {0.1 * (k + 1), 0.0, 0.0};
    bodies.push_back(die);
  }
  Body table = solid("table", box(3, {1.0, 1.6, top}), 1.0, {-0.5, 0.0, 0.5 * top});
  table.fixed = true;
  bodies.push_back(table);
  bodies.push_back(floor_of(3));
  return World(3, {0.0, 0.0, -g}, bodies, {.mu = mu});
}

World setup6(double mu) {
  constexpr double slope = 0.2, radius = 0.3, speed = 1.5;
  std::vector<Body> bodies;
  for (int k = 0; k < 4; ++k) {
    Body wheel = solid("wheel" + std::to_string(k + 1), regular_polygon(12, radius), 1.0,
                       {1.0 * k, radius, 0.0});
    wheel.twist.v = {speed, 0.0, 0.0};
    wheel.twist.w = {0.0, 0.0, -speed / radius};
    bodies.push_back(wheel);
  }
  bodies.push_back(solid("box1", box(2, {0.5, 0.5, 0.0}), 1.0, {4.2, 0.25, 0.0}));
  bodies.push_back(solid("box2", box(2, {0.3, 0.6, 0.0}), 0.5, {4.9, 0.3, 0.0}));
  bodies.push_back(floor_of(2));
  const std::vector<Joint> joints{
      distance_joint("rod1", bodies, 0, 1, bodies[0].position, bodies[1].position),
      distance_joint("rod2", bodies, 2, 3, bodies[2].position, bodies[3].position)};
  return World(2, {g * std::sin(slope), -g * std::cos(slope), 0.0}, bodies, {.mu = mu}, {}, joints);
}

}  // namespace touchstone

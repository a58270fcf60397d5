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

World balance2(const FrictionLaw& law) {
  Body wedge{.name = "wedge",
             .shape = std::make_shared<Polytope>(
                 2, std::vector<Vec3>{{-0.3, -0.6, 0.0}, {0.3, -0.6, 0.0}, {0.0, 0.6, 0.0}})};
  wedge.fixed = true;
  wedge.position = {0.0, 0.6, 0.0};
  std::vector<Body> bodies{solid("beam", box(2, {3.0, 0.3, 0.0}), 3.0, {0.0, 1.35, 0.0}),
                           solid("light", box(2, {0.4, 0.3, 0.0}), 1.0, {-1.4, 0.5, 0.0}),
                           solid("heavy", box(2, {0.5, 0.3, 0.0}), 1.2, {1.4, 0.5, 0.0}), wedge,
                           floor_of(2)};
  bodies[1].twist.v = {1.2, 0.0, 0.0};
  bodies[2].twist.v = {-0.8, 0.0, 0.0};
  const std::vector<Joint> joints{
      distance_joint("left", bodies, 0, 1, {-1.4, 1.35, 0.0}, {-1.4, 0.65, 0.0}),
      distance_joint("right", bodies, 0, 2, {1.4, 1.35, 0.0}, {1.4, 0.65, 0.0})};
  return World(2, {0.0, -g, 0.0}, bodies, law, {}, joints);
}

World pyramid1(const FrictionLaw& law) {
  constexpr double side = 0.4, pitch = 0.42, length = 1.5, angle = 1.0;
  std::vector<Body> bodies;
  for (int row = 0; row < 3; ++row)
    for (int k = 0; k < 3 - row; ++k)
      bodies.push_back(solid("box" + std::to_string(bodies.size() + 1), box(2, {side, side, 0.0}),
                             1.0, {pitch * (k - 0.5 * (2 - row)), side * (row + 0.5), 0.0}));
  Body hook = solid("hook", box(2, {0.1, 0.1, 0.0}), 1.0, {-1.2, 2.2, 0.0});
  hook.fixed = true;
  bodies.push_back(solid("hexagon", regular_polygon(6, 0.2), 2.0,
                         hook.position - length * Vec3(std::sin(angle), std::cos(angle), 0.0)));
  bodies.push_back(hook);
  bodies.push_back(floor_of(2));
  const Joint rope = distance_joint("rope", bodies, 6, 7, bodies[6].position, hook.position);
  return World(2, {0.0, -g, 0.0}, bodies, law, {}, {rope});
}

World dice3(const FrictionLaw& law) {
  constexpr double side = 0.2, rod = 0.5, turn = 4.0;
  std::vector<Body> bodies;
  for (int k = 0; k < 3; ++k) {
    const double y = rod * (k - 1);
    Body die = solid("die" + std::to_string(k + 1), box(3, {side, side, side}), 0.5, {0.0, y, 0.6});
    die.orientation =
        Eigen::AngleAxisd(0.5 + 0.4 * k, Vec3(1.0, 2.0 - k, 0.5 + 0.3 * k).normalized());
    die.twist.v = {1.5 - turn * y, 0.0, 1.0};
    die.twist.w = {2.0 * (k - 1), 6.0 + 2.0 * k, 1.0 + k};
    bodies.push_back(die);
  }
  bodies.push_back(floor_of(3));
  std::vector<Joint> joints;
  for (const int k : {0, 1})
    joints.push_back(distance_joint("rod" + std::to_string(k + 1), bodies, k, k + 1,
                                    bodies[static_cast<std::size_t>(k)].position,
                                    bodies[static_cast<std::size_t>(k) + 1].position));
  return World(3, {0.0, 0.0, -g}, bodies, law, {}, joints);
}

World setup6(const FrictionLaw& law) {
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
  const Vec3 crank(0.0, 0.15, 0.0);
  const std::vector<Joint> joints{
      distance_joint("rod1", bodies, 0, 1, bodies[0].position + crank, bodies[1].position),
      distance_joint("rod2", bodies, 2, 3, bodies[2].position + crank, bodies[3].position)};
  return World(2, {g * std::sin(slope), -g * std::cos(slope), 0.0}, bodies, law, {}, joints);
}

}  // namespace touchstone

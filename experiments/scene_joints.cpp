#include "experiments/scene_joints.hpp"

#include <fmt/format.h>

#include <cmath>

#include "experiments/scene_bodies.hpp"

namespace touchstone {

namespace {

const std::vector<std::string> joint_keys = {"name", "kind",   "bodies", "point",
                                             "axis", "points", "length"};

void refuse_others(const Settings& table, const std::vector<std::string>& allowed,
                   const std::string& kind) {
  for (const std::string& key : joint_keys)
    if (table.has(key) && std::ranges::find(allowed, key) == allowed.end())
      table.refuse(key, fmt::format("no {} of a {} joint", key, kind));
}

Vec3 read_axis(int dim, const Settings& table) {
  if (dim == 2) {
    if (table.has("axis")) table.refuse("axis", "no axis in a planar scene");
    return Vec3::UnitZ();
  }
  const Vec3 axis = table.vector("axis", 3);
  if (!(axis.norm() > 0.0)) table.refuse("axis", "a direction: 3 numbers, not all zero");
  return axis;
}

Joint read_distance(int dim, const Settings& table, const std::string& name,
                    const std::vector<Body>& bodies, int a, int b) {
  Vec3 p_a = bodies[static_cast<std::size_t>(a)].position;
  Vec3 p_b = bodies[static_cast<std::size_t>(b)].position;
  if (table.has("points")) {
    const std::string expected = fmt::format("two points of {} numbers [m]", dim);
    const auto points = table.rows("points", static_cast<std::size_t>(dim), expected);
    if (points.size() != 2) table.refuse("points", expected);
    const auto vector = [&](const std::vector<double>& x) {
      return Vec3(x[0], x[1], dim == 3 ? x[2] : 0.0);
    };
    p_a = vector(points[0]);
    p_b = vector(points[1]);
  }
  const Joint joint = distance_joint(name, bodies, a, b, p_a, p_b);
  if (!(joint.length > 0.0)) table.refuse("points", "two points that are apart");
  if (table.has("length") &&
      std::abs(table.positive("length", "m") - joint.length) > 1e-6 * joint.length)
    table.refuse("length", fmt::format("what the points have: they are {:.9g} m apart at the start",
                                       joint.length));
  return joint;
}

}  // namespace

Joint read_joint(int dim, const Settings& table, const std::vector<Body>& bodies) {
  table.allow(joint_keys);
  const std::string& kind = table.text("kind");
  if (kind != "ball" && kind != "hinge" && kind != "distance" && kind != "fixed")
    table.refuse("kind", "ball, hinge, distance or fixed");
  const auto [a, b] = read_two_bodies(table, bodies);
  const Body &body_a = bodies[static_cast<std::size_t>(a)],
             &body_b = bodies[static_cast<std::size_t>(b)];
  const std::string name = table.has("name") ? table.text("name") : body_a.name + "-" + body_b.name;
  if (kind == "distance") {
    refuse_others(table, {"name", "kind", "bodies", "points", "length"}, kind);
    return read_distance(dim, table, name, bodies, a, b);
  }
  const Vec3 point = table.vector("point", dim, "m", body_a.position);
  if (kind == "hinge") {
    refuse_others(table, {"name", "kind", "bodies", "point", "axis"}, kind);
    return hinge_joint(name, bodies, a, b, dim, point, read_axis(dim, table));
  }
  refuse_others(table, {"name", "kind", "bodies", "point"}, kind);
  return kind == "ball" ? ball_joint(name, bodies, a, b, point)
                        : fixed_joint(name, bodies, a, b, dim, point);
}

}  // namespace touchstone

#pragma once

/// Joints: two bodies tied together by equations Θ(q) = 0.
///
/// Every joint is made of three kinds of equations, p_a and p_b being points that the bodies carry,
/// s and t directions that they carry, all in world axes:
///
///     ball      p_a − p_b = 0                            dim equations [m]
///     distance  |p_a − p_b| − length = 0                 1             [m]
///     hinge     ball, and s·t_k = 0, k = 1, 2            5             [m, 1]
///     fixed     ball, and s_k·t_k = 0, k = 1, 2, 3       6             [m, 1]
///
/// A hinge has its axis s in body a and two directions t_k ⟂ s in body b; a fixed joint three pairs
/// of perpendicular directions. In a planar world a hinge is a ball joint, and a fixed joint has
/// one pair, s = x of body a, t = y of body b.

#include <string>
#include <utility>
#include <vector>

#include "geometry/convex_set.hpp"

namespace touchstone {

struct Body;

enum class JointKind { ball, hinge, distance, fixed };
std::string to_string(JointKind kind);

struct Joint {
  std::string name;
  JointKind kind = JointKind::ball;
  int a = 0, b = 0;                                  // bodies: impulses act + on a, − on b
  Vec3 on_a = Vec3::Zero(), on_b = Vec3::Zero();     // p_a and p_b, each in its body's frame [m]
  std::vector<std::pair<Vec3, Vec3>> perpendicular;  // (s in a's frame, t in b's frame)
  double length = 0.0;                               // of a distance joint [m]
};

/// Joints between the bodies as they stand at the start, from points and directions in world axes;
/// they hold there by construction.
Joint ball_joint(const std::string& name, const std::vector<Body>& bodies, int a, int b,
                 const Vec3& point);
/// `axis` need not be a unit vector; it is not used in a planar world (`dim` 2).
Joint hinge_joint(const std::string& name, const std::vector<Body>& bodies, int a, int b, int dim,
                  const Vec3& point, const Vec3& axis);
Joint distance_joint(const std::string& name, const std::vector<Body>& bodies, int a, int b,
                     const Vec3& point_a, const Vec3& point_b);
Joint fixed_joint(const std::string& name, const std::vector<Body>& bodies, int a, int b, int dim,
                  const Vec3& point);

}  // namespace touchstone

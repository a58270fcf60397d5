#include "formulations/common/joint.hpp"

#include "formulations/common/state.hpp"

namespace touchstone {

namespace {

Joint between(const std::string& name, JointKind kind, const std::vector<Body>& bodies, int a,
              int b, const Vec3& point_a, const Vec3& point_b) {
  Joint joint{.name = name, .kind = kind, .a = a, .b = b, .perpendicular = {}};
  joint.on_a = start_pose(bodies.at(static_cast<std::size_t>(a))).to_body(point_a);
  joint.on_b = start_pose(bodies.at(static_cast<std::size_t>(b))).to_body(point_b);
  return joint;
}

/// s·t = 0 with s and t as they stand in world axes now.
void add_perpendicular(const std::vector<Body>& bodies, const Vec3& s, const Vec3& t,
                       Joint& joint) {
  const Mat3 R_a = start_pose(bodies[static_cast<std::size_t>(joint.a)]).R;
  const Mat3 R_b = start_pose(bodies[static_cast<std::size_t>(joint.b)]).R;
  joint.perpendicular.emplace_back(R_a.transpose() * s, R_b.transpose() * t);
}

}  // namespace

std::string to_string(JointKind kind) {
  switch (kind) {
    case JointKind::ball:
      return "ball";
    case JointKind::hinge:
      return "hinge";
    case JointKind::distance:
      return "distance";
    case JointKind::fixed:
      return "fixed";
  }
  throw std::logic_error("unnamed kind of joint");
}

Joint ball_joint(const std::string& name, const std::vector<Body>& bodies, int a, int b,
                 const Vec3& point) {
  return between(name, JointKind::ball, bodies, a, b, point, point);
}

Joint hinge_joint(const std::string& name, const std::vector<Body>& bodies, int a, int b, int dim,
                  const Vec3& point, const Vec3& axis) {
  Joint joint = between(name, JointKind::hinge, bodies, a, b, point, point);
  if (dim == 2) return joint;
  if (!(axis.norm() > 0.0))
    throw std::invalid_argument("joint '" + name + "': the axis of a hinge must not be zero");
  const Vec3 s = axis.normalized(), t1 = s.unitOrthogonal();
  add_perpendicular(bodies, s, t1, joint);
  add_perpendicular(bodies, s, s.cross(t1), joint);
  return joint;
}

Joint distance_joint(const std::string& name, const std::vector<Body>& bodies, int a, int b,
                     const Vec3& point_a, const Vec3& point_b) {
  Joint joint = between(name, JointKind::distance, bodies, a, b, point_a, point_b);
  joint.length = (point_a - point_b).norm();
  return joint;
}

Joint fixed_joint(const std::string& name, const std::vector<Body>& bodies, int a, int b, int dim,
                  const Vec3& point) {
  Joint joint = between(name, JointKind::fixed, bodies, a, b, point, point);
  add_perpendicular(bodies, Vec3::UnitX(), Vec3::UnitY(), joint);
  if (dim == 2) return joint;
  add_perpendicular(bodies, Vec3::UnitY(), Vec3::UnitZ(), joint);
  add_perpendicular(bodies, Vec3::UnitZ(), Vec3::UnitX(), joint);
  return joint;
}

}  // namespace touchstone

#include "formulations/common/state.hpp"

namespace touchstone {

namespace {

Mat3 planar_rotation(double angle) {
  const double c = std::cos(angle), s = std::sin(angle);
  return (Mat3() << c, -s, 0.0, s, c, 0.0, 0.0, 0.0, 1.0).finished();
}

Mat3 world_inertia(const World& world, const Body& body, const Mat3& R) {
  if (world.dim() == 2) return body.inertia;
  return R * body.inertia * R.transpose();
}

/// exp(hω) as a unit quaternion; accurate for small angles through sinc.
Eigen::Quaterniond rotation_of(const Vec3& angle) {
  const double half = 0.5 * angle.norm();
  const double sinc = half < 1e-4 ? 1.0 - half * half / 6.0 : std::sin(half) / half;
  const Vec3 v = 0.5 * sinc * angle;
  return {std::cos(half), v.x(), v.y(), v.z()};
}

}  // namespace

Pose start_pose(const Body& body) {
  if (body.shape->dim() == 2) return {body.position, planar_rotation(body.angle)};
  return {body.position, body.orientation.normalized().toRotationMatrix()};
}

Eigen::Quaterniond orientation(const State& state, int offset) {
  return {state.q[offset + 3], state.q[offset + 4], state.q[offset + 5], state.q[offset + 6]};
}

State initial_state(const World& world) {
  State state;
  state.q.resize(world.nq());
  state.nu.resize(world.nv());
  for (const int i : world.moving()) {
    const Body& body = world.body(i);
    auto q = state.q.segment(world.coordinate_offset(i), world.coordinates());
    auto nu = state.nu.segment(world.velocity_offset(i), world.dof());
    nu = pack(world.dim(), body.twist.v, body.twist.w).head(world.dof());
    if (world.dim() == 2) {
      q << body.position.head<2>(), body.angle;
    } else {
      const Eigen::Quaterniond unit = body.orientation.normalized();
      q << body.position, unit.w(), unit.vec();
    }
  }
  return state;
}

Pose pose(const World& world, const State& state, int i) {
  const Body& body = world.body(i);
  const bool planar = world.dim() == 2;
  const int offset = world.coordinate_offset(i);
  if (offset < 0) return start_pose(body);
  if (planar)
    return {{state.q[offset], state.q[offset + 1], 0.0}, planar_rotation(state.q[offset + 2])};
  return {state.q.segment<3>(offset), orientation(state, offset).toRotationMatrix()};
}

Twist twist(const World& world, const Vec& nu, int body) {
  const int offset = world.velocity_offset(body);
  if (offset < 0) return {};
  if (world.dim() == 2) return {{nu[offset], nu[offset + 1], 0.0}, {0.0, 0.0, nu[offset + 2]}};
  return {nu.segment<3>(offset), nu.segment<3>(offset + 3)};
}

void advance_coordinates(const World& world, const Vec& nu, double h, Vec& q) {
  if (world.dim() == 2) {
    q += h * nu;
    return;
  }
  for (const int i : world.moving()) {
    const int at = world.coordinate_offset(i), vel = world.velocity_offset(i);
    q.segment<3>(at) += h * nu.segment<3>(vel);
    const Eigen::Quaterniond old(q[at + 3], q[at + 4], q[at + 5], q[at + 6]);
    const Eigen::Quaterniond next = (rotation_of(h * nu.segment<3>(vel + 3)) * old).normalized();
    q.segment<4>(at + 3) << next.w(), next.vec();
  }
}

Eigen::Matrix<double, 4, 3> quaternion_rate(const Eigen::Quaterniond& q) {
  Eigen::Matrix<double, 4, 3> G;
  // clang-format off
  G << -q.x(), -q.y(), -q.z(),
        q.w(),  q.z(), -q.y(),
       -q.z(),  q.w(),  q.x(),
        q.y(), -q.x(),  q.w();
  // clang-format on
  return 0.5 * G;
}

void Configuration::update(const World& world, const State& state) {
  world_ = &world;
  t_ = state.t;
  const std::size_t n = world.bodies().size();
  poses_.resize(n);
  mass_.resize(n, Mat6::Zero());
  inverse_.resize(n, Mat6::Zero());
  for (int i = 0; i < static_cast<int>(n); ++i) {
    const auto k = static_cast<std::size_t>(i);
    poses_[k] = touchstone::pose(world, state, i);
    if (world.velocity_offset(i) < 0) continue;
    const Body& body = world.body(i);
    if (world.dim() == 2) {
      mass_[k].diagonal() << body.mass, body.mass, body.inertia(2, 2), 0.0, 0.0, 0.0;
      inverse_[k].diagonal() << 1.0 / body.mass, 1.0 / body.mass, 1.0 / body.inertia(2, 2), 0.0,
          0.0, 0.0;
    } else {
      const Mat3 inertia = world_inertia(world, body, poses_[k].R);
      mass_[k].diagonal().head<3>().setConstant(body.mass);
      mass_[k].bottomRightCorner<3, 3>() = inertia;
      inverse_[k].diagonal().head<3>().setConstant(1.0 / body.mass);
      inverse_[k].bottomRightCorner<3, 3>() = inertia.inverse();
    }
  }
}

void Configuration::external_forces(const Vec& nu, Vec& force) const {
  force.resize(world_->nv());
  const int dof = world_->dof();
  for (const int i : world_->moving()) {
    const Body& body = world_->body(i);
    Vec3 torque = body.applied.torque;
    if (world_->dim() == 3) {
      const Vec3 w = twist(*world_, nu, i).w;
      torque -= w.cross(mass(i).bottomRightCorner<3, 3>() * w);  // λ_vp
    }
    const Vec3 pull = body.mass * world_->gravity() + body.applied.force;
    force.segment(world_->velocity_offset(i), dof) = pack(world_->dim(), pull, torque).head(dof);
  }
}

void Configuration::free_velocity(const Vec& nu, double h, Vec& nu_free) const {
  external_forces(nu, nu_free);
  const int dof = world_->dof();
  const Shaking& shaking = world_->shaking();
  const Vec3 frame = shaking.velocity(t_ + h) - shaking.velocity(t_);
  for (const int i : world_->moving()) {
    const int offset = world_->velocity_offset(i);
    Vec6 f = Vec6::Zero();
    f.head(dof) = nu_free.segment(offset, dof);
    nu_free.segment(offset, dof) = nu.segment(offset, dof) + h * (inverse_mass(i) * f).head(dof);
    if (!shaking.empty()) nu_free.segment(offset, world_->dim()) -= frame.head(world_->dim());
  }
}

Energy energy(const World& world, const State& state) {
  Energy sum;
  for (const int i : world.moving()) {
    const Body& body = world.body(i);
    const Pose at = pose(world, state, i);
    const Twist motion = twist(world, state.nu, i);
    const Mat3 inertia = world_inertia(world, body, at.R);
    sum.kinetic += 0.5 * (body.mass * motion.v.squaredNorm() + motion.w.dot(inertia * motion.w));
    sum.potential -= body.mass * world.gravity().dot(at.x);
  }
  return sum;
}

Momentum momentum(const World& world, const State& state) {
  Momentum sum;
  for (const int i : world.moving()) {
    const Body& body = world.body(i);
    const Pose at = pose(world, state, i);
    const Twist motion = twist(world, state.nu, i);
    const Vec3 p = body.mass * motion.v;
    sum.linear += p;
    sum.angular += at.x.cross(p) + world_inertia(world, body, at.R) * motion.w;
  }
  return sum;
}

}  // namespace touchstone

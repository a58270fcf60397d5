#pragma once

/// State, kinematics, energy and momentum.

#include "formulations/common/pair_planes.hpp"
#include "formulations/common/world.hpp"
#include "geometry/sweep_and_prune.hpp"
#include "solvers/problem.hpp"

namespace touchstone {

using Vec6 = Eigen::Matrix<double, 6, 1>;
using Mat6 = Eigen::Matrix<double, 6, 6>;

/// q per moving body: (x, y, θ), or (x, y, z, qw, qx, qy, qz); ν per moving body: (vx, vy, ω), or
/// (vx, vy, vz, ωx, ωy, ωz) in world axes.
struct State {
  double t = 0.0;  // [s]
  Vec q, nu;
};

State initial_state(const World& world);

Pose pose(const World& world, const State& state, int body);
Twist twist(const World& world, const Vec& nu, int body);
Eigen::Quaterniond orientation(const State& state, int coordinate_offset);

/// A force and a moment as a generalised force of one body: (f_x, f_y, τ_z, 0, 0, 0) in a planar
/// world, (f, τ) in a spatial one. Velocities are packed in the same way, so that pairing is a dot
/// product.
inline Vec6 pack(int dim, const Vec3& force, const Vec3& torque) {
  Vec6 packed;
  if (dim == 2)
    packed << force.x(), force.y(), torque.z(), 0.0, 0.0, 0.0;
  else
    packed << force, torque;
  return packed;
}

/// q ← q advanced with the constant velocity ν for the time h: planar q + hν; spatial positions
/// likewise and orientations by the exponential map exp(hω) q, which stays on the unit sphere.
void advance_coordinates(const World& world, const Vec& nu, double h, Vec& q);

/// G(q) of q̇ = G(q) ν for one spatial body's quaternion: q̇ = ½ (0, ω) q, rows (w, x, y, z).
Eigen::Matrix<double, 4, 3> quaternion_rate(const Eigen::Quaterniond& q);

/// What depends on the configuration: poses, inertia in world axes, M and M⁻¹ per body.
class Configuration {
 public:
  Configuration() = default;
  void update(const World& world, const State& state);

  const World& world() const { return *world_; }
  const Pose& pose(int body) const { return poses_[static_cast<std::size_t>(body)]; }
  const std::vector<Pose>& poses() const { return poses_; }
  /// Mass block and its inverse of a moving body, packed as above (planar: zero outside 3×3).
  const Mat6& mass(int body) const { return mass_[static_cast<std::size_t>(body)]; }
  const Mat6& inverse_mass(int body) const { return inverse_[static_cast<std::size_t>(body)]; }

  /// λ_app + λ_vp: gravity, applied loads and the gyroscopic torque −ω × Iω, as one vector like ν.
  /// Without the shaking, which free_velocity adds.
  void external_forces(const Vec& nu, Vec& force) const;
  /// ν + h M⁻¹(λ_app + λ_vp) − Δṡ: the velocity after the step if nothing touched. Δṡ is the change
  /// of the shaken frame's velocity from the configuration's time t to t + h, exactly.
  void free_velocity(const Vec& nu, double h, Vec& nu_free) const;

  /// Keeps its order from one configuration to the next, for speed only: what it finds depends on
  /// the boxes alone.
  SweepAndPrune& broad_phase() const { return broad_phase_; }
  /// Separating planes of polytopes, likewise for speed only.
  PairPlanes& planes() const { return planes_; }

 private:
  mutable SweepAndPrune broad_phase_;
  mutable PairPlanes planes_;
  const World* world_ = nullptr;
  double t_ = 0.0;
  std::vector<Pose> poses_;
  std::vector<Mat6> mass_, inverse_;
};

struct Energy {
  double kinetic = 0.0;    // [J] ½νᵀMν
  double potential = 0.0;  // [J] −Σ m g·x
};
Energy energy(const World& world, const State& state);

struct Momentum {
  Vec3 linear = Vec3::Zero();   // [kg m/s]
  Vec3 angular = Vec3::Zero();  // [kg m²/s] about the world's origin
};
Momentum momentum(const World& world, const State& state);

}  // namespace touchstone

#pragma once

/// Bodies, laws and the pairs that may touch. A world is planar (3 degrees of freedom a body: x, y,
/// θ) or spatial (6: linear and angular velocity in world axes); fixed bodies have none.

#include <Eigen/Geometry>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "formulations/common/joint.hpp"

namespace touchstone {

/// Force [N] and torque [N·m] about the centre of mass, world axes.
struct Wrench {
  Vec3 force = Vec3::Zero();
  Vec3 torque = Vec3::Zero();
};

/// Linear [m/s] and angular velocity [rad/s] of the centre of mass, world axes.
struct Twist {
  Vec3 v = Vec3::Zero();
  Vec3 w = Vec3::Zero();
};

/// Friction ellipsoid (λ_t/e_t)² + (λ_o/e_o)² + (λ_r/e_r)² ≤ μ²λ_n² (maximum dissipation), and
/// Newton's restitution.
struct FrictionLaw {
  double mu = 0.0;           // [1]
  double e_t = 1.0;          // [1] weight along the first tangent
  double e_o = 1.0;          // [1] weight along the second tangent
  double e_r = 0.0;          // [m] weight of the torsional moment; 0: no torsional friction
  double restitution = 0.0;  // [1] 0 … 1
};

struct Body {
  std::string name;
  std::shared_ptr<const ConvexSet>
      shape{};  // in the body frame, whose origin is the centre of mass
  bool fixed = false;
  double mass = 1.0;                // [kg]
  Mat3 inertia = Mat3::Identity();  // [kg m²] body axes; planar worlds use inertia(2, 2)
  Wrench applied{};                 // constant load beside gravity

  // Where it starts; a fixed body stays there.
  Vec3 position = Vec3::Zero();
  double angle = 0.0;                                               // [rad] planar worlds
  Eigen::Quaterniond orientation = Eigen::Quaterniond::Identity();  // spatial worlds
  Twist twist{};
};

/// Two bodies that may touch: impulses act + on a, − on b, and the normal points from b to a. A
/// moving body comes before a fixed one.
struct Pair {
  int a = 0, b = 0;
  FrictionLaw law{};
};

/// The world's frame, and every fixed body with it, is shaken from the time `start` on:
///
///     s(t) = A (1 − cos ωτ),   ṡ = Aω sin ωτ,   τ = max(0, t − start),   ω = 2π frequency.
///
/// Positions and velocities are those in the shaken frame, where a body of mass m feels −m s̈ beside
/// gravity. s and ṡ are continuous: what rests before the start still rests at it.
struct Shaking {
  Vec3 amplitude = Vec3::Zero();  // A [m], world axes; 0: the frame is at rest
  double frequency = 0.0;         // [Hz]
  double start = 0.0;             // [s]

  bool empty() const { return amplitude.isZero(0.0); }
  Vec3 displacement(double t) const;  // s [m]
  Vec3 velocity(double t) const;      // ṡ [m/s]
  double peak_acceleration() const;   // |A|ω² [m/s²]
  double phase(double t) const;       // ωτ [rad]
};

class World {
 public:
  /// Throws InputError (naming the body) for an empty or repeated name, a missing shape, a shape of
  /// another dimension, a mass or inertia that is not positive, an unbounded moving body, a bad
  /// law, a joint that names no two bodies or does not hold at the start, or a shaking that is not
  /// finite or has no frequency. Two bodies with a joint between them do not collide.
  World(int dim, const Vec3& gravity, std::vector<Body> bodies, const FrictionLaw& law,
        const std::map<std::pair<int, int>, FrictionLaw>& pair_laws = {},
        std::vector<Joint> joints = {}, const Shaking& shaking = {});

  int dim() const { return dim_; }
  const Vec3& gravity() const { return gravity_; }
  const Shaking& shaking() const { return shaking_; }
  /// The most that gravity and the shaking together accelerate a free body [m/s²].
  double peak_gravity() const { return gravity_.norm() + shaking_.peak_acceleration(); }
  const std::vector<Body>& bodies() const { return bodies_; }
  const Body& body(int i) const { return bodies_[static_cast<std::size_t>(i)]; }
  int index(const std::string& name) const;  // InputError with the known names

  int dof() const { return dim_ == 2 ? 3 : 6; }          // velocities of a moving body
  int coordinates() const { return dim_ == 2 ? 3 : 7; }  // coordinates of a moving body
  const std::vector<int>& moving() const { return moving_; }
  /// Where body i starts in ν and in q; −1 for a fixed body.
  int velocity_offset(int i) const { return slot(i) < 0 ? -1 : slot(i) * dof(); }
  int coordinate_offset(int i) const { return slot(i) < 0 ? -1 : slot(i) * coordinates(); }
  int slot(int i) const { return slots_[static_cast<std::size_t>(i)]; }  // rank among moving bodies
  int nv() const { return static_cast<int>(moving_.size()) * dof(); }
  int nq() const { return static_cast<int>(moving_.size()) * coordinates(); }

  /// Every pair with at least one moving body and no joint between the two.
  const std::vector<Pair>& pairs() const { return pairs_; }
  /// The pair of bodies i < j; null when both are fixed or joined.
  const Pair* pair(int i, int j) const;
  const std::vector<Joint>& joints() const { return joints_; }

 private:
  int dim_;
  Vec3 gravity_;
  Shaking shaking_;
  std::vector<Body> bodies_;
  std::vector<int> moving_, slots_;
  std::vector<Pair> pairs_;
  std::vector<Joint> joints_;
};

/// Where a body stands at the start.
Pose start_pose(const Body& body);

}  // namespace touchstone

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

class World {
 public:
  /// Throws InputError (naming the body) for an empty or repeated name, a missing shape, a shape of
  /// another dimension, a mass or inertia that is not positive, an unbounded moving body, a bad
  /// law, or a joint that names no two bodies or does not hold at the start. Two bodies with a
  /// joint between them do not collide.
  World(int dim, const Vec3& gravity, std::vector<Body> bodies, const FrictionLaw& law,
        const std::map<std::pair<int, int>, FrictionLaw>& pair_laws = {},
        std::vector<Joint> joints = {});

  int dim() const { return dim_; }
  const Vec3& gravity() const { return gravity_; }
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
  std::vector<Body> bodies_;
  std::vector<int> moving_, slots_;
  std::vector<Pair> pairs_;
  std::vector<Joint> joints_;
};

/// Where a body stands at the start.
Pose start_pose(const Body& body);

}  // namespace touchstone

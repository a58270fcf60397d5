#pragma once

/// Convex sets {x : f_j(x) ≤ 0, j = 1…m}, the shapes of all bodies.
///
/// Planar sets live in the plane z = 0 of R³: points have z = 0, gradients a zero z-component and
/// Hessians a zero third row and column. One set of types then serves both dimensions, and a planar
/// wrench is the spatial one with three of its six entries.

#include <Eigen/Dense>
#include <span>
#include <string>

namespace touchstone {

using Vec3 = Eigen::Vector3d;
using Mat3 = Eigen::Matrix3d;

/// x_world = R x_body + x
struct Pose {
  Vec3 x = Vec3::Zero();
  Mat3 R = Mat3::Identity();

  Vec3 to_world(const Vec3& p) const { return R * p + x; }
  Vec3 to_body(const Vec3& p) const { return R.transpose() * (p - x); }
};

/// Mass [kg], centroid [m] and inertia about the centroid [kg m²], in the set's own frame. A planar
/// set has mass per unit depth; only inertia(2, 2) matters there.
struct MassProperties {
  double mass = 0.0;
  Vec3 centroid = Vec3::Zero();
  Mat3 inertia = Mat3::Zero();
};

class ConvexSet {
 public:
  virtual ~ConvexSet() = default;

  virtual std::string kind() const = 0;  // "ball", "polytope", …: the name in scene files
  virtual int dim() const = 0;           // 2 or 3

  // The inequalities f_j(x) ≤ 0, each convex and twice differentiable where ∇f_j ≠ 0.
  virtual int count() const = 0;
  virtual double value(int j, const Vec3& x) const = 0;
  virtual Vec3 gradient(int j, const Vec3& x) const = 0;
  virtual Mat3 hessian(int j, const Vec3& x) const = 0;

  /// A point of the set that is farthest along d (d need not be a unit vector; it lies in the plane
  /// for planar sets). Throws std::logic_error for an unbounded set.
  virtual Vec3 support(const Vec3& d) const = 0;

  virtual bool bounded() const { return true; }
  /// Radius of a ball around the frame's origin that holds the set; infinity when unbounded.
  virtual double radius() const = 0;
  /// Exact, for a uniform density [kg/m³, planar kg/m²]. Throws std::logic_error when unbounded.
  virtual MassProperties mass_properties(double density) const = 0;

  /// The vertices of a polytope; empty for every other set.
  virtual std::span<const Vec3> vertices() const { return {}; }

  /// max_j f_j(x): ≤ 0 inside.
  double largest_value(const Vec3& x) const;
};

}  // namespace touchstone

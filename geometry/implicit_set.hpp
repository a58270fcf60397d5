#pragma once

/// Sets that are known only by their inequalities: intersections and user-defined functions.

#include <functional>
#include <memory>
#include <vector>

#include "geometry/supporting_points.hpp"

namespace touchstone {

/// What all sets given by f_j ≤ 0 alone share: an interior point, bounds, support points and mass
/// properties, all computed from values, gradients and Hessians.
///
/// - support(d) solves max d·x, f_j(x) ≤ 0 by primal-dual interior-point steps, then Newton's
///   method on its KKT system: to 1e-12 of the size where the gradients of the active surfaces are
///   independent. A logarithmic barrier stands by where they do not converge: for directions within
///   about 1e-8 of the normal of a flat face, d·x may be short by 2e-9.
/// - radius() is that of the bounding box's corners: an upper bound.
/// - mass_properties() integrates r³/3, r⁴/4 and r⁵/5 (plane: r²/2 …) over the directions from an
///   interior point by adaptive Gauss quadrature: relative accuracy 1e-9 for one smooth surface,
///   1e-6 where surfaces meet at edges.
///
/// An unbounded set is allowed (bounded() is false) and has neither support points nor mass.
class ImplicitSet : public ConvexSet, public FlatSet {
 public:
  int dim() const override { return dim_; }
  Vec3 support(const Vec3& d) const override;
  bool bounded() const override { return bounded_; }
  double radius() const override;
  MassProperties mass_properties(double density) const override;
  /// Ends of flat faces and edges by support points in directions tilted against d; those that are
  /// within 0.02 of the radius of each other are one.
  void supporting_points(const Vec3& d, double cosine, std::vector<Vec3>& out) const override;

  /// A point with f_j < 0 for all j.
  const Vec3& interior() const { return inside_; }

 protected:
  explicit ImplicitSet(int dim) : dim_(dim) {}
  /// To be called when the f_j are ready: finds an interior point from `guess` and the bounds.
  /// Throws std::invalid_argument for an empty set and one without interior.
  void prepare(const Vec3& guess);

 private:
  int dim_;
  bool bounded_ = true;
  Vec3 inside_ = Vec3::Zero(), low_ = Vec3::Zero(), high_ = Vec3::Zero();
};

/// The common part of sets of one dimension, each at its own pose: all their surfaces in turn.
class Intersection final : public ImplicitSet {
 public:
  struct Member {
    std::shared_ptr<const ConvexSet> set;
    Pose pose{};
  };
  /// std::invalid_argument for no members, unequal dimensions and an empty common part.
  Intersection(int dim, std::vector<Member> members);

  std::string kind() const override { return "intersection"; }
  int count() const override { return static_cast<int>(surfaces_.size()); }
  Vec3 support(const Vec3& d) const override;
  double value(int j, const Vec3& x) const override;
  Vec3 gradient(int j, const Vec3& x) const override;
  Mat3 hessian(int j, const Vec3& x) const override;
  const std::vector<Member>& members() const { return members_; }

 private:
  struct Surface {
    std::size_t member;
    int j;
  };
  std::vector<Member> members_;
  std::vector<Surface> surfaces_;
};

/// {x : f_j(x) ≤ 0} for functions of the user.
class UserSet final : public ImplicitSet {
 public:
  struct Function {
    std::function<double(const Vec3&)> value;
    std::function<Vec3(const Vec3&)> gradient;
    std::function<Mat3(const Vec3&)> hessian;
  };
  /// The functions are checked at seeded random points of the set and around it, up to twice its
  /// size: gradients and Hessians against differences (relative 1e-5), Hessians symmetric and
  /// positive semidefinite, f((x + y)/2) ≤ (f(x) + f(y))/2, all finite; in the plane nothing may
  /// point out of z = 0. std::invalid_argument names the function, the point and what failed there;
  /// also for an empty set. Sampling finds most mistakes, it proves nothing.
  UserSet(int dim, std::vector<Function> functions, const Vec3& guess = Vec3::Zero());

  std::string kind() const override { return "user-defined"; }
  int count() const override { return static_cast<int>(functions_.size()); }
  double value(int j, const Vec3& x) const override;
  Vec3 gradient(int j, const Vec3& x) const override;
  Mat3 hessian(int j, const Vec3& x) const override;

 private:
  void check(const Vec3& centre, double size) const;

  std::vector<Function> functions_;
};

}  // namespace touchstone

#pragma once

#include "geometry/supporting_points.hpp"

namespace touchstone {

/// Superellipse (dim 2) or superquadric (dim 3): f = |x/a|ᵖ + |y/b|ᵖ + |z/c|ᵖ − 1, 2 ≤ p ≤ 100.
///
/// For p > 2 the curvature vanishes along x = 0, y = 0 and z = 0 (Hessian entry p(p−1)|x|ᵖ⁻²/aᵖ):
/// strictly convex, but the closest-point equations are singular where such a point faces another
/// one or a plane; closest points are still found, gap derivatives are refused there. p = 2 is the
/// ellipsoid.
class Superquadric final : public ConvexSet {
 public:
  Superquadric(int dim, const Vec3& semi_axes, double exponent);
  const Vec3& semi_axes() const { return axes_; }
  double exponent() const { return p_; }

  std::string kind() const override { return dim_ == 2 ? "superellipse" : "superquadric"; }
  int dim() const override { return dim_; }
  int count() const override { return 1; }
  double value(int j, const Vec3& x) const override;
  Vec3 gradient(int j, const Vec3& x) const override;
  Mat3 hessian(int j, const Vec3& x) const override;
  /// x_i = a_i sign(d_i) (a_i|d_i| / ‖a d‖_q)^(q−1), 1/p + 1/q = 1.
  Vec3 support(const Vec3& d) const override;
  double radius() const override { return radius_; }
  /// Dirichlet's integrals: ∫ Π x_i^(k_i−1) = Π (a_i^k_i Γ(k_i/p)/p) / Γ(1 + Σk_i/p) per orthant.
  MassProperties mass_properties(double density) const override;

 private:
  int dim_;
  Vec3 axes_;
  double p_;
  double radius_;
};

/// Solid cylinder about the z axis, height along it, centred at the origin (spatial only). The
/// intersection of f₀ = x² + y² − r² with f₁ = z − h/2 and f₂ = −z − h/2.
class Cylinder final : public ConvexSet, public FlatSet {
 public:
  Cylinder(double radius, double height);
  double r() const { return r_; }
  double height() const { return height_; }

  std::string kind() const override { return "cylinder"; }
  int dim() const override { return 3; }
  int count() const override { return 3; }
  double value(int j, const Vec3& x) const override;
  Vec3 gradient(int j, const Vec3& x) const override;
  Mat3 hessian(int j, const Vec3& x) const override;
  /// The middle of a cap or of a line of the lateral surface, where all of it is farthest.
  Vec3 support(const Vec3& d) const override;
  double radius() const override;
  MassProperties mass_properties(double density) const override;

  /// A cap: eight points of its rim, the first one farthest along d; a line of the lateral surface:
  /// its two ends; else the farthest point of the rim.
  void supporting_points(const Vec3& d, double cosine, std::vector<Vec3>& out) const override;

 private:
  double r_, height_;
};

}  // namespace touchstone

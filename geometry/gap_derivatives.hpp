#pragma once

/// The signed gap ψ of two smooth convex sets as a function of both poses, to second order.
///
/// Increments of the poses: δ = (δx_a, δθ_a, δx_b, δθ_b) ∈ R¹², x → x + δx, R → exp(δθ×) R, all in
/// world axes. At a solution (a, b, n) of the closest-point equations (9), with r_X the vector from
/// the origin of body X to its point, u_X = δx_X + δθ_X × r_X the displacement of the material
/// point and T = [t₁ t₂] ⟂ n:
///
///   ∂ψ = n·(u_a − u_b) = [n; r_a × n; −n; −r_b × n]·δ                                          (i)
///
/// The second derivative follows from differentiating (9) itself. α, β are the motions of the
/// points on their surfaces, τ = Tᵀδn, S_a and S_b the shape operators TᵀHT/|∇f| of the surfaces
/// (S ≥ 0; zero for a half-space), k_X = Tᵀ(δθ_X × n), σ = Tᵀ(u_a − u_b):
///
///   τ = k_a − S_a α = k_b + S_b β        the normals stay opposite (ii) σ + α − β = ψ τ a − b
///   stays along them                                (iii) ⇒ K β = k_a − k_b − S_a (ψ k_b − σ),   K
///   = S_a + S_b + ψ S_a S_b                           (iv)
///
/// and the Hessian is the symmetric part of ∂[n; r_a × n; −n; −r_b × n]/∂δ, with δr_X = δθ_X × r_X
/// + α (β): the antisymmetric part belongs to the commutator of rotations. Since θ̈ = ω̇ at δ = 0,
///
///   ψ̈ = gradient·ν̇ + νᵀ hessian ν,   ν = (v_a, ω_a, v_b, ω_b)                                  (v)
///
/// which at ψ = 0 is Baraff's second derivative of the gap (thesis, section 6.4).
///
/// K is singular where the surfaces conform: flat against flat, a cylinder on a plane along a line,
/// the flat points of a superquadric; and where the penetration reaches a centre of curvature.

#include <stdexcept>

#include "geometry/convex_set.hpp"

namespace touchstone {

/// The gap has no second derivative here.
struct SingularGap : std::domain_error {
  using std::domain_error::domain_error;
};

struct GapDerivatives {
  using Twist = Eigen::Matrix<double, 12, 1>;  // (v_a, ω_a, v_b, ω_b) or δ [m, rad]
  using Matrix = Eigen::Matrix<double, 12, 12>;
  using Columns = Eigen::Matrix<double, 3, 12>;

  double gap = 0.0;                    // ψ [m]
  Twist gradient = Twist::Zero();      // (i)
  Matrix hessian = Matrix::Zero();     // symmetric
  Columns D_normal = Columns::Zero();  // of the unit normal from B to A
  Columns D_on_a = Columns::Zero();    // of the closest points, in the world
  Columns D_on_b = Columns::Zero();

  double velocity(const Twist& nu) const { return gradient.dot(nu); }  // ψ̇ [m/s]
  /// νᵀ hessian ν: ψ̈ without accelerations [m/s²].
  double velocity_terms(const Twist& nu) const { return nu.dot(hessian * nu); }
  /// (v) [m/s²]
  double acceleration(const Twist& nu, const Twist& nu_dot) const {
    return gradient.dot(nu_dot) + velocity_terms(nu);
  }
};

/// `on_a`, `on_b` and `normal` (unit, from B to A) solve (9) at these poses: separated, touching or
/// penetrating. Works with every set that is smooth at its point, half-spaces and the interiors of
/// the surfaces of an intersection included. In the plane the entries off the plane are zero.
///
/// Throws SingularGap where K is singular or where several surfaces of a set meet at its point, and
/// std::invalid_argument when the points do not solve (9) to 1e-6.
GapDerivatives gap_derivatives(const ConvexSet& A, const Pose& pose_a, const ConvexSet& B,
                               const Pose& pose_b, const Vec3& on_a, const Vec3& on_b,
                               const Vec3& normal);

}  // namespace touchstone

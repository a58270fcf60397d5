#pragma once

/// First and second derivatives of the gap for every pair of features.
///
/// Two bodies meet at the points p_A, p_B with the common unit normal n (from B to A) and the gap
/// ψ = n·(p_A − p_B). As the bodies move, the points travel over the surfaces with the velocities
/// w_A, w_B relative to the bodies, and n turns. With v_X(p) = v_X + ω_X × r_X the velocity of the
/// material point and s = v_A(p_A) − v_B(p_B),
///
///     ψ̇ = n·s                                                                                (1)
///     ṡ = v̇_A + ω̇_A × r_A − v̇_B − ω̇_B × r_B + c,
///         c = ω_A × (ω_A × r_A + w_A) − ω_B × (ω_B × r_B + w_B)                              (2)
///     ψ̈ = n·ṡ + ṅ·s.                                                                         (3)
///
/// w_A, w_B and ṅ are linear in the velocities, so that ψ̈ is a row times the accelerations and a
/// quadratic form in the velocities. They follow from the features. Let the columns of U_X span the
/// directions in which p_X can travel (none for a vertex, the edge, the tangent plane of a face or
/// of a smooth surface) and S_X be the derivative of the outward unit normal along the surface
/// (zero for edges and faces). Then w_X = U_X c_X and, because −n and n are normal to A and B all
/// the time and p_A − p_B stays along n,
///
///     U_Aᵀ(ṅ − ω_A × n + S_A w_A) = 0                                                        (4)
///     U_Bᵀ(ṅ − ω_B × n − S_B w_B) = 0                                                        (5)
///     Tᵀ(s + w_A − w_B − ψ ṅ) = 0,      T spans the tangent plane:                           (6)
///
/// as many equations as unknowns (ṅ ⊥ n, c_A, c_B). This one system has as special cases, at ψ = 0,
///   vertex of A on face of B:   ψ̈ = n·(P_A − P_B) + 2 (ω_B × n)·s, P the material accelerations,
///   edge on edge:               ψ̈ = n·(P_A − P_B) + 2 ṅ·s, ṅ from n ∥ e_A × e_B,
///   smooth on smooth:           Baraff's thesis, section 6.4 (equations 6-19 to 6-29),
///   smooth on face, edge, vertex; and it holds at ψ ≠ 0, where a vertex may face an edge or
///   another
/// vertex. It is singular exactly where p_A, p_B or n are not determined: conforming contact (face
/// on face, cylinder on plane, parallel edges, a flat spot) and, at ψ = 0, a vertex on a vertex or
/// on an edge.
///
/// On a flat spot of a strictly convex body the point itself is determined, only not its velocity.
/// (4)–(6) have solutions where the bodies do not turn against each other along the directions of
/// zero curvature (a die at rest on its flat spot); ψ̈ is the same for all of them, and the least is
/// taken. Otherwise ψ̇ has an infinite rate there.

#include <stdexcept>
#include <string>

#include "geometry/contact_points.hpp"

namespace touchstone {

/// What a body shows at a contact, in world axes.
struct ContactFeature {
  enum class Kind { vertex, edge, face, smooth };
  Kind kind = Kind::vertex;
  Vec3 edge = Vec3::Zero();       // unit, along the edge
  Mat3 curvature = Mat3::Zero();  // S [1/m] of a smooth surface, symmetric; S n = 0
  double size = 1.0;              // of the body [m]: what counts as flat
  bool strictly_convex = false;   // it touches in one point, whatever its curvature
};
std::string to_string(ContactFeature::Kind kind);

/// The features that meet at a contact point of A and B, as contact_points found it.
///
/// Polytope against polytope: those that the point's number names (vertex–face, edge–edge, …; in
/// the plane the sides are faces). Smooth against polytope: the feature whose normals hold the
/// contact's, a facet when it is parallel to a facet's within 1e-9.
struct FeaturePair {
  ContactFeature a, b;
};
FeaturePair contact_features(const ConvexSet& A, const Pose& pose_a, const ConvexSet& B,
                             const Pose& pose_b, const ContactPoint& point);

/// Whether the set has neither facets nor lines in its surface: balls, ellipsoids, superquadrics.
bool strictly_convex(const ConvexSet& set);

/// S of a smooth surface f = 0 at a point of it, body axes: (I − mmᵀ) ∇²f (I − mmᵀ)/|∇f|,
/// m = ∇f/|∇f|.
Mat3 surface_curvature(const ConvexSet& set, int inequality, const Vec3& point);

/// Centre of mass [m], velocity [m/s] and angular velocity [rad/s] of a body, world axes.
struct Motion {
  Vec3 x = Vec3::Zero(), v = Vec3::Zero(), w = Vec3::Zero();
};

struct ContactKinematics {
  Vec3 n = Vec3::Zero();                        // of the features: edge–edge, e_A × e_B
  double gap = 0.0;                             // ψ [m]
  double rate = 0.0;                            // ψ̇ [m/s]
  double bias = 0.0;                            // ψ̈ where the accelerations are zero [m/s²]
  Vec3 r_a = Vec3::Zero(), r_b = Vec3::Zero();  // p − x
  Vec3 slip = Vec3::Zero();                     // s [m/s], its normal part is ψ̇
  Vec3 slip_bias = Vec3::Zero();                // c of (2) [m/s²]
  Vec3 n_rate = Vec3::Zero();                   // ṅ [1/s]
  Vec3 path_a = Vec3::Zero(), path_b = Vec3::Zero();  // w_A, w_B [m/s]

  /// ṡ and ψ̈ under the accelerations v̇, ω̇ of the two bodies.
  Vec3 slip_rate(const Vec3& dv_a, const Vec3& dw_a, const Vec3& dv_b, const Vec3& dw_b) const {
    return dv_a + dw_a.cross(r_a) - dv_b - dw_b.cross(r_b) + slip_bias;
  }
  double second(const Vec3& dv_a, const Vec3& dw_a, const Vec3& dv_b, const Vec3& dw_b) const {
    return n.dot(slip_rate(dv_a, dw_a, dv_b, dw_b)) + n_rate.dot(slip);
  }
};

/// The contact is conforming or degenerate: the message names the features and the cause.
class NoGapDerivative : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// (1)–(6) at a contact point with the given features in a world of dimension 2 or 3. Crossing
/// edges bring their own normal, on the side of the point's. Throws NoGapDerivative where (4)–(6)
/// are singular: reciprocal condition below 1e-10 with lengths in units of the smaller body, and
/// neither feature strictly convex or no solution to 1e-9 [rad/s], absolute and relative.
ContactKinematics contact_kinematics(int dim, const ContactPoint& point,
                                     const FeaturePair& features, const Motion& a, const Motion& b);

}  // namespace touchstone

#pragma once

/// Contacts that persist: the same two features followed through the motion, with the rates that
/// second derivatives of the gap need.
///
/// Let n be the unit normal (from B to A), p the contact point, V_X = v_X + ω_X × r_X the velocity
/// of body X's material point there (r_X = p − c_X), s = V_a − V_b the slip. Differentiating
/// ψ̇ = n·s along the moving point gives, with a_X, α_X the accelerations of body X,
///
///     ṡ = a_a + α_a × r_a − (a_b + α_b × r_b) + c,    c = ω_a × (ṗ − v_a) − ω_b × (ṗ − v_b) (1)
///     ψ̈ = n·ṡ + ṅ·s,      (ω_a − ω_b)·n has the rate  n·(α_a − α_b) + ṅ·(ω_a − ω_b)        (2)
///
/// so that ṅ and ṗ are all that depends on the kind of contact (Baraff, thesis 1992, sections 6.3
/// to 6.6); geometry/contact_kinematics.hpp has them for every pair of features. Where features
/// conform (face on face, edge along edge, a cylinder on a plane, the flat point of a superquadric)
/// the gap has no second derivative.

#include <stdexcept>

#include "formulations/common/contacts.hpp"

namespace touchstone {

/// The part of a body's surface that touches.
struct Feature {
  enum class Kind { smooth, face, edge, vertex, point };
  Kind kind = Kind::smooth;
  int index = 0;              // of the vertex, edge or facet of a polytope
  Vec3 local = Vec3::Zero();  // a point of the body [m]: of a flat spot that it rests on
};

/// Feature numbers of contacts from here on are points of a flat spot (flat_spots.cpp); no pair of
/// faces has them.
constexpr int flat_spot_feature = 1 << 30;

/// Which features of which bodies touch.
struct TrackedContact {
  int a = 0, b = 0;
  int feature = 0;  // as in Contact
  Feature on_a{}, on_b{};
  const FrictionLaw* law = nullptr;
  bool rolls_over_features = false;  // smooth on polytope: the features are those of the moment
  bool of_flat_spot() const { return feature >= flat_spot_feature; }
  bool same(const Contact& c) const { return a == c.a && b == c.b && feature == c.feature; }
};

/// The features behind a touching candidate. A strictly convex body with a feature number other
/// than 0 is held by that point of its flat spot (flat_spots.cpp). InputError, naming the bodies,
/// where they have no normal: vertex on vertex, vertex on edge, parallel edges.
TrackedContact track(const Configuration& configuration, const Contact& contact);

/// The contact of the same features at this configuration, whatever its gap.
Contact follow(const Configuration& configuration, const TrackedContact& tracked);

/// The features conform: no second derivative (the message names the bodies).
struct ConformingContact : std::domain_error {
  using std::domain_error::domain_error;
};

struct ContactRates {
  Vec3 s = Vec3::Zero();      // slip V_a − V_b [m/s], with its normal part
  Vec3 n_dot = Vec3::Zero();  // [1/s]
  Vec3 p_dot = Vec3::Zero();  // [m/s]
  Vec3 c = Vec3::Zero();      // of (1) [m/s²]
};

/// Throws ConformingContact where they are not determined.
ContactRates contact_rates(const Configuration& configuration, const TrackedContact& tracked,
                           const Contact& contact, const Vec& nu);

/// ψ̈ of (2) when the bodies accelerate with ν̇ [m/s²].
double gap_acceleration(const Configuration& configuration, const Contact& contact,
                        const ContactRates& rates, const Vec& nu_dot);

}  // namespace touchstone

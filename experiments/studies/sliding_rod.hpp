#pragma once

/// The sliding rod of Baraff's thesis (1992, figure 10.1): m = 1 kg, half-length l = 1 m, moment of
/// inertia I, inclined by θ; its lower tip r = −(c, s), c = cos θ, s = sin θ, touches a floor with
/// normal n = y and slides along −x, so that friction pushes it along t = x. With the force (f_n,
/// f_t) on the tip and the angular velocity ω
///
///     a_n = B f_n + C f_t + q_n,   B = 1/m + c²/I,   C = −cs/I,   q_n = ω²s − g                (1)
///     a_t = C f_n + E f_t + q_t,   E = 1/m + s²/I,   q_t = ω²c (+ horizontal load)             (2)
///
/// and sliding friction f_t = μf_n leaves  a_n = (B + μC) f_n + q_n.                            (3)

#include <cmath>
#include <numbers>

#include "formulations/common/contact_forces.hpp"
#include "formulations/common/contact_kinematics.hpp"

namespace touchstone {

/// The coefficients of (1) and (2); the defaults are those of the figure, θ = 72°, I = m/16.
struct SlidingRod {
  double angle = 0.4 * std::numbers::pi;  // θ [rad]
  double inertia = 1.0 / 16.0;            // I [kg m²]
  double s = std::sin(angle), c = std::cos(angle);
  double B = 1.0 + c * c / inertia, C = -c * s / inertia, E = 1.0 + s * s / inertia;  // [1/kg]

  /// Where B + μC changes sign: (I/ml² + c²)/(cs).
  double critical_mu() const { return (inertia + c * c) / (c * s); }
  /// Where it is −1/m: the friction of the figure, (c² + 2I/ml²)/(cs).
  double figure_mu() const { return (c * c + 2.0 * inertia) / (c * s); }
};

/// A rod at an instant.
struct RodSetting {
  SlidingRod rod{};
  double mu = rod.figure_mu();
  double gravity = 9.8;      // g [m/s²]
  double omega = 0.0;        // ω [rad/s], counter-clockwise
  double slip = 1.0;         // [m/s] of the tip along −x; 0: at rest
  double load = 0.0;         // [m/s²] horizontal
  double restitution = 0.0;  // ε
  double base_mass = 0.0;    // [kg] of the body below the tip; 0: it is fixed
  double base_force = 0.0;   // [N] upwards on it
};

/// The same rod as a world of bodies, whose contact problem is assembled as the simulator does it:
/// from shapes, contact features and their rates, without (1) to (3).
class RodContact {
 public:
  explicit RodContact(const RodSetting& setting);
  RodContact(const RodContact&) = delete;  // its contacts point into its world
  RodContact& operator=(const RodContact&) = delete;

  /// 0 ≤ f_n ⊥ a_n ≥ 0 of the tip that slides.
  Lcp sliding() const;
  /// (f_n, f_t) of the tip at rest, by the law of static friction.
  FrictionCones resting() const;

  /// The impulse z [N s] of a sliding tip, friction included, on the velocities.
  void apply_sliding(double z, Vec& nu) const;
  double tip_normal(const Vec& nu) const { return velocity(world_, columns_.n, nu); }
  double tip_slip(const Vec& nu) const { return velocity(world_, columns_.f[0], nu); }

  const World& world() const { return world_; }
  const State& state() const { return state_; }
  const Configuration& configuration() const { return configuration_; }
  const std::vector<Contact>& contacts() const { return contacts_; }

 private:
  Column sliding_tip() const;
  Vec free_acceleration() const;

  World world_;
  State state_;
  Configuration configuration_;
  std::vector<Contact> contacts_;  // one
  ContactColumns columns_;
  ContactRates rates_;
};

}  // namespace touchstone

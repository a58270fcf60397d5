#pragma once

/// The exact motion of a superellipse |x/a|ᵖ + |z/b|ᵖ = 1 that rocks on a level floor without
/// friction, from rest at the angle φ₀ (p = 2: the ellipse).
///
/// Its centre is at the height of the support function, with 1/p + 1/q = 1,
///
///     h(φ) = ((a|sin φ|)^q + (b|cos φ|)^q)^(1/q)                                               (1)
///     R = m(g + h''φ̇²)/(1 + m h'²/I),   I φ̈ = −R h'                                            (2)
///     φ̇² (I + m h'²)/2 = m g (h(φ₀) − h(φ))                                                    (3)
///
/// For p > 2, h'' ~ (a^q/b^(q−1)) |φ|^(q−2)/(p − 1) diverges at φ = 0. Time follows from (3) alone,
/// without forces, in the angle ϑ with φ = φ₀ sin^κ ϑ, in which it is smooth:
///
///     dt = φ₀ κ sin^(κ−1)ϑ cos ϑ dϑ/φ̇,   κ = p − 1 (twice that where p − 1 is no integer).     (4)
///
/// Gauss quadrature on panels of ϑ: relative 1e-13.

#include <vector>

namespace touchstone {

class RockingBody {
 public:
  struct Shape {
    double a = 2.0, b = 1.0, exponent = 2.0;  // semi-axes [m], a along the floor
  };
  struct Motion {
    double phi = 0.0, omega = 0.0;  // [rad], [rad/s]
  };
  /// InputError where |φ₀| is beyond the hilltop of h.
  RockingBody(const Shape& shape, double mass, double inertia, double gravity, double phi0);

  double height(double phi) const;
  double slope(double phi) const;           // h' [m/rad]
  double bend(double phi) const;            // h'' [m/rad²]
  double speed(double phi) const;           // |φ̇| of (3)
  double reaction(const Motion& at) const;  // R of (2) [N]
  /// R at φ = 0 for p = 2: m g + m (a²/b − b) 2 m g (h(φ₀) − b)/I; infinite for p > 2.
  double highest_reaction() const;
  double quarter() const { return times_.back(); }  // of the period [s]
  Motion at(double t) const;
  /// ∫ R dt over [t₀, t₁]: what the vertical momentum m h'φ̇ gains beyond the weight [N s].
  double impulse(double t0, double t1) const;
  /// (3) and (1) at the flat spot: ∫ R dt over ±Δt tends to `impulse_factor` Δt^(1/(p−1)).
  double impulse_factor() const;

 private:
  double drop(double phi, double below) const;   // h(φ₀) − h(φ), φ = φ₀ − below
  double rate(double angle) const;               // dt/dϑ of (4)
  double elapsed(double from, double to) const;  // ∫ of it
  double top() const;                            // where h is highest [rad]

  double a_, b_, p_, q_, m_, inertia_, g_, phi0_, sign_, power_;
  std::vector<double> nodes_, weights_;  // of Gauss on [0, 1]
  std::vector<double> times_;            // since the turning point, at the ends of the panels
};

}  // namespace touchstone

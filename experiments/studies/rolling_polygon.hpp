#pragma once

/// The exact motion of a regular n-gon that rolls on a level floor without slip: the oracle of the
/// rolling-disc study. It shares no code with the simulation.
///
/// φ is the angle of the line from the pivot vertex to the centre, measured from the vertical,
/// positive in the direction of a positive ω = φ̇; α = π/n is half the angle of a facet, and
/// k² = mgR/(I + mR²).
///
///   pivoting           ½ω² + k² cos φ = const,  |φ| ≤ α                                 (1)
///   impact, |φ| = α    ω⁺ = ηω⁻,  η = (I + mR² cos 2α)/(I + mR²),  φ⁺ = −φ⁻             (2)
///
/// (2) is the balance of angular momentum about the vertex that lands while the old one lifts off.
/// η < 0 (few edges, little inertia) would push the old vertex into the floor: both stay down and
/// the polygon stops, so η is never below 0. A polygon that does not pass over the top rolls back
/// and rocks on one facet, with infinitely many impacts in a finite time, and then rests.
///
/// Time inside a swing: with p = 2 sin(φ/2), (1) reads ω² = c² + k²p², where c² < 0 when it rolls
/// back. With the time τ of the pendulum linearised in p,
///
///   c² > 0:  p = c sinh(kτ)/k,  ω = c cosh(kτ)        (over the top at τ = 0)
///   c² < 0:  p = p₀ cosh(kτ),   ω = k p₀ sinh(kτ)     (turns at τ = 0, p₀ = |c|/k)
///
/// and dt = dτ/cos(φ/2), a smooth integrand without singularities at the turning point. (3)

#include <optional>
#include <vector>

namespace touchstone {

struct RollingPolygonData {
  int edges = 0;          // n ≥ 3; 0: the smooth disc, which never loses energy
  double mass = 1.0;      // m [kg]
  double inertia = 0.5;   // I about the centre [kg m²]
  double radius = 1.0;    // R from the centre to a vertex [m]
  double gravity = 9.81;  // g [m/s²]
  double omega0 = 3.0;    // ω at t = 0, about a vertex that is straight below the centre [rad/s]
  double mu = 0.4;        // Coulomb's coefficient: only first_violation depends on it
};

class RollingPolygon {
 public:
  struct Impact {
    double t;             // [s]
    double omega_before;  // [rad/s]
    double omega;         // just after [rad/s]
    double kinetic;       // ½(I + mR²)ω² just after [J]; the height is the same at every impact
  };

  struct Motion {
    long pivot;    // which vertex: +1 for every facet rolled in the positive direction
    double phi;    // [rad]
    double omega;  // [rad/s]
  };

  /// Why pure rolling is not what Coulomb's law and the unilateral contact give.
  enum class Cause { lift_off, slip, slip_at_impact };
  struct Violation {
    double t;  // [s]
    Cause cause;
    double tangential;  // F_t [N], or p_t [N·s] at an impact
    double normal;      // F_n [N], or p_n [N·s]
  };

  /// Computes every swing up to t_end. std::invalid_argument for data without meaning. ω₀ = 0 is
  /// the (unstable) equilibrium on a vertex, where the polygon stays.
  RollingPolygon(const RollingPolygonData& data, double t_end);

  double eta() const { return eta_; }
  double t_end() const { return t_end_; }

  /// Impacts up to t_end; those after the speed has fallen to 1e-9 of that of the first impact are
  /// left out, and only their total time is kept, in rest_time.
  const std::vector<Impact>& impacts() const { return impacts_; }
  /// When the polygon has come to rest on a facet, if it does so by t_end.
  std::optional<double> rest_time() const { return rest_time_; }

  // At any time 0 ≤ t ≤ t_end (std::out_of_range otherwise); at an impact, just after it.
  Motion at(double t) const;
  double kinetic(double t) const;   // ½(I + mR²)ω² [J]
  double energy(double t) const;    // kinetic + mgR cos φ [J]: constant between impacts
  double distance(double t) const;  // how far the centre has come, positive with positive ω [m]

  /// The earliest time at which rolling needs |F_t| > μF_n or F_n < 0, or |p_t| > μp_n at an
  /// impact; nothing when friction carries the whole motion up to t_end. The smooth disc needs no
  /// friction.
  std::optional<Violation> first_violation() const;

 private:
  /// The motion about one vertex between two impacts, equation (3).
  struct Swing {
    double start;   // [s]
    double middle;  // time of τ = 0 [s]
    double T;       // it ends at τ = T [s]
    double w;       // |ω| at |φ| = α [rad/s]
    bool over;      // passes over the top; otherwise it rolls back
    double least;   // over: c [rad/s]; otherwise p₀
    double sense;   // ±1: the direction in which the swing starts
    long pivot;
  };
  struct Load {
    double tangential, normal;  // F_t, F_n [N]
  };

  Swing first_swing() const;
  Swing make_swing(double start, double w, double sense, long pivot) const;
  double end(const Swing& swing) const { return swing.middle + time(swing, swing.T); }
  static bool starts_upright(const Swing& swing) { return swing.start == 0.0; }
  bool resting(double t) const;
  void compute_swings();
  Impact impact_after(const Swing& swing) const;

  // Of a swing that starts in the positive direction, at the linearised time τ: equation (3).
  double half_chord(const Swing& swing, double tau) const;  // p, with the sign of φ
  double speed(const Swing& swing, double tau) const;       // ω
  double time(const Swing& swing, double tau) const;        // t − middle
  double linearised_time(const Swing& swing, double t) const;
  double time_at_angle(const Swing& swing, double angle) const;

  Load load(const Swing& swing, double angle) const;
  double friction_margin(const Swing& swing, double angle) const;
  std::optional<Violation> violation_within(const Swing& swing) const;
  std::optional<Violation> violation_at(const Impact& impact) const;

  RollingPolygonData data_;
  double t_end_;
  double alpha_ = 0.0;  // π/n
  double k_ = 0.0;
  double eta_ = 1.0;
  double pivot_inertia_;  // I + mR²
  std::vector<Swing> swings_;
  std::vector<Impact> impacts_;
  std::optional<double> rest_time_;
  Motion at_rest_{};
};

}  // namespace touchstone

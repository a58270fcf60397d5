#pragma once

/// The motion of a sphere that starts at rest on two fixed spheres, by an event-driven integration:
/// the reference of the sphere-on-two-spheres study. It shares no code with the simulation.
///
/// Contact i: n the unit vector from the fixed centre c_i to the sphere's centre x, ρ_i = R_i + r,
/// ṅ = v/ρ_i; slip velocity u = v + r n × ω, spin s = ω·n, and w = (u, s). Contact forces λ_n n +
/// f, f ⟂ n, and the moment τn at the point x − rn:
///
///   m v̇ = F + Σ (λ_n n + f),      J ω̇ = Σ (−r n × f + τ n)                                   (1)
///   contact     n·v̇ = −|v|²/ρ                                                                 (2)
///   stick       u̇ = v̇ + r ṅ × ω + r n × ω̇ = 0,   ṡ = ω̇·n + ω·ṅ = 0                         (3)
///   slip        (f, τ) = −μλ_n (e_t²u, e_r²s) / |Ew|,    E = diag(e_t, e_t, e_r)              (4)
///
/// (4) is maximum dissipation over |f|²/e_t² + τ²/e_r² ≤ μ²λ_n² (Chakraborty et al. 2007, equation
/// 5, with e_t = e_o). Between events (1)–(4) are an ordinary differential equation in (x, v, ω);
/// it is stiff where a slip has just begun, because the direction w/|w| turns at the rate 1/|w|,
/// and is integrated by Radau IIA of order 5, whose stages never ask for the direction at w = 0.
/// Events end a phase, located to round-off: λ_n falls to 0 (the contact separates), or sticking
/// needs more than the friction ellipsoid has (it slips, against the friction of that moment).
///
/// At the start, at rest, the slip direction is that of the slip acceleration it causes: Ew ∥ Eẇ.
///
/// The solution ends (t_end) where it meets what it does not model: a slip that stops, a sphere
/// that comes back, a start where nothing slips.

#include <Eigen/Dense>
#include <array>
#include <vector>

namespace touchstone {

struct SphereOnSpheresData {
  using Vec3 = Eigen::Vector3d;
  struct Support {
    Vec3 centre;    // [m]
    double radius;  // [m]
  };
  double mass = 1.0;     // [kg]
  double inertia = 0.4;  // [kg m²]
  double radius = 1.0;   // [m]
  Vec3 force;            // constant, at the centre [N]
  Vec3 position;         // at t = 0 [m]
  std::array<Support, 2> supports;
  double mu = 0.2, e_t = 1.0;  // [1]
  double e_r = 0.3;            // [m]
};

class SphereOnSpheres {
 public:
  using Vec3 = Eigen::Vector3d;
  using Motion = Eigen::Matrix<double, 9, 1>;  // x [m], v [m/s], ω [rad/s]
  enum class Mode { stick, slip, separate };

  struct Load {
    Mode mode = Mode::separate;
    double normal = 0.0;              // λ_n [N]
    Vec3 friction = Vec3::Zero();     // f [N]
    double moment = 0.0;              // τ [N m]
    double friction_magnitude = 0.0;  // √(|f|²/e_t² + τ²/e_r²) [N]: μλ_n when it slips
    double slip = 0.0;                // |u| [m/s]; 0 when separated
  };
  using Loads = std::array<Load, 2>;

  struct Change {
    double t;     // [s]
    int support;  // 0 or 1
    Mode mode;    // from t on
  };

  /// Integrates up to t_end, or to where the solution ends. Throws std::invalid_argument for data
  /// without meaning, or when the sphere does not touch both supports at the start (to 1e-9 m).
  SphereOnSpheres(const SphereOnSpheresData& data, double t_end);

  double t_end() const { return nodes_.back().t; }
  /// The modes at t = 0, then every change.
  const std::vector<Change>& changes() const { return changes_; }
  /// When the support's contact takes on this mode, once; NaN if it never does.
  double time_of(int support, Mode mode) const;

  // At any time 0 ≤ t ≤ t_end (std::out_of_range otherwise).
  Motion at(double t) const;
  Loads loads(double t) const;

 private:
  using Modes = std::array<Mode, 2>;
  using Directions = std::array<Vec3, 2>;  // Ew/|Ew| in (t, o, r)
  struct Frame {
    Vec3 n, t, o, n_rate;
    double rho;
  };
  struct Forces {
    Motion rate;
    Loads loads;
    Directions slip_rate;  // Eẇ
    Directions friction;   // (f_t/e_t, f_o/e_t, τ/e_r) [N]
  };
  struct Node {
    double t;
    Motion y, rate;
    Modes modes;  // of the phase that starts here, or goes on
    Directions directions;
  };

  struct Assembly;
  struct Contact;

  Vec3 weights() const { return {data_.e_t, data_.e_t, data_.e_r}; }  // E
  Frame frame(const Motion& y, int support) const;
  /// Ew in the axes (t, o, n).
  Vec3 scaled_slip(const Frame& frame, const Motion& y) const;
  void add_contact(const Motion& y, Mode mode, const Vec3& held, bool frozen, Contact& contact,
                   Assembly& all) const;
  Vec3 scaled_friction(Mode mode, const Assembly& all, const Contact& contact) const;
  /// `frozen` takes the slip directions as given also where there is a slip.
  Forces forces(const Motion& y, const Modes& modes, const Directions& directions,
                bool frozen = false) const;
  bool start_at_rest(const Motion& y, Modes& modes, Directions& directions) const;
  /// Finds the directions Ew ∥ Eẇ of contacts that slip from rest; false when there are none.
  bool find_directions(const Motion& y, const Modes& modes, Directions& directions) const;
  /// Turns the slip of contacts that did not slip at `from` into the direction known there.
  Motion align_new_slip(const Node& from, Motion y) const;
  /// One step of Radau IIA; false when its equations could not be solved.
  bool step(const Node& from, double h, Motion& y) const;
  /// The least margin before an event: λ_n, or μλ_n − friction where it sticks.
  double margin(const Motion& y, const Node& phase) const;
  double locate(const Node& from, double h) const;
  void remove_drift(Node& node) const;
  void change_modes(Node& node);
  void integrate(double t_end);
  const Node& node_before(double t) const;

  SphereOnSpheresData data_;
  std::vector<Node> nodes_;
  std::vector<Change> changes_;
};

}  // namespace touchstone

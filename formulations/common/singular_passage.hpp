#pragma once

/// The step across a flat spot: Baraff's "zeroeth-order impact" (thesis 1992, section 6.7).
///
/// Where the relative curvature κ of two surfaces vanishes, the contact point of bodies that turn
/// against each other with ω runs at the speed |ω|/κ, and the normal force r ~ m ω²/κ diverges. On
/// |x|ᵖ + |z|ᵖ = 1, say, r ~ |t|^(−(p−2)/(p−1)) about the instant t = 0 of the crossing. Its
/// impulse ∫ r dt ~ |t|^(1/(p−1)) is finite and tends to zero: velocities are continuous, no
/// restitution is asked for, but an integrator of forces has to sample r without end. This step
/// asks for impulses instead of forces. With rows R (gap rates and, where contacts stick, slips),
/// columns C (those of the impulses; C = R but for sliding contacts) and mean velocity ν̄ = (ν₀ +
/// ν₁)/2,
///
///     ν₁ = ν₀ + h(a₀ + a₁)/2 + M⁻¹ Σ ((1 − θ_i) C_i(q₀) + θ_i C_i(q₁)) p_i                     (1)
///     R(q₁)ᵀν₁ = 0                                                                            (2)
///     ((1 − θ_i) R_i(q₀) + θ_i R_i(q₁))ᵀ ν̄ = 0                                                (3)
///     q₁ = q₀ ⊕ hν̄, then ψ(q₁) = 0 by the least change in the kinetic metric                  (4)
///
/// with a = M⁻¹(λ_app + λ_vp). By (3) no contact does work along its rows, as contacts that hold do
/// not; for a crossing that is symmetric about its instant θ = ½. The length h is chosen so that
/// the contact point is as fast at the end as it was at the start, which is that symmetric one.
///
/// Error, for a contact point with κ ~ sᵖ⁻² along its path s: the columns change by h^(1/(p−1)), so
/// that the time of the crossing is off by O(h^(1 + 2/(p−1))) and nothing else is to leading order
/// (p = 4: h^(5/3), which tests measure). Equal halves without (3) and at any length would lose or
/// gain energy O(h^(4/(p−1))).
///
/// Linear between its ends: dense output has the mean force of the crossing.

#include "formulations/common/contact_phase.hpp"
#include "formulations/common/joints.hpp"

namespace touchstone {

class SingularPassage final : public DenseStep {
 public:
  explicit SingularPassage(const World& world) : world_(world) {}

  /// From y at time t to where the fastest contact point has its speed again. False, and nothing
  /// done, where no contact point runs over a nearly flat spot and gets faster, or where it does
  /// not slow down within 2¹⁵ times `first` [s], the first length to try.
  bool cross(ContactPhase& phase, double t, const Vec& y, double first);
  /// From a flat spot itself, where no forces exist, over the first of the lengths `first`, twice
  /// that, … after which they do. False where that takes a pull: not all of these contacts hold.
  bool leave(ContactPhase& phase, double t, const Vec& y, double first);

  double length() const { return h_; }
  /// The contact that crosses, by number.
  std::size_t contact() const { return contact_; }
  void at(double theta, Vec& y) const override { y = y0_ + theta * (y1_ - y0_); }

 private:
  /// Contacts, rows and columns at one end.
  struct End {
    State state;
    Configuration configuration;
    std::vector<Contact> contacts;
    std::vector<ContactColumns> columns;
    std::vector<Vec3> directions;        // of slips
    std::vector<JointRow> joints;        // hold too, and do no work either
    std::vector<Column> rows, impulses;  // R and C: normal and friction of each contact, joints
  };

  void begin(const ContactPhase& phase, double t, const Vec& y);
  void evaluate(const ContactPhase& phase, const Vec& nu, End& end) const;
  bool attempt(const ContactPhase& phase, double h);
  void close_gaps(const ContactPhase& phase);
  Vec solve_impulses(const Vec& nu);
  double path_speed(const ContactPhase& phase, const End& end, std::size_t contact) const;
  bool find_contact(const ContactPhase& phase);
  bool on_flat_spot(const ContactPhase& phase, std::size_t contact) const;
  void finish(ContactPhase& phase);

  const World& world_;
  End start_, end_;
  Vec theta_, p_;  // per row
  std::size_t contact_ = 0;
};

}  // namespace touchstone

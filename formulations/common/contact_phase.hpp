#pragma once

/// Motion between events: which contacts carry force and which of them slide is fixed, so that the
/// forces follow from a linear system and the motion is a smooth differential equation
///
///     q̇ = G(q) ν,   M ν̇ = λ_app + λ_vp + Σ W r                                               (1)
///
/// with, per contact, either  n·ψ̈ = 0 and û̇ = 0  (sticks or rolls: unknowns r_n, r_f), or  ψ̈ = 0
/// with r_f = −μ r_n û/|û|  (slides: unknown r_n; under other rules than the exact law
/// resting_friction.hpp has the friction). û are the slip components scaled by the friction
/// ellipsoid; ψ̈ and û̇ come from contact_kinematics. λ_vp = −ω × Iω (missing in the thesis' (3-1)).
///
/// The state vector is y = (q, ν, impulses, works): the last two are ∫λ dt of every contact in its
/// frame (n, t, o, r) and the work of normal forces, friction, applied loads and joints, so that
/// dense output has them too.
///
/// Joints are rows with unknowns of either sign, Jᵀν̇ + J̇ᵀν = 0 with the forces Jλ (F (10) of the
/// course notes). Rows that depend on others (closed loops) are left out: at an accepted state they
/// hold with the others, at a stage of the integrator, off the joints, they would contradict them.
///
/// Redundant contacts (the fourth leg of a chair) leave the forces undetermined, not the motion: of
/// the forces that fit, those nearest to the last accepted ones are taken, which is the continuity
/// that the thesis asks for (section 13.3).

#include <vector>

#include "formulations/common/contact_kinematics.hpp"
#include "formulations/common/joints.hpp"
#include "formulations/common/radau.hpp"
#include "formulations/common/resting_friction.hpp"

namespace touchstone {

struct PhaseContact {
  TrackedContact tracked{};
  bool sliding = false;
  Vec3 direction = Vec3::Zero();  // û/|û| at the last accepted state; of a slip that just begins
  double n = 0.0;                 // forces at the last accepted state
  Vec3 f = Vec3::Zero();          // scaled: λ_k/e_k
  double lagged = 0.0;            // f̃ of Lötstedt's rule
  Vec3 seed = Vec3::Zero();       // [m/s] û that `project` gives to a contact without slip
};

/// A contact at one evaluation of (1).
struct PhaseRow {
  Contact contact{};
  ContactRates rates{};
  ContactColumns columns{};
  Vec3 slip = Vec3::Zero();  // û
  Vec3 direction = Vec3::Zero();
  double n = 0.0;
  Vec3 f = Vec3::Zero();
};

class ContactPhase final : public StiffSystem {
 public:
  explicit ContactPhase(const World& world, const RestingFriction& friction = {})
      : world_(world), friction_(friction) {}

  void begin(std::vector<PhaseContact> contacts);
  const std::vector<PhaseContact>& contacts() const { return contacts_; }
  std::vector<PhaseContact>& contacts() { return contacts_; }

  Eigen::Index size() const;    // of y
  Eigen::Index motion() const;  // of (q, ν)
  Vec pack(const State& state) const;
  State unpack(double t, const Vec& y) const;  // with unit quaternions

  void derivative(double t, const Vec& y, Vec& dy) override;
  /// Sliding friction turns with the slip: for a slip of two or three components the forces depend
  /// on û like û/|û|, so that directions relax at the rate
  ///     κ = μ r_n ‖FᵀM⁻¹F‖/|û|   (F: friction columns), (2)
  /// without bound where a slip begins or ends. The block ∂ν̇/∂ν of that, at the last call.
  void stiff_jacobian(Mat& J) const override;
  void leading_derivative(const Vec& y, Eigen::Ref<Vec> dy) const override;  // q̇ = G(q)ν
  /// Gives a slip that is too stiff to guess its last direction.
  void settle(Vec& y) override;
  Eigen::Index stiff_begin() const override { return world_.nq(); }
  Eigen::Index stiff_size() const override { return world_.nv(); }
  /// Largest κ at the last call [1/s]; infinite where a slip of several components is zero. Where
  /// contacts creep the slip is at least ε in (2), one component is enough, and all contacts act at
  /// once: the sum of their κ.
  double stiffness() const;
  /// Contacts of the last call of `derivative`.
  const std::vector<PhaseRow>& rows() const { return rows_; }
  const Configuration& configuration() const { return configuration_; }
  long evaluations() const { return evaluations_; }
  bool redundant() const { return redundant_ && !contacts_.empty(); }

  /// Forces and slip directions of the last call become those to continue from.
  void accept();
  /// A step has ended: f̃ becomes the normal force of the last call, and the derivative another.
  void advance_lag();
  /// Removes what integration has left of ψ, ψ̇, of Θ, Θ̇ of the joints and, where contacts stick, of
  /// û − seed: least changes in the kinetic metric. Returns the largest violation found [m, m/s].
  double project(State& state);

  /// Multipliers of the joints at the last call of `derivative`, one for each row of `joints` (zero
  /// where a row depends on others) [N; N m for directions].
  const Vec& joint_forces() const { return joint_forces_; }
  const std::vector<JointRow>& joints() const { return joints_; }
  /// The row that was left out and is missed most at the last call, by |Jᵀν̇ + J̇ᵀν| [m/s², 1/s²] or,
  /// with `positions`, by |Θ| [m, 1], beyond what the rows of the system are missed by. Rows that
  /// depend on each other can contradict each other at a singular configuration.
  struct JointMiss {
    int joint = -1;
    double by = 0.0;
  };
  JointMiss missed_joint(bool positions) const;

 private:
  void evaluate(const Vec& nu);
  void evaluate_joints(const Vec& nu);
  void choose_joint_rows();
  void solve_forces(const Vec& nu);
  void solve_redundant();
  static constexpr double singular = 1e-10;  // relative pivot of a redundant set of contacts
  void record_rates(const Vec& nu, Vec& dy) const;
  void project_velocities(State& state);

  double bearing(std::size_t contact) const;
  double friction_rate(const PhaseRow& row, double bearing) const;

  const World& world_;
  RestingFriction friction_;
  std::vector<PhaseContact> contacts_;
  std::vector<PhaseRow> rows_;
  Configuration configuration_;
  State state_;
  Vec free_, force_;
  std::vector<Column> lhs_, rhs_;  // rows and columns of the system
  std::vector<JointRow> joints_;
  std::vector<int> independent_;  // rows of joints_ in the system
  Vec joint_forces_;
  Mat K_;
  Vec right_, forces_;
  Eigen::PartialPivLU<Mat> lu_;
  bool redundant_ = false, fresh_ = true;
  long evaluations_ = 0;
};

}  // namespace touchstone

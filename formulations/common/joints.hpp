#pragma once

/// The equations of all joints at one configuration, and their elimination from a step.
///
/// Row k: value Θ_k, column J_k with Θ̇_k = J_kᵀν, and bias with Θ̈_k = J_kᵀν̇ + bias. A
/// velocity-level step asks for Jᵀν⁺ = −γΘ/h; with the impulses of the contacts Wp,
///
///     ν⁺ = ν_free + M⁻¹(Wp + J p_J),   JᵀM⁻¹J p_J = −(Jᵀ(ν_free + M⁻¹Wp) + γΘ/h)            (i)
///
/// p_J is linear in p, so that what is left for the contacts is a problem of the same form with
///
///     ν_free ← the ν⁺ of p = 0,   WᵀM⁻¹W ← Wᵀ(M⁻¹ − M⁻¹J (JᵀM⁻¹J)⁺ JᵀM⁻¹)W,                 (ii)
///
/// and (i) once more gives ν⁺ after the contacts are solved. Redundant joints (a closed loop) make
/// JᵀM⁻¹J singular: its pseudo-inverse gives the least-squares p_J, and the same velocities.
///
/// Accelerations likewise: Jᵀν̇ + J̇ᵀν = 0.
///
/// Bodies that joints connect form a mechanism, with a factorisation of its own.

#include <Eigen/QR>
#include <span>
#include <vector>

#include "formulations/common/contacts.hpp"

namespace touchstone {

struct JointRow {
  int joint = 0;       // index in World::joints
  double value = 0.0;  // Θ [m, or 1 for directions]
  Column column;       // J
  double bias = 0.0;   // J̇ᵀν [m/s², 1/s²]
};

/// Appends the rows of one joint under the velocities ν.
void joint_rows(const Configuration& configuration, const Vec& nu, int joint,
                std::vector<JointRow>& out);

/// Largest |Θ| over all joints [m, 1]: how far they have come apart.
double joint_error(const Configuration& configuration);

/// Rows of A = JᵀM⁻¹J that do not depend on each other, sorted: the pivots of a Cholesky
/// factorisation of A with unit diagonal that exceed 1e-10. Off the joints by ε, dependent rows
/// have pivots of ε².
std::vector<int> independent_rows(const Mat& A);

class Joints {
 public:
  /// Dependent rows in the least-squares sense, or dropped.
  enum class Rows { all, independent };
  explicit Joints(Rows kept = Rows::all) : kept_(kept) {}

  /// The rows and factorisations at this configuration. Cheap for a world without joints.
  void update(const Configuration& configuration, const Vec& nu);
  bool empty() const { return rows_.empty(); }
  std::span<const JointRow> rows() const { return rows_; }

  /// (i): adds the impulses that bring Jᵀν to `rate` · Θ (−γ/h) in the mechanisms of these bodies
  /// (sorted, whole islands); they are added to `impulses`, one for each row.
  void project(const Configuration& configuration, double rate, std::span<const int> bodies,
               Vec& nu, Vec& impulses) const;
  /// Adds the forces that bring Jᵀν̇ to −J̇ᵀν in all mechanisms.
  void accelerate(const Configuration& configuration, Vec& nu_dot) const;
  /// (ii): subtracts W₁ᵀM⁻¹J (JᵀM⁻¹J)⁺ JᵀM⁻¹W₂ from a Delassus block.
  void reduce(const Configuration& configuration, std::span<const Column> W1,
              std::span<const Column> W2, Eigen::Ref<Mat> block) const;

 private:
  struct Mechanism {
    int body = 0;                                   // one of its moving bodies
    int first = 0, size = 0;                        // its rows, which follow each other
    Eigen::CompleteOrthogonalDecomposition<Mat> A;  // JᵀM⁻¹J
  };
  void group();
  void keep_independent(Mechanism& mechanism, Mat& A);
  /// Changes ν so that Jᵀν takes the values `wanted` in this mechanism; returns the impulses.
  Vec bring(const Configuration& configuration, const Mechanism& mechanism, Vec wanted,
            Vec& nu) const;

  Rows kept_;
  const World* world_ = nullptr;
  std::vector<int> order_;       // joints, those of a mechanism together
  std::vector<int> last_joint_;  // index in order_ where each mechanism ends
  std::vector<JointRow> rows_;
  std::vector<Mechanism> mechanisms_;
};

}  // namespace touchstone

#pragma once

/// Bodies as contacts find them: what an impulse or a force moves, with the joints answering at
/// once (joints.hpp, (i) and (ii)). Without joints it is M⁻¹ alone.
///
/// A contact along which the joints leave no mobility (w in the range of J: a welded body, a hinged
/// rod pushed along itself) has a row of zeros; round-off in it would be taken for mobility.

#include "formulations/common/joints.hpp"

namespace touchstone {

class JointedBodies {
 public:
  JointedBodies(const Configuration& configuration)  // NOLINT: bodies without joints
      : configuration_(configuration) {}
  JointedBodies(const Configuration& configuration, const Joints& joints)
      : configuration_(configuration), joints_(joints.empty() ? nullptr : &joints) {}

  const Configuration& configuration() const { return configuration_; }

  /// W₁ᵀM⁻¹W₂ of the jointed bodies, rows without mobility set to zero.
  Mat delassus(std::span<const Column> W1, std::span<const Column> W2) const;
  /// Removes round-off from q where W has a row of zeros.
  static void settle_blocked(const Mat& W, Vec& q);

  /// ν ← ν + M⁻¹(Wp + J p_J) with Jᵀν = 0.
  void give(std::span<const Column> W, const Vec& p, Vec& nu) const;
  /// ν̇ = M⁻¹(λ_app + λ_vp + Wr + J λ_J) with Jᵀν̇ + J̇ᵀν = 0.
  Vec accelerations(const Vec& nu, std::span<const Column> W, const Vec& r) const;

 private:
  const Configuration& configuration_;
  const Joints* joints_ = nullptr;
};

}  // namespace touchstone

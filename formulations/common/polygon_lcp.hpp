#pragma once

/// The linear complementarity problem of a step with friction polygons, shared by the methods that
/// linearise the gap; b is the bound of the normal row (−ψ/h, or what the method makes of it):
///
///     M(ν⁺ − ν) = W_n p_n + W_f p_f + p_ext                                  (a)
///     0 ≤ p_n ⊥ W_nᵀν⁺ − b      ≥ 0                                          (b)
///     0 ≤ p_f ⊥ W_fᵀν⁺ + E σ    ≥ 0                                          (c)
///     0 ≤ σ   ⊥ U p_n − Eᵀ p_f  ≥ 0                                          (d)
///
/// Contacts without friction have no rows (c), (d).

#include "formulations/common/friction_polygon.hpp"
#include "formulations/common/time_stepping.hpp"

namespace touchstone {

struct PolygonBlocks {
  std::vector<Column> W_n;
  FrictionBlock W_f;
  std::vector<int> slip;   // rank of a contact's slip multiplier σ, −1 without friction
  Eigen::Index slips = 0;  // how many there are

  Eigen::Index contacts() const { return static_cast<Eigen::Index>(W_n.size()); }
  Eigen::Index friction() const { return static_cast<Eigen::Index>(W_f.columns.size()); }
  Eigen::Index size() const { return contacts() + friction() + slips; }

  /// For the contacts of a step, with d directions each.
  void build(const StepInput& in, int d);

  /// (b) to (d) with ν⁺ eliminated by (a): unknowns (p_n, p_f, σ).
  void reduced_lcp(const StepInput& in, std::span<const double> bounds, Problem& problem) const;
  /// The entries E, U and −Eᵀ of rows (c) and (d), below `first` leading unknowns.
  void write_cone(std::span<const Contact> contacts, Eigen::Index first, Mat& M) const;
  /// Velocity units: impulses times the Delassus diagonal; in row (d) it is the residual that is an
  /// impulse.
  void write_scale(const Eigen::Ref<const Vec>& diagonal, Eigen::Index first,
                   VelocityScale& scale) const;

  /// The impulses of each contact from (p_n, p_f).
  void read_impulses(const Eigen::Ref<const Vec>& p, StepSolution& out) const;
  /// ν ← ν + M⁻¹(W_n p_n + W_f p_f), p = (p_n, p_f).
  void apply(const StepInput& in, const Eigen::Ref<const Vec>& p, Vec& nu) const;
};

/// The problem as a P, which keeps its storage if it is one already.
template <class P>
P& storage(Problem& problem) {
  if (!std::holds_alternative<P>(problem)) problem = P{};
  return std::get<P>(problem);
}

/// The bound of the normal row with Newton's restitution: a contact that free motion would close in
/// this step (u_free ≤ `closing` = −ψ/h) leaves with at least −e times its velocity before.
double impact_bound(const Contact& contact, double closing, double u_before, double u_free);

}  // namespace touchstone

#pragma once

#include <vector>

#include "solvers/own/coulomb.hpp"
#include "solvers/solver.hpp"

namespace touchstone {

/// Sweeps of block Gauss–Seidel over the contacts of an exact-cone problem; see nsgs.cpp. The
/// Newton method for the same problem starts from them and falls back to them.
class ConeSweeps {
 public:
  /// Refers to the problem; it must outlive the sweeps.
  void load(const FrictionContact& problem, const Vec& guess);
  /// Goes on from another r.
  void restart(const Vec& r);

  /// One sweep: every contact solved exactly with the others fixed, then over-relaxed by ω and
  /// put back on the cone. Contacts are taken forwards and backwards in turn.
  void sweep(double omega);

  const Vec& r() const { return r_; }
  const Vec& u() const { return u_; }
  /// Natural residual at r, with u = Wr + q computed afresh.
  double residual();
  /// Contacts of the last sweep that had no solution of their own (W_nn ≤ 0 with b_n < 0).
  int unsolvable() const { return unsolvable_; }
  /// Contacts that approach (q_n < 0) and that no impulse moves (a zero row of W): they prove that
  /// the problem has no solution.
  int immovable() const;

 private:
  void update(Eigen::Index i, double omega);

  const FrictionContact* problem_ = nullptr;
  std::vector<Block3> blocks_;
  Vec r_, u_;
  int unsolvable_ = 0;
  bool forwards_ = true;
};

/// Says in the claim why contacts were unsolvable; `infeasible` only where that is proved.
void explain_unsolvable(const ConeSweeps& sweeps, const char* name, Claim& claim);

}  // namespace touchstone

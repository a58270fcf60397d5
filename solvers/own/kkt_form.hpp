#pragma once

#include <vector>

#include "solvers/problem.hpp"

namespace touchstone {

/// The optimality conditions of a convex Qp as a mixed LCP in (x, y), M = [P Aᵀ; −A 0] monotone:
///     Px + c + Aᵀy = 0, x free;   row with only u:  0 ≤ y ⊥ u − Ax ≥ 0;
///     only l:  y ≤ 0 ⊥ l − Ax ≤ 0;   l = u:  y free, u − Ax = 0.
/// A row with two different finite bounds appears twice, y = y_u + y_l; one without bounds has
/// y = 0 and does not appear.
class KktForm {
 public:
  const Mlcp& reduce(const Qp& qp);
  /// (x, y) of the Qp from the unknowns of the mixed LCP.
  Vec expand(const Vec& z) const;

 private:
  Mlcp mlcp_;
  std::vector<Eigen::Index> row_;  // row of A behind each multiplier
  Eigen::Index n_ = 0, m_ = 0;
};

}  // namespace touchstone

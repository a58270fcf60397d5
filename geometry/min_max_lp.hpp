#pragma once

/// The least upper bound of many affine functions: a linear program in a few variables.
///
///     min t over (x, t) ∈ Rⁿ × R   with   a_k·Rᵀ(x − o) − t ≤ e_k   for all k, n = 2 or 3     (1)
///
/// and its dual, the multipliers of a basis of n + 1 rows g_k = R a_k:
///
///     max −Σ λ_k (e_k + g_k·o)   with   Σ λ_k g_k = 0,  Σ λ_k = 1,  λ ≥ 0.                    (2)
///
/// Solved by the dual simplex method: a basis with λ ≥ 0 determines (x, t); the row that (x, t)
/// violates most enters, the ratio test on λ decides which one leaves, and t grows. A pass over the
/// m rows costs O(m) and the basis O(1). From a cold start 4 pivots were measured for m = 16 and 13
/// for m = 8192 (medians, study ratio-cost), and mostly none from the last basis of a slowly moving
/// pair. Where t stalls (degenerate λ) Bland's rule takes over, so that the method
/// ends. No random numbers: reruns are bit-identical.

#include <array>
#include <span>

#include "geometry/convex_set.hpp"

namespace touchstone {

/// Rows that share a frame.
struct LpBlock {
  const Eigen::Matrix3Xd* rows = nullptr;    // a_k, one per column, in the frame's axes
  const Eigen::VectorXd* offsets = nullptr;  // e_k; null: all 0
  Pose frame{};                              // o and R
};

struct LpRow {
  int block = -1, row = -1;
  auto operator<=>(const LpRow&) const = default;
};

/// n + 1 rows (the fourth is unused in the plane).
using LpBasis = std::array<LpRow, 4>;

struct MinMax {
  Vec3 x = Vec3::Zero();
  double t = 0.0;
  LpBasis basis{};
  std::array<double, 4> multipliers{};  // λ of the basis rows
  double violation = 0.0;  // largest a_k·Rᵀ(x − o) − t − e_k left: a bound of the error in t
  int pivots = 0;
};

/// Starts at `start` if that basis has λ ≥ 0 here, else at `safe`, which must have it.
MinMax min_max_lp(int dim, std::span<const LpBlock> blocks, const LpBasis& start,
                  const LpBasis& safe);

/// A basis of rows of one block with λ ≥ 0, in any pose: rows whose hull holds the origin. Throws
/// std::invalid_argument when the rows do not surround the origin, that is when {x : A x ≤ b} is
/// unbounded.
LpBasis surrounding_rows(int dim, const Eigen::Matrix3Xd& rows, int block);

}  // namespace touchstone

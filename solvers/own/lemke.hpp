#pragma once

/// Lemke's method for 0 ≤ z ⊥ w = Mz + q ≥ 0 (Cottle, Pang & Stone, The Linear Complementarity
/// Problem, algorithm 4.4.5; Baraff's thesis, appendix B).
///
/// The problem is covered by an artificial variable z₀:
///     w = q + Mz + d z₀,   z, w, z₀ ≥ 0,   zᵢwᵢ = 0 for all i,                                (1)
/// with a covering vector d > 0. z₀ enters first and makes w feasible; from then on the complement
/// of the variable that just left enters, until z₀ leaves (a solution) or nothing blocks (a ray).
///
/// The tableau holds (1) in exchange form: x_B = q̄ + T x_N, one row per basic and one column per
/// nonbasic variable, so that a pivot costs n(n + 2) multiplications.
///
/// Ratio test. Rows whose ratio lies within a slack of the smallest are ties: with an exact test,
/// round-off decides between rows that tie in exact arithmetic, which contact problems produce at
/// nearly every pivot, and the path is lost. Among ties z₀ leaves if it can; otherwise the
/// lexicographic rule decides (the row that would leave for q + (ε, ε², …, εⁿ), ε → 0), which
/// excludes cycling. An alternative rule takes the largest pivot.
///
/// The registered solver `lemke` takes Lcp, and Mlcp through StandardForm. It computes the basic
/// variables again from the original data and accepts them only within the tolerance. Where that
/// fails it follows the path again, with the other tie rule or from another covering vector, and
/// says so in the notes. A ray is returned when it is one of the original data; where the path met
/// ties, the second rule has to end on a ray as well.
///
/// Deviations from the textbook: d = (1, …, 1) only where the rows of M are of like size; otherwise
/// dᵢ = maxⱼ|M_ij| (setting `cover`). The slack in the ratio test, and zero for pivots at
/// round-off.

#include <vector>

#include "solvers/problem.hpp"

namespace touchstone {

class LemkeTableau {
 public:
  enum class TieRule { lexicographic, largest_pivot };
  enum class End { solution, ray, iteration_limit };

  struct Options {
    int max_iterations = 1000;
    TieRule tie_rule = TieRule::lexicographic;
    double tie_slack = 1e-12;        // relative to the largest basic variable, scaled [1]
    double pivot_tolerance = 1e-11;  // relative to the largest entry of the column, scaled [1]
  };

  /// Follows the path of (1). Rows and columns are scaled by powers of two, so that tolerances mean
  /// the same for every choice of units; the path is that of the unscaled problem.
  End run(const Mat& M, const Vec& q, const Vec& cover, const Options& options);

  int iterations() const { return iterations_; }
  /// Whether the ratio test had to choose between rows anywhere on the path.
  bool met_ties() const { return met_ties_; }

  /// After End::solution: z by the last tableau, and the indices i whose zᵢ is basic.
  void read_solution(Vec& z) const;
  const std::vector<int>& support() const { return support_; }

  /// After End::ray: (z^h, z₀^h) with max z^h = 1.
  void read_ray(Vec& direction, double& cover) const;

 private:
  void load(const Mat& M, const Vec& q, const Vec& cover);
  void scale(const Mat& M, const Vec& q, const Vec& cover);
  int first_leaving_row(const Options& options) const;
  int leaving_row(int column, const Options& options);
  int break_tie_lexicographically(int column, double slack);
  int break_tie_by_pivot(int column) const;
  double perturbation(int row, int k) const;
  void pivot(int row, int column);

  double* row(int i) { return tableau_.data() + static_cast<std::size_t>(i) * stride_; }
  const double* row(int i) const { return tableau_.data() + static_cast<std::size_t>(i) * stride_; }

  // Variables: 0…n−1 are w, n…2n−1 are z, 2n is z₀. A row holds T and, in column n + 1, q̄.
  // Scaled data: M' = R M C, q' = R q / q_scale, d' = R d / cover_scale, so z = q_scale C z' and
  // z₀ = (q_scale / cover_scale) z₀'.
  int n_ = 0;
  std::size_t stride_ = 0;
  int iterations_ = 0;
  bool met_ties_ = false;
  int driving_ = 0;  // column of the variable that nothing blocks
  std::vector<double> tableau_;
  std::vector<double> row_scale_, column_scale_, row_work_, column_work_;
  double q_scale_ = 1.0, cover_scale_ = 1.0;
  std::vector<int> basic_, nonbasic_, column_of_, ties_, support_;
};

}  // namespace touchstone

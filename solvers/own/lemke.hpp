#pragma once

/// Lemke's method for 0 ≤ z ⊥ w = Mz + q ≥ 0 (Cottle, Pang & Stone, The Linear Complementarity
/// Problem, algorithm 4.4.5; Baraff's thesis, appendix B).
///
/// The problem is covered by an artificial variable z₀:
///     w = q + Mz + d z₀,   z, w, z₀ ≥ 0,   zᵢwᵢ = 0 for all i,                                (1)
/// with a covering vector d > 0. z₀ enters first and makes w feasible; from then on the complement
/// of the variable that just left enters, until z₀ leaves (a solution) or nothing blocks (a ray).
///
/// Two ways of holding the basis follow the same path:
/// - LemkeTableau, for small problems: the exchange form x_B = q̄ + T x_N of (1), n(n + 2)
///   multiplications a pivot;
/// - LemkeKernel, for larger ones: only the block of T that M does not give, of the order m of the
///   basic z; m² multiplications a pivot and the nonzeros of m columns of M. The basic part of a
///   contact problem is small (a fifth of n with 8 friction directions) and its columns are sparse.
///
/// Ratio test. Rows whose ratio lies within a slack of the smallest are ties: with an exact test,
/// round-off decides between rows that tie in exact arithmetic, which contact problems produce at
/// nearly every pivot, and the path is lost. Among ties z₀ leaves if it can; otherwise the
/// lexicographic rule decides (the row that would leave for q + (ε, ε², …, εⁿ), ε → 0), which
/// excludes cycling. An alternative rule takes the largest pivot.
///
/// Warm start. The support L of a guess is tried first: z_L = −M_LL⁻¹ q_L is the answer when z ≥ 0
/// and w ≥ 0 within the tolerance. Otherwise the path starts from its beginning, as without a
/// guess.
///
/// The registered solver `lemke` takes Lcp, and Mlcp through StandardForm. It computes the basic
/// variables again from the original data and accepts them only within the tolerance. Where that
/// fails it follows the path again, with a tableau, with the other tie rule or from another
/// covering vector, and says so in the notes. A ray is returned when it is one of the original
/// data; where the path met ties, the second rule has to end on a ray as well.
///
/// Deviations from the textbook: d = (1, …, 1) only where the rows of M are of like size; otherwise
/// dᵢ = maxⱼ|M_ij| (setting `cover`). The slack in the ratio test, and zero for pivots at
/// round-off.

#include <vector>

#include "solvers/problem.hpp"

namespace touchstone {

class LemkePath {
 public:
  enum class TieRule { lexicographic, largest_pivot };
  enum class End { solution, ray, iteration_limit };

  struct Options {
    int max_iterations = 1000;
    TieRule tie_rule = TieRule::lexicographic;
    double tie_slack = 1e-12;        // relative to the largest basic variable, scaled [1]
    double pivot_tolerance = 1e-11;  // relative to the largest entry of the column, scaled [1]
  };

  virtual ~LemkePath() = default;

  /// Follows the path of (1). Rows and columns are scaled by powers of two, so that tolerances mean
  /// the same for every choice of units; the path is that of the unscaled problem.
  End run(const Mat& M, const Vec& q, const Vec& cover, const Options& options);

  int iterations() const { return iterations_; }
  /// Whether the ratio test had to choose between rows anywhere on the path.
  bool met_ties() const { return met_ties_; }

  /// After End::solution: z by the last basis, and the indices i whose zᵢ is basic.
  void read_solution(Vec& z) const;
  const std::vector<int>& support() const { return support_; }

  /// After End::solution, w = Mz + q: one step of refinement z_α ← z_α − M_αα⁻¹ w_α by the inverse
  /// that the path has built. False, and z untouched, when it has built none.
  virtual bool refine(const Vec& w, Vec& z) const;

  /// After End::ray: (z^h, z₀^h) with max z^h = 1.
  void read_ray(Vec& direction, double& cover) const;

 protected:
  /// Takes the scaled data; every w is basic.
  virtual void load(const Mat& M, const Vec& cover) = 0;
  /// Rates of the basic variables as `entering` grows, into column_.
  virtual void enter(int entering) = 0;
  /// Exchanges `entering` with the basic variable of row `leaving`: basic_ and value_ follow.
  virtual void exchange(int leaving, int entering) = 0;
  /// Coefficient of the k-th perturbation in row i of B⁻¹(q + ε).
  virtual double perturbation(int i, int k) = 0;

  // Variables: 0…n−1 are w, n…2n−1 are z, 2n is z₀. Row i holds the variable basic_[i] with its
  // value q̄ᵢ and its rate along the entering variable.
  // Scaled data: M' = R M C, q' = R q / q_scale, d' = R d / cover_scale, so z = q_scale C z' and
  // z₀ = (q_scale / cover_scale) z₀'.
  int n_ = 0;
  std::vector<int> basic_;
  Vec value_, column_;
  std::vector<double> row_scale_, column_scale_;
  double q_scale_ = 1.0, cover_scale_ = 1.0;

 private:
  void start(const Mat& M, const Vec& q, const Vec& cover);
  void scale(const Mat& M, const Vec& q, const Vec& cover);
  int first_leaving_row(const Options& options) const;
  int leaving_row(const Options& options);
  int break_tie_lexicographically(double slack);
  int break_tie_by_pivot() const;
  void collect_support();

  int iterations_ = 0;
  bool met_ties_ = false;
  int driving_ = 0;  // the variable that nothing blocks
  std::vector<double> row_work_, column_work_;
  std::vector<int> falling_, ties_, support_;
};

/// The exchange tableau, row-major: T and, in column n + 1, q̄.
class LemkeTableau final : public LemkePath {
 private:
  void load(const Mat& M, const Vec& cover) override;
  void enter(int entering) override;
  void exchange(int leaving, int entering) override;
  double perturbation(int i, int k) override;

  double* row(int i) { return tableau_.data() + static_cast<std::size_t>(i) * stride_; }

  std::size_t stride_ = 0;
  std::vector<double> tableau_;
  std::vector<int> nonbasic_, column_of_;
};

/// The kernel of the basis. With x = (z_α, z₀) the m basic variables that are not w, and N the m
/// rows whose w is not basic, (1) reads
///     w_N = q_N + G x + …,   G = [M_Nα d_N],                          (2)
///     w_β = q_β + [M_βα d_β] x + …   for the other rows β,            (3)
/// so x = G⁻¹(w_N − q_N − …).
/// H = G⁻¹ is kept explicitly; every pivot changes it by one dyad (and a row, a column or both are
/// added, replaced or removed). An entering column is H times a column of G for x, and (3) for w_β;
/// (2) then measures the error that H has gathered, and calls for a new inverse where it is large.
class LemkeKernel final : public LemkePath {
 public:
  bool refine(const Vec& w, Vec& z) const override;

 private:
  void load(const Mat& M, const Vec& cover) override;
  void enter(int entering) override;
  void exchange(int leaving, int entering) override;
  double perturbation(int i, int k) override;

  void find_runs();
  void add_columns(const Vec& x, Vec& y) const;
  double drift(int entering);
  void invert_again();
  void solve_kernel(const double* column);
  void border(int row, int entering, double step);
  void replace_column(int p, int entering, double step);
  void replace_row(int r, int row);
  void shrink(int p, int r);
  void add_dyad(const double* v, double pivot);
  const double* row_of_H(int i);
  void reserve(int order);
  double* H(int p) { return H_.data() + static_cast<std::size_t>(p) * stride_; }
  const double* H(int p) const { return H_.data() + static_cast<std::size_t>(p) * stride_; }
  const double* column_of(int variable) const {
    return variable == 2 * n_
               ? d_.data()
               : M_.data() + static_cast<std::size_t>(variable - n_) * static_cast<std::size_t>(n_);
  }

  // x_p is variable_[p]; row N_p is rows_[p], and row rows_[p] of the ratio test holds x_p.
  int m_ = 0;
  std::size_t stride_ = 0;
  std::vector<double> H_;  // row p: x_p, column r: w of rows_[r]
  std::vector<double> M_;  // scaled, column-major
  std::vector<int> variable_, rows_;
  std::vector<int> position_;  // of row i in rows_, or −1 where w_i is basic
  Vec d_, q_, x_, dx_, b_;
  struct Run {
    int begin, size;
  };
  std::vector<Run> runs_;                   // nonzeros of each column of M as runs
  std::vector<std::size_t> first_run_;      // of each column
  std::vector<std::vector<double>> cache_;  // rows [M_iα dᵢ] H computed for the current pivot
  std::vector<int> cached_;                 // the i of each
};

}  // namespace touchstone

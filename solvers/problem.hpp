#pragma once

/// The problem classes that formulations hand to solvers.
///
/// Everything is a mixed complementarity problem in the end: find z with l ≤ z ≤ u ⊥ F(z), that is
///     zᵢ = lᵢ ⇒ Fᵢ ≥ 0,   lᵢ < zᵢ < uᵢ ⇒ Fᵢ = 0,   zᵢ = uᵢ ⇒ Fᵢ ≤ 0;
/// the narrower classes keep the structure that their solvers live on.

#include <Eigen/Dense>
#include <Eigen/Sparse>
#include <memory>
#include <string>
#include <variant>

namespace touchstone {

using Vec = Eigen::VectorXd;
using Mat = Eigen::MatrixXd;
using SpMat = Eigen::SparseMatrix<double>;

/// A matrix that is dense or sparse; solvers that need one of the two ask for it.
class Matrix {
 public:
  Matrix() = default;
  Matrix(Mat dense) : storage_(std::move(dense)) {}      // NOLINT(google-explicit-constructor)
  Matrix(SpMat sparse) : storage_(std::move(sparse)) {}  // NOLINT(google-explicit-constructor)
  template <class Derived>  // any dense expression, such as W.transpose() * W
  Matrix(const Eigen::MatrixBase<Derived>& dense)  // NOLINT(google-explicit-constructor)
      : storage_(Mat(dense)) {}

  bool is_sparse() const { return std::holds_alternative<SpMat>(storage_); }
  Eigen::Index rows() const;
  Eigen::Index cols() const;
  /// y = A x, without allocating when y has the right size.
  void multiply(const Vec& x, Vec& y) const;
  /// y = Aᵀ x
  void multiply_transposed(const Vec& x, Vec& y) const;
  /// y ← y + |A||x|, and y ← y + |Aᵀ||x|: the size of the terms of a product.
  void add_term_size(const Vec& x, Vec& y) const;
  void add_term_size_transposed(const Vec& x, Vec& y) const;
  bool all_finite() const;

  /// The dense matrix itself; std::logic_error when it is sparse.
  const Mat& dense() const;
  Mat& dense();
  const SpMat& sparse() const;
  SpMat& sparse();
  Mat to_dense() const;
  SpMat to_sparse() const;

 private:
  std::variant<Mat, SpMat> storage_;
};

/// Turns rows of unlike units into velocities [m/s], so that answers of unlike formulations can be
/// compared: the physical residual is the natural residual of (z_scale∘z, F_scale∘F). A normal row
/// has z in N·s and F in m/s: z_scale = effective inverse mass, F_scale = 1; a slip row has σ in
/// m/s and F in N·s, the other way round. Empty: the problem has no physical reading.
struct VelocityScale {
  Vec z, F;
};

/// 0 ≤ z ⊥ Mz + q ≥ 0
struct Lcp {
  Matrix M;
  Vec q;
  VelocityScale scale{};
};

/// l ≤ z ≤ u ⊥ Mz + q; l = −∞ and u = ∞ make the row an equation.
struct Mlcp {
  Matrix M;
  Vec q, l, u;
  VelocityScale scale{};
};

/// F and its Jacobian, for the nonlinear problem.
class McpFunction {
 public:
  virtual ~McpFunction() = default;
  virtual void evaluate(const Vec& z, Vec& F) const = 0;
  virtual void jacobian(const Vec& z, SpMat& J) const = 0;
};

/// l ≤ z ≤ u ⊥ F(z)
struct Mcp {
  std::shared_ptr<const McpFunction> function;
  Vec l, u;
  VelocityScale scale{};
};

/// min ½xᵀPx + cᵀx subject to l ≤ Ax ≤ u, P symmetric positive semidefinite. The answer is
/// z = (x, y) with multipliers y: Px + c + Aᵀy = 0, yᵢ ≤ 0 at l, yᵢ ≥ 0 at u.
struct Qp {
  Matrix P;
  Vec c;
  Matrix A;
  Vec l, u;
};

/// Exact Coulomb cone, the class of FCLIB. Unknown r per contact in the order (normal, tangents),
/// `dim` entries each (2 or 3), u = Wr + q:
///     K* ∋ u + μ‖u_t‖n ⊥ r ∈ K,   K = {r : ‖r_t‖ ≤ μ r_n}   (de Saxcé).
struct FrictionContact {
  int dim = 3;
  Matrix W;
  Vec q;
  Vec mu;
};

using Problem = std::variant<Lcp, Mlcp, Mcp, Qp, FrictionContact>;

/// "lcp", "mlcp", "mcp", "qp", "friction-contact"
std::string problem_class(const Problem& problem);

/// Number of unknowns in z.
Eigen::Index unknowns(const Problem& problem);

/// Throws InputError naming the cause: sizes that do not fit, NaN or infinite data, l > u, μ < 0,
/// a P that is not symmetric.
void validate(const Problem& problem);

/// What `validate` would say, or nothing for a sound problem. One pass over the data and no
/// allocation for a sound dense problem, so that every solve can afford it.
std::string defect(const Problem& problem);

}  // namespace touchstone

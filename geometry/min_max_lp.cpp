#include "geometry/min_max_lp.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

#include "geometry/gjk.hpp"

namespace touchstone {

namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();

/// The solver with n + 1 = K.
template <int K>
class DualSimplex {
  static constexpr int N = K - 1;
  using Matrix = Eigen::Matrix<double, K, K>;
  using Vector = Eigen::Matrix<double, K, 1>;

 public:
  explicit DualSimplex(std::span<const LpBlock> blocks) : blocks_(blocks) {}

  /// False when the basis is singular or a multiplier is below −`slack`.
  bool begin(const LpBasis& basis, double slack) {
    for (int i = 0; i < K; ++i) {
      const LpRow& r = basis[i];
      if (r.block < 0 || r.block >= static_cast<int>(blocks_.size()) || r.row < 0 ||
          r.row >= blocks_[r.block].rows->cols())
        return false;
      put(i, r);
    }
    if (!factor()) return false;
    if (lambda_.minCoeff() < -slack) return false;
    lambda_ = lambda_.cwiseMax(0.0);
    return true;
  }

  MinMax solve() {
    MinMax out;
    int stalled = 0;
    for (;;) {
      const Violation worst = most_violated(stalled > 2 * K);
      out.violation = std::max(0.0, worst.amount);
      if (worst.amount <= worst.tolerance || in_basis(worst.row) || out.pivots >= limit()) break;
      const double before = z_[N];
      if (!exchange(worst.row, stalled > 2 * K)) break;
      ++out.pivots;
      stalled = z_[N] > before + 4.0 * eps * std::abs(before) ? 0 : stalled + 1;
    }
    out.x.template head<N>() = z_.template head<N>();
    out.t = z_[N];
    for (int i = 0; i < K; ++i) {
      out.basis[i] = basis_[i];
      out.multipliers[i] = lambda_[i];
    }
    return out;
  }

 private:
  struct Violation {
    LpRow row;
    double amount = -std::numeric_limits<double>::infinity(), tolerance = 0.0;
  };

  double offset(const LpRow& r) const {
    const LpBlock& b = blocks_[r.block];
    return b.offsets ? (*b.offsets)[r.row] : 0.0;
  }

  /// (g, −1)·(x, t) ≤ e + g·o
  std::pair<Vector, double> equation(const LpRow& r) const {
    const LpBlock& b = blocks_[r.block];
    const Vec3 g = b.frame.R * b.rows->col(r.row);
    Vector row;
    row.template head<N>() = g.template head<N>();
    row[N] = -1.0;
    return {row, offset(r) + g.dot(b.frame.x)};
  }

  void put(int i, const LpRow& r) {
    basis_[i] = r;
    const auto [row, rhs] = equation(r);
    B_.row(i) = row.transpose();
    rhs_[i] = rhs;
  }

  bool factor() {
    lu_.compute(B_);
    Vector unit = Vector::Zero();
    unit[N] = -1.0;
    lambda_ = lu_.transpose().solve(unit);
    z_ = lu_.solve(rhs_);
    return lambda_.allFinite() && z_.allFinite();
  }

  /// Bland's rule takes the first violated row instead of the most violated one.
  Violation most_violated(bool bland) const {
    Violation worst;
    Vec3 x = Vec3::Zero();
    x.template head<N>() = z_.template head<N>();
    for (int b = 0; b < static_cast<int>(blocks_.size()); ++b) {
      const LpBlock& block = blocks_[b];
      const Vec3 y = block.frame.to_body(x);
      const double* a = block.rows->data();
      const int count = static_cast<int>(block.rows->cols());
      for (int k = 0; k < count; ++k, a += 3) {
        double v = a[0] * y[0] + a[1] * y[1] + a[2] * y[2] - z_[N];
        if (block.offsets) v -= (*block.offsets)[k];
        if (v <= worst.amount) continue;
        const double size = std::abs(a[0] * y[0]) + std::abs(a[1] * y[1]) + std::abs(a[2] * y[2]);
        worst = {{b, k}, v, 16.0 * eps * (size + std::abs(z_[N]))};
        if (bland && v > worst.tolerance && !in_basis(worst.row)) return worst;
      }
    }
    return worst;
  }

  bool in_basis(const LpRow& r) const {
    return std::find(basis_.begin(), basis_.begin() + K, r) != basis_.begin() + K;
  }

  /// The entering row is Σ w_i (row i): λ_i − θ w_i ≥ 0 must hold, with Σ w = 1.
  bool exchange(const LpRow& entering, bool bland) {
    const Vector w = lu_.transpose().solve(equation(entering).first);
    const double small = 1e-12 * w.cwiseAbs().maxCoeff();
    int leaving = -1;
    double least = std::numeric_limits<double>::infinity();
    for (int i = 0; i < K; ++i) {
      if (w[i] <= small) continue;
      const double ratio = lambda_[i] / w[i];
      const bool tie = leaving >= 0 && std::abs(ratio - least) <= 4.0 * eps;
      const bool preferred =
          tie ? (bland ? basis_[i] < basis_[leaving] : w[i] > w[leaving]) : ratio < least;
      if (!preferred) continue;
      leaving = i;
      least = ratio;
    }
    if (leaving < 0) return false;
    const LpRow old = basis_[leaving];
    put(leaving, entering);
    if (factor()) {
      lambda_ = lambda_.cwiseMax(0.0);
      return true;
    }
    put(leaving, old);
    factor();
    return false;
  }

  int limit() const {
    int rows = 0;
    for (const LpBlock& b : blocks_) rows += static_cast<int>(b.rows->cols());
    return 100 + 10 * rows;
  }

  std::span<const LpBlock> blocks_;
  std::array<LpRow, 4> basis_{};
  Matrix B_;
  Vector rhs_, lambda_, z_;  // z = (x, t)
  Eigen::PartialPivLU<Matrix> lu_;
};

template <int K>
MinMax run(std::span<const LpBlock> blocks, const LpBasis& start, const LpBasis& safe) {
  DualSimplex<K> simplex(blocks);
  // The multipliers of the safe basis are ≥ 0 but for roundoff, which a thin simplex magnifies.
  if (!simplex.begin(start, 1e-14) && !simplex.begin(safe, 1e-7))
    throw std::logic_error("min_max_lp: the safe basis has no nonnegative multipliers");
  return simplex.solve();
}

}  // namespace

MinMax min_max_lp(int dim, std::span<const LpBlock> blocks, const LpBasis& start,
                  const LpBasis& safe) {
  return dim == 2 ? run<3>(blocks, start, safe) : run<4>(blocks, start, safe);
}

LpBasis surrounding_rows(int dim, const Eigen::Matrix3Xd& rows, int block) {
  const char* unbounded = "polyhedron: the facet normals do not surround the origin: unbounded";
  const int count = static_cast<int>(rows.cols());
  if (count < dim + 1) throw std::invalid_argument(unbounded);
  const double scale = rows.colwise().norm().maxCoeff();
  const auto farthest = [&](const Vec3& d) {
    Eigen::Index best = 0;
    (rows.transpose() * d).maxCoeff(&best);
    return SupportVertex{rows.col(best), best};
  };
  const GjkResult hull = gjk(farthest, rows.col(0), scale);
  if (hull.point.norm() > 1e-12 * scale) throw std::invalid_argument(unbounded);
  // Rows with λ = 0 complete the basis: those most independent of the ones already there.
  Eigen::Matrix4Xd rest(4, count);
  rest << rows, Eigen::RowVectorXd::Constant(count, scale);
  rest.colwise().normalize();
  LpBasis basis{};
  for (int i = 0; i < dim + 1; ++i) {
    Eigen::Index next = 0;
    if (i < hull.count)
      next = static_cast<Eigen::Index>(hull.id[i]);
    else
      rest.colwise().squaredNorm().maxCoeff(&next);
    const Eigen::Vector4d q = rest.col(next);
    if (q.norm() < 1e-9) throw std::invalid_argument(unbounded);
    basis[i] = {block, static_cast<int>(next)};
    rest -= (q / q.squaredNorm()) * (q.transpose() * rest).eval();
  }
  return basis;
}

}  // namespace touchstone

/// `principal-pivoting`: the symmetric principal pivoting method of Dantzig and Cottle, with
/// bounds, for l ≤ z ≤ u ⊥ w = Mz + q, M positive semidefinite or a P-matrix (symmetric or not).
/// (Cottle & Dantzig 1968; Keller 1973 for singular M; Cottle, Pang & Stone, section 4.2; with
/// bounds and for contact forces Baraff 1994.)
///
/// Every index i has one basic and one nonbasic variable of the pair (zᵢ, wᵢ); nonbasic zᵢ stand at
/// a bound, nonbasic wᵢ at 0. The tableau T (basic = T nonbasic + const) is a principal pivotal
/// transform of M, so Tᵢᵢ ≥ 0 for these M. A major cycle takes the pair r that violates its signs
/// most and drives its nonbasic variable until wᵣ = 0 or zᵣ reaches its other bound. On the way a
/// basic variable i of another pair may block:
///     Tᵢᵢ > 0: pivot on (i, i), and drive on;
///     Tᵢᵢ = 0: then Tᵢᵣ = −Tᵣᵢ ≠ 0; pivot on the block {i, r} and drive the complement (Keller).
/// A pair that is violated itself may not grow worse than λ (CPS): it blocks there. When nothing
/// blocks, row r of T holds a vector that proves that there is no solution; it is checked in the
/// original data before `infeasible` is claimed. A negative Tᵢᵢ shows that M is neither positive
/// semidefinite nor a P-matrix: `not_applicable`.
///
/// The data are scaled symmetrically by powers of two. The values of the final basis are computed
/// again from the original data; where they violate signs, the tableau is rebuilt from them and
/// the cycles go on (noted). Free rows are pairs whose z never blocks. M is taken as dense.
///
/// Settings: max_iterations.

#include <fmt/format.h>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "solvers/own/convexity.hpp"
#include "solvers/solver.hpp"

namespace touchstone {

namespace {

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double zero_pivot = 1e-10;  // of the largest entry of a row or column of T [1]
constexpr double tie = 1e-12;         // relative difference of steps that count as equal
constexpr double round_off = 1e-14;   // violation relative to the terms of a row that is none
constexpr int patience = 2;           // × (n + 1) steps of one drive before round-off is suspected
constexpr int max_rebuilds = 4;

class PrincipalPivoting {
 public:
  enum class End { solution, ray, not_convex, iteration_limit };

  void start(const Mat& M, const Vec& q, const Vec& l, const Vec& u) {
    symmetric_scale(M, d_);
    M_ = d_.asDiagonal() * M * d_.asDiagonal();
    q_ = d_.cwiseProduct(q);
    l_ = l.cwiseQuotient(d_);
    u_ = u.cwiseQuotient(d_);
    const Eigen::Index n = q.size();
    T_ = M_;
    z_.resize(n);
    basic_.assign(static_cast<std::size_t>(n), false);
    excused_.assign(static_cast<std::size_t>(n), false);
    for (Eigen::Index i = 0; i < n; ++i) z_[i] = l_[i] > -inf ? l_[i] : u_[i] < inf ? u_[i] : 0.0;
    w_ = M_ * z_ + q_;
    iterations_ = 0;
  }

  /// Major cycles until no pair violates its signs by more than round-off, or by `allowed` (in the
  /// units of the problem) where driving it further finds no block or no end.
  End run(int max_iterations, double allowed) {
    lambda_ = 0.0;
    for (Eigen::Index i = 0; i < z_.size(); ++i) lambda_ = std::max(lambda_, violation(i));
    lambda_ = 2.0 * lambda_ + 1.0;
    while (true) {
      const Eigen::Index r = most_violated();
      if (r < 0) return End::solution;
      for (Eigen::Index steps = 0; violated(r); ++steps) {
        if (iterations_++ >= max_iterations) return End::iteration_limit;
        const End end = advance(r);
        if (end == End::solution && steps < patience * (z_.size() + 1)) continue;
        if (violation(r) / d_[r] <= allowed) {
          excused_[r] = true;
          break;
        }
        if (end != End::solution) return end;
      }
    }
  }

  /// z of the basis from the original data, in the units of the problem; false when M_CC is
  /// singular, and z is then what the tableau says.
  bool rebuild() {
    const Eigen::Index n = z_.size();
    C_.clear(), N_.clear();
    for (Eigen::Index i = 0; i < n; ++i) (basic_[i] ? C_ : N_).push_back(i);
    std::ranges::fill(excused_, false);
    T_ = M_;
    if (!C_.empty()) {
      const Mat A = M_(C_, C_);
      lu_.compute(A);
      const Mat inverse = lu_.inverse();
      if (!inverse.allFinite()) return false;
      const Vec b = Vec(w_(C_)) - Vec(q_(C_)) - M_(C_, N_) * Vec(z_(N_));
      Vec x = lu_.solve(b);
      x += lu_.solve(b - A * x);
      if (!x.allFinite()) return false;
      z_(C_) = x;
      T_(C_, C_) = inverse;
      T_(N_, C_) = M_(N_, C_) * inverse;
      T_(C_, N_) = -inverse * M_(C_, N_);
      T_(N_, N_) = M_(N_, N_) - M_(N_, C_) * inverse * M_(C_, N_);
    }
    w_ = M_ * z_ + q_;
    return true;
  }

  bool any_violated() const { return most_violated() >= 0; }
  int iterations() const { return iterations_; }
  Vec z(const Vec& l, const Vec& u) const { return d_.cwiseProduct(z_).cwiseMax(l).cwiseMin(u); }

  /// After End::ray (which only a driven zᵣ can find: a driven wᵣ ends at 0): v with vᵀ(Mz + q) = Σ
  /// T_ri zᵢ + const over the nonbasic zᵢ.
  Vec certificate() const {
    Vec v = Vec::Zero(z_.size());
    const double sign = w_[ray_] < 0.0 ? 1.0 : -1.0;
    for (Eigen::Index i = 0; i < v.size(); ++i)
      if (i == ray_)
        v[i] = sign * d_[i];
      else if (basic_[i] && std::abs(T_(ray_, i)) > 1e-11)
        v[i] = -sign * T_(ray_, i) * d_[i];
    return v;
  }

 private:
  bool fixed(Eigen::Index i) const { return l_[i] == u_[i]; }
  bool free(Eigen::Index i) const { return l_[i] == -inf && u_[i] == inf; }

  /// How far wᵢ has a sign that zᵢ does not allow; a boxed zᵢ at l asks wᵢ ≥ 0, at u wᵢ ≤ 0.
  double violation(Eigen::Index i) const {
    if (fixed(i)) return 0.0;
    if (!basic_[i] && z_[i] <= l_[i]) return std::max(0.0, -w_[i]);
    if (!basic_[i] && z_[i] >= u_[i]) return std::max(0.0, w_[i]);
    return std::abs(w_[i]);  // on its way between the bounds, or free
  }

  bool violated(Eigen::Index i) const {
    if (excused_[i]) return false;
    const double v = violation(i);
    if (v == 0.0) return false;
    double size = std::abs(q_[i]);
    for (Eigen::Index j = 0; j < z_.size(); ++j) size += std::abs(M_(i, j) * z_[j]);
    return v > round_off * size;
  }

  Eigen::Index most_violated() const {
    Eigen::Index r = -1;
    double most = 0.0;
    for (Eigen::Index i = 0; i < z_.size(); ++i)
      if (const double v = violation(i); v > most && violated(i)) most = v, r = i;
    return r;
  }

  /// The step at which basic variable i blocks when it moves with the given rate.
  double blocks_after(Eigen::Index i, double rate) const {
    if (basic_[i]) {
      const double room = rate > 0.0 ? u_[i] - z_[i] : z_[i] - l_[i];
      return std::max(0.0, room) / std::abs(rate);
    }
    if (fixed(i)) return inf;
    if (free(i) && !violated(i)) return 0.0;
    const bool at_l = free(i) ? w_[i] < 0.0 : z_[i] <= l_[i];
    const double signed_w = at_l ? w_[i] : -w_[i], signed_rate = at_l ? rate : -rate;
    if (signed_w < 0.0 && violated(i))  // may not grow worse than λ; may not jump over 0 if free
      return signed_rate < 0.0 ? std::max(0.0, signed_w + lambda_) / -signed_rate
             : free(i)         ? -signed_w / signed_rate
                               : inf;
    return signed_rate < 0.0 ? std::max(0.0, signed_w) / -signed_rate : inf;
  }

  /// One step of driving pair r: End::solution means that a step was made.
  End advance(Eigen::Index r) {
    const double s = w_[r] < 0.0 ? 1.0 : -1.0;  // zᵣ and wᵣ both move this way
    const double column = T_.col(r).cwiseAbs().maxCoeff();
    const double diagonal = std::abs(T_(r, r)) <= zero_pivot * column ? 0.0 : T_(r, r);
    if (diagonal < 0.0) return End::not_convex;

    // What ends the drive: wᵣ = 0, or zᵣ at its other bound.
    const double room = s > 0.0 ? u_[r] - z_[r] : z_[r] - l_[r];
    const double to_zero = basic_[r]        ? std::abs(w_[r])
                           : diagonal > 0.0 ? std::abs(w_[r]) / diagonal
                                            : inf;
    const double to_bound = !basic_[r] ? room : diagonal > 0.0 ? room / diagonal : inf;
    const double own = std::min(to_zero, to_bound);

    Eigen::Index blocking = -1;
    double step = own;
    for (Eigen::Index i = 0; i < z_.size(); ++i) {
      const double rate = s * T_(i, r);
      if (i == r || std::abs(rate) <= zero_pivot * column) continue;
      const double t = blocks_after(i, rate);
      if (t == inf || t > step * (1.0 + tie)) continue;
      // Among ties the own end comes first, then the largest diagonal.
      const bool tied = t >= step * (1.0 - tie);
      if (tied && (blocking < 0 || T_(i, i) <= T_(blocking, blocking))) continue;
      blocking = i;
      step = std::min(step, t);
    }
    if (step == inf) {
      ray_ = r;
      return End::ray;
    }
    move(r, s * step);
    if (blocking >= 0) return block(blocking, r);
    finish(r, to_zero <= to_bound, s);
    return End::solution;
  }

  void move(Eigen::Index r, double amount) {
    for (Eigen::Index i = 0; i < z_.size(); ++i) (basic_[i] ? z_[i] : w_[i]) += amount * T_(i, r);
    (basic_[r] ? w_[r] : z_[r]) += amount;
  }

  void finish(Eigen::Index r, bool at_zero, double s) {
    if (at_zero) {
      w_[r] = 0.0;
      if (!basic_[r]) pivot(r);
    } else {
      z_[r] = s > 0.0 ? u_[r] : l_[r];
      if (basic_[r]) pivot(r);
    }
  }

  End block(Eigen::Index i, Eigen::Index r) {
    if (basic_[i])
      z_[i] = std::abs(z_[i] - l_[i]) <= std::abs(u_[i] - z_[i]) ? l_[i] : u_[i];
    else if (std::abs(w_[i]) < 0.5 * lambda_)
      w_[i] = 0.0;
    const double size = T_.row(i).cwiseAbs().maxCoeff();
    if (T_(i, i) > zero_pivot * size) {
      pivot(i);
    } else if (T_(i, i) < -zero_pivot * size) {
      return End::not_convex;
    } else {
      exchange(i, r);
    }
    return End::solution;
  }

  /// Principal pivot on (k, k): the basic and the nonbasic variable of pair k change places.
  void pivot(Eigen::Index k) {
    const double inverse = 1.0 / T_(k, k);
    column_ = T_.col(k);
    row_ = T_.row(k) * inverse;
    column_[k] = 0.0;
    T_.noalias() -= column_ * row_;
    T_.row(k) = -row_;
    T_.col(k) = column_ * inverse;
    T_(k, k) = inverse;
    basic_[k] = !basic_[k];
  }

  /// Principal pivot on the block {i, r}.
  void exchange(Eigen::Index i, Eigen::Index r) {
    Eigen::Matrix2d B;
    B << T_(i, i), T_(i, r), T_(r, i), T_(r, r);
    const Eigen::Matrix2d inverse = B.inverse();
    columns_.resize(T_.rows(), 2);
    rows_.resize(2, T_.cols());
    columns_ << T_.col(i), T_.col(r);
    rows_ << T_.row(i), T_.row(r);
    columns_.row(i).setZero();
    columns_.row(r).setZero();
    rows_ = (inverse * rows_).eval();
    T_.noalias() -= columns_ * rows_;
    T_.row(i) = -rows_.row(0);
    T_.row(r) = -rows_.row(1);
    columns_ = (columns_ * inverse).eval();
    T_.col(i) = columns_.col(0);
    T_.col(r) = columns_.col(1);
    T_(i, i) = inverse(0, 0), T_(i, r) = inverse(0, 1);
    T_(r, i) = inverse(1, 0), T_(r, r) = inverse(1, 1);
    basic_[i] = !basic_[i];
    basic_[r] = !basic_[r];
  }

  Mat M_, T_;
  Vec q_, l_, u_, d_, z_, w_;
  Vec column_;
  Eigen::RowVectorXd row_;
  Eigen::Matrix<double, Eigen::Dynamic, 2> columns_;
  Eigen::Matrix<double, 2, Eigen::Dynamic> rows_;
  Eigen::PartialPivLU<Mat> lu_;
  std::vector<Eigen::Index> C_, N_;
  std::vector<char> basic_;    // zᵢ is basic and wᵢ nonbasic
  std::vector<char> excused_;  // violated by no more than the tolerance, and not to be mended
  Eigen::Index ray_ = 0;
  double lambda_ = 0.0;
  int iterations_ = 0;
};

class PrincipalPivotingSolver final : public Solver {
 public:
  explicit PrincipalPivotingSolver(const Parameters& settings)
      : max_iterations_(static_cast<int>(settings.integer("max_iterations"))) {}

  bool accepts(const Problem& problem) const override {
    return std::holds_alternative<Lcp>(problem) || std::holds_alternative<Mlcp>(problem);
  }

 private:
  using End = PrincipalPivoting::End;

  Claim run(const Problem& problem, const Vec&, Tolerance tolerance) override {
    if (const Mlcp* mlcp = std::get_if<Mlcp>(&problem)) {
      M_ = mlcp->M.to_dense(), q_ = mlcp->q, l_ = mlcp->l, u_ = mlcp->u;
    } else {
      const Lcp& lcp = std::get<Lcp>(problem);
      M_ = lcp.M.to_dense(), q_ = lcp.q;
      l_.setZero(q_.size());
      u_.setConstant(q_.size(), inf);
    }
    Claim claim;
    const double bound = tolerance.bound(problem);
    method_.start(M_, q_, l_, u_);
    End end = method_.run(max_iterations_, 0.5 * bound);
    claim.z = method_.z(l_, u_);
    for (int rebuilds = 0; end == End::solution; ++rebuilds) {
      const double before = residual(problem, claim.z).natural;
      if (!method_.rebuild()) break;
      const Vec rebuilt = method_.z(l_, u_);
      const double after = residual(problem, rebuilt).natural;
      if (after <= before || after <= bound) claim.z = rebuilt;
      if (std::min(before, after) <= bound || rebuilds == max_rebuilds) break;
      claim.notes.push_back(fmt::format("rebuilt the tableau at residual {:.3g}", after));
      end = method_.run(max_iterations_, 0.5 * bound);
      if (end == End::solution) claim.z = method_.z(l_, u_);
    }
    claim.iterations = method_.iterations();
    explain(end, claim);
    return claim;
  }

  void explain(End end, Claim& claim) const {
    if (end == End::solution) return;  // the referee judges
    claim.status = end == End::iteration_limit ? Status::iteration_limit : Status::inaccurate;
    if (end == End::ray && proves_infeasible(M_, q_, l_, u_, method_.certificate())) {
      claim.status = Status::infeasible;
      claim.notes.emplace_back("no solution: a row of the tableau contradicts the signs of w");
    } else if (!is_positive_semidefinite(M_)) {
      claim.status = Status::not_applicable;
      claim.notes.emplace_back(
          end == End::not_convex
              ? "met a negative diagonal: M is neither positive semidefinite nor a P-matrix"
              : "found no solution, and M is not positive semidefinite");
    } else if (end == End::iteration_limit) {
      claim.notes.emplace_back("stopped by max_iterations");
    } else {
      claim.notes.emplace_back(
          "lost to round-off: M is positive semidefinite, yet a diagonal "
          "became negative or a ray proves nothing");
    }
  }

  int max_iterations_;
  PrincipalPivoting method_;
  Mat M_;
  Vec q_, l_, u_;
};

const Register<SolverEntry> principal_pivoting{{
    .name = "principal-pivoting",
    .summary = "Dantzig-Cottle principal pivoting with bounds, for positive semidefinite or P M",
    .cite = "Cottle, Dantzig 1968; Keller 1973; Baraff 1994",
    .parameters =
        {integer("max_iterations", 20000, "1", "steps of the driving variable").at_least(1)},
    .make =
        [](const Parameters& settings) {
          return std::make_unique<PrincipalPivotingSolver>(settings);
        },
}};

}  // namespace

}  // namespace touchstone

/// `interior-point`: a primal-dual interior-point method for monotone problems.
///
/// The problem is l ≤ z ≤ u ⊥ Mz + q with M + Mᵀ positive semidefinite: an Lcp, an Mlcp, or the
/// optimality conditions of a convex Qp (KktForm). With multipliers a, b ≥ 0 of the bounds,
///     Mz + q − a + b = 0,   (z − l) ∘ a = σμ,   (u − z) ∘ b = σμ,   l < z < u,               (1)
/// is followed to μ → 0 by Mehrotra's predictor and corrector (Mehrotra 1992; Wright, Primal-Dual
/// Interior-Point Methods, chapters 8 and 10), from a point that need not satisfy the first
/// equation; one step length for all, because M couples z and the multipliers. One dense LU of
/// M + diag(a/(z − l) + b/(u − z)) a step. Free variables get 1e-12 on this diagonal (scaled data),
/// so that the step exists where their block is singular; (1) itself is not changed.
///
/// The data are scaled symmetrically (symmetric_scale) and by the size of q. When μ is small the
/// active set is read off and z is computed from the original rows: LU, or the least change of z
/// where that is singular. This polish gives the accuracy; it is the method's own last step.
///
/// A problem that is not monotone is refused (`not_applicable`). Where the iterates grow, z/‖z‖
/// tends to a proof that there is no solution; it is checked before `infeasible` is claimed.
///
/// Settings: max_iterations.

#include <fmt/format.h>

#include <Eigen/LU>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "solvers/own/complementarity_maps.hpp"
#include "solvers/own/convexity.hpp"
#include "solvers/own/kkt_form.hpp"
#include "solvers/solver.hpp"

namespace touchstone {

namespace {

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double epsilon = std::numeric_limits<double>::epsilon();
constexpr double free_diagonal = 1e-12;  // see above [1]
constexpr double polish_below = 1e-7;    // μ of the scaled data from which a polish is tried
constexpr double to_boundary = 0.995;    // of the step to the boundary
constexpr double growth = 1e2;           // ‖z‖ of the scaled data from which a proof is tried
constexpr double smallest_step = 1e-9;   // three in a row end the path
constexpr double smallest_mu = 1e-22;    // scaled data

class InteriorPoint {
 public:
  enum class End { solution, infeasible, stalled, iteration_limit };

  /// z() holds the best point. No entry of l may equal that of u.
  End run(const Mat& M, const Vec& q, const Vec& l, const Vec& u, int max_iterations,
          double bound) {
    start(M, q, l, u);
    int short_steps = 0;
    for (iterations_ = 0;; ++iterations_) {
      w_ = M_ * z_ + q_;
      if (z_.cwiseAbs().maxCoeff() > growth && proved()) return End::infeasible;
      consider(original(z_));
      const double mu = complementarity();
      if (mu <= polish_below || best_ <= bound) polish();
      if (best_ <= bound) return End::solution;
      if (short_steps >= 3 || mu < smallest_mu) return End::stalled;
      if (iterations_ == max_iterations) return End::iteration_limit;
      const double step = advance(mu);
      if (!(step >= 0.0) || !z_.allFinite()) return End::stalled;
      short_steps = step < smallest_step ? short_steps + 1 : 0;
    }
  }

  const Vec& z() const { return answer_; }
  const Vec& proof() const { return proof_; }
  int iterations() const { return iterations_; }

 private:
  bool below(Eigen::Index i) const { return l_[i] > -inf; }
  bool above(Eigen::Index i) const { return u_[i] < inf; }
  Vec original(const Vec& z) const { return kappa_ * d_.cwiseProduct(z); }

  void start(const Mat& M, const Vec& q, const Vec& l, const Vec& u) {
    problem_ = {&M, &q, &l, &u};
    symmetric_scale(M, d_);
    M_ = d_.asDiagonal() * M * d_.asDiagonal();
    kappa_ = std::max(d_.cwiseProduct(q).cwiseAbs().maxCoeff(), 1e-300);
    q_ = d_.cwiseProduct(q) / kappa_;
    l_ = l.cwiseQuotient(d_) / kappa_;
    u_ = u.cwiseQuotient(d_) / kappa_;
    const Eigen::Index n = q.size();
    z_.setZero(n), a_.setZero(n), b_.setZero(n);
    for (Eigen::Index i = 0; i < n; ++i) {
      const double inward = std::min(1.0, 0.5 * (u_[i] - l_[i]));
      if (below(i))
        z_[i] = l_[i] + inward;
      else if (above(i))
        z_[i] = u_[i] - inward;
      a_[i] = below(i) ? 1.0 : 0.0;
      b_[i] = above(i) ? 1.0 : 0.0;
    }
    best_ = inf;
    answer_ = original(z_);
  }

  double complementarity() const {
    double sum = 0.0, count = 0.0;
    for (Eigen::Index i = 0; i < z_.size(); ++i) {
      if (below(i)) sum += (z_[i] - l_[i]) * a_[i], ++count;
      if (above(i)) sum += (u_[i] - z_[i]) * b_[i], ++count;
    }
    return count > 0.0 ? sum / count : 0.0;
  }

  /// One predictor and one corrector step; returns the step length.
  double advance(double mu) {
    const Eigen::Index n = z_.size();
    K_ = M_;
    for (Eigen::Index i = 0; i < n; ++i) {
      double theta = below(i) || above(i) ? 0.0 : free_diagonal;
      if (below(i)) theta += a_[i] / (z_[i] - l_[i]);
      if (above(i)) theta += b_[i] / (u_[i] - z_[i]);
      K_(i, i) += theta;
    }
    lu_.compute(K_);
    correction_a_.setZero(n), correction_b_.setZero(n);
    direction(0.0);
    const double affine = step_to_boundary();
    double sigma = 0.0;
    if (mu > 0.0) {
      const double ratio = complementarity_after(affine) / mu;
      sigma = std::min(1.0, ratio * ratio * ratio);
    }
    correction_a_ = dz_.cwiseProduct(da_);
    correction_b_ = -dz_.cwiseProduct(db_);
    direction(sigma * mu);
    const double step = std::min(1.0, to_boundary * step_to_boundary());
    z_ += step * dz_, a_ += step * da_, b_ += step * db_;
    return step;
  }

  /// Newton's step for (1) with the second-order terms in the corrections.
  void direction(double target) {
    const Eigen::Index n = z_.size();
    da_.setZero(n), db_.setZero(n);
    for (Eigen::Index i = 0; i < n; ++i) {
      if (below(i)) da_[i] = (target - correction_a_[i]) / (z_[i] - l_[i]) - a_[i];
      if (above(i)) db_[i] = (target - correction_b_[i]) / (u_[i] - z_[i]) - b_[i];
    }
    rhs_ = -(w_ - a_ + b_) + da_ - db_;
    dz_ = lu_.solve(rhs_);
    dz_ += lu_.solve(rhs_ - K_ * dz_);
    for (Eigen::Index i = 0; i < n; ++i) {
      if (below(i)) da_[i] -= a_[i] / (z_[i] - l_[i]) * dz_[i];
      if (above(i)) db_[i] += b_[i] / (u_[i] - z_[i]) * dz_[i];
    }
  }

  double step_to_boundary() const {
    double step = 1.0 / to_boundary;
    const auto limit = [&](double value, double change) {
      if (change < 0.0) step = std::min(step, -value / change);
    };
    for (Eigen::Index i = 0; i < z_.size(); ++i) {
      if (below(i)) limit(z_[i] - l_[i], dz_[i]), limit(a_[i], da_[i]);
      if (above(i)) limit(u_[i] - z_[i], -dz_[i]), limit(b_[i], db_[i]);
    }
    return step;
  }

  double complementarity_after(double step) const {
    double sum = 0.0, count = 0.0;
    const double t = std::min(step, 1.0);
    for (Eigen::Index i = 0; i < z_.size(); ++i) {
      if (below(i)) sum += (z_[i] + t * dz_[i] - l_[i]) * (a_[i] + t * da_[i]), ++count;
      if (above(i)) sum += (u_[i] - z_[i] - t * dz_[i]) * (b_[i] + t * db_[i]), ++count;
    }
    return sum / count;
  }

  /// Keeps z, in the units of the problem and clamped, when its natural residual is the smallest.
  void consider(Vec z) {
    const auto& [M, q, l, u] = problem_;
    z = z.cwiseMax(*l).cwiseMin(*u);
    rhs_ = *M * z + *q;
    double largest = 0.0;
    for (Eigen::Index i = 0; i < z.size(); ++i) {
      const double x = std::abs(natural_row(z[i], rhs_[i], (*l)[i], (*u)[i]).value);
      if (!(x <= largest)) largest = std::isnan(x) ? inf : x;
    }
    // A z so large that the round-off of Mz hides every violation is no answer.
    largest += epsilon * (M->cwiseAbs() * z.cwiseAbs()).maxCoeff();
    if (!(largest < best_)) return;
    best_ = largest;
    answer_.swap(z);
  }

  /// z from its active set: bounded variables nearer to 0 than their multiplier stand at the bound,
  /// the rows of the others are equations.
  void polish() {
    active_.clear();
    Vec z = z_;
    for (Eigen::Index i = 0; i < z.size(); ++i) {
      if (below(i) && z_[i] - l_[i] < a_[i])
        z[i] = l_[i];
      else if (above(i) && u_[i] - z_[i] < b_[i])
        z[i] = u_[i];
      else
        active_.push_back(i);
    }
    if (active_.empty()) return consider(original(z));
    const Mat A = M_(active_, active_);
    const auto refine = [&](const auto& factors) {
      Vec x = z;
      for (int k = 0; k < 3; ++k) {
        const Vec w = M_ * x + q_;
        x(active_) -= factors.solve(Vec(w(active_)));
      }
      if (x.allFinite()) consider(original(x));
    };
    const double before = best_;
    refine(Eigen::PartialPivLU<Mat>(A));
    if (best_ > 1e-3 * before) refine(Eigen::CompleteOrthogonalDecomposition<Mat>(A));
  }

  bool proved() {
    const auto& [M, q, l, u] = problem_;
    const double size = z_.cwiseAbs().maxCoeff();
    for (const double cut : {0.0, 1e-9, 1e-7, 1e-5, 1e-3}) {
      proof_ = (z_.cwiseAbs().array() > cut * size).select(z_, 0.0).matrix() / size;
      proof_ = d_.cwiseProduct(proof_);
      if (proves_infeasible(*M, *q, *l, *u, proof_)) return true;
    }
    return false;
  }

  struct Data {
    const Mat* M = nullptr;
    const Vec *q = nullptr, *l = nullptr, *u = nullptr;
  };
  Data problem_;
  Mat M_, K_;
  Vec d_, q_, l_, u_, z_, a_, b_, w_, dz_, da_, db_, rhs_, correction_a_, correction_b_;
  Vec answer_, proof_;
  Eigen::PartialPivLU<Mat> lu_;
  std::vector<Eigen::Index> active_;
  double kappa_ = 1.0, best_ = inf;
  int iterations_ = 0;
};

class InteriorPointSolver final : public Solver {
 public:
  explicit InteriorPointSolver(const Parameters& settings)
      : max_iterations_(static_cast<int>(settings.integer("max_iterations"))) {}

  bool accepts(const Problem& problem) const override {
    return std::holds_alternative<Lcp>(problem) || std::holds_alternative<Mlcp>(problem) ||
           std::holds_alternative<Qp>(problem);
  }

 private:
  using End = InteriorPoint::End;

  Claim run(const Problem& problem, const Vec&, Tolerance tolerance) override {
    const double bound = tolerance.bound(problem);
    if (const Mlcp* mlcp = std::get_if<Mlcp>(&problem)) return solve(*mlcp, bound);
    if (const Lcp* lcp = std::get_if<Lcp>(&problem)) {
      const Eigen::Index n = lcp->q.size();
      return solve({lcp->M, lcp->q, Vec::Zero(n), Vec::Constant(n, inf)}, bound);
    }
    Claim claim = solve(form_.reduce(std::get<Qp>(problem)), bound);
    const Eigen::Index n = std::get<Qp>(problem).c.size();
    if (claim.status == Status::infeasible) {
      const Vec& v = method_.proof();
      const bool unbounded = std::get<Qp>(problem).c.dot(v.head(n)) < 0.0;
      claim.notes.emplace_back(unbounded ? "the QP is unbounded below"
                                         : "the QP has no feasible point");
    }
    claim.z = form_.expand(claim.z);
    return claim;
  }

  Claim solve(const Mlcp& problem, double bound) {
    Claim claim;
    claim.z = problem.l.cwiseMax(problem.u.cwiseMin(0.0));
    M_ = problem.M.to_dense();
    if (!is_positive_semidefinite(M_)) {
      claim.status = Status::not_applicable;
      claim.notes.emplace_back("not monotone: M + M^T (P of a QP) is not positive semidefinite");
      return claim;
    }
    moving_.clear();
    for (Eigen::Index i = 0; i < problem.q.size(); ++i)
      if (problem.l[i] < problem.u[i]) moving_.push_back(i);
    if (moving_.empty()) return claim;
    Vec fixed = claim.z;
    fixed(moving_).setZero();
    q_ = Vec(problem.q + M_ * fixed)(moving_);
    M_ = Mat(M_(moving_, moving_));
    l_ = problem.l(moving_);
    u_ = problem.u(moving_);
    const End end = method_.run(M_, q_, l_, u_, max_iterations_, 0.5 * bound);
    claim.iterations = method_.iterations();
    claim.z(moving_) = method_.z();
    claim.status = end == End::infeasible        ? Status::infeasible
                   : end == End::iteration_limit ? Status::iteration_limit
                   : end == End::stalled         ? Status::inaccurate
                                                 : Status::solved;
    if (end == End::infeasible)
      claim.notes.emplace_back("no solution: the direction of the iterates contradicts the signs");
    if (end == End::stalled) claim.notes.emplace_back("the path ended before the tolerance");
    return claim;
  }

  int max_iterations_;
  InteriorPoint method_;
  KktForm form_;
  Mat M_;
  Vec q_, l_, u_;
  std::vector<Eigen::Index> moving_;
};

const Register<SolverEntry> interior_point{{
    .name = "interior-point",
    .summary = "Mehrotra's predictor-corrector for monotone LCPs and convex QPs, with a polish",
    .cite = "Mehrotra 1992; Wright 1997, chapters 8 and 10",
    .parameters = {integer("max_iterations", 100, "1", "steps of the path").at_least(1)},
    .make =
        [](const Parameters& settings) { return std::make_unique<InteriorPointSolver>(settings); },
}};

}  // namespace

}  // namespace touchstone

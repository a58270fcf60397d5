/// `active-set-qp`: the dual active-set method of Goldfarb and Idnani for small dense convex QPs,
///     min ½xᵀPx + cᵀx   subject to   l ≤ Ax ≤ u.
/// (Goldfarb & Idnani, Mathematical Programming 27, 1983.)
///
/// From the unconstrained minimum, the most violated constraint nᵀx ≥ β is made active, in steps
/// along the primal direction z and the dual direction r of the present active set N (columns n):
///     P = LLᵀ,  J = L⁻ᵀQ,  Jᵀ N = [R; 0],   d = Jᵀn,  z = J₂d₂,  r = R⁻¹d₁,                    (1)
///     t₁ = min u_j/r_j over r_j > 0 (a multiplier reaches 0: that constraint leaves),
///     t₂ = (β − nᵀx)/zᵀn (the constraint is met: it enters).                                 (2)
/// Neither: no point satisfies the constraints (`infeasible`). Equations come first and never
/// leave.
///
/// P may be singular: then the proximal method solves a sequence of definite problems,
///     x⁺ = argmin ½xᵀPx + cᵀx + ½δ‖x − xᵏ‖² subject to the constraints                        (3)
/// (Rockafellar 1976), in scaled variables, until x stays; its limit solves the original QP, and
/// the notes say so. Where x runs away along a direction with Pv = 0, cᵀv < 0 that stays feasible,
/// the QP is unbounded (`infeasible`: no solution). A P with a negative eigenvalue is refused. Rows
/// are scaled to norm 1. The answer is computed again from the original rows of the final active
/// set.
///
/// Settings: max_iterations, proximal (δ).

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "solvers/own/convexity.hpp"
#include "solvers/own/kkt_form.hpp"
#include "solvers/solver.hpp"

namespace touchstone {

namespace {

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double definite = 1e-9;    // smallest pivot of P with unit diagonal [1]
constexpr double dependent = 1e-11;  // |z| relative to |n| below which n depends on N
constexpr double feasible = 1e-13;   // violation of a scaled row relative to its terms
constexpr int max_proximal = 60;     // problems (3)

class DualActiveSet {
 public:
  enum class End { solution, infeasible, iteration_limit };

  /// nᵢᵀx ≥ βᵢ, the first `equations` with equality; the columns of N have norm near 1.
  End run(const Eigen::LLT<Mat>& P, const Vec& c, const Mat& N, const Vec& beta,
          Eigen::Index equations, int max_iterations) {
    const Eigen::Index n = c.size();
    x_ = -P.solve(c);
    J_ = P.matrixU().solve(Mat::Identity(n, n));
    R_.setZero(n, n);
    active_.clear();
    sign_.clear();
    u_.clear();
    steps_ = 0;
    for (Eigen::Index i = 0; i < equations; ++i)
      if (!enter(i, N, beta, equations, beta[i] < N.col(i).dot(x_) ? -1.0 : 1.0)) return failed_;
    while (true) {
      const Eigen::Index p = most_violated(N, beta, equations);
      if (p < 0) return End::solution;
      if (steps_ > max_iterations) return End::iteration_limit;
      if (!enter(p, N, beta, equations, 1.0)) return failed_;
    }
  }

  const Vec& x() const { return x_; }
  const std::vector<Eigen::Index>& active() const { return active_; }
  double multiplier(std::size_t k) const { return sign_[k] * u_[k]; }
  int steps() const { return steps_; }

 private:
  Eigen::Index most_violated(const Mat& N, const Vec& beta, Eigen::Index equations) const {
    Eigen::Index p = -1;
    double most = 0.0;
    for (Eigen::Index i = equations; i < beta.size(); ++i) {
      const double violation = beta[i] - N.col(i).dot(x_);
      if (violation <= most || violation <= slack(N, beta, i)) continue;
      if (std::ranges::find(active_, i) != active_.end()) continue;
      p = i, most = violation;
    }
    return p;
  }

  double slack(const Mat& N, const Vec& beta, Eigen::Index i) const {
    return feasible * (std::abs(beta[i]) + N.col(i).cwiseAbs().dot(x_.cwiseAbs()));
  }

  /// Steps (2) until constraint p, times its sign, is active; false when there is no such point.
  bool enter(Eigen::Index p, const Mat& N, const Vec& beta, Eigen::Index equations, double sign) {
    double multiplier = 0.0;
    for (int tries = 0; tries < 100 * static_cast<int>(beta.size() + 1); ++tries) {
      ++steps_;
      const Eigen::Index k = static_cast<Eigen::Index>(active_.size()), n = x_.size();
      d_ = J_.transpose() * (sign * N.col(p));
      z_ = J_.rightCols(n - k) * d_.tail(n - k);
      r_ = R_.topLeftCorner(k, k).triangularView<Eigen::Upper>().solve(d_.head(k));
      const bool moves = d_.tail(n - k).norm() > dependent * d_.norm();
      const double violation = sign * (beta[p] - N.col(p).dot(x_));
      if (!moves && violation <= slack(N, beta, p)) return true;  // depends on N and holds

      Eigen::Index leaving = -1;
      double t1 = inf;
      for (Eigen::Index j = 0; j < k; ++j)
        if (active_[j] >= equations && r_[j] > dependent * r_.cwiseAbs().maxCoeff() &&
            u_[j] / r_[j] < t1)
          t1 = u_[j] / r_[j], leaving = j;
      const double t2 = moves ? std::max(0.0, violation) / d_.tail(n - k).squaredNorm() : inf;
      const double t = std::min(t1, t2);
      if (t == inf) return failed_ = End::infeasible, false;

      if (moves) x_ += t * z_;
      for (Eigen::Index j = 0; j < k; ++j) u_[j] -= t * r_[j];
      multiplier += t;
      if (t2 <= t1) {
        append(p, sign, multiplier);
        return true;
      }
      remove(leaving);
    }
    return failed_ = End::iteration_limit, false;
  }

  /// Rotates d₂ to a multiple of the first axis: column k of R is then (d₁, ρ).
  void append(Eigen::Index p, double sign, double multiplier) {
    const Eigen::Index k = static_cast<Eigen::Index>(active_.size()), n = x_.size();
    for (Eigen::Index i = n - 1; i > k; --i) {
      Eigen::JacobiRotation<double> G;
      double length = 0.0;
      G.makeGivens(d_[i - 1], d_[i], &length);
      d_[i - 1] = length, d_[i] = 0.0;
      J_.applyOnTheRight(i - 1, i, G);
    }
    R_.col(k).head(k + 1) = d_.head(k + 1);
    active_.push_back(p), sign_.push_back(sign), u_.push_back(multiplier);
  }

  void remove(Eigen::Index leaving) {
    const Eigen::Index k = static_cast<Eigen::Index>(active_.size());
    for (Eigen::Index j = leaving; j + 1 < k; ++j) R_.col(j).head(k) = R_.col(j + 1).head(k);
    R_.col(k - 1).setZero();
    for (Eigen::Index j = leaving; j + 1 < k; ++j) {
      Eigen::JacobiRotation<double> G;
      G.makeGivens(R_(j, j), R_(j + 1, j));
      R_.applyOnTheLeft(j, j + 1, G.adjoint());
      J_.applyOnTheRight(j, j + 1, G);
    }
    active_.erase(active_.begin() + leaving);
    sign_.erase(sign_.begin() + leaving);
    u_.erase(u_.begin() + leaving);
  }

  Vec x_, d_, z_, r_;
  Mat J_, R_;
  std::vector<Eigen::Index> active_;
  std::vector<double> sign_, u_;
  End failed_ = End::infeasible;
  int steps_ = 0;
};

class ActiveSetQp final : public Solver {
 public:
  explicit ActiveSetQp(const Parameters& settings)
      : max_iterations_(static_cast<int>(settings.integer("max_iterations"))),
        delta_(settings.real("proximal")) {}

  bool accepts(const Problem& problem) const override {
    return std::holds_alternative<Qp>(problem);
  }

 private:
  using End = DualActiveSet::End;

  Claim run(const Problem& problem, const Vec&, Tolerance tolerance) override {
    const Qp& qp = std::get<Qp>(problem);
    Claim claim;
    claim.z.setZero(qp.c.size() + qp.l.size());
    if (!is_positive_semidefinite(qp.P.to_dense())) {
      claim.status = Status::not_applicable;
      claim.notes.emplace_back("not convex: P is not positive semidefinite");
      return claim;
    }
    scale(qp);
    factor_.compute(P_);
    const bool singular =
        P_.rows() > 0 && (factor_.info() != Eigen::Success ||
                          factor_.matrixLLT().diagonal().minCoeff() < std::sqrt(definite));
    if (!singular) {
      const End end = method_.run(factor_, c_, N_, beta_, equations_, max_iterations_);
      claim.iterations = method_.steps();
      report(end, problem, claim);
      return claim;
    }
    proximal(problem, tolerance.bound(problem), claim);
    return claim;
  }

  /// Variables with unit diagonal of P, rows of norm 1, as columns of N: nᵀx ≥ β.
  void scale(const Qp& qp) {
    const Mat A = qp.A.to_dense(), P = qp.P.to_dense();
    symmetric_scale(P, d_);
    for (Eigen::Index j = 0; j < d_.size(); ++j)
      if (P(j, j) <= 0.0 && A.rows() > 0 && A.col(j).norm() > 0.0) d_[j] = 1.0 / A.col(j).norm();
    P_ = d_.asDiagonal() * P * d_.asDiagonal();
    c_ = d_.cwiseProduct(qp.c);
    row_.clear(), side_.clear();
    for (int pass = 0; pass < 2; ++pass)
      for (Eigen::Index i = 0; i < qp.l.size(); ++i) {
        const bool equation = qp.l[i] == qp.u[i];
        if (equation == (pass == 1)) continue;
        if (qp.l[i] > -inf) row_.push_back(i), side_.push_back(1.0);
        if (!equation && qp.u[i] < inf) row_.push_back(i), side_.push_back(-1.0);
      }
    equations_ =
        std::count_if(row_.begin(), row_.end(), [&](auto i) { return qp.l[i] == qp.u[i]; });
    N_.resize(c_.size(), static_cast<Eigen::Index>(row_.size()));
    beta_.resize(N_.cols());
    size_.resize(N_.cols());
    for (Eigen::Index k = 0; k < N_.cols(); ++k) {
      N_.col(k) = side_[k] * d_.cwiseProduct(A.row(row_[k]).transpose());
      size_[k] = N_.col(k).norm() > 0.0 ? N_.col(k).norm() : 1.0;
      N_.col(k) /= size_[k];
      beta_[k] = side_[k] * (side_[k] > 0.0 ? qp.l : qp.u)[row_[k]] / size_[k];
    }
  }

  void proximal(const Problem& problem, double bound, Claim& claim) {
    Mat shifted = P_;
    shifted.diagonal().array() += delta_;
    factor_.compute(shifted);
    Vec x = Vec::Zero(c_.size());
    double best = inf;
    int k = 0;
    for (; k < max_proximal; ++k) {
      const End end = method_.run(factor_, c_ - delta_ * x, N_, beta_, equations_, max_iterations_);
      claim.iterations += method_.steps();
      Claim step;
      report(end, problem, step);
      const double now = end == End::solution ? residual(problem, step.z).natural : inf;
      if (now < best || k == 0) {
        best = now;
        claim.z = step.z, claim.status = step.status;
      }
      if (end != End::solution || best <= bound) {
        claim.notes = step.notes;
        break;
      }
      const Vec run = method_.x() - x;
      x = method_.x();
      if (k > 0 && runs_away(std::get<Qp>(problem), d_.cwiseProduct(run))) {
        claim.status = Status::infeasible;
        claim.notes.emplace_back("no solution: the QP is unbounded below");
        break;
      }
    }
    claim.notes.push_back(
        fmt::format("P is singular: {} proximal steps with delta = {:.3g} (scaled)",
                    std::min(k + 1, max_proximal), delta_));
  }

  /// v of a recession direction in x: Pv = 0, cᵀv < 0, Av inside the bounds for ever.
  bool runs_away(const Qp& qp, const Vec& run) {
    const Mlcp& kkt = form_.reduce(qp);
    Vec v = Vec::Zero(kkt.q.size());
    v.head(run.size()) = run;
    return proves_infeasible(kkt.M.dense(), kkt.q, kkt.l, kkt.u, v);
  }

  void report(End end, const Problem& problem, Claim& claim) {
    const Qp& qp = std::get<Qp>(problem);
    claim.z.setZero(qp.c.size() + qp.l.size());
    claim.z.head(qp.c.size()) = d_.cwiseProduct(method_.x());
    if (end != End::solution) {
      claim.status = end == End::infeasible ? Status::infeasible : Status::iteration_limit;
      claim.notes.emplace_back(end == End::infeasible ? "no solution: the QP has no feasible point"
                                                      : "stopped by max_iterations");
      return;
    }
    // P x + c = N u with u ≥ 0 gives y = −side · u, in the units of the rows.
    for (std::size_t k = 0; k < method_.active().size(); ++k) {
      const Eigen::Index p = method_.active()[k];
      claim.z[qp.c.size() + row_[p]] -= side_[p] * method_.multiplier(k) / size_[p];
    }
    polish(problem, claim.z);
  }

  /// (x, y) from the optimality conditions of the active set, by the least change.
  void polish(const Problem& problem, Vec& z) {
    const Qp& qp = std::get<Qp>(problem);
    const Eigen::Index n = c_.size(), k = static_cast<Eigen::Index>(method_.active().size());
    Mat K = Mat::Zero(n + k, n + k);
    K.topLeftCorner(n, n) = P_;
    for (Eigen::Index j = 0; j < k; ++j) {
      K.col(n + j).head(n) = N_.col(method_.active()[j]);
      K.row(n + j).head(n) = N_.col(method_.active()[j]).transpose();
    }
    if (n + k == 0) return;
    const Eigen::CompleteOrthogonalDecomposition<Mat> factors(K);
    Vec polished = z;
    for (int pass = 0; pass < 2; ++pass) {
      Vec w(n + k);
      const Vec x = polished.head(n), y = polished.tail(qp.l.size());
      Vec gradient, Ay;
      qp.P.multiply(x, gradient);
      qp.A.multiply_transposed(y, Ay);
      w.head(n) = d_.cwiseProduct(gradient + qp.c + Ay);
      for (Eigen::Index j = 0; j < k; ++j) {
        const Eigen::Index p = method_.active()[j];
        w[n + j] = N_.col(p).dot(x.cwiseQuotient(d_)) - beta_[p];
      }
      const Vec change = factors.solve(w);
      polished.head(n) -= d_.cwiseProduct(change.head(n));
      for (Eigen::Index j = 0; j < k; ++j) {
        const Eigen::Index p = method_.active()[j];
        polished[n + row_[p]] -= side_[p] * change[n + j] / size_[p];
      }
    }
    if (residual(problem, polished).natural < residual(problem, z).natural) z = polished;
  }

  int max_iterations_;
  double delta_;
  DualActiveSet method_;
  KktForm form_;
  Eigen::LLT<Mat> factor_;
  Mat P_, N_;
  Vec c_, d_, beta_, size_;
  Eigen::Index equations_ = 0;
  std::vector<Eigen::Index> row_;  // row of A behind each column of N
  std::vector<double> side_;       // +1: its lower bound, −1: its upper
};

const Register<SolverEntry> active_set_qp{{
    .name = "active-set-qp",
    .summary = "dual active-set method for small dense convex QPs, proximal where P is singular",
    .cite = "Goldfarb, Idnani 1983; Rockafellar 1976",
    .parameters =
        {integer("max_iterations", 10000, "1", "steps of one active-set run").at_least(1),
         real("proximal", 1e-4, "1", "delta of the proximal steps, unit diagonal of P").above(0.0)},
    .make = [](const Parameters& settings) { return std::make_unique<ActiveSetQp>(settings); },
}};

}  // namespace

}  // namespace touchstone

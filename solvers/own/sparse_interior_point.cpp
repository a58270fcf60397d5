/// `sparse-interior-point`: a primal-dual interior-point method for large sparse convex QPs.
///
/// Every finite bound of l ≤ Ax ≤ u with l < u is a row of Gx − s = b, s ≥ 0 (G = A for l, −A for
/// u); rows with l = u are equations Ex = f. The path
///     Px + c − Gᵀλ + Eᵀy = 0,   Gx − s = b,   Ex = f,   s∘λ = σμ,   s, λ > 0                  (1)
/// is followed to μ → 0 by Mehrotra's predictor and corrector (Mehrotra 1992; Wright 1997, chapter
/// 10), with one step length. s and λ are eliminated from Newton's step, so that
///     [ P + AᵀDA   Eᵀ ] [dx]
///     [ E          0  ] [dy],   D = Σ λ/s over the bounds of a row,                           (2)
/// is all that is factorised (quasidefinite_system.hpp): as many unknowns as x and the equations
/// have, however many inequalities there are.
///
/// The QPs of contact have a block-diagonal P (masses) and rows that touch two bodies: (2) then has
/// the sparsity of the contact graph, and friction directions and redundant contacts add nothing to
/// it. Multipliers that are not unique (redundant contacts) do no harm: the path ends in the middle
/// of their set.
///
/// When μ is next to nothing the method of multipliers (multiplier_method.hpp) goes on from the
/// path's point, with the same pattern of factors. This polish gives the last digits, and exact
/// zeros to the multipliers of inactive rows; it is the method's own last step. Too early it costs
/// more steps than the path saves: the path's last decades of μ come in two or three steps.
///
/// x is scaled by the diagonal of P, rows to unit length, all by the size of the data. Ends when
/// the referee's natural residual meets the tolerance in the units of the problem. `infeasible` is
/// claimed with a proof only (Farkas; or a direction along which the objective falls for ever), to
/// 1e-9 of its terms. Refused as not convex when P + 1e-10 I (scaled) has a negative pivot. The
/// guess is not used: the path starts where x minimises the objective alone.
///
/// Settings: max_iterations.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "solvers/own/multiplier_method.hpp"
#include "solvers/solver.hpp"

namespace touchstone {

namespace {

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double convex_to = 1e-10;       // shift that must make the scaled P definite
constexpr double to_boundary = 0.995;     // of the step to the boundary
constexpr double growth = 1e3;            // of the scaled iterates, from which a proof is tried
constexpr double proof_tolerance = 1e-9;  // of the terms of a proof
constexpr double smallest_step = 1e-9;    // three in a row end the path
constexpr double blocked = 0.1;           // shorter steps of the corrector are not taken
constexpr double feasible = 1e-3;         // of the bounds, scaled data: the corrector may be left
constexpr double polish_below = 1e-15;    // μ of the scaled data from which a polish is tried,
constexpr double polish_blocked = 1e-8;   // and that where the path is blocked
constexpr double polish_penalty = 1e5;    // to begin with
constexpr int polish_steps = 12;
constexpr int last_steps = 200;  // of the polish where the path ends
constexpr int patience = 12;     // polishes in a row that do not halve the residual end the path

class SparseInteriorPoint final : public Solver {
 public:
  explicit SparseInteriorPoint(const Parameters& settings)
      : max_iterations_(static_cast<int>(settings.integer("max_iterations"))) {}

  bool accepts(const Problem& problem) const override {
    return std::holds_alternative<Qp>(problem);
  }

 private:
  Claim run(const Problem& problem, const Vec&, Tolerance tolerance) override {
    whole_ = &problem;
    problem_ = &std::get<Qp>(problem);
    Claim claim;
    if (!start()) {
      claim.z.setZero(unknowns(problem));
      claim.status = Status::not_applicable;
      claim.notes.emplace_back("not convex: P is not positive semidefinite");
      return claim;
    }
    claim.status = follow(0.5 * tolerance.bound(problem), claim);
    claim.iterations = iterations_;
    claim.z = answer_;
    return claim;
  }

  /// The point that the path starts from; false when P is not convex.
  bool start() {
    qp_.load(*problem_);
    const Eigen::Index n = qp_.c.size();
    SpMat shifted(n, n);
    shifted.setIdentity();
    shifted = qp_.P + convex_to * static_cast<double>(n) * shifted;
    const Eigen::SimplicialLDLT<SpMat> factors(shifted);
    if (n > 0 && (factors.info() != Eigen::Success || factors.vectorD().minCoeff() <= 0.0))
      return false;
    x_ = n > 0 ? Vec(factors.solve(-qp_.c)) : Vec(0);
    const double largest = n > 0 ? x_.cwiseAbs().maxCoeff() : 0.0;
    if (!(largest <= 1e3)) x_ *= 1e3 / largest;  // flat directions of P
    bounds_.clear();
    equations_.clear();
    for (Eigen::Index r = 0; r < qp_.A.rows(); ++r) {
      if (qp_.equation[static_cast<std::size_t>(r)]) {
        equations_.push_back(r);
        continue;
      }
      if (qp_.l[r] > -inf) bounds_.push_back({r, 1.0, qp_.l[r]});
      if (qp_.u[r] < inf) bounds_.push_back({r, -1.0, -qp_.u[r]});
    }
    newton_.load(qp_.P, qp_.A, qp_.equation);
    polish_.load(qp_, newton_);
    right_.resize(n + static_cast<Eigen::Index>(equations_.size()));
    y_.setZero(static_cast<Eigen::Index>(equations_.size()));
    const auto m = static_cast<Eigen::Index>(bounds_.size());
    s_.resize(m), lambda_.setOnes(m);
    Ax_ = qp_.A * x_;
    for (Eigen::Index k = 0; k < m; ++k)
      s_[k] = std::max(1.0, at(k).sign * Ax_[at(k).row] - at(k).b);
    best_ = inf;
    answer_.setZero(n + qp_.A.rows());
    return true;
  }

  Status follow(double bound, Claim& claim) {
    int short_steps = 0, stalls = 0;
    double step = 1.0;
    for (iterations_ = 0;; ++iterations_) {
      residuals();
      if (complementarity() <= (step < blocked ? polish_blocked : polish_below)) {
        const double before = best_;
        consider(x_, multipliers_);
        polish(bound, polish_steps);
        stalls = best_ < 0.5 * before ? 0 : stalls + 1;
      }
      if (best_ <= bound) return Status::solved;
      if (const char* why = proof()) {
        consider(x_, multipliers_);
        claim.notes.emplace_back(why);
        return Status::infeasible;
      }
      if (iterations_ == max_iterations_) {
        consider(x_, multipliers_);
        return Status::iteration_limit;
      }
      step = advance();
      short_steps = step < smallest_step ? short_steps + 1 : 0;
      if (short_steps >= 3 || stalls >= patience || !x_.allFinite()) {
        if (x_.allFinite() && lambda_.allFinite()) polish(bound, last_steps);
        if (best_ <= bound) return Status::solved;
        claim.notes.push_back(
            fmt::format("the path ended at residual {:.2g}, before the tolerance", best_));
        return Status::inaccurate;
      }
    }
  }

  /// What (1) leaves of its first three equations.
  void residuals() {
    Ax_ = qp_.A * x_;
    multipliers_ = multipliers(lambda_, y_);
    dual_ = qp_.P * x_ + qp_.c + qp_.A.transpose() * multipliers_;
    primal_.resize(s_.size());
    for (Eigen::Index k = 0; k < s_.size(); ++k)
      primal_[k] = at(k).sign * Ax_[at(k).row] - s_[k] - at(k).b;
  }

  double complementarity() const {
    return s_.size() ? s_.dot(lambda_) / static_cast<double>(s_.size()) : 0.0;
  }

  /// Keeps the point, in the units of the problem, when its natural residual is the smallest.
  void consider(const Vec& x, const Vec& multipliers) {
    trial_.resize(x.size() + multipliers.size());
    trial_ << qp_.size * qp_.columns.cwiseProduct(x), qp_.size * qp_.rows.cwiseProduct(multipliers);
    const double now = residual(*whole_, trial_, workspace_).natural;
    if (!(now < best_) && best_ < inf) return;
    best_ = now;
    answer_.swap(trial_);
  }

  /// The method of multipliers from the path's point, with the multipliers of the rows that it
  /// holds.
  void polish(double bound, int steps) {
    Vec held = lambda_;
    for (Eigen::Index k = 0; k < s_.size(); ++k)
      if (s_[k] > lambda_[k]) held[k] = 0.0;
    polish_.run({x_, multipliers(held, y_)}, polish_penalty, steps,
                [&](const MultiplierMethod::Point& point) {
                  consider(point.x, point.y);
                  return best_ <= bound;
                });
  }

  /// The multipliers of the rows of A.
  Vec multipliers(const Vec& lambda, const Vec& y) const {
    Vec all = Vec::Zero(qp_.A.rows());
    for (Eigen::Index k = 0; k < lambda.size(); ++k) all[at(k).row] -= at(k).sign * lambda[k];
    for (Eigen::Index e = 0; e < y.size(); ++e) all[equations_[static_cast<std::size_t>(e)]] = y[e];
    return all;
  }

  /// One predictor and one corrector step; returns the step length.
  double advance() {
    D_.setZero(qp_.A.rows());
    for (Eigen::Index k = 0; k < s_.size(); ++k) D_[at(k).row] += lambda_[k] / s_[k];
    if (!newton_.factorise(D_)) return 0.0;
    const double mu = complementarity();
    direction(s_.cwiseProduct(lambda_));
    const double affine = std::min(1.0, step_to_boundary());
    double sigma = 0.0;
    if (mu > 0.0) {
      const double after = (s_ + affine * ds_).dot(lambda_ + affine * dlambda_) /
                           (mu * static_cast<double>(s_.size()));
      sigma = after * after * after;
    }
    Vec right = s_.cwiseProduct(lambda_) + ds_.cwiseProduct(dlambda_);
    right.array() -= sigma * mu;
    direction(right);
    double step = std::min(1.0, to_boundary * step_to_boundary());
    // Off the path: back towards it, without the second-order terms. Not before the bounds hold:
    // where they cannot, steps stay short and the multipliers must grow to prove it.
    if (step < blocked && primal_.cwiseAbs().maxCoeff() <= feasible) {
      right = s_.cwiseProduct(lambda_);
      right.array() -= 0.5 * mu;
      direction(right);
      step = std::min(1.0, to_boundary * step_to_boundary());
    }
    x_ += step * dx_, y_ += step * dy_, s_ += step * ds_, lambda_ += step * dlambda_;
    return step;
  }

  /// Newton's step for (1) with s∘λ − σμ and the second-order terms in `complementary`.
  void direction(const Vec& complementary) {
    const Eigen::Index n = x_.size(), e = y_.size();
    push_.setZero(qp_.A.rows());
    for (Eigen::Index k = 0; k < s_.size(); ++k)
      push_[at(k).row] += at(k).sign * (complementary[k] + lambda_[k] * primal_[k]) / s_[k];
    right_.resize(n + e);
    right_.head(n) = -dual_ - qp_.A.transpose() * push_;
    for (Eigen::Index k = 0; k < e; ++k) {
      const Eigen::Index r = equations_[static_cast<std::size_t>(k)];
      right_[n + k] = qp_.l[r] - Ax_[r];
    }
    newton_.solve(right_, change_);
    dx_ = change_.head(n);
    dy_ = change_.tail(e);
    Adx_ = qp_.A * dx_;
    ds_.resize(s_.size()), dlambda_.resize(s_.size());
    for (Eigen::Index k = 0; k < s_.size(); ++k) {
      ds_[k] = at(k).sign * Adx_[at(k).row] + primal_[k];
      dlambda_[k] = -(complementary[k] + lambda_[k] * ds_[k]) / s_[k];
    }
  }

  double step_to_boundary() const {
    double step = 1.0 / to_boundary;
    for (Eigen::Index k = 0; k < s_.size(); ++k) {
      if (ds_[k] < 0.0) step = std::min(step, -s_[k] / ds_[k]);
      if (dlambda_[k] < 0.0) step = std::min(step, -lambda_[k] / dlambda_[k]);
    }
    return step;
  }

  /// Why there is no solution, when the iterates prove it; else null.
  const char* proof() const {
    if (multipliers_.size() && multipliers_.cwiseAbs().maxCoeff() > growth && no_feasible_point())
      return "the QP has no feasible point";
    if (x_.size() && x_.cwiseAbs().maxCoeff() > growth && falls_for_ever())
      return "the QP is unbounded below";
    return nullptr;
  }

  /// Farkas: Aᵀy = 0 and Σ max over [l, u] of −y·(Ax) < 0 contradict l ≤ Ax ≤ u.
  bool no_feasible_point() const {
    const Vec y = multipliers_ / multipliers_.cwiseAbs().maxCoeff();
    if ((qp_.A.transpose() * y).cwiseAbs().maxCoeff() > proof_tolerance) return false;
    double sum = 0.0, terms = 0.0;
    for (Eigen::Index r = 0; r < y.size(); ++r) {
      if (std::abs(y[r]) <= proof_tolerance) continue;
      const double term = y[r] * (y[r] > 0.0 ? qp_.u[r] : qp_.l[r]);
      if (!std::isfinite(term)) return false;
      sum += term, terms += std::abs(term);
    }
    return sum < -1e3 * proof_tolerance * terms;
  }

  bool falls_for_ever() const {
    const Vec v = x_ / x_.cwiseAbs().maxCoeff(), Av = qp_.A * v;
    if (!(qp_.c.dot(v) < -1e3 * proof_tolerance)) return false;
    if ((qp_.P * v).cwiseAbs().maxCoeff() > proof_tolerance) return false;
    for (Eigen::Index r = 0; r < Av.size(); ++r)
      if ((qp_.u[r] < inf && Av[r] > proof_tolerance) ||
          (qp_.l[r] > -inf && Av[r] < -proof_tolerance))
        return false;
    return true;
  }

  struct Bound {
    Eigen::Index row;  // of A
    double sign, b;    // sign · (Ax)_row − b ≥ 0
  };
  const Bound& at(Eigen::Index k) const { return bounds_[static_cast<std::size_t>(k)]; }

  int max_iterations_;
  const Problem* whole_ = nullptr;
  const Qp* problem_ = nullptr;  // the same
  ScaledQp qp_;
  QuasidefiniteSystem newton_;
  MultiplierMethod polish_;
  std::vector<Bound> bounds_;
  std::vector<Eigen::Index> equations_;  // rows of A
  Vec x_, y_, s_, lambda_, multipliers_, Ax_;
  Vec dual_, primal_, D_, push_, right_, change_, dx_, dy_, ds_, dlambda_, Adx_;
  Vec answer_, trial_;
  RefereeWorkspace workspace_;
  double best_ = inf;
  int iterations_ = 0;
};

const Register<SolverEntry> sparse_interior_point{{
    .name = "sparse-interior-point",
    .summary = "Mehrotra's predictor-corrector for large sparse convex QPs",
    .cite = "Mehrotra 1992; Wright 1997, chapter 10; Vanderbei 1995",
    .parameters = {integer("max_iterations", 100, "1", "steps of the path").at_least(1)},
    .make =
        [](const Parameters& settings) { return std::make_unique<SparseInteriorPoint>(settings); },
}};

}  // namespace
}  // namespace touchstone

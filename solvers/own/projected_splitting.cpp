/// Projected splittings for l ≤ z ≤ u ⊥ F(z) = Mz + q: `jacobi`, `pgs` (Gauss–Seidel) and `sor`.
/// (Cottle, Pang & Stone, The Linear Complementarity Problem, section 5.2; Cryer 1971.)
///
/// M = B + C with a matrix B that is easy to invert; each sweep solves the problem of B alone:
///     jacobi   zᵢ ← Π(zᵢ − ω Fᵢ(z)/Mᵢᵢ)   all i at once, B = D/ω                              (1)
///     sor      zᵢ ← Π(zᵢ − ω Fᵢ(z)/Mᵢᵢ)   one i after the other, with the newest z            (2)
///     pgs      (2) with ω = 1
/// Π clamps to [lᵢ, uᵢ]. A bounded row needs Mᵢᵢ > 0, a free row Mᵢᵢ ≠ 0; a row with lᵢ = uᵢ needs
/// nothing. For symmetric positive definite M, (2) converges when 0 < ω < 2; (1) need not: it
/// converges when 2D/ω − M is positive definite, and can end in a 2-cycle.
///
/// (2) keeps F up to date by columns, F ← F + Mⱼ Δzⱼ, so that a row at its bound costs nothing, for
/// dense and sparse M alike. F gathers round-off and is computed anew every `refresh` sweeps and
/// before an answer is claimed. Sweeps end when the natural residual meets the tolerance, at a
/// fixed point of the floating-point sweep (`inaccurate`), and with `iteration_limit` in a 2-cycle,
/// at divergence or at the limit; the notes say which. `guess`, clamped, is the start.
///
/// Settings: max_iterations, omega (`jacobi`, `sor`).

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "solvers/own/complementarity_maps.hpp"
#include "solvers/solver.hpp"

namespace touchstone {

namespace {

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr int refresh = 32;          // sweeps between two evaluations of F from scratch
constexpr double divergence = 1e10;  // residual growth over the best one that ends the sweeps
constexpr double same_iterate = 1e-12;  // |zᵏ⁺¹ − zᵏ⁻¹| relative to |zᵏ⁺¹ − zᵏ| in a 2-cycle
constexpr int cycle_sweeps = 4;  // consecutive sweeps that must repeat

enum class Order { jacobi, gauss_seidel };

class ProjectedSplitting final : public Solver {
 public:
  ProjectedSplitting(Order order, double omega, const Parameters& settings)
      : order_(order),
        omega_(omega),
        max_iterations_(static_cast<int>(settings.integer("max_iterations"))) {}

  bool accepts(const Problem& problem) const override {
    return std::holds_alternative<Lcp>(problem) || std::holds_alternative<Mlcp>(problem);
  }

 private:
  Claim run(const Problem& problem, const Vec& guess, Tolerance tolerance) override {
    const double bound = tolerance.bound(problem);
    if (const Mlcp* mlcp = std::get_if<Mlcp>(&problem))
      return iterate(mlcp->M, mlcp->q, mlcp->l, mlcp->u, guess, bound);
    const Lcp& lcp = std::get<Lcp>(problem);
    zero_.setZero(lcp.q.size());
    infinity_.setConstant(lcp.q.size(), inf);
    return iterate(lcp.M, lcp.q, zero_, infinity_, guess, bound);
  }

  Claim iterate(const Matrix& M, const Vec& q, const Vec& l, const Vec& u, const Vec& guess,
                double bound) {
    Claim claim;
    z_.setZero(q.size());
    if (guess.size() > 0 && guess.allFinite()) z_ = guess;
    z_ = z_.cwiseMax(l).cwiseMin(u);
    evaluate(M, q);
    double now = natural_residual(l, u);
    if (now <= bound) return finish(claim, Status::solved);
    if (std::string cause = read_diagonal(M, l, u); !cause.empty()) {
      claim.notes.push_back(std::move(cause));
      return finish(claim, Status::not_applicable);
    }

    start_ = now;
    keep_best(now, true);
    before_ = previous_ = z_;
    int repeated = 0;
    for (int k = 1; k <= max_iterations_; ++k) {
      before_.swap(previous_);
      previous_ = z_;
      sweep(M, q, l, u);
      if (k % refresh == 0) evaluate(M, q);
      claim.iterations = k;
      now = natural_residual(l, u);
      if (now <= bound) {
        evaluate(M, q);  // F by updates proposes, F from scratch decides
        now = natural_residual(l, u);
        if (now <= bound) return finish(claim, Status::solved);
      }
      if (!(now <= divergence * best_residual_)) return diverged(claim, now);
      keep_best(now, false);
      const double step = distance(z_, previous_);
      if (step == 0.0) return stalled(claim, now);
      repeated = k > 1 && distance(z_, before_) <= same_iterate * step ? repeated + 1 : 0;
      if (repeated == cycle_sweeps) return cycled(claim, now);
    }
    return limited(claim, now);
  }

  void evaluate(const Matrix& M, const Vec& q) {
    M.multiply(z_, F_);
    F_ += q;
  }

  double natural_residual(const Vec& l, const Vec& u) const {
    double largest = 0.0;
    for (Eigen::Index i = 0; i < z_.size(); ++i) {
      const double x = std::abs(natural_row(z_[i], F_[i], l[i], u[i]).value);
      if (!(x <= largest)) largest = x;
      if (!std::isfinite(F_[i])) return inf;
    }
    return largest;
  }

  /// ω/Mᵢᵢ of every row that moves into step_; the cause when some row cannot be divided by.
  std::string read_diagonal(const Matrix& M, const Vec& l, const Vec& u) {
    step_ = M.is_sparse() ? Vec(M.sparse().diagonal()) : Vec(M.dense().diagonal());
    for (Eigen::Index i = 0; i < step_.size(); ++i) {
      const bool free = l[i] == -inf && u[i] == inf, fixed = l[i] == u[i];
      const double inverse = omega_ / step_[i];
      if (!fixed && (!(step_[i] > 0.0 || (free && step_[i] != 0.0)) || !std::isfinite(inverse)))
        return fmt::format(
            "M({}, {}) = {}: a projected splitting divides by the diagonal and needs it {}", i, i,
            step_[i], free ? "nonzero" : "positive");
      step_[i] = fixed ? 0.0 : inverse;
    }
    return {};
  }

  void sweep(const Matrix& M, const Vec& q, const Vec& l, const Vec& u) {
    if (order_ == Order::jacobi) {
      z_ = (z_ - step_.cwiseProduct(F_)).cwiseMax(l).cwiseMin(u);  // (1)
      evaluate(M, q);
      return;
    }
    for (Eigen::Index i = 0; i < z_.size(); ++i) {
      const double updated = std::max(l[i], std::min(u[i], z_[i] - step_[i] * F_[i]));  // (2)
      const double change = updated - z_[i];
      if (change == 0.0) continue;
      z_[i] = updated;
      if (M.is_sparse())
        for (SpMat::InnerIterator it(M.sparse(), i); it; ++it) F_[it.row()] += change * it.value();
      else
        F_ += change * M.dense().col(i);
    }
  }

  static double distance(const Vec& a, const Vec& b) {
    return a.size() ? (a - b).cwiseAbs().maxCoeff() : 0.0;
  }

  void keep_best(double now, bool first) {
    if (!first && !(now < best_residual_)) return;
    best_residual_ = now;
    best_ = z_;
  }

  Claim finish(Claim& claim, Status status) {
    claim.status = status;
    claim.z = z_;
    return std::move(claim);
  }

  Claim diverged(Claim& claim, double now) {
    claim.notes.push_back(fmt::format(
        "diverges: the residual rose from {:.3g} to {:.3g} in {} sweeps; z is the best iterate",
        best_residual_, now, claim.iterations));
    z_ = best_;
    return finish(claim, Status::iteration_limit);
  }

  Claim cycled(Claim& claim, double now) {
    claim.notes.push_back(fmt::format("2-cycle: iterates repeat with residual {:.3g}", now));
    z_ = best_;
    return finish(claim, Status::iteration_limit);
  }

  Claim stalled(Claim& claim, double now) {
    claim.notes.push_back(
        fmt::format("stalls: sweeps no longer change z, at residual {:.3g} (round-off)", now));
    return finish(claim, Status::inaccurate);
  }

  Claim limited(Claim& claim, double now) {
    if (now > start_)
      claim.notes.push_back(
          fmt::format("diverges: the residual rose from {:.3g} to {:.3g}", start_, now));
    else
      claim.notes.push_back(
          fmt::format("converges slowly or not at all: the residual fell from "
                      "{:.3g} to {:.3g} in {} sweeps",
                      start_, now, claim.iterations));
    return finish(claim, Status::iteration_limit);
  }

  Order order_;
  double omega_;
  int max_iterations_;
  double start_ = 0.0, best_residual_ = 0.0;
  Vec z_, F_, step_, previous_, before_, best_, zero_, infinity_;
};

Parameter sweeps() {
  return integer("max_iterations", 10000, "1", "sweeps over all unknowns").at_least(1);
}

const Register<SolverEntry> jacobi{{
    .name = "jacobi",
    .summary = "projected Jacobi splitting; needs a positive diagonal, may cycle or diverge",
    .cite = "Cottle, Pang, Stone 1992, section 5.2; Baraff 1992, appendix C",
    .parameters =
        {sweeps(),
         real("omega", 1.0, "1", "relaxation: 1 is Jacobi, less damps it").above(0.0).at_most(2.0)},
    .make =
        [](const Parameters& settings) {
          return std::make_unique<ProjectedSplitting>(Order::jacobi, settings.real("omega"),
                                                      settings);
        },
}};

const Register<SolverEntry> pgs{{
    .name = "pgs",
    .summary = "projected Gauss-Seidel splitting; needs a positive diagonal",
    .cite = "Cottle, Pang, Stone 1992, section 5.2",
    .parameters = {sweeps()},
    .make =
        [](const Parameters& settings) {
          return std::make_unique<ProjectedSplitting>(Order::gauss_seidel, 1.0, settings);
        },
}};

const Register<SolverEntry> sor{{
    .name = "sor",
    .summary = "projected successive over-relaxation; needs a positive diagonal",
    .cite = "Cryer 1971; Cottle, Pang, Stone 1992, section 5.2",
    .parameters = {sweeps(), real("omega", 1.5, "1",
                                  "relaxation: below 1 damps, 1 is pgs, below 2 "
                                  "converges for positive definite M")
                                 .above(0.0)
                                 .at_most(2.0)},
    .make =
        [](const Parameters& settings) {
          return std::make_unique<ProjectedSplitting>(Order::gauss_seidel, settings.real("omega"),
                                                      settings);
        },
}};

}  // namespace

}  // namespace touchstone

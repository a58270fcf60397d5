/// Proximal point method for the exact Coulomb cone: u = Wr + q with K* ∋ u + μ‖u_t‖n ⊥ r ∈ K.
///
/// Rockafellar 1976; for friction Acary, Brémond & Huber 2018, section 5. More contacts than
/// degrees of freedom make W rank-deficient, and Newton's method and Gauss–Seidel slow or stuck.
/// Each step solves a problem with the definite matrix W + αI that is centred at the last answer,
///     r_{k+1} solves the problem with W + αI and q − αr_k,                                   (1)
/// by nsn, from r_k. At r_{k+1} = r_k it is the original problem, whatever α: nothing is
/// regularised in the answer. α falls after a step that was solved; after one that was not it
/// rises, and from then on stays above the value that was too small.
/// Stops by the referee's rule on the original problem. The guess is the warm start.

#include <fmt/format.h>

#include <algorithm>

#include "solvers/solver.hpp"

namespace touchstone {

namespace {

constexpr double fall = 0.2, rise = 10.0;          // of α after a step [1]
constexpr double smallest = 1e-10, largest = 1e4;  // α, times the mean diagonal of W [1]
constexpr double inner_share = 0.1;                // of the bound, for the problems (1) [1]

double mean_diagonal(const Matrix& W) {
  const auto n = static_cast<double>(std::max<Eigen::Index>(1, W.rows()));
  return (W.is_sparse() ? W.sparse().diagonal().sum() : W.dense().diagonal().sum()) / n;
}

void add_to_diagonal(double alpha, Matrix& W) {
  if (!W.is_sparse()) {
    W.dense().diagonal().array() += alpha;
    return;
  }
  SpMat identity(W.rows(), W.cols());
  identity.setIdentity();
  W.sparse() += alpha * identity;
}

class ProximalPoint final : public Solver {
 public:
  explicit ProximalPoint(const Parameters& settings)
      : max_iterations_(static_cast<int>(settings.integer("max_iterations"))),
        alpha_(settings.real("alpha")),
        inner_(make_solver("nsn")) {}
  bool accepts(const Problem& problem) const override {
    return std::holds_alternative<FrictionContact>(problem);
  }

 private:
  Claim run(const Problem& problem, const Vec& guess, Tolerance tolerance) override {
    const auto& original = std::get<FrictionContact>(problem);
    const double bound = tolerance.bound(problem), scale = mean_diagonal(original.W);
    Claim claim{.z = guess.size() > 0 ? guess : Vec(Vec::Zero(original.q.size()))};
    double alpha = alpha_, floor = smallest, best = residual(problem, claim.z, workspace_).natural;
    Vec r = claim.z;
    int steps = 0, failed = 0;
    for (; steps < max_iterations_ && alpha <= largest; ++steps) {
      const Answer step = centred(original, r, alpha * scale, inner_share * bound);
      claim.iterations += step.iterations;
      const Residual reached = residual(problem, step.z, workspace_);
      if (reached.natural < best) {
        best = reached.natural;
        claim.z = step.z;
      }
      if (acceptable(reached, bound)) {
        claim.z = step.z;
        return finished(std::move(claim), steps + 1, failed);
      }
      if (step.ok()) {
        r = step.z;
        alpha = std::max(floor, fall * alpha);
      } else {
        ++failed;
        alpha *= rise;
        floor = alpha;
      }
    }
    claim.status = steps == max_iterations_ ? Status::iteration_limit : Status::inaccurate;
    return finished(std::move(claim), steps, failed);
  }

  /// (1)
  Answer centred(const FrictionContact& original, const Vec& r, double alpha, double bound) {
    FrictionContact shifted = original;
    add_to_diagonal(alpha, shifted.W);
    shifted.q -= alpha * r;
    return inner_->solve(shifted, r, {.absolute = bound, .relative = 0.0});
  }

  static Claim finished(Claim claim, int steps, int failed) {
    claim.notes.push_back(
        fmt::format("prox: {} proximal steps, {} of them not solved by nsn", steps, failed));
    return claim;
  }

  int max_iterations_;
  double alpha_;
  std::unique_ptr<Solver> inner_;
  RefereeWorkspace workspace_;
};

const Register<SolverEntry> prox{{
    .name = "prox",
    .summary = "proximal point method around nsn, for rank-deficient problems with the exact cone",
    .cite = "Rockafellar 1976; Acary, Bremond, Huber 2018",
    .parameters = {integer("max_iterations", 100, "1", "proximal steps").at_least(1),
                   real("alpha", 0.1, "1", "first alpha, times the mean diagonal of W").above(0)},
    .make = [](const Parameters& settings) { return std::make_unique<ProximalPoint>(settings); },
}};

}  // namespace

}  // namespace touchstone

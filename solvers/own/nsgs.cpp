/// Block Gauss–Seidel for the exact Coulomb cone (NSGS): u = Wr + q with
///     K* ∋ u + μ‖u_t‖n ⊥ r ∈ K   per contact.
/// Jean & Moreau 1987; Jourdan, Alart & Jean 1998. One sweep solves every contact exactly
/// (coulomb.hpp: separation, stick or slip) with the impulses of the others fixed, and updates
/// u ← u + W_{·i} Δr_i over the stored entries of the block column only.
///
/// Stops by the referee's natural residual. The convergence is linear, at best; on rank-deficient W
/// r depends on the start while u does not. No theorem excludes divergence with friction: a
/// residual that grows without bound, or no longer falls, ends the solve as `inaccurate` with a
/// note. W is used as it stands; it need not be symmetric. The guess is the warm start (default 0).

#include "solvers/own/nsgs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "solvers/solver.hpp"

namespace touchstone {

void ConeSweeps::load(const FrictionContact& problem, const Vec& guess) {
  problem_ = &problem;
  const auto contacts = static_cast<std::size_t>(problem.mu.size());
  if (blocks_.size() < contacts) blocks_.resize(contacts);
  for (std::size_t i = 0; i < contacts; ++i)
    blocks_[i] = contact_block(problem, static_cast<Eigen::Index>(i));
  if (guess.size() == problem.q.size() && guess.allFinite())
    r_ = guess;
  else
    r_.setZero(problem.q.size());
  forwards_ = true;
  restart(Vec(r_));
}

void ConeSweeps::restart(const Vec& r) {
  r_ = r;
  problem_->W.multiply(r_, u_);
  u_ += problem_->q;
}

void ConeSweeps::update(Eigen::Index i, double omega) {
  const int dim = problem_->dim;
  const Eigen::Index k = i * dim;
  const double mu = problem_->mu[i];
  const Block3& W = blocks_[static_cast<std::size_t>(i)];
  const Row3 old = contact_row(r_, k, dim);
  const Row3 b = contact_row(u_, k, dim) - W * old;
  Row3 next;
  if (solve_contact(W, b, mu, next) == ContactMode::unsolvable) {
    ++unsolvable_;
    return;
  }
  if (omega != 1.0) next = project_to_friction_cone(old + omega * (next - old), mu);
  const Row3 change = next - old;
  write_contact_row(next, k, dim, r_);
  for (int c = 0; c < dim; ++c) {
    if (change[c] == 0.0) continue;
    if (problem_->W.is_sparse())
      for (SpMat::InnerIterator it(problem_->W.sparse(), k + c); it; ++it)
        u_[it.row()] += change[c] * it.value();
    else
      u_.noalias() += change[c] * problem_->W.dense().col(k + c);
  }
}

void ConeSweeps::sweep(double omega) {
  const Eigen::Index contacts = problem_->mu.size();
  unsolvable_ = 0;
  for (Eigen::Index i = 0; i < contacts; ++i) update(forwards_ ? i : contacts - 1 - i, omega);
  forwards_ = !forwards_;
}

int ConeSweeps::immovable() const {
  const int dim = problem_->dim;
  Vec size = Vec::Zero(problem_->q.size());
  if (problem_->W.is_sparse()) {
    const SpMat& W = problem_->W.sparse();
    for (Eigen::Index j = 0; j < W.outerSize(); ++j)
      for (SpMat::InnerIterator it(W, j); it; ++it) size[it.row()] += std::abs(it.value());
  } else {
    size = problem_->W.dense().cwiseAbs().rowwise().sum();
  }
  int count = 0;
  for (Eigen::Index k = 0; k < size.size(); k += dim)
    count += size[k] == 0.0 && problem_->q[k] < 0.0 ? 1 : 0;
  return count;
}

double ConeSweeps::residual() {
  problem_->W.multiply(r_, u_);
  u_ += problem_->q;
  return friction_residual(*problem_, r_, u_);
}

void explain_unsolvable(const ConeSweeps& sweeps, const char* name, Claim& claim) {
  if (claim.status == Status::solved || sweeps.unsolvable() == 0) return;
  const int immovable = sweeps.immovable();
  if (immovable > 0) claim.status = Status::infeasible;
  claim.notes.push_back(
      immovable > 0 ? fmt::format("{}: {} contacts approach and nothing moves them (W_nn = 0)",
                                  name, immovable)
                    : fmt::format("{}: {} contacts had no solution with the others fixed", name,
                                  sweeps.unsolvable()));
}

namespace {

constexpr int check_every = 10;    // sweeps between fresh residuals, after the first ones
constexpr double explosion = 1e8;  // growth of the residual that is called divergence [1]

class Nsgs final : public Solver {
 public:
  explicit Nsgs(const Parameters& settings)
      : max_iterations_(static_cast<int>(settings.integer("max_iterations"))),
        patience_(static_cast<int>(settings.integer("patience"))),
        omega_(settings.real("omega")) {}

  bool accepts(const Problem& problem) const override {
    return std::holds_alternative<FrictionContact>(problem);
  }

 private:
  Claim run(const Problem& problem, const Vec& guess, Tolerance tolerance) override {
    const double bound = tolerance.bound(problem);
    sweeps_.load(std::get<FrictionContact>(problem), guess);
    Claim claim;
    double residual = sweeps_.residual();
    const double first = residual;
    double best = residual, milestone = residual;
    int since_milestone = 0, k = 0;
    claim.z = sweeps_.r();
    claim.status = Status::iteration_limit;
    while (best > bound && k < max_iterations_) {
      sweeps_.sweep(omega_);
      ++k;
      ++since_milestone;
      if (sweeps_.unsolvable() > 0 && sweeps_.immovable() > 0) break;
      if (k > check_every && k % check_every != 0 && k < max_iterations_) continue;
      residual = sweeps_.residual();
      if (residual < best) {
        best = residual;
        claim.z = sweeps_.r();
      }
      if (best < 0.5 * milestone) {
        milestone = best;
        since_milestone = 0;
      }
      if (!(residual <= explosion * (1.0 + first))) {
        claim.status = Status::inaccurate;
        claim.notes.push_back(fmt::format("nsgs: diverged, residual {:.3g}", residual));
        break;
      }
      if (since_milestone >= patience_) {
        claim.status = Status::inaccurate;
        claim.notes.push_back(fmt::format("nsgs: stagnated at residual {:.3g}", best));
        break;
      }
    }
    if (best <= bound) claim.status = Status::solved;
    explain_unsolvable(sweeps_, "nsgs", claim);
    claim.iterations = k;
    return claim;
  }

  int max_iterations_, patience_;
  double omega_;
  ConeSweeps sweeps_;
};

const Register<SolverEntry> nsgs{{
    .name = "nsgs",
    .summary = "block Gauss-Seidel on the exact Coulomb cone, each contact solved exactly",
    .cite = "Jean & Moreau 1987; Jourdan, Alart, Jean 1998",
    .parameters =
        {integer("max_iterations", 20000, "1", "sweeps over all contacts").at_least(1),
         real("omega", 1.0, "1", "over-relaxation; 1 is plain Gauss-Seidel").above(0).at_most(2),
         integer("patience", 3000, "1",
                 "sweeps in which the residual has to halve, else it stagnated")
             .at_least(10)},
    .make = [](const Parameters& settings) { return std::make_unique<Nsgs>(settings); },
}};

}  // namespace

}  // namespace touchstone

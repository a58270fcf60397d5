/// Nonsmooth Newton for the exact Coulomb cone: u = Wr + q with K* ∋ u + μ‖u_t‖n ⊥ r ∈ K.
///
/// Alart & Curnier 1991: with y_n = r_n − ρ_n u_n, y_t = r_t − ρ_t u_t and the disc D(s) of radius
/// s,
///     Φ_n = r_n − [y_n]₊,   Φ_t = r_t − Π_{D(μ[y_n]₊)}(y_t)                                    (1)
/// vanish exactly at solutions. Newton on (1) with its analytic generalised Jacobian,
///     H = I − ∂Π (I − ρW),   ∂Π the 3×3 derivative of r ↦ Π(y) by y,                         (2)
/// and an Armijo line search on ½‖Φ‖². ρ_n = 1/W_nn and ρ_t = 2/tr W_tt make (1) independent of
/// units.
///
/// Hybrid: Gauss–Seidel sweeps (nsgs.cpp) give the start; where the line search fails, or the
/// residual does not halve in some steps, more sweeps follow, then Newton again.
///
/// Rank-deficient W (more contacts than degrees of freedom) makes H singular at sticking contacts.
/// Where LU reports that, H is built with W + εI, ε = 1e-8 tr W / n (proximal point): Φ itself is
/// untouched, so that the answer solves the original problem; the notes say so. Stops by the
/// referee's natural residual. The guess is the warm start.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "solvers/own/newton_system.hpp"
#include "solvers/own/nsgs.hpp"
#include "solvers/solver.hpp"

namespace touchstone {

namespace {

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double sufficient_decrease = 1e-4;  // Armijo's σ [1]
constexpr double smallest_step = 0x1.0p-10;   // of the line search [1]
constexpr double proximal = 1e-8;             // ε, times the mean diagonal of W [1]
constexpr int newton_patience = 8;            // steps in which the residual has to halve
constexpr Eigen::Index small = 60;            // unknowns up to which a sparse W is made dense

/// Π(y) of (1) and its derivative.
void project_to_cylinder(const Row3& y, double mu, Row3& value, Block3& slope) {
  value.setZero();
  slope.setZero();
  if (y[0] <= 0.0) return;
  value[0] = y[0];
  slope(0, 0) = 1.0;
  const Eigen::Vector2d t = y.tail<2>();
  const double size = t.norm(), radius = mu * y[0];
  if (size <= radius) {
    value.tail<2>() = t;
    slope.bottomRightCorner<2, 2>().setIdentity();
    return;
  }
  const Eigen::Vector2d e = t / size;
  value.tail<2>() = radius * e;
  slope.bottomLeftCorner<2, 1>() = mu * e;
  slope.bottomRightCorner<2, 2>() =
      (radius / size) * (Eigen::Matrix2d::Identity() - e * e.transpose());
}

class Nsn final : public Solver {
 public:
  explicit Nsn(const Parameters& settings)
      : max_iterations_(static_cast<int>(settings.integer("max_iterations"))),
        first_sweeps_(static_cast<int>(settings.integer("sweeps"))) {}

  bool accepts(const Problem& problem) const override {
    return std::holds_alternative<FrictionContact>(problem);
  }

 private:
  Claim run(const Problem& problem, const Vec& guess, Tolerance tolerance) override {
    load(std::get<FrictionContact>(problem));
    bound_ = tolerance.bound(problem);
    sweeps_.load(*p_, guess);
    best_ = inf;
    steps_ = total_sweeps_ = 0;
    proximal_steps_ = 0;
    keep_best(sweeps_.r(), sweeps_.residual());
    int sweeps = first_sweeps_, rounds = 0;
    Claim claim;
    while (best_ > bound_ && steps_ < max_iterations_ && best_ < inf) {
      if (!sweep(sweeps)) break;
      if (best_ <= bound_) break;
      descend();
      sweeps = std::min(2 * sweeps + 10, 2000);
      ++rounds;
      if (rounds > max_rounds) break;
      sweeps_.restart(best_r_);
    }
    claim.z = best_r_;
    claim.iterations = steps_ + total_sweeps_;
    conclude(claim, rounds);
    return claim;
  }

  void conclude(Claim& claim, int rounds) const {
    if (best_ <= bound_) {
      claim.status = Status::solved;
    } else {
      claim.status = steps_ >= max_iterations_ ? Status::iteration_limit : Status::inaccurate;
      claim.notes.push_back(fmt::format("nsn: stagnated at residual {:.3g}", best_));
    }
    explain_unsolvable(sweeps_, "nsn", claim);
    if (rounds > 1)
      claim.notes.push_back(fmt::format("nsn: Newton was started {} times; {} sweeps between",
                                        rounds, total_sweeps_));
    if (proximal_steps_ > 0)
      claim.notes.push_back(
          fmt::format("nsn: W is rank-deficient; {} steps with W + {:.3g} I in the Jacobian",
                      proximal_steps_, epsilon_));
  }

  void load(const FrictionContact& problem) {
    p_ = &problem;
    const Eigen::Index n = problem.q.size(), contacts = problem.mu.size();
    dense_W_ = nullptr;
    if (!problem.W.is_sparse()) {
      dense_W_ = &problem.W.dense();
    } else if (n <= small) {
      copy_ = problem.W.to_dense();
      dense_W_ = &copy_;
    }
    rho_.resize(2 * contacts);
    slopes_.resize(static_cast<std::size_t>(contacts));
    double trace = 0.0;
    for (Eigen::Index i = 0; i < contacts; ++i) {
      const Block3 W = contact_block(problem, i);
      const double tangent = problem.dim == 3 ? 0.5 * (W(1, 1) + W(2, 2)) : W(1, 1);
      rho_[2 * i] = W(0, 0) > 0.0 ? 1.0 / W(0, 0) : 1.0;
      rho_[2 * i + 1] = tangent > 0.0 ? 1.0 / tangent : rho_[2 * i];
      trace += W(0, 0) + (problem.dim - 1) * tangent;
    }
    epsilon_ = n > 0 ? proximal * trace / static_cast<double>(n) : 0.0;
  }

  /// False when a contact cannot be solved at all.
  bool sweep(int count) {
    for (int k = 0; k < count; ++k) {
      sweeps_.sweep(1.0);
      ++total_sweeps_;
      if (sweeps_.unsolvable() > 0 && sweeps_.immovable() > 0) return false;
      if (k % 10 == 9 || k == count - 1) {
        keep_best(sweeps_.r(), sweeps_.residual());
        if (best_ <= bound_) return true;
      }
    }
    return true;
  }

  void keep_best(const Vec& r, double residual) {
    if (!(residual < best_) && best_r_.size() == r.size() && best_ < inf) return;
    best_ = residual;
    best_r_ = r;
  }

  /// Newton steps from the best r until solved or stuck.
  void descend() {
    r_ = best_r_;
    double merit = equations(r_, true);
    double milestone = best_;
    int since = 0;
    while (best_ > bound_ && steps_ < max_iterations_) {
      ++steps_;
      if (!direction() || !search(merit)) return;
      keep_best(r_, friction_residual(*p_, r_, u_));
      if (best_ < 0.5 * milestone) {
        milestone = best_;
        since = 0;
      } else if (++since >= newton_patience) {
        return;
      }
    }
  }

  /// Leaves u_, Phi_ (negative) and, if asked, the slopes ∂Π; returns ½‖Φ‖².
  double equations(const Vec& r, bool with_slopes) {
    p_->W.multiply(r, u_);
    u_ += p_->q;
    Phi_.resize(r.size());
    Block3 slope;
    Row3 value;
    for (Eigen::Index i = 0; i < p_->mu.size(); ++i) {
      const Eigen::Index k = i * p_->dim;
      const Row3 rho(rho_[2 * i], rho_[2 * i + 1], rho_[2 * i + 1]);
      const Row3 now = contact_row(r, k, p_->dim);
      const Row3 y = now - rho.cwiseProduct(contact_row(u_, k, p_->dim));
      project_to_cylinder(y, p_->mu[i], value, slope);
      write_contact_row(value - now, k, p_->dim, Phi_);
      if (with_slopes) slopes_[static_cast<std::size_t>(i)] = slope;
    }
    return 0.5 * Phi_.squaredNorm();
  }

  bool direction() {
    fill(0.0);
    if (system_.solve(Phi_, d_) && d_.norm() <= 1e6 * (1.0 + r_.norm())) return true;
    ++proximal_steps_;
    fill(epsilon_);
    return system_.solve(Phi_, d_);
  }

  /// (2), with W + εI.
  void fill(double epsilon) {
    const int dim = p_->dim;
    const Eigen::Index n = p_->q.size();
    system_.reset(n, dense_W_ == nullptr);
    if (dense_W_ == nullptr) {
      fill_sparse(epsilon);
      return;
    }
    Mat& H = system_.dense();
    for (Eigen::Index i = 0; i < p_->mu.size(); ++i) {
      const Eigen::Index k = i * dim;
      const Block3 B = weighted_slope(i);
      H.middleRows(k, dim).noalias() =
          B.topLeftCorner(dim, dim).lazyProduct(dense_W_->middleRows(k, dim));
      H.block(k, k, dim, dim) += diagonal_block(i, B, epsilon).topLeftCorner(dim, dim);
    }
  }

  void fill_sparse(double epsilon) {
    const int dim = p_->dim;
    entries_.clear();
    const SpMat& W = p_->W.sparse();
    for (Eigen::Index j = 0; j < W.outerSize(); ++j)
      for (SpMat::InnerIterator it(W, j); it; ++it) {
        const Eigen::Index i = it.row() / dim;
        const int c = static_cast<int>(it.row() % dim);
        const Block3 B = weighted_slope(i);
        for (int row = 0; row < dim; ++row)
          entries_.emplace_back(static_cast<int>(i * dim + row), static_cast<int>(j),
                                B(row, c) * it.value());
      }
    for (Eigen::Index i = 0; i < p_->mu.size(); ++i) {
      const Block3 D = diagonal_block(i, weighted_slope(i), epsilon);
      for (int row = 0; row < dim; ++row)
        for (int column = 0; column < dim; ++column)
          entries_.emplace_back(static_cast<int>(i * dim + row), static_cast<int>(i * dim + column),
                                D(row, column));
    }
    SpMat& H = system_.sparse();
    H.resize(p_->q.size(), p_->q.size());
    H.setFromTriplets(entries_.begin(), entries_.end());
  }

  /// ∂Π diag(ρ): the factor of W in (2).
  Block3 weighted_slope(Eigen::Index i) const {
    const Row3 rho(rho_[2 * i], rho_[2 * i + 1], rho_[2 * i + 1]);
    return slopes_[static_cast<std::size_t>(i)] * rho.asDiagonal();
  }
  /// I − ∂Π + ε ∂Π diag(ρ)
  Block3 diagonal_block(Eigen::Index i, const Block3& weighted, double epsilon) const {
    return Block3::Identity() - slopes_[static_cast<std::size_t>(i)] + epsilon * weighted;
  }

  /// Armijo along d; ∇(½‖Φ‖²)ᵀd = −‖Φ‖² for the exact Newton direction.
  bool search(double& merit) {
    for (double t = 1.0; t >= smallest_step; t *= 0.5) {
      trial_ = r_ + t * d_;
      const double value = equations(trial_, true);
      if (!(value <= (1.0 - 2.0 * sufficient_decrease * t) * merit)) continue;
      r_.swap(trial_);
      merit = value;
      return true;
    }
    return false;
  }

  static constexpr int max_rounds = 12;

  int max_iterations_, first_sweeps_;
  const FrictionContact* p_ = nullptr;
  const Mat* dense_W_ = nullptr;  // null: the sparse path
  Mat copy_;
  ConeSweeps sweeps_;
  NewtonSystem system_;
  std::vector<Block3> slopes_;
  std::vector<Eigen::Triplet<double>> entries_;
  double bound_ = 0.0, best_ = inf, epsilon_ = 0.0;
  int steps_ = 0, total_sweeps_ = 0, proximal_steps_ = 0;
  Vec r_, u_, Phi_, d_, trial_, best_r_, rho_;
};

const Register<SolverEntry> nsn{{
    .name = "nsn",
    .summary = "nonsmooth Newton (Alart-Curnier) on the exact Coulomb cone, started by nsgs",
    .cite = "Alart & Curnier 1991; Acary, Bremond, Huber 2018",
    .parameters =
        {integer("max_iterations", 500, "1", "Newton steps over all rounds").at_least(1),
         integer("sweeps", 10, "1", "Gauss-Seidel sweeps before Newton starts").at_least(0)},
    .make = [](const Parameters& settings) { return std::make_unique<Nsn>(settings); },
}};

}  // namespace

}  // namespace touchstone

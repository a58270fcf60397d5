#include "solvers/own/lemke.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "solvers/own/small_linear.hpp"
#include "solvers/own/standard_form.hpp"
#include "solvers/solver.hpp"

namespace touchstone {

namespace {

using TieRule = LemkePath::TieRule;
using End = LemkePath::End;

/// The first attempt is the documented method. Where its answer fails the residual test, the others
/// follow a path again with a tableau, with another treatment of ties or from another covering
/// vector, and the answer's notes say so.
struct Attempt {
  TieRule tie_rule;
  double tie_slack;
  double pivot_tolerance;
  bool tableau;      // hold the basis as a tableau whatever the size
  bool other_cover;  // row sizes instead of ones, or ones instead of row sizes
  const char* name;
};
constexpr std::array<Attempt, 6> attempts = {{
    {TieRule::lexicographic, 1e-12, 1e-11, false, false, "lexicographic rule, tie slack 1e-12"},
    {TieRule::lexicographic, 1e-12, 1e-11, true, false, "full tableau"},
    {TieRule::largest_pivot, 1e-12, 1e-11, true, false,
     "largest pivot among ties, tie slack 1e-12"},
    {TieRule::lexicographic, 1e-12, 1e-11, true, true, "another covering vector"},
    {TieRule::largest_pivot, 1e-12, 1e-11, true, true,
     "another covering vector, largest pivot among ties"},
    {TieRule::largest_pivot, 1e-10, 1e-9, true, false, "largest pivot among ties, tie slack 1e-10"},
}};

enum class Cover { automatic, ones, row_size };
constexpr double like_size = 64.0;  // rows whose sizes differ by more get their own cover

Cover cover_from(const std::string& name) {
  if (name == "ones") return Cover::ones;
  return name == "row-size" ? Cover::row_size : Cover::automatic;
}

constexpr Eigen::Index kernel_from =
    24;  // unknowns from which the kernel is faster than the tableau

constexpr double few_epsilon = 4.0 * std::numeric_limits<double>::epsilon();

constexpr double ray_slack = 1e-9;  // relative to the terms of a row [1]
constexpr double inf = std::numeric_limits<double>::infinity();

class Lemke final : public Solver {
 public:
  explicit Lemke(const Parameters& settings)
      : max_iterations_(static_cast<int>(settings.integer("max_iterations"))),
        cover_choice_(cover_from(settings.text("cover"))) {}

  bool accepts(const Problem& problem) const override {
    return std::holds_alternative<Lcp>(problem) || std::holds_alternative<Mlcp>(problem);
  }

 private:
  Claim run(const Problem& problem, const Vec& guess, Tolerance tolerance) override {
    const double bound = tolerance.bound(problem);
    if (const Lcp* lcp = std::get_if<Lcp>(&problem)) {
      if (!lcp->M.is_sparse()) return solve_standard(lcp->M.dense(), lcp->q, guess, bound);
      dense_ = lcp->M.to_dense();
      return solve_standard(dense_, lcp->q, guess, bound);
    }
    return solve_mixed(std::get<Mlcp>(problem), guess, bound);
  }

  Claim solve_mixed(const Mlcp& mlcp, const Vec& guess, double bound) {
    Claim claim;
    if (!form_.reduce(mlcp)) {
      claim.z = mlcp.l.cwiseMax(mlcp.u.cwiseMin(0.0));
      claim.status = Status::singular;
      claim.notes.emplace_back("the block of the free variables is singular");
      return claim;
    }
    if (guess.size() > 0) form_.reduce_guess(guess, reduced_guess_);
    claim = solve_standard(form_.M(), form_.q(), guess.size() > 0 ? reduced_guess_ : guess, bound);
    const Vec y = claim.z;
    form_.expand(y, claim.z);
    if (!claim.ray.empty()) claim.ray.direction = form_.expand_direction(claim.ray.direction);
    return claim;
  }

  Claim solve_standard(const Mat& M, const Vec& q, const Vec& guess, double bound) {
    Claim claim;
    if (q.size() == 0 || q.minCoeff() >= 0.0) {
      claim.z.setZero(q.size());
      return claim;
    }
    if (guess.size() > 0) {
      if (warm_start(M, q, guess, bound, claim)) return claim;
      claim.notes.emplace_back("lemke: the support of the guess gave no answer, cold start");
    }
    const bool by_row_size = cover_by_row_size(M);
    double best = inf;
    for (std::size_t i = 0; i < attempts.size(); ++i) {
      if (i == 1 && path_ == &tableau_) continue;  // the first attempt was this one
      const End end = follow(M, q, attempts[i], by_row_size);
      claim.iterations += path_->iterations();
      if (end != End::solution && z0_is_round_off(M, q, bound, claim))
        return solved(std::move(claim), i);
      if (i == 0 && end != End::solution) {
        path_->read_solution(claim.z);
        claim.status = end == End::ray ? Status::inaccurate : Status::iteration_limit;
      }
      if (end == End::solution) {
        keep_if_better(M, q, bound, best, claim);
        if (best <= bound) return solved(std::move(claim), i);
        if (best <= 4.0 * round_off(M, q, claim.z)) break;
      } else if (end == End::ray && best == inf && !attempts[i].other_cover) {
        // Round-off at a tie can end on a ray that exact arithmetic would have passed by: where
        // there were ties, the other rule has to meet a ray too.
        const bool confirmed = !claim.ray.empty() || !path_->met_ties();
        if (keep_ray(M, claim) && confirmed) break;
      }
    }
    explain(claim, by_row_size, best <= 4.0 * round_off(M, q, claim.z));
    return claim;
  }

  /// The principal system of the guess' support L: z_L = −M_LL⁻¹ q_L.
  bool warm_start(const Mat& M, const Vec& q, const Vec& guess, double bound, Claim& claim) {
    warm_support_.clear();
    for (Eigen::Index i = 0; i < guess.size(); ++i)
      if (guess[i] > 0.0) warm_support_.push_back(static_cast<int>(i));
    if (warm_support_.empty()) return false;  // z = 0 was tried before
    if (!system_.solve(M, q, warm_support_, singular_, z_)) return false;
    z_ = z_.cwiseMax(0.0);  // a negative z shows in the residual
    if (!(lcp_residual(M, q, z_, w_) <= bound) || lcp_hides_data(M, q, z_, bound, w_)) return false;
    claim.z = z_;
    claim.iterations = 1;
    claim.notes.emplace_back("lemke: warm start");
    return true;
  }

  static Claim solved(Claim claim, std::size_t attempt) {
    claim.status = Status::solved;
    claim.ray = Ray{};
    if (attempt > 0)
      claim.notes.push_back(fmt::format("lemke: attempt {} ({}) after: {}", attempt + 1,
                                        attempts[attempt].name, attempts[0].name));
    return claim;
  }

  static void explain(Claim& claim, bool by_row_size, bool at_round_off) {
    if (claim.status == Status::ray) {
      if (by_row_size)
        claim.notes.emplace_back("lemke: the ray's cover is in units of row sizes of M");
    } else if (at_round_off) {
      claim.notes.emplace_back("lemke: the residual is at the round-off of Mz + q");
    } else {
      claim.notes.emplace_back("lemke: no treatment of ties gave an answer within the tolerance");
    }
  }

  /// A path that ends elsewhere with a z₀ at round-off has found a solution all the same.
  bool z0_is_round_off(const Mat& M, const Vec& q, double bound, Claim& claim) {
    path_->read_solution(z_);
    if (!(lcp_residual(M, q, z_, w_) <= bound) || lcp_hides_data(M, q, z_, bound, w_)) return false;
    claim.z = z_;
    return true;
  }

  /// A z that hides q is a ray in disguise: it is kept only where there is nothing else to show.
  void keep_if_better(const Mat& M, const Vec& q, double bound, double& best, Claim& claim) {
    const double residual = polish(M, q);
    const bool hidden = lcp_hides_data(M, q, z_, bound, w_);
    if (hidden ? claim.z.size() > 0 : !(residual < best)) return;
    if (!hidden) best = residual;
    claim.z = z_;
    claim.status = Status::inaccurate;
    claim.ray = Ray{};
  }

  /// False when the ray fails in the original data; the first one that does not is kept.
  bool keep_ray(const Mat& M, Claim& claim) {
    Ray ray;
    if (!read_ray(M, ray)) return false;
    if (!claim.ray.empty()) return true;
    claim.ray = std::move(ray);
    claim.status = Status::ray;
    path_->read_solution(claim.z);
    return true;
  }

  /// d of w = q + Mz + d z₀. Ones where the rows of M are of like size; otherwise ones would cover
  /// rows in small units by many orders of magnitude more than the others, which costs as many
  /// digits.
  bool cover_by_row_size(const Mat& M) {
    row_size_ = M.col(0).cwiseAbs();
    for (Eigen::Index j = 1; j < M.cols(); ++j) row_size_ = row_size_.cwiseMax(M.col(j).cwiseAbs());
    double smallest = inf, largest = 0.0;
    for (const double size : row_size_) {
      if (size == 0.0) continue;
      smallest = std::min(smallest, size);
      largest = std::max(largest, size);
    }
    const double for_empty_rows = largest > 0.0 ? largest : 1.0;
    for (double& size : row_size_)
      if (size == 0.0) size = for_empty_rows;
    if (cover_choice_ != Cover::automatic) return cover_choice_ == Cover::row_size;
    return largest > like_size * smallest;
  }

  End follow(const Mat& M, const Vec& q, const Attempt& attempt, bool by_row_size) {
    if (by_row_size != attempt.other_cover)
      cover_ = row_size_;
    else
      cover_.setOnes(q.size());
    LemkePath::Options options;
    options.max_iterations = max_iterations_;
    options.tie_rule = attempt.tie_rule;
    options.tie_slack = attempt.tie_slack;
    options.pivot_tolerance = attempt.pivot_tolerance;
    path_ =
        attempt.tableau || q.size() < kernel_from ? static_cast<LemkePath*>(&tableau_) : &kernel_;
    return path_->run(M, q, cover_, options);
  }

  /// The basis is the answer; its values are computed again from the original data, because the
  /// tableau has gathered the round-off of every pivot. Leaves z_, returns its residual.
  double polish(const Mat& M, const Vec& q) {
    path_->read_solution(z_);
    double by_path = lcp_residual(M, q, z_, w_);
    if (rows_hold(q)) return by_path;
    if (refine(M, q, by_path)) return by_path;
    if (!system_.solve(M, q, path_->support(), singular_, refined_)) return by_path;
    refined_ = refined_.cwiseMax(0.0);
    const double by_system = lcp_residual(M, q, refined_, w_);
    if (by_system > std::max(by_path, round_off(M, q, refined_))) return by_path;
    z_.swap(refined_);
    return by_system;
  }

  /// Refines z_ by the inverse that the path has built, as long as that gains; w_ is Mz_ + q at
  /// first. True when the residual is then at round-off.
  bool refine(const Mat& M, const Vec& q, double& residual) {
    constexpr int steps = 3;
    for (int step = 0; step < steps; ++step) {
      refined_ = z_;
      if (!path_->refine(w_, refined_)) return false;
      refined_ = refined_.cwiseMax(0.0);
      const double after = lcp_residual(M, q, refined_, w_);
      if (!(after < residual)) break;
      const bool enough = 2.0 * after > residual;
      z_.swap(refined_);
      residual = after;
      if (enough) break;
    }
    return residual <= round_off(M, q, z_);
  }

  /// What the evaluation of Mz + q alone may contribute to a residual.
  double round_off(const Mat& M, const Vec& q, const Vec& z) {
    return few_epsilon * lcp_term_size(M, q, z, w_);
  }

  /// Every equation of the basis holds to round-off of its own data, whatever its units.
  bool rows_hold(const Vec& q) const {
    for (const int i : path_->support())
      if (std::abs(w_[i]) > few_epsilon * std::abs(q[i])) return false;
    return true;
  }

  /// Takes the ray only when it is one of the original problem:
  /// w^h = M z^h + d z₀^h ≥ 0, z^h ≥ 0, z₀^h ≥ 0 and z^h ⊥ w^h, each row up to its own round-off.
  bool read_ray(const Mat& M, Ray& ray) {
    path_->read_ray(ray.direction, ray.cover);
    const Vec& z = ray.direction;
    w_ = ray.cover * cover_;
    refined_ = std::abs(ray.cover) * cover_;  // the size of the terms of each row
    for (Eigen::Index j = 0; j < z.size(); ++j) {
      if (z[j] == 0.0) continue;
      w_ += z[j] * M.col(j);
      refined_ += z[j] * M.col(j).cwiseAbs();
    }
    bool holds = z.maxCoeff() > 0.0 && ray.cover >= 0.0;
    for (Eigen::Index i = 0; i < z.size() && holds; ++i) {
      const double slack = ray_slack * refined_[i];
      holds = w_[i] >= -slack && (z[i] == 0.0 || w_[i] <= slack);
    }
    return holds;
  }

  static constexpr double singular_ = 1e-15;  // pivots of a principal system, relative [1]
  int max_iterations_;
  Cover cover_choice_;
  LemkeTableau tableau_;
  LemkeKernel kernel_;
  LemkePath* path_ = &tableau_;  // the one that followed the last path
  PrincipalSystem system_;
  StandardForm form_;
  Mat dense_;
  Vec row_size_, cover_, z_, w_, refined_, reduced_guess_;
  std::vector<int> warm_support_;
};

const Register<SolverEntry> lemke{{
    .name = "lemke",
    .summary = "Lemke's complementary pivoting, lexicographic, returns the ray; the support of a "
               "guess is tried first",
    .cite = "Lemke 1965; Cottle, Pang, Stone 1992, algorithm 4.4.5",
    .parameters = {integer("max_iterations", 5000, "1", "pivots per attempt").at_least(1),
                   text("cover", "auto",
                        "covering vector: ones, the largest |M_ij| of each row, or by their spread")
                       .one_of({"auto", "ones", "row-size"})},
    .make = [](const Parameters& settings) { return std::make_unique<Lemke>(settings); },
}};

}  // namespace

}  // namespace touchstone

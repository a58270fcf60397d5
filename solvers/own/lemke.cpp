#include "solvers/own/lemke.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "solvers/own/small_linear.hpp"
#include "solvers/own/standard_form.hpp"
#include "solvers/solver.hpp"

namespace touchstone {

namespace {

using TieRule = LemkeTableau::TieRule;
using End = LemkeTableau::End;

/// The first attempt is the documented method. Where its answer fails the residual test, the others
/// follow the path again with another treatment of ties, and the answer's notes say so.
struct Attempt {
  TieRule tie_rule;
  double tie_slack;
  double pivot_tolerance;
  const char* name;
};
constexpr std::array<Attempt, 4> attempts = {{
    {TieRule::lexicographic, 1e-12, 1e-11, "lexicographic rule, tie slack 1e-12"},
    {TieRule::largest_pivot, 1e-12, 1e-11, "largest pivot among ties, tie slack 1e-12"},
    {TieRule::largest_pivot, 1e-10, 1e-9, "largest pivot among ties, tie slack 1e-10"},
    {TieRule::lexicographic, 1e-14, 1e-13, "lexicographic rule, tie slack 1e-14"},
}};

class Lemke final : public Solver {
 public:
  explicit Lemke(const Parameters& settings)
      : max_iterations_(static_cast<int>(settings.integer("max_iterations"))),
        cover_by_rows_(settings.text("cover") == "row-scale") {}

  bool accepts(const Problem& problem) const override {
    return std::holds_alternative<Lcp>(problem) || std::holds_alternative<Mlcp>(problem);
  }

 private:
  Claim run(const Problem& problem, const Vec&, Tolerance tolerance) override {
    const double bound = tolerance.bound(problem);
    if (const Lcp* lcp = std::get_if<Lcp>(&problem)) {
      if (!lcp->M.is_sparse()) return solve_standard(lcp->M.dense(), lcp->q, bound);
      dense_ = lcp->M.to_dense();
      return solve_standard(dense_, lcp->q, bound);
    }
    return solve_mixed(std::get<Mlcp>(problem), bound);
  }

  Claim solve_mixed(const Mlcp& mlcp, double bound) {
    Claim claim;
    if (!form_.reduce(mlcp)) {
      claim.z = mlcp.l.cwiseMax(mlcp.u.cwiseMin(0.0));
      claim.status = Status::singular;
      claim.notes.emplace_back("the block of the free variables is singular");
      return claim;
    }
    claim = solve_standard(form_.M(), form_.q(), bound);
    const Vec y = claim.z;
    form_.expand(y, claim.z);
    if (!claim.ray.empty()) claim.ray.direction = form_.expand_direction(claim.ray.direction);
    return claim;
  }

  Claim solve_standard(const Mat& M, const Vec& q, double bound) {
    Claim claim;
    if (q.size() == 0 || q.minCoeff() >= 0.0) {
      claim.z.setZero(q.size());
      return claim;
    }
    choose_cover(M);
    double best = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < attempts.size(); ++i) {
      const End end = follow(M, q, attempts[i]);
      claim.iterations += tableau_.iterations();
      if (end == End::ray && read_ray(M, claim.ray)) {
        tableau_.read_solution(claim.z);
        claim.status = Status::ray;
        note(claim, i);
        return claim;
      }
      const double residual =
          end == End::solution ? polish(M, q) : std::numeric_limits<double>::infinity();
      if (residual < best || i == 0) {
        best = residual;
        if (end != End::solution) tableau_.read_solution(z_);
        claim.z = z_;
        claim.status = end == End::iteration_limit ? Status::iteration_limit : Status::inaccurate;
      }
      if (best <= bound) {
        claim.status = Status::solved;
        note(claim, i);
        return claim;
      }
    }
    claim.notes.emplace_back("lemke: no treatment of ties gave an answer within the tolerance");
    return claim;
  }

  void choose_cover(const Mat& M) {
    if (cover_by_rows_) {
      cover_ = M.cwiseAbs().rowwise().maxCoeff();
      for (double& d : cover_) d = d > 0.0 ? d : 1.0;
    } else {
      cover_.setOnes(M.rows());
    }
  }

  End follow(const Mat& M, const Vec& q, const Attempt& attempt) {
    LemkeTableau::Options options;
    options.max_iterations = max_iterations_;
    options.tie_rule = attempt.tie_rule;
    options.tie_slack = attempt.tie_slack;
    options.pivot_tolerance = attempt.pivot_tolerance;
    return tableau_.run(M, q, cover_, options);
  }

  /// The basis is the answer; its values are computed again from the original data, because the
  /// tableau has gathered the round-off of every pivot. Leaves z_, returns its residual.
  double polish(const Mat& M, const Vec& q) {
    tableau_.read_solution(z_);
    const double by_tableau = lcp_residual(M, q, z_, w_);
    const double round_off = 4.0 * std::numeric_limits<double>::epsilon() * q.cwiseAbs().maxCoeff();
    if (by_tableau <= round_off) return by_tableau;
    if (!system_.solve(M, q, tableau_.support(), 1e-15, refined_)) return by_tableau;
    refined_ = refined_.cwiseMax(0.0);
    const double by_system = lcp_residual(M, q, refined_, w_);
    if (!(by_system < by_tableau)) return by_tableau;
    z_.swap(refined_);
    return by_system;
  }

  /// Takes the ray only when it is one of the original problem:
  /// w^h = M z^h + d z₀^h ≥ 0, z^h ≥ 0, z₀^h ≥ 0 and z^h ⊥ w^h, up to round-off.
  bool read_ray(const Mat& M, Ray& ray) {
    tableau_.read_ray(ray.direction, ray.cover);
    w_.noalias() = M * ray.direction;
    const double size = std::max(1e-300, (M.cwiseAbs() * ray.direction).maxCoeff());
    w_ += ray.cover * cover_;
    const double slack = 1e-9 * size;
    bool holds = ray.direction.maxCoeff() > 0.0 && ray.cover >= -slack;
    for (Eigen::Index i = 0; i < w_.size() && holds; ++i)
      holds = w_[i] >= -slack && (ray.direction[i] <= 1e-9 || w_[i] <= slack);
    if (!holds) ray = Ray{};
    return holds;
  }

  static void note(Claim& claim, std::size_t attempt) {
    if (attempt > 0)
      claim.notes.push_back(fmt::format("lemke: attempt {} ({}) after: {}", attempt + 1,
                                        attempts[attempt].name, attempts[0].name));
  }

  int max_iterations_;
  bool cover_by_rows_;
  LemkeTableau tableau_;
  PrincipalSystem system_;
  StandardForm form_;
  Mat dense_;
  Vec cover_, z_, w_, refined_;
};

const Register<SolverEntry> lemke{{
    .name = "lemke",
    .summary = "Lemke's complementary pivoting, lexicographic, returns the ray",
    .cite = "Lemke 1965; Cottle, Pang, Stone 1992, algorithm 4.4.5",
    .parameters = {integer("max_iterations", 5000, "1", "pivots per attempt").at_least(1),
                   text("cover", "ones",
                        "covering vector d: ones, or the largest |M_ij| of each row")
                       .one_of({"ones", "row-scale"})},
    .make = [](const Parameters& settings) { return std::make_unique<Lemke>(settings); },
}};

}  // namespace

}  // namespace touchstone

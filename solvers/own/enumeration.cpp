#include "solvers/own/enumeration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "solvers/error.hpp"
#include "solvers/own/feasible_point.hpp"
#include "solvers/own/small_linear.hpp"
#include "solvers/solver.hpp"

namespace touchstone {

namespace {

constexpr double singular = 1e-11;    // relative pivot below which M_αα counts as singular
constexpr double same_answer = 1e-7;  // relative distance of solutions that count as one

constexpr double doubt = 1e3;  // × tolerance: a nearer miss is no proof

class Enumeration {
 public:
  /// Calls `found(z)` for every support that has a solution, until it returns false.
  template <class Found>
  void run(const Mat& M, const Vec& q, double tolerance, Found found) {
    const int n = static_cast<int>(q.size());
    nearest_residual_ = std::numeric_limits<double>::infinity();
    for (unsigned long code = 0; code < (1ul << n); ++code) {
      support_.clear();
      for (int i = 0; i < n; ++i)
        if (code >> i & 1ul) support_.push_back(i);
      if (!candidate(M, q, tolerance)) continue;
      z_ = z_.cwiseMax(0.0);
      const double residual = lcp_residual(M, q, z_, w_);
      if (residual <= tolerance && lcp_hides_data(M, q, z_, tolerance, w_)) continue;
      if (residual < nearest_residual_) {
        nearest_residual_ = residual;
        nearest_ = z_;
      }
      if (residual <= tolerance && !found(z_)) return;
    }
  }

  /// The best candidate of the last run, solution or not.
  double nearest_residual() const { return nearest_residual_; }
  const Vec& nearest() const { return nearest_; }

 private:
  /// A point of (1) in z_, as far as the support allows.
  bool candidate(const Mat& M, const Vec& q, double tolerance) {
    if (!system_.solve(M, q, support_, singular, z_)) return vertex(M, q, tolerance);
    // Only prunes; whether a small negative may be clipped is for the residual to say.
    double smallest = 0.0, largest = 1.0;
    for (const int i : support_) {
      smallest = std::min(smallest, z_[i]);
      largest = std::max(largest, z_[i]);
    }
    return smallest >= -1e-6 * largest;
  }

  /// (1) with slacks s_β ≥ 0: [M_αα 0; M_βα −1](z_α, s_β) = −q.
  bool vertex(const Mat& M, const Vec& q, double tolerance) {
    const int n = static_cast<int>(q.size()), k = static_cast<int>(support_.size());
    polyhedron_.resize(n, n);
    int slack = k;
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < k; ++j) polyhedron_.A(i, j) = M(i, support_[j]);
      if (!std::ranges::binary_search(support_, i)) polyhedron_.A(i, slack++) = -1.0;
      polyhedron_.b(i) = -q[i];
    }
    // Whether the point is good enough is for the residual to say; this only prunes.
    const double loose = std::sqrt(tolerance) * std::max(1.0, q.cwiseAbs().maxCoeff());
    if (!polyhedron_.find(loose, x_)) return false;
    z_.setZero(n);
    for (int j = 0; j < k; ++j) z_[support_[j]] = x_[j];
    return true;
  }

  std::vector<int> support_;
  PrincipalSystem system_;
  FeasiblePoint polyhedron_;
  Vec z_, w_, x_, nearest_;
  double nearest_residual_ = 0.0;
};

bool is_new(const std::vector<Vec>& solutions, const Vec& z) {
  return std::ranges::none_of(solutions, [&](const Vec& other) {
    const double size = std::max(1.0, z.size() ? z.maxCoeff() : 0.0);
    return z.size() == 0 || (other - z).cwiseAbs().maxCoeff() <= same_answer * size;
  });
}

class EnumerationSolver final : public Solver {
 public:
  bool accepts(const Problem& problem) const override {
    return std::holds_alternative<Lcp>(problem) && unknowns(problem) <= enumeration_limit;
  }

 private:
  Claim run(const Problem& problem, const Vec&, Tolerance tolerance) override {
    const Lcp& lcp = std::get<Lcp>(problem);
    Claim claim;
    claim.z.setZero(lcp.q.size());
    claim.status = Status::infeasible;
    const auto first = [&](const Vec& z) {
      claim.z = z;
      claim.status = Status::solved;
      return false;
    };
    const double bound = tolerance.bound(problem);
    if (lcp.M.is_sparse())
      enumeration_.run(lcp.M.to_dense(), lcp.q, bound, first);
    else
      enumeration_.run(lcp.M.dense(), lcp.q, bound, first);
    if (claim.status == Status::infeasible && enumeration_.nearest_residual() <= doubt * bound) {
      claim.z = enumeration_.nearest();
      claim.status = Status::inaccurate;
      claim.notes.emplace_back(
          "enumeration: a support misses the tolerance too narrowly to rule it out");
    }
    return claim;
  }

  Enumeration enumeration_;
};

const Register<SolverEntry> enumeration{{
    .name = "enumeration",
    .summary =
        "tries every support of an LCP with up to 16 unknowns; proves that there is no solution",
    .cite = "Cottle, Pang, Stone 1992, section 1.4 (complementary cones)",
    .make = [](const Parameters&) { return std::make_unique<EnumerationSolver>(); },
}};

}  // namespace

std::vector<Vec> all_solutions(const Lcp& problem, double tolerance) {
  validate(problem);
  if (problem.q.size() > enumeration_limit)
    throw InputError(fmt::format("enumeration: {} unknowns; expected at most {}", problem.q.size(),
                                 enumeration_limit));
  std::vector<Vec> solutions;
  Enumeration().run(problem.M.to_dense(), problem.q, tolerance, [&](const Vec& z) {
    if (is_new(solutions, z)) solutions.push_back(z);
    return true;
  });
  return solutions;
}

}  // namespace touchstone

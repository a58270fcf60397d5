/// OSQP 0.6: the operator splitting method for convex quadratic programs
///     min ½xᵀPx + cᵀx  subject to  l ≤ Ax ≤ u,   P positive semidefinite                       (1)
/// (Stellato, Banjac, Goulart, Bemporad, Boyd 2020, OSQP: an operator splitting solver for
/// quadratic programs, algorithm 1). The answer is (x, y) with Px + c + Aᵀy = 0, y ≤ 0 at l, y ≥ 0
/// at u: the library's signs are ours. A complementarity problem l ≤ z ≤ u ⊥ Mz + q with symmetric
/// M is the optimality condition of (1) with P = M, c = q, A = I, and is solved as such.
///
/// A first-order method finds the active constraints long before it has ten digits, and OSQP then
/// solves for the digits directly (its polishing, section 5.2). So the run goes through stages: the
/// termination tolerance starts at 10⁻⁴, polishing follows, the referee's residual decides, and
/// only where it is still too large does the same run go on with a tolerance 10³ times smaller,
/// down to eps_abs and eps_rel.
///
/// Infeasibility claims rest on the library's certificates (section 3.4), to eps_infeasible
/// relative to the size of the certificate.
///
/// The defaults 10⁻¹¹ of both lie below the referee's 10⁻¹⁰, because the library's test is relative
/// to the terms of each row: of 200 random programs 191 passed with 10⁻¹⁰, 195 with 10⁻¹¹.
///
/// Deviations from the library's defaults: ρ is adapted every 50 iterations instead of by the
/// clock, so that a rerun gives the same bits; ten steps of refinement in the polishing, for
/// redundant contacts.

#include <memory>
#include <string>

#include "solvers/solver.hpp"

#if defined(TOUCHSTONE_OSQP) && !__has_include(<osqp_api_functions.h>)
#define TOUCHSTONE_OSQP_0_6
#include <fmt/format.h>
#include <osqp.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <new>
#include <type_traits>
#include <vector>
#endif

namespace touchstone {

namespace {

#ifdef TOUCHSTONE_OSQP_0_6

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double first_stage = 1e-4;      // termination tolerance of the first stage [1]
constexpr double next_stage = 1e-3;       // each further stage multiplies it by this
constexpr double asymmetry = 1e-12;       // relative to the largest entry: still symmetric [1]
constexpr c_int iterations_per_rho = 50;  // a multiple of the termination check's 25

static_assert(std::is_same_v<c_float, double>, "this OSQP was built for single precision");

/// A matrix in the library's format; buffers only grow.
struct Csc {
  std::vector<c_int> start, row;
  std::vector<double> value;
  csc view{};

  enum class Part { all, upper };

  void assign(const Matrix& A, Part part) {
    open(A.cols());
    for (Eigen::Index j = 0; j < A.cols(); ++j) {
      if (A.is_sparse()) {
        for (SpMat::InnerIterator it(A.sparse(), j); it; ++it) put(it.row(), j, it.value(), part);
      } else {
        for (Eigen::Index i = 0; i < A.rows(); ++i) put(i, j, A.dense()(i, j), part);
      }
      start.push_back(static_cast<c_int>(row.size()));
    }
    close(A.rows(), A.cols());
  }

  void assign_identity(Eigen::Index n) {
    open(n);
    for (Eigen::Index j = 0; j < n; ++j) {
      put(j, j, 1.0, Part::all);
      start.push_back(static_cast<c_int>(row.size()));
    }
    close(n, n);
  }

 private:
  void open(Eigen::Index cols) {
    start.clear();
    start.reserve(static_cast<std::size_t>(cols) + 1);
    row.clear();
    value.clear();
    start.push_back(0);
  }
  void put(Eigen::Index i, Eigen::Index j, double a, Part part) {
    if (a == 0.0 || (part == Part::upper && i > j)) return;
    row.push_back(static_cast<c_int>(i));
    value.push_back(a);
  }
  void close(Eigen::Index rows, Eigen::Index cols) {
    view = {static_cast<c_int>(row.size()),
            static_cast<c_int>(rows),
            static_cast<c_int>(cols),
            start.data(),
            row.data(),
            value.data(),
            -1};  // compressed columns, not triplets
  }
};

struct Cleanup {
  void operator()(OSQPWorkspace* work) const { osqp_cleanup(work); }
};
using Workspace = std::unique_ptr<OSQPWorkspace, Cleanup>;

double largest_entry(const SpMat& A) {
  double largest = 0.0;
  for (Eigen::Index j = 0; j < A.outerSize(); ++j)
    for (SpMat::InnerIterator it(A, j); it; ++it) largest = std::max(largest, std::abs(it.value()));
  return largest;
}

bool is_symmetric(const Matrix& M) {
  if (M.rows() != M.cols()) return false;
  if (M.rows() == 0) return true;
  if (M.is_sparse()) {
    const SpMat difference = M.sparse() - SpMat(M.sparse().transpose());
    return largest_entry(difference) <= asymmetry * largest_entry(M.sparse());
  }
  const Mat& dense = M.dense();
  const double slack = asymmetry * dense.cwiseAbs().maxCoeff();
  for (Eigen::Index j = 0; j < dense.cols(); ++j)
    for (Eigen::Index i = 0; i < j; ++i)
      if (!(std::abs(dense(i, j) - dense(j, i)) <= slack)) return false;
  return true;
}

class Osqp final : public Solver {
 public:
  explicit Osqp(const Parameters& settings)
      : eps_abs_(settings.real("eps_abs")),
        eps_rel_(settings.real("eps_rel")),
        max_iterations_(static_cast<int>(settings.integer("max_iterations"))),
        polish_(settings.flag("polish")) {
    osqp_set_default_settings(&settings_);
    settings_.eps_prim_inf = settings_.eps_dual_inf = settings.real("eps_infeasible");
    settings_.polish_refine_iter = 10;
    settings_.adaptive_rho_interval = iterations_per_rho;
    settings_.verbose = 0;
  }

  bool accepts(const Problem& problem) const override {
    if (const Lcp* lcp = std::get_if<Lcp>(&problem)) return is_symmetric(lcp->M);
    if (const Mlcp* mlcp = std::get_if<Mlcp>(&problem)) return is_symmetric(mlcp->M);
    return std::holds_alternative<Qp>(problem);
  }

 private:
  Claim run(const Problem& problem, const Vec& guess, Tolerance tolerance) override {
    load(problem);
    Claim claim;
    claim.z.setZero(unknowns(problem));
    if (data_.n == 0) return without_variables(std::move(claim));
    Workspace work = set_up(claim);
    if (!work) return claim;
    if (guess.size() != 0) start_from(guess, *work);
    go_through_stages(problem, tolerance.bound(problem), *work, claim);
    return claim;
  }

  void load(const Problem& problem) {
    if (const Qp* qp = std::get_if<Qp>(&problem)) {
      P_.assign(qp->P, Csc::Part::upper);
      A_.assign(qp->A, Csc::Part::all);
      c_ = qp->c;
      l_ = qp->l;
      u_ = qp->u;
      is_qp_ = true;
    } else if (const Mlcp* mlcp = std::get_if<Mlcp>(&problem)) {
      load_box(mlcp->M, mlcp->q);
      l_ = mlcp->l;
      u_ = mlcp->u;
    } else {
      const Lcp& lcp = std::get<Lcp>(problem);
      load_box(lcp.M, lcp.q);
      l_.setZero(lcp.q.size());
      u_.setConstant(lcp.q.size(), inf);
    }
    lower_ = l_;
    upper_ = u_;
    l_ = l_.cwiseMax(-OSQP_INFTY);
    u_ = u_.cwiseMin(OSQP_INFTY);
    data_ = {static_cast<c_int>(c_.size()),
             static_cast<c_int>(l_.size()),
             &P_.view,
             &A_.view,
             c_.data(),
             l_.data(),
             u_.data()};
  }

  void load_box(const Matrix& M, const Vec& q) {
    P_.assign(M, Csc::Part::upper);
    A_.assign_identity(q.size());
    c_ = q;
    is_qp_ = false;
  }

  /// The library refuses n = 0; 0 ∈ [l, u] is then all there is to decide.
  Claim without_variables(Claim claim) const {
    for (Eigen::Index i = 0; i < l_.size(); ++i)
      if (l_[i] > 0.0 || u_[i] < 0.0) claim.status = Status::infeasible;
    return claim;
  }

  Workspace set_up(Claim& claim) {
    OSQPWorkspace* raw = nullptr;
    const c_int code = osqp_setup(&raw, &data_, &settings_);
    Workspace work(raw);
    if (code == 0) return work;
    if (code == OSQP_MEM_ALLOC_ERROR) throw std::bad_alloc();
    claim.status = code == OSQP_NONCVX_ERROR ? Status::not_applicable : Status::singular;
    claim.notes.push_back(code == OSQP_NONCVX_ERROR
                              ? std::string("osqp: the quadratic form is not positive semidefinite")
                              : fmt::format("osqp: set-up failed with code {}", code));
    return nullptr;
  }

  void start_from(const Vec& guess, OSQPWorkspace& work) {
    const Eigen::Index n = c_.size();
    x_ = guess.head(n);
    if (is_qp_)
      y_ = guess.tail(l_.size());
    else
      y_.setZero(n);
    osqp_warm_start(&work, x_.data(), y_.data());
  }

  void go_through_stages(const Problem& problem, double bound, OSQPWorkspace& work, Claim& claim) {
    double best = inf;
    const auto goes_on = [&](bool polish) {
      osqp_update_polish(&work, polish);
      osqp_update_max_iter(&work, max_iterations_ - claim.iterations);
      osqp_solve(&work);
      claim.iterations += static_cast<int>(work.info->iter);
      if (!keep_if_better(problem, work, best, claim)) return false;
      if (best <= bound) claim.status = Status::solved;
      return claim.status == Status::inaccurate && claim.iterations < max_iterations_;
    };
    for (double stage = first_stage;; stage *= next_stage) {
      osqp_update_eps_abs(&work, std::max(stage, eps_abs_));
      osqp_update_eps_rel(&work, std::max(stage, eps_rel_));
      if (!goes_on(false)) return;
      if (polish_) {
        const Eigen::Map<const Vec> x(work.solution->x, c_.size()), y(work.solution->y, l_.size());
        x_ = x;
        y_ = y;
        if (!goes_on(true)) return;
        osqp_warm_start(&work, x_.data(), y_.data());
      }
      if (stage <= std::min(eps_abs_, eps_rel_)) return;
    }
  }

  /// Sets status and notes; false when the run is over because there is nothing to solve.
  bool keep_if_better(const Problem& problem, OSQPWorkspace& work, double& best, Claim& claim) {
    switch (work.info->status_val) {
      case OSQP_SOLVED:
      case OSQP_SOLVED_INACCURATE:
        claim.status = Status::inaccurate;  // until the residual says otherwise
        break;
      case OSQP_MAX_ITER_REACHED:
        claim.status = Status::iteration_limit;
        break;
      case OSQP_PRIMAL_INFEASIBLE:
        return give_up(claim, Status::infeasible, "osqp: no x has l ≤ Ax ≤ u");
      case OSQP_DUAL_INFEASIBLE:
        return give_up(claim, Status::infeasible,
                       is_qp_ ? "osqp: the objective is unbounded below"
                              : "osqp: a direction d ≥ 0 with Md = 0 and qᵀd < 0 exists");
      case OSQP_NON_CVX:
        return give_up(claim, Status::not_applicable,
                       "osqp: the quadratic form is not positive semidefinite");
      default:  // "inaccurate" certificates, seen at the iteration limit: no proof
        return give_up(claim, Status::iteration_limit,
                       fmt::format("osqp: stopped as '{}'", work.info->status));
    }
    read(work);
    const double residual = touchstone::residual(problem, z_, referee_).natural;
    if (residual < best) {
      best = residual;
      claim.z = z_;
    }
    return true;
  }

  static bool give_up(Claim& claim, Status status, std::string note) {
    claim.status = status;
    claim.notes.push_back(std::move(note));
    return false;
  }

  /// z of the problem at hand from the library's (x, y). Only for statuses that have a solution: it
  /// fills the vectors of the others with 0x7fc00000 read as a number, which is no NaN.
  void read(const OSQPWorkspace& work) {
    const Eigen::Index n = c_.size(), m = l_.size();
    const Eigen::Map<const Vec> x(work.solution->x, n), y(work.solution->y, m);
    if (is_qp_) {
      z_.resize(n + m);
      z_ << x, y;
    } else {
      z_ = x.cwiseMax(lower_).cwiseMin(upper_);
    }
  }

  double eps_abs_, eps_rel_;
  int max_iterations_;
  bool polish_;
  OSQPSettings settings_{};
  OSQPData data_{};
  Csc P_, A_;
  Vec c_, l_, u_;      // as the library wants them: ±10³⁰ for no bound
  Vec lower_, upper_;  // as the problem has them
  Vec x_, y_, z_;
  RefereeWorkspace referee_;
  bool is_qp_ = true;
};

std::unique_ptr<Solver> make_osqp(const Parameters& settings) {
  return std::make_unique<Osqp>(settings);
}
constexpr const char* why_unavailable = "";

#else

std::unique_ptr<Solver> make_osqp(const Parameters&) { return nullptr; }
#ifdef TOUCHSTONE_OSQP
constexpr const char* why_unavailable =
    "the OSQP found at configuration has another interface than 0.6 (set OSQP_ROOT to a 0.6)";
#else
constexpr const char* why_unavailable =
    "built without OSQP 0.6 (./touchstone fetches it with pip: remove build/deps/osqp to try "
    "again; "
    "or install it and set OSQP_ROOT, then configure again)";
#endif

#endif

const Register<SolverEntry> osqp{{
    .name = "osqp",
    .summary = "OSQP: operator splitting with polishing; convex QP, symmetric PSD (mixed) LCP",
    .cite = "Stellato, Banjac, Goulart, Bemporad, Boyd 2020",
    .parameters =
        {real("eps_abs", 1e-11, "1", "absolute termination tolerance of the last stage").above(0),
         real("eps_rel", 1e-11, "1", "relative termination tolerance of the last stage").above(0),
         real("eps_infeasible", 1e-8, "1", "tolerance of infeasibility certificates").above(0),
         flag("polish", true, "solve for the digits on the active constraints found"),
         integer("max_iterations", 50000, "1", "splitting iterations, over all stages")
             .at_least(1)},
    .unavailable = why_unavailable,
    .make = make_osqp,
}};

}  // namespace

}  // namespace touchstone

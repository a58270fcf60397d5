/// PATH: the stabilised Newton method for mixed complementarity problems l ≤ z ≤ u ⊥ F(z)
/// (Dirkse & Ferris 1995, The PATH solver: a non-monotone stabilization scheme for mixed
/// complementarity problems; Ferris & Munson 1999, Interfaces to PATH 3.0).
///
/// The library is closed, and the user's own: it is loaded at run time, from the file named by
/// TOUCHSTONE_PATH_LIBRARY, else by its usual names. Without a licence (PATH_LICENSE_STRING) it
/// solves up to 300 unknowns with 2000 nonzeros. See path_library.hpp.
///
/// It keeps its options, workspace and output in globals: one solve at a time, behind a mutex. It
/// takes over SIGINT while it solves; an interrupt is handed on to the program afterwards.
///
/// Its convergence test measures another residual than the referee, so it is asked for a tenth of
/// the referee's bound; where it then sees no progress, the referee decides.

#include <fmt/format.h>

#include <cmath>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <limits>
#include <memory>
#include <mutex>
#include <string>

#include "solvers/backends/path_library.hpp"
#include "solvers/solver.hpp"

namespace touchstone {

namespace {

// --- The problem as the library asks for it

/// One solve. The callbacks are C functions: exceptions wait here until the library has returned.
struct Task {
  const Problem& problem;
  const Vec& guess;
  Vec l, u, z, F;
  SpMat J;
  int capacity = 0;   // nonzeros announced
  bool grew = false;  // the Jacobian has more than that
  std::exception_ptr failure{};

  Task(const Problem& p, const Vec& start) : problem(p), guess(start) {}
  bool is_linear() const { return !std::holds_alternative<Mcp>(problem); }

  void load() {
    if (const Lcp* lcp = std::get_if<Lcp>(&problem)) {
      constexpr double inf = std::numeric_limits<double>::infinity();
      l.setZero(lcp->q.size());
      u.setConstant(lcp->q.size(), inf);
      J = lcp->M.to_sparse();
    } else if (const Mlcp* mlcp = std::get_if<Mlcp>(&problem)) {
      l = mlcp->l;
      u = mlcp->u;
      J = mlcp->M.to_sparse();
    } else {
      l = std::get<Mcp>(problem).l;
      u = std::get<Mcp>(problem).u;
    }
    z = guess.size() != 0 ? guess : Vec(Vec::Zero(l.size()));
    z = z.cwiseMax(l).cwiseMin(u);
    if (!is_linear()) std::get<Mcp>(problem).function->jacobian(z, J);
    capacity = static_cast<int>(J.nonZeros());
  }

  void evaluate() {
    if (const Lcp* lcp = std::get_if<Lcp>(&problem)) {
      lcp->M.multiply(z, F);
      F += lcp->q;
    } else if (const Mlcp* mlcp = std::get_if<Mlcp>(&problem)) {
      mlcp->M.multiply(z, F);
      F += mlcp->q;
    } else {
      F.resize(z.size());
      std::get<Mcp>(problem).function->evaluate(z, F);
    }
  }
};

int write_function(Task& task, const double* z, double* F) {
  const Eigen::Index n = task.l.size();
  task.z = Eigen::Map<const Vec>(z, n);
  task.evaluate();
  Eigen::Map<Vec>(F, n) = task.F;
  return static_cast<int>(n - task.F.array().isFinite().count());
}

int write_jacobian(Task& task, const double* z, int* nnz, int* column, int* length, int* row,
                   double* value) {
  if (!task.is_linear()) {
    task.z = Eigen::Map<const Vec>(z, task.l.size());
    std::get<Mcp>(task.problem).function->jacobian(task.z, task.J);
    task.grew = task.grew || task.J.nonZeros() > task.capacity;
    if (task.grew) return 1;
  }
  int k = 0, violations = 0;
  for (Eigen::Index j = 0; j < task.J.cols(); ++j) {
    column[j] = k + 1;
    for (SpMat::InnerIterator it(task.J, j); it; ++it, ++k) {
      row[k] = static_cast<int>(it.row()) + 1;
      value[k] = it.value();
      if (!std::isfinite(it.value())) ++violations;
    }
    length[j] = k + 1 - column[j];
  }
  *nnz = k;
  return violations;
}

extern "C" {
static void path_problem_size(void* data, int* n, int* nnz) {
  const Task& task = *static_cast<Task*>(data);
  *n = static_cast<int>(task.l.size());
  *nnz = task.capacity;
}

static void path_bounds(void* data, int n, double* z, double* l, double* u) {
  const Task& task = *static_cast<Task*>(data);
  for (int i = 0; i < n; ++i) {  // it has filled in its own infinity
    z[i] = task.z[i];
    if (std::isfinite(task.l[i])) l[i] = task.l[i];
    if (std::isfinite(task.u[i])) u[i] = task.u[i];
  }
}

static int path_function(void* data, int, double* z, double* F) {
  Task& task = *static_cast<Task*>(data);
  if (task.failure) return 1;
  try {
    return write_function(task, z, F);
  } catch (...) {
    task.failure = std::current_exception();
    return 1;
  }
}

static int path_jacobian(void* data, int n, double* z, int want_F, double* F, int* nnz, int* column,
                         int* length, int* row, double* value) {
  Task& task = *static_cast<Task*>(data);
  const int violations = want_F ? path_function(data, n, z, F) : 0;
  if (task.failure) return 1;
  try {
    return violations + write_jacobian(task, z, nnz, column, length, row, value);
  } catch (...) {
    task.failure = std::current_exception();
    return 1;
  }
}

static void path_print(void*, int, char*) {}
static void path_flush(void*, int) {}
}

/// Gives SIGINT back to the program.
class InterruptGuard {
 public:
  InterruptGuard() { sigaction(SIGINT, nullptr, &saved_); }
  ~InterruptGuard() { sigaction(SIGINT, &saved_, nullptr); }
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

 private:
  struct sigaction saved_ {};
};

class Path final : public Solver {
 public:
  explicit Path(const Parameters& settings)
      : major_(settings.integer("max_iterations")), minor_(settings.integer("max_pivots")) {}

  bool accepts(const Problem& problem) const override {
    return std::holds_alternative<Lcp>(problem) || std::holds_alternative<Mlcp>(problem) ||
           std::holds_alternative<Mcp>(problem);
  }

 private:
  Claim run(const Problem& problem, const Vec& guess, Tolerance tolerance) override {
    Task task(problem, guess);
    task.load();
    Claim claim;
    claim.z = task.z;
    if (claim.z.size() == 0) return claim;
    const double bound = tolerance.bound(problem);
    int end = call(task, bound, claim);
    if (task.grew) {
      task.grew = false;
      task.load();
      task.capacity = static_cast<int>(task.l.size() * task.l.size());
      claim.notes.emplace_back("path: started again, the Jacobian gained nonzeros");
      end = call(task, bound, claim);
    }
    if (task.failure) std::rethrow_exception(task.failure);
    explain(end, task, claim);
    return claim;
  }

  int call(Task& task, double bound, Claim& claim) const {
    static std::mutex one_at_a_time;
    const std::lock_guard lock(one_at_a_time);
    const PathLibrary& path = path_library();
    const int n = static_cast<int>(task.l.size());
    static PathOutput silence{nullptr, path_print, path_flush};
    path.set_output(&silence);
    if (const char* licence = std::getenv("PATH_LICENSE_STRING")) path.set_license(licence);
    if (!path.check_license(n, task.capacity)) return path_license_error;

    PathOptions* options = path.options_create();
    set_options(path, options, bound);
    PathMcp* mcp = path.mcp_create(n, task.capacity + 1);
    PathInterface interface {
      &task, path_problem_size, path_bounds, path_function, path_jacobian, {}
    };
    path.mcp_interface(mcp, &interface);
    path.mcp_constant_structure(mcp, task.is_linear());
    if (task.is_linear()) path.problem_class(mcp, path_lcp);
    PathInformation information{};
    information.use_start = 1;
    const int end = solve(path, mcp, information);
    claim.z = Eigen::Map<const Vec>(path.mcp_z(mcp), n);
    claim.iterations += information.major_iterations;
    path.mcp_destroy(mcp);
    path.options_destroy(options);
    return end;
  }

  static int solve(const PathLibrary& path, PathMcp* mcp, PathInformation& information) {
    int end = 0;
    {
      const InterruptGuard guard;
      end = path.solve(mcp, &information);
    }
    if (end == path_interrupt) std::raise(SIGINT);
    return end;
  }

  void set_options(const PathLibrary& path, PathOptions* options, double bound) const {
    path.options_add(options);
    path.options_default(options);
    const auto set = [&](const std::string& option) { path.options_set(options, option.c_str()); };
    set("output no");
    set(fmt::format("convergence_tolerance {:.3e}", 0.1 * bound));
    set(fmt::format("major_iteration_limit {}", major_));
    set(fmt::format("cumulative_iteration_limit {}", minor_));
  }

  static void explain(int end, const Task& task, Claim& claim) {
    switch (end) {
      case path_solved:
        claim.status = Status::solved;
        return;
      case path_no_progress:
        claim.status = Status::inaccurate;
        claim.notes.emplace_back("path: no progress, a stationary point");
        return;
      case path_major_limit:
      case path_minor_limit:
      case path_time_limit:
      case path_interrupt:
        claim.status = Status::iteration_limit;
        return;
      case path_infeasible:
        claim.status = Status::infeasible;
        return;
      case path_license_error:
        claim.status = Status::not_applicable;
        claim.notes.push_back(
            fmt::format("path: {} unknowns with {} nonzeros need a licence; without one it solves "
                        "300 with 2000 (set PATH_LICENSE_STRING)",
                        task.l.size(), task.capacity));
        return;
      default:
        claim.status = Status::inaccurate;
        claim.notes.push_back(fmt::format("path: ended with code {}", end));
    }
  }

  long major_, minor_;
};

const Register<SolverEntry> path{{
    .name = "path",
    .summary = "PATH, from the user's own library: stabilised Newton; LCP, mixed LCP, MCP",
    .cite = "Dirkse, Ferris 1995; Ferris, Munson 1999",
    .parameters =
        {integer("max_iterations", 500, "1", "Newton (major) iterations").at_least(1),
         integer("max_pivots", 100000, "1", "pivots (minor iterations), over all").at_least(1)},
    .unavailable = path_library().unavailable,
    .make = [](const Parameters& settings) { return std::make_unique<Path>(settings); },
}};

}  // namespace

}  // namespace touchstone

#include "solvers/backends/siconos.hpp"

#include <fmt/format.h>

#include <algorithm>

#ifdef TOUCHSTONE_HAVE_SICONOS
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cmath>
#include <csetjmp>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <mutex>

extern "C" {
#include <NumericsVerbose.h>
#include <SolverOptions.h>
#include <sn_error_handling.h>
}
#endif

namespace touchstone {

std::string siconos_unavailable() {
#ifdef TOUCHSTONE_HAVE_SICONOS
  return {};
#else
  return "Siconos numerics was not found when Touchstone was built; install "
         "libsiconos-numerics-dev (Debian, Ubuntu) and build again";
#endif
}

RegisterSiconos::RegisterSiconos(std::span<const SiconosMethod> table, SiconosMaker maker) {
  for (const SiconosMethod& method : table) {
    SolverEntry entry;
    entry.name = method.name;
    entry.summary =
        method.isolated ? fmt::format("{} (in a child process)", method.summary) : method.summary;
    entry.cite = method.cite;
    entry.parameters = {
        integer("max_iterations", method.max_iterations, "1", "iterations or pivots of one call")
            .at_least(1),
        flag("child_process", method.isolated,
             "call the library in a child process, so that it can neither print "
             "nor end the program"),
        real("time_limit", 0.0, "s",
             "a child process is ended after so much processor time; 0: never")
            .at_least(0)};
    entry.unavailable = siconos_unavailable();
    entry.make = [&method, maker](const Parameters& settings) -> std::unique_ptr<Solver> {
      if (!siconos_unavailable().empty()) throw InputError(siconos_unavailable());
      return maker(method, settings);
    };
    Registry<SolverEntry>::instance().add(std::move(entry));
  }
}

#ifdef TOUCHSTONE_HAVE_SICONOS

namespace {

constexpr int attempts = 4;
constexpr double smallest_tolerance = 1e-16;  // below, no residual in doubles ever passes

std::mutex& library_mutex() {
  static std::mutex mutex;
  return mutex;
}

/// Two BLAS threads cost up to 30 times the CPU of one at these sizes.
void use_one_blas_thread() {
  static const bool done = [] {
    using Set = void (*)(int);
    if (const auto set = reinterpret_cast<Set>(dlsym(RTLD_DEFAULT, "openblas_set_num_threads")))
      set(1);
    return true;
  }();
  static_cast<void>(done);
}

/// What a child reports, in memory shared with it; `values` follow.
struct Report {
  int finished;  // 1: returned, 2: numerics_error
  int info;
  int iterations;
  double seconds;  // of the call itself
  std::array<char, 160> failure;
};

/// Anonymous shared memory for a Report and n doubles.
class SharedReport {
 public:
  explicit SharedReport(Eigen::Index n)
      : bytes_(sizeof(Report) + alignof(double) + static_cast<std::size_t>(n) * sizeof(double)),
        memory_(mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)) {}
  ~SharedReport() {
    if (valid()) munmap(memory_, bytes_);
  }
  SharedReport(const SharedReport&) = delete;
  SharedReport& operator=(const SharedReport&) = delete;

  bool valid() const { return memory_ != MAP_FAILED; }
  Report& report() { return *static_cast<Report*>(memory_); }
  double* values() {
    constexpr std::size_t offset =
        (sizeof(Report) + alignof(double) - 1) / alignof(double) * alignof(double);
    return reinterpret_cast<double*>(static_cast<char*>(memory_) + offset);
  }

 private:
  std::size_t bytes_;
  void* memory_;
};

void leave_child() { _exit(EXIT_FAILURE); }

/// Silent, without core files, gone with its parent; an exit() of the library must not run the
/// parent's clean-up a second time, so the handler registered last (and called first) leaves.
void settle_in_child(double time_limit) {
  const int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (null >= 0) {
    dup2(null, STDOUT_FILENO);
    dup2(null, STDERR_FILENO);
  }
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  std::signal(SIGABRT, SIG_DFL);
  std::atexit(leave_child);
  if (time_limit <= 0.0) return;
  const double whole = std::floor(time_limit);
  const auto rest = static_cast<suseconds_t>(1e6 * (time_limit - whole));
  const itimerval limit{{0, 0}, {static_cast<time_t>(whole), rest}};
  setitimer(ITIMER_PROF, &limit, nullptr);  // SIGPROF ends the child
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

void SiconosSolver::give_up(const char* why) {
  std::strncpy(failure_.data(), why, failure_.size() - 1);
  sn_fatal_error(SN_UNKOWN_ERROR, failure_.data());
  std::abort();  // not reached: drive runs under a jump buffer
}

SolverOptions* SiconosSolver::open_options(const Step& step, bool limited) const {
  SolverOptions* const options = solver_options_create(method_.id);
  options->dparam[SICONOS_DPARAM_TOL] = step.tolerance;
  if (limited) options->iparam[SICONOS_IPARAM_MAX_ITER] = static_cast<int>(max_iterations_);
  return options;
}

void SiconosSolver::close_options(SolverOptions* options, Step& step) {
  step.iterations = options->iparam[SICONOS_IPARAM_ITER_DONE];
  solver_options_delete(options);  // the members; the struct is ours
  std::free(options);
}

void SiconosSolver::start_from(const Vec& guess, Eigen::Index n) {
  if (guess.size() > 0)
    x_ = guess;
  else
    x_.setZero(n);
  w_.setZero(n);
}

SiconosSolver::End SiconosSolver::call_here(Step& step) {
  numerics_set_verbose(0);
  if (setjmp(*sn_get_jmp_buf()) != 0) return End::error;
  drive(step);
  sn_release_jmp_buf();
  return End::returned;
}

SiconosSolver::End SiconosSolver::call_in_child(Step& step, std::string& note) {
  const auto start = std::chrono::steady_clock::now();
  SharedReport shared(x_.size());
  if (!shared.valid()) {
    note = fmt::format("siconos: no shared memory for the child process: {}", std::strerror(errno));
    return End::died;
  }
  const pid_t child = fork();
  if (child < 0) {
    note = fmt::format("siconos: no child process: {}", std::strerror(errno));
    return End::died;
  }
  if (child == 0) {
    settle_in_child(time_limit_);
    const auto called = std::chrono::steady_clock::now();
    const End end = call_here(step);
    shared.report().seconds = seconds_since(called);
    std::copy_n(x_.data(), x_.size(), shared.values());
    shared.report().info = step.info;
    shared.report().iterations = step.iterations;
    shared.report().failure = failure_;
    shared.report().finished = end == End::returned ? 1 : 2;
    _exit(EXIT_SUCCESS);
  }
  int state = 0;
  while (waitpid(child, &state, 0) < 0 && errno == EINTR) {
  }
  const Report& report = shared.report();
  if (report.finished == 0) {
    note = WIFSIGNALED(state) && WTERMSIG(state) == SIGPROF
               ? fmt::format("siconos: ended by its time limit of {} s", time_limit_)
           : WIFSIGNALED(state)
               ? fmt::format("siconos: the method died of signal {} ({}) in its child process",
                             WTERMSIG(state), strsignal(WTERMSIG(state)))
               : "siconos: the method ended its child process";
    return End::died;
  }
  step.info = report.info;
  step.iterations = report.iterations;
  failure_ = report.failure;
  step.overhead += seconds_since(start) - report.seconds;
  std::copy_n(shared.values(), x_.size(), x_.data());
  return report.finished == 1 ? End::returned : End::error;
}

SiconosSolver::End SiconosSolver::call(Step& step, std::string& note) {
  const std::scoped_lock lock(library_mutex());
  use_one_blas_thread();
  failure_[0] = '\0';
  const End end = child_process_ ? call_in_child(step, note) : call_here(step);
  if (end == End::error)
    note = fmt::format("siconos: stopped: {}", failure_[0] ? failure_.data() : "internal error");
  return end;
}

Claim SiconosSolver::run(const Problem& problem, const Vec& guess, Tolerance tolerance) {
  Claim claim;
  claim.z.setZero(unknowns(problem));
  if (claim.z.size() == 0) return claim;
  load(problem, guess, claim.notes);
  const double bound = tolerance.bound(problem), scale = residual_scale();
  Step step;
  step.tolerance = std::max(bound / (scale > 0.0 ? scale : 1.0), smallest_tolerance);
  RefereeWorkspace workspace;
  for (int attempt = 1;; ++attempt) {
    std::string note;
    step.info = -1;
    step.iterations = 0;
    const End end = call(step, note);
    if (end != End::died) read(claim.z);
    claim.iterations += step.iterations;
    claim.overhead = step.overhead;
    const Residual measured = residual(problem, claim.z, workspace);
    const double reached = measured.natural;
    claim.status = acceptable(measured, bound) ? Status::solved : Status::inaccurate;
    if (!note.empty()) claim.notes.push_back(std::move(note));
    if (claim.status == Status::solved || end != End::returned) return claim;
    if (step.info != 0) {
      if (step.iterations >= max_iterations_) claim.status = Status::iteration_limit;
      claim.notes.push_back(fmt::format("siconos: info = {}", step.info));
      return claim;
    }
    // Siconos is content, the referee is not.
    const double smaller = 0.1 * step.tolerance * bound / reached;
    if (!method_.restarts || attempt == attempts || !(smaller > smallest_tolerance)) return claim;
    claim.notes.push_back(fmt::format(
        "siconos: went on with tolerance {:.1e} instead of {:.1e}: residual {:.1e} after success",
        smaller, step.tolerance, reached));
    step.tolerance = smaller;
  }
}

#endif

}  // namespace touchstone

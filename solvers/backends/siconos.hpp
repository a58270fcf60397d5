#pragma once

/// Siconos numerics (Acary, Brémond, Huber, Pérignon; Inria; Debian: libsiconos-numerics-dev 4.4)
/// behind the referee. A file per problem class holds a table of its methods and the one way they
/// are called; this header holds what they share.
///
/// What the library really does, and what is done about it here:
/// - Its success code is no proof: NaN can count as success, and residuals are divided by norms of
///   data, forces and velocities. A claim is measured with the referee's residual; where it is too
///   large although Siconos was content, iterative methods go on from there with a smaller
///   tolerance, which the notes say.
/// - An LCP of size 1 is "solved" unchecked unless trivial cases are skipped: they are.
/// - numerics_error() aborts the process unless a jump buffer is set: it is. The message it leaves
///   lies on a dead stack and is not read.
/// - Some methods print whatever the verbosity (a singular matrix in a Newton step is announced on
///   stderr; assertions are live in Debian's build: NSGS asserts Wₙₙ > 0, Lemke that no ratio is
///   NaN) or end the process. Those run in a forked child with its output discarded, and the death
///   of the child is an answer like any other. A fork costs about a millisecond: the child takes
///   the time of the call itself, and the rest is the answer's `overhead`.
/// - It is not thread-safe (MUMPS, static workspaces): one mutex serialises all calls.
/// - OpenBLAS is set to one thread, for the whole process, where it is the BLAS.
/// - NSGS, NSN, ADMM and enumeration leak up to 120 bytes per call.
/// Left out: what the package has compiled out (PATH, GAMS, QP, NSQP), what is unreliable there
/// (CPG, BARD, PIVOT_LUMOD, PSOR, NSGSV, HP, DSFP, NSN_NM), LATIN, PIVOT, PATHSEARCH, CONVEXQP_PG
/// and the DIRECT_* and FB methods for the mixed LCP (they print and add no other algorithm worth a
/// child), and "SOCLCP", which solves another problem.

#include <array>
#include <span>
#include <string>
#include <vector>

#include "solvers/solver.hpp"

struct SolverOptions;  // of Siconos

namespace touchstone {

/// One row of a table: a method of Siconos by its number.
struct SiconosMethod {
  const char* name;
  int id;               // as in Siconos' *_cst.h
  long max_iterations;  // default of the setting
  bool restarts;        // goes on from a given z, so that a smaller tolerance can be asked for
  bool isolated;        // default of `child_process`: it may print or end the process
  const char* summary;
  const char* cite;
};

/// Why no entry can be used; empty when the library was there at build time.
std::string siconos_unavailable();

using SiconosMaker = std::unique_ptr<Solver> (*)(const SiconosMethod&, const Parameters&);

/// Registers every row of a table; `max_iterations`, `child_process` and `time_limit` are the
/// settings they share.
struct RegisterSiconos {
  RegisterSiconos(std::span<const SiconosMethod> table, SiconosMaker maker);
};

/// The call path shared by all classes. `run` loads the problem, then calls `drive` as often as the
/// referee asks for.
class SiconosSolver : public Solver {
 public:
  SiconosSolver(const SiconosMethod& method, const Parameters& settings)
      : method_(method),
        max_iterations_(settings.integer("max_iterations")),
        child_process_(settings.flag("child_process")),
        time_limit_(settings.real("time_limit")) {}

 protected:
  const SiconosMethod& method() const { return method_; }
  long max_iterations() const { return max_iterations_; }

  /// Brings the problem into Siconos' form and a start into x_ (as many as its unknowns there).
  /// What was done to the problem goes to `notes`.
  virtual void load(const Problem& problem, const Vec& guess, std::vector<std::string>& notes) = 0;

  struct Step {
    double tolerance = 0.0;
    int info = -1;
    int iterations = 0;
    double overhead = 0.0;  // [s] of the child process
  };
  /// Calls Siconos once, from x_ and to x_. Runs under a jump buffer: no object with a destructor
  /// may live in it.
  virtual void drive(Step& step) = 0;

  /// Options of the method for one call, with its tolerance and (unless it has none) its limit.
  SolverOptions* open_options(const Step& step, bool limited = true) const;
  /// Reads the iterations and frees everything.
  static void close_options(SolverOptions* options, Step& step);

  /// x_ and w_ of n entries: the guess, or zero.
  void start_from(const Vec& guess, Eigen::Index n);

  /// z of the problem from x_.
  virtual void read(Vec& z) const { z = x_; }

  /// What Siconos divides its residual by at the start.
  virtual double residual_scale() const { return 1.0; }

  /// Leaves `drive` from a callback: the call ends as an error with this text in the notes. Called
  /// where no object with a destructor is alive, for Siconos' frames are jumped over.
  [[noreturn]] void give_up(const char* why);

  Vec x_, w_;

 private:
  enum class End { returned, error, died };
  Claim run(const Problem& problem, const Vec& guess, Tolerance tolerance) final;
  End call(Step& step, std::string& note);
  End call_here(Step& step);
  End call_in_child(Step& step, std::string& note);

  const SiconosMethod& method_;
  long max_iterations_;
  bool child_process_;
  double time_limit_;                // [s] of a child process; 0: none
  std::array<char, 160> failure_{};  // of `give_up`; plain memory, so that a child can hand it on
};

}  // namespace touchstone

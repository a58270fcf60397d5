#pragma once

/// One solver on one problem, measured so that solvers can be compared.
///
/// Accuracy. Every answer is judged at one bound on the referee's natural residual,
///     ‖z − mid(l, u, z − F(z))‖∞ ≤ absolute + relative·‖q‖∞,                               (1)
/// and every solver is asked for a tenth of it, so that round-off in its own stopping test decides
/// nothing. The solver's word does not count: an answer within (1) is a success, any other is not.
///
/// Time. The smallest of some calls in a row on a warm workspace; of calls in a child process the
/// time inside the child. A repeat counts only if it gives the same bits after the same number of
/// iterations, and a solver whose repeats are too much faster than its first call is charged the
/// first call: it remembers.

#include <string>
#include <vector>

#include "solvers/solver.hpp"

namespace touchstone {

struct MeasureSettings {
  Tolerance bound{1e-9, 0.0};    // of (1)
  int repeats = 5;               // calls after the first one, at most
  double repeat_seconds = 0.05;  // no further repeats after so long [s]
  double time_limit = 10.0;      // of processor time; an answer that took more is none [s]
};

/// What a comparison may hold against a measured answer; the text is for tables.
namespace flags {
inline constexpr const char* trivial = "trivial";             // the start solves the problem
inline constexpr const char* no_iterations = "0 iterations";  // and yet not trivial
inline constexpr const char* remembers = "remembers";         // repeats ≪ first call
inline constexpr const char* repeats_differ = "repeats differ";
inline constexpr const char* over_time = "time limit";
inline constexpr const char* same_bits = "same bits as ";  // followed by the other solver
}  // namespace flags

/// One row of a profile.
struct Row {
  std::string problem, problem_class, solver;
  long unknowns = 0;
  Status status = Status::not_applicable;  // the solver's, at the tolerance asked for
  bool success = false;                    // by (1), in time
  double residual = 0.0, bound = 0.0;
  int iterations = 0;
  double seconds = 0.0;        // as described above
  double first_seconds = 0.0;  // of the first call
  double overhead = 0.0;       // of its child process, in none of the two
  std::string fingerprint;     // of z: equal bits, equal text
  std::vector<std::string> flags{};
  std::string notes;

  bool accepted() const { return status != Status::not_applicable; }
  bool has(const std::string& flag) const;
};

/// Whether the start (where empty: z = 0, clipped to the bounds) satisfies (1): nothing to compare
/// on such a problem.
bool is_trivial(const Problem& problem, const Vec& start, double bound);

/// Fills everything but the names. `trivial` as `is_trivial` has it.
Row measure(Solver& solver, const Problem& problem, const Vec& start, bool trivial,
            const MeasureSettings& settings);

}  // namespace touchstone

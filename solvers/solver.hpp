#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "solvers/parameters.hpp"
#include "solvers/problem.hpp"
#include "solvers/referee.hpp"
#include "solvers/registry.hpp"

namespace touchstone {

/// Why a solve ended. A backend's `solved` is a claim: one that fails the referee is `inaccurate`.
enum class Status {
  solved,
  inaccurate,       // finished, but the residual is above the tolerance
  iteration_limit,  // stopped by its limit
  ray,              // secondary ray: Answer::ray holds it
  singular,         // a linear system had no usable solution
  infeasible,       // proved that there is no solution
  not_applicable,   // the solver does not accept this problem
  unavailable       // the library behind it is missing: Answer::notes says why
};
std::string to_string(Status status);
Status status_from_string(const std::string& name);

/// τ = absolute + relative · data_scale(problem): the residual that is asked for. When an answer
/// meets it is for the referee to say, which knows what double precision allows: `acceptable`.
struct Tolerance {
  double absolute = 1e-10;
  double relative = 1e-12;
  double bound(const Problem& problem) const { return absolute + relative * data_scale(problem); }
};

/// Unbounded direction found by a pivoting method: w = Mz + q + z0·d stays feasible along
/// (z, z0) → (z, z0) + α (direction, cover).
struct Ray {
  Vec direction;       // z-part
  double cover = 0.0;  // z0-part
  bool empty() const { return direction.size() == 0; }
};

/// What a solver says.
struct Claim {
  Vec z;
  Status status = Status::solved;
  int iterations = 0;
  Ray ray{};
  std::vector<std::string>
      notes{};            // whatever was done to the problem: regularisation, fallback, retry
  double overhead = 0.0;  // [s] of the call that is not the method's work: a child process
};

/// What the solver layer answers: the claim, measured and timed.
struct Answer {
  Vec z;
  Status status = Status::solved;
  Residual residual{};
  int iterations = 0;
  double seconds = 0.0;   // wall time of the call
  double overhead = 0.0;  // [s] of it that is not the method's work: starting a child process
  Ray ray{};
  std::vector<std::string> notes{};
  bool ok() const { return status == Status::solved; }
};

/// A solver object belongs to one thread: it keeps its workspace, and may keep a warm start,
/// between calls. Results never depend on earlier calls unless the entry documents a warm start.
class Solver {
 public:
  virtual ~Solver() = default;
  virtual bool accepts(const Problem& problem) const = 0;

  /// Times the solver, measures its answer and judges its claim. Not virtual: the referee cannot be
  /// bypassed. `guess` may be empty. A problem that is not accepted, or is no sound problem (NaN,
  /// sizes that do not fit: see `defect`), gives `not_applicable` with the reason in the notes.
  /// An answer with NaN is never handed on: z is zero then, with an infinite residual and a note.
  Answer solve(const Problem& problem, const Vec& guess = {}, Tolerance tolerance = {});

 private:
  virtual Claim run(const Problem& problem, const Vec& guess, Tolerance tolerance) = 0;

  RefereeWorkspace workspace_;
};

struct SolverEntry {
  static constexpr const char* kind = "solver";
  std::string name;
  std::string summary;
  std::string cite;           // the algorithm's reference
  Parameters parameters{};    // its own settings, reached as solver.NAME
  std::string unavailable{};  // empty, or why it cannot be used here and what to install
  std::function<std::unique_ptr<Solver>(const Parameters&)> make{};
};

/// A ready solver by name; InputError when it is unknown or unavailable (with the reason).
/// `settings` replaces the entry's defaults by name and may name only some of them.
std::unique_ptr<Solver> make_solver(const std::string& name);
std::unique_ptr<Solver> make_solver(const std::string& name, const Parameters& settings);

}  // namespace touchstone

#include "solvers/solver.hpp"

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <limits>
#include <stdexcept>

namespace touchstone {

namespace {

constexpr std::array<const char*, 8> status_names = {
    "solved",   "inaccurate", "iteration_limit", "ray",
    "singular", "infeasible", "not_applicable",  "unavailable"};

Answer refused(std::string reason) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  Answer answer;
  answer.status = Status::not_applicable;
  answer.residual = {inf, inf, inf, inf};
  answer.notes.push_back(std::move(reason));
  return answer;
}

/// The referee's word against the solver's: it alone decides between solved and inaccurate.
Status judge(Status claimed, bool accurate) {
  if (claimed == Status::solved && !accurate) return Status::inaccurate;
  if (claimed == Status::inaccurate && accurate) return Status::solved;
  return claimed;
}

}  // namespace

std::string to_string(Status status) { return status_names.at(static_cast<std::size_t>(status)); }

Status status_from_string(const std::string& name) {
  for (std::size_t i = 0; i < status_names.size(); ++i)
    if (name == status_names[i]) return static_cast<Status>(i);
  throw InputError(unknown_name("status", name, {status_names.begin(), status_names.end()}));
}

Answer Solver::solve(const Problem& problem, const Vec& guess, Tolerance tolerance) {
  if (!accepts(problem))
    return refused(fmt::format("this solver does not accept this {}", problem_class(problem)));
  if (std::string cause = defect(problem); !cause.empty())
    return refused(fmt::format("{}: {}", problem_class(problem), cause));
  if (guess.size() != 0 && guess.size() != unknowns(problem))
    throw std::invalid_argument(
        fmt::format("the guess has {} entries; expected {}", guess.size(), unknowns(problem)));

  const auto start = std::chrono::steady_clock::now();
  Claim claim = run(problem, guess, tolerance);
  const auto stop = std::chrono::steady_clock::now();

  Answer answer;
  answer.seconds = std::chrono::duration<double>(stop - start).count();
  answer.overhead = claim.overhead;
  answer.residual = residual(problem, claim.z, workspace_);
  const double bound = tolerance.bound(problem);
  answer.status = judge(claim.status, acceptable(answer.residual, bound));
  answer.z = std::move(claim.z);
  if (!answer.z.allFinite()) {
    answer.z.setZero(unknowns(problem));
    claim.notes.emplace_back("the solver's answer held NaN or infinity; z = 0 stands for it");
  }
  answer.iterations = claim.iterations;
  answer.ray = std::move(claim.ray);
  answer.notes = std::move(claim.notes);
  if (answer.status == Status::inaccurate && hides_data(answer.residual, bound))
    answer.notes.push_back(
        fmt::format("referee: the round-off of F(z), {:.1e}, hides the data of size {:.1e}",
                    answer.residual.round_off, answer.residual.data));
  return answer;
}

std::unique_ptr<Solver> make_solver(const std::string& name) { return make_solver(name, {}); }

std::unique_ptr<Solver> make_solver(const std::string& name, const Parameters& settings) {
  const SolverEntry& entry = Registry<SolverEntry>::instance().find(name);
  if (!entry.unavailable.empty())
    throw InputError(fmt::format("solver '{}' is unavailable: {}", name, entry.unavailable));
  Parameters resolved = entry.parameters;
  for (const Parameter& parameter : settings.all()) resolved.set(parameter.name, parameter.value);
  return entry.make(resolved);
}

}  // namespace touchstone

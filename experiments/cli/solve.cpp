#include <fmt/format.h>

#include "experiments/cli/commands.hpp"

namespace touchstone {

namespace {

/// The usual tolerance, but never above 1e-9 of the data: friction problems of the collections have
/// ‖q‖ from 1e-3 to 1e3.
Tolerance tolerance_for(const Problem& problem) {
  constexpr double relative = 1e-9;
  const double scale = data_scale(problem);
  Tolerance tolerance;
  if (scale > 0.0) tolerance.absolute = std::min(tolerance.absolute, relative * scale);
  return tolerance;
}

std::vector<std::string> row(const std::string& name, const Answer& answer, double scale) {
  const auto number = [](double value) {
    return std::isfinite(value) ? fmt::format("{:.2e}", value) : "-";
  };
  return {name,
          to_string(answer.status),
          number(answer.residual.natural),
          scale > 0.0 ? number(answer.residual.natural / scale) : "-",
          answer.residual.physical ? number(*answer.residual.physical) : "-",
          std::to_string(answer.iterations),
          fmt::format("{:.1f}", 1e6 * answer.seconds),
          fmt::format("{}", fmt::join(answer.notes, "; "))};
}

std::vector<const SolverEntry*> chosen_solvers(const std::optional<std::string>& name) {
  if (name) return {&Registry<SolverEntry>::instance().find(*name)};
  return Registry<SolverEntry>::instance().all();
}

}  // namespace

bool solve_command(const std::string& file, const Choice& choice) {
  const Problem problem = read_any_problem(file);
  const double scale = data_scale(problem);
  fmt::print("{}: {} with {} unknowns\n\n", file, problem_class(problem), unknowns(problem));
  Table table{{"solver", "status", "residual", "residual/|q|", "physical [m/s]", "iterations",
               "time [us]", "notes"}};
  bool solved = false;
  for (const SolverEntry* entry : chosen_solvers(choice.solver)) {
    if (!entry->unavailable.empty()) {
      table.push_back({entry->name, "unavailable", "-", "-", "-", "-", "-", entry->unavailable});
      continue;
    }
    const Answer answer = make_solver(entry->name)->solve(problem, {}, tolerance_for(problem));
    if (answer.status == Status::not_applicable && !choice.solver) continue;
    solved = solved || answer.ok();
    table.push_back(row(entry->name, answer, scale));
  }
  fmt::print("{}", format_table(table));
  return solved;
}

}  // namespace touchstone

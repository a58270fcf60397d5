#include <fmt/format.h>

#include "experiments/cli/commands.hpp"
#include "solvers/fclib.hpp"
#include "solvers/problem_file.hpp"

namespace touchstone {

namespace {

std::vector<std::string> row(const std::string& name, const Answer& answer) {
  const auto number = [](double value) {
    return std::isfinite(value) ? fmt::format("{:.2e}", value) : "-";
  };
  return {name,
          to_string(answer.status),
          number(answer.residual.natural),
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
  const bool is_fclib = file.ends_with(".hdf5") || file.ends_with(".h5");
  const Problem problem = is_fclib ? Problem(read_fclib(file)) : read_problem(file);
  fmt::print("{}: {} with {} unknowns\n\n", file, problem_class(problem), unknowns(problem));
  Table table{
      {"solver", "status", "residual", "physical [m/s]", "iterations", "time [us]", "notes"}};
  bool solved = false;
  for (const SolverEntry* entry : chosen_solvers(choice.solver)) {
    if (!entry->unavailable.empty()) {
      table.push_back({entry->name, "unavailable", "-", "-", "-", "-", entry->unavailable});
      continue;
    }
    const Answer answer = make_solver(entry->name)->solve(problem);
    if (answer.status == Status::not_applicable && !choice.solver) continue;
    solved = solved || answer.ok();
    table.push_back(row(entry->name, answer));
  }
  fmt::print("{}", format_table(table));
  return solved;
}

}  // namespace touchstone

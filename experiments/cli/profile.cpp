#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "experiments/cli/commands.hpp"

namespace touchstone {

namespace {

/// results/profiles/NAME, from what is profiled.
std::filesystem::path default_folder(const std::vector<std::string>& sources) {
  std::string name;
  for (const std::string& source : sources) {
    const std::filesystem::path path = std::filesystem::path(source).lexically_normal();
    const std::string last =
        (path.has_filename() ? path : path.parent_path()).filename().stem().string();
    name += (name.empty() ? "" : "+") + last;
  }
  std::replace(name.begin(), name.end(), ':', '-');
  return default_results("profiles") / name;
}

std::string ratio_text(double ratio) {
  return std::isfinite(ratio) ? fmt::format("{:.2f}", ratio) : "inf";
}

void print_class(const std::string& name, int common, const Profile& profile) {
  Table table{{"solver", "solved", "of", "%", "median residual", "worst", "iterations", "time [us]",
               "ratio", "fastest", "remarks"}};
  for (const SolverSummary& s : profile.solvers) {
    if (s.problem_class != name) continue;
    std::string remark = s.remark;
    if (s.not_accepted > 0)
      remark += fmt::format("{}{} not accepted", remark.empty() ? "" : "; ", s.not_accepted);
    if (s.child_process) remark += std::string(remark.empty() ? "" : "; ") + "child process";
    const bool any = s.solved > 0;
    table.push_back({s.solver, std::to_string(s.solved), std::to_string(s.tried),
                     fmt::format("{:.2f}", s.tried ? 100.0 * s.solved / s.tried : 0.0),
                     any ? fmt::format("{:.1e}", s.median_residual) : "-",
                     any ? fmt::format("{:.1e}", s.worst_residual) : "-",
                     any ? fmt::format("{:g}", s.median_iterations) : "-",
                     any ? fmt::format("{:.1f}", 1e6 * s.median_seconds) : "-",
                     ratio_text(s.median_ratio), s.ranked ? std::to_string(s.fastest) : "-",
                     remark});
  }
  fmt::print("{}: {} problems that every solver was tried on and that are not trivial\n\n{}\n",
             name, common, format_table(table));
}

/// Problems that no solver solved.
std::size_t unsolved(const std::vector<Row>& rows) {
  std::set<std::string> all, solved;
  for (const Row& row : rows) {
    all.insert(row.problem);
    if (row.success) solved.insert(row.problem);
  }
  return all.size() - solved.size();
}

}  // namespace

bool profile_command(const std::vector<std::string>& sources, const ProfileOptions& options,
                     const Choice& choice) {
  const auto& classes = {"lcp", "mlcp", "mcp", "qp", "friction-contact"};
  if (options.problem_class && std::none_of(classes.begin(), classes.end(), [&](const char* name) {
        return *options.problem_class == name;
      }))
    throw InputError(
        unknown_name("problem class", *options.problem_class, {classes.begin(), classes.end()}));
  const Tolerance& bound = options.measure.bound;
  if (!(bound.absolute >= 0.0 && bound.relative >= 0.0 && bound.absolute + bound.relative > 0.0))
    throw InputError("--tolerance and --relative: expected numbers from 0 on, one of them above 0");
  const auto folder = choice.out ? std::filesystem::path(*choice.out) : default_folder(sources);
  const ProfileRun run = run_profile(sources, options, folder);
  fmt::print(
      "natural residual <= {:g} + {:g} |q|; times at that accuracy; failures count as inf\n\n",
      bound.absolute, bound.relative);
  for (const auto& [name, common] : run.profile.common) print_class(name, common, run.profile);
  if (!run.profile.refusing.empty())
    fmt::print("accept none of these problems: {}\n", fmt::join(run.profile.refusing, ", "));
  for (const auto& [name, reason] : run.unavailable)
    fmt::print("unavailable: {}: {}\n", name, reason);
  const std::size_t open = unsolved(run.rows);
  fmt::print("{} rows ({} of them already on disk), {} problems that no solver solved\n{}\n",
             run.rows.size(), run.found, open, folder.string());
  std::fflush(stdout);
  if (std::filesystem::exists(project_root() / "paper_figures" / "performance_profile.py"))
    run_script("performance_profile", {folder.string()});
  return open == 0;
}

}  // namespace touchstone

#include "experiments/profile/guard.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

namespace touchstone {

namespace {

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double twin_share = 0.9;  // equal answers among those that both have
constexpr int fewest_equal = 3;
constexpr double idle_share = 0.5;  // answers after 0 iterations

double median(std::vector<double> values) {
  if (values.empty()) return 0.0;
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  if (values.size() % 2 == 1 || values[middle] == inf) return values[middle];
  return 0.5 * (values[middle - 1] + values[middle]);
}

using Rows = std::map<std::string, Row*>;  // by problem

/// The rows of one problem class by solver, then by problem.
using Class = std::map<std::string, Rows>;

bool comparable(const Row& row) { return row.success && !row.has(flags::trivial); }

SolverSummary summary_of(const std::string& solver, const Rows& rows) {
  SolverSummary s;
  s.solver = solver;
  s.problem_class = rows.begin()->second->problem_class;
  std::vector<double> residuals, iterations, seconds;
  int counted = 0;
  for (const auto& [problem, row] : rows) {
    s.tried += row->accepted() ? 1 : 0;
    s.not_accepted += row->accepted() ? 0 : 1;
    s.child_process = s.child_process || row->overhead > 0.0;
    if (!row->success) continue;
    ++s.solved;
    residuals.push_back(row->residual);
    iterations.push_back(row->iterations);
    seconds.push_back(row->seconds);
    counted += comparable(*row) ? 1 : 0;
    s.no_iterations += row->has(flags::no_iterations) ? 1 : 0;
  }
  s.median_residual = median(residuals);
  s.worst_residual =
      residuals.empty() ? 0.0 : *std::max_element(residuals.begin(), residuals.end());
  s.median_iterations = median(iterations);
  s.median_seconds = median(seconds);
  if (s.no_iterations > 0)
    s.remark = fmt::format("0 iterations on {} of {} solved", s.no_iterations, s.solved);
  if (counted > 0 && s.no_iterations >= idle_share * counted) {
    s.ranked = false;
    s.remark = "not ranked: " + s.remark;
  }
  return s;
}

struct Likeness {
  int both = 0, equal = 0;
  double seconds_a = 0.0, seconds_b = 0.0;  // over the equal ones
};

/// Compares two solvers and marks the rows in which they agree bit for bit.
Likeness compare(const std::string& name_a, const Rows& a, const std::string& name_b,
                 const Rows& b) {
  Likeness like;
  for (const auto& [problem, row] : a) {
    const auto other = b.find(problem);
    if (other == b.end() || !comparable(*row) || !comparable(*other->second)) continue;
    ++like.both;
    if (row->fingerprint != other->second->fingerprint) continue;
    ++like.equal;
    like.seconds_a += row->seconds;
    like.seconds_b += other->second->seconds;
    row->flags.push_back(flags::same_bits + name_b);
    other->second->flags.push_back(flags::same_bits + name_a);
  }
  return like;
}

void add_remark(SolverSummary& s, const std::string& remark) {
  s.remark += (s.remark.empty() ? "" : "; ") + remark;
}

/// Twins, in the order of their names: the slower one of a pair follows the faster one.
void find_twins(Class& rows, std::map<std::string, SolverSummary>& summaries) {
  for (auto a = rows.begin(); a != rows.end(); ++a)
    for (auto b = std::next(a); b != rows.end(); ++b) {
      const Likeness like = compare(a->first, a->second, b->first, b->second);
      if (like.equal < fewest_equal || like.equal < twin_share * like.both) continue;
      const bool first_leads = like.seconds_a <= like.seconds_b;
      SolverSummary& leads = summaries[first_leads ? a->first : b->first];
      SolverSummary& follows = summaries[first_leads ? b->first : a->first];
      const auto share = fmt::format("on {} of {}", like.equal, like.both);
      add_remark(leads, fmt::format("same bits as {} {}", follows.solver, share));
      add_remark(follows, fmt::format("same bits as {} {}", leads.solver, share));
      if (follows.twin_of.empty() && leads.ranked) {
        follows.twin_of = leads.twin_of.empty() ? leads.solver : leads.twin_of;
        follows.ranked = false;
      }
    }
}

/// The problems that every solver was tried on and that are not trivial.
std::set<std::string> common_problems(const Class& rows) {
  std::set<std::string> common;
  for (const auto& [problem, row] : rows.begin()->second) common.insert(problem);
  for (const auto& [solver, list] : rows)
    std::erase_if(common, [&](const std::string& problem) {
      const auto found = list.find(problem);
      return found == list.end() || found->second->has(flags::trivial);
    });
  return common;
}

bool counts(const Row& row) { return comparable(row) && !row.has(flags::no_iterations); }

void rank(const Class& rows, const std::set<std::string>& common,
          std::map<std::string, SolverSummary>& summaries, std::map<const Row*, double>& ratios) {
  std::map<std::string, double> best;
  for (const auto& [solver, list] : rows)
    for (const std::string& problem : common)
      if (const Row& row = *list.at(problem); summaries[solver].ranked && counts(row)) {
        const auto [it, is_new] = best.try_emplace(problem, row.seconds);
        it->second = std::min(it->second, row.seconds);
      }
  for (const auto& [solver, list] : rows) {
    SolverSummary& s = summaries[solver];
    std::vector<double> of_solver;
    for (const std::string& problem : common) {
      const Row& row = *list.at(problem);
      const auto least = best.find(problem);
      const bool has_ratio = counts(row) && least != best.end() && least->second > 0.0;
      const double ratio = has_ratio ? row.seconds / least->second : inf;
      of_solver.push_back(ratio);
      if (!s.ranked) continue;
      if (has_ratio) ratios[&row] = ratio;
      s.fastest += has_ratio && row.seconds == least->second ? 1 : 0;
    }
    s.median_ratio = of_solver.empty() ? inf : median(of_solver);
  }
}

}  // namespace

Profile judge(std::span<Row> rows) {
  std::map<std::string, Class> classes;
  for (Row& row : rows) {
    std::erase_if(row.flags, [](const std::string& f) { return f.starts_with(flags::same_bits); });
    classes[row.problem_class][row.solver][row.problem] = &row;
  }
  Profile profile;
  std::map<std::string, bool> accepting;
  for (const Row& row : rows) accepting[row.solver] = accepting[row.solver] || row.accepted();
  for (const auto& [solver, accepts] : accepting)
    if (!accepts) profile.refusing.push_back(solver);
  std::map<const Row*, double> ratios;
  for (auto& [name, by_solver] : classes) {
    std::erase_if(by_solver, [](const auto& entry) {
      return std::none_of(entry.second.begin(), entry.second.end(),
                          [](const auto& item) { return item.second->accepted(); });
    });
    if (by_solver.empty()) continue;
    std::map<std::string, SolverSummary> summaries;
    for (const auto& [solver, list] : by_solver) summaries[solver] = summary_of(solver, list);
    find_twins(by_solver, summaries);
    const std::set<std::string> common = common_problems(by_solver);
    rank(by_solver, common, summaries, ratios);
    profile.common.emplace_back(name, static_cast<int>(common.size()));
    std::vector<SolverSummary> list;
    for (auto& [solver, s] : summaries) list.push_back(std::move(s));
    const auto share = [](const SolverSummary& s) {
      return s.tried > 0 ? static_cast<double>(s.solved) / s.tried : 0.0;
    };
    std::stable_sort(list.begin(), list.end(), [&](const auto& a, const auto& b) {
      return share(a) != share(b) ? share(a) > share(b) : a.median_ratio < b.median_ratio;
    });
    std::move(list.begin(), list.end(), std::back_inserter(profile.solvers));
  }
  for (const Row& row : rows) {
    const auto found = ratios.find(&row);
    profile.ratios.push_back(found == ratios.end() ? 0.0 : found->second);
  }
  return profile;
}

}  // namespace touchstone

/// A chain of solvers: no method wins everywhere, so the next one is tried where one fails.
///
/// The links of a problem class are tried in the order of the table below. A link that is not
/// registered, not available here, or does not accept the problem is skipped. The first answer
/// that the referee accepts is the chain's answer, whatever its solver says of it. If there is
/// none, a proof of infeasibility is returned if a link gave one, otherwise the answer of smallest
/// residual with its own status. Iterations are those of all links together.
///
/// Nothing happens in silence: the notes list every link with its status and residual, or why it
/// was skipped, and what the link itself noted. Every link gets the caller's guess and tolerance.
///
/// Reference: none; the order follows what was measured on random contact problems (pivoting is
/// exact where it ends; Newton's method is next, first-order methods are last).
///
/// Settings: `solvers`, "auto" for the table, or names in the order wanted, "lemke,pgs".

#include <fmt/format.h>

#include <array>
#include <memory>
#include <sstream>
#include <string>
#include <variant>
#include <vector>

#include "solvers/error.hpp"
#include "solvers/solver.hpp"

namespace touchstone {

namespace {

struct Links {
  const char* problem_class;
  const char* names;
};
/// In the order of Problem's alternatives.
constexpr std::array<Links, std::variant_size_v<Problem>> table = {{
    {"lcp", "lemke,newton-min,newton-fb,interior-point,pgs"},
    {"mlcp", "lemke,newton-min,newton-fb,interior-point,pgs"},
    {"mcp", "newton-fb,newton-min"},
    {"qp", "active-set-qp,interior-point,osqp"},
    {"friction-contact", "nsn,prox,nsgs"},
}};

std::vector<std::string> split(const std::string& names) {
  std::vector<std::string> list;
  std::istringstream stream(names);
  for (std::string name; std::getline(stream, name, ',');) list.push_back(name);
  return list;
}

struct Link {
  std::string name;
  std::unique_ptr<Solver> solver;  // none: skipped, for this reason
  std::string skipped;
};

Link make_link(const std::string& name) {
  const Registry<SolverEntry>& solvers = Registry<SolverEntry>::instance();
  if (!solvers.contains(name)) return {name, nullptr, "not registered"};
  const SolverEntry& entry = solvers.find(name);
  if (!entry.unavailable.empty()) return {name, nullptr, "unavailable: " + entry.unavailable};
  return {name, make_solver(name), ""};
}

class Chain final : public Solver {
 public:
  explicit Chain(const Parameters& settings) {
    const std::string chosen = settings.text("solvers");
    for (const Links& links : table) {
      std::vector<Link>& group = links_.emplace_back();
      for (const std::string& name : split(chosen == "auto" ? links.names : chosen)) {
        if (name == "chain") throw InputError("solver.solvers: a chain cannot be its own link");
        if (chosen != "auto")
          Registry<SolverEntry>::instance().find(name);  // refuses unknown names
        group.push_back(make_link(name));
      }
    }
  }

  bool accepts(const Problem& problem) const override {
    for (const Link& link : links_of(problem))
      if (link.solver && link.solver->accepts(problem)) return true;
    return false;
  }

 private:
  const std::vector<Link>& links_of(const Problem& problem) const {
    return links_[problem.index()];
  }

  Claim run(const Problem& problem, const Vec& guess, Tolerance tolerance) override {
    const double bound = tolerance.bound(problem);
    Answer best;
    bool any = false;
    std::vector<std::string> notes;
    int iterations = 0;
    double overhead = 0.0;
    for (const Link& link : links_of(problem)) {
      if (!link.solver || !link.solver->accepts(problem)) {
        notes.push_back(fmt::format("chain: {} skipped: {}", link.name,
                                    link.solver ? "does not accept this problem" : link.skipped));
        continue;
      }
      Answer answer = link.solver->solve(problem, guess, tolerance);
      notes.push_back(fmt::format("chain: {}: {}, residual {:.1e}", link.name,
                                  to_string(answer.status), answer.residual.natural));
      for (const std::string& note : answer.notes)
        notes.push_back(fmt::format("chain: {}: {}", link.name, note));
      iterations += answer.iterations;
      overhead += answer.overhead;
      const bool accepted = acceptable(answer.residual, bound);
      if (accepted) answer.status = Status::solved;
      if (!any || accepted || is_better(answer, best)) best = std::move(answer);
      any = true;
      if (accepted) break;
    }
    return {best.z, best.status, iterations, best.ray, notes, overhead};
  }

  static bool is_better(const Answer& a, const Answer& b) {
    const bool proof_a = a.status == Status::infeasible, proof_b = b.status == Status::infeasible;
    if (proof_a != proof_b) return proof_a;
    return a.residual.natural < b.residual.natural;
  }

  std::vector<std::vector<Link>> links_;  // in the order of Problem's alternatives
};

const Register<SolverEntry> chain{{
    .name = "chain",
    .summary =
        "tries one solver after another until the referee accepts an answer; notes say which",
    .cite = "own; the order of the links is in the table of chain.cpp",
    .parameters = {text("solvers", "auto",
                        "links in order, comma-separated; auto: by problem class (LCP: lemke, "
                        "newton-min, newton-fb, interior-point, pgs)")},
    .make = [](const Parameters& settings) { return std::make_unique<Chain>(settings); },
}};

}  // namespace

}  // namespace touchstone

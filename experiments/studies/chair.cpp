/// chair: a chair with four legs, whose forces are not determined (Baraff, thesis 1992, section 8).
///
/// Legs at (±1, ±1), m = I_x = I_y = g = 1: A_ij = 1 + x_i x_j + y_i y_j has rank 3, and every
/// f = ¼(1, 1, 1, 1) + t(1, −1, 1, −1), |t| ≤ ¼, gives the same acceleration, zero. Linear programs
/// bound each force: 0 ≤ f_i ≤ ½. Each solver takes one point of the segment; solvers.csv says
/// which. load_x and load_y move the centre of mass: the bounds of every load are in bounds.csv.

#include <fmt/format.h>

#include <cmath>

#include "experiments/harness/csv.hpp"
#include "experiments/harness/study.hpp"
#include "solvers/own/force_bounds.hpp"

namespace touchstone {

namespace {

constexpr double leg_x[] = {1.0, -1.0, -1.0, 1.0}, leg_y[] = {1.0, 1.0, -1.0, -1.0};

/// Weight 1 applied at (x, y): a_i = Σ A_ij f_j − (1 + x x_i + y y_i).
FrictionCones chair(double x, double y) {
  FrictionCones p{.W = Mat(4, 4), .q = Vec(4), .friction = {0, 0, 0, 0}, .mu = Vec::Zero(4)};
  for (int i = 0; i < 4; ++i) {
    p.q[i] = -(1.0 + x * leg_x[i] + y * leg_y[i]);
    for (int j = 0; j < 4; ++j) p.W(i, j) = 1.0 + leg_x[i] * leg_x[j] + leg_y[i] * leg_y[j];
  }
  return p;
}

class Chair final : public Study {
 public:
  std::vector<Case> published_cases() const override { return {{"", {}}}; }

  Computed compute(const Parameters& p, const Progress& progress) const override {
    CsvTable solvers({"solver", "status", "f1", "f2", "f3", "f4", "residual"});
    const FrictionCones centred = chair(0.0, 0.0);
    const Problem lcp = Lcp{centred.W, centred.q};
    Json table = Json::object();
    double worst_sum = 0.0;
    for (const SolverEntry* entry : Registry<SolverEntry>::instance().all()) {
      if (!entry->unavailable.empty()) continue;
      const auto solver = make_solver(entry->name);
      if (!solver->accepts(lcp)) continue;
      const Answer answer = solver->solve(lcp);
      if (!answer.ok()) continue;
      solvers.add(entry->name, to_string(answer.status), answer.z[0], answer.z[1], answer.z[2],
                  answer.z[3], answer.residual.natural);
      worst_sum = std::max(worst_sum, std::abs(answer.z.sum() - 1.0));
      table[entry->name] = {answer.z[0], answer.z[1], answer.z[2], answer.z[3]};
    }
    CsvTable bounds({"load_x", "low1", "high1", "low2", "high2", "low3", "high3", "low4", "high4"});
    const long loads = p.integer("loads");
    for (long k = 0; k <= loads; ++k) {
      const double x = static_cast<double>(k) / static_cast<double>(loads);
      const FrictionCones problem = chair(x, 0.0);
      const ForceBounds b = normal_force_bounds(problem, solve(problem, {}, 1e-13).z);
      bounds.add(x, b.low[0], b.high[0], b.low[1], b.high[1], b.low[2], b.high[2], b.low[3],
                 b.high[3]);
      progress(static_cast<double>(k) / static_cast<double>(loads));
    }
    const ForceBounds b = normal_force_bounds(centred, Vec::Constant(4, 0.25));
    return {{{"solvers.csv", solvers.text()}, {"bounds.csv", bounds.text()}},
            {{"forces", table},
             {"low", b.low.minCoeff()},
             {"high", b.high.maxCoeff()},
             {"worst_weight_error", worst_sum}}};
  }

  std::vector<Check> check_study(const std::vector<CaseResult>& results) const override {
    std::vector<Check> checks;
    for (const CaseResult& result : results) {
      const double low = result.summary.at("low"), high = result.summary.at("high");
      const double weight = result.summary.at("worst_weight_error");
      checks.push_back({"the forces of the centred chair lie between 0 and 1/2",
                        fmt::format("{:.3g} to {:.12g}", low, high),
                        std::abs(low) < 1e-10 && std::abs(high - 0.5) < 1e-10});
      checks.push_back({"every solver's forces carry the weight",
                        fmt::format("off by at most {:.2e}", weight), weight < 1e-8});
    }
    return checks;
  }

  std::vector<std::pair<std::string, std::string>> table_columns() const override {
    return {{"least leg force [N]", "low"},
            {"largest [N]", "high"},
            {"weight error [N]", "worst_weight_error"}};
  }
};

const Register<StudyEntry> entry{{
    .name = "chair",
    .summary = "a chair with four legs: which forces are possible, and which each solver takes",
    .cite = "Baraff 1992, thesis, chapter 8",
    .figures = {"baraff1992_chair"},
    .parameters = {integer("loads", 20, "1", "loads between the centre and the edge").at_least(1)},
    .make = [] { return std::make_unique<Chair>(); },
}};

}  // namespace

}  // namespace touchstone

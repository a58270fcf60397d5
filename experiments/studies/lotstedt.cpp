/// lotstedt: the lag of Lötstedt's friction model, repeated within one instant (Baraff, thesis
/// 1992, section 14.2.1).
///
/// The model bounds friction by μ times the normal force f̃ of the previous step. Where no previous
/// step is known the thesis considers f̃ ← f_n until it settles, and says that it need not. The rod
/// of figure 10.1 (m = 1, half-length 1, I = 1/16, θ = 72°) has a_n = B f_n + C f_t + q with
/// friction f_t = ±μf̃, so that with ρ = −μC/B
///
///     f̃ ← max(0, ρf̃ − q/B)   tip dragged against the rod's lean,                              (1)
///     f̃ ← max(0, −ρf̃ − q/B)  slip reversed.                                                   (2)
///
/// ρ = 1.3956: (1) leaves its fixed point in either direction, (2) ends in the cycle {0, −q/B}
/// about the true force −q/(B − μC). Columns of iterations.csv: case, start, iteration, normal [N].

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "experiments/harness/csv.hpp"
#include "experiments/harness/study.hpp"
#include "experiments/studies/sliding_rod.hpp"
#include "solvers/own/static_friction.hpp"

namespace touchstone {

namespace {

struct Situation {
  std::string name;
  double q;      // a_n without contact forces [m/s²]
  double slip;   // of the tip [m/s]: −1 as in the figure
  double start;  // f̃ [N]
};

AccelerationProblem rod_problem(double q, double slip, double mu_factor) {
  const SlidingRod rod;
  AccelerationProblem p;
  p.A = (Mat(2, 2) << rod.B, rod.C, rod.C, rod.E).finished();
  p.b = (Vec(2) << -q, 0.0).finished();
  p.tangents = {1};
  p.mu = Vec::Constant(1, mu_factor * rod.figure_mu());
  p.slip = (Vec(2) << 0.0, slip).finished();
  return p;
}

class Lotstedt final : public Study {
 public:
  std::vector<Case> published_cases() const override { return {{"", {}}}; }

  Computed compute(const Parameters& p, const Progress& progress) const override {
    const double g = p.real("gravity"), factor = p.real("mu_factor");
    const std::vector<Situation> all{{"inconsistent", -g, -1.0, 0.0},
                                     {"indeterminate, from below", 1.0, -1.0, 0.9},
                                     {"indeterminate, from above", 1.0, -1.0, 1.1},
                                     {"reversed slip", -g, 1.0, 0.0}};
    CsvTable table({"case", "start", "iteration", "normal"});
    Json ends = Json::object();
    for (std::size_t k = 0; k < all.size(); ++k) {
      const Situation& at = all[k];
      const LotstedtIteration run =
          iterate_lotstedt(rod_problem(at.q, at.slip, factor), Vec::Constant(1, at.start), 200);
      const auto rows = static_cast<std::size_t>(p.integer("iterations")) + 1;
      for (std::size_t i = 0; i < std::min(rows, run.normal.size()); ++i)
        table.add(k, at.start, i, run.normal[i][0]);
      ends[at.name] = to_string(run.end);
      progress(static_cast<double>(k + 1) / static_cast<double>(all.size()));
    }
    const AccelerationProblem reversed = rod_problem(-g, 1.0, factor);
    const double rho = -reversed.mu[0] * reversed.A(0, 1) / reversed.A(0, 0);
    const auto cycle = iterate_lotstedt(reversed, Vec::Zero(1), 100);
    return {{{"iterations.csv", table.text()}},
            {{"ends", ends},
             {"rho", rho},
             {"cycle_high", cycle.normal.size() > 1 ? cycle.normal[1][0] : 0.0},
             {"exact_normal", exact_forces(reversed).f[0]}}};
  }

  std::vector<Check> check_study(const std::vector<CaseResult>& results) const override {
    std::vector<Check> checks;
    for (const CaseResult& result : results) {
      if (!result.the_case.sets.empty()) continue;
      const Json& ends = result.summary.at("ends");
      const auto expect = [&](const std::string& name, const std::string& end) {
        checks.push_back({fmt::format("{}: {}", name, end), ends.at(name), ends.at(name) == end});
      };
      expect("inconsistent", "diverged");
      expect("indeterminate, from below", "converged");
      expect("indeterminate, from above", "diverged");
      expect("reversed slip", "alternates");
      const double g = result.parameters.real("gravity");
      const auto near = [&](const char* key, double expected) {
        const double value = result.summary.at(key);
        checks.push_back({fmt::format("{} = {:.9g}", key, expected), fmt::format("{:.9g}", value),
                          std::abs(value - expected) < 1e-8 * g});
      };
      near("rho", 1.395590895);
      near("cycle_high", 0.395590895 * g);
      near("exact_normal", 0.165132910 * g);
    }
    return checks;
  }

  std::vector<std::pair<std::string, std::string>> table_columns() const override {
    return {{"ρ", "rho"}, {"cycle, upper force [N]", "cycle_high"}, {"exact [N]", "exact_normal"}};
  }
};

const Register<StudyEntry> entry{{
    .name = "lotstedt",
    .summary = "Lötstedt's lagged friction bound repeated within one step: divergence and cycles",
    .cite = "Lötstedt 1984; Baraff 1992, thesis, section 14.2.1",
    .figures = {"baraff1992_lotstedt"},
    .parameters = {real("gravity", 9.8, "m/s^2", "gravity").above(0),
                   real("mu_factor", 1.0, "1", "friction over that of figure 10.1").at_least(0),
                   integer("iterations", 12, "1", "iterations in the table").at_least(1)},
    .make = [] { return std::make_unique<Lotstedt>(); },
}};

}  // namespace

}  // namespace touchstone

/// subset-sum: whether finite contact forces exist is as hard as subset sum (Baraff, thesis 1992,
/// chapter 11).
///
/// The problem of solvers/collections/subset_sum.hpp has one solution per subset of the rods'
/// masses with the sum S. Enumeration of all supports finds every one of them in a time that
/// doubles with each rod. Lemke's method takes one look: q is negative only in the row of E2, so
/// that z₀ enters there, and then z_E2 grows against z₀ without limit, whatever S > 0 and whether
/// or not there is a solution. Rates along the ray (z_E2, z₀) = (1, 99/100) with the covering
/// vector (1, …, 1):
///
///     ẇ_i = 99/100 at the rods,   ẇ_E1 = −1/100 + 99/100 = 98/100,   ẇ_E2 = −99/100 + 99/100 = 0.
///
/// cases.csv: the worked cases. cost.csv: times against the number of rods, masses 1 … n and S = n;
/// the enumeration has a limit of 16 unknowns.

#include "solvers/collections/subset_sum.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <limits>
#include <numeric>

#include "experiments/harness/csv.hpp"
#include "experiments/harness/study.hpp"
#include "experiments/studies/timing.hpp"
#include "solvers/own/enumeration.hpp"

namespace touchstone {

namespace {

constexpr double tolerance = 1e-10;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

struct Worked {
  std::vector<double> masses;
  long sum;
};

std::unique_ptr<Solver> lemke_with_ones() {
  Parameters settings = Registry<SolverEntry>::instance().find("lemke").parameters;
  settings.set("cover", "ones");
  return make_solver("lemke", settings);
}

/// The least processor time of one enumeration [µs]. Unlike wall time it leaves out what other
/// processes take in turns with this one, which calls of many milliseconds cannot escape.
double least_enumeration_us(int repeats, const Lcp& problem) {
  const auto now = [] {
    timespec t{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return 1e6 * static_cast<double>(t.tv_sec) + 1e-3 * static_cast<double>(t.tv_nsec);
  };
  const int calls = 1 << std::max<Eigen::Index>(0, 12 - problem.q.size());
  double least = std::numeric_limits<double>::infinity();
  for (int k = 0; k < repeats; ++k) {
    const double start = now();
    for (int i = 0; i < calls; ++i) all_solutions(problem, tolerance);
    least = std::min(least, (now() - start) / calls);
  }
  return least;
}

/// How far an answer is from the ray (0, …, 0, 1; 99/100); infinite when it is none.
double ray_error(const Answer& answer) {
  if (answer.status != Status::ray) return std::numeric_limits<double>::infinity();
  const Eigen::Index n = answer.ray.direction.size();
  return std::max((answer.ray.direction - Vec::Unit(n, n - 1)).cwiseAbs().maxCoeff(),
                  std::abs(answer.ray.cover - 0.99));
}

/// Least-squares slope of log y over x.
double slope(const std::vector<double>& x, const std::vector<double>& y) {
  const auto n = static_cast<Eigen::Index>(x.size());
  if (n < 2) return nan;
  Vec X = Eigen::Map<const Vec>(x.data(), n);
  const Vec Y = Eigen::Map<const Vec>(y.data(), n).array().log();
  X.array() -= X.mean();
  return X.dot(Y) / X.squaredNorm();
}

std::vector<int> sizes(long largest) {
  std::vector<int> all;
  for (int n = 2; n <= 14; ++n) all.push_back(n);
  for (const int n : {20, 32, 48, 64, 96, 128, 192, 256, 384, 512, 1024}) all.push_back(n);
  std::erase_if(all, [&](int n) { return n > largest; });
  return all;
}

class SubsetSum final : public Study {
 public:
  std::vector<Case> published_cases() const override { return {{"", {}}}; }

  Computed compute(const Parameters& p, const Progress& progress) const override {
    Computed out;
    out.summary = worked_cases(out.tables["cases.csv"]);
    const auto lemke = lemke_with_ones();
    const int repeats = static_cast<int>(p.integer("repeats"));
    CsvTable table({"rods", "subsets", "solutions", "enumeration_us", "lemke_us", "pivots"});
    std::vector<double> x, enumeration, log_n, polynomial;  // for the fits
    double worst = 0.0;
    bool counted = true;
    const std::vector<int> all = sizes(p.integer("largest"));
    for (std::size_t k = 0; k < all.size(); ++k) {
      const int n = all[k];
      std::vector<double> masses(static_cast<std::size_t>(n));
      std::iota(masses.begin(), masses.end(), 1.0);
      const Problem problem = subset_sum(masses, n);
      const Answer answer = lemke->solve(problem);
      worst = std::max(worst, ray_error(answer));
      const double lemke_us = least_time_us(repeats, [&] { lemke->solve(problem); });
      const long subsets = count_subsets(masses, n);
      double solutions = nan, enumeration_us = nan;
      if (n + 2 <= enumeration_limit) {
        const Lcp& lcp = std::get<Lcp>(problem);
        solutions = static_cast<double>(all_solutions(lcp, tolerance).size());
        enumeration_us = least_enumeration_us(repeats, lcp);
        counted = counted && solutions == static_cast<double>(subsets);
        if (n >= 6) x.push_back(n), enumeration.push_back(enumeration_us);
      }
      if (n >= 32) log_n.push_back(std::log(n)), polynomial.push_back(lemke_us);
      table.add(n, subsets, solutions, enumeration_us, lemke_us, answer.iterations);
      progress(static_cast<double>(k + 1) / static_cast<double>(all.size()));
    }
    out.tables["cost.csv"] = table.text();
    const auto number = [](double v) { return std::isfinite(v) ? Json(v) : Json(); };
    out.summary["family_counted"] = counted;
    out.summary["family_ray_error"] = number(worst);
    out.summary["growth_per_rod"] = number(std::exp(slope(x, enumeration)));
    out.summary["lemke_exponent"] = number(slope(log_n, polynomial));
    return out;
  }

  std::vector<Check> check_run(const CaseResult& result) const override {
    std::vector<Check> checks = Study::check_run(result);
    const Json& s = result.summary;
    checks.push_back({"worked cases: as many solutions as subsets (1, 0, 1, 3, 0)",
                      s.at("solutions").dump(), s.at("solutions") == Json({1, 0, 1, 3, 0})});
    const bool counted = s.at("family_counted");
    checks.push_back({"masses 1 … n, S = n: as many solutions as subsets",
                      counted ? "for every n" : "not for every n", counted});
    for (const auto& [key, problems] :
         {std::pair("ray_error", "worked cases"), std::pair("family_ray_error", "masses 1 … n")}) {
      const double error = s.at(key).is_null() ? nan : s.at(key).get<double>();
      checks.push_back(
          {fmt::format("{}: Lemke ends on the ray (0, …, 0, 1), z0 = 99/100", problems),
           fmt::format("off by {:.1e}", error), error <= 1e-14});
    }
    if (const Json& growth = s.at("growth_per_rod"); !growth.is_null())
      checks.push_back({"enumeration: each rod at least doubles the time, fitted",
                        fmt::format("{:.3f} times", growth.get<double>()), growth >= 1.9});
    if (const Json& exponent = s.at("lemke_exponent"); !exponent.is_null())
      checks.push_back({"Lemke: time grows at most like n^3, fitted from 32 rods on",
                        fmt::format("n^{:.2f}", exponent.get<double>()), exponent <= 3.0});
    return checks;
  }

  std::vector<Check> check_study(const std::vector<CaseResult>& results) const override {
    return check_run(results.front());
  }

  std::vector<std::pair<std::string, std::string>> table_columns() const override {
    return {{"solutions", "solutions"},
            {"ray error", "ray_error"},
            {"enumeration, per rod ×", "growth_per_rod"},
            {"Lemke, n^", "lemke_exponent"}};
  }

 private:
  static Json worked_cases(std::string& text) {
    const auto lemke = lemke_with_ones();
    const std::vector<Worked> all{
        {{3, 5, 7}, 8}, {{3, 5, 7}, 11}, {{3, 5, 7}, 15}, {{1, 2, 3, 4, 5}, 7}, {{2, 4, 6}, 5}};
    CsvTable table({"masses", "sum", "subsets", "solutions", "lemke", "ray_E2", "ray_cover"});
    Json solutions = Json::array();
    double worst = 0.0;
    for (const Worked& w : all) {
      const Lcp problem = subset_sum(w.masses, static_cast<double>(w.sum));
      const auto found = all_solutions(problem, tolerance).size();
      const Answer answer = lemke->solve(problem);
      const bool ray = answer.status == Status::ray;
      table.add(fmt::format("{}", fmt::join(w.masses, " ")), w.sum, count_subsets(w.masses, w.sum),
                found, to_string(answer.status), ray ? answer.ray.direction.tail(1)[0] : nan,
                ray ? answer.ray.cover : nan);
      solutions.push_back(found);
      worst = std::max(worst, ray_error(answer));
    }
    text = table.text();
    return {{"solutions", solutions}, {"ray_error", std::isfinite(worst) ? Json(worst) : Json()}};
  }
};

const Register<StudyEntry> entry{{
    .name = "subset-sum",
    .summary =
        "contact forces that solve subset sum: enumeration is exponential, Lemke ends on a ray",
    .cite = "Baraff 1992, thesis, chapter 11",
    .figures = {"baraff1992_subset_sum"},
    .parameters = {integer("repeats", 5, "1", "timings of each; the least counts").at_least(1),
                   integer("largest", 512, "1", "rods of the largest problem").at_least(2)},
    .make = [] { return std::make_unique<SubsetSum>(); },
}};

}  // namespace

}  // namespace touchstone

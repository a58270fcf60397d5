/// ratio-equivalence: the metric equivalence theorem of Hart and Anitescu over random pairs.
///
/// ρ against the Minkowski distance or depth s, between s/D and s/ε (geometry/ratio_metric.hpp,
/// equations 4 and 5). Overlaps deeper than ε, for which the theorem does not hold, are drawn on
/// top of the pairs that count, and show that the limit is needed.

#include <fmt/format.h>

#include <cmath>

#include "experiments/harness/csv.hpp"
#include "experiments/harness/study.hpp"
#include "experiments/studies/random_polytopes.hpp"
#include "geometry/minkowski.hpp"
#include "geometry/ratio_metric.hpp"

namespace touchstone {

namespace {

/// Roundings in ρ and s: both come from coordinates near 1, with some ten operations each.
constexpr double roundoff = 1e-12;

struct Sample {
  double s, rho, r, D, eps;
  bool disjoint() const { return s > 0.0; }
  bool deep() const { return -s > eps; }
  /// By how much ρ lies outside of the bounds; ≤ 0 inside.
  double beyond(double low, double high) const { return std::max(low - rho, rho - high); }
  double beyond_theorem() const {
    return disjoint() ? beyond(s / D, s / eps) : beyond(s / eps, s / D);
  }
  /// The bounds of any overlap.
  double beyond_general() const { return beyond(s / (2.0 * r * eps), s / D); }
};

RatioBody random_body(int dim, RandomShapes& random) {
  const auto shape = random.polytope(dim, random.integer(dim + 2, 14), 0.3);
  return random.uniform(0.0, 1.0) < 0.5 ? RatioBody(shape)
                                        : RatioBody(shape, random.inside(*shape));
}

/// r is proportional to the distance of the interior points in a given direction, so that any ρ can
/// be drawn: its sign, then |ρ| uniform in the logarithm.
Sample draw(int dim, RandomShapes& random) {
  const RatioBody a = random_body(dim, random), b = random_body(dim, random);
  const Mat3 R_a = random.rotation(dim), R_b = random.rotation(dim);
  const Vec3 direction = random.direction(dim);
  const auto pose_a = [&](double D) { return Pose{D * direction - R_a * a.interior(), R_a}; };
  const Pose pose_b{-(R_b * b.interior()), R_b};
  const double unit = ratio_metric(a, pose_a(1.0), b, pose_b).r;
  const double wanted = random.uniform(0.0, 1.0) < 0.5 ? std::pow(10.0, random.uniform(-6.0, -0.02))
                                                       : -std::pow(10.0, random.uniform(-6.0, 1.0));
  Sample sample{};
  sample.D = 1.0 / ((1.0 - wanted) * unit);
  const Pose pose = pose_a(sample.D);
  const RatioMetric metric = ratio_metric(a, pose, b, pose_b);
  sample.r = metric.r;
  sample.rho = metric.rho;
  sample.eps = 0.5 * (a.inner_radius() + b.inner_radius());
  sample.s = minkowski_gap(*a.polytope(), pose, *b.polytope(), pose_b).s;
  return sample;
}

class RatioEquivalence final : public Study {
 public:
  std::vector<Case> published_cases() const override { return {{"", {"dim=2"}}, {"", {"dim=3"}}}; }

  Computed compute(const Parameters& p, const Progress& progress) const override {
    const int dim = static_cast<int>(p.integer("dim"));
    const long pairs = p.integer("pairs"), every = p.integer("scatter_every");
    RandomShapes random(static_cast<std::uint64_t>(p.integer("seed")));
    CsvTable scatter({"s", "rho", "r", "D", "eps"});
    long counted = 0, drawn = 0, disjoint = 0, violations = 0, deep = 0, deep_beyond_theorem = 0;
    double worst = -1e300, nearest_low = 1e300, nearest_high = 1e300;
    for (; counted < pairs; ++drawn) {
      const Sample x = draw(dim, random);
      if (drawn % every == 0) scatter.add(x.s, x.rho, x.r, x.D, x.eps);
      if (!x.disjoint() && x.beyond_general() > roundoff / x.r) ++violations;
      if (!x.disjoint() && x.deep()) {
        ++deep;
        if (x.beyond_theorem() > roundoff / x.r) ++deep_beyond_theorem;
        continue;
      }
      ++counted;
      disjoint += x.disjoint() ? 1 : 0;
      worst = std::max(worst, x.beyond_theorem());
      nearest_low = std::min(nearest_low, x.rho * x.D / x.s);
      nearest_high = std::min(nearest_high, x.s / (x.rho * x.eps));
      if (x.beyond_theorem() > roundoff / x.r) ++violations;
      if (counted % 256 == 0) progress(static_cast<double>(counted) / static_cast<double>(pairs));
    }
    return {{{"scatter.csv", scatter.text()}},
            {{"pairs", counted},
             {"disjoint", disjoint},
             {"overlapping", counted - disjoint},
             {"violations", violations},
             {"worst_beyond", worst},
             {"least_rho_D_over_s", nearest_low},
             {"least_s_over_rho_eps", nearest_high},
             {"deep", deep},
             {"deep_beyond_theorem", deep_beyond_theorem}}};
  }

  std::vector<Check> check_run(const CaseResult& result) const override {
    std::vector<Check> checks = Study::check_run(result);
    const long violations = result.summary.at("violations"), pairs = result.summary.at("pairs");
    checks.push_back({"the equivalence bounds hold for every pair",
                      fmt::format("{} of {} pairs break them; worst {:.2e} beyond", violations,
                                  pairs, result.summary.at("worst_beyond").get<double>()),
                      violations == 0});
    return checks;
  }

  std::vector<Check> check_study(const std::vector<CaseResult>& results) const override {
    long pairs = 0, violations = 0, deep = 0, broken = 0;
    for (const CaseResult& result : results) {
      pairs += result.summary.at("pairs").get<long>();
      violations += result.summary.at("violations").get<long>();
      deep += result.summary.at("deep").get<long>();
      broken += result.summary.at("deep_beyond_theorem").get<long>();
    }
    return {{"the bounds hold for each of at least 100,000 pairs",
             fmt::format("{} pairs, {} violations", pairs, violations),
             pairs >= 100000 && violations == 0},
            {"the limit s ≤ ε is needed: deeper overlaps break the bound −s/ε ≤ ρ",
             fmt::format("{} of {} deeper overlaps", broken, deep), broken > 0}};
  }

  std::vector<std::pair<std::string, std::string>> table_columns() const override {
    return {{"pairs", "pairs"},
            {"disjoint", "disjoint"},
            {"overlapping", "overlapping"},
            {"violations", "violations"},
            {"min ρD/s", "least_rho_D_over_s"},
            {"min s/ρε", "least_s_over_rho_eps"},
            {"deeper", "deep"},
            {"of them beyond −s/ε", "deep_beyond_theorem"}};
  }
};

const Register<StudyEntry> entry{{
    .name = "ratio-equivalence",
    .summary = "the ratio metric against the Minkowski distance and depth of random polytopes",
    .cite = "Hart and Anitescu, metric equivalence theorem, equations 4 and 5",
    .figures = {"hart_equivalence"},
    .parameters = {integer("dim", 3, "1", "dimension of the shapes").at_least(2).at_most(3),
                   integer("pairs", 50000, "1", "pairs within the theorem's reach").at_least(1),
                   integer("scatter_every", 20, "1", "write every so many pairs").at_least(1),
                   integer("seed", 1, "1", "of the random numbers").at_least(0)},
    .make = [] { return std::make_unique<RatioEquivalence>(); },
}};

}  // namespace

}  // namespace touchstone

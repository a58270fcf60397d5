/// ratio-cost: time of the ratio metric and of the Minkowski depth against the number of facets.
///
/// The source announces the comparison as future work. Hulls of random points on a sphere with
/// exactly m facets each, in random poses about the touching one (r between 0.9 and 1.1). Besides
/// the depth from the hull of the Minkowski difference, the enumeration of separating axes is
/// timed, which is the quicker classical way for small shapes.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "experiments/harness/csv.hpp"
#include "experiments/harness/study.hpp"
#include "experiments/studies/random_polytopes.hpp"
#include "experiments/studies/timing.hpp"
#include "geometry/minkowski.hpp"
#include "geometry/ratio_metric.hpp"
#include "geometry/separating_axis.hpp"

namespace touchstone {

namespace {

struct Pair {
  RatioBody a, b;
  Pose pose_a, pose_b;
};

Pair random_pair(int facets, RandomShapes& random) {
  Pair pair{RatioBody(random.with_facets(3, facets)),
            RatioBody(random.with_facets(3, facets)),
            {random.direction(3), random.rotation(3)},
            {Vec3::Zero(), random.rotation(3)}};
  pair.pose_a.x -= pair.pose_a.R * pair.a.interior();
  pair.pose_b.x -= pair.pose_b.R * pair.b.interior();
  const double r = ratio_metric(pair.a, pair.pose_a, pair.b, pair.pose_b).r;
  const Vec3 delta = pair.pose_a.to_world(pair.a.interior());
  pair.pose_a.x += (random.uniform(0.9, 1.1) / r - 1.0) * delta;
  return pair;
}

double median(std::vector<double> values) {
  if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
  std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
  return values[values.size() / 2];
}

/// Medians over the pairs of one size; NaN where it was not measured.
struct Row {
  int facets = 0;
  double pivots = 0.0, warm_pivots = 0.0, ratio_us = 0.0, warm_us = 0.0, minkowski_us = 0.0,
         axes_us = 0.0, error = 0.0;
};

/// The next pose of a slowly moving pair, for the warm start: 1 mm and 1 mrad on.
Pose moved(const Pose& pose, RandomShapes& random) {
  const Eigen::AngleAxisd turn(1e-3, random.direction(3));
  return {pose.x + 1e-3 * random.direction(3), turn.toRotationMatrix() * pose.R};
}

Row measure(int facets, int pairs, int repeats, bool with_minkowski, bool with_axes,
            RandomShapes& random) {
  std::vector<double> pivots, warm_pivots, ratio, warm, minkowski, axes;
  double error = 0.0;
  for (int k = 0; k < pairs; ++k) {
    const Pair p = random_pair(facets, random);
    const RatioMetric m = ratio_metric(p.a, p.pose_a, p.b, p.pose_b);
    const Pose next = moved(p.pose_a, random);
    pivots.push_back(m.pivots);
    warm_pivots.push_back(ratio_metric(p.a, next, p.b, p.pose_b, &m).pivots);
    ratio.push_back(least_time_us(repeats, [&] { ratio_metric(p.a, p.pose_a, p.b, p.pose_b); }));
    warm.push_back(least_time_us(repeats, [&] { ratio_metric(p.a, next, p.b, p.pose_b, &m); }));
    const Polytope &A = *p.a.polytope(), &B = *p.b.polytope();
    MinkowskiGap gap;
    if (with_minkowski)
      minkowski.push_back(
          least_time_us(repeats, [&] { gap = minkowski_gap(A, p.pose_a, B, p.pose_b); }));
    SeparatingAxis axis;
    if (with_axes)
      axes.push_back(
          least_time_us(repeats, [&] { axis = separating_axis(A, p.pose_a, B, p.pose_b); }));
    if (with_minkowski && with_axes && gap.s < 0.0)
      error = std::max(error, std::abs(gap.s - axis.s));
  }
  return {facets,       median(pivots),    median(warm_pivots), median(ratio),
          median(warm), median(minkowski), median(axes),        error};
}

/// The least-squares exponent of y ~ facets^p over the rows that have y, from 64 facets on (from 16
/// where there are no two such rows): smaller shapes cost what the basis costs, whatever their
/// size.
double exponent(const std::vector<Row>& rows, double Row::*y, int from = 64) {
  double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (const Row& row : rows) {
    if (row.facets < from || !std::isfinite(row.*y)) continue;
    const double x = std::log(row.facets), v = std::log(row.*y);
    n += 1, sx += x, sy += v, sxx += x * x, sxy += x * v;
  }
  if (n < 2 && from > 16) return exponent(rows, y, 16);
  return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

class RatioCost final : public Study {
 public:
  std::vector<Case> published_cases() const override { return {{"", {}}}; }

  Computed compute(const Parameters& p, const Progress& progress) const override {
    RandomShapes random(static_cast<std::uint64_t>(p.integer("seed")));
    const int pairs = static_cast<int>(p.integer("pairs")),
              repeats = static_cast<int>(p.integer("repeats"));
    std::vector<int> sizes;
    for (const int m : {8, 16, 32, 64, 100, 128, 256, 512, 1024, 2048, 4096})
      if (m <= p.integer("largest")) sizes.push_back(m);
    CsvTable table({"facets", "pivots", "warm_pivots", "ratio_us", "warm_us", "minkowski_us",
                    "axes_us", "depth_difference"});
    std::vector<Row> rows;
    for (const int m : sizes) {
      rows.push_back(measure(m, pairs, repeats, m <= p.integer("largest_minkowski"),
                             m <= p.integer("largest_axes"), random));
      const Row& r = rows.back();
      table.add(r.facets, r.pivots, r.warm_pivots, r.ratio_us, r.warm_us, r.minkowski_us, r.axes_us,
                r.error);
      progress(static_cast<double>(rows.size()) / static_cast<double>(sizes.size()));
    }
    return {{{"cost.csv", table.text()}}, summary(rows)};
  }

  std::vector<Check> check_run(const CaseResult& result) const override {
    std::vector<Check> checks = Study::check_run(result);
    const auto number = [&](const char* key) { return result.summary.at(key).get<double>(); };
    if (!result.summary.at("speedup_100").is_null()) {
      checks.push_back({"the ratio metric's time grows at most like facets^1.1",
                        fmt::format("exponent {:.3f}", number("ratio_exponent")),
                        number("ratio_exponent") <= 1.1});
      checks.push_back({"at 100 facets each it is at least 20 times as fast as the Minkowski depth",
                        fmt::format("{:.0f} times; {:.0f} times as fast as separating axes",
                                    number("speedup_100"), number("speedup_axes_100")),
                        number("speedup_100") >= 20.0});
    }
    checks.push_back({"both classical methods find the same depth",
                      fmt::format("{:.1e} m apart", number("depth_difference")),
                      number("depth_difference") < 1e-12});
    return checks;
  }

  std::vector<Check> check_study(const std::vector<CaseResult>& results) const override {
    return check_run(results.front());
  }

  std::vector<std::pair<std::string, std::string>> table_columns() const override {
    return {{"exponent: ratio", "ratio_exponent"},     {"warm", "warm_exponent"},
            {"Minkowski", "minkowski_exponent"},       {"axes", "axes_exponent"},
            {"Minkowski/ratio at 100", "speedup_100"}, {"axes/ratio at 100", "speedup_axes_100"}};
  }

 private:
  static Json summary(const std::vector<Row>& rows) {
    const auto number = [](double x) { return std::isfinite(x) ? Json(x) : Json(nullptr); };
    Json json = {{"ratio_exponent", number(exponent(rows, &Row::ratio_us))},
                 {"warm_exponent", number(exponent(rows, &Row::warm_us))},
                 {"minkowski_exponent", number(exponent(rows, &Row::minkowski_us))},
                 {"axes_exponent", number(exponent(rows, &Row::axes_us))},
                 {"speedup_100", nullptr},
                 {"speedup_axes_100", nullptr}};
    double difference = 0.0, pivots = 0.0;
    for (const Row& row : rows) {
      difference = std::max(difference, row.error);
      pivots = std::max(pivots, row.pivots);
      if (row.facets != 100) continue;
      json["speedup_100"] = number(row.minkowski_us / row.ratio_us);
      json["speedup_axes_100"] = number(row.axes_us / row.ratio_us);
      json["ratio_100_us"] = row.ratio_us;
      json["warm_100_us"] = row.warm_us;
      json["minkowski_100_us"] = number(row.minkowski_us);
      json["axes_100_us"] = number(row.axes_us);
    }
    json["most_pivots"] = pivots;
    json["depth_difference"] = difference;
    return json;
  }
};

const Register<StudyEntry> entry{{
    .name = "ratio-cost",
    .summary = "time of the ratio metric and of the Minkowski depth against the number of facets",
    .cite = "Hart and Anitescu, complexity of the RPD; their future research",
    .figures = {"hart_cost"},
    .parameters = {integer("pairs", 9, "1", "pairs of each size; medians are reported").at_least(1),
                   integer("repeats", 5, "1", "timings of each; the least counts").at_least(1),
                   integer("largest", 4096, "1", "facets of the largest shapes").at_least(16),
                   integer("largest_minkowski", 512, "1", "likewise, for the Minkowski depth"),
                   integer("largest_axes", 512, "1", "likewise, for separating axes"),
                   integer("seed", 1, "1", "of the random numbers").at_least(0)},
    .make = [] { return std::make_unique<RatioCost>(); },
}};

}  // namespace

}  // namespace touchstone

/// baraff-rod: where the sliding rod has one contact force, two or none (Baraff, thesis 1992,
/// chapters 10 to 14).
///
/// From (3) of sliding_rod.hpp, 0 ≤ f ⊥ (B + μC) f + q ≥ 0 with q = ω²ls − g:
///
///     B + μC > 0, q < 0   f = −q/(B + μC)          contact
///     B + μC > 0, q > 0   f = 0                    separation
///     B + μC < 0, q > 0   f = 0 and −q/(B + μC)    indeterminate
///     B + μC < 0, q < 0   none                     inconsistent: an impulse (chapter 13)       (1)
///
/// so that the regions of (θ, μ, ω) meet at μ = (κ + c²)/(cs), κ = I/ml², which is least,
/// 2√(κ(κ + 1)), at tan θ = √((κ + 1)/κ), and at ω = √(g/ls). map.csv holds the verdict of all
/// solutions (enumeration and Lemke's ray) on the problem assembled from the bodies, and (1);
/// boundaries.csv the two surfaces; known.csv the numbers of the thesis' configurations.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "experiments/harness/csv.hpp"
#include "experiments/harness/study.hpp"
#include "experiments/studies/sliding_rod.hpp"
#include "experiments/studies/sliding_rod_cases.hpp"
#include "formulations/common/verdict.hpp"

namespace touchstone {

namespace {

enum class Region { contact, separation, indeterminate, inconsistent, boundary };
constexpr const char* region_names[] = {"contact", "separation", "indeterminate", "inconsistent",
                                        "boundary"};
const char* name(Region region) { return region_names[static_cast<std::size_t>(region)]; }

constexpr double margin = 1e-9;  // of B and g: nearer to a surface is on the boundary

/// (1).
Region closed_form(const RodSetting& at) {
  const double slope = at.rod.B + at.mu * at.rod.C;
  const double q = at.omega * at.omega * at.rod.s - at.gravity;
  if (std::abs(slope) < margin * at.rod.B || std::abs(q) < margin * at.gravity)
    return Region::boundary;
  if (slope > 0.0) return q < 0.0 ? Region::contact : Region::separation;
  return q > 0.0 ? Region::indeterminate : Region::inconsistent;
}

Region region_of(const Examination& found) {
  switch (found.verdict) {
    case Verdict::unique:
      return found.solutions[0][0] > 0.0 ? Region::contact : Region::separation;
    case Verdict::several:
      return Region::indeterminate;
    case Verdict::impulsive:
      return Region::inconsistent;
    case Verdict::none:
      break;
  }
  return Region::boundary;
}

/// Lemke's method ends in f = 0 where q > 0, so that it never finds the other force of an
/// indeterminate rod; with a ray where there is none.
bool lemke_as_expected(const Answer& answer, Region region, double force) {
  if (region == Region::inconsistent) return answer.status == Status::ray;
  const double expected = region == Region::contact ? force : 0.0;
  return answer.status == Status::solved && std::abs(answer.z[0] - expected) <= 1e-9 * force;
}

/// What the points of the map say together.
struct Tally {
  long points = 0, boundary = 0, disagreements = 0, lemke_disagreements = 0;
  long count[5] = {};
  double force_error = 0.0;  // relative
};

class PhaseMap {
 public:
  void add(const RodSetting& at) {
    const Lcp problem = RodContact(at).sliding();
    const Examination found = examine(problem);
    const Region solver = region_of(found), expected = closed_form(at);
    ++tally_.points;
    ++tally_.count[static_cast<std::size_t>(expected)];
    const double largest = found.solutions.empty() ? 0.0 : found.solutions.back()[0];
    table_.add(at.omega, at.rod.angle * 180.0 / std::numbers::pi, at.mu, name(solver),
               name(expected), found.solutions.size(), largest);
    if (expected == Region::boundary) return;
    if (solver != expected) ++tally_.disagreements;
    const double force =
        std::abs((at.omega * at.omega * at.rod.s - at.gravity) / (at.rod.B + at.mu * at.rod.C));
    if (solver == Region::contact || solver == Region::indeterminate)
      tally_.force_error = std::max(tally_.force_error, std::abs(largest / force - 1.0));
    if (!lemke_as_expected(lemke_->solve(problem), expected, force)) ++tally_.lemke_disagreements;
  }
  const Tally& tally() const { return tally_; }
  std::string text() const { return table_.text(); }

 private:
  CsvTable table_{{"omega", "theta_deg", "mu", "solver", "closed_form", "solutions", "force"}};
  std::unique_ptr<Solver> lemke_ = make_solver("lemke");
  Tally tally_;
};

double between(double low, double high, long k, long last) {
  return low + (high - low) * static_cast<double>(k) / static_cast<double>(last);
}

SlidingRod rod_at(double degrees, double inertia) {
  return {.angle = degrees * std::numbers::pi / 180.0, .inertia = inertia};
}

constexpr double flattest = 5.0, steepest = 85.0;  // θ [°]

std::string boundaries(double inertia, double gravity) {
  CsvTable table({"theta_deg", "mu", "omega"});
  for (long k = 0; k <= 320; ++k) {
    const double degrees = between(flattest, steepest, k, 320);
    const SlidingRod rod = rod_at(degrees, inertia);
    table.add(degrees, rod.critical_mu(), std::sqrt(gravity / rod.s));
  }
  return table.text();
}

PhaseMap phase_map(const Parameters& p, const Progress& progress) {
  PhaseMap map;
  const long angles = p.integer("angles"), frictions = p.integer("frictions");
  const long spins = p.integer("spins");
  for (long i = 0; i < spins; ++i) {
    for (long j = 0; j < angles; ++j)
      for (long k = 0; k < frictions; ++k)
        map.add({.rod = rod_at(between(flattest, steepest, j, angles - 1), p.real("inertia")),
                 .mu = between(0.0, p.real("mu_max"), k, frictions - 1),
                 .gravity = p.real("gravity"),
                 .omega = between(0.0, p.real("omega_max"), i, spins - 1)});
    progress(static_cast<double>(i + 1) / static_cast<double>(spins));
  }
  return map;
}

class BaraffRod final : public Study {
 public:
  std::vector<Case> published_cases() const override {
    return {{"", {}}, {"", {"inertia=0.3333333333333333"}}};
  }

  Computed compute(const Parameters& p, const Progress& progress) const override {
    const PhaseMap map = phase_map(p, progress);
    CsvTable known({"case", "quantity", "computed", "expected", "tolerance"});
    Json wrong = Json::array();
    const std::vector<KnownNumber> numbers = known_rod_numbers();
    for (const KnownNumber& k : numbers) {
      known.add(k.configuration, k.quantity, k.computed, k.expected, k.tolerance);
      if (!k.holds()) wrong.push_back(fmt::format("{}: {}", k.configuration, k.quantity));
    }
    const Tally& all = map.tally();
    const double kappa = p.real("inertia");
    Json regions = Json::object();
    for (std::size_t k = 0; k < 5; ++k) regions[region_names[k]] = all.count[k];
    return {{{"map.csv", map.text()},
             {"boundaries.csv", boundaries(kappa, p.real("gravity"))},
             {"known.csv", known.text()}},
            {{"points", all.points},
             {"regions", regions},
             {"disagreements", all.disagreements},
             {"lemke_disagreements", all.lemke_disagreements},
             {"force_error", all.force_error},
             {"least_critical_mu", 2.0 * std::sqrt(kappa * (kappa + 1.0))},
             {"known_numbers", numbers.size()},
             {"known_wrong", wrong}}};
  }

  std::vector<Check> check_study(const std::vector<CaseResult>& results) const override {
    std::vector<Check> checks;
    for (const CaseResult& result : results) {
      const Json& s = result.summary;
      const std::string rod = fmt::format("I = {:.4g} ml²", result.parameters.real("inertia"));
      const long points = s.at("points"), boundary = s.at("regions").at("boundary");
      const long differ = s.at("disagreements"), lemke = s.at("lemke_disagreements");
      const double error = s.at("force_error");
      checks.push_back(
          {rod + ": the verdict is the closed form's everywhere off the boundary",
           fmt::format("{} of {} points differ, {} on the boundary", differ, points, boundary),
           differ == 0 && boundary < points});
      checks.push_back({rod + ": forces are −q/(B + μC) to 1e-10",
                        fmt::format("off by at most {:.2e}", error), error < 1e-10});
      checks.push_back({rod + ": Lemke finds f = 0 of two, and a ray where there is none",
                        fmt::format("not so at {} points", lemke), lemke == 0});
      if (!result.the_case.sets.empty()) continue;
      checks.push_back({"X1–X4, X6, X10, X11: every known number",
                        fmt::format("{} numbers, wrong: {}", s.at("known_numbers").get<int>(),
                                    s.at("known_wrong").dump()),
                        s.at("known_wrong").empty()});
    }
    return checks;
  }

  std::vector<std::pair<std::string, std::string>> table_columns() const override {
    return {{"points", "points"},
            {"disagreements", "disagreements"},
            {"force error", "force_error"},
            {"least critical μ", "least_critical_mu"},
            {"known numbers", "known_numbers"}};
  }
};

const Register<StudyEntry> entry{{
    .name = "baraff-rod",
    .summary = "where a sliding rod has one contact force, two or none, over (θ, μ, ω)",
    .cite = "Baraff 1992, thesis, chapters 10 to 14; figure 10.1",
    .figures = {"baraff1992_rod"},
    .parameters = {real("inertia", 1.0 / 16.0, "kg m^2", "I of the map, m = l = 1").above(0),
                   real("gravity", 9.8, "m/s^2", "gravity of the map").above(0),
                   real("mu_max", 2.0, "1", "largest friction").above(0),
                   real("omega_max", 6.0, "rad/s", "largest angular velocity").above(0),
                   integer("angles", 41, "1", "angles from 5° to 85°").at_least(2),
                   integer("frictions", 41, "1", "values of μ from 0 on").at_least(2),
                   integer("spins", 13, "1", "values of ω from 0 on").at_least(2)},
    .make = [] { return std::make_unique<BaraffRod>(); },
}};

}  // namespace

}  // namespace touchstone

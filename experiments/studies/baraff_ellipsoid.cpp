/// baraff-ellipsoid: Baraff, thesis 1992, section 6.7, figures 6.6 and 6.7.
///
/// A smooth ellipse rocks on a level floor. Its height over the floor is the support function h(φ),
///
///     h = √(a² sin²φ + b² cos²φ),   R = m(g + h''φ̇²)/(1 + m h'²/I),   I φ̈ = −R h'            (1)
///
/// The reaction R is bounded but grows with the curvature that the contact point has to pass: at
/// φ = 0, where h' = 0 and h'' = a²/b − b, energy gives the peak in closed form,
///
///     R_max = m g + m (a²/b − b) · 2 m g (h(φ₀) − b)/I.                                       (2)
///
/// A flatter ellipse has a sharper peak: a collision that is spread over a short time, which the
/// thesis calls an impact of order zero. The oracle integrates (1), one equation for one angle.

#include <fmt/format.h>

#include <cmath>

#include "experiments/harness/study.hpp"
#include "formulations/common/runge_kutta.hpp"
#include "geometry/shapes.hpp"

namespace touchstone {

namespace {

/// Equation (1).
class RockingEllipse final : public OdeSystem {
 public:
  explicit RockingEllipse(const Parameters& p)
      : a_(p.real("long_axis")),
        b_(p.real("short_axis")),
        m_(p.real("mass")),
        g_(p.real("gravity")),
        inertia_(0.25 * m_ * (a_ * a_ + b_ * b_)),
        phi0_(p.real("angle")) {}

  double inertia() const { return inertia_; }
  double height(double phi) const { return std::hypot(a_ * std::sin(phi), b_ * std::cos(phi)); }
  double slope(double phi) const {
    return (a_ * a_ - b_ * b_) * std::sin(phi) * std::cos(phi) / height(phi);
  }
  double reaction(double phi, double omega) const {
    const double d1 = slope(phi);
    const double d2 = ((a_ * a_ - b_ * b_) * std::cos(2.0 * phi) - d1 * d1) / height(phi);
    return m_ * (g_ + d2 * omega * omega) / (1.0 + m_ * d1 * d1 / inertia_);
  }
  double highest_reaction() const {  // (2)
    return m_ * g_ + m_ * (a_ * a_ / b_ - b_) * 2.0 * m_ * g_ * (height(phi0_) - b_) / inertia_;
  }

  void derivative(double, const Vec& y, Vec& dy) override {
    dy.resize(2);
    dy << y[1], -reaction(y[0], y[1]) * slope(y[0]) / inertia_;
  }

  /// (φ, φ̇) from 0 to t_end, at steps of 1 ms.
  void integrate(double t_end) {
    Vec y(2), f;
    y << phi0_, 0.0;
    RungeKuttaStep step(Tableau::named("dormand-prince"));
    nodes_ = {y};
    for (double t = 0.0; t < t_end; t += node_) {
      derivative(t, y, f);
      step.take(*this, t, y, f, node_);
      y = step.end();
      nodes_.push_back(y);
    }
  }
  Vec at(double t) const {
    const auto k = std::min(nodes_.size() - 1, static_cast<std::size_t>(t / node_));
    RungeKuttaStep step(Tableau::named("dormand-prince"));
    RockingEllipse self = *this;
    Vec f;
    self.derivative(0.0, nodes_[k], f);
    step.take(self, 0.0, nodes_[k], f, t - static_cast<double>(k) * node_);
    return step.end();
  }

 private:
  static constexpr double node_ = 1e-3;  // [s]
  double a_, b_, m_, g_, inertia_, phi0_;
  std::vector<Vec> nodes_;
};

RockingEllipse exact_motion(const Parameters& p) {
  RockingEllipse motion(p);
  motion.integrate(p.real("t_end") + p.real("h"));
  return motion;
}

class BaraffEllipsoid final : public Study {
 public:
  World world(const Parameters& p) const override {
    const RockingEllipse motion(p);
    const double a = p.real("long_axis"), b = p.real("short_axis");
    if (a < b)
      throw InputError(fmt::format("long_axis = {}: expected at least short_axis = {}", a, b));
    Body ellipse{.name = "ellipse", .shape = std::make_shared<Ellipsoid>(2, Vec3(a, b, 0.0))};
    ellipse.mass = p.real("mass");
    ellipse.inertia = motion.inertia() * Mat3::Identity();
    ellipse.angle = p.real("angle");
    ellipse.position = {0.0, motion.height(ellipse.angle), 0.0};
    Body floor{.name = "floor", .shape = std::make_shared<HalfSpace>(2, Vec3::UnitY(), 0.0)};
    floor.fixed = true;
    return World(2, {0.0, -p.real("gravity"), 0.0}, {ellipse, floor}, {});
  }

  std::vector<Case> published_cases() const override {
    std::vector<Case> cases;
    for (const char* axis : {"1.25", "1.5", "2", "3"})
      cases.push_back({"baraff-acceleration", {fmt::format("long_axis={}", axis)}});
    return cases;
  }

  std::optional<Oracle> oracle(const Parameters& p) const override {
    const auto exact = std::make_shared<RockingEllipse>(exact_motion(p));
    return Oracle{{"ellipse.theta", "reaction"}, [exact](double t) {
                    const Vec y = exact->at(t);
                    return std::vector{y[0], exact->reaction(y[0], y[1])};
                  }};
  }

  Json measures(const Parameters& p, const Record& record) const override {
    const RockingEllipse exact = exact_motion(p);
    const double h = p.real("h");
    double highest = 0.0, lowest = std::numeric_limits<double>::infinity(), error = 0.0;
    for (const ContactRow& row : record.contacts()) {
      highest = std::max(highest, row.p_n / h);
      lowest = std::min(lowest, row.p_n / h);
    }
    for (const State& state : record.trajectory())
      error = std::max(error, std::abs(state.q[2] - exact.at(state.t)[0]));
    return {{"reaction_max", highest},
            {"reaction_min", lowest},
            {"exact_reaction_max", exact.highest_reaction()},
            {"angle_error", error}};
  }

  std::vector<Check> check_run(const CaseResult& result) const override {
    std::vector<Check> checks = Study::check_run(result);
    if (result.the_case.formulation != "baraff-acceleration") return checks;
    const double angle = result.summary.at("angle_error");
    checks.push_back(
        {"the angle is that of (1) to 1e-8 rad", fmt::format("{:.1e}", angle), angle < 1e-8});
    return checks;
  }

  std::vector<Check> check_study(const std::vector<CaseResult>& results) const override {
    std::vector<Check> checks;
    double last = 0.0;
    for (const CaseResult& r : results) {
      const double peak = r.summary.at("reaction_max"), exact = r.summary.at("exact_reaction_max");
      const double axis = r.parameters.real("long_axis");
      checks.push_back({fmt::format("long_axis = {}: peak of the mean force of a step as in closed "
                                    "form to 1e-4",
                                    axis),
                        fmt::format("{:.5f} N, exact {:.5f} N", peak, exact),
                        std::abs(peak / exact - 1.0) < 1e-4});
      checks.push_back({fmt::format("long_axis = {}: the peak grows with the axis", axis),
                        fmt::format("{:.4f} N", peak), peak > last});
      last = peak;
    }
    return checks;
  }

  std::vector<std::pair<std::string, std::string>> table_columns() const override {
    auto columns = Study::table_columns();
    columns.insert(columns.begin(), {{"largest reaction [N]", "reaction_max"},
                                     {"exact [N]", "exact_reaction_max"},
                                     {"smallest reaction [N]", "reaction_min"},
                                     {"angle error [rad]", "angle_error"}});
    return columns;
  }
};

Parameters parameters() {
  Parameters all = run_parameters(0.0005, 1.5);
  all.declare(real("mass", 1.0, "kg", "mass of the ellipse").above(0));
  all.declare(real("long_axis", 2.0, "m", "long semi-axis a").above(0));
  all.declare(real("short_axis", 1.0, "m", "short semi-axis b").above(0));
  all.declare(real("angle", 0.6, "rad", "initial angle; the ellipse starts at rest"));
  all.declare(real("gravity", 9.8, "m/s^2", "acceleration of gravity").at_least(0));
  return all;
}

const Register<StudyEntry> entry{{
    .name = "baraff-ellipsoid",
    .summary = "a smooth ellipse rocks on a floor: how high does the reaction force rise?",
    .cite = "Baraff 1992, thesis, section 6.7, figures 6.6 and 6.7",
    .figures = {"baraff1992_fig6_7"},
    .parameters = parameters(),
    .default_formulation = "baraff-acceleration",
    .make = [] { return std::make_unique<BaraffEllipsoid>(); },
}};

}  // namespace

}  // namespace touchstone

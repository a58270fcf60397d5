/// ratio-events: how many events the redundancy rule drops, what it costs and what it saves.
///
/// The source leaves "a rigorous way to reduce the number of active gradients" as future research;
/// geometry/event_reduction.hpp has the rule. One free body rests on a fixed one, face on face; its
/// step is the LCP of a friction polygon, solved with all nearly active events and with the kept
/// ones. Then the same inside runs (ratio_event_runs.hpp).

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "experiments/harness/csv.hpp"
#include "experiments/harness/study.hpp"
#include "experiments/studies/ratio_event_runs.hpp"
#include "experiments/studies/timing.hpp"
#include "geometry/event_reduction.hpp"
#include "solvers/solver.hpp"

namespace touchstone {

namespace {

struct Scene {
  std::string name;
  std::shared_ptr<Polytope> a, b;
  Pose pose_a;  // B stands still at the origin
};

std::shared_ptr<Polytope> prism(int sides, double radius, double height) {
  std::vector<Vec3> points;
  for (int i = 0; i < sides; ++i) {
    const double angle = 2.0 * std::numbers::pi * i / sides;
    for (const double z : {-0.5, 0.5})
      points.emplace_back(radius * std::cos(angle), radius * std::sin(angle), z * height);
  }
  return std::make_shared<Polytope>(3, std::move(points));
}

std::vector<Scene> scenes() {
  const auto on_top = [](double degrees, Vec3 shift = Vec3::Zero()) {
    const Eigen::AngleAxisd turn(degrees * std::numbers::pi / 180.0, Vec3::UnitZ());
    return Pose{Vec3(0, 0, 1) + shift, turn.toRotationMatrix()};
  };
  const auto cube = box(3, Vec3::Ones());
  return {{"cube-on-cube", cube, cube, on_top(0)},
          {"cube-on-cube-shifted", cube, cube, on_top(0, {0.3, 0.2, 0})},
          {"cube-turned-10", cube, cube, on_top(10)},
          {"cube-turned-45", cube, cube, on_top(45)},
          {"cube-on-table", cube, box(3, {4, 4, 1}), on_top(20)},
          {"hexagon-on-hexagon", prism(6, 1, 1), prism(6, 1, 1), on_top(0)},
          {"12-gon-on-12-gon", prism(12, 1, 1), prism(12, 1, 1), on_top(0)},
          {"24-gon-on-24-gon", prism(24, 1, 1), prism(24, 1, 1), on_top(0)},
          {"24-gon-turned-4", prism(24, 1, 1), prism(24, 1, 1), on_top(4)}};
}

/// Stewart and Trinkle's LCP of one step of A, 1 kg with unit inertia, falling and turning a
/// little: rows as in formulations/stewart_trinkle.cpp, d directions per event; d = 0 is
/// frictionless.
struct StepProblem {
  Lcp lcp;
  Mat W;  // wrench columns of the unknowns, for the velocity
  Vec nu;
};

StepProblem step_problem(const std::vector<RatioEvent>& events, const Vec3& centre, int d,
                         double mu) {
  const auto k = static_cast<Eigen::Index>(events.size());
  const Eigen::Index size = d > 0 ? k * (d + 2) : k;
  const double h = 0.01;
  StepProblem p;
  p.nu.resize(6);
  p.nu << 0.3, 0.1, -0.2, 0.02, -0.01, 0.05;
  p.W = Mat::Zero(6, size);
  Vec q = Vec::Zero(size);
  const auto wrench = [&](const RatioEvent& e, const Vec3& direction) {
    Eigen::Matrix<double, 6, 1> w;
    w << direction, (e.point - centre).cross(direction);
    return w;
  };
  for (Eigen::Index i = 0; i < k; ++i) {
    const RatioEvent& e = events[static_cast<std::size_t>(i)];
    p.W.col(i) = wrench(e, e.normal);
    q[i] = e.r * e.gap / h;
    const Vec3 t = e.normal.unitOrthogonal(), o = e.normal.cross(t);
    for (int j = 0; j < d; ++j) {
      const double angle = 2.0 * std::numbers::pi * j / d;
      p.W.col(k + i * d + j) = wrench(e, std::cos(angle) * t + std::sin(angle) * o);
    }
  }
  Mat M = p.W.transpose() * p.W;
  q += p.W.transpose() * p.nu;
  for (Eigen::Index i = 0; d > 0 && i < k; ++i) {
    const Eigen::Index sigma = k + k * d + i;
    M(sigma, i) = mu;
    for (int j = 0; j < d; ++j) {
      M(k + i * d + j, sigma) = 1.0;
      M(sigma, k + i * d + j) = -1.0;
    }
  }
  p.lcp = {M, q};
  return p;
}

std::vector<RatioEvent> chosen(const std::vector<RatioEvent>& events,
                               const std::vector<int>& kept) {
  std::vector<RatioEvent> list;
  for (const int i : kept) list.push_back(events[static_cast<std::size_t>(i)]);
  return list;
}

class RatioEvents final : public Study {
 public:
  std::vector<Case> published_cases() const override { return {{"", {}}}; }

  Computed compute(const Parameters& p, const Progress& progress) const override {
    const int d = static_cast<int>(p.integer("polygon")),
              repeats = static_cast<int>(p.integer("repeats"));
    const auto lemke = make_solver("lemke");
    CsvTable table({"scene", "events", "kept", "velocity_difference", "find_us", "reduce_us",
                    "solve_all_us", "solve_kept_us"});
    long all = 0, left = 0;
    double difference = 0.0, before_us = 0.0, after_us = 0.0, done = 0.0;
    const std::vector<Scene> list = scenes();
    for (const Scene& scene : list) {
      const RatioBody a(scene.a), b(scene.b);
      const RatioMetric metric = ratio_metric(a, scene.pose_a, b, {});
      std::vector<RatioEvent> events;
      std::vector<int> kept;
      const double find = least_time_us(
          repeats, [&] { events = EventFinder(a, scene.pose_a, b, {}).nearly_active(metric, {}); });
      const double reduce = least_time_us(repeats, [&] { kept = essential_events(events); });
      const std::vector<RatioEvent> few = chosen(events, kept);
      const auto solve = [&](const std::vector<RatioEvent>& of, int directions, Vec& velocity) {
        const StepProblem step = step_problem(of, scene.pose_a.x, directions, p.real("mu"));
        Answer answer;
        const double us = least_time_us(repeats, [&] { answer = lemke->solve(step.lcp); });
        if (!answer.ok())
          throw std::runtime_error(scene.name + ": Lemke reports " + to_string(answer.status));
        velocity = step.nu + step.W * answer.z;
        return us;
      };
      Vec with_all, with_few;
      solve(events, 0, with_all);
      solve(few, 0, with_few);
      const double apart = (with_all - with_few).cwiseAbs().maxCoeff();
      const double solve_all = solve(events, d, with_all), solve_few = solve(few, d, with_few);
      table.add(scene.name, events.size(), kept.size(), apart, find, reduce, solve_all, solve_few);
      all += static_cast<long>(events.size());
      left += static_cast<long>(kept.size());
      difference = std::max(difference, apart);
      before_us += solve_all;
      after_us += solve_few + reduce;
      progress(0.5 * ++done / static_cast<double>(list.size()));
    }
    CsvTable runs({"scene", "steps", "events", "kept", "contacts_all", "contacts_kept",
                   "step_all_us", "step_kept_us", "ratio_us"});
    for (const ReductionRun& r : reduction_runs(static_cast<int>(p.integer("run_steps")),
                                                [&](double part) { progress(0.5 + 0.5 * part); }))
      runs.add(r.scene, r.steps, r.events, r.kept, r.contacts_all, r.contacts_kept, r.step_all_us,
               r.step_kept_us, r.ratio_us);
    return {{{"events.csv", table.text()}, {"runs.csv", runs.text()}},
            {{"events", all},
             {"kept", left},
             {"velocity_difference", difference},
             {"solve_all_us", before_us},
             {"reduce_and_solve_us", after_us}}};
  }

  std::vector<Check> check_run(const CaseResult& result) const override {
    std::vector<Check> checks = Study::check_run(result);
    const auto& s = result.summary;
    const double apart = s.at("velocity_difference");
    checks.push_back({"the velocities of the frictionless step stay the same",
                      fmt::format("{:.1e} apart", apart), apart < 1e-10});
    const double all = s.at("solve_all_us"), few = s.at("reduce_and_solve_us");
    checks.push_back({"fewer events, and less time in all",
                      fmt::format("{} of {} events kept, {:.0f} µs instead of {:.0f} µs",
                                  s.at("kept").get<long>(), s.at("events").get<long>(), few, all),
                      few < all});
    return checks;
  }

  std::vector<Check> check_study(const std::vector<CaseResult>& results) const override {
    return check_run(results.front());
  }

  std::vector<std::pair<std::string, std::string>> table_columns() const override {
    return {{"events", "events"},
            {"kept", "kept"},
            {"velocities apart", "velocity_difference"},
            {"solve all [us]", "solve_all_us"},
            {"reduce, solve kept [us]", "reduce_and_solve_us"}};
  }
};

const Register<StudyEntry> entry{{
    .name = "ratio-events",
    .summary = "how many events of the ratio metric are redundant, and the time that saves",
    .cite = "Hart and Anitescu, future research: reducing the number of active gradients",
    .parameters = {real("mu", 0.3, "1", "friction coefficient").at_least(0),
                   integer("polygon", 8, "1", "directions of the friction polygon").at_least(4),
                   integer("repeats", 5, "1", "timings of each; the least counts").at_least(1),
                   integer("run_steps", 200, "1", "steps of each run, at most").at_least(1)},
    .make = [] { return std::make_unique<RatioEvents>(); },
}};

}  // namespace

}  // namespace touchstone

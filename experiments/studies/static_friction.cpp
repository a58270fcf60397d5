/// static-friction: a wall of bricks on a slope, held by static friction, under the exact law and
/// under the approximations of Baraff's thesis (1992, section 14.2).
///
/// Simulated cases: the wall stands for ten seconds. A law that holds it leaves it where it is;
/// the regularised law lets each course creep over the one below with
///
///     v = ε tan α/μ,   course k (from the ground) with k v.                                    (1)
///
/// With `ask = steps` forces are chosen anew at each step, as in the thesis, and the records count
/// how often a rule gave none (`counts.friction_failures` of `counts.force_solves`) and how far its
/// forces were from the exact law (`worst.friction_law_error` [m/s²]).
///
/// Computed cases ask once, without a last step to begin from, on walls of growing size under
/// random gravity within the friction cone: the thesis reports that the sign-guess program is
/// reasonably successful up to about 40 contacts. Columns of rules.csv: bricks of the lowest
/// course, courses, contacts, samples; failed solves of each rule; largest law error [m/s²] of its
/// answers; median time of a solve [µs].

#include "solvers/own/static_friction.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <random>

#include "experiments/harness/csv.hpp"
#include "experiments/harness/study.hpp"
#include "formulations/common/contact_forces.hpp"
#include "geometry/shapes.hpp"

namespace touchstone {

namespace {

constexpr double length = 0.4, thickness = 0.2, joint = 0.02;  // [m] of a brick, between bricks
constexpr double density = 1000.0;                             // [kg/m³], [kg/m²] in the plane
constexpr double g = 9.81;
constexpr double creep_speed = 2e-5;  // [m/s] ε of the published case

/// Courses of bricks, each with one brick fewer than the course below and half a brick further;
/// their bodies are called brickCOURSE.NUMBER.
std::vector<Body> wall(int dim, int bricks, int courses) {
  std::vector<Body> bodies;
  const auto brick = box(dim, {length, thickness, dim == 2 ? 0.0 : thickness});
  const MassProperties mass = brick->mass_properties(density);
  for (int course = 0; course < courses; ++course)
    for (int k = 0; k < bricks - course; ++k) {
      Body body{.name = fmt::format("brick{}.{}", course + 1, k + 1), .shape = brick};
      body.mass = mass.mass;
      body.inertia = mass.inertia;
      const double x = (length + joint) * (k + 0.5 * course), up = thickness * (course + 0.5);
      body.position = dim == 2 ? Vec3(x, up, 0.0) : Vec3(x, 0.0, up);
      // Courses of unlike depth: no corner meets a corner or an edge.
      if (dim == 3) body.position.y() = 0.01 * (course % 2 == 0 ? 1 : -1) + 0.003 * k;
      bodies.push_back(body);
    }
  Body floor{
      .name = "floor",
      .shape = std::make_shared<HalfSpace>(dim, dim == 2 ? Vec3::UnitY() : Vec3::UnitZ(), 0.0)};
  floor.fixed = true;
  bodies.push_back(floor);
  return bodies;
}

/// a = Af − b of all touching contacts of bodies at rest.
AccelerationProblem at_rest(const World& world) {
  const State state = initial_state(world);
  Configuration configuration;
  configuration.update(world, state);
  std::vector<Contact> contacts;
  find_contacts_within(configuration, touching_gap, contacts);
  AccelerationProblem problem;
  std::vector<Column> W;
  problem.mu.resize(static_cast<Eigen::Index>(contacts.size()));
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    const ContactColumns columns = contact_columns(configuration, contacts[i]);
    W.push_back(columns.n);
    W.insert(W.end(), columns.f.begin(), columns.f.begin() + columns.count);
    problem.tangents.push_back(columns.count);
    problem.mu[static_cast<Eigen::Index>(i)] = contacts[i].law->mu;
  }
  const auto n = static_cast<Eigen::Index>(W.size());
  problem.A.resize(n, n);
  delassus(configuration, W, W, problem.A);
  Vec accelerated;
  configuration.free_velocity(state.nu, 1.0, accelerated);
  problem.b.resize(n);
  for (Eigen::Index i = 0; i < n; ++i)
    problem.b[i] = -velocity(world, W[static_cast<std::size_t>(i)], accelerated);
  return problem;
}

/// How a rule did on the samples of one wall.
struct Tally {
  int failed = 0;
  double error = 0.0;
  std::vector<double> us;

  template <class Solve>
  void add(const Solve& solve) {
    const auto start = std::chrono::steady_clock::now();
    const auto [solved, law_error] = solve();
    us.push_back(1e6 *
                 std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    failed += solved ? 0 : 1;
    if (solved) error = std::max(error, law_error);
  }
  double median() {
    std::nth_element(us.begin(), us.begin() + static_cast<std::ptrdiff_t>(us.size() / 2), us.end());
    return us[us.size() / 2];
  }
};

using Outcome = std::pair<bool, double>;

Outcome lag_from_zero(const AccelerationProblem& problem) {
  const LotstedtIteration run =
      iterate_lotstedt(problem, Vec::Zero(static_cast<Eigen::Index>(problem.tangents.size())), 50);
  return {run.end == LotstedtIteration::End::converged, law_error(problem, run.f)};
}

Outcome outcome(const StaticForces& forces) {
  return {forces.status == Status::solved, forces.error};
}

class StaticFriction final : public Study {
 public:
  World world(const Parameters& p) const override {
    const int dim = static_cast<int>(p.integer("dim"));
    const int bricks = static_cast<int>(p.integer("bricks"));
    const int courses = static_cast<int>(p.integer("courses"));
    if (courses > bricks)
      throw InputError(fmt::format("courses = {}: expected at most bricks = {}", courses, bricks));
    const double along = g * std::sin(p.real("slope")), down = g * std::cos(p.real("slope"));
    const Vec3 gravity = dim == 2 ? Vec3(along, -down, 0.0) : Vec3(along, 0.0, -down);
    return World(dim, gravity, wall(dim, bricks, courses), law_of(p));
  }

  std::vector<Case> published_cases() const override {
    std::vector<Case> cases;
    for (const char* rule : {"exact", "lag", "sign-guess"})
      cases.push_back({"baraff-acceleration",
                       {fmt::format("static_friction={}", rule), "ask=steps", "max_step=0.01"}});
    cases.push_back({"baraff-acceleration", {"static_friction=regularised", "creep_speed=2e-05"}});
    for (const char* dim : {"2", "3"}) cases.push_back({"", {fmt::format("dim={}", dim)}});
    return cases;
  }

  Computed compute(const Parameters& p, const Progress& progress) const override {
    constexpr std::array<std::array<int, 2>, 7> sizes{
        {{1, 1}, {2, 1}, {2, 2}, {3, 2}, {4, 2}, {4, 3}, {5, 3}}};
    const int dim = static_cast<int>(p.integer("dim")),
              samples = static_cast<int>(p.integer("samples"));
    std::mt19937_64 random(static_cast<std::uint64_t>(p.integer("seed")));
    const auto uniform = [&] { return 0x1p-53 * static_cast<double>(random() >> 11); };
    CsvTable table({"bricks", "courses", "contacts", "samples", "exact_failed", "lag_failed",
                    "sign_guess_failed", "lag_error", "sign_guess_error", "exact_us", "lag_us",
                    "sign_guess_us"});
    Json rows = Json::array();
    for (std::size_t s = 0; s < sizes.size(); ++s) {
      const auto [bricks, courses] = sizes[s];
      Tally exact, lag, guess;
      std::size_t contacts = 0;
      for (int k = 0; k < samples; ++k) {
        const double tilt = std::atan(p.real("mu")) * 0.9 * uniform();
        const double azimuth = 2.0 * M_PI * uniform();
        const Vec3 aside = dim == 2 ? Vec3(azimuth < M_PI ? 1.0 : -1.0, 0.0, 0.0)
                                    : Vec3(std::cos(azimuth), std::sin(azimuth), 0.0);
        const Vec3 up = dim == 2 ? Vec3::UnitY() : Vec3::UnitZ();
        const World sample(dim, g * (std::sin(tilt) * aside - std::cos(tilt) * up),
                           wall(dim, bricks, courses), law_of(p));
        const AccelerationProblem problem = at_rest(sample);
        contacts = problem.tangents.size();
        exact.add([&] { return outcome(exact_forces(problem)); });
        lag.add([&] { return lag_from_zero(problem); });
        guess.add([&] { return outcome(sign_guess(problem)); });
        progress((static_cast<double>(s) + (k + 1.0) / samples) / sizes.size());
      }
      table.add(bricks, courses, contacts, samples, exact.failed, lag.failed, guess.failed,
                lag.error, guess.error, exact.median(), lag.median(), guess.median());
      rows.push_back({{"contacts", contacts},
                      {"exact_failed", exact.failed},
                      {"lag_failed", lag.failed},
                      {"sign_guess_failed", guess.failed}});
    }
    int failed = 0;
    for (const Json& row : rows) failed += row.at("exact_failed").get<int>();
    return {{{"rules.csv", table.text()}}, {{"exact_failures", failed}, {"walls", rows}}};
  }

  Json measures(const Parameters& p, const Record& record) const override {
    const World scene = world(p);
    const auto& states = record.trajectory();
    double drift = 0.0, top = 0.0;
    for (const State& state : states)
      for (const int i : scene.moving()) {
        const double moved =
            (pose(scene, state, i).x - pose(scene, states.front(), i).x).norm() / length;
        drift = std::max(drift, moved);
      }
    const int last = scene.moving().back();  // a brick of the highest course
    top = (pose(scene, states.back(), last).x - pose(scene, states.front(), last).x).norm();
    std::size_t most = 0, now = 0;
    double t = -1.0;
    for (const ContactRow& row : record.contacts()) {
      now = row.t == t ? now + 1 : 1;
      t = row.t;
      most = std::max(most, now);
    }
    return {{"drift", drift}, {"top_moved", top}, {"contacts", most}};
  }

  std::vector<Check> check_run(const CaseResult& result) const override {
    if (result.the_case.computed())
      return {{"the exact law is solved on every wall",
               fmt::format("{} failures", result.summary.at("exact_failures").get<int>()),
               result.summary.at("exact_failures") == 0}};
    std::vector<Check> checks = Study::check_run(result);
    if (result.the_case.formulation != "baraff-acceleration") return checks;
    const double drift = result.summary.at("drift");
    checks.push_back({"no brick moves by more than 1e-3 of its length",
                      fmt::format("{:.2e}", drift), drift < 1e-3});
    return checks;
  }

  std::vector<Check> check_study(const std::vector<CaseResult>& results) const override {
    std::vector<Check> checks;
    for (const CaseResult& r : results) {
      if (r.the_case.computed()) continue;
      const int contacts = r.summary.at("contacts");
      checks.push_back({r.the_case.name() + ": at least 40 contacts", fmt::format("{}", contacts),
                        contacts >= 40});
      if (!r.the_case.name().starts_with("static_friction=regularised")) continue;
      const Parameters& p = r.parameters;
      const double creep = static_cast<double>(p.integer("courses")) * creep_speed *
                           std::tan(p.real("slope")) / p.real("mu") * p.real("t_end");
      const double moved = r.summary.at("top_moved");
      checks.push_back({"regularised: the highest course creeps as (1) says, to 1 %",
                        fmt::format("{:.4e} m, (1): {:.4e} m", moved, creep),
                        std::abs(moved / creep - 1.0) < 0.01});
    }
    return checks;
  }

  std::vector<std::pair<std::string, std::string>> table_columns() const override {
    auto columns = Study::table_columns();
    columns.insert(columns.begin(), {{"contacts", "contacts"}, {"drift [1]", "drift"}});
    return columns;
  }
};

Parameters parameters() {
  Parameters all = run_parameters(0.05, 10.0);
  all.declare(law_parameters({.mu = 0.5}));
  all.declare(integer("dim", 3, "1", "dimension of the world").at_least(2).at_most(3));
  all.declare(integer("bricks", 4, "1", "bricks of the lowest course").at_least(1));
  all.declare(integer("courses", 3, "1", "courses, each with one brick fewer").at_least(1));
  all.declare(real("slope", 0.2, "rad", "slope of the ground along the wall"));
  all.declare(integer("samples", 12, "1", "computed cases: problems of each size").at_least(1));
  all.declare(integer("seed", 1, "1", "computed cases: of their gravity").at_least(0));
  return all;
}

const Register<StudyEntry> entry{{
    .name = "static-friction",
    .summary = "a wall of bricks on a slope: the exact law of static friction and the thesis' "
               "approximations, with their failures counted",
    .cite = "Baraff 1992, thesis, section 14.2",
    .figures = {"baraff1992_static_friction"},
    .parameters = parameters(),
    .default_formulation = "baraff-acceleration",
    .make = [] { return std::make_unique<StaticFriction>(); },
}};

}  // namespace

}  // namespace touchstone

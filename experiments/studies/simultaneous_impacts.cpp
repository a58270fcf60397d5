/// simultaneous-impacts: several contacts hit at once, together or one after the other (Baraff,
/// thesis 1992, chapter 9).
///
/// Newton's cradle: k of N equal balls in a row arrive with v = 1 m/s. Together, only the contact
/// between the two groups bounces, and each group moves as one:
///
///     V_right − V_left = e v,   k V_left + (N − k) V_right = k v, (1) E⁺/E⁻ = e² + (1 − e²) k/N.
///     (2)
///
/// For e = 1 and k = 1 this is (2/N − 1, 2/N, …, 2/N)v: (−1/3, 2/3, 2/3)v for three balls. In turn,
/// equal balls with e = 1 exchange their velocities, and k balls leave. Both keep momentum and, for
/// e = 1, energy: neither can tell which is right.
///
/// A unit cube, m = 1 kg, I = 1/6 kg m², falls flat with v = 1 m/s on its corners 1 … 4 at (+,+),
/// (−,+), (−,−), (+,−). Together: v⁺ = e v, Σj = (1 + e)mv, no spin, E⁺/E⁻ = e². In turn, the
/// velocities u of the corners follow
///
///     j = −(1 + e) u_i/A_ii where u_i < 0,   u ← u + A_·i j,   A_i· = (4, 1, −2, 1) from i on, (3)
///
/// the cube spins, and the outcome depends on the order of the corners; with e = 0 it hops.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

#include "experiments/harness/csv.hpp"
#include "experiments/harness/study.hpp"
#include "formulations/common/impacts.hpp"
#include "geometry/shapes.hpp"

namespace touchstone {

namespace {

struct Outcome {
  Vec nu;
  Vec impulses;         // normal, in the order of the points
  double energy = 0.0;  // kept, over that before
  int count = 0;
  bool solved = false;
};

/// The impact of the contacts at the given points, visited in their order.
Outcome strike(const World& world, ImpactOrder order, const std::vector<Vec3>& points) {
  State state = initial_state(world);
  Configuration configuration;
  configuration.update(world, state);
  std::vector<Contact> found, contacts;
  find_contacts_within(configuration, 1e-9, found);
  for (const Vec3& point : points)
    for (const Contact& c : found)
      if ((c.point - point).norm() < 1e-9) contacts.push_back(c);
  if (contacts.size() != points.size()) throw std::logic_error("contacts are not at their points");
  const double before = energy(world, state).kinetic;
  const ImpactResult result =
      resolve_impact(configuration, contacts, {.order = order, .most_impulses = 100000},
                     *make_solver("lemke"), 1e-12, state.nu);
  Outcome out{state.nu, Vec(static_cast<Eigen::Index>(points.size())),
              energy(world, state).kinetic / before, result.count, result.answer.ok()};
  for (Eigen::Index i = 0; i < out.impulses.size(); ++i)
    out.impulses[i] = result.impulses[static_cast<std::size_t>(i)][0];
  return out;
}

Body unit_mass(const std::string& name, std::shared_ptr<const ConvexSet> shape,
               const Vec3& position, const Vec3& velocity) {
  Body body{.name = name, .shape = std::move(shape), .position = position};
  const MassProperties solid = body.shape->mass_properties(1.0);
  body.inertia = solid.inertia / solid.mass;
  body.twist.v = velocity;
  return body;
}

/// The contacts from left to right; nu of the outcome is the speed of each ball.
Outcome cradle(int balls, int moving, double e, ImpactOrder order) {
  std::vector<Body> row;
  std::vector<Vec3> points;
  for (int k = 0; k < balls; ++k) {
    const Vec3 velocity = k < moving ? Vec3(1.0, 0.0, 0.0) : Vec3::Zero();
    row.push_back(unit_mass(fmt::format("ball{}", k + 1), std::make_shared<Ball>(3, 0.5),
                            {static_cast<double>(k), 0.0, 0.0}, velocity));
    if (k > 0) points.emplace_back(k - 0.5, 0.0, 0.0);
  }
  Outcome out = strike(World(3, Vec3::Zero(), row, {.restitution = e}), order, points);
  Vec speeds(balls);
  for (int k = 0; k < balls; ++k) speeds[k] = out.nu[6 * k];
  out.nu = speeds;
  return out;
}

/// (1).
Vec exact_cradle(int balls, int moving, double e) {
  const double left = (moving - (balls - moving) * e) / balls;
  Vec speeds = Vec::Constant(balls, left + e);
  speeds.head(moving).setConstant(left);
  return speeds;
}

double exact_energy(int balls, double e) { return e * e + (1.0 - e * e) / balls; }

/// The order as digits, "1234".
Outcome cube(double e, ImpactOrder order, const std::string& corners) {
  constexpr std::array x{0.5, -0.5, -0.5, 0.5}, y{0.5, 0.5, -0.5, -0.5};
  std::vector<Vec3> points;
  for (const char c : corners) {
    const auto k = static_cast<std::size_t>(c - '1');
    points.emplace_back(x[k], y[k], 0.0);
  }
  Body floor{.name = "floor", .shape = std::make_shared<HalfSpace>(3, Vec3::UnitZ(), 0.0)};
  floor.fixed = true;
  const Body body = unit_mass("cube", box(3, Vec3::Ones()), {0.0, 0.0, 0.5}, {0.0, 0.0, -1.0});
  Outcome out = strike(World(3, Vec3::Zero(), {body, floor}, {.restitution = e}), order, points);
  const Vec visited = out.impulses;
  for (std::size_t i = 0; i < corners.size(); ++i)
    out.impulses[corners[i] - '1'] = visited[static_cast<Eigen::Index>(i)];
  return out;
}

/// (3).
Vec exact_cube_in_turn(double e, const std::string& corners) {
  Vec u = Vec::Constant(4, -1.0), j = Vec::Zero(4);
  const Eigen::Vector4d row(4.0, 1.0, -2.0, 1.0);
  while (u.minCoeff() < -1e-12)
    for (const char c : corners) {
      const Eigen::Index i = c - '1';
      const double impulse = -(1.0 + e) * std::min(u[i], 0.0) / row[0];
      j[i] += impulse;
      for (Eigen::Index k = 0; k < 4; ++k) u[k] += row[(k + 4 - i) % 4] * impulse;
    }
  return j;
}

constexpr auto together = ImpactOrder::simultaneous, in_turn = ImpactOrder::sequential;

/// What the numbers are judged by; the largest over all cases.
struct Errors {
  double cradle = 0.0, exchange = 0.0, momentum = 0.0, energy = 0.0, flat = 0.0, in_turn = 0.0;
  bool solved = true;

  void see(double& error, double value) { error = std::max(error, std::abs(value)); }
};

class SimultaneousImpacts final : public Study {
 public:
  std::vector<Case> published_cases() const override { return {{"", {}}}; }

  Computed compute(const Parameters& p, const Progress& progress) const override {
    Errors errors;
    Computed out;
    out.tables["balls.csv"] = balls(static_cast<int>(p.integer("largest")), errors);
    progress(0.3);
    out.tables["energy.csv"] = energies(static_cast<int>(p.integer("samples")), errors, progress);
    out.tables["cube.csv"] = cubes(errors);
    const auto numbers = [](const Vec& v) { return std::vector<double>(v.begin(), v.end()); };
    const Outcome three = cradle(3, 1, 1.0, together);
    out.summary = {{"three_together", numbers(three.nu)},
                   {"three_impulses", numbers(three.impulses)},
                   {"three_in_turn", numbers(cradle(3, 1, 1.0, in_turn).nu)},
                   {"cradle_error", errors.cradle},
                   {"exchange_error", errors.exchange},
                   {"momentum_error", errors.momentum},
                   {"energy_error", errors.energy},
                   {"flat_cube_error", errors.flat},
                   {"cube_in_turn_error", errors.in_turn},
                   {"hop", cube(0.0, in_turn, "1234").nu[2]},
                   {"solved", errors.solved}};
    return out;
  }

  std::vector<Check> check_run(const CaseResult& result) const override {
    std::vector<Check> checks = Study::check_run(result);
    const auto below = [&](const char* claim, const char* key, double bound) {
      const double error = result.summary.at(key);
      checks.push_back({claim, fmt::format("off by {:.1e}", error), error <= bound});
    };
    const auto three = [&](const char* claim, const char* key, const std::vector<double>& exact) {
      const std::vector<double> value = result.summary.at(key);
      double error = 0.0;
      for (std::size_t i = 0; i < exact.size(); ++i)
        error = std::max(error, std::abs(value[i] - exact[i]));
      checks.push_back({claim, fmt::format("{:.6g}", fmt::join(value, ", ")), error <= 1e-12});
    };
    three("three balls together: (-1/3, 2/3, 2/3) v", "three_together", {-1. / 3, 2. / 3, 2. / 3});
    three("their impulses: (4/3, 2/3) mv", "three_impulses", {4. / 3, 2. / 3});
    three("three balls in turn: (0, 0, v)", "three_in_turn", {0, 0, 1});
    below("N balls together: two groups, e = 0, 1/2, 1", "cradle_error", 1e-12);
    below("N balls in turn, e = 1: velocities are exchanged", "exchange_error", 1e-12);
    below("momentum is conserved", "momentum_error", 1e-12);
    below("energy kept together: e² + (1 − e²)/N, and e² for the cube", "energy_error", 1e-12);
    below("flat cube together: v⁺ = e v, impulses (1 + e) mv, no spin", "flat_cube_error", 1e-12);
    below("flat cube in turn: the recursion of its corners' velocities", "cube_in_turn_error",
          1e-12);
    const bool solved = result.summary.at("solved");
    checks.push_back({"every impact is solved", solved ? "yes" : "no", solved});
    return checks;
  }

  std::vector<Check> check_study(const std::vector<CaseResult>& results) const override {
    return check_run(results.front());
  }

  std::vector<std::pair<std::string, std::string>> table_columns() const override {
    return {{"three together [m/s]", "three_together"},
            {"in turn [m/s]", "three_in_turn"},
            {"error of N balls", "cradle_error"},
            {"cube in turn, e = 0: v_z [m/s]", "hop"}};
  }

 private:
  static std::string balls(int largest, Errors& errors) {
    CsvTable table({"balls", "moving", "restitution", "ball", "together", "exact_together",
                    "in_turn", "impulses_in_turn"});
    for (int n = 2; n <= largest; ++n)
      for (int moving = 1; moving < n; ++moving)
        for (const double e : {0.0, 0.5, 1.0}) {
          const Outcome a = cradle(n, moving, e, together), b = cradle(n, moving, e, in_turn);
          const Vec exact = exact_cradle(n, moving, e);
          errors.see(errors.cradle, (a.nu - exact).lpNorm<Eigen::Infinity>());
          for (const Outcome* o : {&a, &b}) errors.see(errors.momentum, o->nu.sum() - moving);
          if (e == 1.0) {
            Vec exchanged = Vec::Zero(n);
            exchanged.tail(moving).setOnes();
            errors.see(errors.exchange, (b.nu - exchanged).lpNorm<Eigen::Infinity>());
          }
          errors.solved = errors.solved && a.solved && b.solved;
          for (int k = 0; k < n; ++k)
            table.add(n, moving, e, k + 1, a.nu[k], exact[k], b.nu[k], b.count);
        }
    return table.text();
  }

  static std::string energies(int samples, Errors& errors, const Progress& progress) {
    CsvTable table({"restitution", "together_3", "in_turn_3", "together_5", "in_turn_5",
                    "cube_together", "cube_1234", "cube_1324", "impulses_3", "impulses_5"});
    for (int i = 0; i <= samples; ++i) {
      const double e = static_cast<double>(i) / samples;
      const std::array all{cradle(3, 1, e, together), cradle(3, 1, e, in_turn),
                           cradle(5, 1, e, together), cradle(5, 1, e, in_turn),
                           cube(e, together, "1234"), cube(e, in_turn, "1234"),
                           cube(e, in_turn, "1324")};
      for (const Outcome& o : all) errors.solved = errors.solved && o.solved;
      errors.see(errors.energy, all[0].energy - exact_energy(3, e));
      errors.see(errors.energy, all[2].energy - exact_energy(5, e));
      errors.see(errors.energy, all[4].energy - e * e);
      table.add(e, all[0].energy, all[1].energy, all[2].energy, all[3].energy, all[4].energy,
                all[5].energy, all[6].energy, all[1].count, all[3].count);
      progress(0.3 + 0.6 * e);
    }
    return table.text();
  }

  static std::string cubes(Errors& errors) {
    CsvTable table({"order", "restitution", "j1", "j2", "j3", "j4", "v_z", "w_x", "w_y", "energy",
                    "impulses"});
    for (const char* order : {"together", "1234", "1324"})
      for (const double e : {0.0, 0.5, 1.0}) {
        const bool all_at_once = order[0] == 't';
        const Outcome o = all_at_once ? cube(e, together, "1234") : cube(e, in_turn, order);
        const Vec& j = o.impulses;
        table.add(order, e, j[0], j[1], j[2], j[3], o.nu[2], o.nu[3], o.nu[4], o.energy, o.count);
        errors.solved = errors.solved && o.solved;
        if (!all_at_once) {
          const Vec exact = exact_cube_in_turn(e, order);
          errors.see(errors.in_turn, (j - exact).lpNorm<Eigen::Infinity>());
          errors.see(errors.in_turn, o.nu[2] - (exact.sum() - 1.0));
          continue;
        }
        errors.see(errors.flat, (o.nu - e * Vec::Unit(6, 2)).lpNorm<Eigen::Infinity>());
        errors.see(errors.flat, j.sum() - (1.0 + e));
      }
    return table.text();
  }
};

const Register<StudyEntry> entry{{
    .name = "simultaneous-impacts",
    .summary = "a cradle and a flat cube: impacts of several contacts together and in turn",
    .cite = "Baraff 1992, thesis, chapter 9; Featherstone 1987",
    .figures = {"baraff1992_impacts"},
    .parameters =
        {integer("largest", 10, "1", "balls of the longest cradle").at_least(3),
         integer("samples", 40, "1", "coefficients of restitution between 0 and 1").at_least(1)},
    .make = [] { return std::make_unique<SimultaneousImpacts>(); },
}};

}  // namespace

}  // namespace touchstone

/// Benchmarks of the hot paths. Machines differ: compare ratios within one run.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "experiments/harness/study.hpp"
#include "geometry/closest_points.hpp"
#include "geometry/contact_points.hpp"
#include "geometry/shapes.hpp"
#include "solvers/collections/random_problems.hpp"

namespace touchstone {

namespace {

/// One step of rolling-disc at h = 0.01, over the first second of the motion; 0 edges is the smooth
/// disc.
void rolling_disc_step(benchmark::State& bench, const std::string& formulation_name) {
  const StudyEntry& entry = Registry<StudyEntry>::instance().find("rolling-disc");
  Parameters parameters = entry.parameters;
  parameters.set("edges", Parameter::Value(static_cast<long>(bench.range(0))));
  const World world = entry.make()->world(parameters);
  const State start = initial_state(world);
  State state = start;
  auto formulation = make_formulation(formulation_name, world);
  int k = 0;
  for (auto _ : bench) {
    state = formulation->advance(state, 0.01).next;
    if (++k % 100 == 0) state = start;
  }
}
BENCHMARK_CAPTURE(rolling_disc_step, stewart_trinkle, "stewart-trinkle")
    ->Arg(0)
    ->Arg(20)
    ->Arg(100)
    ->Arg(1000)
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(rolling_disc_step, penalty, "penalty")
    ->Arg(0)
    ->Arg(100)
    ->Unit(benchmark::kMicrosecond);

BENCHMARK_CAPTURE(rolling_disc_step, geometric_ncp, "geometric-ncp")
    ->Arg(0)
    ->Arg(100)
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(rolling_disc_step, tzitzouris_pang, "tzitzouris-pang")
    ->Arg(0)
    ->Unit(benchmark::kMicrosecond);

Body bench_ball(const std::string& name, double radius, const Vec3& position, bool fixed) {
  Body ball{.name = name, .shape = std::make_shared<Ball>(3, radius)};
  ball.mass = 1.0;
  ball.inertia = 0.4 * radius * radius * Mat3::Identity();
  ball.position = position;
  ball.fixed = fixed;
  return ball;
}

/// One step of Chakraborty et al. (2007), example 3, at h = 0.01, over the first 2.9 s: two
/// contacts, one rolling and one sliding.
void two_spheres_step(benchmark::State& bench, const std::string& formulation_name) {
  Body small = bench_ball("ball", 1.0, {0.0, 6.62105263157895, 8.78417110772903}, false);
  small.applied.force = {1.0, 2.6, -9.81};
  const World world(3, Vec3::Zero(),
                    {small, bench_ball("first", 10.0, {0.0, 0.0, 0.0}, true),
                     bench_ball("second", 9.0, {0.0, 11.4, 0.0}, true)},
                    {.mu = 0.2, .e_r = 0.3});
  const State start = initial_state(world);
  State state = start;
  auto formulation = make_formulation(formulation_name, world);
  int k = 0;
  for (auto _ : bench) {
    state = formulation->advance(state, 0.01).next;
    if (++k % 290 == 0) state = start;
  }
}
BENCHMARK_CAPTURE(two_spheres_step, geometric_ncp, "geometric-ncp")->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(two_spheres_step, tzitzouris_pang, "tzitzouris-pang")
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(two_spheres_step, stewart_trinkle, "stewart-trinkle")
    ->Unit(benchmark::kMicrosecond);

/// A column of balls at rest, one island: n bodies, n contacts.
void ball_column_step(benchmark::State& bench, const std::string& formulation_name) {
  std::vector<Body> bodies;
  for (int k = 0; k < bench.range(0); ++k)
    bodies.push_back(bench_ball("ball" + std::to_string(k), 0.5, {0.0, 0.0, 0.5 + k}, false));
  Body floor{.name = "floor", .shape = std::make_shared<HalfSpace>(3, Vec3::UnitZ(), 0.0)};
  floor.fixed = true;
  bodies.push_back(floor);
  const World world(3, {0.0, 0.0, -9.81}, bodies, {.mu = 0.4, .e_r = 0.05});
  State state = initial_state(world);
  auto formulation = make_formulation(formulation_name, world);
  for (auto _ : bench) state = formulation->advance(state, 0.01).next;
}
BENCHMARK_CAPTURE(ball_column_step, geometric_ncp, "geometric-ncp")
    ->Arg(1)
    ->Arg(10)
    ->Arg(100)
    ->Unit(benchmark::kMicrosecond);

/// A frictional LCP [A_nn A_nf 0; A_fn A_ff E; U −Eᵀ 0] of one planar body on a row of contacts.
Lcp contact_row(int contacts) {
  const Eigen::Index c = contacts, n = 4 * c;
  Mat W(3, 3 * c);
  for (Eigen::Index i = 0; i < c; ++i) {
    const double x = c > 1 ? -0.5 + static_cast<double>(i) / static_cast<double>(c - 1) : 0.0;
    W.col(i) << 0.0, 1.0, x;
    W.col(c + 2 * i) << 1.0, 0.0, 0.1;
    W.col(c + 2 * i + 1) << -1.0, 0.0, -0.1;
  }
  const Mat inverse_mass = Eigen::Vector3d(1.0, 1.0, 12.0).asDiagonal();
  Mat M = Mat::Zero(n, n);
  M.topLeftCorner(3 * c, 3 * c) = W.transpose() * inverse_mass * W;
  Vec q = Vec::Zero(n);
  const Vec q_free = W.transpose() * Eigen::Vector3d(0.5, -0.1, 0.2);
  q.head(3 * c) = q_free;
  for (Eigen::Index i = 0; i < c; ++i) {
    M.block(c + 2 * i, 3 * c + i, 2, 1).setOnes();
    M.block(3 * c + i, c + 2 * i, 1, 2).setConstant(-1.0);
    M(3 * c + i, i) = 0.5;
  }
  return {M, q};
}

void lemke(benchmark::State& bench) {
  const Problem problem = contact_row(static_cast<int>(bench.range(0)));
  const auto solver = make_solver("lemke");
  for (auto _ : bench) {
    const Answer answer = solver->solve(problem);
    if (!answer.ok()) bench.SkipWithError(to_string(answer.status).c_str());
    benchmark::DoNotOptimize(answer.z.data());
  }
}
BENCHMARK(lemke)->Arg(1)->Arg(2)->Arg(3)->Arg(10)->Arg(30)->Unit(benchmark::kMicrosecond);

/// Random Stewart–Trinkle steps that both Lemkes solve; Siconos' runs in a child here, because it
/// may end the process on the others.
std::vector<Problem> steps_that_both_solve(int contacts, int directions, std::size_t count) {
  random_problems::Random random(20261);
  const auto own = make_solver("lemke"), siconos = make_solver("siconos-lemke");
  std::vector<Problem> problems;
  for (int trial = 0; trial < 200 && problems.size() < count; ++trial) {
    Problem problem =
        random_problems::random_step(random, contacts, directions, /*redundant=*/trial % 2 == 0);
    const Answer a = own->solve(problem);
    if (!a.ok() || a.iterations == 0) continue;  // nothing touches: no pivot to compare
    if (siconos->solve(problem).ok()) problems.push_back(std::move(problem));
  }
  return problems;
}

/// The shortest of several solves within about `budget` seconds; `residual` keeps the largest.
double shortest(Solver& solver, const Problem& problem, double budget, double& residual) {
  double best = std::numeric_limits<double>::infinity(), spent = 0.0;
  for (int k = 0; k < 100 && (k == 0 || spent < budget); ++k) {
    const Answer answer = solver.solve(problem);
    residual = std::max(residual, answer.residual.natural);
    best = std::min(best, answer.seconds);
    spent += answer.seconds;
  }
  return best;
}

/// Own Lemke beside Siconos' on the same problems, in turn, in this process. The time is that of
/// the own one; `ratio` is Siconos' time over it, summed over the problems, `least` the smallest
/// ratio of any problem; the residuals are the largest of each.
void lemke_beside_siconos(benchmark::State& bench) {
  if (!Registry<SolverEntry>::instance().find("siconos-lemke").unavailable.empty()) {
    bench.SkipWithError("Siconos is not available");
    return;
  }
  const int contacts = static_cast<int>(bench.range(0)),
            directions = static_cast<int>(bench.range(1));
  const std::vector<Problem> problems = steps_that_both_solve(contacts, directions,
                                                              contacts < 50    ? 20
                                                              : contacts < 100 ? 6
                                                                               : 3);
  const auto own = make_solver("lemke");
  const auto siconos = make_solver("siconos-lemke", {flag("child_process", false, "")});
  double own_total = 0.0, siconos_total = 0.0, own_residual = 0.0, siconos_residual = 0.0;
  double least = std::numeric_limits<double>::infinity();
  for (auto _ : bench) {
    double own_time = 0.0;
    for (const Problem& problem : problems) {
      const double a = shortest(*own, problem, 0.02, own_residual);
      const double b = shortest(*siconos, problem, 0.1, siconos_residual);
      own_time += a;
      siconos_total += b;
      least = std::min(least, b / a);
    }
    own_total += own_time;
    bench.SetIterationTime(own_time / static_cast<double>(problems.size()));
  }
  bench.counters["problems"] = static_cast<double>(problems.size());
  bench.counters["ratio"] = siconos_total / own_total;
  bench.counters["least"] = least;
  bench.counters["residual"] = own_residual;
  bench.counters["residual_siconos"] = siconos_residual;
}
BENCHMARK(lemke_beside_siconos)
    ->ArgsProduct({{10, 50, 100}, {4, 8}})
    ->ArgNames({"contacts", "directions"})
    ->Iterations(1)
    ->UseManualTime()
    ->Unit(benchmark::kMicrosecond);

void polygon_on_half_space(benchmark::State& bench) {
  const auto polygon = regular_polygon(static_cast<int>(bench.range(0)), 1.0);
  const HalfSpace floor(2, Vec3::UnitY(), 0.0);
  const Pose pose{{0.0, 1.0, 0.0}, Mat3::Identity()};
  std::vector<ContactPoint> points;
  for (auto _ : bench) {
    points.clear();
    contact_points(*polygon, pose, floor, {}, 0.01, points);
    benchmark::DoNotOptimize(points.data());
  }
}
BENCHMARK(polygon_on_half_space)->Arg(100)->Arg(1000)->Arg(10000)->Unit(benchmark::kMicrosecond);

/// Random pairs of ellipsoids, started at the normal of a pose 0.01 m and 0.01 rad away.
void ellipsoid_pairs(benchmark::State& bench) {
  struct Pair {
    Ellipsoid A, B;
    Pose a, b;
    Vec3 start;
  };
  std::mt19937 engine(1);
  std::uniform_real_distribution<double> axis(0.2, 1.5), place(-2.0, 2.0);
  std::normal_distribution<double> normal;
  auto vector = [&](auto& draw) { return Vec3(draw(engine), draw(engine), draw(engine)); };
  auto turn = [&] {
    const Eigen::Quaterniond q(normal(engine), normal(engine), normal(engine), normal(engine));
    return q.normalized().toRotationMatrix();
  };
  std::vector<Pair> pairs;
  for (int i = 0; i < 10000; ++i) {
    Pair p{Ellipsoid(3, vector(axis)),
           Ellipsoid(3, vector(axis)),
           {vector(place), turn()},
           {vector(place), turn()},
           Vec3::Zero()};
    const Vec3 dx = 0.01 * vector(normal).normalized(), axis_of_turn = vector(normal).normalized();
    const Pose before{p.a.x + dx, Eigen::AngleAxisd(0.01, axis_of_turn).toRotationMatrix() * p.a.R};
    p.start = closest_points(p.A, before, p.B, p.b).normal;
    pairs.push_back(std::move(p));
  }
  double worst = 0.0;
  for (auto _ : bench)
    for (const Pair& p : pairs) {
      const ClosestPoints c = closest_points(p.A, p.a, p.B, p.b, p.start);
      worst = std::max(worst, c.residual);
    }
  bench.SetItemsProcessed(bench.iterations() * static_cast<std::int64_t>(pairs.size()));
  bench.counters["residual"] = worst;
}
BENCHMARK(ellipsoid_pairs)->Unit(benchmark::kMillisecond);

void box_on_box(benchmark::State& bench) {
  const auto cube = box(3, Vec3::Ones());
  const Pose low{}, high{{0.1, 0.2, 0.999}, Mat3::Identity()};
  std::vector<ContactPoint> points;
  for (auto _ : bench) {
    points.clear();
    contact_points(*cube, high, *cube, low, 0.01, points);
    benchmark::DoNotOptimize(points.data());
  }
}
BENCHMARK(box_on_box)->Unit(benchmark::kMicrosecond);

/// 27 cubes of side 1 that tumble on a lattice, `gap` thousandths of a metre between them when they
/// stand straight: the contact search with its kept separating planes beside the same pairs without
/// them. `ratio`: how many times quicker the planes make it; `shown`: the share of pairs they
/// reject.
void tumbling_cubes(benchmark::State& bench) {
  using Clock = std::chrono::steady_clock;
  const double spacing = 1.0 + 1e-3 * static_cast<double>(bench.range(0));
  std::vector<Body> bodies;
  for (int i = 0; i < 27; ++i) {
    Body cube{.name = "cube" + std::to_string(i), .shape = box(3, Vec3::Ones())};
    cube.position = spacing * Vec3(i % 3, i / 3 % 3, i / 9);
    bodies.push_back(cube);
  }
  const World world(3, Vec3::Zero(), bodies, {});
  State state = initial_state(world);
  Configuration configuration;
  std::vector<Contact> contacts;
  std::vector<ContactPoint> points;
  double with = 0.0, without = 0.0;
  for (auto _ : bench) {
    for (int k = 0; k < world.nv(); k += 6)  // a slow rocking, so that gaps close and open
      state.nu.segment<3>(k + 3) = 0.05 * Vec3(std::sin(0.01 * k), std::cos(0.02 * k), 0.3);
    advance_coordinates(world, state.nu, 0.01, state.q);
    configuration.update(world, state);
    const auto start = Clock::now();
    find_contacts_within(configuration, 0.0, contacts);
    const auto middle = Clock::now();
    for (const Pair& pair : world.pairs()) {
      const double reach = world.body(pair.a).shape->radius() + world.body(pair.b).shape->radius();
      if ((configuration.pose(pair.a).x - configuration.pose(pair.b).x).norm() > reach) continue;
      points.clear();
      contact_points(*world.body(pair.a).shape, configuration.pose(pair.a),
                     *world.body(pair.b).shape, configuration.pose(pair.b), 0.0, points);
      benchmark::DoNotOptimize(points.data());
    }
    with += std::chrono::duration<double>(middle - start).count();
    without += std::chrono::duration<double>(Clock::now() - middle).count();
    bench.SetIterationTime(std::chrono::duration<double>(middle - start).count());
  }
  const PairPlanes::Counts& counts = configuration.planes().counts;
  bench.counters["ratio"] = without / with;
  bench.counters["shown"] =
      static_cast<double>(counts.shown) / static_cast<double>(std::max(counts.asked, 1L));
  bench.counters["contacts"] = static_cast<double>(contacts.size());
}
BENCHMARK(tumbling_cubes)
    ->Arg(10)
    ->Arg(100)
    ->Arg(400)
    ->Iterations(500)
    ->UseManualTime()
    ->Unit(benchmark::kMicrosecond);

}  // namespace

}  // namespace touchstone

BENCHMARK_MAIN();

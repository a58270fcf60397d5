#include <cmath>
#include <limits>
#include <memory>

#include "tests/solvers/conformance_cases.hpp"
#include "tests/solvers/known_problems.hpp"
#include "tests/solvers/nonlinear_problems.hpp"
#include "tests/solvers/random_problems.hpp"

namespace touchstone::testing {

namespace {

constexpr double inf = std::numeric_limits<double>::infinity();

Mlcp scalar(double M, double q, double l, double u) {
  return {Mat::Constant(1, 1, M), vec({q}), vec({l}), vec({u})};
}

Qp scalar_qp(double P, double c, double l, double u) {
  return {Mat::Constant(1, 1, P), vec({c}), Mat::Identity(1, 1), vec({l}), vec({u})};
}

/// QP-1 (8-10) of the thesis: min fᵀAf + qᵀf with Af + q ≥ 0, f ≥ 0; its value is 0.
Qp explicit_form(const Lcp& p) {
  const Eigen::Index n = p.q.size();
  Mat rows(2 * n, n);
  rows << p.M.dense(), Mat::Identity(n, n);
  Vec l(2 * n);
  l << -p.q, Vec::Zero(n);
  return {2.0 * p.M.dense(), p.q, rows, l, Vec::Constant(2 * n, inf)};
}

/// QP-2 (8-11): min ½fᵀAf + qᵀf with f ≥ 0.
Qp dual_form(const Lcp& p) {
  const Eigen::Index n = p.q.size();
  return {p.M.dense(), p.q, Mat::Identity(n, n), Vec::Zero(n), Vec::Constant(n, inf)};
}

/// The Mlcp with −1 ≤ z ≤ 1 and other bounds whose answer was chosen first.
Case mixed_backwards(Random& random) {
  const Mat B = random.matrix(7, 7), M = B * B.transpose() + Mat::Identity(7, 7);
  const Vec z = vec({0.3, -0.7, 0.0, 2.0, 1.0, 0.2, 3.0});
  const Vec F = vec({0.0, 0.0, 0.5, -0.4, -0.3, 0.0, 5.0});
  const Mlcp problem{M, F - M * z, vec({-inf, -inf, 0.0, -inf, -1.0, -1.0, 3.0}),
                     vec({inf, inf, inf, 2.0, 1.0, 1.0, 3.0})};
  return {"every kind of bound, built backwards", problem, true, {z}};
}

/// One contact with W = w·1, velocity q.
FrictionContact one_contact(double w, const Vec& q, double mu) {
  const Eigen::Index dim = q.size();
  return {static_cast<int>(dim), w * Mat::Identity(dim, dim), q, vec({mu})};
}

/// r ∈ K and u with u + μ‖u_t‖n ∈ K*, complementary: stick, slip and separation in turn.
Case cone_backwards(Random& random, int contacts) {
  const double mu = 0.4;
  const Mat H = random.matrix(3 * contacts, 3 * contacts);
  const Mat W = H * H.transpose() + Mat::Identity(3 * contacts, 3 * contacts);
  Vec r = Vec::Zero(3 * contacts), u = Vec::Zero(3 * contacts);
  for (int i = 0; i < contacts; ++i) {
    if (i % 3 == 0) r.segment(3 * i, 3) = vec({1.0, 0.1, -0.2});
    if (i % 3 == 1) {
      u.segment(3 * i, 3) = vec({0.0, 0.6, 0.8});
      r.segment(3 * i, 3) = vec({1.0, -0.6 * mu, -0.8 * mu});
    }
    if (i % 3 == 2) u.segment(3 * i, 3) = vec({0.5, 0.3, 0.1});
  }
  const FrictionContact problem{3, W, u - W * r, Vec::Constant(contacts, mu)};
  return {"stick, slip and separation, built backwards", problem, true, {}, u};
}

void add_to(std::vector<Case>& all, std::vector<Case> more) {
  for (Case& one : more) all.push_back(std::move(one));
}

}  // namespace

std::vector<Case> mixed_cases() {
  const double g = 9.8;
  Random random(73);
  std::vector<Case> cases;
  cases.push_back({"mixed: empty", Mlcp{Mat(0, 0), Vec(0), Vec(0), Vec(0)}, true, {Vec(0)}});
  cases.push_back({"T30 bead, an equation", scalar(1.0, g, -inf, inf), true, {vec({-g})}});
  cases.push_back({"T31 T33 double pendulum, equations",
                   Mlcp{(Mat(2, 2) << 1, -1, -1, 2).finished(), vec({g, 0}), Vec::Constant(2, -inf),
                        Vec::Constant(2, inf)},
                   true,
                   {vec({-2 * g, -g})}});
  cases.push_back({"X5 friction in a box", scalar(2.0, -7.0, -1.5, 1.5), true, {vec({1.5})}});
  cases.push_back({"fixed variable", scalar(2.0, -7.0, 2.0, 2.0), true, {vec({2})}});
  cases.push_back({"upper bound only", scalar(1.0, 3.0, -inf, 1.0), true, {vec({-3})}});
  cases.push_back({"far bound", scalar(1.0, 0.0, 1e7, inf), true, {vec({1e7})}});
  cases.push_back(
      {"nonconvex box", scalar(-1.0, 0.0, -1.0, 1.0), true, {vec({-1}), vec({0}), vec({1})}});
  cases.push_back(mixed_backwards(random));
  cases.push_back(
      {"bilateral and unilateral",
       Mlcp{(Mat(2, 2) << 2, 1, 1, 2).finished(), vec({-5, -6}), vec({-inf, 0}), vec({inf, inf})},
       true,
       {vec({4 / 3.0, 7 / 3.0})}});
  cases.push_back({"equation without solution", scalar(0.0, 1.0, -inf, inf), false});
  cases.push_back({"mixed: inconsistent rod", scalar(-1.0, -g, 0.0, inf), false});

  const Vec zero = Vec::Zero(4), infinite = Vec::Constant(4, inf);
  cases.push_back({"Kojima and Shindo",
                   Mcp{std::make_shared<KojimaShindo>(), zero, infinite},
                   true,
                   {vec({std::sqrt(6.0) / 2, 0, 0, 0.5}), vec({1, 0, 3, 0})}});
  const double z1 = 0.5 * (-1.25 + std::sqrt(1.25 * 1.25 + 7.0));
  cases.push_back({"curved with an equation",
                   Mcp{std::make_shared<Curved>(), vec({-inf, 0}), vec({inf, inf})},
                   true,
                   {vec({1 + z1, z1})}});
  cases.push_back({"curved at its upper bound",
                   Mcp{std::make_shared<Curved>(), vec({-inf, 0}), vec({inf, 0.25})},
                   true,
                   {vec({1.25, 0.25})}});
  cases.push_back(
      {"T16 two by two as a function",
       Mcp{std::make_shared<Affine>((Mat(2, 2) << 2, 1, 1, 2).finished(), vec({-5, -6})),
           Vec::Zero(2), Vec::Constant(2, inf)},
       true,
       {vec({4 / 3.0, 7 / 3.0})}});
  cases.push_back(
      {"null direction as a function",
       Mcp{std::make_shared<Affine>((Mat(2, 2) << 1, -1, -1, 1).finished(), vec({-1, -1})),
           Vec::Zero(2), Vec::Constant(2, inf)},
       false});
  cases.push_back(
      {"never positive", Mcp{std::make_shared<NeverPositive>(), vec({0}), vec({inf})}, false});
  return cases;
}

std::vector<Case> qp_cases() {
  std::vector<Case> cases;
  cases.push_back({"qp: empty", Qp{Mat(0, 0), Vec(0), Mat(0, 0), Vec(0), Vec(0)}, true, {Vec(0)}});
  cases.push_back({"qp: unconstrained",
                   Qp{Mat::Constant(1, 1, 2.0), vec({-6}), Mat(0, 1), Vec(0), Vec(0)},
                   true,
                   {vec({3})}});
  cases.push_back({"qp: active bound", scalar_qp(1.0, -3.0, -1.0, 2.0), true, {vec({2, 1})}});
  cases.push_back({"qp: far bound", scalar_qp(1.0, 0.0, 1e7, inf), true, {vec({1e7, -1e7})}});
  cases.push_back({"X5 Lötstedt's box", scalar_qp(2.0, -7.0, -1.5, 1.5), true, {vec({1.5, 4})}});
  cases.push_back({"qp: equation",
                   Qp{Mat::Identity(2, 2), vec({0, 0}), Mat::Ones(1, 2), vec({2}), vec({2})},
                   true,
                   {vec({1, 1, -1})}});
  cases.push_back({"qp: linear", scalar_qp(0.0, 1.0, -4.0, inf), true, {vec({-4, -1})}});
  cases.push_back({"T15 as (8-11)", dual_form(stack(2.0, 3.0)), true, {vec({49, 29.4, 0, 0})}});
  cases.push_back({"T15 as (8-10)", explicit_form(stack(2.0, 3.0))});
  cases.push_back({"X12 chair as (8-11)", dual_form(chair())});
  cases.push_back({"X12 chair as (8-10)", explicit_form(chair())});
  cases.push_back(
      {"qp: the same row three times", Qp{Mat::Identity(2, 2), vec({-2, -2}), Mat::Ones(3, 2),
                                          Vec::Constant(3, -inf), Vec::Constant(3, 2.0)}});
  cases.push_back(
      {"qp: contradicting rows",
       Qp{Mat::Identity(1, 1), vec({0}), Mat::Ones(2, 1), vec({1, -inf}), vec({inf, 0})}, false});
  cases.push_back({"qp: unbounded", scalar_qp(0.0, -1.0, 0.0, inf), false});
  cases.push_back({"qp: unbounded in a null space",
                   Qp{Mat::Ones(2, 2), vec({1, -1}), Mat(0, 2), Vec(0), Vec(0)}, false});
  cases.push_back({"qp: nonconvex in a box", scalar_qp(-1.0, 0.5, -1.0, 1.0), false});
  cases.push_back({"qp: nonconvex and unbounded", scalar_qp(-1.0, -1.0, 0.0, inf), false});
  return cases;
}

std::vector<Case> cone_cases() {
  Random random(74);
  std::vector<Case> cases;
  cases.push_back({"cone: empty", FrictionContact{3, Mat(0, 0), Vec(0), Vec(0)}, true, {Vec(0)}});
  cases.push_back(
      {"cone: sticks", one_contact(0.5, vec({-1, 0.3, 0}), 0.5), true, {vec({2, -0.6, 0})}});
  cases.push_back(
      {"cone: slides", one_contact(0.5, vec({-1, 2, 0}), 0.5), true, {vec({2, -1, 0})}});
  cases.push_back({"cone: at the threshold",
                   one_contact(0.5, vec({-1, 0.3, 0.4}), 0.5),
                   true,
                   {vec({2, -0.6, -0.8})}});
  cases.push_back(
      {"cone: separates", one_contact(0.5, vec({1, 2, 0}), 0.5), true, {vec({0, 0, 0})}});
  cases.push_back(
      {"cone: without friction", one_contact(0.5, vec({-1, 2, 0}), 0.0), true, {vec({2, 0, 0})}});
  cases.push_back({"cone: large impulse",
                   one_contact(1e-6, vec({-1, 2, 0}), 0.5),
                   true,
                   {vec({1e6, -5e5, 0})}});
  cases.push_back(
      {"cone: planar, sticks", one_contact(0.5, vec({-1, 0.3}), 0.5), true, {vec({2, -0.6})}});
  cases.push_back(
      {"cone: planar, slides", one_contact(0.5, vec({-1, 2}), 0.5), true, {vec({2, -1})}});
  cases.push_back(cone_backwards(random, 3));
  cases.push_back(cone_backwards(random, 9));
  cases.back().name += ", nine contacts";
  const FrictionContact immovable{3, Mat::Zero(3, 3), vec({0.5, 1, 0}), vec({0.5})};
  cases.push_back({"cone: nothing can move, separates", immovable, true, {}, vec({0.5, 1, 0})});
  FrictionContact pressed = immovable;
  pressed.q[0] = -1.0;
  cases.push_back({"cone: nothing can move, pressed", pressed, false});
  return cases;
}

std::vector<Case> conformance_cases() {
  std::vector<Case> all = contact_lcps();
  add_to(all, pivoting_lcps());
  add_to(all, difficult_lcps());
  add_to(all, unsolvable_lcps());
  add_to(all, mixed_cases());
  add_to(all, qp_cases());
  add_to(all, cone_cases());
  return all;
}

}  // namespace touchstone::testing

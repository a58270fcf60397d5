#include <cmath>
#include <numbers>

#include "tests/solvers/conformance_cases.hpp"
#include "tests/solvers/known_problems.hpp"
#include "tests/solvers/random_problems.hpp"

namespace touchstone::testing {

namespace {

Lcp lcp(std::initializer_list<double> M, std::initializer_list<double> q) {
  const Eigen::Index n = static_cast<Eigen::Index>(q.size());
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  return {Mat(Eigen::Map<const RowMajor>(M.begin(), n, n)), vec(q)};
}

/// q = w − Mz
Case backwards(std::string name, const Mat& M, const Vec& z, const Vec& w, bool unique) {
  const Lcp problem{M, w - M * z};
  if (unique) return {std::move(name), problem, true, {z}};
  return {std::move(name), problem, true, {}, w};
}

/// Planar overhang of a block of unit mass and side (T13): contacts at x = −½ and x = c.
Case overhang(double c) {
  const Vec x = vec({-0.5, c});
  const Mat A = Mat::Ones(2, 2) + 6.0 * x * x.transpose();
  const double g = 9.8;
  const Vec f = c >= 0.0 ? vec({g * c / (c + 0.5), 0.5 * g / (c + 0.5)})
                         : vec({0.0, g / (1.0 + 6.0 * c * c)});
  return {c >= 0.0 ? "T13 overhang" : "T13 overhang that tips", Lcp{A, vec({-g, -g})}, true, {f}};
}

/// The rod of the thesis with its tip at rest, F = 1 and a tangential load G (X6), as an LCP in
/// (f_N, f_+, f_−, σ): it can separate, slip or stick, and share sticking friction between f_+ and
/// f_− in many ways.
Case static_rod(double G) {
  const double theta = 0.4 * std::numbers::pi, c = std::cos(theta), s = std::sin(theta);
  const double mu = (c * c + 0.125) / (c * s);
  const double B = 1.0 + 16.0 * c * c, C = -16.0 * c * s, E = 1.0 + 16.0 * s * s, F = 1.0;
  return {"X6 static rod", static_contact(B, C, E, F, G, mu)};
}

/// A particle of unit mass on a plane, four directions (+x, +y, −x, −y), μ = ½, falling with 1 m/s
/// and sliding along x: (p_n, β, σ).
Lcp particle(double slide) {
  return lcp({1, 0,  0, 0, 0, 0, 0, 1, 0,  -1, 0, 1, 0,   0,  1,  0,  -1, 1,
              0, -1, 0, 1, 0, 1, 0, 0, -1, 0,  1, 1, 0.5, -1, -1, -1, -1, 0},
             {-1, slide, 0, -slide, 0, 0});
}

/// A unit cube falling flat on the plane (T11, T12): normals at its four corners.
Mat cube_on_plane() {
  return (Mat(4, 4) << 4, 1, -2, 1, 1, 4, 1, -2, -2, 1, 4, 1, 1, -2, 1, 4).finished();
}

}  // namespace

std::vector<Case> contact_lcps() {
  const double g = 9.8;
  Random random(71);
  std::vector<Case> cases;
  cases.push_back(
      {"T9 rest under a lifting force", rod(0.5, -g + 1.0), true, {vec({2 * (g - 1)})}});
  cases.push_back({"T9 lifted off", rod(0.5, 1.0), true, {vec({0})}});
  cases.push_back(
      {"T11 cube on plane", Lcp{cube_on_plane(), Vec::Constant(4, -g)}, true, {}, Vec::Zero(4)});
  cases.push_back({"T12 flat drop with restitution",
                   Lcp{cube_on_plane(), Vec::Constant(4, -1.5)},
                   true,
                   {},
                   Vec::Zero(4)});
  cases.push_back(overhang(0.2));
  cases.push_back(overhang(-0.2));
  cases.push_back({"T14 central hit", rod(1.0 / 2.0 + 1.0 / 3.0, -1.5 * 4.0), true, {vec({7.2})}});
  cases.push_back({"T15 stack of two", stack(2.0, 3.0), true, {vec({5 * g, 3 * g})}});
  cases.push_back(
      {"T15 heavy on light, 1e6", stack(1.0, 1e6), true, {vec({1000001 * g, 1e6 * g})}});
  cases.push_back({"T16 two by two", lcp({2, 1, 1, 2}, {-5, -6}), true, {vec({4 / 3.0, 7 / 3.0})}});
  cases.push_back(
      {"T16 X24 three coupled contacts", three_coupled(), true, {Vec::Constant(3, 1 / 2.8)}});
  cases.push_back({"T17 X21 cradle, elastic", cradle(1.0), true, {vec({4 / 3.0, 2 / 3.0})}});
  cases.push_back({"T17 cradle, plastic", cradle(0.0), true, {vec({2 / 3.0, 1 / 3.0})}});
  cases.push_back({"T19 T20 centripetal, Coriolis", rod(0.5, 4.0 - g), true, {vec({2 * (g - 4)})}});
  cases.push_back({"X1 indeterminate rod", rod(-1.0, 1.0), true, {vec({0}), vec({1})}});
  cases.push_back({"X3 skimming rod", rod(-1.0, 0.0), true, {vec({0})}});
  cases.push_back(static_rod(-8.0));
  cases.push_back(
      {"X9 subset sum 8 of 3 5 7", subset_sum({3, 5, 7}, 8), true, {vec({3, 5, 0, 0, 0})}});
  cases.push_back(
      {"X9 subset sum 15 of 3 5 7", subset_sum({3, 5, 7}, 15), true, {vec({3, 5, 7, 0, 0})}});
  cases.push_back(
      {"X9 subset sum 7 of 1 to 5",
       subset_sum({1, 2, 3, 4, 5}, 7),
       true,
       {vec({0, 2, 0, 0, 5, 0, 0}), vec({0, 0, 3, 4, 0, 0, 0}), vec({1, 2, 0, 4, 0, 0, 0})}});
  cases.push_back(
      {"X10 rod and end rod", lcp({-1, 0, -0.0075, -0.99}, {0, 0}), true, {vec({0, 0})}});
  cases.push_back(
      {"X11 movable base pushed down", rod(-0.99, 0.01), true, {vec({0}), vec({0.01 / 0.99})}});
  cases.push_back({"X12 chair", chair(), true, {}, Vec::Zero(4)});
  cases.push_back({"particle sticks", particle(0.2)});
  cases.push_back({"particle slides", particle(2.0), true, {vec({1, 0, 0, 0.5, 0, 1.5})}});
  cases.push_back(
      {"box on four corners, 4 directions", random_step(random, 4, 4, /*redundant=*/true)});
  cases.push_back({"three contacts, 8 directions", random_step(random, 3, 8, false)});
  cases.push_back({"ten redundant contacts", random_step(random, 10, 4, true)});
  return cases;
}

std::vector<Case> pivoting_lcps() {
  const int n = 9;
  Mat L = Mat::Identity(n, n);
  for (int i = 0; i < n; ++i) L.row(i).head(i).setConstant(2.0);
  Vec first = Vec::Unit(n, 0), last = Vec::Unit(n, n - 1), growing(n);
  for (int i = 0; i < n; ++i)  // −(2ⁿ + … + 2ⁿ⁻ⁱ): Murty 1978
    growing[i] = i == 0 ? -std::exp2(n) : growing[i - 1] - std::exp2(n - i);
  std::vector<Case> cases;
  // Least-index pivoting (Murty) and Lemke's method take a number of pivots exponential in n here:
  // Murty 1978, Fathi 1979, as a Klee–Minty cube does for the simplex method.
  cases.push_back({"Murty 1978, lower", Lcp{L, Vec::Constant(n, -1.0)}, true, {first}});
  cases.push_back({"Murty 1978, upper", Lcp{L.transpose(), Vec::Constant(n, -1.0)}, true, {last}});
  cases.push_back({"Murty 1978, growing q", Lcp{L, growing}, true, {-growing[0] * first}});
  cases.push_back({"Fathi 1979, symmetric positive definite",
                   Lcp{L * L.transpose(), Vec::Constant(n, -1.0)},
                   true,
                   {first}});
  // Principal pivoting without an order cycles, and every row ties at the first pivot.
  cases.push_back({"cyclic P-matrix (Murty, Kostreva)",
                   lcp({1, 2, 0, 0, 1, 2, 2, 0, 1}, {-1, -1, -1}),
                   true,
                   {Vec::Constant(3, 1 / 3.0)}});
  cases.push_back({"cyclic P-matrix, factor 4/3",
                   lcp({1, 0, 4 / 3.0, 4 / 3.0, 1, 0, 0, 4 / 3.0, 1}, {-1, -1, -1}),
                   true,
                   {Vec::Constant(3, 3 / 7.0)}});
  cases.push_back({"skew, zero diagonal", lcp({0, 1, -1, 0}, {-1, 1}), true, {vec({1, 1})}});
  cases.push_back({"indefinite, copositive", lcp({0, 1, 1, 0}, {-1, -1}), true, {vec({1, 1})}});
  cases.push_back({"bimatrix game",
                   lcp({0, 0, 2, 1, 0, 0, 1, 3, 1, 3, 0, 0, 2, 1, 0, 0}, {-1, -1, -1, -1}), true});
  return cases;
}

std::vector<Case> difficult_lcps() {
  Random random(72);
  std::vector<Case> cases;
  cases.push_back({"empty", Lcp{Mat(0, 0), Vec(0)}, true, {Vec(0)}});
  cases.push_back({"one by one", rod(2.0, -3.0), true, {vec({1.5})}});
  cases.push_back({"one by one, zero matrix", rod(0.0, 1.0), true, {vec({0})}});
  cases.push_back({"one by one, nothing to do", rod(0.0, 0.0), true, {}, vec({0})});
  cases.push_back({"one by one, tiny", rod(1e-9, -1e-9), true, {vec({1})}});
  cases.back().tolerance = {.absolute = 1e-18, .relative = 1e-12};
  cases.push_back({"one by one, large impulse", rod(1e-7, -1.0), true, {vec({1e7})}});
  const Vec ones = Vec::Ones(6), zero = Vec::Zero(6);
  cases.push_back({"rank one", Lcp{Mat::Ones(6, 6), -ones}, true, {}, zero});
  const Mat B = random.matrix(8, 3), P = random.matrix(8, 8), R = random.matrix(8, 8);
  const Vec z = vec({1, 0, 2, 0, 0.5, 0, 0, 3}), w = vec({0, 1, 0, 0.3, 0, 0, 2, 0});
  cases.push_back(backwards("rank deficient, built backwards", B * B.transpose(), z, w, false));
  cases.push_back(backwards("positive definite, built backwards",
                            P * P.transpose() + Mat::Identity(8, 8), z, w, true));
  cases.push_back(backwards("unsymmetric positive definite, built backwards",
                            R * R.transpose() + Mat::Identity(8, 8) + (R - R.transpose()), z, w,
                            true));
  cases.push_back(backwards("every row degenerate", P * P.transpose() + Mat::Identity(8, 8),
                            Vec::Zero(8), Vec::Zero(8), true));
  Vec scale(8);
  for (int i = 0; i < 8; ++i) scale[i] = std::pow(10.0, i - 4);
  const Mat S =
      scale.asDiagonal() * Mat(P * P.transpose() + Mat::Identity(8, 8)) * scale.asDiagonal();
  cases.push_back(backwards("badly scaled, 1e-4 to 1e3", S, z.cwiseQuotient(scale),
                            w.cwiseProduct(scale), true));
  cases.back().accuracy = 1e-5;  // condition 1e8 and more, times the tolerance
  Mat H(8, 8);
  for (int i = 0; i < 8; ++i)
    for (int j = 0; j < 8; ++j) H(i, j) = 1.0 / (i + j + 1);
  cases.push_back(backwards("Hilbert matrix of order 8", H, z, w, false));
  const Lcp sparse_one{SpMat(Mat(2.0 * Mat::Identity(5, 5)).sparseView()), -Vec::Ones(5)};
  cases.push_back({"sparse diagonal", sparse_one, true, {Vec::Constant(5, 0.5)}});
  return cases;
}

std::vector<Case> unsolvable_lcps() {
  std::vector<Case> cases;
  const auto add = [&](const char* name, const Lcp& problem) {
    cases.push_back({name, problem, false});
  };
  add("X2 inconsistent rod", rod(-1.0, -9.8));  // Siconos' trap: z = −9.8 with success
  add("X2 inconsistent rods", Lcp{-Mat::Identity(3, 3), Vec::Constant(3, -9.8)});
  add("X9 subset sum 11 of 3 5 7", subset_sum({3, 5, 7}, 11));
  add("X9 subset sum 5 of 2 4 6", subset_sum({2, 4, 6}, 5));
  add("X11 movable base pulled up", rod(-0.99, -0.01));
  add("zero matrix", Lcp{Mat::Zero(3, 3), Vec::Constant(3, -1.0)});
  add("zero one by one", rod(0.0, -1.0));
  add("null direction (1, 1)", lcp({1, -1, -1, 1}, {-1, -1}));
  add("violation lost in the sums", lcp({1, 0, 0, -1, 1, -1, -1, -1, 1}, {-5, 0, 0}));
  // Rounded, these are regular with answers beyond 10¹⁶, where round-off hides q.
  add("null direction (7, 3)", lcp({0.09, -0.21, -0.21, 0.49}, {-1, -1}));
  add("null direction, unsymmetric", lcp({0.1, -0.3, -0.1, 0.3}, {-1, -1}));
  add("null direction, third", lcp({1, -1 / 3.0, -3, 1}, {-1, -1}));
  add("skew without solution", lcp({0, 1, -1, 0}, {1, -1}));
  add("negative column", lcp({1, -1, 0, -1}, {-1, -1}));
  add("indefinite without solution", lcp({-1, 0, 0, 1}, {-1, -1}));
  return cases;
}

}  // namespace touchstone::testing

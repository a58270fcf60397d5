#include "tests/solvers/conformance_cases.hpp"

namespace touchstone::testing {

namespace {

using Names = std::vector<std::string>;

Names operator+(Names a, const Names& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

const Names subset_sums = {"X9 subset sum 8 of 3 5 7", "X9 subset sum 15 of 3 5 7",
                           "X9 subset sum 7 of 1 to 5"};
const Names games = {"indefinite, copositive", "bimatrix game"};
const Names particle = {"particle sticks", "particle slides"};
const Names steps = {"box on four corners, 4 directions", "three contacts, 8 directions",
                     "ten redundant contacts"};
const Names no_positive_diagonal =
    Names{"X6 static rod", "skew, zero diagonal"} + subset_sums + particle + steps + games;
const Names cyclic = {"cyclic P-matrix (Murty, Kostreva)", "cyclic P-matrix, factor 4/3"};

const std::string needs_diagonal = "refused or stopped: a splitting divides by a positive diagonal";
const std::string slow = "converges, but the limit of sweeps comes first (condition of M)";
const std::string heavy = "contracts by 1 - 1e-6 a sweep on a heavy body on a light one";
const std::string not_monotone = "refused with the reason: M + M^T is not positive semidefinite";
const std::string no_promise =
    "the method promises an answer only for classes of M that this one is not of";

const std::string local_minimum =
    "Newton's method stops at a stationary point of its merit function";
const std::string ties = "loses its path at ties of the ratio test";
const std::string aborts =
    "the library aborts or stops with an internal error on mixed problems with "
    "one unknown or only equations";
const std::string scaled_stop =
    "stops by a residual divided by the norm of r, and does not get further when asked again";

const std::string singular_end = "singular Jacobians end it, some with NaN called a success";
constexpr bool some_machines = false;  // ExpectedFailure::on_every_machine

}  // namespace

const std::vector<ExpectedFailure>& expected_failures() {
  static const std::vector<ExpectedFailure> list = {
      // Own
      {"lemke", subset_sums,
       "X9: ends on the ray of the second end rod, as the thesis' problem is NP-hard"},
      {"lemke", games, "copositive, but not copositive-plus: the path may end on a ray"},
      {"principal-pivoting", subset_sums + games, no_promise},
      {"interior-point",
       Names{"X1 indeterminate rod", "X3 skimming rod", "X6 static rod", "X10 rod and end rod",
             "X11 movable base pushed down", "nonconvex box"} +
           subset_sums + particle + steps + games,
       not_monotone},
      {"newton-min", {"X9 subset sum 8 of 3 5 7"}, local_minimum},
      {"path", {"X9 subset sum 8 of 3 5 7", "X9 subset sum 7 of 1 to 5"}, local_minimum},
      {"pgs", no_positive_diagonal, needs_diagonal},
      {"pgs", {"T15 heavy on light, 1e6"}, heavy},
      {"pgs", cyclic, "unsymmetric: the iteration has no fixed contraction and repeats"},
      {"pgs", {"rank deficient, built backwards", "Hilbert matrix of order 8"}, slow},
      {"sor", no_positive_diagonal, needs_diagonal},
      {"sor", {"T15 heavy on light, 1e6"}, heavy},
      {"sor", cyclic + Names{"unsymmetric positive definite, built backwards"},
       "unsymmetric: over-relaxation repeats"},
      {"sor", {"Hilbert matrix of order 8"}, slow},
      {"jacobi", no_positive_diagonal, needs_diagonal},
      {"jacobi", {"T15 heavy on light, 1e6"}, heavy},
      {"jacobi",
       cyclic + Names{"T16 X24 three coupled contacts", "Fathi 1979, symmetric positive definite",
                      "rank one", "rank deficient, built backwards",
                      "positive definite, built backwards", "badly scaled, 1e-4 to 1e3",
                      "Hilbert matrix of order 8"},
       "E9: Jacobi's iteration cycles or diverges unless M is diagonally dominant"},
      // OSQP
      {"osqp",
       {"X1 indeterminate rod", "X3 skimming rod", "X11 movable base pushed down",
        "indefinite, copositive", "nonconvex box"},
       not_monotone},
      {"osqp", {"one by one, tiny"}, "its test of infeasibility is absolute: takes 1e-9 for 0"},
      {"osqp", {"badly scaled, 1e-4 to 1e3"}, "a first-order method; the polish fails"},
      // Siconos, LCP
      {"siconos-lemke", subset_sums + games, no_promise},
      {"siconos-lemke",
       {"box on four corners, 4 directions", "three contacts, 8 directions"},
       ties},
      {"siconos-avi", subset_sums + games, no_promise},
      {"siconos-avi", {"box on four corners, 4 directions", "three contacts, 8 directions"}, ties},
      {"siconos-enum",
       {"rank deficient, built backwards"},
       "misses supports with a singular block"},
      {"siconos-murty",
       subset_sums + games +
           Names{"three contacts, 8 directions", "ten redundant contacts", "skew, zero diagonal",
                 "rank deficient, built backwards"},
       no_promise},
      {"siconos-newton-fb", subset_sums + Names{"T15 heavy on light, 1e6", "particle sticks"},
       local_minimum},
      {"siconos-newton-fb",
       {"badly scaled, 1e-4 to 1e3", "box on four corners, 4 directions"},
       local_minimum,
       some_machines},
      {"siconos-newton-fb",
       {"one by one, tiny", "one by one, large impulse"},
       "z + w - sqrt(z^2 + w^2) loses the digits of w where z is large: content at 6 times the "
       "tolerance, whatever is asked"},
      {"siconos-newton-min", subset_sums, local_minimum},
      {"siconos-newton-min", {"ten redundant contacts"}, local_minimum, some_machines},
      {"siconos-newton-min-undamped",
       subset_sums + particle + steps +
           Names{"X6 static rod", "X12 chair", "one by one, zero matrix", "rank one",
                 "rank deficient, built backwards", "Hilbert matrix of order 8"},
       singular_end},
      {"siconos-newton-min-undamped",
       {"T11 cube on plane", "T12 flat drop with restitution"},
       singular_end,
       some_machines},
      {"siconos-pgs",
       games + particle + steps +
           Names{"X6 static rod", "X9 subset sum 8 of 3 5 7", "X9 subset sum 7 of 1 to 5",
                 "skew, zero diagonal"},
       needs_diagonal},
      {"siconos-pgs", {"T15 heavy on light, 1e6"}, heavy},
      {"siconos-pgs", cyclic, "unsymmetric: the iteration has no fixed contraction and repeats"},
      {"siconos-pgs", {"rank deficient, built backwards", "Hilbert matrix of order 8"}, slow},
      {"siconos-rpgs", subset_sums + games + Names{"skew, zero diagonal"}, no_promise},
      {"siconos-rpgs",
       {"T15 heavy on light, 1e6", "cyclic P-matrix (Murty, Kostreva)", "one by one, tiny",
        "one by one, large impulse", "badly scaled, 1e-4 to 1e3", "Hilbert matrix of order 8"},
       "the regularisation of the diagonal makes it slow: the limit of sweeps comes first"},
      // Siconos, mixed problems
      {"siconos-mlcp-lemke",
       {"T30 bead, an equation", "T31 T33 double pendulum, equations", "X5 friction in a box",
        "fixed variable", "upper bound only", "far bound"},
       aborts},
      {"siconos-mlcp-pgs",
       {"T30 bead, an equation", "T31 T33 double pendulum, equations", "upper bound only"},
       aborts},
      {"siconos-mlcp-rpgs",
       {"T30 bead, an equation", "T31 T33 double pendulum, equations", "X5 friction in a box",
        "upper bound only"},
       aborts},
      // Siconos, exact cone
      {"siconos-aclm", {"cone: large impulse"}, scaled_stop},
      {"siconos-admm", {"cone: large impulse"}, scaled_stop},
      {"siconos-eg", {"cone: large impulse"}, scaled_stop},
      {"siconos-fpp", {"cone: large impulse"}, scaled_stop},
      {"siconos-nsn-fb",
       {"cone: large impulse", "cone: without friction"},
       "its line search stops at the limit of iterations"},
  };
  return list;
}

}  // namespace touchstone::testing

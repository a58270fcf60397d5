#pragma once

/// The problems that every solver meets (conformance_test.cpp), with what is known of their
/// answers.

#include <string>
#include <vector>

#include "solvers/solver.hpp"

namespace touchstone::testing {

struct Case {
  std::string name;  // with the tag of the known answer, where it has one
  Problem problem;
  bool solvable = true;
  std::vector<Vec> answers{};  // all of them, where they are finitely many; any one is right
  Vec F{};                     // Mz + q, where it is unique and z is not
  double accuracy = 1e-7;      // of z and F, relative to the larger of 1 and the answer
  Tolerance tolerance{};
};

std::vector<Case> contact_lcps();     // contact problems with known answers
std::vector<Case> pivoting_lcps();    // from the literature on pivoting: cycling, exponential
std::vector<Case> difficult_lcps();   // degenerate, rank-deficient, badly scaled, tiny
std::vector<Case> unsolvable_lcps();  // no solution at all
std::vector<Case> mixed_cases();      // Mlcp and Mcp
std::vector<Case> qp_cases();
std::vector<Case> cone_cases();  // FrictionContact

/// All of them.
std::vector<Case> conformance_cases();

/// Where a solver is known to fail on a problem that has a solution: by name and reason. One that
/// passes all the same fails the test, unless the outcome rests on the machine: LAPACK's kernels
/// differ between processors, and a Newton method at a singular Jacobian goes one way or the other
/// with the last bit (tried with OPENBLAS_CORETYPE = Haswell, SkylakeX, Zen, Sandybridge, Nehalem
/// and Prescott). A success must be right in either case.
struct ExpectedFailure {
  std::string solver;
  std::vector<std::string> cases;
  std::string reason;
  bool on_every_machine = true;
};
const std::vector<ExpectedFailure>& expected_failures();

}  // namespace touchstone::testing

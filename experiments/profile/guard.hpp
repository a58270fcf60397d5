#pragma once

/// The fairness guard of a profile, and the numbers it lets through.
///
/// Per problem class, over the problems P that every solver of the class was tried on:
///     r_{p,s} = t_{p,s} / min_s t_{p,s},   ρ_s(τ) = |{p ∈ P : r_{p,s} ≤ τ}| / |P|           (1)
/// (Dolan, Moré 2002, Benchmarking optimization software with performance profiles). Times of
/// answers that do not meet the common bound are never compared: a failure, and a problem that the
/// solver does not accept, is r = ∞. Problems that z = 0 solves are left out of P.
///
/// What is not passed off as an algorithm of its own:
/// - Same bits. Two solvers whose answers are equal bit for bit on nine tenths of the problems that
///   both solve (three at least: on tiny problems exact methods agree by nature) are twins: both
///   stay in the table, flagged, and (1) has them once, under the name of the faster one.
/// - No iterations. A solver that reports 0 iterations on half of the problems that it solves, none
///   of them trivial, is flagged and not ranked; single rows of that kind are r = ∞.

#include <span>
#include <string>
#include <vector>

#include "experiments/profile/measure.hpp"

namespace touchstone {

/// One solver over the problems of one class.
struct SolverSummary {
  std::string problem_class, solver;
  int tried = 0;  // accepted by the solver, trivial ones included
  int not_accepted = 0;
  int solved = 0;
  int no_iterations = 0;                               // of the solved
  double median_residual = 0.0, worst_residual = 0.0;  // of the solved
  double median_iterations = 0.0, median_seconds = 0.0;
  double median_ratio = 0.0;   // over P, ∞ counted; may be ∞
  int fastest = 0;             // problems of P with r = 1
  bool child_process = false;  // some of its calls ran in one; that time is left out
  bool ranked = true;
  std::string twin_of;  // merged with this solver in (1)
  std::string remark;   // why it is not ranked, with whom it shares bits, …
};

struct Profile {
  std::vector<SolverSummary> solvers;               // by class, best success first
  std::vector<std::pair<std::string, int>> common;  // class → |P|
  std::vector<std::string> refusing;                // solvers that accept none of the problems
  std::vector<double> ratios;  // r of each row, in the order of the rows; 0 where (1) has none
};

/// Judges the rows; adds the flag "same bits as …" to those that deserve it. The result does not
/// depend on the order of the rows.
Profile judge(std::span<Row> rows);

}  // namespace touchstone

#include "experiments/profile/measure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <ctime>

#include "experiments/harness/files.hpp"

namespace touchstone {

namespace {

constexpr double asked_for = 0.1;            // of the bound
constexpr double suspicious_ratio = 20.0;    // first call to fastest repeat
constexpr double suspicious_seconds = 1e-3;  // below, page faults and caches can do that

bool same_bits(const Vec& a, const Vec& b) {
  return a.size() == b.size() &&
         (a.size() == 0 || std::memcmp(a.data(), b.data(),
                                       static_cast<std::size_t>(a.size()) * sizeof(double)) == 0);
}

std::string fingerprint_of(const Vec& z) {
  return fingerprint({reinterpret_cast<const char*>(z.data()),
                      static_cast<std::size_t>(z.size()) * sizeof(double)});
}

/// Processor time of this thread: what a time limit counts, whatever else the machine does. A child
/// process has a limit of its own.
double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double net_seconds(const Answer& answer) { return std::max(0.0, answer.seconds - answer.overhead); }

Vec clipped_zero(const Problem& problem) {
  Vec z = Vec::Zero(unknowns(problem));
  if (const Mlcp* mlcp = std::get_if<Mlcp>(&problem)) return z.cwiseMax(mlcp->l).cwiseMin(mlcp->u);
  if (const Mcp* mcp = std::get_if<Mcp>(&problem)) return z.cwiseMax(mcp->l).cwiseMin(mcp->u);
  return z;
}

/// Repeats the solve and keeps the smallest time.
void repeat(Solver& solver, const Problem& problem, const Vec& start, Tolerance tolerance,
            const Answer& first, const MeasureSettings& settings, Row& row) {
  double total = first.seconds;
  for (int k = 0; k < settings.repeats && total < settings.repeat_seconds; ++k) {
    const Answer again = solver.solve(problem, start, tolerance);
    total += again.seconds;
    if (!same_bits(again.z, first.z) || again.iterations != first.iterations) {
      row.flags.push_back(flags::repeats_differ);
      row.seconds = row.first_seconds;
      return;
    }
    row.seconds = std::min(row.seconds, net_seconds(again));
  }
  if (row.first_seconds > suspicious_seconds &&
      row.seconds * suspicious_ratio < row.first_seconds) {
    row.flags.push_back(flags::remembers);
    row.seconds = row.first_seconds;
  }
}

}  // namespace

bool Row::has(const std::string& flag) const {
  return std::find(flags.begin(), flags.end(), flag) != flags.end();
}

bool is_trivial(const Problem& problem, const Vec& start, double bound) {
  return residual(problem, start.size() > 0 ? start : clipped_zero(problem)).natural <= bound;
}

Row measure(Solver& solver, const Problem& problem, const Vec& start, bool trivial,
            const MeasureSettings& settings) {
  const Tolerance tolerance{asked_for * settings.bound.absolute,
                            asked_for * settings.bound.relative};
  Row row;
  row.problem_class = problem_class(problem);
  row.unknowns = static_cast<long>(unknowns(problem));
  row.bound = settings.bound.bound(problem);
  const double begun = processor_seconds();
  const Answer answer = solver.solve(problem, start, tolerance);
  const bool in_time = processor_seconds() - begun <= settings.time_limit;
  row.status = answer.status;
  row.residual = answer.residual.natural;
  row.iterations = answer.iterations;
  row.seconds = row.first_seconds = net_seconds(answer);
  row.overhead = answer.overhead;
  row.notes = fmt::format("{}", fmt::join(answer.notes, "; "));
  row.fingerprint = fingerprint_of(answer.z);
  if (!row.accepted()) return row;
  row.success = row.residual <= row.bound && in_time;
  if (trivial) row.flags.push_back(flags::trivial);
  if (!in_time) row.flags.push_back(flags::over_time);
  if (!row.success) return row;
  if (!trivial && row.iterations == 0) row.flags.push_back(flags::no_iterations);
  repeat(solver, problem, start, tolerance, answer, settings, row);
  return row;
}

}  // namespace touchstone

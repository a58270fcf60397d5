#include "formulations/common/verdict.hpp"

#include <stdexcept>

#include "solvers/own/enumeration.hpp"

namespace touchstone {

std::string to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::unique:
      return "unique";
    case Verdict::several:
      return "several";
    case Verdict::impulsive:
      return "impulsive";
    case Verdict::none:
      return "none";
  }
  throw std::logic_error("unnamed verdict");
}

Examination examine(const Lcp& problem, double tolerance) {
  Examination result;
  result.solutions = all_solutions(problem, tolerance);
  const Answer answer = make_solver("lemke")->solve(problem);
  if (answer.status == Status::ray) result.impulse = answer.ray.direction;
  if (result.solutions.size() == 1)
    result.verdict = Verdict::unique;
  else if (!result.solutions.empty())
    result.verdict = Verdict::several;
  else if (result.impulse.size() > 0 && is_valid_impulse(problem.M.to_dense(), result.impulse))
    result.verdict = Verdict::impulsive;
  return result;
}

bool is_valid_impulse(const Mat& A, const Vec& z, double tolerance) {
  if (z.minCoeff() < -tolerance || !(z.maxCoeff() > tolerance)) return false;
  const Vec change = A * z;
  const double scale = tolerance * (1.0 + change.cwiseAbs().maxCoeff());
  for (Eigen::Index i = 0; i < z.size(); ++i)
    if (z[i] > tolerance && change[i] > scale) return false;
  return true;
}

}  // namespace touchstone

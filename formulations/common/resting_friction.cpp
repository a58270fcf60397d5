#include "formulations/common/resting_friction.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cmath>

#include "solvers/error.hpp"
#include "solvers/own/static_friction.hpp"

namespace touchstone {

namespace {

constexpr double no_slip = 1e-13;   // [m/s] below this a slip has no direction of its own
constexpr int lag_iterations = 50;  // of f̃ ← f_n at new contacts
constexpr double settled = 1e-8;    // change of f̃, relative

Answer judged(Claim claim, double residual, std::chrono::steady_clock::time_point start) {
  Answer answer;
  answer.z = std::move(claim.z);
  answer.status = claim.status;
  answer.iterations = claim.iterations;
  answer.notes = std::move(claim.notes);
  answer.residual.natural = residual;
  answer.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return answer;
}

/// Of |r_k| ≤ bound for each friction component, in the unit of u.
double box_residual(const FrictionCones& problem, const Vec& bound, const Vec& r) {
  const Vec u = problem.W * r + problem.q;
  double worst = 0.0;
  Eigen::Index row = 0;
  for (std::size_t i = 0; i < problem.friction.size(); ++i) {
    const double w = problem.W(row, row), rho = w > 0.0 ? 1.0 / w : 1.0;
    const double most = bound[static_cast<Eigen::Index>(i)];
    worst = std::max(worst, std::abs(r[row] - std::max(0.0, r[row] - rho * u[row])) / rho);
    for (Eigen::Index k = row + 1; k <= row + problem.friction[i]; ++k)
      worst = std::max(worst, std::abs(r[k] - std::clamp(r[k] - rho * u[k], -most, most)) / rho);
    row += 1 + problem.friction[i];
  }
  return worst;
}

Vec normal_forces(const FrictionCones& cones, const Vec& r) {
  Vec n(static_cast<Eigen::Index>(cones.friction.size()));
  Eigen::Index row = 0;
  for (Eigen::Index i = 0; i < n.size(); ++i) {
    n[i] = r[row];
    row += 1 + cones.friction[static_cast<std::size_t>(i)];
  }
  return n;
}

/// The exact law's W: sliding friction follows the normal force of its own contact.
FrictionCones without_lag(FrictionCones cones, const Mat& load) {
  Eigen::Index row = 0;
  for (std::size_t i = 0; i < cones.friction.size(); ++i) {
    cones.W.col(row) += load.col(static_cast<Eigen::Index>(i));
    row += 1 + cones.friction[i];
  }
  return cones;
}

RestingForces lag_forces(const ContactProblem& problem, const Mat& load, Vec& lagged) {
  const auto start = std::chrono::steady_clock::now();
  std::vector<Eigen::Index> fresh;
  for (Eigen::Index i = 0; i < lagged.size(); ++i)
    if (std::isnan(lagged[i])) fresh.push_back(i), lagged[i] = 0.0;
  FrictionCones cones = problem.cones;
  Claim claim;
  Vec bound;
  double change = 0.0;
  for (int k = 0; k < (fresh.empty() ? 1 : lag_iterations); ++k) {
    cones.q = problem.cones.q + load * lagged;
    bound = cones.mu.cwiseProduct(lagged);
    const int before = claim.iterations;
    claim = lagged_friction(cones, bound);
    claim.iterations += before;
    const Vec n = normal_forces(cones, claim.z);
    change = 0.0;
    for (const Eigen::Index i : fresh) change = std::max(change, std::abs(n[i] - lagged[i]));
    if (change <= settled * (1.0 + n.cwiseAbs().maxCoeff())) break;
    if (k + 1 < lag_iterations) lagged(fresh) = n(fresh);
  }
  RestingForces forces;
  forces.law_error = residual(without_lag(problem.cones, load), claim.z);
  const Vec n = normal_forces(cones, claim.z);
  if (change > settled * (1.0 + n.cwiseAbs().maxCoeff()))
    forces.failure = fmt::format("the lagged bound of new contacts does not settle in {} rounds",
                                 lag_iterations);
  const double missed = box_residual(cones, bound, claim.z);
  forces.answer = judged(std::move(claim), missed, start);
  return forces;
}

RestingForces sign_guess_forces(const ContactProblem& problem, const Vec& guess) {
  const auto start = std::chrono::steady_clock::now();
  RestingForces forces;
  Claim claim = sign_guess(problem.cones, guess);
  if (claim.status != Status::solved) {
    forces.failure = claim.status == Status::inaccurate
                         ? "the guessed signs of the friction forces stay wrong"
                         : "no solution for the guessed signs: " + to_string(claim.status);
    return forces;
  }
  forces.law_error = residual(problem.cones, claim.z);
  const Vec bound = problem.cones.mu.cwiseProduct(normal_forces(problem.cones, claim.z));
  const double missed = box_residual(problem.cones, bound, claim.z);
  forces.answer = judged(std::move(claim), missed, start);
  forces.answer.notes.clear();  // convexity and turned signs, at every instant
  return forces;
}

RestingForces mode_forces(const ContactProblem& problem, const Vec& guess) {
  const auto start = std::chrono::steady_clock::now();
  RestingForces forces;
  try {
    const std::vector<PlanarSolution> all = all_planar_solutions(problem.cones);
    if (all.empty()) {
      forces.failure = "no combination of modes has finite forces";
      return forces;
    }
    const Vec near = guess.size() > 0 ? guess : Vec::Zero(problem.cones.q.size());
    const auto nearest =
        std::min_element(all.begin(), all.end(), [&](const auto& a, const auto& b) {
          return (a.r - near).squaredNorm() < (b.r - near).squaredNorm();
        });
    const double missed = residual(problem.cones, nearest->r);
    forces.answer =
        judged({nearest->r, Status::solved, static_cast<int>(all.size())}, missed, start);
  } catch (const InputError& error) {
    forces.failure = error.what();
  }
  return forces;
}

}  // namespace

Vec3 slip_direction(const Vec3& slip, const Vec3& reference, int components) {
  const double size = slip.norm();
  if (components < 2 || size < no_slip) return reference;
  return (slip.dot(reference) < 0.0 ? -1.0 : 1.0) / size * slip;
}

double RestingFriction::reserve(double mu, double bearing, const Vec3& f) const {
  const bool box = rule == Rule::lag || rule == Rule::sign_guess;
  return mu * bearing - (box ? f.cwiseAbs().maxCoeff() : f.norm());
}

Vec3 RestingFriction::direction(const Vec3& slip, const Vec3& reference, int components) const {
  return creeps() ? Vec3(slip / std::max(slip.norm(), creep))
                  : slip_direction(slip, reference, components);
}

RestingFriction::Rule resting_rule(const std::string& name) {
  using Rule = RestingFriction::Rule;
  if (name == "lag") return Rule::lag;
  if (name == "regularised") return Rule::regularised;
  if (name == "sign-guess") return Rule::sign_guess;
  return name == "modes" ? Rule::modes : Rule::exact;
}

RestingForces resting_forces(const ContactProblem& problem, const RestingFriction& friction,
                             ForceForm form, Solver& solver, const Vec& guess, const Mat& load,
                             Vec& lagged) {
  using Rule = RestingFriction::Rule;
  if (friction.rule == Rule::lag) return lag_forces(problem, load, lagged);
  RestingForces forces;
  if (friction.rule == Rule::sign_guess) forces = sign_guess_forces(problem, guess);
  if (friction.rule == Rule::modes) forces = mode_forces(problem, guess);
  if (forces.answer.z.size() == 0) forces.answer = solve_contacts(problem, form, solver, guess);
  return forces;
}

}  // namespace touchstone

#include "solvers/own/static_friction.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "solvers/own/convexity.hpp"

namespace touchstone {

namespace {

constexpr double inf = std::numeric_limits<double>::infinity();

std::size_t contacts(const AccelerationProblem& problem) { return problem.tangents.size(); }

/// f = S r: a sliding contact's friction is −μ f_n v/|v|.
Mat expansion(const AccelerationProblem& problem) {
  std::vector<Vec> columns;
  for (std::size_t i = 0; i < contacts(problem); ++i) {
    const Eigen::Index k = problem.start(i);
    const int d = problem.tangents[i];
    const Vec slides = problem.direction(i);
    columns.push_back(Vec::Unit(problem.b.size(), k));
    if (slides.size() > 0)
      columns.back().segment(k + 1, d) = -problem.mu[static_cast<Eigen::Index>(i)] * slides;
    for (int t = 1; slides.size() == 0 && t <= d; ++t)
      columns.push_back(Vec::Unit(problem.b.size(), k + t));
  }
  Mat S(problem.b.size(), static_cast<Eigen::Index>(columns.size()));
  for (std::size_t j = 0; j < columns.size(); ++j) S.col(static_cast<Eigen::Index>(j)) = columns[j];
  return S;
}

/// Rows of f that are unknowns of the exact law.
std::vector<Eigen::Index> free_rows(const AccelerationProblem& problem) {
  std::vector<Eigen::Index> rows;
  for (std::size_t i = 0; i < contacts(problem); ++i) {
    const int d = problem.direction(i).size() > 0 ? 0 : problem.tangents[i];
    for (int t = 0; t <= d; ++t) rows.push_back(problem.start(i) + t);
  }
  return rows;
}

template <class From>  // a claim or an answer
StaticForces answer(const AccelerationProblem& problem, const From& from, const Vec& f) {
  return {f, from.status, law_error(problem, f), from.iterations, from.ray, from.notes};
}

}  // namespace

Eigen::Index AccelerationProblem::start(std::size_t contact) const {
  Eigen::Index k = 0;
  for (std::size_t i = 0; i < contact; ++i) k += 1 + tangents[i];
  return k;
}

Vec AccelerationProblem::direction(std::size_t contact) const {
  if (slip.size() == 0) return {};
  const Vec v = slip.segment(start(contact) + 1, tangents[contact]);
  return v.norm() > 0.0 ? Vec(v.normalized()) : Vec();
}

FrictionCones exact_law(const AccelerationProblem& problem) {
  const std::vector<Eigen::Index> rows = free_rows(problem);
  const Mat W = problem.A * expansion(problem);
  FrictionCones cones{.W = W(rows, Eigen::all),
                      .q = -problem.b(rows),
                      .friction = problem.tangents,
                      .mu = problem.mu};
  for (std::size_t i = 0; i < contacts(problem); ++i)
    if (problem.direction(i).size() > 0) cones.friction[i] = 0;
  return cones;
}

Vec expand(const AccelerationProblem& problem, const Vec& r) { return expansion(problem) * r; }

Vec reduce(const AccelerationProblem& problem, const Vec& f) { return f(free_rows(problem)); }

double law_error(const AccelerationProblem& problem, const Vec& f) {
  const Vec r = reduce(problem, f);
  const Vec missed = problem.A * (f - expand(problem, r));
  return std::max(residual(exact_law(problem), r),
                  missed.size() > 0 ? missed.cwiseAbs().maxCoeff() : 0.0);
}

StaticForces exact_forces(const AccelerationProblem& problem, const Vec& guess) {
  const double scale = problem.b.size() > 0 ? problem.b.cwiseAbs().maxCoeff() : 0.0;
  const Claim claim = solve(exact_law(problem), guess.size() > 0 ? reduce(problem, guess) : guess,
                            1e-12 * std::max(1.0, scale));
  const Vec f = expand(problem, claim.z);
  return {f, claim.status, law_error(problem, f), claim.iterations, {}, claim.notes};
}

Claim lagged_friction(const FrictionCones& problem, const Vec& bound) {
  const Eigen::Index n = problem.q.size();
  Qp qp;
  qp.P = Mat(0.5 * (problem.W + problem.W.transpose()));
  qp.c = problem.q;
  qp.A = Mat::Identity(n, n);
  qp.l = Vec::Zero(n);
  qp.u = Vec::Constant(n, inf);
  Eigen::Index row = 0;
  for (std::size_t i = 0; i < problem.friction.size(); ++i) {
    const int d = problem.friction[i];
    const double most = bound[static_cast<Eigen::Index>(i)];
    qp.l.segment(row + 1, d).setConstant(-most);
    qp.u.segment(row + 1, d).setConstant(most);
    row += 1 + d;
  }
  Answer found = make_solver("active-set-qp")->solve(qp);
  found.z.conservativeResize(n);  // without the multipliers
  return {found.z, found.status, found.iterations, {}, found.notes};
}

StaticForces lotstedt_lag(const AccelerationProblem& problem, const Vec& lagged) {
  const Vec bound = problem.mu.cwiseProduct(lagged);
  Vec known = Vec::Zero(problem.b.size());
  FrictionCones cones{.W = {}, .q = {}, .friction = problem.tangents, .mu = problem.mu};
  for (std::size_t i = 0; i < contacts(problem); ++i) {
    const Vec slides = problem.direction(i);
    if (slides.size() == 0) continue;
    known.segment(problem.start(i) + 1, problem.tangents[i]) =
        -bound[static_cast<Eigen::Index>(i)] * slides;
    cones.friction[i] = 0;
  }
  const std::vector<Eigen::Index> rows = free_rows(problem);
  cones.W = problem.A(rows, rows);
  cones.q = Vec(problem.A * known - problem.b)(rows);
  const Claim found = lagged_friction(cones, bound);
  Vec f = known;
  f(rows) = found.z;
  return answer(problem, found, f);
}

std::string to_string(LotstedtIteration::End end) {
  switch (end) {
    case LotstedtIteration::End::converged:
      return "converged";
    case LotstedtIteration::End::diverged:
      return "diverged";
    case LotstedtIteration::End::alternates:
      return "alternates";
    default:
      return "undecided";
  }
}

LotstedtIteration iterate_lotstedt(const AccelerationProblem& problem, const Vec& start,
                                   int iterations, double tolerance) {
  using End = LotstedtIteration::End;
  LotstedtIteration run;
  run.normal.push_back(start);
  const double scale = 1.0 + start.cwiseAbs().maxCoeff();
  for (int k = 0; k < iterations && run.end == End::undecided; ++k) {
    run.f = lotstedt_lag(problem, run.normal.back()).f;
    Vec next(start.size());
    for (std::size_t i = 0; i < contacts(problem); ++i)
      next[static_cast<Eigen::Index>(i)] = run.f[problem.start(i)];
    const auto same = [&](const Vec& old) {
      return (next - old).cwiseAbs().maxCoeff() <= tolerance * scale;
    };
    if (same(run.normal.back()))
      run.end = End::converged;
    else if (run.normal.size() > 1 && same(run.normal[run.normal.size() - 2]))
      run.end = End::alternates;
    else if (!(next.cwiseAbs().maxCoeff() < 1e6 * scale))
      run.end = End::diverged;
    run.normal.push_back(next);
  }
  return run;
}

StaticForces regularised_friction(const AccelerationProblem& problem, double epsilon) {
  const auto n = static_cast<Eigen::Index>(contacts(problem));
  Mat S = Mat::Zero(problem.b.size(), n);
  std::vector<Eigen::Index> normal;
  for (std::size_t i = 0; i < contacts(problem); ++i) {
    const Eigen::Index k = problem.start(i), column = static_cast<Eigen::Index>(i);
    normal.push_back(k);
    S(k, column) = 1.0;
    if (problem.slip.size() == 0) continue;
    const Vec v = problem.slip.segment(k + 1, problem.tangents[i]);
    S.col(column).segment(k + 1, problem.tangents[i]) =
        -problem.mu[column] / std::max(v.norm(), epsilon) * v;
  }
  const Mat W = problem.A * S;
  const Answer found =
      make_solver("lemke")->solve(Lcp{Mat(W(normal, Eigen::all)), -problem.b(normal)});
  return answer(problem, found, S * found.z);
}

Vec jacobi_forces(const FrictionCones& problem, int iterations, double damping) {
  const Vec D = problem.W.diagonal();
  Vec r = Vec::Zero(problem.q.size());
  for (int k = 0; k < iterations; ++k) {
    const Vec u = problem.W * r + problem.q;
    Eigen::Index row = 0;
    for (std::size_t i = 0; i < problem.friction.size(); ++i) {
      const int d = problem.friction[i];
      const double before = problem.radius(i, r[row]);
      if (D[row] > 0.0) r[row] = std::max(0.0, r[row] - damping * u[row] / D[row]);
      auto friction = r.segment(row + 1, d);
      if (friction.norm() < before || friction.dot(u.segment(row + 1, d)) > 0.0)
        for (int t = 1; t <= d; ++t)
          if (D[row + t] > 0.0) r[row + t] -= damping * u[row + t] / D[row + t];
      const double size = friction.norm(), radius = problem.radius(i, r[row]);
      if (size > radius) friction *= radius / size;
      row += 1 + d;
    }
  }
  return r;
}

namespace {

/// (2) without its last inequality, for given signs: r = S z, w = D u.
struct SignedLcp {
  Lcp lcp;
  Mat S;
};

SignedLcp signed_lcp(const FrictionCones& problem, const Vec& sign) {
  const Eigen::Index n = problem.q.size();
  Mat S = Mat::Identity(n, n);
  Vec D = Vec::Ones(n);
  Eigen::Index row = 0;
  for (std::size_t i = 0; i < problem.friction.size(); ++i) {
    for (int t = 1; t <= problem.friction[i]; ++t) {
      const Eigen::Index k = row + t;
      S(k, row) = sign[k] * problem.mu[static_cast<Eigen::Index>(i)];
      S(k, k) = D[k] = -sign[k];
    }
    row += 1 + problem.friction[i];
  }
  return {{Mat(D.asDiagonal() * problem.W * S), Vec(D.cwiseProduct(problem.q))}, S};
}

}  // namespace

namespace {

/// Redundant contacts have no basis that Lemke's method could start from, but the last forces may
/// still be an answer.
bool solves(const Lcp& lcp, const Vec& z) {
  const Vec w = lcp.M.dense() * z + lcp.q;
  return z.cwiseMin(w).cwiseAbs().maxCoeff() <= 1e-9 * (1.0 + lcp.q.cwiseAbs().maxCoeff());
}

/// (2) from one guess of the signs; those found wrong are turned. `guess`: forces, or empty.
Claim solve_signed(const FrictionCones& law, Vec sign, const Vec& guess, int retries) {
  const auto lemke = make_solver("lemke");
  Claim best;
  int pivots = 0;
  for (int attempt = 0; attempt <= retries; ++attempt) {
    const SignedLcp program = signed_lcp(law, sign);
    const Vec start = guess.size() > 0 ? Vec(program.S.partialPivLu().solve(guess)) : guess;
    if (guess.size() > 0 && solves(program.lcp, start)) return {guess};
    const Answer found = lemke->solve(program.lcp, start);
    const Vec r = program.S * found.z;
    best = {r, found.status, pivots += found.iterations, found.ray, found.notes};
    if (!is_positive_semidefinite(program.lcp.M.dense()))
      best.notes.push_back("the program is not convex");
    if (attempt > 0) best.notes.push_back("turned wrong signs");
    bool right = true;
    const double zero = 1e-9 * (1.0 + r.cwiseAbs().maxCoeff());
    Eigen::Index row = 0;
    for (const int d : law.friction) {
      for (Eigen::Index k = row + 1; k <= row + d; ++k)
        if (sign[k] * r[k] < -zero) right = false, sign[k] = -sign[k];
      row += 1 + d;
    }
    if (right) return best;  // also where Lemke's method failed: nothing tells which signs to turn
    best.status = Status::inaccurate;
  }
  return best;
}

}  // namespace

Claim sign_guess(const FrictionCones& law, const Vec& guess, const SignGuessOptions& options) {
  const auto sign_of = [](double x) { return x >= 0.0 ? 1.0 : -1.0; };
  int pivots = 0;
  if (guess.size() == law.q.size()) {
    const Claim coherent = solve_signed(law, guess.unaryExpr(sign_of), guess, options.retries);
    if (coherent.status == Status::solved) return coherent;
    pivots = coherent.iterations;
  }
  Claim found = solve_signed(law, jacobi_forces(law, options.jacobi_iterations).unaryExpr(sign_of),
                             {}, options.retries);
  found.iterations += pivots;
  return found;
}

StaticForces sign_guess(const AccelerationProblem& problem, const SignGuessOptions& options) {
  const Claim found = sign_guess(exact_law(problem), {}, options);
  return answer(problem, found, expand(problem, found.z));
}

}  // namespace touchstone

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

StaticForces answer(const AccelerationProblem& problem, const Answer& from, const Vec& f) {
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

StaticForces lotstedt_lag(const AccelerationProblem& problem, const Vec& lagged) {
  const std::vector<Eigen::Index> rows = free_rows(problem);
  Vec known = Vec::Zero(problem.b.size());
  Qp qp;
  const auto n = static_cast<Eigen::Index>(rows.size());
  qp.l = Vec::Zero(n), qp.u = Vec::Constant(n, inf);
  Eigen::Index x = 0;
  for (std::size_t i = 0; i < contacts(problem); ++i) {
    const auto k = static_cast<Eigen::Index>(i);
    const double bound = problem.mu[k] * lagged[k];
    const Vec slides = problem.direction(i);
    ++x;
    if (slides.size() > 0) {
      known.segment(problem.start(i) + 1, problem.tangents[i]) = -bound * slides;
      continue;
    }
    qp.l.segment(x, problem.tangents[i]).setConstant(-bound);
    qp.u.segment(x, problem.tangents[i]).setConstant(bound);
    x += problem.tangents[i];
  }
  const Mat columns = problem.A(Eigen::all, rows);
  qp.P = Mat(columns(rows, Eigen::all));
  qp.c = Vec(problem.A * known - problem.b)(rows);
  qp.A = Mat::Identity(n, n);
  const Answer found = make_solver("active-set-qp")->solve(qp);
  Vec f = known;
  f(rows) = found.z.head(n);
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

StaticForces sign_guess(const AccelerationProblem& problem, const SignGuessOptions& options) {
  const FrictionCones law = exact_law(problem);
  const auto sign_of = [](double x) { return x >= 0.0 ? 1.0 : -1.0; };
  Vec sign = jacobi_forces(law, options.jacobi_iterations).unaryExpr(sign_of);
  const auto lemke = make_solver("lemke");
  StaticForces best;
  int pivots = 0;
  for (int attempt = 0; attempt <= options.retries; ++attempt) {
    const SignedLcp program = signed_lcp(law, sign);
    const Answer found = lemke->solve(program.lcp);
    pivots += found.iterations;
    const Vec r = program.S * found.z;
    best = answer(problem, found, expand(problem, r));
    best.iterations = pivots;
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

}  // namespace touchstone

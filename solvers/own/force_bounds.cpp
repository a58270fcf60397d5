#include "solvers/own/force_bounds.hpp"

#include <cmath>
#include <limits>
#include <numbers>

#include "solvers/own/feasible_point.hpp"

namespace touchstone {

namespace {

/// Columns are the d_k.
Mat friction_directions(int d, int directions) {
  if (d == 1) return (Mat(1, 2) << 1.0, -1.0).finished();
  Mat D = Mat::Zero(d, d == 2 ? directions : directions + 2);
  for (int k = 0; k < directions; ++k) {
    const double angle = 2.0 * std::numbers::pi * k / directions;
    D.col(k).head<2>() << std::cos(angle), std::sin(angle);
  }
  if (d == 3) D(2, directions) = 1.0, D(2, directions + 1) = -1.0;
  return D;
}

/// r' = S x with x ≥ 0; rows of C: C x ≥ 0.
struct Polyhedron {
  std::vector<Vec> S;
  std::vector<std::vector<std::pair<int, double>>> C;
  std::vector<int> normal;  // column of x that is r'_n; −1: zero
};

Polyhedron polyhedron(const FrictionCones& problem, const Vec& r, int directions,
                      double tolerance) {
  Polyhedron p;
  const Vec u = problem.W * r + problem.q;
  Eigen::Index row = 0;
  for (std::size_t i = 0; i < problem.friction.size(); ++i) {
    const int d = problem.friction[i];
    const double mu = problem.mu[static_cast<Eigen::Index>(i)];
    const Vec u_f = u.segment(row + 1, d);
    p.normal.push_back(u[row] > tolerance ? -1 : static_cast<int>(p.S.size()));
    if (p.normal.back() >= 0) {
      p.S.push_back(Vec::Unit(r.size(), row));
      if (u_f.norm() > tolerance) {
        p.S.back().segment(row + 1, d) = -mu * u_f.normalized();
      } else if (d > 0 && mu > 0.0) {
        const Mat D = friction_directions(d, directions);
        auto& limit = p.C.emplace_back();
        limit.emplace_back(p.normal.back(), mu);
        for (Eigen::Index k = 0; k < D.cols(); ++k) {
          limit.emplace_back(static_cast<int>(p.S.size()), -1.0);
          p.S.push_back(Vec::Zero(r.size()));
          p.S.back().segment(row + 1, d) = D.col(k);
        }
      }
    }
    row += 1 + d;
  }
  return p;
}

}  // namespace

ForceBounds normal_force_bounds(const FrictionCones& problem, const Vec& r, int directions,
                                double tolerance) {
  const Polyhedron p = polyhedron(problem, r, directions, tolerance);
  const int equations = static_cast<int>(r.size()), unknowns = static_cast<int>(p.S.size());
  const int limits = static_cast<int>(p.C.size());
  const Vec target = problem.W * r;
  FeasiblePoint lp;
  lp.resize(equations + limits, unknowns + limits);
  for (int j = 0; j < unknowns; ++j) {
    const Vec column = problem.W * p.S[static_cast<std::size_t>(j)];
    for (int i = 0; i < equations; ++i) lp.A(i, j) = column[i];
  }
  for (int i = 0; i < equations; ++i) lp.b(i) = target[i];
  for (int k = 0; k < limits; ++k) {
    for (const auto& [column, value] : p.C[static_cast<std::size_t>(k)])
      lp.A(equations + k, column) = value;
    lp.A(equations + k, unknowns + k) = -1.0;  // slack
  }
  const auto contacts = static_cast<Eigen::Index>(p.normal.size());
  ForceBounds bounds{Vec::Zero(contacts), Vec::Zero(contacts)};
  Vec x;
  if (!lp.find(1e-7 * (1.0 + target.cwiseAbs().maxCoeff()), x)) {
    bounds.status = Status::infeasible;
    return bounds;
  }
  for (Eigen::Index i = 0; i < contacts; ++i) {
    const int column = p.normal[static_cast<std::size_t>(i)];
    if (column < 0) continue;
    const Vec cost = Vec::Unit(unknowns + limits, column);
    if (lp.minimise(cost, x) != Status::solved) bounds.status = Status::inaccurate;
    bounds.low[i] = x[column];
    const Status up = lp.minimise(-cost, x);
    bounds.high[i] = up == Status::ray ? std::numeric_limits<double>::infinity() : x[column];
    if (up == Status::iteration_limit) bounds.status = Status::inaccurate;
  }
  return bounds;
}

}  // namespace touchstone

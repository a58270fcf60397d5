#include "solvers/own/coulomb.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace touchstone {

namespace {

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double round_off = 1e-14;  // of a 2×2 system, relative to its entries [1]

/// Equation (1) of the header for one contact.
struct Slip {
  Eigen::Matrix2d S;
  Eigen::Vector2d c, w;  // w = W_nt
  double W_nn, b_n, mu;

  struct Point {
    Eigen::Vector2d r_t;
    double r_n, g, slope;
  };

  /// False where S + κI is singular to round-off.
  bool at(double kappa, Point& p) const {
    const double a = S(0, 0) + kappa, d = S(1, 1) + kappa;
    const double det = a * d - S(0, 1) * S(1, 0);
    if (!(std::abs(det) > round_off * (std::abs(a * d) + std::abs(S(0, 1) * S(1, 0)))))
      return false;
    const auto solve = [&](const Eigen::Vector2d& y) {
      return Eigen::Vector2d((d * y[0] - S(0, 1) * y[1]) / det, (a * y[1] - S(1, 0) * y[0]) / det);
    };
    p.r_t = solve(-c);
    p.r_n = -(b_n + w.dot(p.r_t)) / W_nn;
    const double size = p.r_t.norm();
    p.g = size - mu * p.r_n;
    const Eigen::Vector2d change = -solve(p.r_t);  // dr_t/dκ
    p.slope = (size > 0.0 ? p.r_t.dot(change) / size : 0.0) + mu * w.dot(change) / W_nn;
    return std::isfinite(p.g);
  }
};

/// The root of g between a point with g > 0 (or none, at a singular S) and one with g ≤ 0.
bool find_slip(const Slip& slip, double scale, Row3& r) {
  Slip::Point p;
  double low = 0.0, high = scale > 0.0 ? scale : 1.0;
  int guard = 0;
  while (!(slip.at(high, p) && p.g <= 0.0)) {
    if (++guard > 200) return false;
    low = high;
    high *= 4.0;
  }
  double kappa = high;
  for (int k = 0; k < 200; ++k) {
    if (!slip.at(kappa, p) || p.g > 0.0)
      low = kappa;
    else
      high = kappa;
    if (p.g == 0.0 || !(high - low > 4e-16 * high)) break;
    double next = kappa - p.g / p.slope;
    // Newton as long as it stays inside; every fourth step bisects, so that brackets do shrink.
    if (!(next > low && next < high) || k % 4 == 3)
      next = low > 0.0 && high > 16.0 * low ? std::sqrt(low * high) : 0.5 * (low + high);
    if (next == kappa) break;
    kappa = next;
  }
  if (!slip.at(kappa, p) && !slip.at(high, p)) return false;
  // On the cone exactly: r_n by the normal row, the direction by (1).
  const double size = p.r_t.norm(), r_n = std::max(0.0, p.r_n);
  r[0] = r_n;
  r.tail<2>() =
      size > 0.0 ? Eigen::Vector2d(p.r_t * (slip.mu * r_n / size)) : Eigen::Vector2d::Zero();
  return true;
}

bool inside(const Row3& r, double mu) {
  return r[0] >= 0.0 && r.tail<2>().norm() <= mu * r[0] * (1.0 + 1e-15);
}

/// W r = −b where W is singular but b lies in its range.
bool stick_by_least_squares(const Block3& W, const Row3& b, Row3& r) {
  r = -W.completeOrthogonalDecomposition().solve(b);
  return (W * r + b).norm() <= round_off * b.norm();
}

}  // namespace

ContactMode solve_contact(const Block3& W, const Row3& b, double mu, Row3& r) {
  r.setZero();
  if (b[0] >= 0.0) return ContactMode::separation;
  if (!(W(0, 0) > 0.0)) return ContactMode::unsolvable;
  Slip slip;
  slip.w = W.row(0).tail<2>().transpose();
  const Eigen::Vector2d W_tn = W.col(0).tail<2>();
  slip.S = W.bottomRightCorner<2, 2>() - W_tn * slip.w.transpose() / W(0, 0);
  slip.c = b.tail<2>() - W_tn * (b[0] / W(0, 0));
  slip.W_nn = W(0, 0);
  slip.b_n = b[0];
  slip.mu = mu;
  if (mu == 0.0) {
    r[0] = -b[0] / W(0, 0);
    return ContactMode::slip;
  }
  Slip::Point stick;
  if (slip.at(0.0, stick)) {
    const Row3 candidate(stick.r_n, stick.r_t[0], stick.r_t[1]);
    if (inside(candidate, mu)) {
      r = candidate;
      return ContactMode::stick;
    }
  } else if (stick_by_least_squares(W, b, r) && inside(r, mu)) {
    return ContactMode::stick;
  }
  if (!find_slip(slip, slip.S.cwiseAbs().maxCoeff(), r)) return ContactMode::unsolvable;
  return ContactMode::slip;
}

Row3 project_to_friction_cone(const Row3& r, double mu) {
  const double tangent = r.tail<2>().norm();
  if (tangent <= mu * r[0]) return r;
  if (mu * tangent <= -r[0]) return Row3::Zero();
  Row3 p;
  p[0] = (r[0] + mu * tangent) / (1.0 + mu * mu);
  p.tail<2>() = (mu * p[0] / tangent) * r.tail<2>();
  return p;
}

double contact_residual(const Row3& r, const Row3& u, double mu) {
  Row3 shifted = u;
  shifted[0] += mu * u.tail<2>().norm();
  if (!r.allFinite() || !shifted.allFinite()) return inf;
  return (r - project_to_friction_cone(r - shifted, mu)).cwiseAbs().maxCoeff();
}

Block3 contact_block(const FrictionContact& problem, Eigen::Index i) {
  Block3 W = Block3::Zero();
  W(2, 2) = 1.0;
  const Eigen::Index k = i * problem.dim;
  for (int column = 0; column < problem.dim; ++column)
    for (int row = 0; row < problem.dim; ++row)
      W(row, column) = problem.W.is_sparse() ? problem.W.sparse().coeff(k + row, k + column)
                                             : problem.W.dense()(k + row, k + column);
  return W;
}

double friction_residual(const FrictionContact& problem, const Vec& r, const Vec& u) {
  double largest = 0.0;
  for (Eigen::Index i = 0; i < problem.mu.size(); ++i) {
    const Eigen::Index k = i * problem.dim;
    const double x = contact_residual(contact_row(r, k, problem.dim),
                                      contact_row(u, k, problem.dim), problem.mu[i]);
    largest = std::max(largest, x);
  }
  return largest;
}

}  // namespace touchstone

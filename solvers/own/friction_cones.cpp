#include "solvers/own/friction_cones.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace touchstone {

namespace {

using Row = Eigen::Vector4d;  // (n, friction), unused components zero
using Block = Eigen::Matrix4d;
using Eigen::Matrix3d;
using Eigen::Vector3d;

constexpr int sweeps_before_newton = 8;
constexpr int most_rounds = 20;
constexpr int most_proximal = 60;

/// One contact with the others fixed: W and b of its own rows, radius μ r_n + extra.
struct OneContact {
  Block W = Block::Identity();
  Row b = Row::Zero();
  double mu = 0.0, extra = 0.0;

  /// Friction for a given normal force: (S + κI) r_f = −c with the smallest κ ≥ 0 at which ‖r_f‖
  /// fits into the radius; it falls with κ.
  template <class At>
  Row smallest_fit(const Matrix3d& S, const At& at) const {
    const auto excess = [&](const Row& x) {
      return x.allFinite() ? x.tail<3>().norm() - mu * x[0] - extra
                           : std::numeric_limits<double>::infinity();
    };
    Row r = at(0.0);
    if (r[0] >= 0.0 && excess(r) <= 0.0) return r;
    const double scale = std::max(S.cwiseAbs().maxCoeff(), 1e-300);
    double low = 0.0, high = scale;
    for (int k = 0; k < 100 && !(excess(r = at(high)) <= 0.0); ++k) {
      low = high;
      high *= 8.0;
    }
    for (int k = 0; k < 200 && high - low > 4e-16 * high && high > 1e-14 * scale; ++k) {
      const double middle = low == 0.0         ? 1e-2 * high
                            : high > 4.0 * low ? std::sqrt(low * high)
                                               : 0.5 * (low + high);
      const Row x = at(middle);
      if (excess(x) <= 0.0)
        high = middle, r = x;
      else
        low = middle;
    }
    r[0] = std::max(0.0, r[0]);
    const double size = r.tail<3>().norm(), radius = mu * r[0] + extra;
    if (size > 0.0) r.tail<3>() *= radius / size;
    return r;
  }

  static Vector3d solved(const Matrix3d& S, double kappa, const Vector3d& c) {
    return Matrix3d(S + kappa * Matrix3d::Identity()).partialPivLu().solve(-c);
  }

  /// False where no answer exists: W_nn ≤ 0 while the contact approaches.
  bool solve(Row& r) const {
    r.setZero();
    if (extra > 0.0) {
      const Matrix3d S = W.bottomRightCorner<3, 3>();
      r = smallest_fit(S, [&](double kappa) {
        Row x = Row::Zero();
        x.tail<3>() = solved(S, kappa, b.tail<3>());
        return x;
      });
    }
    if (b[0] + W.row(0).tail<3>().dot(r.tail<3>()) >= 0.0) return true;  // separation
    if (!(W(0, 0) > 0.0)) return false;
    // The normal row gives r_n: S and c are what is left of the friction rows.
    const Matrix3d S =
        W.bottomRightCorner<3, 3>() - W.col(0).tail<3>() * W.row(0).tail<3>() / W(0, 0);
    const Vector3d c = b.tail<3>() - W.col(0).tail<3>() * (b[0] / W(0, 0));
    r = smallest_fit(S, [&](double kappa) {
      Row x;
      x.tail<3>() = solved(S, kappa, c);
      x[0] = -(b[0] + W.row(0).tail<3>().dot(x.tail<3>())) / W(0, 0);
      return x;
    });
    return true;
  }
};

class Solve {
 public:
  explicit Solve(const FrictionCones& problem) : p_(problem) {
    Eigen::Index at = 0;
    for (const int d : p_.friction) {
      start_.push_back(at);
      at += 1 + d;
    }
    for (std::size_t i = 0; i < start_.size(); ++i) {
      const double w = p_.W(start_[i], start_[i]);
      rho_.push_back(w > 0.0 ? 1.0 / w : 1.0);
    }
  }

  double natural(const Vec& r) {
    u_.noalias() = p_.W * r;
    u_ += p_.q;
    double worst = 0.0;
    for (std::size_t i = 0; i < start_.size(); ++i) {
      const Eigen::Index k = start_[i];
      const int d = p_.friction[i];
      const double rho = rho_[i];
      worst = std::max(worst, std::abs(r[k] - std::max(0.0, r[k] - rho * u_[k])) / rho);
      if (d == 0) continue;
      Vec y = r.segment(k + 1, d) - rho * u_.segment(k + 1, d);
      const double radius = p_.radius(i, r[k]);
      if (y.norm() > radius) y *= radius / y.norm();
      worst = std::max(worst, (r.segment(k + 1, d) - y).cwiseAbs().maxCoeff() / rho);
    }
    return std::isfinite(worst) ? worst : std::numeric_limits<double>::infinity();
  }

  bool sweep(Vec& r) {
    bool solvable = true;
    u_.noalias() = p_.W * r;
    u_ += p_.q;
    for (std::size_t i = 0; i < start_.size(); ++i) {
      const Eigen::Index k = start_[i];
      const int d = p_.friction[i];
      OneContact one;
      one.mu = p_.mu[static_cast<Eigen::Index>(i)];
      one.extra = p_.radius(i, 0.0);
      one.W.topLeftCorner(1 + d, 1 + d) = p_.W.block(k, k, 1 + d, 1 + d);
      one.b.head(1 + d) =
          u_.segment(k, 1 + d) - one.W.topLeftCorner(1 + d, 1 + d) * r.segment(k, 1 + d);
      Row next;
      solvable = one.solve(next) && solvable;
      const Vec change = next.head(1 + d) - r.segment(k, 1 + d);
      r.segment(k, 1 + d) += change;
      u_.noalias() += p_.W.middleCols(k, 1 + d) * change;
    }
    return solvable;
  }

  /// One Newton step on F(r) = r − Π(r − ρu); false when it does not reduce the residual.
  bool newton(Vec& r, double& best) {
    const Eigen::Index n = p_.q.size();
    u_.noalias() = p_.W * r;
    u_ += p_.q;
    Mat J = Mat::Identity(n, n);
    Vec F(n);
    for (std::size_t i = 0; i < start_.size(); ++i) linearise(i, r, F, J);
    const Vec step = J.completeOrthogonalDecomposition().solve(F);
    for (double t = 1.0; t > 0.01; t *= 0.5) {
      const Vec trial = r - t * step;
      if (!trial.allFinite()) return false;
      const double value = natural(trial);
      if (value < (1.0 - 0.3 * t) * best) {
        r = trial;
        best = value;
        return true;
      }
    }
    return false;
  }

 private:
  void linearise(std::size_t i, const Vec& r, Vec& F, Mat& J) const {
    const Eigen::Index k = start_[i];
    const int d = p_.friction[i];
    const double rho = rho_[i], mu = p_.mu[static_cast<Eigen::Index>(i)];
    const double y_n = r[k] - rho * u_[k];
    if (y_n > 0.0) {
      F[k] = rho * u_[k];
      J.row(k) = rho * p_.W.row(k);
    } else {
      F[k] = r[k];
    }
    if (d == 0) return;
    const Vec y = r.segment(k + 1, d) - rho * u_.segment(k + 1, d);
    const double size = y.norm(), radius = p_.radius(i, r[k]);
    if (size <= radius) {
      F.segment(k + 1, d) = rho * u_.segment(k + 1, d);
      J.middleRows(k + 1, d) = rho * p_.W.middleRows(k + 1, d);
    } else {
      const Vec e = y / size;
      F.segment(k + 1, d) = r.segment(k + 1, d) - radius * e;
      const Mat turn = (radius / size) * (Mat::Identity(d, d) - e * e.transpose());
      Mat rows = rho * turn * p_.W.middleRows(k + 1, d);
      rows.middleCols(k + 1, d) += Mat::Identity(d, d) - turn;
      if (r[k] > 0.0) rows.col(k) -= mu * e;
      J.middleRows(k + 1, d) = rows;
    }
  }

  const FrictionCones& p_;
  std::vector<Eigen::Index> start_;
  std::vector<double> rho_;
  Vec u_;
};

}  // namespace

double residual(const FrictionCones& problem, const Vec& r) { return Solve(problem).natural(r); }

namespace {

/// Sweeps and Newton's method from the guess.
Claim solve_directly(const FrictionCones& problem, const Vec& guess, double tolerance) {
  Solve method(problem);
  Claim claim;
  claim.z = guess.size() == problem.q.size() ? guess : Vec::Zero(problem.q.size());
  double best = method.natural(claim.z);
  bool solvable = true;
  for (int round = 0; round < most_rounds && best > tolerance; ++round) {
    for (int k = 0; k < sweeps_before_newton && best > tolerance; ++k) {
      solvable = method.sweep(claim.z);
      best = method.natural(claim.z);
      ++claim.iterations;
    }
    Vec r = claim.z;
    double value = best;
    while (value > 0.01 * tolerance && method.newton(r, value)) ++claim.iterations;
    if (value < best) {
      claim.z = r;
      best = value;
    }
  }
  if (best > tolerance) claim.status = solvable ? Status::iteration_limit : Status::singular;
  return claim;
}

/// Proximal points (as in proximal_point.cpp) for redundant contacts where that gets stuck.
Claim solve_by_proximal_points(const FrictionCones& problem, Claim last, double tolerance) {
  const double scale = problem.W.diagonal().cwiseAbs().mean();
  double alpha = 0.1 * scale, least = 1e-10 * scale;
  FrictionCones near = problem;
  for (int k = 0; k < most_proximal && alpha < 1e4 * scale; ++k) {
    near.W = problem.W;
    near.W.diagonal().array() += alpha;
    near.q = problem.q - alpha * last.z;
    Claim next = solve_directly(near, last.z, 0.1 * tolerance);
    last.iterations += next.iterations;
    if (next.status != Status::solved) {
      least = std::max(least, 2.0 * alpha);
      alpha *= 10.0;
      continue;
    }
    last.z = std::move(next.z);
    if (residual(problem, last.z) <= tolerance) {
      last.status = Status::solved;
      last.notes.emplace_back("friction cones: proximal points");
      return last;
    }
    alpha = std::max(least, 0.2 * alpha);
  }
  return last;
}

}  // namespace

Claim solve(const FrictionCones& problem, const Vec& guess, double tolerance) {
  Claim claim = solve_directly(problem, guess, tolerance);
  if (claim.status == Status::iteration_limit)
    claim = solve_by_proximal_points(problem, std::move(claim), tolerance);
  if (claim.status != Status::solved) return claim;
  Eigen::Index k = 0;
  for (const int d : problem.friction) {
    claim.z[k] = std::max(0.0, claim.z[k]);
    k += 1 + d;
  }
  return claim;
}

}  // namespace touchstone

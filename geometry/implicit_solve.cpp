#include "geometry/implicit_solve.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace touchstone {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

struct Model {
  double value = infinity;
  Vec3 gradient = Vec3::Zero();
  Mat3 hessian = Mat3::Zero();
};

/// Newton's step down the model; planar sets do not leave the plane, and curvature that is missing
/// is replaced by a little of the largest.
Vec3 descent(const Model& m, int dim, double floor) {
  Mat3 H = m.hessian;
  if (dim == 2) H(2, 2) = 1.0 + H.diagonal().head<2>().sum();
  H.diagonal().array() += floor * (H.cwiseAbs().maxCoeff() + 1e-300);
  Vec3 step = -H.ldlt().solve(m.gradient);
  if (!step.allFinite() || step.dot(m.gradient) >= 0.0) step = -m.gradient;
  return step;
}

/// (1/t) log Σ exp(t f_j): a smooth upper bound of max f_j.
Model soft_maximum(const ConvexSet& set, const Vec3& x, double t) {
  const double most = set.largest_value(x);
  Model m;
  if (!std::isfinite(most)) return m;
  double sum = 0.0;
  for (int j = 0; j < set.count(); ++j) sum += std::exp(t * (set.value(j, x) - most));
  m.value = most + std::log(sum) / t;
  for (int j = 0; j < set.count(); ++j) {
    const double w = std::exp(t * (set.value(j, x) - most)) / sum;
    if (w < 1e-16) continue;
    const Vec3 g = set.gradient(j, x);
    m.gradient += w * g;
    m.hessian += w * set.hessian(j, x) + t * w * g * g.transpose();
  }
  m.hessian -= t * m.gradient * m.gradient.transpose();
  return m;
}

/// −t d·x − Σ log(−f_j); infinite outside.
Model barrier(const ConvexSet& set, const Vec3& x, const Vec3& d, double t) {
  Model m;
  double value = -t * d.dot(x);
  m.gradient = -t * d;
  for (int j = 0; j < set.count(); ++j) {
    const double slack = -set.value(j, x);
    if (!(slack > 0.0)) return m;
    value -= std::log(slack);
    const Vec3 g = set.gradient(j, x) / slack;
    m.gradient += g;
    m.hessian += g * g.transpose() + set.hessian(j, x) / slack;
  }
  m.value = value;
  return m;
}

/// A length over which the f_j change by their own size: the step scale at an interior point.
double length_scale(const ConvexSet& set, const Vec3& x) {
  double length = infinity;
  for (int j = 0; j < set.count(); ++j) {
    const double slack = -set.value(j, x);
    const double g = set.gradient(j, x).norm(), h = set.hessian(j, x).norm();
    if (g > 0.0) length = std::min(length, slack / g);
    if (h > 0.0) length = std::min(length, std::sqrt(slack / h));
  }
  return std::isfinite(length) ? length : 1.0;
}

/// Newton's method on d = Σ λ_j ∇f_j, f_j = 0 over the surfaces that carry the optimum, as long as
/// it helps. Dependent gradients and flat faces have the least step. Nothing when the end is not an
/// optimum to roundoff.
template <class Multiplier>
std::optional<Vec3> polish(const ConvexSet& set, const Vec3& start, const Vec3& d,
                           const Multiplier& multiplier, double threshold) {
  constexpr int most = 6;
  using System = Eigen::Matrix<double, 3 + most, 3 + most>;
  using Column = Eigen::Matrix<double, 3 + most, 1>;
  std::array<int, most> active{};
  Column z = Column::Zero();
  z.head<3>() = start;
  int m = 0;
  for (int j = 0; j < set.count() && m < most; ++j) {
    const double lambda = multiplier(j);
    if (lambda * set.gradient(j, start).norm() < threshold) continue;
    z[3 + m] = lambda, active[m++] = j;
  }
  auto residual = [&](const Column& at, System* J) {
    const Vec3 x = at.head<3>();
    Column r = Column::Zero();
    r.head<3>() = -d;
    if (J) J->setIdentity(), J->topLeftCorner<3, 3>().setZero();
    if (J && set.dim() == 2) (*J)(2, 2) = 1.0;
    for (int k = 0; k < m; ++k) {
      const Vec3 g = set.gradient(active[k], x);
      const double size = std::max(g.norm(), 1e-300);
      r.head<3>() += at[3 + k] * g;
      r[3 + k] = set.value(active[k], x) / size;
      if (!J) continue;
      J->topLeftCorner<3, 3>() += at[3 + k] * set.hessian(active[k], x);
      J->col(3 + k).head<3>() = g;
      J->row(3 + k).setZero();
      J->row(3 + k).head<3>() = g.transpose() / size;
    }
    return r;
  };
  System J;
  Column r = residual(z, &J);
  for (int i = 0; i < 20 && r.norm() > 1e-16; ++i) {
    Column step = J.partialPivLu().solve(r);
    if (!step.allFinite() || !((J * step - r).norm() <= 1e-8 * r.norm()) ||
        step.head<3>().norm() > 1.0 + start.norm())
      step = J.completeOrthogonalDecomposition().solve(r);
    const Column trial = z - step;
    if (!trial.allFinite() || trial.segment(3, m).minCoeff() < -1e-9) break;
    System next;
    const Column there = residual(trial, &next);
    if (!(there.norm() < 0.9 * r.norm())) break;
    z = trial, r = there, J = next;
  }
  if (m == 0 || !(r.norm() < 1e-12 * (1.0 + start.norm()))) return std::nullopt;
  if (z.segment(3, m).minCoeff() < -1e-12) return std::nullopt;
  const Vec3 x = z.head<3>();
  for (int j = 0; j < set.count(); ++j)
    if (set.value(j, x) > 1e-13 * set.gradient(j, x).norm() * (1.0 + x.norm())) return std::nullopt;
  return x;
}

/// Primal-dual interior-point steps for max d·x, f_j(x) ≤ 0 (Boyd and Vandenberghe, Convex
/// Optimization, 2004, section 11.7), ended by polish() as soon as the surfaces that carry the
/// optimum tell themselves apart: λ_j |∇f_j| against slack_j/(|∇f_j| reach); else at a duality gap
/// of 1e-13 of the reach. Nothing when neither succeeds; unbounded sets end there too.
std::optional<Vec3> primal_dual(const ConvexSet& set, const Vec3& inside, const Vec3& d,
                                double length) {
  const int m = set.count();
  Vec3 x = inside;
  Eigen::VectorXd slack(m), lambda(m), dlambda(m), trial(m), size(m);
  Eigen::Matrix3Xd g(3, m);
  for (int j = 0; j < m; ++j) slack[j] = -set.value(j, x), lambda[j] = length / slack[j];
  double mu = length, attempt = 1e-2;
  for (int i = 0; i < 60; ++i) {
    Mat3 H = Mat3::Zero();
    Vec3 rhs = d;
    mu = 0.1 * lambda.dot(slack) / m;
    for (int j = 0; j < m; ++j) {
      g.col(j) = set.gradient(j, x);
      H += lambda[j] * set.hessian(j, x) + lambda[j] / slack[j] * g.col(j) * g.col(j).transpose();
      rhs -= mu / slack[j] * g.col(j);
    }
    const Model model{0.0, -rhs, H};
    const Vec3 step = descent(model, set.dim(), 1e-15);
    double alpha = 1.0;
    for (int j = 0; j < m; ++j) {
      dlambda[j] = mu / slack[j] - lambda[j] + lambda[j] / slack[j] * g.col(j).dot(step);
      if (dlambda[j] < 0.0) alpha = std::min(alpha, -0.99 * lambda[j] / dlambda[j]);
    }
    for (bool inner = false; !inner && alpha > 1e-12;) {
      inner = true;
      for (int j = 0; j < m && inner; ++j) {
        trial[j] = -set.value(j, x + alpha * step);
        inner = trial[j] > 0.01 * slack[j];
      }
      if (!inner) alpha *= 0.7;
    }
    if (!(alpha > 1e-12)) return std::nullopt;
    x += alpha * step, lambda += alpha * dlambda, slack = trial;
    const double reached = (x - inside).norm();
    if (!(reached < 1e9 * length)) return std::nullopt;
    const double gap = lambda.dot(slack);
    if (!(gap < attempt * reached)) continue;
    for (int j = 0; j < m; ++j) size[j] = set.gradient(j, x).norm();
    auto active = [&](int j) {
      const bool carries = lambda[j] * size[j] * size[j] * reached > slack[j];
      return carries ? lambda[j] : 0.0;
    };
    if (const auto exact = polish(set, x, d, active, 1e-300)) return exact;
    attempt *= 0.03;
    if (gap > 1e-9 * reached) continue;
    // All but square to a flat face: one more surface carries a share too small to tell.
    for (int k = 0; k < m; ++k)
      if (active(k) == 0.0)
        if (const auto exact = polish(
                set, x, d, [&](int j) { return j == k ? lambda[j] : active(j); }, 1e-300))
          return exact;
    if (gap > 1e-13 * reached) continue;
    // The duality gap bounds what is missing, wherever along the face x is.
    Vec3 dual = d;
    for (int j = 0; j < m; ++j) dual -= lambda[j] * set.gradient(j, x);
    if (dual.norm() < 1e-12) return x;
    break;
  }
  return std::nullopt;
}

/// The same optimum by a logarithmic barrier with line searches: slow and sure. nullopt: unbounded.
std::optional<Vec3> barrier_method(const ConvexSet& set, const Vec3& inside, const Vec3& d,
                                   double length) {
  double t = 1.0 / length;
  Vec3 x = inside;
  for (int round = 0; round < 60; ++round, t *= 8.0) {
    for (int i = 0; i < 60; ++i) {
      const Model here = barrier(set, x, d, t);
      const Vec3 step = descent(here, set.dim(), 1e-15);
      const double slope = -step.dot(here.gradient);
      if (slope < 1e-6) break;
      double s = 1.0;
      while (s > 1e-14 && !(barrier(set, x + s * step, d, t).value < here.value - 1e-4 * s * slope))
        s *= 0.5;
      if (s <= 1e-14) break;
      x += s * step;
      if ((x - inside).norm() > 1e9 * length) return std::nullopt;
    }
    const double reached = (x - inside).norm();
    if (set.count() / t < 1e-3 * reached)
      if (const auto exact = polish(
              set, x, d, [&](int j) { return 1.0 / (-t * set.value(j, x)); },
              std::max(1e-8, 20.0 * set.count() / (t * reached))))
        return exact;
    if (set.count() / t < 1e-11 * reached) break;
  }
  return x;
}

}  // namespace

std::optional<Vec3> interior_point(const ConvexSet& set, const Vec3& guess, double& least) {
  Vec3 x = guess;
  least = set.largest_value(x);
  double t = 1.0 / (std::abs(least) + 1e-3);
  for (int round = 0; round < (set.count() == 1 ? 1 : 16); ++round, t *= 3.0) {
    for (int i = 0; i < 50; ++i) {
      const Model here = soft_maximum(set, x, t);
      Vec3 step = descent(here, set.dim(), 1e-12);
      const double longest = 10.0 * (1.0 + x.norm());
      const bool far = step.norm() > longest;
      if (far) step *= longest / step.norm();
      double s = 1.0;
      while (s > 1e-12 && !(soft_maximum(set, x + s * step, t).value <
                            here.value + 1e-4 * s * step.dot(here.gradient)))
        s *= 0.5;
      if (s <= 1e-12) break;
      x += s * step;
      if (far && set.largest_value(x) < 0.0) return x;  // unbounded below: deep enough
      if (s * step.norm() < 1e-10 * (1.0 + x.norm())) break;
    }
  }
  least = set.largest_value(x);
  // A set without interior ends at max f = 0 up to roundoff.
  const double roundoff = 1e-10 * std::max(1.0, std::abs(set.largest_value(guess)));
  if (!(least < -1e-6 * roundoff)) return std::nullopt;
  return x;
}

std::optional<Vec3> farthest_point(const ConvexSet& set, const Vec3& inside, const Vec3& d) {
  const double length = length_scale(set, inside);
  if (set.count() == 1) {  // one smooth surface: from its point along d
    const double out = reach(set, inside, d, 1e9 * length);
    const Vec3 edge = inside + out * d;
    const double slope = set.gradient(0, edge).norm();
    if (out < 1e8 * length)
      if (const auto exact = polish(
              set, edge, d, [&](int) { return 1.0 / slope; }, 0.0))
        return exact;
  }
  if (const auto exact = primal_dual(set, inside, d, length)) return exact;
  return barrier_method(set, inside, d, length);
}

double reach(const ConvexSet& set, const Vec3& inside, const Vec3& u, double most) {
  double low = 0.0, high = most, r = most;
  for (int i = 0; i < 200; ++i) {
    const Vec3 x = inside + r * u;
    int on = 0;
    double f = -infinity;
    for (int j = 0; j < set.count(); ++j)
      if (const double v = set.value(j, x); v > f) f = v, on = j;
    (f > 0.0 ? high : low) = r;
    // Newton from outside never overshoots a convex function; from inside it is checked.
    const double slope = set.gradient(on, x).dot(u);
    double next = slope > 0.0 ? r - f / slope : infinity;
    if (!(next > low && next < high)) next = 0.5 * (low + high);
    if (std::abs(next - r) <= 1e-15 * high || high - low <= 1e-15 * high) return next;
    r = next;
  }
  return r;
}

}  // namespace touchstone

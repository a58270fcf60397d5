#include "solvers/referee.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace touchstone {

namespace {

constexpr double inf = std::numeric_limits<double>::infinity();

double mid(double l, double u, double x) { return std::max(l, std::min(u, x)); }
double positive(double x) { return std::max(0.0, x); }

/// A maximum that NaN cannot slip through: `x > max` is false for NaN, `!(x <= max)` is not.
void raise(double& max, double x) {
  if (!(x <= max)) max = std::isnan(x) ? inf : x;
}

Residual worst() { return {inf, inf, inf, inf}; }

/// One row l ≤ z ≤ u ⊥ F. A finite bound gives a product that should vanish; an infinite one turns
/// the sign of F that it forbids into infeasibility.
void judge_row(double z, double F, double l, double u, Residual& r) {
  // std::min and std::max swallow a NaN in one of their arguments.
  raise(r.natural, std::isfinite(F) ? std::abs(z - mid(l, u, z - F)) : inf);
  raise(r.infeasibility, positive(l - z));
  raise(r.infeasibility, positive(z - u));
  const double F_plus = positive(F), F_minus = positive(-F);
  if (u == inf || (z <= l && l < u)) raise(r.infeasibility, F_minus);
  if (l == -inf || (z >= u && l < u)) raise(r.infeasibility, F_plus);
  if (l > -inf) raise(r.complementarity, std::abs((z - l) * F_plus));
  if (u < inf) raise(r.complementarity, std::abs((u - z) * F_minus));
}

/// A scale of 0 (a contact between fixed bodies) must not turn an infinite bound into NaN.
double scaled(double bound, double scale) { return std::isinf(bound) ? bound : scale * bound; }

double physical_row(double z, double F, double l, double u, double z_scale, double F_scale) {
  const double x = z_scale * z;
  return std::abs(x - mid(scaled(l, z_scale), scaled(u, z_scale), x - F_scale * F));
}

template <class Bound>
Residual judge_rows(const Vec& z, const Vec& F, Bound bound, const VelocityScale& scale) {
  Residual r;
  if (scale.z.size() > 0) r.physical = 0.0;
  for (Eigen::Index i = 0; i < z.size(); ++i) {
    const auto [l, u] = bound(i);
    judge_row(z[i], F[i], l, u, r);
    if (r.physical) raise(*r.physical, physical_row(z[i], F[i], l, u, scale.z[i], scale.F[i]));
  }
  return r;
}

/// Rows (normal, tangents) of one contact: the exact cone K = {‖r_t‖ ≤ μ r_n} and its dual
/// K* = {μ‖u_t‖ ≤ u_n}. A planar contact has a second tangent that stays zero.
using Row = Eigen::Vector3d;

Row row_of(const Vec& v, Eigen::Index start, int dim) {
  return {v[start], v[start + 1], dim == 3 ? v[start + 2] : 0.0};
}

Row project_to_cone(const Row& r, double mu) {
  const Eigen::Vector2d t = r.tail<2>();
  const double normal = r[0], tangent = t.norm();
  if (tangent <= mu * normal) return r;
  if (mu * tangent <= -normal) return Row::Zero();
  Row p;
  p[0] = (normal + mu * tangent) / (1.0 + mu * mu);
  p.tail<2>() = (mu * p[0] / tangent) * t;
  return p;
}

/// −Π_K(−u) is what u lacks to be in K* (Moreau), so ‖Π_K(−u)‖ is its distance to K*.
double distance_to_dual(const Row& u, double mu) { return project_to_cone(-u, mu).norm(); }

void judge_contact(const Row& r, Row u, double mu, double W_nn, Residual& residual) {
  u[0] += mu * u.tail<2>().norm();  // de Saxcé
  if (!r.allFinite() || !u.allFinite()) {
    residual = worst();
    return;
  }
  raise(residual.natural, (r - project_to_cone(r - u, mu)).cwiseAbs().maxCoeff());
  raise(residual.infeasibility, (r - project_to_cone(r, mu)).norm());
  raise(residual.infeasibility, distance_to_dual(u, mu));
  raise(residual.complementarity, std::abs(r.dot(u)));
  if (W_nn > 0.0 && residual.physical)
    raise(*residual.physical, W_nn * (r - project_to_cone(r - u / W_nn, mu)).cwiseAbs().maxCoeff());
  else
    residual.physical.reset();  // a contact that no impulse can move has no velocity scale
}

struct Referee {
  const Vec& z;
  Vec& F;

  Residual operator()(const Lcp& p) const {
    p.M.multiply(z, F);
    F += p.q;
    return judge_rows(
        z, F,
        [](Eigen::Index) {
          return std::pair{0.0, inf};
        },
        p.scale);
  }

  Residual operator()(const Mlcp& p) const {
    p.M.multiply(z, F);
    F += p.q;
    return judge_rows(
        z, F,
        [&](Eigen::Index i) {
          return std::pair{p.l[i], p.u[i]};
        },
        p.scale);
  }

  Residual operator()(const Mcp& p) const {
    F.resize(z.size());
    p.function->evaluate(z, F);
    if (F.size() != z.size()) return worst();
    return judge_rows(
        z, F,
        [&](Eigen::Index i) {
          return std::pair{p.l[i], p.u[i]};
        },
        p.scale);
  }

  Residual operator()(const Qp& p) const {
    const Vec x = z.head(p.c.size()), y = z.tail(p.l.size());
    Vec gradient, Ax;
    p.P.multiply(x, gradient);
    p.A.multiply_transposed(y, F);
    gradient += p.c + F;
    p.A.multiply(x, Ax);

    Residual r;
    for (Eigen::Index i = 0; i < x.size(); ++i) raise(r.natural, std::abs(gradient[i]));
    if (!Ax.allFinite() || !y.allFinite()) return worst();
    for (Eigen::Index i = 0; i < y.size(); ++i) {
      raise(r.natural, std::abs(Ax[i] - mid(p.l[i], p.u[i], Ax[i] + y[i])));
      raise(r.infeasibility, positive(p.l[i] - Ax[i]));
      raise(r.infeasibility, positive(Ax[i] - p.u[i]));
      raise(r.complementarity, gap_product(Ax[i] - p.l[i], positive(-y[i])));
      raise(r.complementarity, gap_product(p.u[i] - Ax[i], positive(y[i])));
    }
    return r;
  }

  Residual operator()(const FrictionContact& p) const {
    p.W.multiply(z, F);
    F += p.q;
    Residual residual;
    residual.physical = 0.0;
    for (Eigen::Index i = 0; i < p.mu.size(); ++i) {
      const Eigen::Index k = i * p.dim;
      const double W_nn = p.W.is_sparse() ? p.W.sparse().coeff(k, k) : p.W.dense()(k, k);
      judge_contact(row_of(z, k, p.dim), row_of(F, k, p.dim), p.mu[i], W_nn, residual);
    }
    return residual;
  }

  /// gap · multiplier; a multiplier towards a bound that does not exist has no product to vanish,
  /// so it counts by itself.
  static double gap_product(double gap, double multiplier) {
    return gap == inf ? multiplier : std::abs(gap * multiplier);
  }
};

double max_norm(const Vec& v) { return v.size() ? v.cwiseAbs().maxCoeff() : 0.0; }

struct DataScale {
  double operator()(const Lcp& p) const { return max_norm(p.q); }
  double operator()(const Mlcp& p) const { return max_norm(p.q); }
  double operator()(const Mcp& p) const {
    const Vec zero = p.l.cwiseMax(p.u.cwiseMin(0.0));
    Vec F(zero.size());
    p.function->evaluate(zero, F);
    return F.allFinite() ? max_norm(F) : 0.0;  // F need not exist at 0: then only absolute counts
  }
  double operator()(const Qp& p) const { return max_norm(p.c); }
  double operator()(const FrictionContact& p) const { return max_norm(p.q); }
};

}  // namespace

Residual residual(const Problem& problem, const Vec& z) {
  Vec F;
  return residual(problem, z, F);
}

Residual residual(const Problem& problem, const Vec& z, Vec& workspace) {
  if (z.size() != unknowns(problem)) return worst();
  const Residual measured = std::visit(Referee{z, workspace}, problem);
  // A NaN or infinity anywhere leaves nothing to compare.
  const bool finite = measured.natural < inf && measured.infeasibility < inf &&
                      measured.complementarity < inf && measured.physical.value_or(0.0) < inf;
  return finite ? measured : worst();
}

double data_scale(const Problem& problem) { return std::visit(DataScale{}, problem); }

}  // namespace touchstone

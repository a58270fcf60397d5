#include "solvers/referee.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace touchstone {

namespace {

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double epsilon = std::numeric_limits<double>::epsilon();

double mid(double l, double u, double x) { return std::max(l, std::min(u, x)); }
double positive(double x) { return std::max(0.0, x); }

/// A maximum that NaN cannot slip through: `x > max` is false for NaN, `!(x <= max)` is not.
void raise(double& max, double x) {
  if (!(x <= max)) max = std::isnan(x) ? inf : x;
}

Residual worst() { return {inf, inf, inf, inf}; }

double max_norm(const Vec& v) { return v.size() ? v.cwiseAbs().maxCoeff() : 0.0; }

/// z − mid(l, u, z − F), written so that a large z cannot swallow F.
double natural_map(double z, double F, double l, double u) { return mid(z - u, z - l, F); }

/// By how much an error e of F can change the row: the map is monotone in F.
double row_error(double z, double F, double l, double u, double e) {
  const double here = natural_map(z, F, l, u);
  return std::max(natural_map(z, F + e, l, u) - here, here - natural_map(z, F - e, l, u));
}

/// One row l ≤ z ≤ u ⊥ F. A finite bound gives a product that should vanish; an infinite one turns
/// the sign of F that it forbids into infeasibility.
void judge_row(double z, double F, double l, double u, Residual& r) {
  // std::min and std::max swallow a NaN in one of their arguments.
  raise(r.natural, std::isfinite(F) ? std::abs(natural_map(z, F, l, u)) : inf);
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
  return std::abs(natural_map(z_scale * z, F_scale * F, scaled(l, z_scale), scaled(u, z_scale)));
}

/// `size` holds |M||z| + |q|.
template <class Bound>
Residual judge_rows(const Vec& z, const Vec& F, const Vec& size, Bound bound,
                    const VelocityScale& scale) {
  const double factor = round_off_factor(z.size());
  Residual r;
  if (scale.z.size() > 0) r.physical = 0.0;
  for (Eigen::Index i = 0; i < z.size(); ++i) {
    const auto [l, u] = bound(i);
    judge_row(z[i], F[i], l, u, r);
    raise(r.round_off, row_error(z[i], F[i], l, u, factor * size[i]));
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

/// r − Π_K(r − u) = u + Π_{K°}(r − u) (Moreau), written so that a large r cannot swallow u. r
/// counts as on the cone's boundary where it is there up to its own rounding.
Row cone_map(const Row& r, const Row& u, double mu) {
  const Row x = r - u;
  const Eigen::Vector2d r_t = r.tail<2>(), u_t = u.tail<2>(), x_t = x.tail<2>();
  const double tangent = r_t.norm(), x_tangent = x_t.norm(), both = x_tangent + tangent;
  double outside = tangent - mu * r[0];  // of r, times √(1 + μ²)
  if (std::abs(outside) <= 4.0 * epsilon * (tangent + mu * std::abs(r[0]))) outside = 0.0;
  // ‖x_t‖ − ‖r_t‖ without their difference, and x_n = r_n − u_n
  outside += (both > 0.0 ? (u_t - 2.0 * r_t).dot(u_t) / both : 0.0) + mu * u[0];
  if (outside <= 0.0) return u;                // x ∈ K
  if (mu * x_tangent + x[0] <= 0.0) return r;  // x ∈ K°
  Row map = u;
  map[0] -= mu * outside / (1.0 + mu * mu);
  map.tail<2>() += outside / ((1.0 + mu * mu) * x_tangent) * x_t;
  return map;
}

/// −Π_K(−u) is what u lacks to be in K* (Moreau), so ‖Π_K(−u)‖ is its distance to K*.
double distance_to_dual(const Row& u, double mu) { return project_to_cone(-u, mu).norm(); }

void judge_contact(const Row& r, Row u, double mu, double W_nn, Residual& residual) {
  u[0] += mu * u.tail<2>().norm();  // de Saxcé
  if (!r.allFinite() || !u.allFinite()) {
    residual = worst();
    return;
  }
  const Row map = cone_map(r, u, mu);
  if (!map.allFinite()) {
    residual = worst();
    return;
  }
  raise(residual.natural, map.cwiseAbs().maxCoeff());
  raise(residual.infeasibility, (r - project_to_cone(r, mu)).norm());
  raise(residual.infeasibility, distance_to_dual(u, mu));
  raise(residual.complementarity, std::abs(r.dot(u)));
  if (W_nn > 0.0 && residual.physical)
    raise(*residual.physical, cone_map(W_nn * r, u, mu).cwiseAbs().maxCoeff());
  else
    residual.physical.reset();  // a contact that no impulse can move has no velocity scale
}

struct Referee {
  const Vec& z;
  RefereeWorkspace& work;

  Residual operator()(const Lcp& p) const {
    evaluate(p.M, p.q);
    const auto bounds = [](Eigen::Index) { return std::pair{0.0, inf}; };
    Residual r = judge_rows(z, work.F, work.size, bounds, p.scale);
    r.data = max_norm(p.q);
    return r;
  }

  Residual operator()(const Mlcp& p) const {
    evaluate(p.M, p.q);
    const auto bounds = [&](Eigen::Index i) { return std::pair{p.l[i], p.u[i]}; };
    Residual r = judge_rows(z, work.F, work.size, bounds, p.scale);
    r.data = max_norm(p.q);
    if (!keep_what_is_at_bounds(p.l, p.u)) return r;
    p.M.multiply(work.at_bounds, work.F);
    work.F += p.q;
    r.data = std::max(r.data, max_norm(work.F));
    return r;
  }

  Residual operator()(const Mcp& p) const {
    work.F.resize(z.size());
    p.function->evaluate(z, work.F);
    if (work.F.size() != z.size() || !work.F.allFinite()) return worst();
    p.function->jacobian(z, work.J);
    work.size = work.F.cwiseAbs();
    for (Eigen::Index j = 0; j < work.J.outerSize(); ++j)
      for (SpMat::InnerIterator it(work.J, j); it && z[j] != 0.0; ++it)
        work.size[it.row()] += 2.0 * std::abs(it.value() * z[j]);  // |J||z|, and |q| ≤ |F| + |J||z|
    const auto bounds = [&](Eigen::Index i) { return std::pair{p.l[i], p.u[i]}; };
    Residual r = judge_rows(z, work.F, work.size, bounds, p.scale);
    keep_what_is_at_bounds(p.l, p.u);
    for (Eigen::Index j = 0; j < work.J.outerSize(); ++j) {
      const double change = work.at_bounds[j] - z[j];
      for (SpMat::InnerIterator it(work.J, j); it && change != 0.0; ++it)
        work.F[it.row()] += it.value() * change;
    }
    r.data = max_norm(work.F);
    return r;
  }

  Residual operator()(const Qp& p) const {
    const Vec x = z.head(p.c.size()), y = z.tail(p.l.size());
    Vec gradient, Ax;
    p.P.multiply(x, gradient);
    p.A.multiply_transposed(y, work.F);
    gradient += p.c + work.F;
    p.A.multiply(x, Ax);
    if (!gradient.allFinite() || !Ax.allFinite() || !y.allFinite()) return worst();

    Residual r;
    r.data = max_norm(p.c);
    r.natural = max_norm(gradient);
    work.size = p.c.cwiseAbs();
    p.P.add_term_size(x, work.size);
    p.A.add_term_size_transposed(y, work.size);
    r.round_off = round_off_factor(z.size()) * max_norm(work.size);
    work.size.setZero(y.size());
    p.A.add_term_size(x, work.size);
    for (Eigen::Index i = 0; i < y.size(); ++i) judge_constraint(p, Ax[i], y[i], i, r);
    return r;
  }

  void judge_constraint(const Qp& p, double Ax, double y, Eigen::Index i, Residual& r) const {
    const double l = p.l[i], u = p.u[i], projected = mid(l, u, Ax + y);
    raise(r.natural, std::abs(natural_map(Ax, -y, l, u)));
    raise(r.infeasibility, positive(l - Ax));
    raise(r.infeasibility, positive(Ax - u));
    raise(r.complementarity, gap_product(Ax - l, positive(-y)));
    raise(r.complementarity, gap_product(u - Ax, positive(y)));
    if (projected != l && projected != u) return;
    raise(r.round_off, round_off_factor(p.c.size()) * (work.size[i] + std::abs(projected)));
    raise(r.data, std::abs(projected));
  }

  Residual operator()(const FrictionContact& p) const {
    evaluate(p.W, p.q);
    const double factor = round_off_factor(z.size());
    Residual residual;
    residual.physical = 0.0;
    residual.data = max_norm(p.q);
    for (Eigen::Index i = 0; i < p.mu.size(); ++i) {
      const Eigen::Index k = i * p.dim;
      const double W_nn = p.W.is_sparse() ? p.W.sparse().coeff(k, k) : p.W.dense()(k, k);
      judge_contact(row_of(z, k, p.dim), row_of(work.F, k, p.dim), p.mu[i], W_nn, residual);
      raise(residual.round_off, factor * (1.0 + p.mu[i]) * work.size.segment(k, p.dim).maxCoeff());
    }
    return residual;
  }

  /// F = Mz + q and size = |M||z| + |q|.
  void evaluate(const Matrix& M, const Vec& q) const {
    M.multiply(z, work.F);
    work.F += q;
    work.size = q.cwiseAbs();
    M.add_term_size(z, work.size);
  }

  /// z_B of the referee's header; false when it is zero.
  bool keep_what_is_at_bounds(const Vec& l, const Vec& u) const {
    work.at_bounds.setZero(z.size());
    bool any = false;
    for (Eigen::Index i = 0; i < z.size(); ++i) {
      const double projected = mid(l[i], u[i], z[i] - work.F[i]);
      if (projected != l[i] && projected != u[i]) continue;
      work.at_bounds[i] = projected;
      any = any || projected != 0.0;
    }
    return any;
  }

  /// gap · multiplier; a multiplier towards a bound that does not exist has no product to vanish,
  /// so it counts by itself.
  static double gap_product(double gap, double multiplier) {
    return gap == inf ? multiplier : std::abs(gap * multiplier);
  }
};

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
  RefereeWorkspace workspace;
  return residual(problem, z, workspace);
}

Residual residual(const Problem& problem, const Vec& z, RefereeWorkspace& workspace) {
  if (z.size() != unknowns(problem)) return worst();
  const Residual measured = std::visit(Referee{z, workspace}, problem);
  // A NaN or infinity anywhere leaves nothing to compare.
  const bool finite = measured.natural < inf && measured.infeasibility < inf &&
                      measured.complementarity < inf && measured.physical.value_or(0.0) < inf;
  return finite ? measured : worst();
}

double data_scale(const Problem& problem) { return std::visit(DataScale{}, problem); }

double round_off_factor(Eigen::Index n) { return 0.5 * epsilon * static_cast<double>(n + 2); }

bool hides_data(const Residual& residual, double bound) {
  return !(residual.round_off <= std::max(bound, std::sqrt(epsilon) * residual.data));
}

bool acceptable(const Residual& residual, double bound) {
  return residual.natural <= bound + residual.round_off && !hides_data(residual, bound);
}

}  // namespace touchstone

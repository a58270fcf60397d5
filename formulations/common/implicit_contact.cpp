/// The rows of one contact and their derivatives, in the paper's form and as projections.

#include <algorithm>
#include <cmath>

#include "formulations/common/implicit_step.hpp"
#include "formulations/common/rotation.hpp"

namespace touchstone {

namespace {

using Friction3 = Eigen::Matrix<double, Eigen::Dynamic, 1, Eigen::ColMajor, 3, 1>;
using Friction33 = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor, 3, 3>;

}  // namespace

void ContactGeometry::set_frame(int dim, const Vec3& axis, bool derivative) {
  if (dim == 2) {
    t = {n.y(), -n.x(), 0.0};
    o = n.cross(t);
    if (!derivative) return;
    D_t.resize(3, D_n.cols());
    D_t.row(0) = D_n.row(1);
    D_t.row(1) = -D_n.row(0);
    D_t.row(2).setZero();
    D_o.setZero(3, D_n.cols());
    return;
  }
  const double along = axis.dot(n);
  const Vec3 s = axis - along * n;
  const double length = s.norm();
  t = s / length;
  o = n.cross(t);
  if (!derivative) return;
  const Mat3 P = (Mat3::Identity() - t * t.transpose()) / length;
  const Mat3 from_n = -P * (n * axis.transpose() + along * Mat3::Identity());
  D_t.noalias() = from_n * D_n;
  D_o.noalias() = (cross_matrix(n) * from_n - cross_matrix(t)) * D_n;
}

void ImplicitStep::contact_rows(const Place& place, const Vec& z, Form form, bool derivative,
                                ContactRows& local) const {
  const auto i = static_cast<std::size_t>(&place - places_.data());
  const BodyEnd &a = end(place.a, place.start.a), &b = end(place.b, place.start.b);
  ContactGeometry& g = local.geometry;
  geometry(i, place, a, b, z.data() + place.first, derivative, g);
  g.gap += widening_ * place.widened;

  const double mu = friction_ * place.start.law->mu, p_n = z[place.p_n()];
  const int nf = place.n_friction, n_y = place.n_y;
  const Vec3 r_a = g.point - a.pose.x, r_b = g.point - b.pose.x;
  const Vec3 spin = a.twist.w - b.twist.w;
  const Vec3 u = a.twist.v + a.twist.w.cross(r_a) - b.twist.v - b.twist.w.cross(r_b);

  // Impulse, and the velocities u_k that are conjugate to its components.
  Friction3 p(nf), u_f(nf), e(nf);
  Vec3 moment = Vec3::Zero();
  local.force = p_n * g.n;
  double p_t = 0.0, p_o = 0.0, p_r = 0.0;
  for (int k = 0; k < nf; ++k) {
    p[k] = z[place.p_f(k)];
    e[k] = place.weight[static_cast<std::size_t>(k)];
    switch (place.component[static_cast<std::size_t>(k)]) {
      case 0:
        p_t = p[k];
        u_f[k] = g.t.dot(u);
        break;
      case 1:
        p_o = p[k];
        u_f[k] = g.o.dot(u);
        break;
      default:
        p_r = p[k];
        u_f[k] = g.n.dot(spin);
    }
  }
  local.force += p_t * g.t + p_o * g.o;
  moment = p_r * g.n;
  local.torque_a = r_a.cross(local.force) + moment;
  local.torque_b = r_b.cross(local.force) + moment;

  // Rows. Friction rows are linear in u_f with the matrix C_u, beside their own unknowns.
  const int size = place.size(), normal = n_y, friction = n_y + 1, slip = n_y + 1 + nf;
  const int own = pose_columns;  // first own column
  const int columns = own + size;
  local.rows.resize(size);
  local.rows.head(n_y) = g.equations;
  if (derivative) {
    local.D.setZero(wrench_rows + size, columns);
    local.D.block(wrench_rows, 0, n_y, own + n_y) = g.D_equations;
  }
  std::array<double, max_geometric> lower;
  lower.fill(-1.0);
  const auto row = [&](int k) { return local.D.row(wrench_rows + k); };

  if (form == Form::paper) {
    local.rows[normal] = g.gap;
    if (derivative) row(normal).head(own + n_y) = g.D_gap;
    if (nf > 0) {
      const double sigma = z[place.sigma()];
      local.rows.segment(friction, nf) =
          mu * p_n * e.cwiseAbs2().cwiseProduct(u_f) + sigma * p;                 // (10)
      local.rows[slip] = mu * mu * p_n * p_n - p.cwiseQuotient(e).squaredNorm();  // (11)
      if (derivative) {
        local.C_u = (mu * p_n * e.cwiseAbs2()).asDiagonal();
        for (int k = 0; k < nf; ++k) {
          row(friction + k)[own + normal] = mu * e[k] * e[k] * u_f[k];
          row(friction + k)[own + friction + k] = sigma;
          row(friction + k)[own + slip] = p[k];
          row(slip)[own + friction + k] = -2.0 * p[k] / (e[k] * e[k]);
        }
        row(slip)[own + normal] = 2.0 * mu * mu * p_n;
      }
    }
  } else {
    bounds(i, place, lower.data());
    for (int k = 0; k < n_y; ++k) {  // y_k ≥ 0 ⊥ its equation
      if (lower[static_cast<std::size_t>(k)] != 0.0) continue;
      const double y = z[place.first + k];
      if (y > local.rows[k]) continue;
      local.rows[k] = y;
      if (!derivative) continue;
      row(k).setZero();
      row(k)[own + k] = 1.0;
    }
    const double speed = 1.0 / (h_ * gap_scale(i, place));  // turns a gap into a velocity
    if (place.A_n * p_n > speed * g.gap) {
      local.rows[normal] = speed * g.gap;
      if (derivative) row(normal).head(own + n_y) = speed * g.D_gap;
    } else {
      local.rows[normal] = place.A_n * p_n;
      if (derivative) row(normal)[own + normal] = place.A_n;
    }
    if (nf > 0) {
      double mass = 0.0;  // 1/ρ
      for (int k = 0; k < nf; ++k)
        mass = std::max(mass, e[k] * e[k] * place.A_f[static_cast<std::size_t>(k)]);
      const Friction3 y = p.cwiseQuotient(e) - e.cwiseProduct(u_f) / mass;
      const double radius = mu * std::max(p_n, 0.0), length = y.norm();
      local.rows[slip] = 0.0;
      if (derivative) row(slip)[own + slip] = 1.0;
      if (radius > 0.0 && length <= radius) {  // sticks
        local.rows.segment(friction, nf) = e.cwiseProduct(u_f);
        if (derivative) local.C_u = e.asDiagonal();
      } else {
        const Friction3 direction = length > 0.0 ? Friction3(y / length) : Friction3(0.0 * y);
        const double shrink = length > 0.0 ? radius / length : 0.0;
        local.rows.segment(friction, nf) = mass * (p.cwiseQuotient(e) - radius * direction);
        if (derivative) {
          const Friction33 S =
              shrink * (Friction33::Identity(nf, nf) - direction * direction.transpose());
          local.C_u = S * e.asDiagonal();
          for (int k = 0; k < nf; ++k) {
            for (int j = 0; j < nf; ++j)
              row(friction + k)[own + friction + j] = mass * ((k == j) - S(k, j)) / e[j];
            row(friction + k)[own + normal] = p_n > 0.0 ? -mass * mu * direction[k] : 0.0;
          }
        }
      }
    }
  }
  if (!derivative) return;

  // Derivatives of the impulse and its torques.
  const int geometric = own + n_y;
  const auto D_point_a = [&] {
    Columns3 D = g.D_point;
    D.leftCols<3>() -= Mat3::Identity();
    return D;
  }();
  const auto D_point_b = [&] {
    Columns3 D = g.D_point;
    D.middleCols<3>(6) -= Mat3::Identity();
    return D;
  }();
  auto D_force = local.D.block(0, 0, 3, columns);
  D_force.leftCols(geometric) = p_n * g.D_n + p_t * g.D_t + p_o * g.D_o;
  D_force.col(own + normal) = g.n;
  const auto torque = [&](int first, const Vec3& r, const Columns3& D_r) {
    auto D = local.D.block(first, 0, 3, columns);
    D.noalias() = cross_matrix(r) * D_force;
    D.leftCols(geometric) += p_r * g.D_n - cross_matrix(local.force) * D_r;
  };
  for (int k = 0; k < nf; ++k) {
    const int component = place.component[static_cast<std::size_t>(k)];
    if (component < 2) D_force.col(own + friction + k) = component == 0 ? g.t : g.o;
  }
  torque(3, r_a, D_point_a);
  torque(6, r_b, D_point_b);

  // Friction rows through u_f.
  local.W.resize(nf, 12);
  Columns3 D_u;
  if (nf > 0) D_u = cross_matrix(a.twist.w) * D_point_a - cross_matrix(b.twist.w) * D_point_b;
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor, 3,
                pose_columns + max_geometric>
      D_uf(nf, geometric);
  for (int k = 0; k < nf; ++k) {
    const int component = place.component[static_cast<std::size_t>(k)];
    if (component == 2) {
      local.D.block(3, own + friction + k, 3, 1) = g.n;
      local.D.block(6, own + friction + k, 3, 1) = g.n;
      D_uf.row(k) = spin.transpose() * g.D_n;
      local.W.row(k) << 0.0, 0.0, 0.0, g.n.transpose(), 0.0, 0.0, 0.0, -g.n.transpose();
    } else {
      const Vec3& d = component == 0 ? g.t : g.o;
      D_uf.row(k) = u.transpose() * (component == 0 ? g.D_t : g.D_o) + d.transpose() * D_u;
      local.W.row(k) << d.transpose(), r_a.cross(d).transpose(), -d.transpose(),
          -r_b.cross(d).transpose();
    }
  }
  local.D.block(wrench_rows + friction, 0, nf, geometric) += local.C_u * D_uf;
}

}  // namespace touchstone

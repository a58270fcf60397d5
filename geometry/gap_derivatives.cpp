#include "geometry/gap_derivatives.hpp"

#include <fmt/format.h>

#include <cmath>

namespace touchstone {

namespace {

/// Tangent spaces have D = dim − 1 directions.
template <int D>
using Tangent = Eigen::Matrix<double, 3, D>;
template <int D>
using Shape = Eigen::Matrix<double, D, D>;
template <int D>
using Rows = Eigen::Matrix<double, D, 12, D == 1 ? Eigen::RowMajor : Eigen::ColMajor>;
using Columns = GapDerivatives::Columns;

Mat3 cross(const Vec3& v) {
  return (Mat3() << 0.0, -v.z(), v.y(), v.z(), 0.0, -v.x(), -v.y(), v.x(), 0.0).finished();
}

template <int D>
Tangent<D> tangents(const Vec3& n) {
  Tangent<D> T;
  if constexpr (D == 1) {
    T << -n.y(), n.x(), 0.0;
  } else {
    T.col(0) = n.unitOrthogonal();
    T.col(1) = n.cross(T.col(0));
  }
  return T;
}

/// The surface of the set that the point lies on. Others count as meeting it within this part of
/// the size of the set.
constexpr double meeting = 1e-9;

struct Surface {
  Vec3 outward;  // unit, in the world
  Mat3 H;        // Hessian/|gradient|, in the world [1/m]
};

Surface surface_at(const char* which, const ConvexSet& set, const Pose& pose, const Vec3& point) {
  const Vec3 x = pose.to_body(point);
  int on = 0;
  double most = -std::numeric_limits<double>::infinity(), next = most;
  for (int j = 0; j < set.count(); ++j) {
    const double height = set.value(j, x) / set.gradient(j, x).norm();
    if (height > most)
      next = most, most = height, on = j;
    else
      next = std::max(next, height);
  }
  const double size = set.bounded() ? set.radius() : 1.0 + x.norm();
  if (next > -meeting * size)
    throw SingularGap(fmt::format(
        "gap derivatives: several surfaces of {} ({}) meet at its closest point ({}, {}, {})",
        which, set.kind(), point.x(), point.y(), point.z()));
  const Vec3 g = set.gradient(on, x);
  const double length = g.norm();
  return {pose.R * g / length, pose.R * set.hessian(on, x) * pose.R.transpose() / length};
}

void check_closest(const Surface& a, const Surface& b, const Vec3& d, const Vec3& n) {
  const double off = std::max({std::abs(n.norm() - 1.0), (a.outward + n).norm(),
                               (b.outward - n).norm(), (d - n.dot(d) * n).norm()});
  if (!(off <= 1e-6))
    throw std::invalid_argument(fmt::format(
        "gap derivatives: the points do not solve the closest-point equations, residual {}", off));
}

/// K⁻¹ of (iv); throws where K is singular.
template <int D>
Shape<D> inverse(const Shape<D>& Sa, const Shape<D>& Sb, double gap, double size) {
  const Shape<D> K = Sa + Sb + gap * Sa * Sb;
  const double norm = K.norm();
  const double smallest = D == 1 ? norm : norm > 0.0 ? std::abs(K.determinant()) / norm : 0.0;
  if (!(smallest > 1e-12 * (Sa.norm() + Sb.norm() + 1.0 / size)))
    throw SingularGap(
        fmt::format("gap derivatives: the surfaces conform at the closest points, or the "
                    "penetration reaches a centre of curvature (smallest curvature {:.3g} 1/m)",
                    smallest));
  return K.inverse();
}

struct Place {
  Vec3 n, r_a, r_b;
  double gap, size;
};

template <int D>
GapDerivatives differentiate(const Surface& a, const Surface& b, const Place& at) {
  const Tangent<D> T = tangents<D>(at.n);
  const Shape<D> Sa = T.transpose() * a.H * T, Sb = T.transpose() * b.H * T;
  const Shape<D> K_inverse = inverse<D>(Sa, Sb, at.gap, at.size);

  Columns u_a = Columns::Zero(), u_b = Columns::Zero();        // u_X
  Columns turn_a = Columns::Zero(), turn_b = Columns::Zero();  // δθ_X × n
  u_a.leftCols<3>().setIdentity();
  u_a.middleCols<3>(3) = -cross(at.r_a);
  u_b.middleCols<3>(6).setIdentity();
  u_b.middleCols<3>(9) = -cross(at.r_b);
  turn_a.middleCols<3>(3) = turn_b.middleCols<3>(9) = -cross(at.n);
  const Rows<D> k_a = T.transpose() * turn_a, k_b = T.transpose() * turn_b;
  const Rows<D> sigma = T.transpose() * (u_a - u_b);

  const Rows<D> beta = K_inverse * (k_a - k_b - Sa * (at.gap * k_b - sigma));  // (iv)
  const Rows<D> tau = k_b + Sb * beta;                                         // (ii)
  const Rows<D> alpha = beta + at.gap * tau - sigma;                           // (iii)

  GapDerivatives out;
  out.gap = at.gap;
  out.gradient << at.n, at.r_a.cross(at.n), -at.n, -at.r_b.cross(at.n);
  out.D_normal = T * tau;
  out.D_on_a = u_a + T * alpha;
  out.D_on_b = u_b + T * beta;
  Columns D_ra = out.D_on_a, D_rb = out.D_on_b;
  D_ra.leftCols<3>() -= Mat3::Identity();
  D_rb.middleCols<3>(6) -= Mat3::Identity();
  GapDerivatives::Matrix M;
  M.middleRows<3>(0) = out.D_normal;
  M.middleRows<3>(3) = cross(at.r_a) * out.D_normal - cross(at.n) * D_ra;
  M.middleRows<3>(6) = -out.D_normal;
  M.middleRows<3>(9) = -cross(at.r_b) * out.D_normal + cross(at.n) * D_rb;
  out.hessian = 0.5 * (M + M.transpose());
  if (D == 1) {  // no motion leaves the plane
    for (int i : {2, 3, 4, 8, 9, 10}) {
      out.gradient[i] = 0.0;
      out.hessian.row(i).setZero();
      out.hessian.col(i).setZero();
      for (Columns* columns : {&out.D_normal, &out.D_on_a, &out.D_on_b}) columns->col(i).setZero();
    }
  }
  return out;
}

}  // namespace

GapDerivatives gap_derivatives(const ConvexSet& A, const Pose& pose_a, const ConvexSet& B,
                               const Pose& pose_b, const Vec3& on_a, const Vec3& on_b,
                               const Vec3& normal) {
  if (A.dim() != B.dim())
    throw std::logic_error(
        fmt::format("gap derivatives: A has dimension {} and B {}", A.dim(), B.dim()));
  const Surface a = surface_at("A", A, pose_a, on_a), b = surface_at("B", B, pose_b, on_b);
  check_closest(a, b, on_a - on_b, normal);
  const double radius = std::min(A.radius(), B.radius());
  const Place at{normal, on_a - pose_a.x, on_b - pose_b.x, normal.dot(on_a - on_b),
                 std::isfinite(radius) ? radius : 1.0};
  return A.dim() == 2 ? differentiate<1>(a, b, at) : differentiate<2>(a, b, at);
}

}  // namespace touchstone

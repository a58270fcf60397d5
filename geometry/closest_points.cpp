#include "geometry/closest_points.hpp"

#include <fmt/format.h>

#include <stdexcept>
#include <typeinfo>

#include "geometry/shapes.hpp"

namespace touchstone {

namespace {

/// Directions s is tried at: the last axis of the frame, then both ways along the principal axes.
template <int K>
Eigen::Matrix<double, K, 1> best_axis(const SupportGap<K>& gap) {
  using Vec = typename SupportGap<K>::Vec;
  Vec best = Vec::Unit(K - 1);
  double most = gap.value(best);
  // An axis must win clearly: among equals the first stays, whatever the roundoff.
  const double clear = 1e-12 * gap.scale();
  for (const auto* L : {&gap.LA, &gap.LB}) {
    for (int row = 0; row < 3; ++row) {
      const Vec axis = L->row(row).transpose();
      const double length = axis.norm();
      if (!(length > 0.0)) continue;
      for (double sign : {1.0, -1.0}) {
        const Vec n = sign / length * axis;
        const double s = gap.value(n);
        if (s > most + clear) most = s, best = n;
      }
    }
  }
  return best;
}

template <int K>
GapMaximum<K> solve(const SupportGap<K>& gap, const Eigen::Matrix<double, K, 1>& start) {
  const double length = start.norm();
  GapMaximum<K> from_start;
  if (length > 0.0) {
    from_start = maximise(gap, (start / length).eval());
    if (from_start.s > 0.0) return from_start;  // separated: the maximum is unique
  }
  GapMaximum<K> found;
  if (gap.p.norm() > 1e-14 * gap.scale()) {
    found = maximise(gap, touching_direction(gap));
    if (found.s > 0.0) return found;
  }
  if (length > 0.0) return from_start;
  const GapMaximum<K> other = maximise(gap, best_axis(gap));
  return other.s > found.s + 1e-12 * gap.scale() ? other : found;
}

template <int K>
ClosestPoints solve_bodies(const SmoothBody& A, const SmoothBody& B, const Vec3& start) {
  SupportGap<K> gap;
  gap.p = (A.x - B.x).template head<K>();
  gap.LA = A.L.template leftCols<K>();
  gap.LB = B.L.template leftCols<K>();
  const GapMaximum<K> found = solve<K>(gap, start.template head<K>());
  ClosestPoints c;
  c.normal.template head<K>() = found.n;
  c.on_a = A.support(-c.normal);
  c.on_b = B.support(c.normal);
  c.gap = found.s;
  c.residual = found.residual;
  c.iterations = found.iterations;
  return c;
}

}  // namespace

bool is_smooth(const ConvexSet& set) {
  return typeid(set) == typeid(Ball) || typeid(set) == typeid(Ellipsoid);
}

SmoothBody smooth_body(const ConvexSet& set, const Pose& pose) {
  Vec3 axes;
  if (typeid(set) == typeid(Ball))
    axes = Vec3(set.radius(), set.radius(), set.dim() == 3 ? set.radius() : 0.0);
  else if (typeid(set) == typeid(Ellipsoid))
    axes = static_cast<const Ellipsoid&>(set).semi_axes();
  else
    throw std::logic_error(fmt::format(
        "closest points: {} is not smooth, expected a ball or an ellipsoid", set.kind()));
  return {pose.x, axes.asDiagonal() * pose.R.transpose()};
}

ClosestPoints closest_points(const ConvexSet& A, const Pose& pose_a, const ConvexSet& B,
                             const Pose& pose_b, const Vec3& start) {
  if (A.dim() != B.dim())
    throw std::logic_error(
        fmt::format("closest points: A has dimension {} and B {}", A.dim(), B.dim()));
  const SmoothBody a = smooth_body(A, pose_a), b = smooth_body(B, pose_b);
  return A.dim() == 2 ? solve_bodies<2>(a, b, start) : solve_bodies<3>(a, b, start);
}

}  // namespace touchstone

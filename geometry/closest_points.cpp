#include "geometry/closest_points.hpp"

#include <fmt/format.h>

#include <limits>
#include <stdexcept>
#include <typeinfo>

#include "geometry/expanding_polytope.hpp"
#include "geometry/kkt_points.hpp"
#include "geometry/shapes.hpp"
#include "geometry/smooth_polytope.hpp"

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

/// Overlaps deeper than this part of the smallest semi-axis may have several local depths.
constexpr double deep = 0.2;

template <int K>
double smallest_axis(const SupportGap<K>& gap) {
  double least = std::numeric_limits<double>::infinity();
  for (const auto* L : {&gap.LA, &gap.LB})
    for (int row = 0; row < K; ++row) least = std::min(least, L->row(row).norm());
  return least;
}

/// From the best direction of the expanding polytope, which no local depth misleads.
template <int K>
GapMaximum<K> deepest(const SupportGap<K>& gap) {
  using Vec = typename SupportGap<K>::Vec;
  auto lifted = [](const Vec& x) {
    Vec3 y = Vec3::Zero();
    y.template head<K>() = x;
    return y;
  };
  const PairSupport support = [&](const Vec3& d) -> SupportPair {
    const Vec n = d.template head<K>();
    return {lifted(gap.p + SupportGap<K>::support(gap.LA, n)),
            lifted(-SupportGap<K>::support(gap.LB, n))};
  };
  const Penetration found = expanding_polytope(support, K, 1e-4 * gap.scale());
  return maximise(gap, Vec(found.n.template head<K>().normalized()));
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
  const double clear = 1e-12 * gap.scale();
  const GapMaximum<K> other = maximise(gap, best_axis(gap));
  if (other.s > found.s + clear) found = other;
  if (found.s > -deep * smallest_axis(gap)) return found;
  const GapMaximum<K> third = deepest(gap);
  return third.s > found.s + clear ? third : found;
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
  if (!(c.residual <= 1e-11 * gap.scale())) c.status = ClosestStatus::inaccurate;
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

namespace {

const HalfSpace* half_space(const ConvexSet& set) {
  return typeid(set) == typeid(HalfSpace) ? static_cast<const HalfSpace*>(&set) : nullptr;
}

const Polytope* polytope(const ConvexSet& set) {
  return typeid(set) == typeid(Polytope) ? static_cast<const Polytope*>(&set) : nullptr;
}

ClosestPoints mirrored(ClosestPoints c) {
  std::swap(c.on_a, c.on_b);
  std::swap(c.active_a, c.active_b);
  c.normal = -c.normal;
  return c;
}

void check(const ConvexSet& A, const ConvexSet& B) {
  if (A.dim() != B.dim())
    throw std::logic_error(
        fmt::format("closest points: A has dimension {} and B {}", A.dim(), B.dim()));
  if (!A.bounded() && !B.bounded())
    throw std::logic_error(
        fmt::format("closest points: {} and {} are both unbounded", A.kind(), B.kind()));
  for (const ConvexSet* set : {&A, &B})
    if (!set->bounded() && !half_space(*set))
      throw std::logic_error(fmt::format(
          "closest points: {} is unbounded, expected a bounded set or a half-space", set->kind()));
}

/// The one surface of a smooth set: l = 1/|∇f|.
ActiveSurfaces only_surface(const ConvexSet& set, const Vec3& x) {
  return {1, {0}, {1.0 / set.gradient(0, x).norm()}};
}

ClosestPoints to_half_space(const ConvexSet& A, const Pose& pose_a, const HalfSpace& H,
                            const Pose& pose_h) {
  ClosestPoints c;
  c.normal = pose_h.R * H.normal();
  c.on_a = pose_a.to_world(A.support(-(pose_a.R.transpose() * c.normal)));
  c.gap = c.normal.dot(c.on_a - pose_h.x) - H.offset();
  c.on_b = c.on_a - c.gap * c.normal;
  c.active_b = {1, {0}, {1.0}};
  if (A.count() == 1) c.active_a = only_surface(A, pose_a.to_body(c.on_a));
  return c;
}

/// A ball or an ellipsoid against a polytope. Deep overlaps, and points beside the polytope on its
/// supporting plane, are searched again in all directions.
ClosestPoints to_polytope(const ConvexSet& A, const Pose& pose_a, const Polytope& P,
                          const Pose& pose_p) {
  ClosestPoints c;
  if (typeid(A) == typeid(Ball)) {
    c = ball_polytope(pose_p.to_body(pose_a.x), A.radius(), P);
  } else {
    const Pose in_p{pose_p.to_body(pose_a.x), pose_p.R.transpose() * pose_a.R};
    const SmoothBody E = smooth_body(A, in_p);
    c = ellipsoid_polytope(E, P);
    double least = std::numeric_limits<double>::infinity();
    for (int i = 0; i < P.dim(); ++i) least = std::min(least, E.L.row(i).norm());
    const double roundoff = 1e-11 * (A.radius() + P.radius());
    const bool beside = P.largest_value(c.on_b) > roundoff;
    if (beside || c.gap < -deep * least) {
      const ClosestPoints again = general_closest_points(A, in_p, P, {}, Vec3::Zero());
      const bool better = again.gap > c.gap + roundoff;
      if (again.status == ClosestStatus::solved && (beside || better)) c = again;
    }
  }
  c.on_a = pose_p.to_world(c.on_a);
  c.on_b = pose_p.to_world(c.on_b);
  c.normal = pose_p.R * c.normal;
  c.active_a = only_surface(A, pose_a.to_body(c.on_a));
  return c;
}

}  // namespace

ClosestPoints closest_points(const ConvexSet& A, const Pose& pose_a, const ConvexSet& B,
                             const Pose& pose_b, const Vec3& start) {
  if (is_smooth(A) && is_smooth(B) && A.dim() == B.dim()) {
    const SmoothBody a = smooth_body(A, pose_a), b = smooth_body(B, pose_b);
    ClosestPoints c = A.dim() == 2 ? solve_bodies<2>(a, b, start) : solve_bodies<3>(a, b, start);
    c.active_a = only_surface(A, pose_a.to_body(c.on_a));
    c.active_b = only_surface(B, pose_b.to_body(c.on_b));
    return c;
  }
  check(A, B);
  if (const auto* H = half_space(B)) return to_half_space(A, pose_a, *H, pose_b);
  if (const auto* H = half_space(A)) return mirrored(to_half_space(B, pose_b, *H, pose_a));
  if (const auto* P = polytope(B); P && is_smooth(A)) return to_polytope(A, pose_a, *P, pose_b);
  if (const auto* P = polytope(A); P && is_smooth(B))
    return mirrored(to_polytope(B, pose_b, *P, pose_a));
  return general_closest_points(A, pose_a, B, pose_b, start);
}

}  // namespace touchstone

#include "geometry/contact_points.hpp"

#include <fmt/format.h>

#include <cmath>
#include <stdexcept>
#include <typeinfo>

#include "geometry/closest_points.hpp"
#include "geometry/polytope_contacts.hpp"
#include "geometry/shapes.hpp"
#include "geometry/smooth_polytope.hpp"

namespace touchstone {

namespace {

/// All shapes are final, so that comparing types is enough (and faster than dynamic_cast).
template <class T>
const T* as(const ConvexSet& set) {
  return typeid(set) == typeid(T) ? static_cast<const T*>(&set) : nullptr;
}

void check_pose(const char* which, const Pose& pose, int dim) {
  if (!pose.x.allFinite() || !pose.R.allFinite())
    throw std::invalid_argument(
        fmt::format("contact points: the pose of {} is not finite: position ({}, {}, {})", which,
                    pose.x.x(), pose.x.y(), pose.x.z()));
  if (dim == 2 && pose.x.z() != 0.0)
    throw std::invalid_argument(
        fmt::format("contact points: planar set {} is at z = {}, expected 0", which, pose.x.z()));
}

void check(const ConvexSet& A, const Pose& pose_a, const ConvexSet& B, const Pose& pose_b,
           double margin) {
  if (A.dim() != B.dim())
    throw std::logic_error(
        fmt::format("contact points: A has dimension {} and B {}", A.dim(), B.dim()));
  if (!A.bounded() && !B.bounded())
    throw std::logic_error(
        fmt::format("contact points: {} and {} are both unbounded", A.kind(), B.kind()));
  if (!(margin >= 0.0))
    throw std::invalid_argument(
        fmt::format("contact points: margin is {}, expected a number ≥ 0", margin));
  check_pose("A", pose_a, A.dim());
  check_pose("B", pose_b, B.dim());
}

void keep(const ClosestPoints& c, double margin, std::vector<ContactPoint>& out) {
  if (c.gap <= margin) out.push_back({c.on_a, c.on_b, c.normal, c.gap, 0});
}

void ball_ball(const Ball& A, const Vec3& a, const Ball& B, const Vec3& b, double margin,
               std::vector<ContactPoint>& out) {
  const double distance = (a - b).norm();
  const double gap = distance - A.radius() - B.radius();
  if (gap > margin) return;
  // Concentric balls: every direction is as good; the last axis is the documented choice.
  const Vec3 n = distance > 0.0 ? Vec3((a - b) / distance) : Vec3(Vec3::Unit(A.dim() - 1));
  out.push_back({a - A.radius() * n, b + B.radius() * n, n, gap, 0});
}

void smooth_half_space(const ConvexSet& A, const Pose& pose_a, const HalfSpace& H,
                       const Pose& pose_h, double margin, std::vector<ContactPoint>& out) {
  const Vec3 n = pose_h.R * H.normal();
  const double centre = n.dot(pose_a.x - pose_h.x) - H.offset();
  if (centre - A.radius() > margin) return;
  const Vec3 a = A.support(-(pose_a.R.transpose() * n));
  const double gap = centre + (pose_a.R * a).dot(n);
  if (gap > margin) return;
  const Vec3 on_a = pose_a.to_world(a);
  out.push_back({on_a, on_a - gap * n, n, gap, 0});
}

void smooth_polytope(const ConvexSet& A, const Pose& pose_a, const Polytope& P, const Pose& pose_p,
                     double margin, std::vector<ContactPoint>& out) {
  ClosestPoints c;
  if (as<Ball>(A)) {
    c = ball_polytope(pose_p.to_body(pose_a.x), A.radius(), P);
  } else {
    const Pose in_p{pose_p.to_body(pose_a.x), pose_p.R.transpose() * pose_a.R};
    c = ellipsoid_polytope(smooth_body(A, in_p), P);
  }
  c.on_a = pose_p.to_world(c.on_a);
  c.on_b = pose_p.to_world(c.on_b);
  c.normal = pose_p.R * c.normal;
  keep(c, margin, out);
}

bool far_apart(const ConvexSet& A, const Pose& pose_a, const ConvexSet& B, const Pose& pose_b,
               double margin) {
  const double reach = A.radius() + B.radius() + margin;  // infinite for a half-space
  return (pose_a.x - pose_b.x).squaredNorm() > reach * reach;
}

/// False when this order of the two kinds is not the one implemented.
bool ordered(const ConvexSet& A, const Pose& pose_a, const ConvexSet& B, const Pose& pose_b,
             double margin, std::vector<ContactPoint>& out) {
  const auto* polytope_a = as<Polytope>(A);
  const bool smooth_a = !polytope_a && is_smooth(A);
  if (const auto* H = as<HalfSpace>(B)) {
    if (polytope_a) return polytope_half_space(*polytope_a, pose_a, *H, pose_b, margin, out), true;
    if (smooth_a) return smooth_half_space(A, pose_a, *H, pose_b, margin, out), true;
    return false;
  }
  if (const auto* P = as<Polytope>(B)) {
    if (polytope_a) return polytope_polytope(*polytope_a, pose_a, *P, pose_b, margin, out), true;
    if (smooth_a) return smooth_polytope(A, pose_a, *P, pose_b, margin, out), true;
    return false;
  }
  if (!smooth_a || !is_smooth(B)) return false;
  const auto *ball_a = as<Ball>(A), *ball_b = as<Ball>(B);
  if (ball_a && ball_b)
    ball_ball(*ball_a, pose_a.x, *ball_b, pose_b.x, margin, out);
  else
    keep(closest_points(A, pose_a, B, pose_b), margin, out);
  return true;
}

}  // namespace

void contact_points(const ConvexSet& A, const Pose& pose_a, const ConvexSet& B, const Pose& pose_b,
                    double margin, std::vector<ContactPoint>& out) {
  check(A, pose_a, B, pose_b, margin);
  if (far_apart(A, pose_a, B, pose_b, margin)) return;
  if (ordered(A, pose_a, B, pose_b, margin, out)) return;
  const std::size_t first = out.size();
  if (!ordered(B, pose_b, A, pose_a, margin, out))
    throw std::logic_error(
        fmt::format("contact points: no method for {} against {}", A.kind(), B.kind()));
  for (std::size_t i = first; i < out.size(); ++i) {
    std::swap(out[i].on_a, out[i].on_b);
    out[i].normal = -out[i].normal;
  }
}

}  // namespace touchstone

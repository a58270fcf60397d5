#include "geometry/contact_points.hpp"

#include <fmt/format.h>

#include <cmath>
#include <stdexcept>
#include <typeinfo>

#include "geometry/closest_points.hpp"
#include "geometry/contact_region.hpp"
#include "geometry/polytope_contacts.hpp"
#include "geometry/shapes.hpp"
#include "geometry/supporting_points.hpp"

namespace touchstone {

namespace {

/// All shapes are final, so that comparing types is enough (and faster than dynamic_cast).
template <class T>
const T* as(const ConvexSet& set) {
  return typeid(set) == typeid(T) ? static_cast<const T*>(&set) : nullptr;
}

/// Faces and lines take part in a contact while they are tilted by less than 15° against it.
constexpr double cos_flat = 0.96592582628906831;

/// Sets that can touch along a line or a face: those of several surfaces.
bool flat(const ConvexSet& set) { return set.count() > 1; }

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
  for (const ConvexSet* set : {&A, &B})
    if (!set->bounded() && !as<HalfSpace>(*set))
      throw std::logic_error(fmt::format(
          "contact points: {} is unbounded, expected a bounded set or a half-space", set->kind()));
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

/// Every point that spans the lowest face, edge or line of A; one for a strictly convex set.
void to_half_space(const ConvexSet& A, const Pose& pose_a, const HalfSpace& H, const Pose& pose_h,
                   double margin, std::vector<ContactPoint>& out) {
  const Vec3 n = pose_h.R * H.normal();
  const double centre = n.dot(pose_a.x - pose_h.x) - H.offset();
  if (centre - A.radius() > margin) return;
  thread_local std::vector<Vec3> lowest;
  lowest.clear();
  supporting_points(A, -(pose_a.R.transpose() * n), cos_flat, lowest);
  for (std::size_t i = 0; i < lowest.size(); ++i) {
    const double gap = centre + (pose_a.R * lowest[i]).dot(n);
    if (gap > margin) continue;
    const Vec3 on_a = pose_a.to_world(lowest[i]);
    out.push_back({on_a, on_a - gap * n, n, gap, static_cast<int>(i)});
  }
}

/// The best points of the search are within its last tolerance, 1e-12 of the size, where Newton's
/// method finds no better ones; anything worse is no contact to simulate with.
void check_solved(const ConvexSet& A, const ConvexSet& B, const ClosestPoints& c) {
  if (c.status == ClosestStatus::solved) return;
  const double scale = A.radius() + B.radius();
  if (std::isfinite(c.gap) && c.residual <= 1e-8 * scale) return;
  throw std::runtime_error(fmt::format(
      "contact points: the closest points of {} and {} were not found: residual {} m, gap {} m",
      A.kind(), B.kind(), c.residual, c.gap));
}

/// Feature of the closest points where no corner of the region attains them: no pair of faces of
/// two loops has it.
constexpr int closest_feature = 129 * 129;

/// The points of A and B that span the faces which meet, or the closest points alone.
void general(const ConvexSet& A, const Pose& pose_a, const ConvexSet& B, const Pose& pose_b,
             double margin, std::vector<ContactPoint>& out) {
  const ClosestPoints c = closest_points(A, pose_a, B, pose_b);
  check_solved(A, B, c);
  if (c.gap > margin) return;
  const std::size_t first = out.size();
  if (!flat(A) || !flat(B)) return keep(c, margin, out);
  const Face face_a = supporting_face(A, pose_a, -c.normal, cos_flat);
  const Face face_b = supporting_face(B, pose_b, c.normal, cos_flat);
  const double scale = A.radius() + B.radius();
  const FaceNumbers loops = loop_numbers();
  bool attained = false;
  for (const ContactPoint& p :
       contact_region(A.dim(), face_a, loops, face_b, loops, c.normal, scale)) {
    attained = attained || p.gap <= c.gap + 1e-10 * scale;
    if (p.gap <= margin) out.push_back(p);
  }
  if (!attained)
    out.insert(out.begin() + static_cast<std::ptrdiff_t>(first),
               {c.on_a, c.on_b, c.normal, c.gap, closest_feature});
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
  if (const auto* H = as<HalfSpace>(B)) {
    if (polytope_a)
      polytope_half_space(*polytope_a, pose_a, *H, pose_b, margin, out);
    else
      to_half_space(A, pose_a, *H, pose_b, margin, out);
    return true;
  }
  if (!A.bounded()) return false;
  const auto* polytope_b = as<Polytope>(B);
  const auto *ball_a = as<Ball>(A), *ball_b = as<Ball>(B);
  if (polytope_a && polytope_b)
    polytope_polytope(*polytope_a, pose_a, *polytope_b, pose_b, margin, out);
  else if (ball_a && ball_b)
    ball_ball(*ball_a, pose_a.x, *ball_b, pose_b.x, margin, out);
  else
    general(A, pose_a, B, pose_b, margin, out);
  return true;
}

}  // namespace

void contact_points(const ConvexSet& A, const Pose& pose_a, const ConvexSet& B, const Pose& pose_b,
                    double margin, std::vector<ContactPoint>& out) {
  check(A, pose_a, B, pose_b, margin);
  if (far_apart(A, pose_a, B, pose_b, margin)) return;
  if (ordered(A, pose_a, B, pose_b, margin, out)) return;
  const std::size_t first = out.size();
  ordered(B, pose_b, A, pose_a, margin, out);
  for (std::size_t i = first; i < out.size(); ++i) {
    std::swap(out[i].on_a, out[i].on_b);
    out[i].normal = -out[i].normal;
  }
}

}  // namespace touchstone

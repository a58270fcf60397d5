#include "formulations/common/pair_planes.hpp"

#include <algorithm>
#include <typeinfo>

#include "geometry/separating_plane.hpp"

namespace touchstone {

namespace {

const Polytope& polytope(const Body& body) { return static_cast<const Polytope&>(*body.shape); }

bool is_polytope(const Body& body) {
  const ConvexSet& shape = *body.shape;
  return typeid(shape) == typeid(Polytope);
}

constexpr int longest_wait = 64;

}  // namespace

PairPlane::PairPlane(const Body& a, const Body& b)
    : a_(a.shape),
      b_(b.shape),
      plane_(std::make_unique<SeparatingPlane>(polytope(a), polytope(b), 0.0)),
      slack_(1e-10 * (a_->radius() + b_->radius())) {}

PairPlane::~PairPlane() = default;

bool PairPlane::shows_gap(const Pose& pose_a, const Pose& pose_b, double margin) {
  return plane_->shows_gap(pose_a, pose_b, margin + slack_);
}

void PairPlane::learn(const Pose& pose_a, const Pose& pose_b, double margin) {
  if (waiting_-- > 0) return;
  const bool found = plane_->find(pose_a, pose_b) > margin + slack_;
  wait_ = found ? 1 : std::min(2 * wait_, longest_wait);
  waiting_ = found ? 0 : wait_;
}

PairPlanes::~PairPlanes() = default;

PairPlane* PairPlanes::find(std::size_t key, const Body& a, const Body& b) {
  if (!is_polytope(a) || !is_polytope(b)) return nullptr;
  std::unique_ptr<PairPlane>& plane = planes_[key];
  if (!plane || !plane->of(a, b)) plane = std::make_unique<PairPlane>(a, b);
  return plane.get();
}

}  // namespace touchstone

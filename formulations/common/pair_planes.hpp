#pragma once

/// Separating planes of pairs of polytopes, kept from one contact search to the next (Baraff's
/// thesis, section 5.1; geometry/separating_plane.hpp). For speed only: a plane is a proof that the
/// gap exceeds the margin, in which case contact_points would find nothing.

#include <memory>
#include <unordered_map>

#include "formulations/common/world.hpp"

namespace touchstone {

class SeparatingPlane;

/// The plane of one pair.
class PairPlane {
 public:
  PairPlane(const Body& a, const Body& b);
  ~PairPlane();
  bool of(const Body& a, const Body& b) const { return a_ == a.shape && b_ == b.shape; }

  /// Whether the last plane shows a gap of more than `margin` [m].
  bool shows_gap(const Pose& pose_a, const Pose& pose_b, double margin);
  /// Looks for a plane that does, for a pair whose gap is known to be larger. Vertices that face
  /// each other may have none: then it looks again later, after ever more calls.
  void learn(const Pose& pose_a, const Pose& pose_b, double margin);

 private:
  std::shared_ptr<const ConvexSet> a_, b_;
  std::unique_ptr<SeparatingPlane> plane_;
  double slack_;                // [m] round-off of contact_points
  int waiting_ = 0, wait_ = 1;  // calls of learn to pass over, now and after the next failure
};

class PairPlanes {
 public:
  PairPlanes() = default;
  PairPlanes(const PairPlanes&) {}  // a copy learns by itself
  PairPlanes& operator=(const PairPlanes&) { return *this; }
  ~PairPlanes();

  /// Null when one of the two is no polytope. `key` numbers the pair.
  PairPlane* find(std::size_t key, const Body& a, const Body& b);

  struct Counts {
    long asked = 0, shown = 0;  // pairs of polytopes whose balls meet; those that a plane rejected
  };
  Counts counts;

 private:
  std::unordered_map<std::size_t, std::unique_ptr<PairPlane>> planes_;
};

}  // namespace touchstone

#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "geometry/convex_set.hpp"

namespace touchstone {

/// Axis-aligned box; entries may be infinite.
struct Box {
  Vec3 low = Vec3::Zero(), high = Vec3::Zero();
};

/// Closed boxes: touching ones overlap.
bool overlap(const Box& a, const Box& b);

/// All pairs of overlapping boxes, kept from call to call (Baraff's thesis, section 5.3; course
/// notes, section G 7).
///
/// Each axis has the list of the b_i (begin) and e_i (end) of all intervals, sorted. The first call
/// sorts and sweeps one axis: O(n log n + k) for k overlaps on it. Later calls repair the order by
/// insertion sort, O(n + s) for s exchanges; the overlap of two intervals can only have changed
/// where a begin and an end change places, and then the two boxes are compared. When little has
/// moved s is small. At equal values begins come before ends, so that touching intervals overlap.
class SweepAndPrune {
 public:
  /// Throws std::invalid_argument naming the box for a NaN or low > high. A change in the number of
  /// boxes starts afresh.
  void update(std::span<const Box> boxes);

  /// Overlapping pairs (i, j), i < j, in lexicographic order: they depend on the boxes only.
  const std::set<std::pair<int, int>>& pairs() const { return pairs_; }
  /// Exchanges in the last update, over the three axes; 0 after a fresh start.
  std::int64_t exchanges() const { return exchanges_; }

 private:
  struct End {
    double value;
    int box;
    bool is_end;
  };
  static bool before(const End& a, const End& b) {
    return a.value < b.value || (a.value == b.value && a.is_end < b.is_end);
  }
  void start(std::span<const Box> boxes);
  void repair(int axis, std::span<const Box> boxes);
  void exchange(const End& first, const End& second, std::span<const Box> boxes);

  std::vector<End> ends_[3];
  std::set<std::pair<int, int>> pairs_;
  std::int64_t exchanges_ = 0;
};

}  // namespace touchstone

#include "geometry/sweep_and_prune.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace touchstone {

namespace {

std::pair<int, int> ordered(int i, int j) { return i < j ? std::pair(i, j) : std::pair(j, i); }

void check(std::span<const Box> boxes) {
  for (std::size_t i = 0; i < boxes.size(); ++i)
    if (!(boxes[i].low.array() <= boxes[i].high.array()).all())
      throw std::invalid_argument(
          fmt::format("sweep and prune: box {} reaches from ({}, {}, {}) to ({}, {}, {})", i,
                      boxes[i].low.x(), boxes[i].low.y(), boxes[i].low.z(), boxes[i].high.x(),
                      boxes[i].high.y(), boxes[i].high.z()));
}

}  // namespace

bool overlap(const Box& a, const Box& b) {
  return (a.low.array() <= b.high.array()).all() && (b.low.array() <= a.high.array()).all();
}

void SweepAndPrune::update(std::span<const Box> boxes) {
  check(boxes);
  exchanges_ = 0;
  if (ends_[0].size() != 2 * boxes.size()) return start(boxes);
  for (int axis = 0; axis < 3; ++axis) {
    for (End& end : ends_[axis]) {
      const Box& box = boxes[static_cast<std::size_t>(end.box)];
      end.value = end.is_end ? box.high[axis] : box.low[axis];
    }
    repair(axis, boxes);
  }
}

void SweepAndPrune::start(std::span<const Box> boxes) {
  for (int axis = 0; axis < 3; ++axis) {
    ends_[axis].clear();
    for (int i = 0; i < static_cast<int>(boxes.size()); ++i) {
      const Box& box = boxes[static_cast<std::size_t>(i)];
      ends_[axis].push_back({box.low[axis], i, false});
      ends_[axis].push_back({box.high[axis], i, true});
    }
    std::ranges::stable_sort(ends_[axis], before);
  }
  pairs_.clear();
  std::vector<int> active;
  for (const End& end : ends_[0]) {
    if (end.is_end) {
      active.erase(std::ranges::find(active, end.box));
      continue;
    }
    for (const int other : active)
      if (overlap(boxes[static_cast<std::size_t>(end.box)], boxes[static_cast<std::size_t>(other)]))
        pairs_.insert(ordered(end.box, other));
    active.push_back(end.box);
  }
}

void SweepAndPrune::repair(int axis, std::span<const Box> boxes) {
  std::vector<End>& ends = ends_[axis];
  for (std::size_t i = 1; i < ends.size(); ++i) {
    const End moving = ends[i];
    std::size_t k = i;
    for (; k > 0 && before(moving, ends[k - 1]); --k) {
      exchange(ends[k - 1], moving, boxes);
      ends[k] = ends[k - 1];
    }
    ends[k] = moving;
  }
}

/// `second` moves in front of `first`.
void SweepAndPrune::exchange(const End& first, const End& second, std::span<const Box> boxes) {
  ++exchanges_;
  if (first.is_end == second.is_end) return;
  const auto pair = ordered(first.box, second.box);
  if (second.is_end)  // an end came before a begin
    pairs_.erase(pair);
  else if (overlap(boxes[static_cast<std::size_t>(first.box)],
                   boxes[static_cast<std::size_t>(second.box)]))
    pairs_.insert(pair);
}

}  // namespace touchstone

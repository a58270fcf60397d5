#pragma once

#include <numeric>
#include <vector>

namespace touchstone {

/// Disjoint sets of 0 … n − 1.
class UnionFind {
 public:
  explicit UnionFind(int n = 0) { reset(n); }
  void reset(int n) {
    parent_.resize(static_cast<std::size_t>(n));
    std::iota(parent_.begin(), parent_.end(), 0);
  }
  int root(int i) {
    while (parent_[static_cast<std::size_t>(i)] != i) {
      int& up = parent_[static_cast<std::size_t>(i)];
      up = parent_[static_cast<std::size_t>(up)];
      i = up;
    }
    return i;
  }
  void join(int i, int j) { parent_[static_cast<std::size_t>(root(i))] = root(j); }

 private:
  std::vector<int> parent_;
};

}  // namespace touchstone

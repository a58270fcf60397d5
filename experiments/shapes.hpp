#pragma once

#include <functional>
#include <memory>
#include <string>

#include "geometry/convex_set.hpp"
#include "solvers/registry.hpp"

namespace touchstone {

/// The settings of a shape in a scene file: numbers, vectors and lists of points by key.
class ShapeSettings;

/// A kind of shape that scene files can name; registers itself like a solver does.
struct ShapeEntry {
  static constexpr const char* kind = "shape";
  std::string name;        // "regular-polygon"
  std::string summary;     // one line
  std::string keys;        // "edges (integer ≥ 3), radius [m]": for listings and messages
  std::string dimensions;  // "2", "3" or "2, 3"
  std::function<std::shared_ptr<const ConvexSet>(int dim, const ShapeSettings&)> make{};
};

}  // namespace touchstone

#pragma once

#include <functional>
#include <memory>
#include <string>

#include "experiments/settings.hpp"
#include "geometry/convex_set.hpp"
#include "solvers/registry.hpp"

namespace touchstone {

/// The settings of a shape in a scene file, `shape = { kind = "box", sides = [1, 2] }`: numbers,
/// vectors and lists of points by key.
using ShapeSettings = Settings;

/// A kind of shape that scene files can name; registers itself like a solver does.
struct ShapeEntry {
  static constexpr const char* kind = "shape";
  std::string name;        // "regular-polygon"
  std::string summary;     // one line
  std::string keys;        // "edges (integer ≥ 3), radius [m]": for listings and messages
  std::string dimensions;  // "2", "3" or "2, 3"
  std::function<std::shared_ptr<const ConvexSet>(int dim, const ShapeSettings&)> make{};
};

/// The shape that the settings describe, for a planar (dim 2) or spatial (3) scene. InputError for
/// an unknown kind, a kind of the other dimension, and unknown, missing or wrong keys.
std::shared_ptr<const ConvexSet> make_shape(int dim, const ShapeSettings& settings);

}  // namespace touchstone

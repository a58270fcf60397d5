#include "geometry/facet_form.hpp"

#include <fmt/format.h>

#include <cmath>
#include <stdexcept>

#include "geometry/checks.hpp"
#include "geometry/min_max_lp.hpp"

namespace touchstone {

namespace {

struct UnitPlanes {
  Eigen::Matrix3Xd normals;
  Eigen::VectorXd offsets;
};

UnitPlanes checked(int dim, const std::vector<Plane>& planes) {
  UnitPlanes unit{Eigen::Matrix3Xd(3, planes.size()), Eigen::VectorXd(planes.size())};
  for (std::size_t k = 0; k < planes.size(); ++k) {
    checks::point("polytope", "a facet's normal", dim, planes[k].normal);
    const double length = planes[k].normal.norm();
    if (!(length > 0.0) || !std::isfinite(planes[k].offset))
      throw std::invalid_argument(
          fmt::format("polytope: facet {} has a normal of length {} and the offset {}, expected a "
                      "normal above 0 and a finite offset",
                      k, length, planes[k].offset));
    unit.normals.col(static_cast<Eigen::Index>(k)) = planes[k].normal / length;
    unit.offsets[static_cast<Eigen::Index>(k)] = planes[k].offset / length;
  }
  return unit;
}

/// max over x of the least distance from all planes.
Vec3 centre_of_largest_ball(int dim, const UnitPlanes& unit) {
  const LpBlock block{&unit.normals, &unit.offsets, {}};
  const LpBasis start = surrounding_rows(dim, unit.normals, 0);
  const MinMax lp = min_max_lp(dim, {&block, 1}, start, start);
  if (!(-lp.t > 1e-12 * (1.0 + unit.offsets.cwiseAbs().maxCoeff())))
    throw std::invalid_argument(
        fmt::format("polytope: the facets leave an empty set or one without interior (every point "
                    "is at least {} m beyond one of them)",
                    lp.t));
  return lp.x;
}

}  // namespace

Polytope polytope_of_facets(int dim, const std::vector<Plane>& planes,
                            std::optional<Vec3> interior) {
  checks::dimension("polytope", dim);
  const UnitPlanes unit = checked(dim, planes);
  surrounding_rows(dim, unit.normals, 0);  // throws when unbounded
  const Vec3 o = interior ? *interior : centre_of_largest_ball(dim, unit);
  checks::point("polytope", "the interior point", dim, o);
  std::vector<Vec3> polar;
  for (Eigen::Index k = 0; k < unit.offsets.size(); ++k) {
    const double c = unit.offsets[k] - unit.normals.col(k).dot(o);
    if (!(c > 0.0))
      throw std::invalid_argument(fmt::format(
          "polytope: the interior point ({}, {}, {}) is {} m beyond facet {}, expected inside",
          o.x(), o.y(), o.z(), -c, k));
    polar.push_back(unit.normals.col(k) / c);
  }
  const Polytope dual(dim, polar);
  std::vector<Vec3> vertices;
  for (const auto& facet : dual.facets()) {
    if (!(facet.offset > 1e-12 * dual.radius()))
      throw std::invalid_argument("polytope: the facets leave an unbounded set");
    vertices.push_back(o + facet.normal / facet.offset);
  }
  return Polytope(dim, vertices);
}

}  // namespace touchstone

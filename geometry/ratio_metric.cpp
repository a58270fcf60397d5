#include "geometry/ratio_metric.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "geometry/checks.hpp"

namespace touchstone {

RatioBody::RatioBody(std::shared_ptr<const Polytope> shape, std::optional<Vec3> interior)
    : dim_(shape->dim()), polytope_(std::move(shape)) {
  interior_ = interior ? *interior : polytope_->mass_properties(1.0).centroid;
  checks::point("ratio metric", "the interior point", dim_, interior_);
  const auto& facets = polytope_->facets();
  const auto count = static_cast<Eigen::Index>(facets.size());
  rows_.resize(3, count);
  offsets_.resize(count);
  for (Eigen::Index k = 0; k < count; ++k) {
    const auto& facet = facets[static_cast<std::size_t>(k)];
    offsets_[k] = facet.offset - facet.normal.dot(interior_);
    if (!(offsets_[k] > 1e-12 * polytope_->radius()))
      throw std::invalid_argument(
          fmt::format("ratio metric: the interior point ({}, {}, {}) is not inside the polytope: "
                      "{} m beyond facet {}",
                      interior_.x(), interior_.y(), interior_.z(), -offsets_[k], k));
    rows_.col(k) = facet.normal / offsets_[k];
  }
  for (int block : {0, 1}) start_[block] = surrounding_rows(dim_, rows_, block);
}

RatioBody::RatioBody(const HalfSpace& shape, double depth)
    : dim_(shape.dim()), interior_(shape.normal() * (shape.offset() - depth)) {
  checks::positive("ratio metric", "the depth of a half-space's interior point", depth);
  rows_ = shape.normal() / depth;
  offsets_ = Eigen::VectorXd::Constant(1, depth);
}

LpBasis RatioMetric::basis() const {
  LpBasis rows{};
  for (int i = 0; i < 4; ++i) rows[i] = {active[i].body, active[i].facet};
  return rows;
}

RatioMetric ratio_metric(const RatioBody& A, const Pose& pose_a, const RatioBody& B,
                         const Pose& pose_b, const RatioMetric* warm) {
  const auto& safe = A.start(0) ? A.start(0) : B.start(1);
  if (!safe) throw std::invalid_argument("ratio metric: two half-spaces have no ratio");
  // Coordinates about the interior point of A, so that r does not depend on where the pair is.
  const Vec3 x_a = pose_a.to_world(A.interior());
  const Vec3 delta = x_a - pose_b.to_world(B.interior());
  if (delta.isZero(0.0))
    throw std::invalid_argument("ratio metric: the interior points of the two bodies coincide");
  const std::array<LpBlock, 2> blocks{
      {{&A.rows(), nullptr, {Vec3::Zero(), pose_a.R}}, {&B.rows(), nullptr, {-delta, pose_b.R}}}};
  const MinMax lp = min_max_lp(A.dim(), blocks, warm ? warm->basis() : *safe, *safe);

  RatioMetric out;
  out.r = lp.t;
  out.rho = (lp.t - 1.0) / lp.t;
  out.point = x_a + lp.x;
  out.violation = lp.violation;
  out.pivots = lp.pivots;
  for (int i = 0; i < A.dim() + 1; ++i) {
    const LpRow& row = lp.basis[i];
    out.active[i] = {row.block, row.row, lp.multipliers[i]};
    if (row.block == 1) out.normal += lp.multipliers[i] * (pose_b.R * B.rows().col(row.row));
  }
  out.normal.normalize();
  return out;
}

}  // namespace touchstone

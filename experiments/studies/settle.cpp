#include "experiments/studies/settle.hpp"

#include <Eigen/Dense>
#include <optional>

#include "geometry/contact_points.hpp"
#include "geometry/ratio_metric.hpp"

namespace touchstone {

namespace {

struct Nearest {
  Vec3 normal;  // unit, towards the body
  double gap;   // [m]
};

std::shared_ptr<const Polytope> as_polytope(const Body& body) {
  return std::dynamic_pointer_cast<const Polytope>(body.shape);
}

std::optional<Nearest> nearest(const Body& body, const Body& other) {
  const Pose a = start_pose(body), b = start_pose(other);
  if (as_polytope(body) && as_polytope(other)) {
    const RatioBody A(as_polytope(body)), B(as_polytope(other));
    const RatioMetric metric = ratio_metric(A, a, B, b);
    const Vec3 delta = a.to_world(A.interior()) - b.to_world(B.interior());
    return Nearest{metric.normal, metric.rho * metric.normal.dot(delta)};  // ρ = ψ/(n·δ)
  }
  std::vector<ContactPoint> near;
  contact_points(*body.shape, a, *other.shape, b, other.shape->radius(), near);
  if (near.empty()) return std::nullopt;
  return Nearest{near[0].normal, near[0].gap};
}

}  // namespace

bool settle(Body& body, const std::vector<Body>& supports) {
  for (int iteration = 0; iteration < 50; ++iteration) {
    Eigen::Matrix2d normals;
    Eigen::Vector2d gaps;
    for (int i = 0; i < 2; ++i) {
      const auto found = nearest(body, supports[static_cast<std::size_t>(i)]);
      if (!found) return false;
      normals.row(i) = found->normal.tail<2>().transpose();
      gaps[i] = found->gap;
    }
    if (gaps.lpNorm<Eigen::Infinity>() < 1e-13) return true;
    body.position.tail<2>() -= normals.partialPivLu().solve(gaps);
  }
  return false;
}

}  // namespace touchstone

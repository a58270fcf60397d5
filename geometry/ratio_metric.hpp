#pragma once

/// The ratio metric of Hart and Anitescu: a signed distance of convex polyhedra from a small linear
/// program.
///
/// A polyhedron is given by its facets around an interior point x_i,
///
///     P_i = {x : A_i R_iᵀ(x − x_i) ≤ 1},   rows a_k = n_k/c_k, n_k unit, c_k > 0 [m],          (1)
///
/// and grows (t > 1) or shrinks (t < 1) about it: P_i(t) = {x : A_i R_iᵀ(x − x_i) ≤ t}. The ratio
/// and the ratio metric penetration depth (RPD) are
///
///     r = min {t : P_1(t) ∩ P_2(t) ≠ ∅},   ρ = (r − 1)/r,                                      (2)
///
/// ρ > 0 separated, 0 touching, < 0 overlapping; both without unit. (2) is the linear program of
/// min_max_lp.hpp in (x, t). With K = (P_2 − x_2) ⊖ (P_1 − x_1) (the Minkowski difference) and
/// δ = x_1 − x_2, P_1(t) and P_2(t) meet exactly when δ ∈ tK: r is the gauge of K at δ, that is
///
///     r = max_n n·δ/h(n),   h(n) = max {n·k : k ∈ K}.                                          (3)
///
/// Metric equivalence. Let s be the Minkowski distance or depth (minkowski.hpp), D = |δ|, and
/// ε_i = min_k c_k the radius of the ball about x_i inside P_i; let ε = (ε_1 + ε_2)/2. Then
///
///     disjoint:                     s/D ≤ ρ ≤ s/ε,                                             (4)
///     overlapping with depth s ≤ ε:   −s/ε ≤ ρ ≤ −s/D,                                         (5)
///
/// and for any overlap −s/(2rε) ≤ ρ ≤ −s/D. The source does not say what ε is ("the maximum
/// allowable Minkowski penetration"); (5) is false for deeper overlaps, as ρ → −∞ for r → 0 while s
/// stays bounded. Proof and examples: docs/ratio-metric.md.

#include <memory>
#include <optional>

#include "geometry/min_max_lp.hpp"
#include "geometry/shapes.hpp"

namespace touchstone {

/// A set with facets around an interior point, ready for the linear program; frame-fixed.
class RatioBody {
 public:
  /// The interior point is in the shape's frame; the centroid by default. Throws
  /// std::invalid_argument when it does not lie inside.
  explicit RatioBody(std::shared_ptr<const Polytope> shape,
                     std::optional<Vec3> interior = std::nullopt);
  /// {x : n·x ≤ c} with the interior point `depth` [m] below its surface. Where along the surface
  /// does not matter to r, which needs n·δ only.
  RatioBody(const HalfSpace& shape, double depth);

  int dim() const { return dim_; }
  const Vec3& interior() const { return interior_; }
  const Eigen::Matrix3Xd& rows() const { return rows_; }  // a_k, columns
  Vec3 normal(int k) const { return rows_.col(k) * offset(k); }
  double offset(int k) const { return offsets_[k]; }  // c_k [m]
  double inner_radius() const { return offsets_.minCoeff(); }
  /// Null for a half-space.
  const Polytope* polytope() const { return polytope_.get(); }
  /// A basis of this body's own rows, to start the linear program from; none for a half-space.
  const std::optional<LpBasis>& start(int block) const { return start_[block]; }

 private:
  int dim_;
  std::shared_ptr<const Polytope> polytope_;
  Vec3 interior_;
  Eigen::Matrix3Xd rows_;
  Eigen::VectorXd offsets_;
  std::array<std::optional<LpBasis>, 2> start_;
};

/// A facet that carries the solution; body 0 is A, 1 is B.
struct ActiveFacet {
  int body = 0, facet = 0;
  double multiplier = 0.0;  // λ ≥ 0, Σ λ = 1
};

struct RatioMetric {
  double r = 0.0, rho = 0.0;
  Vec3 point = Vec3::Zero();  // the primal solution: a common point of P_A(r) and P_B(r)
  Vec3 normal = Vec3::Zero();  // unit, from B to A: the dual solution, along Σ_B λ g = −Σ_A λ g
  std::array<ActiveFacet, 4> active{};  // dim + 1 of them, the basis
  double violation = 0.0;  // largest violated inequality: bounds the error of r from above
  int pivots = 0;
  LpBasis basis() const;  // for a warm start
};

/// `warm` is the result for the same two bodies a moment ago. Throws std::invalid_argument when the
/// interior points coincide (r = 0, ρ = −∞), or when both bodies are half-spaces.
RatioMetric ratio_metric(const RatioBody& A, const Pose& pose_a, const RatioBody& B,
                         const Pose& pose_b, const RatioMetric* warm = nullptr);

}  // namespace touchstone

#pragma once

/// The signed gap of two smooth sets as a maximum over directions.
///
///   s(n) = min_{a ∈ A} n·a − max_{b ∈ B} n·b,   |n| = 1                                        (i)
///
/// Its largest value is the distance of separated sets and minus the penetration depth of
/// overlapping ones. For ellipsoids {x_A + Lᵀu : |u| ≤ 1} with factor L_A, and L_B of B, and p =
/// x_A − x_B,
///
///   s(n) = n·p − |L_A n| − |L_B n|,   ∇s = a − b,   ∇²s = −Σ Lᵀ(I − m mᵀ)L/|L n|, m = L n/|L n|
///   (ii)
///
/// A stationary point on the sphere has a − b ∥ n while the outward normals are −n at a and n at b:
/// these are the closest-point equations (9) of the geometrically implicit method with everything
/// but n eliminated, so that touching and intersecting stay distinct when a = b. Where s > 0 it is
/// strictly concave along great circles: the maximum is unique and ascent finds it.
///
/// The direction may be confined to a subspace of dimension K (the plane; the normals of an edge):
/// p and L are then expressed in a basis of it. L = 0 is a point.

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <limits>

namespace touchstone {

template <int K>
struct SupportGap {
  using Vec = Eigen::Matrix<double, K, 1>;
  using Mat = Eigen::Matrix<double, K, K>;
  using Factor = Eigen::Matrix<double, 3, K>;

  Vec p;
  Factor LA, LB;

  struct Local {
    double s;
    Vec gradient;  // a − b
  };

  static Vec support(const Factor& L, const Vec& n) {
    const Eigen::Vector3d m = L * n;
    const double h = m.norm();
    return h > 0.0 ? Vec(L.transpose() * m / h) : Vec(Vec::Zero());
  }

  double value(const Vec& n) const { return n.dot(p) - (LA * n).norm() - (LB * n).norm(); }

  Local local(const Vec& n) const { return {value(n), Vec(p - support(LA, n) - support(LB, n))}; }

  static Mat curvature(const Factor& L, const Vec& n) {
    const Eigen::Vector3d m = L * n;
    const double h = m.norm();
    if (h == 0.0) return Mat::Zero();
    const Vec w = L.transpose() * m / h;
    return Mat((L.transpose() * L - w * w.transpose()) / h);
  }

  /// Length that roundoff is measured against.
  double scale() const { return p.norm() + LA.norm() + LB.norm(); }
};

/// Where ascent ended: residual is the tangential part of a − b [m], zero at a solution of (9).
template <int K>
struct GapMaximum {
  Eigen::Matrix<double, K, 1> n = Eigen::Matrix<double, K, 1>::Zero();
  double s = -std::numeric_limits<double>::infinity();
  double residual = std::numeric_limits<double>::infinity();
  int iterations = 0;
};

/// Perram and Wertheim's contact function (J. Comput. Phys. 58, 1985): the direction n ∝ M⁻¹p,
/// M = (1 − λ) S_A + λ S_B, S = LᵀL, λ maximising F(λ) = λ(1 − λ) pᵀM⁻¹p. It is normal to both
/// ellipsoids once they are scaled about their centres until they touch. By Cauchy's inequality any
/// λ with F(λ) > 1 has s(n) > 0, so that for separated sets ascent starts where s is concave.
template <int K>
Eigen::Matrix<double, K, 1> touching_direction(const SupportGap<K>& gap) {
  using MatK = typename SupportGap<K>::Mat;
  using VecK = typename SupportGap<K>::Vec;
  const MatK SA = gap.LA.transpose() * gap.LA;
  const MatK SB = gap.LB.transpose() * gap.LB;
  auto direction = [&](double lambda) -> VecK {
    return MatK((1.0 - lambda) * SA + lambda * SB).inverse() * gap.p;
  };
  auto F = [&](double lambda) { return lambda * (1.0 - lambda) * gap.p.dot(direction(lambda)); };
  if (SB.isZero(0.0)) return direction(0.0).normalized();
  if (SA.isZero(0.0)) return direction(1.0).normalized();
  // Golden section on a concave function; only a starting direction is wanted.
  const double golden = 0.5 * (std::sqrt(5.0) - 1.0);
  double low = 0.0, high = 1.0;
  double x = high - golden, y = low + golden, fx = F(x), fy = F(y);
  for (int i = 0; i < 12; ++i) {
    if (fx > fy) {
      high = y, y = x, fy = fx;
      x = high - golden * (high - low), fx = F(x);
    } else {
      low = x, x = y, fx = fy;
      y = low + golden * (high - low), fy = F(y);
    }
  }
  return direction(fx > fy ? x : y).normalized();
}

namespace detail {

/// Orthonormal basis of the tangent space at n.
inline Eigen::Matrix<double, 2, 1> tangents(const Eigen::Vector2d& n) { return {-n.y(), n.x()}; }
inline Eigen::Matrix<double, 3, 2> tangents(const Eigen::Vector3d& n) {
  Eigen::Matrix<double, 3, 2> T;
  T.col(0) = n.unitOrthogonal();
  T.col(1) = n.cross(T.col(0));
  return T;
}

/// Newton's ascent step for the Hessian H, with directions of positive curvature turned around.
inline Eigen::Matrix<double, 1, 1> ascent_step(const Eigen::Matrix<double, 1, 1>& H,
                                               const Eigen::Matrix<double, 1, 1>& g) {
  const double h = std::abs(H(0, 0));
  return h > 0.0 ? Eigen::Matrix<double, 1, 1>(g / h) : g;
}
inline Eigen::Vector2d ascent_step(const Eigen::Matrix2d& H, const Eigen::Vector2d& g) {
  const double det = H.determinant();
  if (H(0, 0) < 0.0 && det > 0.0)  // negative definite
    return Eigen::Vector2d(H(0, 1) * g.y() - H(1, 1) * g.x(), H(1, 0) * g.x() - H(0, 0) * g.y()) /
           det;
  Eigen::SelfAdjointEigenSolver<Eigen::Matrix2d> eigen;
  eigen.computeDirect(H);
  const double least = 1e-12 * eigen.eigenvalues().cwiseAbs().maxCoeff();
  const Eigen::Vector2d curvature = eigen.eigenvalues().cwiseAbs().cwiseMax(least);
  if (!(curvature.minCoeff() > 0.0)) return g;
  return eigen.eigenvectors() * (eigen.eigenvectors().transpose() * g).cwiseQuotient(curvature);
}

}  // namespace detail

/// Newton's method on the sphere with a line search, from the unit vector n: ends at a local
/// maximum of s with the residual at the level of roundoff.
template <int K>
GapMaximum<K> maximise(const SupportGap<K>& gap, Eigen::Matrix<double, K, 1> n) {
  using VecK = typename SupportGap<K>::Vec;
  using Tangent = Eigen::Matrix<double, K - 1, 1>;
  const double roundoff = std::numeric_limits<double>::epsilon() * gap.scale();
  auto at = gap.local(n);
  auto residual = [](const VecK& unit, const VecK& g) { return (g - unit.dot(g) * unit).norm(); };
  GapMaximum<K> best{n, at.s, residual(n, at.gradient), 0};
  for (; best.iterations < 200 && best.residual > 0.5 * roundoff; ++best.iterations) {
    const Eigen::Matrix<double, K, K - 1> T = detail::tangents(n);
    const Tangent g = T.transpose() * at.gradient;
    Eigen::Matrix<double, K - 1, K - 1> H =
        -T.transpose() * (gap.curvature(gap.LA, n) + gap.curvature(gap.LB, n)) * T;
    H.diagonal().array() -= at.s;  // the sphere's own curvature
    Tangent step = detail::ascent_step(H, g);
    step *= std::min(1.0, 1.0 / step.norm());
    bool moved = false;
    for (double t = 1.0; t > 1e-12 && !moved; t *= 0.5) {
      const VecK trial = (n + T * (t * step)).normalized();
      const auto there = gap.local(trial);
      const double r = residual(trial, there.gradient);
      const double gain = t * g.dot(step);
      // At the end s no longer tells one point from the next, the residual still does.
      const bool climbs = gain > 8.0 * roundoff && there.s > at.s + 1e-4 * gain;
      const bool polishes = there.s >= at.s - 8.0 * roundoff && r < 0.9 * best.residual;
      if (!climbs && !polishes) continue;
      n = trial, at = there, moved = true;
      best.n = n, best.s = at.s, best.residual = r;
    }
    if (!moved) break;
  }
  return best;
}

}  // namespace touchstone

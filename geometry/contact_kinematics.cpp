#include "geometry/contact_kinematics.hpp"

#include <fmt/format.h>

#include <cmath>
#include <typeinfo>

#include "geometry/contact_region.hpp"
#include "geometry/shapes.hpp"
#include "geometry/supporting_points.hpp"

namespace touchstone {

namespace {

using Kind = ContactFeature::Kind;

constexpr double kParallel = 1e-9;   // [rad] a normal this near to a facet's is the facet's
constexpr double kSingular = 1e-10;  // reciprocal condition of the scaled system
constexpr double kTurning = 1e-9;    // [rad/s] slower is no turning over a flat spot

double finite_size(const ConvexSet& set) { return set.bounded() ? set.radius() : 1.0; }

/// Face number `id` of P, as contact_region counts them: vertices, edges, facets.
ContactFeature face_feature(const Polytope& P, const Pose& pose, int id) {
  ContactFeature feature{.size = P.radius()};
  const int vertices = static_cast<int>(P.vertices().size());
  const int edges = static_cast<int>(P.edges().size());
  if (id < vertices) return feature;
  feature.kind = id < vertices + edges ? Kind::edge : Kind::face;
  if (feature.kind == Kind::edge) {
    const auto& e = P.edges()[id - vertices];
    feature.edge = (pose.R * (P.vertices()[e[1]] - P.vertices()[e[0]])).normalized();
  }
  return feature;
}

/// The feature of P at the point x (of its surface or, for separated bodies, nearest to the other)
/// whose normal cone holds the outward direction d; world axes.
ContactFeature feature_of_normal(const Polytope& P, const Pose& pose, const Vec3& x,
                                 const Vec3& d) {
  const Vec3 p = pose.to_body(x), m = pose.R.transpose() * d;
  for (const auto& facet : P.facets())
    if ((facet.normal - m).norm() <= kParallel) return {.kind = Kind::face, .size = P.radius()};
  const double near = 1e-9 * P.radius();
  for (const auto& e : P.edges()) {
    const Vec3 &from = P.vertices()[e[0]], along = P.vertices()[e[1]] - from;
    const double length = along.norm(), t = (p - from).dot(along) / length;
    if (t < near || t > length - near) continue;  // at its end: the vertex
    if ((p - from - t / length * along).norm() <= near)
      return {.kind = Kind::edge, .edge = pose.R * along / length, .size = P.radius()};
  }
  return {.kind = Kind::vertex, .size = P.radius()};
}

ContactFeature smooth_feature(const ConvexSet& set, const Pose& pose, const Vec3& x) {
  const Mat3 S = surface_curvature(set, 0, pose.to_body(x));
  return {.kind = Kind::smooth,
          .curvature = pose.R * S * pose.R.transpose(),
          .size = finite_size(set),
          .strictly_convex = strictly_convex(set)};
}

/// One side of a contact that is not between two polytopes.
ContactFeature side_feature(const ConvexSet& set, const Pose& pose, const ConvexSet& other,
                            const Vec3& x, const Vec3& outward) {
  if (!set.bounded()) return {.kind = Kind::face};
  const auto* P = dynamic_cast<const Polytope*>(&set);
  if (!P) return smooth_feature(set, pose, x);
  if (!other.bounded()) return {.kind = Kind::vertex, .size = P->radius()};
  return feature_of_normal(*P, pose, x, outward);
}

}  // namespace

bool strictly_convex(const ConvexSet& set) {
  return set.bounded() && set.vertices().empty() && !dynamic_cast<const FlatSet*>(&set);
}

std::string to_string(Kind kind) {
  switch (kind) {
    case Kind::vertex:
      return "vertex";
    case Kind::edge:
      return "edge";
    case Kind::face:
      return "face";
    default:
      return "smooth surface";
  }
}

Mat3 surface_curvature(const ConvexSet& set, int inequality, const Vec3& point) {
  const Vec3 gradient = set.gradient(inequality, point);
  const double length = gradient.norm();
  const Vec3 m = gradient / length;
  const Mat3 tangent = Mat3::Identity() - m * m.transpose();
  return tangent * set.hessian(inequality, point) * tangent / length;
}

FeaturePair contact_features(const ConvexSet& A, const Pose& pose_a, const ConvexSet& B,
                             const Pose& pose_b, const ContactPoint& point) {
  const auto *P = dynamic_cast<const Polytope*>(&A), *Q = dynamic_cast<const Polytope*>(&B);
  if (P && Q) {
    const int faces = facet_id(*Q, Q->count());
    return {face_feature(*P, pose_a, point.feature / faces),
            face_feature(*Q, pose_b, point.feature % faces)};
  }
  return {side_feature(A, pose_a, B, point.on_a, -point.normal),
          side_feature(B, pose_b, A, point.on_b, point.normal)};
}

namespace {

/// The unknowns and equations (4)–(6), with lengths in units of `length`.
class PathSystem {
 public:
  PathSystem(int dim, const FeaturePair& features, const Vec3& n, double gap)
      : length_(std::min(features.a.size, features.b.size)),
        point_(features.a.strictly_convex || features.b.strictly_convex) {
    tangents_ = dim - 1;
    T_.resize(3, tangents_);
    T_.col(0) = dim == 2 ? Vec3(n.y(), -n.x(), 0.0) : Vec3(n.unitOrthogonal());
    if (dim == 3) T_.col(1) = n.cross(T_.col(0));
    Ua_ = directions(features.a);
    Ub_ = directions(features.b);
    ka_ = static_cast<int>(Ua_.cols());
    kb_ = static_cast<int>(Ub_.cols());
    const int d = tangents_;
    matrix_.setZero(size(), size());
    matrix_.block(0, 0, ka_, d) = Ua_.transpose() * T_;
    matrix_.block(0, d, ka_, ka_) = length_ * Ua_.transpose() * features.a.curvature * Ua_;
    matrix_.block(ka_, 0, kb_, d) = Ub_.transpose() * T_;
    matrix_.block(ka_, d + ka_, kb_, kb_) = -length_ * Ub_.transpose() * features.b.curvature * Ub_;
    matrix_.block(ka_ + kb_, 0, d, d).diagonal().setConstant(-gap / length_);
    matrix_.block(ka_ + kb_, d, d, ka_) = T_.transpose() * Ua_;
    matrix_.block(ka_ + kb_, d + ka_, d, kb_) = -T_.transpose() * Ub_;
  }

  /// Sets ṅ, w_A and w_B; false when they are not determined.
  bool solve(const Vec3& turn_a, const Vec3& turn_b, ContactKinematics& g) const {
    const int d = tangents_;
    Small right(size());
    right << Ua_.transpose() * turn_a, Ub_.transpose() * turn_b, -T_.transpose() * g.slip / length_;
    const Eigen::PartialPivLU<Square> lu(matrix_);
    const auto pivots = lu.matrixLU().diagonal().cwiseAbs();
    Small x;
    if (pivots.minCoeff() > kSingular * pivots.maxCoeff())
      x = lu.solve(right);
    else if (!on_flat_spot(right, x))
      return false;
    g.n_rate = T_ * x.head(d);
    g.path_a = length_ * (Ua_ * x.segment(d, ka_));
    g.path_b = length_ * (Ub_ * x.tail(kb_));
    return true;
  }

 private:
  using Square = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, 6, 6>;
  using Small = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, 6, 1>;
  using Directions = Eigen::Matrix<double, 3, Eigen::Dynamic, 0, 3, 2>;

  int size() const { return tangents_ + ka_ + kb_; }

  /// The least solution of the singular system, if it has one.
  bool on_flat_spot(const Small& right, Small& x) const {
    if (!point_) return false;
    Eigen::CompleteOrthogonalDecomposition<Square> least;
    least.setThreshold(kSingular);
    x = least.compute(matrix_).solve(right);
    return (matrix_ * x - right).norm() <= kTurning * std::max(1.0, right.norm());
  }

  Directions directions(const ContactFeature& feature) const {
    if (feature.kind == Kind::vertex) return Directions(3, 0);
    if (feature.kind == Kind::edge) return feature.edge;
    return T_;
  }

  double length_;
  bool point_;  // the bodies touch in one point
  int tangents_ = 0, ka_ = 0, kb_ = 0;
  Directions T_, Ua_, Ub_;
  Square matrix_;
};

[[noreturn]] void refuse(const FeaturePair& features, double gap) {
  const Kind a = features.a.kind, b = features.b.kind;
  const auto sharp = [](Kind kind) { return kind == Kind::vertex || kind == Kind::edge; };
  const bool points = sharp(a) && sharp(b) && (a == Kind::vertex || b == Kind::vertex);
  throw NoGapDerivative(fmt::format(
      "{} on {} at gap {:.3g}: {}", to_string(a), to_string(b), gap,
      points ? "degenerate contact, which has no normal"
             : "conforming contact; the contact point and the second derivative of the gap are not "
               "determined"));
}

}  // namespace

ContactKinematics contact_kinematics(int dim, const ContactPoint& point,
                                     const FeaturePair& features, const Motion& a,
                                     const Motion& b) {
  ContactKinematics g;
  g.n = point.normal;
  if (features.a.kind == Kind::edge && features.b.kind == Kind::edge) {
    const Vec3 product = features.a.edge.cross(features.b.edge);
    const double sine = product.norm();
    if (!(sine > kSingular)) refuse(features, point.gap);
    g.n = product.dot(point.normal) < 0.0 ? Vec3(-product / sine) : Vec3(product / sine);
  }
  g.gap = g.n.dot(point.on_a - point.on_b);
  g.r_a = point.on_a - a.x;
  g.r_b = point.on_b - b.x;
  g.slip = a.v + a.w.cross(g.r_a) - b.v - b.w.cross(g.r_b);
  g.rate = g.n.dot(g.slip);
  if (!PathSystem(dim, features, g.n, g.gap).solve(a.w.cross(g.n), b.w.cross(g.n), g))
    refuse(features, g.gap);
  g.slip_bias = a.w.cross(a.w.cross(g.r_a) + g.path_a) - b.w.cross(b.w.cross(g.r_b) + g.path_b);
  g.bias = g.n.dot(g.slip_bias) + g.n_rate.dot(g.slip);
  return g;
}

}  // namespace touchstone

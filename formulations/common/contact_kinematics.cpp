#include "formulations/common/contact_kinematics.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <optional>

#include "geometry/contact_kinematics.hpp"
#include "geometry/contact_region.hpp"
#include "geometry/shapes.hpp"
#include "solvers/error.hpp"

namespace touchstone {

namespace {

/// Cosine that counts as parallel for facets that carry a contact.
constexpr double parallel = 1.0 - 1e-9;
/// Cosine between the normal of two edges and that of the contact.
constexpr double edges_span = 1.0 - 1e-6;

const Polytope* polytope(const World& world, int body) {
  return dynamic_cast<const Polytope*>(world.body(body).shape.get());
}

bool half_space(const World& world, int body) {
  return typeid(*world.body(body).shape) == typeid(HalfSpace);
}

/// A number among all faces of P (contact_region.hpp) read back.
Feature face_of_id(const Polytope& P, int id) {
  const int vertices = static_cast<int>(P.vertices().size());
  const int edges = static_cast<int>(P.edges().size());
  if (id < vertices) return {Feature::Kind::vertex, id};
  if (id < vertices + edges) return {Feature::Kind::edge, id - vertices};
  return {Feature::Kind::face, id - vertices - edges};
}

/// The facet of P whose outward normal is `d` (world), if there is one.
std::optional<Feature> facet_along(const Polytope& P, const Pose& pose, const Vec3& d) {
  const Vec3 local = pose.R.transpose() * d;
  for (int f = 0; f < P.count(); ++f)
    if (P.facets()[static_cast<std::size_t>(f)].normal.dot(local) > parallel)
      return Feature{Feature::Kind::face, f};
  return std::nullopt;
}

/// Whether the feature is a facet of P whose outward normal is `d` (world).
bool is_facet_along(const Feature& feature, const Polytope& P, const Pose& pose, const Vec3& d) {
  return feature.kind == Feature::Kind::face &&
         P.facets()[static_cast<std::size_t>(feature.index)].normal.dot(pose.R.transpose() * d) >
             parallel;
}

Vec3 vertex_of(const Configuration& configuration, int body, int v) {
  const Polytope& P = *polytope(configuration.world(), body);
  return configuration.pose(body).to_world(P.vertices()[static_cast<std::size_t>(v)]);
}

struct Line {
  Vec3 from, along;  // world, not normalised
};

Line edge_of(const Configuration& configuration, int body, int e) {
  const auto& ends = polytope(configuration.world(), body)->edges()[static_cast<std::size_t>(e)];
  const Vec3 from = vertex_of(configuration, body, ends[0]);
  return {from, vertex_of(configuration, body, ends[1]) - from};
}

void track_polytopes(const Configuration& configuration, const Contact& c, const Polytope& A,
                     const Polytope& B, TrackedContact& tracked) {
  const int faces = facet_id(B, B.count());
  tracked.on_a = face_of_id(A, c.feature / faces);
  tracked.on_b = face_of_id(B, c.feature % faces);
  const bool edges =
      tracked.on_a.kind == Feature::Kind::edge && tracked.on_b.kind == Feature::Kind::edge;
  if (edges) {  // a vertex on an edge may be named so: then the edges do not span its normal
    const Vec3 across = edge_of(configuration, c.a, tracked.on_a.index)
                            .along.cross(edge_of(configuration, c.b, tracked.on_b.index).along);
    if (std::abs(across.normalized().dot(c.n)) > edges_span) return;
  } else if (is_facet_along(tracked.on_a, A, configuration.pose(c.a), -c.n) ||
             is_facet_along(tracked.on_b, B, configuration.pose(c.b), c.n)) {
    return;
  }
  // The candidate's numbers may name two vertices, or a vertex on the rim of another facet,
  // although its normal is that of a facet.
  if (const auto face = facet_along(B, configuration.pose(c.b), c.n);
      face && tracked.on_a.kind == Feature::Kind::vertex)
    tracked.on_b = *face;
  else if (const auto other = facet_along(A, configuration.pose(c.a), -c.n);
           other && tracked.on_b.kind == Feature::Kind::vertex)
    tracked.on_a = *other;
  else
    throw InputError(fmt::format(
        "bodies '{}' and '{}' touch vertex on vertex or vertex on edge, which has no normal: move "
        "one of them a little",
        configuration.world().body(c.a).name, configuration.world().body(c.b).name));
}

/// The vertex of a polytope, or the point of a flat spot, in the world.
Vec3 point_of(const Configuration& configuration, int body, const Feature& feature) {
  return feature.kind == Feature::Kind::point ? configuration.pose(body).to_world(feature.local)
                                              : vertex_of(configuration, body, feature.index);
}

bool is_point(const Feature& feature) {
  return feature.kind == Feature::Kind::vertex || feature.kind == Feature::Kind::point;
}

/// What of a polytope a point of its surface lies on, for a smooth body's contact.
Feature feature_at(const Polytope& P, const Vec3& local) {
  const double tolerance = 1e-9 * P.radius();
  const auto vertices = P.vertices();
  for (std::size_t v = 0; v < vertices.size(); ++v)
    if ((vertices[v] - local).norm() <= tolerance)
      return {Feature::Kind::vertex, static_cast<int>(v)};
  for (std::size_t e = 0; e < P.edges().size(); ++e) {
    const Vec3 from = vertices[static_cast<std::size_t>(P.edges()[e][0])];
    const Vec3 along = (vertices[static_cast<std::size_t>(P.edges()[e][1])] - from).normalized();
    if (along.cross(local - from).norm() <= tolerance)
      return {Feature::Kind::edge, static_cast<int>(e)};
  }
  return {Feature::Kind::face, 0};  // which facet does not matter: it is flat
}

/// A point and the outward normal of a facet or half-space, in the world.
Line plane_of(const Configuration& configuration, int body, int facet) {
  const World& world = configuration.world();
  const Pose& pose = configuration.pose(body);
  if (half_space(world, body)) {
    const auto& H = static_cast<const HalfSpace&>(*world.body(body).shape);
    return {pose.to_world(H.offset() * H.normal()), pose.R * H.normal()};
  }
  const auto& f = polytope(world, body)->facets()[static_cast<std::size_t>(facet)];
  return {pose.to_world(f.offset * f.normal), pose.R * f.normal};
}

void follow_edges(const Configuration& configuration, const TrackedContact& k, Contact& c) {
  const Line u = edge_of(configuration, k.a, k.on_a.index),
             w = edge_of(configuration, k.b, k.on_b.index);
  const Vec3 N = u.along.cross(w.along);
  c.n = N.normalized();
  // From B to A: away from B's centre, which lies behind the edge.
  const Vec3 outwards = configuration.pose(k.a).x - configuration.pose(k.b).x;
  if (c.n.dot(outwards) < 0.0) c.n = -c.n;
  const double t = (w.from - u.from).cross(w.along).dot(N) / N.squaredNorm();
  c.point = u.from + t * u.along;
  c.gap = c.n.dot(u.from - w.from);
}

/// A feature as the geometry knows it; `x` is the point of the body's own surface.
ContactFeature shown(const Configuration& configuration, int body, const Feature& feature,
                     const Vec3& x) {
  const ConvexSet& set = *configuration.world().body(body).shape;
  const Pose& pose = configuration.pose(body);
  ContactFeature out{.size = set.bounded() ? set.radius() : 1.0};
  switch (feature.kind) {
    case Feature::Kind::smooth:
      out.kind = ContactFeature::Kind::smooth;
      out.curvature = pose.R * surface_curvature(set, 0, pose.to_body(x)) * pose.R.transpose();
      out.strictly_convex = strictly_convex(set);
      break;
    case Feature::Kind::face:
      out.kind = ContactFeature::Kind::face;
      break;
    case Feature::Kind::edge:
      out.kind = ContactFeature::Kind::edge;
      out.edge = edge_of(configuration, body, feature.index).along.normalized();
      break;
    case Feature::Kind::vertex:
    case Feature::Kind::point:
      break;
  }
  return out;
}

}  // namespace

namespace {

/// A point of a flat spot against a facet or a half-space.
void track_flat_spot(const Configuration& configuration, const Contact& c, bool on_a,
                     TrackedContact& tracked) {
  const int flat = on_a ? c.b : c.a;
  Feature &point = on_a ? tracked.on_a : tracked.on_b, &face = on_a ? tracked.on_b : tracked.on_a;
  point = {Feature::Kind::point, 0, configuration.pose(on_a ? c.a : c.b).to_body(c.point)};
  face = {Feature::Kind::face, 0};
  if (const Polytope* P = polytope(configuration.world(), flat))
    face = facet_along(*P, configuration.pose(flat), on_a ? c.n : Vec3(-c.n)).value_or(face);
}

}  // namespace

TrackedContact track(const Configuration& configuration, const Contact& c) {
  const World& world = configuration.world();
  TrackedContact tracked{.a = c.a, .b = c.b, .feature = c.feature, .law = c.law};
  const Polytope *A = polytope(world, c.a), *B = polytope(world, c.b);
  if (tracked.of_flat_spot()) {
    track_flat_spot(configuration, c, strictly_convex(*world.body(c.a).shape), tracked);
    return tracked;
  }
  tracked.rolls_over_features = (A != nullptr) != (B != nullptr) && !half_space(world, c.b);
  if (A && B) {
    track_polytopes(configuration, c, *A, *B, tracked);
  } else if (half_space(world, c.b)) {
    if (A) tracked.on_a = {Feature::Kind::vertex, c.feature};
    tracked.on_b = {Feature::Kind::face, 0};
  } else if (A) {
    tracked.on_a = feature_at(*A, configuration.pose(c.a).to_body(c.point));
  } else if (B) {
    tracked.on_b = feature_at(*B, configuration.pose(c.b).to_body(c.point - c.gap * c.n));
  }
  return tracked;
}

Contact follow(const Configuration& configuration, const TrackedContact& k) {
  using Kind = Feature::Kind;
  const World& world = configuration.world();
  Contact c{.a = k.a, .b = k.b, .feature = k.feature, .law = k.law};
  if (is_point(k.on_a) && k.on_b.kind == Kind::face) {
    const Line plane = plane_of(configuration, k.b, k.on_b.index);
    c.point = point_of(configuration, k.a, k.on_a);
    c.n = plane.along;
    c.gap = c.n.dot(c.point - plane.from);
  } else if (k.on_a.kind == Kind::face && is_point(k.on_b)) {
    const Line plane = plane_of(configuration, k.a, k.on_a.index);
    c.point = point_of(configuration, k.b, k.on_b);
    c.n = -plane.along;
    c.gap = c.n.dot(plane.from - c.point);
    c.point += c.gap * c.n;
  } else if (k.on_a.kind == Kind::edge && k.on_b.kind == Kind::edge) {
    follow_edges(configuration, k, c);
  } else {
    thread_local std::vector<ContactPoint> points;
    points.clear();
    contact_points(*world.body(k.a).shape, configuration.pose(k.a), *world.body(k.b).shape,
                   configuration.pose(k.b), std::numeric_limits<double>::infinity(), points);
    c.point = points.front().on_a;
    c.n = points.front().normal;
    c.gap = points.front().gap;
  }
  set_tangents(world.dim(), c);
  return c;
}

ContactRates contact_rates(const Configuration& configuration, const TrackedContact& k,
                           const Contact& c, const Vec& nu) {
  const World& world = configuration.world();
  const Twist A = twist(world, nu, c.a), B = twist(world, nu, c.b);
  const TrackedContact now = k.rolls_over_features ? track(configuration, c) : k;
  const FeaturePair features{shown(configuration, c.a, now.on_a, c.point),
                             shown(configuration, c.b, now.on_b, c.point - c.gap * c.n)};
  // Both bodies feel the contact at one point, as wrench_column has it.
  const ContactPoint point{.on_a = c.point, .on_b = c.point, .normal = c.n};
  try {
    const ContactKinematics g =
        contact_kinematics(world.dim(), point, features, {configuration.pose(c.a).x, A.v, A.w},
                           {configuration.pose(c.b).x, B.v, B.w});
    return {.s = g.slip,
            .n_dot = g.n_rate,
            .p_dot = A.v + A.w.cross(g.r_a) + g.path_a,
            .c = g.slip_bias};
  } catch (const NoGapDerivative& error) {
    throw ConformingContact(fmt::format("contact {}: {}", contact_name(world, c), error.what()));
  }
}

double gap_acceleration(const Configuration& configuration, const Contact& c,
                        const ContactRates& rates, const Vec& nu_dot) {
  const World& world = configuration.world();
  const Column n = wrench_column(world, configuration, c, c.n);
  return velocity(world, n, nu_dot) + c.n.dot(rates.c) + rates.n_dot.dot(rates.s);
}

}  // namespace touchstone

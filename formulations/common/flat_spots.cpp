/// Flat spots of strictly convex bodies in the event-driven simulator: crossed, left or rested on.
///
/// A body that turns crosses them by singular_passage. One that does not turn rests on them: for a
/// spot that departs from its tangent plane by less than the tolerance of touching over the
/// distance ℓ = 1e-3 of the body's radius, the contact point is known to ℓ only, and round-off of
/// its orientation would make the body tremble (|x|⁴ + |z|⁴ = 1: a tilt of 1e-16 moves the point
/// by 5e-6). Such a contact is held by two points (three in space) at the distance ℓ around it,
/// like a face, as long as all of them press.

#include <algorithm>
#include <cmath>
#include <numbers>

#include "formulations/common/event_driven.hpp"
#include "geometry/contact_kinematics.hpp"
#include "geometry/shapes.hpp"

namespace touchstone {

namespace {

constexpr double touching = 1e-9;        // [m] as in event_modes.cpp
constexpr double approach = 1e-9;        // [m/s] likewise
constexpr double no_slip = 1e-8;         // [m/s] likewise
constexpr double no_force = 1e-11;       // relative to the largest force, likewise
constexpr double first_leaving = 1e-9;   // [s]
constexpr double spot_size = 1e-3;       // ℓ over the radius of the body
constexpr double as_flat = 1.0 - 1e-12;  // cosine between a facet's normal and the contact's

/// Whether the surface that faces d (world, outward) at a set is a plane there.
bool flat_along(const ConvexSet& set, const Pose& pose, const Vec3& d) {
  const auto* P = dynamic_cast<const Polytope*>(&set);
  return !set.bounded() ||
         (P && std::any_of(P->facets().begin(), P->facets().end(), [&](const auto& facet) {
            return (pose.R * facet.normal).dot(d) > as_flat;
          }));
}

/// Whether the point (world, on the surface within round-off) belongs to the set.
bool holds(const ConvexSet& set, const Pose& pose, const Vec3& x) {
  return set.largest_value(pose.to_body(x)) <= touching;
}

}  // namespace

/// A step over the flat spot that the contact point is about to pass (singular_passage.hpp).
bool EventDriven::cross_flat_spot() {
  next_h_ = h_;
  if (!passage_.cross(phase_, t0_, y0_, h_) && !passage_.leave(phase_, t0_, y0_, h_)) return false;
  stepper_ = &passage_;
  h_ = passage_.length();
  const TrackedContact& k = phase_.contacts()[passage_.contact()].tracked;
  log_at(t0_ + 0.5 * h_, {k.a, k.b, k.feature}, "flat");
  return true;
}

/// A state on a flat spot that turns: no forces exist there, impulses do.
bool EventDriven::leave_flat_spot(State& state) {
  std::vector<PhaseContact> holding;
  for (const Contact& c : touching_) {
    const ContactColumns columns = contact_columns(configuration_, c);
    if (velocity(world_, columns.n, state.nu) > approach) continue;
    const Vec3 slip = scaled_slip(world_, columns, state.nu);
    PhaseContact k{.tracked = track(configuration_, c), .sliding = slip.norm() > no_slip};
    if (k.sliding) k.direction = slip.normalized();
    holding.push_back(k);
  }
  phase_.begin(holding);
  mark_ = phase_.pack(state);
  booked_ = t1_;
  if (!passage_.leave(phase_, t1_, mark_, first_leaving)) return false;
  const TrackedContact& k = holding[passage_.contact()].tracked;
  log({k.a, k.b, k.feature}, "flat");
  t1_ += passage_.length();
  y1_ = passage_.end();
  book(t1_);
  state = phase_.unpack(t1_, y1_);
  return true;
}

/// Contacts on flat spots that turn no faster than `rest_speed` become contacts of several points
/// and lose that turning, and with friction a slip as slow.
void EventDriven::rest_on_flat_spots(State& state) {
  found_.swap(touching_);
  touching_.clear();
  std::vector<Column> N;
  for (const Contact& c : found_) {
    const std::size_t first = touching_.size();
    if (tipping_.contains({c.a, c.b}) || !add_flat_spot(c, state.nu)) touching_.push_back(c);
    for (std::size_t i = first; i < touching_.size(); ++i) {
      if (touching_[i].feature < flat_spot_feature) continue;
      const ContactColumns w = contact_columns(configuration_, touching_[i]);
      N.push_back(w.n);
      if (scaled_slip(world_, w, state.nu).norm() < settings_.rest_speed)
        N.insert(N.end(), w.f.begin(), w.f.begin() + w.count);
    }
  }
  if (!N.empty()) stop(N, state.nu);
}

bool EventDriven::add_flat_spot(const Contact& c, const Vec& nu) {
  const bool on_a = strictly_convex(*world_.body(c.a).shape);
  const int round = on_a ? c.a : c.b, other = on_a ? c.b : c.a;
  const ConvexSet &shape = *world_.body(round).shape, &floor = *world_.body(other).shape;
  const Pose& pose = configuration_.pose(round);
  if (!strictly_convex(shape) ||
      !flat_along(floor, configuration_.pose(other), on_a ? c.n : Vec3(-c.n)))
    return false;
  const Vec3 w = twist(world_, nu, c.a).w - twist(world_, nu, c.b).w;
  const Column n = wrench_column(world_, configuration_, c, c.n);
  if (w.norm() * shape.radius() > settings_.rest_speed ||
      std::abs(velocity(world_, n, nu)) > approach)
    return false;
  const double size = spot_size * shape.radius();
  const double slope = shape.gradient(0, pose.to_body(c.point)).norm();
  const int points = world_.dim();
  std::vector<Contact> spot;
  for (int k = 0; k < 2 * points; ++k) {  // every other one is only looked at
    const double angle = k * std::numbers::pi / points;
    Vec3 along = std::cos(angle) * c.t;
    if (points == 3) along += std::sin(angle) * c.o;
    if (points == 2 && k % 2 == 1) continue;
    const Vec3 x = c.point + size * along;
    const double depth = shape.value(0, pose.to_body(x)) / slope;
    if (depth > touching || !holds(floor, configuration_.pose(other), x)) return false;
    if (k % 2 == 1) continue;
    spot.push_back(c);
    spot.back().point = x;
    spot.back().feature = flat_spot_feature + static_cast<int>(spot.size());
  }
  touching_.insert(touching_.end(), spot.begin(), spot.end());
  return true;
}

/// A point of a flat spot that lets go: the body begins to turn.
void EventDriven::note_tipping() {
  tipping_.clear();
  if (cause_.kind != Cause::Kind::separate) return;
  const TrackedContact& k = phase_.contacts()[cause_.contact].tracked;
  if (k.of_flat_spot()) tipping_.insert({k.a, k.b});
}

/// Whether some point of a flat spot does not press under the forces r: it holds with all or none.
bool EventDriven::tips_off_flat_spot(const Vec& r) {
  const double least = r.size() > 0 ? no_force * r.cwiseAbs().maxCoeff() : 0.0;
  std::map<std::pair<int, int>, int> pressing;
  Eigen::Index at = 0;
  for (const Candidate& k : candidates_) {
    if (k.tracked.of_flat_spot())
      pressing[{k.contact.a, k.contact.b}] += !k.released && r[at] > least ? 1 : 0;
    if (!k.released) at += 1 + (k.sliding ? 0 : k.columns.count);
  }
  const auto before = tipping_.size();
  for (const auto& [pair, count] : pressing)
    if (count > 0 && count < world_.dim()) tipping_.insert(pair);
  return tipping_.size() > before;
}

}  // namespace touchstone

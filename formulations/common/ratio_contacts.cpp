#include "formulations/common/ratio_contacts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "formulations/common/joints.hpp"
#include "formulations/common/reach.hpp"

namespace touchstone {

namespace {

constexpr double relative_tolerance = 1e-6;  // of the inner radii: touching but for round-off
constexpr double round_off = 1e-9;           // of Φ [1]

std::shared_ptr<const Polytope> as_polytope(const Body& body) {
  return std::dynamic_pointer_cast<const Polytope>(body.shape);
}

const HalfSpace* as_half_space(const Body& body) {
  return dynamic_cast<const HalfSpace*>(body.shape.get());
}

double largest_moving_radius(const World& world) {
  double radius = 0.0;
  for (const int i : world.moving()) radius = std::max(radius, world.body(i).shape->radius());
  return radius;
}

}  // namespace

std::string RatioContacts::inapplicable(const World& world) {
  for (const Body& body : world.bodies())
    if (!as_polytope(body) && !as_half_space(body))
      return fmt::format("the ratio metric needs polytopes and half-spaces, and \"{}\" is neither",
                         body.name);
  return {};
}

RatioContacts::RatioContacts(const World& world, const RatioSettings& settings)
    : world_(world), settings_(settings), last_(world.pairs().size()) {
  const double depth = std::max(largest_moving_radius(world), 1e-300);
  for (const Body& body : world.bodies()) {
    if (const auto polytope = as_polytope(body)) {
      bodies_.emplace_back(polytope);
      features_.push_back(static_cast<int>(std::max(
          {polytope->vertices().size(), polytope->facets().size(), polytope->edges().size()})));
    } else {
      bodies_.emplace_back(*as_half_space(body), depth);
      features_.push_back(1);
    }
  }
}

bool RatioContacts::apart(const Configuration& configuration, const Pair& pair,
                          double margin) const {
  const Vec3& x = configuration.pose(pair.a).x;
  const double radius = world_.body(pair.a).shape->radius();
  const Pose& pose = configuration.pose(pair.b);
  if (const HalfSpace* half = as_half_space(world_.body(pair.b)))
    return half->normal().dot(pose.to_body(x)) - half->offset() > radius + margin;
  const double reach = radius + world_.body(pair.b).shape->radius() + margin;
  return (x - pose.x).squaredNorm() > reach * reach;
}

const RatioMetric& RatioContacts::measure(const Configuration& configuration, std::size_t k) {
  const Pair& pair = world_.pairs()[k];
  auto& last = last_[k];
  last = ratio_metric(body(pair.a), configuration.pose(pair.a), body(pair.b),
                      configuration.pose(pair.b), last ? &*last : nullptr);
  return *last;
}

EventOptions RatioContacts::options(const Configuration& configuration, const State& state,
                                    double h, const Pair& pair, const RatioMetric& metric) const {
  const double travel = reach(world_, state, pair.a, h) + reach(world_, state, pair.b, h);
  const double inner = body(pair.a).inner_radius() + body(pair.b).inner_radius();
  const double overlap = std::max(0.0, -metric.rho);
  const Vec3 delta = configuration.pose(pair.a).to_world(body(pair.a).interior()) -
                     configuration.pose(pair.b).to_world(body(pair.b).interior());
  // A half-space's interior point is somewhere along its surface: only n·δ has a meaning.
  const double distance =
      as_half_space(world_.body(pair.b)) ? std::abs(metric.normal.dot(delta)) : delta.norm();
  const double margin = 2.0 * travel + relative_tolerance * inner, depth = overlap * distance;
  const auto choose = [](double given, double rule) { return given > 0.0 ? given : rule; };
  return {.eps_t = choose(settings_.eps_t, margin / inner + overlap),
          .eps_x = choose(settings_.eps_x, travel + relative_tolerance * inner + depth),
          .eps_p = choose(settings_.eps_p, margin + depth)};
}

int RatioContacts::feature(const Pair& pair, const RatioEvent& event) const {
  const int of_a = features_[static_cast<std::size_t>(pair.a)],
            of_b = features_[static_cast<std::size_t>(pair.b)];
  return (static_cast<int>(event.kind) * of_a + event.feature_a) * of_b + event.feature_b;
}

void RatioContacts::find(const Configuration& configuration, const State& state, double h,
                         std::vector<Contact>& out) {
  out.clear();
  events_ = kept_ = 0;
  for (std::size_t k = 0; k < world_.pairs().size(); ++k) {
    const Pair& pair = world_.pairs()[k];
    const double margin = 2.0 * (reach(world_, state, pair.a, h) + reach(world_, state, pair.b, h));
    if (apart(configuration, pair, margin)) continue;
    const RatioMetric& metric = measure(configuration, k);
    const EventFinder finder(body(pair.a), configuration.pose(pair.a), body(pair.b),
                             configuration.pose(pair.b));
    std::vector<RatioEvent> found =
        finder.nearly_active(metric, options(configuration, state, h, pair, metric));
    const double deepest = std::min(metric.rho, 0.0) - round_off;
    std::erase_if(found, [&](const RatioEvent& event) { return event.phi < deepest; });
    events_ += static_cast<int>(found.size());
    std::vector<int> chosen;
    if (settings_.reduce) {
      chosen = essential_events(found, {.friction = pair.law.mu > 0.0});
    } else {
      for (int i = 0; i < static_cast<int>(found.size()); ++i) chosen.push_back(i);
    }
    kept_ += static_cast<int>(chosen.size());
    for (const int i : chosen) {
      const RatioEvent& event = found[static_cast<std::size_t>(i)];
      Contact& contact = out.emplace_back();
      contact.a = pair.a;
      contact.b = pair.b;
      contact.feature = feature(pair, event);
      contact.point = event.point;
      contact.n = event.normal;
      contact.gap = event.r * event.gap;
      contact.law = &pair.law;
      set_tangents(world_.dim(), contact);
    }
  }
}

double RatioContacts::infeasibility(const Configuration& configuration) {
  double worst = joint_error(configuration);
  for (std::size_t k = 0; k < world_.pairs().size(); ++k)
    if (!apart(configuration, world_.pairs()[k], 0.0))
      worst = std::max(worst, -measure(configuration, k).rho);
  return worst;
}

double ratio_infeasibility(const World& world, const State& state) {
  Configuration configuration;
  configuration.update(world, state);
  return RatioContacts(world).infeasibility(configuration);
}

}  // namespace touchstone

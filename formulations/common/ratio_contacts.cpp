#include "formulations/common/ratio_contacts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "formulations/common/joints.hpp"

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
    : world_(world), settings_(settings) {
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

namespace {

/// No point of the two bodies can be closer than `margin` [m], by their bounding balls.
bool apart(const Configuration& configuration, const Pair& pair, double margin) {
  const World& world = configuration.world();
  const Vec3& x = configuration.pose(pair.a).x;
  const double radius = world.body(pair.a).shape->radius();
  const Pose& pose = configuration.pose(pair.b);
  if (const HalfSpace* half = as_half_space(world.body(pair.b)))
    return half->normal().dot(pose.to_body(x)) - half->offset() > radius + margin;
  const double reach = radius + world.body(pair.b).shape->radius() + margin;
  return (x - pose.x).squaredNorm() > reach * reach;
}

}  // namespace

void RatioContacts::set_travel(const Vec& nu, double time, Loads loads, Travel& travel) const {
  travel.along.assign(world_.bodies().size(), Vec3::Zero());
  travel.more.assign(world_.bodies().size(), 0.0);
  travel.turn.assign(world_.bodies().size(), Vec3::Zero());
  for (const int i : world_.moving()) {
    const Body& body = world_.body(i);
    const Twist motion = twist(world_, nu, i);
    double& more = travel.more[static_cast<std::size_t>(i)];
    travel.along[static_cast<std::size_t>(i)] = time * motion.v;
    travel.turn[static_cast<std::size_t>(i)] = time * motion.w;
    more = time * motion.w.norm() * body.shape->radius();
    if (loads == Loads::yes)
      more += 0.5 * time * time * (world_.peak_gravity() + body.applied.force.norm() / body.mass);
  }
}

void RatioContacts::find_near(const Configuration& configuration, const Travel& travel) {
  // Boxes grow by the motion relative to the average: common motion brings nothing together.
  Vec3 average = Vec3::Zero();
  for (const int i : world_.moving()) average += travel.along[static_cast<std::size_t>(i)];
  average /= std::max(1.0, static_cast<double>(world_.moving().size()));
  margins_.clear();
  for (std::size_t i = 0; i < travel.along.size(); ++i)
    margins_.push_back((travel.along[i] - average).norm() + travel.more[i]);
  bounding_boxes(configuration, margins_, boxes_);
  sweep_.update(boxes_);
  near_.clear();
  for (const auto& [i, j] : sweep_.pairs()) {
    const Pair* pair = world_.pair(i, j);
    if (pair && !apart(configuration, *pair, travel.distance(i, j))) near_.push_back(pair);
  }
}

const RatioMetric& RatioContacts::measure(const Configuration& configuration, const Pair& pair) {
  const auto [last, is_new] = last_.try_emplace(&pair);
  last->second = ratio_metric(body(pair.a), configuration.pose(pair.a), body(pair.b),
                              configuration.pose(pair.b), is_new ? nullptr : &last->second);
  return last->second;
}

EventOptions RatioContacts::options(const Configuration& configuration, const Pair& pair,
                                    const Travel& travel, const RatioMetric& metric) const {
  const double margin = travel.distance(pair.a, pair.b);
  const double inner = body(pair.a).inner_radius() + body(pair.b).inner_radius();
  const double overlap = std::max(0.0, -metric.rho);
  const Vec3 delta = configuration.pose(pair.a).to_world(body(pair.a).interior()) -
                     configuration.pose(pair.b).to_world(body(pair.b).interior());
  // A half-space's interior point is somewhere along its surface: only n·δ has a meaning.
  const bool on_half_space = as_half_space(world_.body(pair.b)) != nullptr;
  const double distance = on_half_space ? std::abs(metric.normal.dot(delta)) : delta.norm();
  const double tolerance = relative_tolerance * inner, depth = overlap * distance;
  const auto choose = [](double given, double rule) { return given > 0.0 ? given : rule; };
  return {.eps_t = choose(settings_.eps_t, (margin + tolerance) / inner + overlap),
          .eps_x = choose(settings_.eps_x, 0.5 * margin + tolerance + depth),
          .eps_p = choose(settings_.eps_p, margin + tolerance + depth),
          .turn = on_half_space || settings_.eps_p > 0.0 ? 0.0 : travel.angle(pair.a, pair.b)};
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
  set_travel(state.nu, 2.0 * h, Loads::yes, found_);
  find_near(configuration, found_);
  for (const Pair* pair : near_) add_events(configuration, *pair, found_, out);
}

void RatioContacts::find_missed(const Configuration& configuration, const Vec& nu, double h,
                                std::vector<Contact>& out) {
  out.clear();
  set_travel(nu, 2.0 * h, Loads::no, missed_);
  find_near(configuration, missed_);
  for (const Pair* pair : near_)
    if (missed_.distance(pair->a, pair->b) > margin(pair->a, pair->b) ||
        missed_.angle(pair->a, pair->b) > found_.angle(pair->a, pair->b))
      add_events(configuration, *pair, missed_, out);
}

void RatioContacts::add_events(const Configuration& configuration, const Pair& pair,
                               const Travel& travel, std::vector<Contact>& out) {
  const RatioMetric& metric = measure(configuration, pair);
  const EventFinder finder(body(pair.a), configuration.pose(pair.a), body(pair.b),
                           configuration.pose(pair.b));
  std::vector<RatioEvent> found =
      finder.nearly_active(metric, options(configuration, pair, travel, metric));
  const double deepest = std::min(metric.rho, 0.0) - round_off;
  std::erase_if(found, [&](const RatioEvent& event) { return event.phi < deepest; });
  events_ += static_cast<int>(found.size());
  std::vector<int> chosen;
  if (settings_.reduce) {
    chosen = essential_events(found, {.friction = pair.law.mu > 0.0});
  } else {
    chosen.resize(found.size());
    std::iota(chosen.begin(), chosen.end(), 0);
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

double RatioContacts::infeasibility(const Configuration& configuration) {
  double worst = joint_error(configuration);
  set_travel(Vec::Zero(world_.nv()), 0.0, Loads::no, none_);
  find_near(configuration, none_);
  for (const Pair* pair : near_) worst = std::max(worst, -measure(configuration, *pair).rho);
  return worst;
}

double ratio_infeasibility(const World& world, const State& state) {
  Configuration configuration;
  configuration.update(world, state);
  return RatioContacts(world).infeasibility(configuration);
}

}  // namespace touchstone

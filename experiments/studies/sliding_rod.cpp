#include "experiments/studies/sliding_rod.hpp"

#include <stdexcept>

#include "geometry/shapes.hpp"

namespace touchstone {

namespace {

World rod_world(const RodSetting& at) {
  Body rod{.name = "rod"};
  rod.shape = std::make_shared<Polytope>(
      2, std::vector<Vec3>{{1.0, 0.0, 0.0}, {0.0, 0.02, 0.0}, {-1.0, 0.0, 0.0}, {0.0, -0.02, 0.0}});
  rod.inertia = Mat3::Identity() * at.rod.inertia;
  rod.angle = at.rod.angle;
  rod.position = {0.0, at.rod.s, 0.0};
  rod.twist = {{-at.slip - at.omega * at.rod.s, at.omega * at.rod.c, 0.0}, {0.0, 0.0, at.omega}};
  Body base{.name = "base"};
  if (at.base_mass > 0.0) {
    base.shape = std::make_shared<Polytope>(
        2,
        std::vector<Vec3>{{-1.0, -1.0, 0.0}, {1.0, -1.0, 0.0}, {1.0, 1.0, 0.0}, {-1.0, 1.0, 0.0}});
    base.mass = at.base_mass;
    base.position = {-at.rod.c, -1.0, 0.0};  // below the tip: a normal force does not turn it
    base.applied.force = {0.0, at.base_force, 0.0};
  } else {
    base.shape = std::make_shared<HalfSpace>(2, Vec3::UnitY(), 0.0);
    base.fixed = true;
  }
  return World(2, {at.load, -at.gravity, 0.0}, {rod, base},
               {.mu = at.mu, .restitution = at.restitution});
}

}  // namespace

RodContact::RodContact(const RodSetting& setting)
    : world_(rod_world(setting)), state_(initial_state(world_)) {
  configuration_.update(world_, state_);
  find_contacts_within(configuration_, 1e-9, contacts_);
  if (contacts_.size() != 1) throw std::logic_error("the rod touches with something but its tip");
  const Contact& tip = contacts_.front();
  columns_ = contact_columns(configuration_, tip);
  rates_ = contact_rates(configuration_, track(configuration_, tip), tip, state_.nu);
}

Column RodContact::sliding_tip() const {
  const double mu = contacts_.front().law->mu;
  return mu > 0.0
             ? sliding_column(columns_, mu, scaled_slip(world_, columns_, state_.nu).normalized())
             : columns_.n;
}

Vec RodContact::free_acceleration() const {
  Vec after;
  configuration_.free_velocity(state_.nu, 1.0, after);
  return after - state_.nu;
}

Lcp RodContact::sliding() const {
  const double q = gap_acceleration(configuration_, contacts_.front(), rates_, free_acceleration());
  return {Mat::Constant(1, 1, delassus(configuration_, columns_.n, sliding_tip())),
          Vec::Constant(1, q)};
}

FrictionCones RodContact::resting() const {
  const Contact& tip = contacts_.front();
  const std::vector<Column> rows{columns_.n, columns_.f[0]};
  FrictionCones p{
      .W = Mat(2, 2), .q = Vec(2), .friction = {1}, .mu = Vec::Constant(1, tip.law->mu)};
  delassus(configuration_, rows, rows, p.W);
  const Vec free = free_acceleration();
  p.q << gap_acceleration(configuration_, tip, rates_, free),
      velocity(world_, columns_.f[0], free) + tip.t.dot(rates_.c);
  return p;
}

void RodContact::apply_sliding(double z, Vec& nu) const {
  apply_impulse(configuration_, sliding_tip(), z, nu);
}

}  // namespace touchstone

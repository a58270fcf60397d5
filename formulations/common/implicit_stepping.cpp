#include "formulations/common/implicit_stepping.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace touchstone {

namespace {

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr int sweeps = 30;          // of Gauss–Seidel where a contact is new
constexpr int newton_steps = 15;    // of the projected form
constexpr double last_step = 1e-9;  // a step this short leaves an error at round-off [1]

}  // namespace

Parameters ImplicitStepping::parameters() {
  return {text("start", "projected",
               "what the solver starts from: Newton on the projected form, or the prediction")
              .one_of({"projected", "predicted"})};
}

std::string ImplicitStepping::inapplicable(const World& world) {
  for (const Pair& pair : world.pairs())
    if (pair.law.restitution > 0.0)
      return fmt::format(
          "{} and {} have restitution = {}; this method knows only inelastic contact",
          world.body(pair.a).name, world.body(pair.b).name, pair.law.restitution);
  return {};
}

ImplicitStepping::ImplicitStepping(const World& world, const Parameters& settings,
                                   std::unique_ptr<Solver> solver)
    : TimeStepping(world, std::move(solver), 1, Blocks::end),
      world_(world),
      projected_(settings.text("start") == "projected") {}

void ImplicitStepping::assemble(const StepInput& in, Problem& problem) {
  if (!std::holds_alternative<Mcp>(problem)) problem = Mcp{};
  Mcp& mcp = std::get<Mcp>(problem);
  if (!step_ || mcp.function != step_ || step_.use_count() > 2) step_ = make_step();
  step_->begin(world_, in.configuration, in.nu_free, in.contacts, in.bodies, in.h);
  mcp.function = step_;
  step_->fill(mcp);
}

// ---- Where to start

const ImplicitStepping::Memory* ImplicitStepping::remembered(int a, int b) const {
  for (const Memory& memory : memory_)
    if (memory.a == a && memory.b == b) return &memory;
  return nullptr;
}

/// Closest points of two bodies; the middle of them where a face touches a face.
ContactPoint ImplicitStepping::nearest_points(int a, const Pose& pose_a, int b,
                                              const Pose& pose_b) {
  points_.clear();
  contact_points(*world_.body(a).shape, pose_a, *world_.body(b).shape, pose_b, inf, points_);
  const ContactPoint nearest =
      *std::min_element(points_.begin(), points_.end(),
                        [](const ContactPoint& x, const ContactPoint& y) { return x.gap < y.gap; });
  if (points_.size() == 1) return nearest;
  ContactPoint middle = nearest;
  middle.on_a.setZero();
  middle.on_b.setZero();
  double count = 0.0;
  for (const ContactPoint& point : points_) {
    if (point.gap > nearest.gap + touching_gap || point.normal.dot(nearest.normal) < 0.99) continue;
    middle.on_a += point.on_a;
    middle.on_b += point.on_b;
    count += 1.0;
  }
  middle.on_a /= count;
  middle.on_b /= count;
  return middle;
}

/// Where a face touches a face, the last of `points_` tells nothing of where the impulse acts: that
/// moves little from step to step, within the region of contact.
void ImplicitStepping::stay_at(const Vec3& point, ContactPoint& near) const {
  if (points_.size() < 2) return;
  Vec3 along = point - near.on_a;
  along -= along.dot(near.normal) * near.normal;
  double reach = 0.0;  // of the region in that direction
  for (const ContactPoint& corner : points_)
    reach = std::max(reach, (corner.on_a - near.on_a).dot(along));
  if (reach < along.squaredNorm()) return;
  near.on_a += along;
  near.on_b += along;
}

/// Impulses of the last step or, where a contact is new, of projected Gauss–Seidel on the contact
/// laws with the blocks of the start. (Without them the friction rows vanish at p_n = 0.) Leaves ν⁺
/// in nu_ and the impulses in z.
void ImplicitStepping::estimate_impulses(const StepInput& in, bool remember, Vec& z) {
  nu_ = in.nu_free;
  columns_.clear();  // n, then the components of friction, of each contact
  bool all_known = true;
  const auto move = [&](const Column& w, double change) {
    apply_impulse(in.configuration, w, change, nu_);
  };
  for (std::size_t i = 0; i < in.contacts.size(); ++i) {
    const Contact& c = in.contacts[i];
    const ImplicitStep::Place& place = step_->places()[i];
    const Memory* known = remember ? remembered(c.a, c.b) : nullptr;
    const Impulse* p = known ? &known->impulse : nullptr;
    all_known = all_known && p;
    const auto add = [&](const Vec3& force, const Vec3& moment, int at, double size) {
      columns_.push_back(wrench_column(world_, in.configuration, c, force, moment));
      z[at] = size;
      if (size != 0.0) move(columns_.back(), size);
    };
    add(c.n, Vec3::Zero(), place.p_n(), p ? p->n : 0.0);
    const Vec3 forces[] = {c.t, c.o, Vec3::Zero()};
    const double sizes[] = {p ? p->t : 0.0, p ? p->o : 0.0, p ? p->r : 0.0};
    for (int k = 0; k < place.n_friction; ++k) {
      const int component = place.component[static_cast<std::size_t>(k)];
      add(forces[component], component == 2 ? c.n : Vec3::Zero(), place.p_f(k), sizes[component]);
    }
  }
  for (int sweep = 0; sweep < (all_known ? 0 : sweeps); ++sweep) {
    std::size_t column = 0;
    for (std::size_t i = 0; i < in.contacts.size(); ++i) {
      const ImplicitStep::Place& place = step_->places()[i];
      const Contact& c = in.contacts[i];
      const double row = velocity(world_, columns_[column], nu_) + c.gap / in.h;
      const double p_n = std::max(0.0, z[place.p_n()] - row / place.A_n);
      move(columns_[column++], p_n - z[place.p_n()]);
      z[place.p_n()] = p_n;
      double used = 0.0;
      std::array<double, 3> next{};
      for (int k = 0; k < place.n_friction; ++k) {
        const auto f = static_cast<std::size_t>(k);
        next[f] = z[place.p_f(k)] - velocity(world_, columns_[column + f], nu_) / place.A_f[f];
        used += std::pow(next[f] / place.weight[f], 2);
      }
      const double limit = c.law->mu * p_n, shrink = std::min(1.0, limit / std::sqrt(used));
      for (int k = 0; k < place.n_friction; ++k) {
        const double p = used > 0.0 ? shrink * next[static_cast<std::size_t>(k)] : 0.0;
        move(columns_[column++], p - z[place.p_f(k)]);
        z[place.p_f(k)] = p;
      }
    }
  }
}

void ImplicitStepping::predict(const StepInput& in, bool remember, Vec& z) {
  z.setZero(step_->size());
  estimate_impulses(in, remember, z);
  start_at_velocity(in, remember, z);
}

/// ν⁺ = nu_, and the closest points that it leads to.
void ImplicitStepping::start_at_velocity(const StepInput& in, bool remember, Vec& z) {
  const int dof = world_.dof();
  trial_.q = in.state.q;
  advance_coordinates(world_, nu_, in.h, trial_.q);
  for (std::size_t k = 0; k < in.bodies.size(); ++k)
    z.segment(static_cast<Eigen::Index>(k) * dof, dof) =
        nu_.segment(world_.velocity_offset(in.bodies[k]), dof);
  for (std::size_t i = 0; i < in.contacts.size(); ++i) {
    if (step_->places()[i].n_y == 0) continue;
    const int a = in.contacts[i].a, b = in.contacts[i].b;
    const Pose pose_a = pose(world_, trial_, a), pose_b = pose(world_, trial_, b);
    ContactPoint near = nearest_points(a, pose_a, b, pose_b);
    if (const Memory* known = remember ? remembered(a, b) : nullptr;
        known && known->impulse.n > 0.0)
      stay_at(pose_a.to_world(known->point), near);
    start_geometry(*step_, i, near, pose_a, pose_b, z.data() + step_->places()[i].first);
  }
}

/// Newton's method on the projected form; the number of its steps, 0 when it did not converge (and
/// z is as it was).
int ImplicitStepping::project(Vec& z) {
  kept_ = z;
  for (int k = 1; k <= newton_steps; ++k) {
    if (!step_->newton_step(z, d_)) break;
    const double size = d_.lpNorm<Eigen::Infinity>();
    if (!(size < inf)) break;
    z -= d_;
    if (size > last_step * (1.0 + z.lpNorm<Eigen::Infinity>())) continue;
    for (const ImplicitStep::Place& place : step_->places())
      z[place.p_n()] = std::max(z[place.p_n()], 0.0);
    step_->set_slips(z);
    return k;
  }
  z = kept_;
  step_->set_slips(z);
  return 0;
}

// ---- Unknowns to physics

void ImplicitStepping::decode(const StepInput& in, const Vec& z, StepSolution& out) {
  const int dof = world_.dof();
  for (std::size_t k = 0; k < in.bodies.size(); ++k)
    out.nu.segment(world_.velocity_offset(in.bodies[k]), dof) =
        z.segment(static_cast<Eigen::Index>(k) * dof, dof);
  for (std::size_t i = 0; i < in.contacts.size(); ++i) {
    const ImplicitStep::Place& place = step_->places()[i];
    Impulse& p = out.impulses[i];
    out.contacts[i] = step_->contact_at(z, i);
    // Complementarity holds to the solver's tolerance; the natural map says which of the two is 0.
    if (place.A_n * z[place.p_n()] > out.contacts[i].gap / in.h) {
      p.n = z[place.p_n()];
      double* parts[] = {&p.t, &p.o, &p.r};
      for (int k = 0; k < place.n_friction; ++k)
        *parts[place.component[static_cast<std::size_t>(k)]] = z[place.p_f(k)];
    }
    const Contact& c = in.contacts[i];
    const Vec3 point = step_->pose_at(z, c.a).to_body(out.contacts[i].point);
    const auto known = std::find_if(memory_.begin(), memory_.end(),
                                    [&](const Memory& m) { return m.a == c.a && m.b == c.b; });
    if (known == memory_.end())
      memory_.push_back({c.a, c.b, p, point});
    else
      *known = {c.a, c.b, p, point};
  }
}

double ImplicitStepping::normal_row(const Contact& contact, double, const State& state,
                                    const Vec& nu, double h) {
  trial_.q = state.q;
  advance_coordinates(world_, nu, h, trial_.q);
  return nearest_points(contact.a, pose(world_, trial_, contact.a), contact.b,
                        pose(world_, trial_, contact.b))
             .gap /
         h;
}

}  // namespace touchstone

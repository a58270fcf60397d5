#include "formulations/common/implicit_stepping.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace touchstone {

namespace {

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double overlap = 1e-6;  // [m] at the start of a step: more than any step leaves behind
// Friction rows are products of impulses: an error of 1e-10 in them is one of 1e-8 in the impulse.
constexpr Tolerance tight{.absolute = 1e-12, .relative = 1e-14};
constexpr int sweeps = 30;             // of Gauss–Seidel where a contact is new
constexpr int newton_steps = 15;       // of the projected form
constexpr double last_step = 1e-9;     // a step this short leaves an error at round-off [1]
constexpr Eigen::Index largest = 200;  // unknowns up to which the projected form is solved densely

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

const Impulse* ImplicitStepping::remembered(int a, int b) const {
  for (const Memory& memory : memory_)
    if (memory.a == a && memory.b == b) return &memory.impulse;
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
    const Impulse* p = remember ? remembered(c.a, c.b) : nullptr;
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
  const int dof = world_.dof();
  trial_.q = in.state.q;
  advance_coordinates(world_, nu_, in.h, trial_.q);
  for (std::size_t k = 0; k < in.bodies.size(); ++k)
    z.segment(static_cast<Eigen::Index>(k) * dof, dof) =
        nu_.segment(world_.velocity_offset(in.bodies[k]), dof);
  for (std::size_t i = 0; i < in.contacts.size(); ++i) {
    const int a = in.contacts[i].a, b = in.contacts[i].b;
    const Pose pose_a = pose(world_, trial_, a), pose_b = pose(world_, trial_, b);
    start_geometry(*step_, i, nearest_points(a, pose_a, b, pose_b), pose_a, pose_b,
                   z.data() + step_->places()[i].first);
  }
  step_->set_slips(z);
}

/// Newton's method on the projected form; the number of its steps, 0 when it did not converge (and
/// z is as it was).
int ImplicitStepping::project(Vec& z) {
  if (z.size() > largest) return 0;
  d_ = z;  // kept for a failure
  Vec& kept = d_;
  for (int k = 1; k <= newton_steps; ++k) {
    step_->projected(z, F_, J_);
    dense_.setZero(z.size(), z.size());
    for (Eigen::Index j = 0; j < J_.outerSize(); ++j)
      for (SpMat::InnerIterator it(J_, j); it; ++it) dense_(it.row(), j) = it.value();
    lu_.compute(dense_);
    F_ = lu_.solve(F_).eval();
    const double size = F_.lpNorm<Eigen::Infinity>();
    if (!(size < inf)) break;
    z -= F_;
    if (size > last_step * (1.0 + z.lpNorm<Eigen::Infinity>())) continue;
    for (const ImplicitStep::Place& place : step_->places())
      z[place.p_n()] = std::max(z[place.p_n()], 0.0);
    step_->set_slips(z);
    return k;
  }
  z = kept;
  return 0;
}

// ---- Solving

Answer ImplicitStepping::attempt(const Problem& problem, const Vec& guess) {
  Answer answer = solver().solve(problem, guess, tight);
  if (!answer.ok()) return answer;
  if (const std::string why = implausible(*step_, answer.z); !why.empty()) {
    answer.status = Status::inaccurate;
    answer.notes.push_back(why);
  }
  return answer;
}

Vec ImplicitStepping::start(const StepInput& in) {
  Vec z;
  predict(in, false, z);
  return z;
}

Answer ImplicitStepping::solve(const StepInput& in, const Problem& problem) {
  predict(in, true, guess_);
  const int steps = projected_ ? project(guess_) : 0;
  Answer answer = attempt(problem, guess_);
  answer.iterations += steps;
  for (const Contact& c : in.contacts)
    if (c.gap < -overlap)
      answer.notes.insert(
          answer.notes.begin(),
          fmt::format("step from t = {:g}: {} overlap by {:.3g} m; the step separates them, with "
                      "{:.3g} m/s",
                      in.state.t, contact_name(world_, c), -c.gap, -c.gap / in.h));
  if (answer.ok()) return answer;

  const std::string first = to_string(answer.status);
  const auto retry = [&](const char* name, Answer next) {
    next.iterations += answer.iterations;
    next.seconds += answer.seconds;
    if (next.ok())
      next.notes.push_back(fmt::format("step from t = {:g}: the first solve ended {}; solved {}",
                                       in.state.t, first, name));
    else
      next.notes.push_back(
          fmt::format("step from t = {:g}: {} ended {}", in.state.t, name, to_string(next.status)));
    next.notes.insert(next.notes.begin(), answer.notes.begin(), answer.notes.end());
    return next;
  };
  for (const bool remember : {true, false}) {
    if (remember && steps == 0) continue;  // it was the first start
    predict(in, remember, guess_);
    answer = retry(remember ? "from the prediction" : "from the blocks of the start",
                   attempt(problem, guess_));
    if (answer.ok()) return answer;
  }
  return retry("by continuation in the friction coefficients", continue_in_friction(in, problem));
}

Answer ImplicitStepping::continue_in_friction(const StepInput& in, const Problem& problem) {
  predict(in, false, guess_);
  Answer answer;
  int iterations = 0;
  double seconds = 0.0;
  for (const double factor : {0.0, 0.25, 0.5, 0.75, 1.0}) {
    step_->scale_friction(factor);
    answer = attempt(problem, guess_);
    iterations += answer.iterations;
    seconds += answer.seconds;
    if (!answer.ok()) break;
    guess_ = answer.z;
  }
  step_->scale_friction(1.0);
  answer.iterations = iterations;
  answer.seconds = seconds;
  return answer;
}

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
    const auto known = std::find_if(memory_.begin(), memory_.end(),
                                    [&](const Memory& m) { return m.a == c.a && m.b == c.b; });
    if (known == memory_.end())
      memory_.push_back({c.a, c.b, p});
    else
      known->impulse = p;
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

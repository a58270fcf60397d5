#pragma once

/// Jointed worlds for tests of the event-driven method.

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "formulations/common/event_driven.hpp"
#include "geometry/shapes.hpp"
#include "tests/formulations/conformance.hpp"

namespace touchstone::jointed {

using conformance::ball_body;
using conformance::box_body;

using conformance::g;
inline const Vec3 down(0, -g, 0);

inline std::unique_ptr<Formulation> make(const World& world,
                                         const std::vector<std::string>& sets = {},
                                         const std::string& solver = "lemke") {
  const auto& entry = Registry<FormulationEntry>::instance().find("baraff-acceleration");
  Parameters settings = entry.parameters;
  for (const std::string& set : sets) {
    const auto [key, value] = split_assignment(set);
    settings.set(key, value);
  }
  return make_formulation(entry, world, settings, make_solver(solver));
}

/// A fixed body far from everything, to which others are tied.
inline Body base(int dim) {
  Body body = ball_body(dim, "base", 0.01, {0, 50, 0});
  body.fixed = true;
  return body;
}

inline Body bob(const std::string& name, const Vec3& at, const Vec3& v = Vec3::Zero()) {
  Body body = ball_body(2, name, 0.05, at);
  body.mass = 1.0;
  body.twist.v = v;
  return body;
}

inline World with_joints(int dim, std::vector<Body> bodies, const std::vector<Joint>& joints,
                         const FrictionLaw& law = {}) {
  return World(dim, dim == 2 ? down : Vec3(0, 0, -g), std::move(bodies), law, {}, joints);
}

inline State run(Formulation& formulation, const World& world, double h, double t_end,
                 const std::function<void(const Step&)>& look = {}) {
  State state = initial_state(world);
  const int steps = static_cast<int>(std::lround(t_end / h));
  for (int k = 0; k < steps; ++k) {
    const Step& step = formulation.advance(state, t_end / steps);
    EXPECT_EQ(step.status, Status::solved) << (step.notes.empty() ? "" : step.notes.front());
    if (step.status != Status::solved) break;
    if (look) look(step);
    state = step.next;
  }
  return state;
}

}  // namespace touchstone::jointed

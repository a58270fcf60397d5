#include <cmath>

#include "geometry/shapes.hpp"
#include "tests/formulations/conformance.hpp"

namespace touchstone::conformance {

Body floor_body(int dim) {
  Body body{
      .name = "floor",
      .shape = std::make_shared<HalfSpace>(dim, dim == 2 ? Vec3::UnitY() : Vec3::UnitZ(), 0.0)};
  body.fixed = true;
  return body;
}

Vec3 tilted_gravity(int dim, double angle) {
  const double along = g * std::sin(angle), into = -g * std::cos(angle);
  return dim == 2 ? Vec3(along, into, 0.0) : Vec3(along, 0.0, into);
}

namespace {

Body body_of(std::shared_ptr<const ConvexSet> shape, const std::string& name,
             const Vec3& position) {
  Body body{.name = name, .shape = std::move(shape)};
  const MassProperties unit = body.shape->mass_properties(1.0);
  body.mass = 1.0;
  body.inertia = unit.inertia / unit.mass;
  body.position = position;
  return body;
}

}  // namespace

Body ball_body(int dim, const std::string& name, double radius, const Vec3& position) {
  return body_of(std::make_shared<Ball>(dim, radius), name, position);
}

Body box_body(int dim, const std::string& name, const Vec3& sides, const Vec3& position) {
  return body_of(box(dim, sides), name, position);
}

Trace trace(Formulation& formulation, const World& world, double h, double t_end) {
  Trace result;
  State state = initial_state(world);
  const auto total = [&](const State& s, double elastic) {
    const Energy e = energy(world, s);
    return e.kinetic + e.potential + elastic;
  };
  result.states.push_back(state);
  result.energy.push_back(total(state, 0.0));
  const int steps = static_cast<int>(std::lround(t_end / h));
  for (int k = 0; k < steps; ++k) {
    const Step& step = formulation.advance(state, h);
    if (step.status != Status::solved) result.worst = step.status;
    result.contacts.push_back(step.contacts);
    result.energy.push_back(total(step.next, step.elastic));
    result.states.push_back(step.next);
    state = step.next;
  }
  return result;
}

Trace trace(const FormulationEntry& entry, const World& world, double h, double t_end) {
  return trace(*make_formulation(entry.name, world), world, h, t_end);
}

}  // namespace touchstone::conformance

#pragma once

/// What every formulation meets without being asked. A check takes a formulation's entry and says
/// whether it passed, with the number that decided it.

#include <string>
#include <vector>

#include "formulations/formulation.hpp"

namespace touchstone::conformance {

struct Outcome {
  bool passed = false;
  std::string measured;
};

struct Check {
  std::string name;
  Outcome (*run)(const FormulationEntry&);
};

/// All checks, in a fixed order.
const std::vector<Check>& checks();

// --- small scenes

constexpr double g = 9.81;

Body floor_body(int dim);
/// A floor that is tilted by `angle` about the out-of-plane axis, together with everything on it:
/// gravity stays normal to an untilted floor, so positions along the slope are x.
Vec3 tilted_gravity(int dim, double angle);
Body ball_body(int dim, const std::string& name, double radius, const Vec3& position);
Body box_body(int dim, const std::string& name, const Vec3& sides, const Vec3& position);

struct Trace {
  std::vector<State> states;  // the start and the end of every step
  std::vector<std::vector<ContactResult>> contacts;
  std::vector<double> energy;  // kinetic + potential + elastic
  Status worst = Status::solved;
};
Trace trace(Formulation& formulation, const World& world, double h, double t_end);
Trace trace(const FormulationEntry& entry, const World& world, double h, double t_end);

}  // namespace touchstone::conformance

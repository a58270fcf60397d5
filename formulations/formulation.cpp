#include "formulations/formulation.hpp"

#include <cmath>

namespace touchstone {

std::string to_string(Mode mode) {
  switch (mode) {
    case Mode::separate:
      return "separate";
    case Mode::stick:
      return "stick";
    case Mode::slip:
      return "slip";
    case Mode::spin:
      return "spin";
  }
  throw std::logic_error("unnamed contact mode");
}

void classify(ContactResult& result, double gap_after, double threshold) {
  result.slip = std::hypot(result.u_t, result.u_o);
  if (result.p_n <= 0.0 && gap_after > touching_gap)
    result.mode = Mode::separate;
  else if (result.slip > threshold)
    result.mode = Mode::slip;
  else if (std::abs(result.u_r) * result.contact.law->e_r > threshold)
    result.mode = Mode::spin;
  else
    result.mode = Mode::stick;
}

void measure(const Configuration& configuration, const Vec& before, const Vec& after,
             ContactResult& result, Work& work) {
  const World& world = configuration.world();
  const Contact& c = result.contact;
  const auto along = [&](const Vec3& force, const Vec3& moment, double p, double& u, double& sum) {
    const Column w = wrench_column(world, configuration, c, force, moment);
    u = velocity(world, w, after);
    sum += 0.5 * p * (velocity(world, w, before) + u);
  };
  along(c.n, Vec3::Zero(), result.p_n, result.u_n, work.normal);
  along(c.t, Vec3::Zero(), result.p_t, result.u_t, work.friction);
  if (world.dim() == 2) return;
  along(c.o, Vec3::Zero(), result.p_o, result.u_o, work.friction);
  along(Vec3::Zero(), c.n, result.p_r, result.u_r, work.friction);
}

double applied_work(const World& world, const State& before, const Vec& after, double h) {
  const Shaking& shaking = world.shaking();
  const Vec3 frame = shaking.velocity(before.t + h) - shaking.velocity(before.t);
  double sum = 0.0;
  for (const int i : world.moving()) {
    const Twist was = twist(world, before.nu, i), is = twist(world, after, i);
    const Wrench& load = world.body(i).applied;
    sum -= 0.5 * world.body(i).mass * frame.dot(was.v + is.v);
    sum += 0.5 * h * (load.force.dot(was.v + is.v) + load.torque.dot(was.w + is.w));
  }
  return sum;
}

std::unique_ptr<Formulation> make_formulation(const FormulationEntry& entry, const World& world,
                                              const Parameters& settings,
                                              std::unique_ptr<Solver> solver) {
  if (!entry.unavailable.empty())
    throw InputError("formulation '" + entry.name + "' is unavailable: " + entry.unavailable);
  if (!entry.takes_joints && !world.joints().empty())
    throw InputError("formulation '" + entry.name +
                     "' does not apply here: it has no joints, and the world has the joint '" +
                     world.joints().front().name + "'");
  if (!entry.takes_shaking && !world.shaking().empty())
    throw InputError(
        "formulation '" + entry.name +
        "' does not apply here: it knows constant gravity only, and the world is shaken");
  if (const std::string why = entry.inapplicable(world); !why.empty())
    throw InputError("formulation '" + entry.name + "' does not apply here: " + why);
  return entry.make(world, settings, std::move(solver));
}

std::unique_ptr<Formulation> make_formulation(const std::string& name, const World& world) {
  const auto& entry = Registry<FormulationEntry>::instance().find(name);
  return make_formulation(
      entry, world, entry.parameters,
      entry.default_solver.empty() ? nullptr : make_solver(entry.default_solver));
}

}  // namespace touchstone

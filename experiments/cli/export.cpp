#include <fmt/format.h>

#include "experiments/cli/commands.hpp"
#include "experiments/harness/files.hpp"
#include "experiments/target.hpp"
#include "formulations/common/cone_problem.hpp"
#include "formulations/common/time_stepping.hpp"
#include "solvers/fclib.hpp"
#include "solvers/problem_file.hpp"

namespace touchstone {

bool export_command(const std::string& name, const Choice& choice, int step, bool exact_cone) {
  if (!choice.out) throw InputError("--out: expected the file to write");
  if (choice.out->ends_with(".hdf5") && !exact_cone)
    throw InputError("--out " + *choice.out + ": FCLIB files hold exact-cone problems; add --cone");
  const Target target = target_of(name, choice.asked());
  const double h = target.spec.parameters.real("h");
  const auto formulation = make_formulation(target.spec, target.world);
  auto* stepping = dynamic_cast<TimeStepping*>(formulation.get());
  if (!stepping && !exact_cone)
    throw InputError("formulation '" + target.spec.formulation +
                     "' has no problem to export; --cone exports the exact-cone problem of a step");
  State state = initial_state(target.world);
  for (int k = 1; k < step; ++k) {
    const Step& done = formulation->advance(state, h);
    if (done.status != Status::solved && done.status != Status::inaccurate)
      throw InputError(
          fmt::format("step {} fails ({}): there is no step {}", k, to_string(done.status), step));
    state = done.next;
  }
  Configuration configuration;
  configuration.update(target.world, state);
  const Problem problem = exact_cone ? Problem(cone_problem(configuration, state, h))
                                     : stepping->whole_problem(state, h);
  if (choice.out->ends_with(".hdf5"))
    write_fclib(*choice.out, std::get<FrictionContact>(problem),
                {name, fmt::format("step {} from t = {} s, h = {} s", step, state.t, h), ""});
  else
    write_file(*choice.out, problem_text(problem));
  fmt::print("{}: {} with {} unknowns, step {} from t = {}\n", *choice.out, problem_class(problem),
             unknowns(problem), step, state.t);
  return true;
}

}  // namespace touchstone

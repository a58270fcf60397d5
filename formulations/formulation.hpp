#pragma once

/// What a contact formulation is: something that takes a state and advances it by h.
///
/// Time-stepping methods derive from TimeStepping (formulations/common/time_stepping.hpp) and write
/// two functions, `assemble` (equations → data) and `decode` (unknowns → physics). Event-driven and
/// sub-stepping methods derive from Formulation itself; an event that they meet inside the step
/// carries its own time.

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "formulations/common/contacts.hpp"
#include "solvers/solver.hpp"

namespace touchstone {

/// What a contact does, judged from its impulse and its velocity at the end of the step.
enum class Mode { separate, stick, slip, spin };
std::string to_string(Mode mode);

/// Impulses and velocities of one contact in its frame (n, t, o) and about n (r).
struct ContactResult {
  Contact contact{};
  double p_n = 0.0, p_t = 0.0, p_o = 0.0;  // [N·s]
  double p_r = 0.0;                        // [N·m·s]
  double u_n = 0.0, u_t = 0.0, u_o = 0.0;  // [m/s] relative velocity after the step
  double u_r = 0.0;                        // [rad/s]
  double slip = 0.0;                       // [m/s] ‖(u_t, u_o)‖
  Mode mode = Mode::separate;
};

/// Two bodies touch up to this gap [m]: round-off, not motion.
constexpr double touching_gap = 1e-9;

/// Sets slip and mode: separate when there is neither a normal impulse nor touch at the end of the
/// step
/// (`gap_after` [m]; of redundant contacts some carry nothing), slip or spin when the velocity
/// exceeds `threshold` [m/s] (spin: only the angular velocity about n, times e_r), stick otherwise.
void classify(ContactResult& result, double gap_after, double threshold);

/// Work done on the bodies during the step [J]. With an impulse p at a contact the kinetic energy
/// changes by exactly p·(u⁻ + u⁺)/2, so the ledger closes but for the integrator's own error.
struct Work {
  double normal = 0.0;
  double friction = 0.0;
  double joints = 0.0;
  double applied = 0.0;
};

/// Fills u_n … u_r of the result with the contact's velocities under `after`, and adds the work of
/// its impulses between `before` and `after` to the ledger.
void measure(const Configuration& configuration, const Vec& before, const Vec& after,
             ContactResult& result, Work& work);

/// Work of the applied loads and of the shaken frame over a step from `before` with the velocities
/// `after` at its end [J].
double applied_work(const World& world, const State& before, const Vec& after, double h);

/// Something that happened inside the step, for methods that know when.
struct Event {
  double t = 0.0;
  std::string contact;
  std::string kind;    // slip, stick, separate, touch, flat
  std::string mode{};  // "spin" where a slip is one about the normal only
};

struct Step {
  State next;
  std::vector<ContactResult> contacts;
  std::vector<Event> events;  // empty for methods that do not locate events
  Work work{};
  int candidates = 0;  // contacts that were found near, for methods that look for them once a step
  int dropped = 0;     // of these, left out as redundant
  double elastic = 0.0;  // [J] energy stored in the contacts at the end (penalty methods)

  // The solves of this step, taken together: worst status and residual, sums of the rest.
  Status status = Status::solved;
  Residual residual{};
  int iterations = 0;
  int unknowns = 0;
  double solve_seconds = 0.0;
  std::vector<std::string> notes;
  // A method's own numbers, by name: summed and maximised over the run.
  std::map<std::string, long> counts;
  std::map<std::string, double> worst;
};

/// Bound to one world and, where it needs one, one solver; keeps its workspaces between steps.
class Formulation {
 public:
  virtual ~Formulation() = default;
  /// The step from `state` to state.t + h. The reference is valid until the next call.
  virtual const Step& advance(const State& state, double h) = 0;
};

struct FormulationEntry {
  static constexpr const char* kind = "formulation";
  std::string name;
  std::string summary;
  std::string cite;
  Parameters parameters{};       // its own settings, beside those of the study or scene
  std::string default_solver{};  // empty: it needs no solver
  std::string unavailable{};
  bool takes_joints = false;   // worlds with joints are refused otherwise
  bool takes_shaking = false;  // shaken worlds are refused otherwise
  /// Empty, or why this world cannot be run (for example: only polyhedra).
  std::function<std::string(const World&)> inapplicable = [](const World&) {
    return std::string();
  };
  std::function<std::unique_ptr<Formulation>(const World&, const Parameters&,
                                             std::unique_ptr<Solver>)>
      make{};
};

/// A ready formulation with its default solver and settings, or with those given.
std::unique_ptr<Formulation> make_formulation(const std::string& name, const World& world);
std::unique_ptr<Formulation> make_formulation(const FormulationEntry& entry, const World& world,
                                              const Parameters& settings,
                                              std::unique_ptr<Solver> solver);

}  // namespace touchstone

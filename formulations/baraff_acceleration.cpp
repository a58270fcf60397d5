/// baraff-acceleration: event-driven simulation with contact forces at acceleration level.
///
/// D. Baraff, "Dynamic Simulation of Non-Penetrating Rigid Bodies", thesis, Cornell TR 92-1275,
/// 1992. Between events the motion is smooth; at events velocities may jump and contact modes
/// change.
///
///     M ν̇ = λ_app + λ_vp + Σ W r + J λ_J,   q̇ = Gν                               (3-1)
///     Jᵀν̇ + J̇ᵀν = 0    joints, λ_J of either sign
///     a = A f − b ≥ 0,  f ≥ 0,  f·a = 0    frictionless                            (8-7)
///     as programs: min fᵀAf − bᵀf, Af ≥ b, f ≥ 0;  min ½fᵀAf − bᵀf, f ≥ 0          (8-10), (8-11)
///     f_t = −μ f_N v_t/|v_t|    dynamic friction: A = NᵀM⁻¹(N − μT), unsymmetric    (10)
///     a_t = 0, |f_t| ≤ μf_N, or |f_t| = μf_N against the slip that begins: static   (9), (14)
///     Lemke's ray z: an impulse that stops the first sliding contact               (13-1)
///     v⁺ = Aj + v⁻,  v⁺ + ε v⁻ ≥ 0, j ≥ 0, complementary: simultaneous impacts
///
/// Unknowns: r, the normal forces [N] and, where a contact sticks, its friction forces [N; N m] or,
/// in an impact, impulses. a are second derivatives of the gaps (contact_kinematics.hpp) and of the
/// slip. Parts: contact_kinematics (chapter 6), contact_phase (motion between events),
/// contact_forces (the problems), impacts, event_driven (the loop), verdict (unique, several,
/// impulsive, none).
///
/// The solver takes the LCPs and QPs. Contacts at rest with two or three friction components are
/// solved by solvers/own/friction_cones.
///
/// Deviations: (3-1) gains the gyroscopic term λ_vp = −ω × Iω. Friction is that of the ellipsoid
/// with torsion (Chakraborty et al. 2007), and a slip that begins does so against the friction
/// (maximum dissipation; the thesis only asks for f_t·a_t ≤ 0). While a contact sticks it does so
/// as a constraint, and events of its friction force say when it slips: the approximations of
/// chapter 14 are not needed, but can be chosen (`static_friction`, resting_friction.hpp; their
/// failures are counted in the records). The thesis chooses forces anew at every step: `ask =
/// steps` does so. The thesis leaves the integrator open: Dormand–Prince 5(4), and Radau IIA of
/// order 5 where the direction of a slip is stiff. Drift of gaps and velocities is removed by
/// projection after a step (`drift`). Flat spots, which the thesis leaves out (6.7), are crossed by
/// a step with impulses (singular_passage.hpp) and rested on with several points (flat_spots.cpp).
/// Approaches slower than `rest_speed` do not bounce, and slips slower than that stop with them,
/// which ends Zeno sequences. Redundant contacts have forces that are not unique; those nearest to
/// the last ones are taken, or the least ones where one contact reaches its friction limit
/// (event_sharing.cpp), and where the contacts slide along unlike directions the motion depends on
/// that choice.

#include "formulations/common/event_driven.hpp"

namespace touchstone {

namespace {

EventSettings settings_of(const Parameters& p) {
  EventSettings s;
  s.integrator = p.text("integrator");
  s.tolerance = p.real("integration_tolerance");
  s.substep = p.real("substep");
  s.project = p.text("drift") == "project";
  s.rest_speed = p.real("rest_speed");
  s.most_events = p.real("max_events");
  s.longest_step = p.real("max_step");
  s.ask_every_step = p.text("ask") == "steps";
  s.friction.rule = resting_rule(p.text("static_friction"));
  s.friction.creep = p.real("creep_speed");
  s.form = force_form(p.text("form"));
  s.impact.order =
      p.text("impacts") == "sequential" ? ImpactOrder::sequential : ImpactOrder::simultaneous;
  s.impact.restitution =
      p.text("restitution_law") == "poisson" ? RestitutionLaw::poisson : RestitutionLaw::newton;
  return s;
}

const Register<FormulationEntry> entry{{
    .name = "baraff-acceleration",
    .summary = "event-driven: acceleration-level LCP or QP, impulses for impacts and "
               "inconsistent configurations",
    .cite = "Baraff 1992, thesis (Cornell TR 92-1275)",
    .parameters =
        {text("integrator", "dormand-prince", "between events")
             .one_of({"dormand-prince", "rk4", "midpoint", "euler"}),
         real("integration_tolerance", 1e-10, "1",
              "local error of dormand-prince, absolute and "
              "relative")
             .above(0),
         real("substep", 1e-3, "s", "step of the other integrators").above(0),
         real("max_step", 1.0, "s", "longest step of the integrator").above(0),
         text("static_friction", "exact",
              "law of contacts at rest: exact, or one of the thesis' approximations (14.2); modes: "
              "exact by enumeration, planar")
             .one_of({"exact", "lag", "regularised", "sign-guess", "modes"}),
         real("creep_speed", 1e-3, "m/s", "ε of static_friction = regularised").above(0),
         text("ask", "events", "when forces and modes are chosen; steps: after each step as well")
             .one_of({"events", "steps"}),
         text("drift", "project", "of gaps and slip while contacts hold")
             .one_of({"project", "keep"}),
         text("form", "lcp", "of frictionless contact forces: (8-7), (8-10) or (8-11)")
             .one_of({"lcp", "qp-1", "qp-2"}),
         text("impacts", "simultaneous", "all touching contacts at once, or one after the other")
             .one_of({"simultaneous", "sequential"}),
         text("restitution_law", "newton", "of velocities or of impulses")
             .one_of({"newton", "poisson"}),
         real("rest_speed", 1e-4, "m/s", "slower impacts do not bounce").at_least(0),
         real("max_events", 1e5, "1/s", "more events are reported as Zeno behaviour").above(0)},
    .default_solver = "lemke",
    .takes_joints = true,
    .make =
        [](const World& world, const Parameters& settings, std::unique_ptr<Solver> solver) {
          return std::make_unique<EventDriven>(world, settings_of(settings), std::move(solver));
        },
}};

}  // namespace

}  // namespace touchstone

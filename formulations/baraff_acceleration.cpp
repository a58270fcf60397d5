/// baraff-acceleration: placeholder header
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
  s.form = force_form(p.text("form"));
  s.impact.order = p.text("impacts") == "sequential" ? ImpactOrder::sequential
                                                     : ImpactOrder::simultaneous;
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
         real("integration_tolerance", 1e-10, "1", "local error of dormand-prince, absolute and "
                                                   "relative")
             .above(0),
         real("substep", 1e-3, "s", "step of the other integrators").above(0),
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
    .make = [](const World& world, const Parameters& settings, std::unique_ptr<Solver> solver) {
      return std::make_unique<EventDriven>(world, settings_of(settings), std::move(solver));
    },
}};

}  // namespace

}  // namespace touchstone

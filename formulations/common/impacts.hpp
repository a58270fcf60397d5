#pragma once

/// Velocity jumps of touching contacts.
///
/// simultaneous: every touching contact takes part, whether it approaches or rests,
///     u⁺ = W r + u⁻,   0 ≤ r_n ⊥ u_n⁺ + e u_n⁻ ≥ 0   (e u_n⁻ only where u_n⁻ < 0),            (1)
/// with friction by the law of static friction applied to u_f⁺ (Baraff, thesis 1992, (9-9), (9-10);
/// his simultaneous frictionless impacts are Featherstone's).
/// sequential: the contacts are visited in their order and each that approaches receives the
/// impulse that (1) gives for it alone, until none approaches; the outcome depends on the order.
///
/// newton: (1). poisson: a phase of compression with e = 0 gives r_c; in the phase of restitution
/// the normal impulses are e r_c or more where that is needed to keep bodies apart,
///     0 ≤ r_n − e r_c ⊥ u_n⁺ ≥ 0                                                               (2)
/// (Pfeiffer and Glocker 1996). Newton's law with friction can create energy, Poisson's does not
/// for equal e. Joints answer every impulse at once and keep Jᵀν = 0.

#include "formulations/common/contact_forces.hpp"
#include "formulations/common/jointed_bodies.hpp"

namespace touchstone {

enum class ImpactOrder { simultaneous, sequential };
enum class RestitutionLaw { newton, poisson };

struct ImpactRule {
  ImpactOrder order = ImpactOrder::simultaneous;
  RestitutionLaw restitution = RestitutionLaw::newton;
  ForceForm form = ForceForm::lcp;
  double rest_speed = 0.0;   // [m/s] slower approaches do not bounce
  int most_impulses = 1000;  // of a sequential impact
};

struct ImpactResult {
  Answer answer{};            // worst of the solves, z empty
  std::vector<Vec> impulses;  // per contact (n, friction components scaled)
  int count = 0;              // impulses given, for a sequential impact
};

/// Changes ν. A contact approaches when u_n < −tolerance [m/s].
ImpactResult resolve_impact(const JointedBodies& bodies, const std::vector<Contact>& contacts,
                            const ImpactRule& rule, Solver& solver, double tolerance, Vec& nu);

}  // namespace touchstone

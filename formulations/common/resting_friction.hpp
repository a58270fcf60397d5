#pragma once

/// Friction where contacts are at rest: the exact law, the approximations of Baraff's thesis (1992,
/// section 14.2), and the enumeration of planar modes, as rules of event-driven motion. û is the
/// slip and f the friction, both scaled by the friction ellipsoid, f_n the normal force.
///
///     exact        ‖f‖ ≤ μf_n; slip starts against the friction
///     lag          |f_k| ≤ μf̃ for each component, sliding friction −μf̃ û/|û|, with f̃ the normal
///                  force of the previous step (Lötstedt)                       (14-9), (14-10)
///     regularised  f = −μf_n û/max(|û|, ε): nothing sticks, bodies creep      (14-11), (14-12)
///     sign-guess   |f_k| ≤ μf_n for each component, with signs that Jacobi's method guesses
///                                                                              (14-13) … (14-19)
///     modes        exact, by enumeration; of several solutions the one nearest to the last
///                  forces (section 13.3). Planar worlds and few contacts.
///
/// A contact that slides has the exact law under every rule but the lag.

#include "formulations/common/contact_forces.hpp"

namespace touchstone {

struct RestingFriction {
  enum class Rule { exact, lag, regularised, sign_guess, modes };
  Rule rule = Rule::exact;
  double creep = 1e-3;  // ε [m/s]

  bool lags() const { return rule == Rule::lag; }
  bool creeps() const { return rule == Rule::regularised; }

  /// The normal force that bounds friction: f_n, or f̃ [N].
  double bearing(double n, double lagged) const { return lags() ? lagged : n; }
  /// How far the friction of a resting contact is from its limit [N]; negative beyond it.
  double reserve(double mu, double bearing, const Vec3& f) const;
  /// −f/(μ·bearing) of a contact that slides: û/|û|, shorter where it creeps.
  Vec3 direction(const Vec3& slip, const Vec3& reference, int components) const;
};
RestingFriction::Rule resting_rule(const std::string& name);

/// û/|û| along `reference`; the reference itself where there is no slip yet, or only one component.
Vec3 slip_direction(const Vec3& slip, const Vec3& reference, int components);

struct RestingForces {
  Answer answer;  // z = r
  std::string
      failure{};  // why the rule failed; its place takes the exact law (lag: the last round)
  double law_error = 0.0;  // [m/s²] of an approximation's forces under the exact law
};

/// Forces of touching contacts at one instant. `load` (lag only): the rows' accelerations by the
/// sliding friction of each contact for a unit f̃; `lagged`: f̃ of each contact, NaN where a contact
/// is new. There the thesis' iteration f̃ ← f_n from zero fills it in; it need not settle.
RestingForces resting_forces(const ContactProblem& problem, const RestingFriction& friction,
                             ForceForm form, Solver& solver, const Vec& guess, const Mat& load,
                             Vec& lagged);

}  // namespace touchstone

#pragma once

/// The problem that gives the forces of touching contacts, or the impulses of an impact, and the
/// two ways to solve it.
///
///     u = W r + q,   r, u as in solvers/own/friction_cones.hpp                                 (1)
///
/// Accelerations (Baraff, thesis 1992, chapters 8 to 10 and 14; a = Af − b there): u are the second
/// derivatives of the gaps and, for contacts without slip, the accelerations of the slip; r forces.
/// A contact that slides has one unknown, its normal force, and W's column includes its friction
/// −μ û/|û|, so that W is not symmetric. Impacts: u are velocities after the impact, r impulses.
///
/// Where every contact has at most one friction component (the plane, sliding or frictionless
/// contacts) (1) is exactly an LCP in (r_n, r₊, r₋, σ),
///
///     0 ≤ r_n ⊥ u_n ≥ 0,   0 ≤ r_± ⊥ ±u_f + σ ≥ 0,   0 ≤ σ ⊥ μr_n − r₊ − r₋ ≥ 0,               (2)
///
/// which goes to the chosen solver: Lemke's method ends with a solution or with a ray, and the ray
/// is the impulse of chapter 13. Without any friction component W is symmetric positive
/// semidefinite and (2) may also be posed as one of the thesis' quadratic programs,
///
///     qp-1: min rᵀWr + qᵀr,  Wr + q ≥ 0, r ≥ 0   (8-10);    qp-2: min ½rᵀWr + qᵀr, r ≥ 0  (8-11).
///
/// Otherwise (1) is solved by friction_cones. Bilateral rows (joints) are rows with u = 0 and r of
/// either sign: they come last, and enter (2) as free rows of a mixed LCP and the programs as
/// equations.

#include <array>

#include "formulations/common/contacts.hpp"
#include "solvers/own/friction_cones.hpp"
#include "solvers/solver.hpp"

namespace touchstone {

/// Columns of one contact: the normal, and the friction components that the law has (μ e_k > 0),
/// scaled by their semi-axes.
struct ContactColumns {
  Column n;
  std::array<Column, 3> f;
  std::array<int, 3> axis{};      // 0: t, 1: o, 2: r
  std::array<double, 3> scale{};  // e_k
  int count = 0;
};
ContactColumns contact_columns(const Configuration& configuration, const Contact& contact);

/// û_k = e_k u_k of the friction components, unused ones zero.
Vec3 scaled_slip(const World& world, const ContactColumns& columns, const Vec& nu);

/// The column of a contact that slides along the unit vector d: n − μ Σ d_k f_k.
Column sliding_column(const ContactColumns& columns, double mu, const Vec3& d);

enum class ForceForm { lcp, qp1, qp2 };
ForceForm force_form(const std::string& name);

struct ContactProblem {
  FrictionCones cones;
  int bilateral = 0;  // rows at the end of W and q
};

/// (2) as a problem for a solver; `guess` for it from r.
Problem complementarity_problem(const ContactProblem& problem, ForceForm form);
Vec complementarity_guess(const ContactProblem& problem, ForceForm form, const Vec& r);
/// r out of the solver's z.
Vec read_forces(const ContactProblem& problem, const Vec& z);

/// Answer with z = r; a ray has its direction in the same unknowns.
Answer solve_contacts(const ContactProblem& problem, ForceForm form, Solver& solver,
                      const Vec& guess);

}  // namespace touchstone

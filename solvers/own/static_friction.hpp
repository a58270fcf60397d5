#pragma once

/// Contact forces at the acceleration level with static friction: the three approximations of
/// Baraff's thesis (1992, chapter 14), every solution of planar problems, and the exact law.
///
///     a = A f − b,   per contact (normal, d tangents), A symmetric positive semidefinite       (1)
///
/// A contact that slides (slip v ≠ 0) has f_t = −μ f_n v/|v|. One at rest has a_t = 0 and
/// |f_t| ≤ μ f_n, or |f_t| = μ f_n and f_t opposite to a_t. (The thesis asks only for f_t·a_t ≤ 0;
/// opposite is maximum dissipation, which also decides the direction in which slip starts.) With
/// tangents scaled by the semi-axes (friction_cones.hpp) the ellipsoid with torsion is included.
///
/// Deviations: bounds of the lag are μf̃ (the thesis' (14-10) misses μ); Jacobi as corrected in
/// `jacobi_forces`; the program (14-19) is solved by Lemke's method, see `sign_guess`.

#include "solvers/own/friction_cones.hpp"

namespace touchstone {

struct AccelerationProblem {
  Mat A;
  Vec b;
  std::vector<int> tangents;  // d of each contact, 0…3
  Vec mu;
  Vec slip{};  // [m/s] like f, normal entries unused; empty: every contact is at rest

  Eigen::Index start(std::size_t contact) const;  // of its rows
  /// v/|v| of a sliding contact; empty at rest.
  Vec direction(std::size_t contact) const;
};

/// The exact law as a problem for friction_cones: a sliding contact keeps its normal row only.
FrictionCones exact_law(const AccelerationProblem& problem);
/// f from the unknowns of `exact_law`, and back.
Vec expand(const AccelerationProblem& problem, const Vec& r);
Vec reduce(const AccelerationProblem& problem, const Vec& f);

/// How far f is from the exact law [m/s²]: the residual of friction_cones, and the acceleration by
/// which the friction of a sliding contact misses its value.
double law_error(const AccelerationProblem& problem, const Vec& f);

struct StaticForces {
  Vec f;
  Status status = Status::solved;  // of the approximation's own problem
  double error = 0.0;              // law_error [m/s²]
  int iterations = 0;
  Ray ray{};  // of Lemke's method, in the normal forces
  std::vector<std::string> notes{};
};

/// The exact law by friction_cones.
StaticForces exact_forces(const AccelerationProblem& problem, const Vec& guess = {});

/// (a) Lötstedt's lag, (14-10): min ½fᵀAf − bᵀf, f_n ≥ 0, −μf̃ ≤ f_k ≤ μf̃ for each tangent, with f̃
/// the normal forces of the previous step (one a contact); sliding friction is the load μf̃.
StaticForces lotstedt_lag(const AccelerationProblem& problem, const Vec& lagged);
/// The same over friction_cones, where the load of sliding contacts is part of q: every friction
/// component of contact i lies within ±bound_i. W must be symmetric.
Claim lagged_friction(const FrictionCones& problem, const Vec& bound);

/// f̃ ← f_n of (a), repeated. It need not converge: f_n may grow without bound or alternate.
struct LotstedtIteration {
  enum class End { converged, diverged, alternates, undecided };
  End end = End::undecided;
  std::vector<Vec> normal;  // f̃ of every iteration, the start first
  Vec f;                    // last
};
std::string to_string(LotstedtIteration::End end);
LotstedtIteration iterate_lotstedt(const AccelerationProblem& problem, const Vec& start,
                                   int iterations, double tolerance = 1e-10);

/// (b) friction proportional to the slip below the speed ε [m/s], (14-11), (14-12):
/// f_t = −μ f_n v/max(|v|, ε). One LCP in f_n for Lemke's method; bodies must creep.
StaticForces regularised_friction(const AccelerationProblem& problem, double epsilon);

/// Projected Jacobi for the law (appendix C): a = Af − b of the old f throughout,
///     f_n ← max(0, f_n − a_n/A_nn);
///     where |f_t| < μf_n or f_t·a_t > 0:  f_k ← f_k − a_k/A_kk;  f_t put back on |f_t| ≤ μf_n.
/// The thesis' listing uses the new a_n, misplaces a bracket and writes f_x a_x·f_y a_y. It may
/// cycle: the claim that it converges for every positive definite A is false (A = 1 on the
/// diagonal, 0.9 off it). `damping` times the step; 1 is the thesis'.
Vec jacobi_forces(const FrictionCones& problem, int iterations, double damping = 1.0);

/// (c) The signs s_k of the friction forces are guessed by Jacobi; then (14-14) … (14-19),
///     0 ≤ f_n ⊥ a_n ≥ 0,   0 ≤ μf_n − s_k f_k ⊥ −s_k a_k ≥ 0,   s_k f_k ≥ 0.                   (2)
/// In z = (f_n, μf_n − s_k f_k) all but the last inequality is an LCP, whose minimum of zᵀw is the
/// thesis' program; Lemke's method solves it whether or not the program is convex (`notes` say),
/// and a wrong sign shows as s_k f_k < 0. Signs found wrong are turned and tried again, at most
/// `retries` times. Exact in the plane; with two tangents the cone becomes a box. Status
/// `inaccurate`: the signs were wrong to the end.
struct SignGuessOptions {
  int jacobi_iterations = 50;
  int retries = 3;
};
StaticForces sign_guess(const AccelerationProblem& problem, const SignGuessOptions& options = {});
/// With the forces of the last instant as `guess` (it may be empty) their signs are tried first,
/// and Lemke's method starts from their support; Jacobi follows where that fails.
Claim sign_guess(const FrictionCones& problem, const Vec& guess,
                 const SignGuessOptions& options = {});

/// (d) Every solution of a problem with at most one friction component a contact: each contact at
/// rest separates, sticks or slips either way; one without friction components separates or not.
/// A combination whose linear system is singular (forces not unique) gives one point of its
/// polyhedron, when there is one. InputError beyond `mode_limit` combinations or for d > 1.
enum class PlanarMode { separate, stick, slip_forward, slip_backward };
struct PlanarSolution {
  Vec r;                          // unknowns of FrictionCones
  std::vector<PlanarMode> modes;  // slip_forward: friction +μf_n, motion backwards
  bool unique = true;             // within its combination of modes
};
constexpr double mode_limit = 70000.0;
std::vector<PlanarSolution> all_planar_solutions(const FrictionCones& problem,
                                                 double tolerance = 1e-9);

}  // namespace touchstone

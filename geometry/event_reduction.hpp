#pragma once

/// Which of a pair's events can be dropped without changing the step.
///
/// The linearised constraint of event m on the relative twist ν of the pair (scaled by r_m n·δ > 0,
/// ratio_events.hpp) is
///
///     J_m·ν + γ g_m/h ≥ 0,   J_m = (n_m, (E_m − o) × n_m) ∈ R⁶,   g_m = r_m ψ_m [m].           (1)
///
/// Rule: m may go when some λ ≥ 0 over the events k that stay gives
///
///     J_m = Σ λ_k J_k   and   g_m ≥ Σ λ_k g_k.                                                 (2)
///
/// Why it is safe. Multiply (1) for each k by λ_k and add: J_m·ν + γ g_m/h ≥ Σ λ_k (J_k·ν +
/// γ g_k/h) ≥ 0, so every ν that obeys the rest obeys m, whatever h > 0 and γ ≥ 0 are; and a normal
/// impulse c at m is the wrench of impulses λ_k c at the others. The feasible set and the set of
/// contact wrenches are both unchanged, so the frictionless step has the same velocities. By
/// Farkas' lemma (2) is also necessary for γ and g as given when the rest is feasible: no rule
/// drops more for every h at once.
///
/// With friction only events with the same normal may take part in (2). Then Σ λ_k = 1, E_m is a
/// convex combination of the E_k across n, and a friction impulse τ, |τ| ≤ μc, at m is the wrench
/// of λ_k τ at the others, each inside its cone μ λ_k c: the set of frictional wrenches is
/// unchanged. For coplanar event points with equal gaps the rule leaves exactly the corners of the
/// contact region.

#include "geometry/ratio_events.hpp"

namespace touchstone {

struct ReductionOptions {
  bool friction = true;
  double tolerance = 1e-9;    // of (2), relative to the size of the contact region
  double same_normal = 1e-9;  // with friction: normals whose difference is no longer are the same
};

/// Indices of the events to keep, ascending. Each dropped event obeys (2) with the kept ones.
std::vector<int> essential_events(const std::vector<RatioEvent>& events,
                                  const ReductionOptions& options = {});

}  // namespace touchstone

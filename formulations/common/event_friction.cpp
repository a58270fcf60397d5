/// Forces at an event by the rule for contacts at rest (resting_friction.hpp).

#include <algorithm>

#include "formulations/common/event_driven.hpp"

namespace touchstone {

/// f̃ of the candidates that take part.
Vec EventDriven::lagged_forces() const {
  std::vector<double> lagged;
  for (const Candidate& k : candidates_)
    if (!k.released) lagged.push_back(k.lagged);
  return Eigen::Map<const Vec>(lagged.data(), static_cast<Eigen::Index>(lagged.size()));
}

/// The forces by the rule for resting contacts, from the last ones; fills in f̃ of new contacts.
RestingForces EventDriven::find_forces(const ContactProblem& problem, Vec& lagged) {
  Vec guess(problem.cones.q.size());
  Eigen::Index at = 0;
  for (const Candidate& k : candidates_) {
    if (k.released) continue;
    guess[at++] = k.last_n;
    if (k.sliding) continue;
    for (int j = 0; j < k.columns.count; ++j) guess[at++] = k.last_f[j];
  }
  if (guess.isZero(0.0)) guess.resize(0);
  if (settings_.friction.lags()) load_ = jointed().delassus(rows_, loads_);
  return resting_forces(problem, settings_.friction, settings_.form, *solver_, guess, load_,
                        lagged);
}

/// What became of a rule that may fail, for the records.
void EventDriven::book_rule(const RestingForces& forces) {
  using Rule = RestingFriction::Rule;
  const Rule rule = settings_.friction.rule;
  ++step_.counts["force_solves"];
  if (rule == Rule::exact || rule == Rule::regularised) return;
  step_.counts["friction_failures"] += forces.failure.empty() ? 0 : 1;
  double& worst = step_.worst["friction_law_error"];
  worst = std::max(worst, forces.law_error);
  if (!forces.failure.empty()) step_.notes.push_back("friction at rest: " + forces.failure);
}

/// ν̇ under the forces z of the candidates and, with the lag, their sliding friction.
Vec EventDriven::accelerations(const State& state, const Vec& z, const Vec& lagged) const {
  if (!settings_.friction.lags()) return jointed().accelerations(state.nu, columns_, z);
  std::vector<Column> all = columns_;
  all.insert(all.end(), loads_.begin(), loads_.end());
  Vec forces(z.size() + lagged.size());
  forces << z, lagged;
  return jointed().accelerations(state.nu, all, forces);
}

}  // namespace touchstone

/// Sharing out the forces of redundant contacts anew where one of them reaches its friction limit.

#include <algorithm>

#include "formulations/common/event_driven.hpp"

namespace touchstone {

namespace {

constexpr double clear_of_limit = 1e-6;  // relative: friction that has been shared out
constexpr double fits = 1e-9;            // relative residual of forces that the cones accept

}  // namespace

/// Forces of redundant contacts may be shared out differently, so that one of them which reached
/// its friction limit keeps away from it and does not slip: the least forces that hold everything,
/// friction measured by μ r_n, first alike, then that contact's above all. Empty, and the slip
/// begins, where the cones do not accept them.
Vec EventDriven::shared_out(const State& state) {
  if (cause_.kind != Cause::Kind::limit || !phase_.redundant() || settings_.friction.lags())
    return {};
  const std::vector<Candidate> kept = candidates_;
  for (Candidate& k : candidates_)
    if (k.begins) k.sliding = false;
  const FrictionCones cones = acceleration_problem(state).cones;
  double largest = 0.0;
  for (const Candidate& k : candidates_) largest = std::max(largest, k.last_n);
  for (const double emphasis : {1.0, 100.0}) {
    Vec size(cones.q.size());  // of each force
    Eigen::Index at = 0, limited = -1;
    for (const Candidate& k : candidates_) {
      const int d = k.sliding ? 0 : k.columns.count;
      if (k.begins) limited = at;
      const double friction = k.contact.law->mu * std::max(k.last_n, 1e-6 * largest);
      size[at] = largest;
      size.segment(at + 1, d).setConstant(friction / (k.begins ? emphasis : 1.0));
      at += 1 + d;
    }
    const Mat scaled = cones.W * size.asDiagonal();
    const Vec r = size.cwiseProduct(scaled.completeOrthogonalDecomposition().solve(-cones.q));
    const auto contact = std::find_if(candidates_.begin(), candidates_.end(),
                                      [](const Candidate& k) { return k.begins; });
    if (limited < 0 || contact == candidates_.end()) break;
    const double most = contact->contact.law->mu * r[limited];
    const bool inside =
        r.segment(limited + 1, contact->columns.count).norm() < (1.0 - clear_of_limit) * most;
    if (!inside || residual(cones, r) > fits * (1.0 + cones.q.cwiseAbs().maxCoeff())) continue;
    for (Candidate& k : candidates_) k.begins = false;
    return r;
  }
  candidates_ = kept;
  return {};
}

}  // namespace touchstone

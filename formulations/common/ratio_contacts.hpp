#pragma once

/// The events of the ratio metric as contacts of a step, and the measure of infeasibility.
///
/// An event (geometry/ratio_events.hpp) is a contact at E with the normal n and the gap g = rψ; its
/// row ∇Φᵀν⁺ + γΦ/h ≥ 0, times r n·δ > 0, is W_nᵀν⁺ + γ g/h ≥ 0.
///
/// Interior points are centroids. That of a half-space lies as deep below its surface as the
/// largest moving body is wide (its bounding radius): it only scales ρ.
///
/// Which events count as nearly active follows from what may touch within the step, as steps are
/// never shortened. With the reach m = 2 (reach_A + reach_B) of find_contacts, ε_A + ε_B the inner
/// radii, and the tolerance τ = 10⁻⁶ (ε_A + ε_B) [m],
///
///     ε_t = (m + τ)/(ε_A + ε_B) + max(0, −ρ),   ε_p = m + τ + depth,   ε_x = m/2 + τ + depth,
///     depth = max(0, −ρ) |δ|.
///
/// n·δ = r h(n) ≥ r (ε_A + ε_B), so that ε_t admits every event whose gap is at most m. A feature
/// that comes down within the step stands at most m above the lowest one (ε_p), and one that moves
/// over a face is at most the distance travelled beside it (ε_x). Overlap moves all of these by at
/// most the depth. Each ε may be given instead.
///
/// Events with Φ < min(ρ, 0) are left out: ρ is the largest component, so that another one already
/// keeps the bodies apart, or is the shorter way out. (A corner that passes beside a ledge is below
/// the ledge's face and must not be lifted onto it.)

#include <unordered_map>
#include <vector>

#include "formulations/common/contacts.hpp"
#include "geometry/event_reduction.hpp"

namespace touchstone {

/// A value of 0 stands for the rule above.
struct RatioSettings {
  double eps_t = 0.0;   // [1]
  double eps_x = 0.0;   // [m]
  double eps_p = 0.0;   // [m]
  bool reduce = false;  // drop redundant events (event_reduction.hpp)
};

/// Bound to one world; keeps the last solution of each pair's linear program as the next start.
class RatioContacts {
 public:
  explicit RatioContacts(const World& world, const RatioSettings& settings = {});

  /// Empty, or why the world has no ratio metric: bodies other than polytopes and half-spaces.
  static std::string inapplicable(const World& world);

  /// The nearly active events of every pair in a step of length h, those of a pair together.
  void find(const Configuration& configuration, const State& state, double h,
            std::vector<Contact>& out);

  /// max over the pairs of (−ρ)⁺ and over the joints of |Θ|: the source's measure I(q) [1; m].
  double infeasibility(const Configuration& configuration);

  /// The largest gap [m] at which `find` looked for events of these two bodies the last time.
  double margin(int a, int b) const {
    return margins_[static_cast<std::size_t>(a)] + margins_[static_cast<std::size_t>(b)];
  }
  int events() const { return events_; }  // found in the last call of `find`
  int kept() const { return kept_; }      // of these, after the reduction

 private:
  /// The pairs whose bounding balls are within the sum of the two bodies' margins [m], in order.
  void find_near(const Configuration& configuration, const std::vector<double>& margins);
  const RatioMetric& measure(const Configuration& configuration, const Pair& pair);
  EventOptions options(const Configuration& configuration, const Pair& pair, double margin,
                       const RatioMetric& metric) const;
  void add_events(const Configuration& configuration, const Pair& pair, double margin,
                  std::vector<Contact>& out);
  int feature(const Pair& pair, const RatioEvent& event) const;
  const RatioBody& body(int i) const { return bodies_[static_cast<std::size_t>(i)]; }

  const World& world_;
  RatioSettings settings_;
  std::vector<RatioBody> bodies_;
  std::vector<int> features_;                          // bound on a feature's number, per body
  std::unordered_map<const Pair*, RatioMetric> last_;  // of the pairs that were ever near
  std::vector<double> margins_;                        // per body
  std::vector<const Pair*> near_;
  std::vector<Box> boxes_;
  SweepAndPrune sweep_;
  int events_ = 0, kept_ = 0;
};

/// I(q) of one state, from scratch.
double ratio_infeasibility(const World& world, const State& state);

}  // namespace touchstone

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
/// never shortened. m is by how much two bodies may come closer to each other in the time T = 2h
/// with their present velocities and the accelerations a of their loads; with the inner radii
/// ε_A + ε_B and the tolerance τ = 10⁻⁶ (ε_A + ε_B) [m],
///
///     m = T (|v_A − v_B| + |ω_A|r_A + |ω_B|r_B) + ½T² (a_A + a_B),   depth = max(0, −ρ) |δ|,
///     ε_t = (m + τ)/(ε_A + ε_B) + max(0, −ρ),   ε_x = m/2 + τ + depth,
///     ε_p = m + τ + depth + T |ω_A − ω_B| l.
///
/// n·δ = r h(n) ≥ r (ε_A + ε_B), so that ε_t admits every event whose gap is at most m. A feature
/// that moves over a face is at most the distance travelled beside it (ε_x). A feature that comes
/// down within the step stands at most m above the lowest one along a normal that keeps its
/// direction (a half-space's: no l there). That of a face turns against the other body by
/// T |ω_A − ω_B|, which changes the height of a feature below the supporting one by as much times
/// the distance l of the two (ε_p). That of two edges turns by as much over the sine of their
/// angle, which is not counted. Overlap moves all of these by at most the depth. Each ε may be
/// given instead.
///
/// Bodies that move together need no search far around them, but something may stop one of them.
/// `find_missed` therefore looks again at the pairs that the step's new velocities bring closer to
/// each other than m: the step is taken again with the events that they would violate.
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

  /// The nearly active events of the pairs that the velocities ν move against each other by more
  /// than `find` looked for the last time, with the same configuration and h. Some of these events
  /// may be known already.
  void find_missed(const Configuration& configuration, const Vec& nu, double h,
                   std::vector<Contact>& out);

  /// max over the pairs of (−ρ)⁺ and over the joints of |Θ|: the source's measure I(q) [1; m].
  double infeasibility(const Configuration& configuration);

  /// The largest gap [m] at which `find` looked for events of these two bodies the last time.
  double margin(int a, int b) const { return found_.distance(a, b); }
  int events() const { return events_; }  // found in the last call of `find`
  int kept() const { return kept_; }      // of these, after the reduction

 private:
  /// What each body may move within a step.
  struct Travel {
    std::vector<Vec3> along;   // translation [m]
    std::vector<double> more;  // rotation at the rim and what loads add [m]
    std::vector<Vec3> turn;    // rotation [rad]
    /// By how much two bodies may come closer to each other [m].
    double distance(int a, int b) const {
      const auto i = static_cast<std::size_t>(a), j = static_cast<std::size_t>(b);
      return (along[i] - along[j]).norm() + more[i] + more[j];
    }
    double angle(int a, int b) const {
      return (turn[static_cast<std::size_t>(a)] - turn[static_cast<std::size_t>(b)]).norm();
    }
  };
  enum class Loads { no, yes };
  void set_travel(const Vec& nu, double time, Loads loads, Travel& travel) const;
  /// The pairs whose bounding balls may come together, in order.
  void find_near(const Configuration& configuration, const Travel& travel);
  const RatioMetric& measure(const Configuration& configuration, const Pair& pair);
  EventOptions options(const Configuration& configuration, const Pair& pair, const Travel& travel,
                       const RatioMetric& metric) const;
  void add_events(const Configuration& configuration, const Pair& pair, const Travel& travel,
                  std::vector<Contact>& out);
  int feature(const Pair& pair, const RatioEvent& event) const;
  const RatioBody& body(int i) const { return bodies_[static_cast<std::size_t>(i)]; }

  const World& world_;
  RatioSettings settings_;
  std::vector<RatioBody> bodies_;
  std::vector<int> features_;                          // bound on a feature's number, per body
  std::unordered_map<const Pair*, RatioMetric> last_;  // of the pairs that were ever near
  Travel found_, missed_, none_;                       // of the last searches; no motion at all
  std::vector<double> margins_;                        // per body
  std::vector<const Pair*> near_;
  std::vector<Box> boxes_;
  SweepAndPrune sweep_;
  int events_ = 0, kept_ = 0;
};

/// I(q) of one state, from scratch.
double ratio_infeasibility(const World& world, const State& state);

}  // namespace touchstone

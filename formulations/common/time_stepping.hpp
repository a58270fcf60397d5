#pragma once

/// The frame of a time-stepping method: find the contacts, assemble one problem, solve it, read the
/// new velocities and impulses out of it, move the bodies with the new velocities (semi-implicit
/// Euler):
///
///     M(ν⁺ − ν) = W p + p_ext,   q⁺ = q + h G ν⁺.
///
/// Three things keep steps cheap without changing the answer:
/// - Islands. Bodies that cannot reach each other within the step share no unknown, so each group
///   of touching bodies is a problem of its own.
/// - A working set. Of the candidates of an island only those that were active in the last step and
///   the most violated one of each pair enter the problem; its solution, with zero impulse at the
///   others, is a solution of the whole problem if every other candidate satisfies its normal row.
///   One that does not joins the set, and the problem is solved again. (A 1000-gon has a hundred
///   candidates a step and needs two.)
/// - A small search. A method may look for candidates nearby only, and for the ones that it missed
///   when the new velocities are known (find_missed); they join in the same way.
///
/// Joints are eliminated before the contacts are solved (joints.hpp): ν_free satisfies them, the
/// Delassus matrix is that of the jointed bodies, and after `decode` the velocities are projected.

#include <span>
#include <vector>

#include "formulations/common/joints.hpp"
#include "formulations/common/union_find.hpp"
#include "formulations/formulation.hpp"

namespace touchstone {

/// Where a method takes its wrenches W: at the start of the step, or at its end (implicit
/// geometry).
enum class Blocks { start, end };

/// Everything that `assemble` and `decode` may use; blocks are those at the start of the step.
struct StepInput {
  const World& world;
  const Configuration& configuration;  // poses, M, M⁻¹ at the start
  const State& state;                  // q, ν at the start
  const Vec& nu_free;                  // ν + M⁻¹(p_ext + J p_J): without contacts
  std::span<const Contact> contacts;   // of this island's working set
  std::span<const int> bodies;         // the island's moving bodies
  double h;                            // [s]
  const Joints& joints;

  /// W₁ᵀM⁻¹W₂ of the jointed bodies.
  void delassus(std::span<const Column> W1, std::span<const Column> W2,
                Eigen::Ref<Mat> block) const {
    touchstone::delassus(configuration, W1, W2, block);
    if (!joints.empty()) joints.reduce(configuration, W1, W2, block);
  }
};

/// Impulses of one contact in its frame [N·s; p_r N·m·s].
struct Impulse {
  double n = 0.0, t = 0.0, o = 0.0, r = 0.0;
};

/// What `decode` writes: ν⁺ of the island's bodies (it arrives as ν_free), the impulse of each
/// contact and, for blocks at the end of the step, the contacts as they are then (they arrive as
/// they are at the start).
struct StepSolution {
  Vec nu;
  std::vector<Impulse> impulses;
  std::vector<Contact> contacts;
};

class TimeStepping : public Formulation {
 public:
  /// `nearest` > 0 keeps only so many candidates of each pair, those with the smallest gaps; 0
  /// keeps all.
  TimeStepping(const World& world, std::unique_ptr<Solver> solver, int nearest = 0,
               Blocks blocks = Blocks::start);
  const Step& advance(const State& state, double h) override;

  /// The problem of one step over all candidates at once, without islands or working set: for
  /// exporting problems and for judging solvers. Empty contacts give an empty problem. `start`,
  /// where given, receives the point from which the method has a solver begin (empty: none).
  Problem whole_problem(const State& state, double h, Vec* start = nullptr);
  /// Candidates of the problem at hand.
  int candidates() const { return static_cast<int>(candidates_.size()); }

 protected:
  /// Equations → data. `problem` keeps its storage from the last call.
  virtual void assemble(const StepInput& input, Problem& problem) = 0;
  /// Unknowns → physics.
  virtual void decode(const StepInput& input, const Vec& z, StepSolution& solution) = 0;
  /// b of the normal row 0 ≤ p_n ⊥ u_n⁺ − b ≥ 0 of a contact [m/s], given its normal velocity
  /// before the step and after it if nothing touched. Also decides which candidates must enter the
  /// problem.
  virtual double normal_bound(const Contact& contact, double u_before, double u_free,
                              double h) const;
  /// The normal row of a contact outside the problem under the velocities ν [m/s]; a negative one
  /// brings it in. Linear by default: `row` is W_nᵀν − b with W_n at the start.
  virtual double normal_row(const Contact& contact, double row, const State& state, const Vec& nu,
                            double h);
  /// The contacts that may matter in this step; those of a pair follow each other. Geometric
  /// contact points by default.
  virtual void find_candidates(const Configuration& configuration, const State& state, double h,
                               std::vector<Contact>& out);
  /// Contacts that `find_candidates` did not look for and that the velocities ν of the step may
  /// close. Those that violate their normal row join the candidates, and the step is solved again.
  virtual void find_missed(const Configuration& configuration, const Vec& nu, double h,
                           std::vector<Contact>& out);
  /// Of the candidates that were found last, how many were dropped as redundant.
  virtual int dropped_candidates() const { return 0; }
  /// Whether a candidate belongs to the first working set of its island, beside those that were
  /// active in the last step or are violated without impulses: a larger set costs more to solve for
  /// and is complete more often.
  virtual bool in_first_set(const Contact&) const { return false; }
  /// Where a solver begins on the problem that was assembled last, without knowledge of earlier
  /// steps; empty: wherever it likes.
  virtual Vec start(const StepInput&) { return {}; }
  /// One solve, with whatever starts and retries the method has; the notes say which.
  virtual Answer solve(const StepInput& input, const Problem& problem);
  /// γ of the joints, Jᵀν⁺ = −γΘ/h: which part of their error one step takes away.
  virtual double joint_stabilisation() const { return 1.0; }
  Solver& solver() { return *solver_; }

 private:
  void begin(const State& state, double h);
  void add_candidate(const Contact& contact, const State& state, double h);
  bool add_missed(const State& state, double h);
  void solve_islands(const State& state, double h);
  void keep_nearest();
  void split_into_islands();
  void solve_island(const State& state, double h, std::span<const int> candidates);
  bool grow_working_set(const State& state, double h, std::span<const int> candidates,
                        const Vec& nu);
  Answer solve_working_set(const State& state, double h);
  void finish(const State& state, double h);
  ContactResult contact_result(const State& state, double h, const Contact& contact,
                               const Impulse& p);

  const World& world_;
  std::unique_ptr<Solver> solver_;
  int nearest_;
  Blocks blocks_;

  // Workspaces, kept between steps.
  struct Candidate {
    Contact contact;
    Column normal;       // its column of W_n
    double bound = 0.0;  // b of its normal row
    int island = 0;
    bool in_problem = false;
  };
  struct Key {
    int a, b, feature;
    auto operator<=>(const Key&) const = default;
  };
  static Key key(const Contact& c) { return {c.a, c.b, c.feature}; }
  struct Solved {
    Contact contact;
    Impulse impulse;
  };
  Step step_;
  Configuration configuration_, end_;
  Vec nu_free_;
  std::vector<Solved> solved_;  // the contacts of all islands
  std::vector<Contact> found_;
  std::vector<Candidate> candidates_;
  std::vector<Key> known_;         // of the candidates, sorted, where missed ones are looked for
  UnionFind islands_;              // over bodies
  std::vector<int> order_;         // candidates sorted by island
  std::vector<int> bodies_;        // of the island at hand
  std::vector<int> working_;       // candidates in the problem at hand
  std::vector<Contact> contacts_;  // the same, as contacts
  std::vector<Key> active_;        // contacts with an impulse in the last step, sorted
  std::vector<Key> next_active_;
  Joints joints_;
  double joint_rate_ = 0.0;                        // −γ/h
  Vec free_joint_, joint_impulses_, trial_joint_;  // without contacts, of the step, of the solve
  Problem problem_;
  StepSolution trial_;
};

/// Adds one solve to a step's record: worst status and residual, sums of the rest.
void record_answer(const Answer& answer, int unknowns, Step& step);

}  // namespace touchstone

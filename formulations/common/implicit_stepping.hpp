#pragma once

/// The frame of a geometrically implicit method: one ImplicitStep per island, handed to an MCP
/// solver, from a start that makes the solve short.
///
/// Start. The impulses of the last step predict ν⁺ and with it the closest points. By default
/// Newton's method then solves the same problem with the friction law as a projection
/// (ImplicitStep::projected, newton_step). A result that the referee confirms on the paper's
/// equations is the answer; any other goes to the solver as its start. `start = predicted` leaves
/// all of the work to the solver.
///
/// Retries, each recorded in the notes. Newton on the projected form is tried from the last step's
/// impulses and points, from impulses that the blocks of the start give, by continuation in the
/// friction coefficients and by continuation in the gap; then the solver from the prediction, from
/// the blocks of the start, and by the two continuations. A step that none of them solves keeps the
/// last failure as its status, which ends the run or is counted as failed.

#include <memory>
#include <optional>
#include <vector>

#include "formulations/common/implicit_step.hpp"
#include "formulations/common/time_stepping.hpp"

namespace touchstone {

class ImplicitStepping : public TimeStepping {
 public:
  ImplicitStepping(const World& world, const Parameters& settings, std::unique_ptr<Solver> solver);

  /// The settings that these methods share.
  static Parameters parameters();
  /// Why a world is not for these methods, or nothing.
  static std::string inapplicable(const World& world);

 protected:
  virtual std::shared_ptr<ImplicitStep> make_step() const = 0;
  /// y of contact i for poses and closest points that are near those of the answer.
  virtual void start_geometry(const ImplicitStep& step, std::size_t i, const ContactPoint& near,
                              const Pose& a, const Pose& b, double* y) const = 0;
  /// Empty, or why z is no answer although it solves the equations.
  virtual std::string implausible(const ImplicitStep&, const Vec&) const { return {}; }

 private:
  void assemble(const StepInput& input, Problem& problem) final;
  void decode(const StepInput& input, const Vec& z, StepSolution& solution) final;
  Vec start(const StepInput& input) final;
  Answer solve(const StepInput& input, const Problem& problem) final;
  double normal_row(const Contact& contact, double row, const State& state, const Vec& nu,
                    double h) final;

  struct Memory {  // of a pair in the last step
    int a = 0, b = 0;
    Impulse impulse;
    Vec3 point = Vec3::Zero();  // where it acted, in the frame of a
  };
  const Memory* remembered(int a, int b) const;
  void stay_at(const Vec3& point, ContactPoint& near) const;
  ContactPoint nearest_points(int a, const Pose& pose_a, int b, const Pose& pose_b);
  void estimate_impulses(const StepInput& input, bool remember, Vec& z);
  void predict(const StepInput& input, bool remember, Vec& z);
  void start_at_velocity(const StepInput& input, bool remember, Vec& z);
  int project(Vec& z);
  Answer judged(Answer answer) const;
  Answer attempt(const Problem& problem, const Vec& guess);
  void polish(const Problem& problem, Answer& answer);
  std::optional<Answer> projected_answer(const Problem& problem, int& steps);
  std::pair<std::optional<Answer>, int> solve_projected(const StepInput& input,
                                                        const Problem& problem,
                                                        std::vector<std::string>& notes);
  enum class Stages { projected, solver };  // what a stage of a continuation may use
  Answer stage(const Problem& problem, Stages stages);
  Answer continue_in_friction(const StepInput& input, const Problem& problem, Stages stages);
  Answer continue_in_gap(const StepInput& input, const Problem& problem, Stages stages);

  const World& world_;
  bool projected_;
  std::shared_ptr<ImplicitStep> step_;
  std::vector<Memory> memory_;

  // Workspaces.
  State trial_;
  std::vector<ContactPoint> points_;
  std::vector<Column> columns_;
  Vec guess_, nu_, d_, kept_;
  RefereeWorkspace referee_;
};

}  // namespace touchstone

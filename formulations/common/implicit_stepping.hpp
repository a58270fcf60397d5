#pragma once

/// The frame of a geometrically implicit method: one ImplicitStep per island, handed to an MCP
/// solver, from a start that makes the solve short.
///
/// Start. The impulses of the last step predict ν⁺ and with it the closest points. By default
/// Newton's method then solves the same problem with the friction law as a projection
/// (ImplicitStep::projected), and the solver receives its result: it has only to confirm it, on the
/// paper's equations, before the referee. `start = predicted` leaves all of the work to the solver.
///
/// Retries, each recorded in the notes. A solve that fails is repeated from the prediction, from
/// impulses that the blocks of the start give, and by continuation in the friction coefficients. A
/// step that none of them solves keeps the first failure as its status, which ends the run.

#include <memory>
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

  struct Memory {  // the impulse of a pair in the last step
    int a = 0, b = 0;
    Impulse impulse;
  };
  const Impulse* remembered(int a, int b) const;
  ContactPoint nearest_points(int a, const Pose& pose_a, int b, const Pose& pose_b);
  void estimate_impulses(const StepInput& input, bool remember, Vec& z);
  void predict(const StepInput& input, bool remember, Vec& z);
  int project(Vec& z);
  Answer attempt(const Problem& problem, const Vec& guess);
  Answer continue_in_friction(const StepInput& input, const Problem& problem);

  const World& world_;
  bool projected_;
  std::shared_ptr<ImplicitStep> step_;
  std::vector<Memory> memory_;

  // Workspaces.
  State trial_;
  std::vector<ContactPoint> points_;
  std::vector<Column> columns_;
  Vec guess_, nu_, F_, d_;
  SpMat J_;
  Mat dense_;
  Eigen::PartialPivLU<Mat> lu_;
};

}  // namespace touchstone

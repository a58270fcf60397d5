/// How ImplicitStepping solves the problem of a step: the projected form first, then the solver,
/// then continuation; every retry is noted.

#include <fmt/format.h>

#include <chrono>

#include "formulations/common/implicit_stepping.hpp"

namespace touchstone {

namespace {

constexpr double deep = 1e-6;  // [m] at the start of a step: more than any step leaves behind
// Friction rows are products of impulses: an error of 1e-10 in them is one of 1e-8 in the impulse.
constexpr Tolerance tight{.absolute = 1e-12, .relative = 1e-14};
constexpr double friction_tolerance = 1e-10;  // of the momentum: friction outside its ellipsoid

}  // namespace

Answer ImplicitStepping::judged(Answer answer) const {
  if (!answer.ok()) return answer;
  if (const std::string why = implausible(*step_, answer.z); !why.empty()) {
    answer.status = Status::inaccurate;
    answer.notes.push_back(why);
  }
  return answer;
}

Vec ImplicitStepping::start(const StepInput& in) {
  Vec z;
  predict(in, false, z);
  return z;
}

Answer ImplicitStepping::attempt(const Problem& problem, const Vec& guess) {
  Answer answer = solver().solve(problem, guess, tight);
  if (answer.ok()) polish(problem, answer);
  return judged(std::move(answer));
}

/// Row (11) is quadratic in the impulses: where p_n is small, a residual of 1e-13 leaves friction
/// 3e-7 N·s outside its ellipsoid. Newton's method on the projected form, from the solver's answer,
/// takes that away.
void ImplicitStepping::polish(const Problem& problem, Answer& answer) {
  const double excess = step_->friction_excess(answer.z);
  if (excess <= friction_tolerance * step_->momentum_scale()) return;
  Vec z = answer.z;
  if (project(z) == 0) return;
  const Residual better = residual(problem, z, referee_);
  if (!acceptable(better, tight.bound(problem))) return;
  answer.z = std::move(z);
  answer.residual = better;
  answer.notes.emplace_back(
      "friction that the squares of (11) left outside its ellipsoid was put back by Newton's "
      "method on the projected form");
}

/// The projected form's answer, if the referee confirms it on the paper's equations.
std::optional<Answer> ImplicitStepping::projected_answer(const Problem& problem, int& steps) {
  if (!projected_) {
    step_->set_slips(guess_);
    return std::nullopt;
  }
  const auto start = std::chrono::steady_clock::now();
  steps = project(guess_);
  if (steps == 0) return std::nullopt;
  Answer answer;
  answer.z = guess_;
  answer.residual = residual(problem, answer.z, referee_);
  if (!(answer.residual.natural <= tight.absolute + tight.relative * step_->momentum_scale()))
    return std::nullopt;
  answer.iterations = steps;
  answer.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return judged(std::move(answer));
}

/// Newton on the projected form: from the last step, from the blocks of the start, and by
/// continuation. Leaves the prediction in guess_ when all of them fail.
std::pair<std::optional<Answer>, int> ImplicitStepping::solve_projected(
    const StepInput& in, const Problem& problem, std::vector<std::string>& notes) {
  int steps = 0, more = 0;
  std::optional<Answer> answer = projected_answer(problem, steps);
  const auto good = [&] { return answer && answer->ok(); };
  if (!projected_ || good()) return {answer, steps};
  predict(in, false, guess_);
  answer = projected_answer(problem, more);
  steps += more;
  const char* how = "";
  const auto follow = [&](const char* name, Answer last) {
    how = name;
    steps += last.iterations;
    answer = std::move(last);
  };
  if (!good())
    follow("friction coefficients", continue_in_friction(in, problem, Stages::projected));
  if (!good()) follow("gap", continue_in_gap(in, problem, Stages::projected));
  if (good()) {
    if (*how)
      notes.push_back(fmt::format(
          "step from t = {:g}: Newton on the projected form failed from both starts; solved by "
          "continuation in the {}",
          in.state.t, how));
    answer->iterations = steps;
    return {answer, steps};
  }
  predict(in, true, guess_);
  step_->set_slips(guess_);
  return {std::nullopt, steps};
}

Answer ImplicitStepping::solve(const StepInput& in, const Problem& problem) {
  predict(in, true, guess_);
  std::vector<std::string> tried;
  const auto [confirmed, steps] = solve_projected(in, problem, tried);
  Answer answer = confirmed ? *confirmed : attempt(problem, guess_);
  if (!confirmed) answer.iterations += steps;
  answer.notes.insert(answer.notes.begin(), tried.begin(), tried.end());
  for (const Contact& c : in.contacts)
    if (c.gap < -deep)
      answer.notes.insert(
          answer.notes.begin(),
          fmt::format("step from t = {:g}: {} overlap by {:.3g} m; the step separates them, with "
                      "{:.3g} m/s",
                      in.state.t, contact_name(world_, c), -c.gap, -c.gap / in.h));
  if (answer.ok()) return answer;

  const std::string first = to_string(answer.status);
  const auto retry = [&](const char* name, Answer next) {
    next.iterations += answer.iterations;
    next.seconds += answer.seconds;
    if (next.ok())
      next.notes.push_back(fmt::format("step from t = {:g}: the first solve ended {}; solved {}",
                                       in.state.t, first, name));
    else
      next.notes.push_back(
          fmt::format("step from t = {:g}: {} ended {}", in.state.t, name, to_string(next.status)));
    next.notes.insert(next.notes.begin(), answer.notes.begin(), answer.notes.end());
    return next;
  };
  predict(in, false, guess_);
  step_->set_slips(guess_);
  answer = retry("from the blocks of the start", attempt(problem, guess_));
  if (answer.ok()) return answer;
  answer = retry("by continuation in the friction coefficients",
                 continue_in_friction(in, problem, Stages::solver));
  if (answer.ok()) return answer;
  return retry("by continuation in the gap", continue_in_gap(in, problem, Stages::solver));
}

/// One stage of a continuation, from guess_ and into it.
Answer ImplicitStepping::stage(const Problem& problem, Stages stages) {
  int steps = 0;
  const std::optional<Answer> confirmed = projected_answer(problem, steps);
  Answer answer;
  if (confirmed && confirmed->ok())
    answer = *confirmed;
  else if (stages == Stages::solver)
    answer = attempt(problem, guess_);
  else
    answer.status = Status::inaccurate;
  if (answer.ok()) guess_ = answer.z;
  return answer;
}

/// The same problem with friction μ·factor, from no friction to all of it.
Answer ImplicitStepping::continue_in_friction(const StepInput& in, const Problem& problem,
                                              Stages stages) {
  predict(in, false, guess_);
  Answer answer;
  int iterations = 0;
  double seconds = 0.0;
  for (const double factor : {0.0, 0.25, 0.5, 0.75, 1.0}) {
    step_->scale_friction(factor);
    answer = stage(problem, stages);
    iterations += answer.iterations;
    seconds += answer.seconds;
    if (!answer.ok()) break;
  }
  step_->scale_friction(1.0);
  answer.iterations = iterations;
  answer.seconds = seconds;
  return answer;
}

/// The same problem with gaps widened by what the free motion would penetrate, so that it touches
/// nothing, down to the true gaps.
Answer ImplicitStepping::continue_in_gap(const StepInput& in, const Problem& problem,
                                         Stages stages) {
  nu_ = in.nu_free;
  guess_.setZero(step_->size());
  start_at_velocity(in, false, guess_);
  step_->set_slips(guess_);
  step_->widen_gaps(guess_);
  Answer answer;
  int iterations = 0;
  double seconds = 0.0;
  for (const double part : {0.75, 0.5, 0.25, 0.1, 0.0}) {
    step_->scale_widening(part);
    answer = stage(problem, stages);
    iterations += answer.iterations;
    seconds += answer.seconds;
    if (!answer.ok()) break;
  }
  step_->scale_widening(0.0);
  answer.iterations = iterations;
  answer.seconds = seconds;
  return answer;
}

}  // namespace touchstone

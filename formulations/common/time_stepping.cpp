#include "formulations/common/time_stepping.hpp"

#include <algorithm>
#include <numeric>

namespace touchstone {

namespace {

/// A candidate outside the problem may miss its normal row by this much [m/s]: round-off, not
/// motion.
constexpr double row_tolerance = 1e-11;
/// Slip below this counts as sticking [m/s]; an exact solution sticks at round-off.
constexpr double stick_threshold = 1e-9;

bool usable(Status status) { return status == Status::solved || status == Status::inaccurate; }

}  // namespace

void record_answer(const Answer& answer, int unknowns, Step& step) {
  if (step.status == Status::solved || (usable(step.status) && !usable(answer.status)))
    step.status = answer.status;
  step.residual.natural = std::max(step.residual.natural, answer.residual.natural);
  step.residual.infeasibility =
      std::max(step.residual.infeasibility, answer.residual.infeasibility);
  step.residual.complementarity =
      std::max(step.residual.complementarity, answer.residual.complementarity);
  if (answer.residual.physical)
    step.residual.physical =
        std::max(step.residual.physical.value_or(0.0), *answer.residual.physical);
  step.iterations += answer.iterations;
  step.unknowns += unknowns;
  step.solve_seconds += answer.seconds;
  step.notes.insert(step.notes.end(), answer.notes.begin(), answer.notes.end());
}

TimeStepping::TimeStepping(const World& world, std::unique_ptr<Solver> solver, int nearest,
                           Blocks blocks)
    : world_(world), solver_(std::move(solver)), nearest_(nearest), blocks_(blocks) {
  if (!solver_) throw std::logic_error("a time-stepping formulation needs a solver");
}

double TimeStepping::normal_bound(const Contact& contact, double, double, double h) const {
  return -contact.gap / h;
}

double TimeStepping::normal_row(const Contact&, double row, const State&, const Vec&, double) {
  return row;
}

void TimeStepping::find_candidates(const Configuration& configuration, const State& state, double h,
                                   std::vector<Contact>& out) {
  find_contacts(configuration, state, h, out);
}

Answer TimeStepping::solve(const StepInput&, const Problem& problem) {
  return solver_->solve(problem);
}

void TimeStepping::find_missed(const Configuration&, const Vec&, double,
                               std::vector<Contact>& out) {
  out.clear();
}

const Step& TimeStepping::advance(const State& state, double h) {
  begin(state, h);
  do {
    solve_islands(state, h);
  } while (usable(step_.status) && add_missed(state, h));
  finish(state, h);
  return step_;
}

void TimeStepping::solve_islands(const State& state, double h) {
  step_.next.nu = nu_free_;
  next_active_.clear();
  solved_.clear();
  joint_impulses_ = free_joint_;
  split_into_islands();
  for (std::size_t first = 0; first < order_.size();) {
    std::size_t last = first;
    const auto island = [&](std::size_t k) {
      return candidates_[static_cast<std::size_t>(order_[k])].island;
    };
    while (last < order_.size() && island(last) == island(first)) ++last;
    solve_island(state, h, std::span(order_).subspan(first, last - first));
    first = last;
  }
}

Problem TimeStepping::whole_problem(const State& state, double h, Vec* start_at) {
  begin(state, h);
  contacts_.clear();
  for (const Candidate& candidate : candidates_) contacts_.push_back(candidate.contact);
  Problem problem;
  const StepInput input{world_,    configuration_,  state, nu_free_,
                        contacts_, world_.moving(), h,     joints_};
  assemble(input, problem);
  if (start_at) *start_at = start(input);
  return problem;
}

void TimeStepping::begin(const State& state, double h) {
  configuration_.update(world_, state);
  configuration_.free_velocity(state.nu, h, nu_free_);
  joints_.update(configuration_, state.nu);
  joint_rate_ = -joint_stabilisation() / h;
  free_joint_.setZero(static_cast<Eigen::Index>(joints_.rows().size()));
  joints_.project(configuration_, joint_rate_, world_.moving(), nu_free_, free_joint_);
  find_candidates(configuration_, state, h, found_);
  if (nearest_ > 0) keep_nearest();
  candidates_.clear();
  for (const Contact& contact : found_) add_candidate(contact, state, h);

  step_.next.t = state.t + h;
  step_.next.q = state.q;
  step_.contacts.clear();
  step_.dropped = dropped_candidates();
  step_.candidates = static_cast<int>(found_.size()) + step_.dropped;
  step_.notes.clear();
  step_.work = {};
  step_.status = Status::solved;
  step_.residual = {};
  step_.iterations = step_.unknowns = 0;
  step_.solve_seconds = 0.0;
}

void TimeStepping::add_candidate(const Contact& contact, const State& state, double h) {
  Candidate& candidate = candidates_.emplace_back();
  candidate.contact = contact;
  candidate.normal = wrench_column(world_, configuration_, contact, contact.n);
  candidate.bound = normal_bound(contact, velocity(world_, candidate.normal, state.nu),
                                 velocity(world_, candidate.normal, nu_free_), h);
}

/// Says whether a contact was missed.
bool TimeStepping::add_missed(const State& state, double h) {
  const Vec& nu = step_.next.nu;
  find_missed(configuration_, nu, h, found_);
  if (found_.empty()) return false;
  known_.clear();
  for (const Candidate& candidate : candidates_) known_.push_back(key(candidate.contact));
  std::sort(known_.begin(), known_.end());
  const std::size_t before = candidates_.size();
  for (const Contact& contact : found_) {
    if (std::binary_search(known_.begin(), known_.end(), key(contact))) continue;
    add_candidate(contact, state, h);
    Candidate& candidate = candidates_.back();
    const double row = velocity(world_, candidate.normal, nu) - candidate.bound;
    candidate.in_problem = normal_row(contact, row, state, nu, h) < -row_tolerance;
    if (!candidate.in_problem) candidates_.pop_back();
  }
  step_.candidates += static_cast<int>(candidates_.size() - before);
  return candidates_.size() > before;
}

void TimeStepping::keep_nearest() {
  // Candidates of a pair follow each other.
  auto kept = found_.begin();
  for (auto first = found_.begin(); first != found_.end();) {
    const auto last = std::find_if(
        first, found_.end(), [&](const Contact& c) { return c.a != first->a || c.b != first->b; });
    std::stable_sort(first, last, [](const Contact& x, const Contact& y) { return x.gap < y.gap; });
    kept = std::move(first, first + std::min<std::ptrdiff_t>(nearest_, last - first), kept);
    first = last;
  }
  found_.erase(kept, found_.end());
}

void TimeStepping::split_into_islands() {
  islands_.reset(static_cast<int>(world_.bodies().size()));
  for (const Candidate& candidate : candidates_)
    if (candidate.normal.a >= 0 && candidate.normal.b >= 0)
      islands_.join(candidate.normal.a, candidate.normal.b);
  for (const Joint& joint : world_.joints())
    if (!world_.body(joint.a).fixed && !world_.body(joint.b).fixed) islands_.join(joint.a, joint.b);
  order_.resize(candidates_.size());
  std::iota(order_.begin(), order_.end(), 0);
  for (Candidate& candidate : candidates_)
    candidate.island = islands_.root(std::max(candidate.normal.a, candidate.normal.b));
  std::stable_sort(order_.begin(), order_.end(), [this](int i, int j) {
    return candidates_[static_cast<std::size_t>(i)].island <
           candidates_[static_cast<std::size_t>(j)].island;
  });
}

void TimeStepping::solve_island(const State& state, double h, std::span<const int> candidates) {
  working_.clear();
  for (const int i : candidates) {
    Candidate& candidate = candidates_[static_cast<std::size_t>(i)];
    const Contact& c = candidate.contact;
    candidate.in_problem = candidate.in_problem || in_first_set(c) ||
                           std::binary_search(active_.begin(), active_.end(), key(c));
    if (candidate.in_problem) working_.push_back(i);
  }
  grow_working_set(state, h, candidates, nu_free_);
  if (working_.empty()) return;

  bodies_.clear();
  for (const int i : world_.moving())
    if (islands_.root(i) == candidates_[static_cast<std::size_t>(working_.front())].island)
      bodies_.push_back(i);
  Answer answer;
  do {
    answer = solve_working_set(state, h);
  } while (usable(answer.status) && grow_working_set(state, h, candidates, trial_.nu));
  if (!usable(answer.status)) return;

  joint_impulses_ += trial_joint_;
  for (const int body : bodies_)
    step_.next.nu.segment(world_.velocity_offset(body), world_.dof()) =
        trial_.nu.segment(world_.velocity_offset(body), world_.dof());
  for (std::size_t k = 0; k < contacts_.size(); ++k) {
    const Contact& c = contacts_[k];
    solved_.push_back({trial_.contacts[k], trial_.impulses[k]});
    if (trial_.impulses[k].n > 0.0) next_active_.push_back(key(c));
  }
}

/// Adds, of each pair, the candidate outside the problem that violates its normal row most under ν;
/// says whether there was one. Candidates of a pair follow each other.
bool TimeStepping::grow_working_set(const State& state, double h, std::span<const int> candidates,
                                    const Vec& nu) {
  const std::size_t before = working_.size();
  for (std::size_t first = 0; first < candidates.size();) {
    const Contact& pair = candidates_[static_cast<std::size_t>(candidates[first])].contact;
    double worst = -row_tolerance;
    int chosen = -1;
    std::size_t k = first;
    for (; k < candidates.size(); ++k) {
      const Candidate& candidate = candidates_[static_cast<std::size_t>(candidates[k])];
      if (candidate.contact.a != pair.a || candidate.contact.b != pair.b) break;
      if (candidate.in_problem) continue;
      const double row =
          normal_row(candidate.contact, velocity(world_, candidate.normal, nu) - candidate.bound,
                     state, nu, h);
      if (row < worst) {
        worst = row;
        chosen = candidates[k];
      }
    }
    if (chosen >= 0) {
      candidates_[static_cast<std::size_t>(chosen)].in_problem = true;
      working_.push_back(chosen);
    }
    first = k;
  }
  return working_.size() > before;
}

Answer TimeStepping::solve_working_set(const State& state, double h) {
  contacts_.clear();
  for (const int i : working_)
    contacts_.push_back(candidates_[static_cast<std::size_t>(i)].contact);
  const StepInput input{world_, configuration_, state, nu_free_, contacts_, bodies_, h, joints_};
  assemble(input, problem_);
  const Answer answer = solve(input, problem_);
  record_answer(answer, static_cast<int>(unknowns(problem_)), step_);
  if (!usable(answer.status)) return answer;
  trial_.nu = nu_free_;
  trial_.impulses.assign(contacts_.size(), {});
  trial_.contacts = contacts_;
  decode(input, answer.z, trial_);
  trial_joint_.setZero(joint_impulses_.size());
  joints_.project(configuration_, joint_rate_, bodies_, trial_.nu, trial_joint_);
  return answer;
}

ContactResult TimeStepping::contact_result(const State& state, double h, const Contact& c,
                                           const Impulse& p) {
  ContactResult result{.contact = c, .p_n = p.n, .p_t = p.t, .p_o = p.o, .p_r = p.r};
  const bool at_end = blocks_ == Blocks::end;
  measure(at_end ? end_ : configuration_, state.nu, step_.next.nu, result, step_.work);
  classify(result, at_end ? c.gap : c.gap + h * result.u_n, stick_threshold);
  return result;
}

void TimeStepping::finish(const State& state, double h) {
  std::sort(next_active_.begin(), next_active_.end());
  std::swap(active_, next_active_);
  advance_coordinates(world_, step_.next.nu, h, step_.next.q);
  if (blocks_ == Blocks::end) end_.update(world_, step_.next);
  for (const Solved& contact : solved_)
    step_.contacts.push_back(contact_result(state, h, contact.contact, contact.impulse));
  step_.work.applied = applied_work(world_, state, step_.next.nu, h);
  for (std::size_t k = 0; k < joints_.rows().size(); ++k) {
    const Column& w = joints_.rows()[k].column;
    step_.work.joints += 0.5 * joint_impulses_[static_cast<Eigen::Index>(k)] *
                         (velocity(world_, w, state.nu) + velocity(world_, w, step_.next.nu));
  }
}

}  // namespace touchstone

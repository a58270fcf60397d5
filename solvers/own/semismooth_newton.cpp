/// Semismooth Newton for l ≤ z ≤ u ⊥ F(z): the solvers `newton-fb` and `newton-min`.
///
/// The problem is written as equations Φ(z) = 0 (complementarity_maps.hpp) and Newton's method uses
/// an element of their generalised Jacobian (De Luca, Facchinei & Kanzow 1996, 2000):
///     H d = −Φ,   H = diag(α) + diag(β) J.                                                   (1)
/// - `newton-fb` takes Φ from Fischer–Burmeister;
/// - `newton-min` takes the direction of the natural (min) map, a guess of the active set, and
/// falls
///   back to the Fischer–Burmeister direction where the line search refuses it.
/// Both descend on θ = ½‖Φ_FB‖², which is smooth: step t with
///     θ(z + td) ≤ max(recent θ) + σ t ∇θᵀd    (nonmonotone Armijo, Grippo et al. 1986).       (2)
///
/// Where H is singular, (1) is replaced by (HᵀH + λI) d = −HᵀΦ with λ = λ₀‖Φ‖ (Levenberg–Marquardt)
/// and, if that is refused too, by the gradient. Contact with friction needs it: a separated
/// contact, pₙ = 0, leaves its slip speed σ undetermined.
///
/// Finish. The active set that the natural map shows is solved on its own on the original
/// equations (rank-revealing least squares where it is singular), with refinement; each new set is
/// tried once on a linear problem. This gives full accuracy where Φ_FB only converges linearly.
///
/// Attempts. θ has local minima. An attempt that stops at one is followed by others: along smoothed
/// equations √(a² + b² + 2τ), τ ↓ 0 (Kanzow 1996), from other starts and from perturbed ones. The
/// notes say which attempt was the answer's, how many steps were damped, and how the finish solved.
///
/// Results do not depend on earlier calls: perturbations come from one fixed seed. The guess is the
/// warm start; without one, the point of [l, u] nearest to 0.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>

#include "solvers/own/newton_model.hpp"
#include "solvers/solver.hpp"

namespace touchstone {

namespace {

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double sufficient_decrease = 1e-4;  // σ of (2) [1]
constexpr double smallest_step = 0x1.0p-30;   // of the line search [1]
constexpr double small_step = 1e-12;          // that ends the finish, relative to 1 + ‖z‖ [1]
constexpr std::size_t memory = 6;             // values of θ that (2) looks back to
constexpr int patience = 25;                  // iterations in which θ has to fall to a half

enum class Map { fischer_burmeister, natural };
enum class End { solved, stationary, iteration_limit, not_finite };

const char* to_text(End end) {
  switch (end) {
    case End::solved:
      return "solved";
    case End::stationary:
      return "stopped at a stationary point of the merit function";
    case End::iteration_limit:
      return "used up its iterations";
    default:
      return "met values of F that are not finite";
  }
}

class SemismoothNewton final : public Solver {
 public:
  SemismoothNewton(Map map, const Parameters& settings)
      : map_(map),
        max_iterations_(static_cast<int>(settings.integer("max_iterations"))),
        restarts_(static_cast<int>(settings.integer("restarts"))),
        damping_(settings.real("damping")) {}

  bool accepts(const Problem& problem) const override {
    return std::holds_alternative<Lcp>(problem) || std::holds_alternative<Mlcp>(problem) ||
           std::holds_alternative<Mcp>(problem);
  }

 private:
  Claim run(const Problem& problem, const Vec& guess, Tolerance tolerance) override {
    bound_ = tolerance.bound(problem);
    model_.load(problem);
    best_ = inf;
    iterations_ = damped_ = gradient_ = 0;
    least_squares_ = false;
    random_ = 0x9E3779B97F4A7C15u;
    Claim claim;
    if (model_.size() == 0) {
      claim.z.resize(0);
      return claim;
    }
    if (guess_is_answer(guess)) {
      claim.z = best_z_;
      return claim;
    }
    End first = End::solved, end = End::solved;
    int attempt = 0;
    for (; attempt <= restarts_; ++attempt) {
      start(attempt, guess);
      end = descend(attempt);
      if (attempt == 0) first = end;
      if (end == End::solved) break;
    }
    claim.z = best_z_;
    claim.iterations = iterations_;
    claim.status = end == End::solved            ? Status::solved
                   : end == End::iteration_limit ? Status::iteration_limit
                                                 : Status::inaccurate;
    explain(claim, attempt, first);
    return claim;
  }

  void explain(Claim& claim, int attempt, End first) const {
    if (claim.status != Status::solved)
      claim.notes.push_back(
          fmt::format("newton: {} attempts failed; the first one {}; residual {:.3g}",
                      restarts_ + 1, to_text(first), best_));
    else if (attempt > 0)
      claim.notes.push_back(fmt::format("newton: solved by attempt {} ({}); the first one {}",
                                        attempt + 1, describe(attempt), to_text(first)));
    if (damped_ + gradient_ > 0)
      claim.notes.push_back(
          fmt::format("newton: {} steps damped (Levenberg-Marquardt), {} along the gradient",
                      damped_, gradient_));
    if (least_squares_)
      claim.notes.emplace_back(
          "newton: the active set is singular; least-squares step of smallest norm");
  }

  /// A guess that is the answer to round-off is returned as it is, without a system.
  bool guess_is_answer(const Vec& guess) {
    if (guess.size() == 0 || !guess.allFinite()) return false;
    z_ = guess;
    model_.clip(z_);
    model_.evaluate(z_, F_);
    return keep_best() && best_ <= 1e-3 * bound_;
  }

  // ---- Attempts

  static bool smoothed(int attempt) { return attempt % 2 == 1; }

  static std::string describe(int attempt) {
    const char* where = attempt == 0   ? "first start"
                        : attempt <= 2 ? "start of ones"
                                       : "random start";
    return fmt::format("{}{}", where, smoothed(attempt) ? ", smoothed equations" : "");
  }

  /// Leaves z_, F_ and the scaling.
  void start(int attempt, const Vec& guess) {
    const Eigen::Index n = model_.size();
    if (attempt == 0 && guess.size() > 0 && guess.allFinite())
      z_ = guess;
    else
      z_.setZero(n);
    model_.clip(z_);
    if (attempt == 0 || !model_.is_linear()) {
      model_.differentiate(z_);
      model_.equilibrate();
    }
    data_size_ = model_.data_size(trial_, trial_F_);
    if (attempt == 1 || attempt == 2)
      z_ = data_size_ * model_.C();
    else if (attempt >= 3)
      for (Eigen::Index i = 0; i < n; ++i)
        z_[i] += data_size_ * model_.C()[i] * std::exp(4.0 * uniform() - 2.0);
    model_.clip(z_);
    model_.evaluate(z_, F_);
  }

  double uniform() {  // xorshift64*
    random_ ^= random_ >> 12;
    random_ ^= random_ << 25;
    random_ ^= random_ >> 27;
    return static_cast<double>((random_ * 0x2545F4914F6CDD1Du) >> 11) * 0x1.0p-53;
  }

  // ---- One attempt

  End descend(int attempt) {
    tau_ = 0.0;
    if (!keep_best()) return End::not_finite;
    if (smoothed(attempt)) tau_ = first_tau();
    merit_ = model_.merit(z_, F_, tau_);
    recent_.fill(merit_);
    double reference = merit_;
    tried_.clear();
    for (int k = 0; k < max_iterations_; ++k) {
      if (best_ <= bound_) return finish_accurately();
      ++iterations_;
      model_.differentiate(z_);
      if (finish()) return End::solved;
      if (!advance()) {
        if (tau_ == 0.0) return End::stationary;
        lower_tau(0.0);
        continue;
      }
      if (!keep_best()) return End::not_finite;
      if (tau_ > 0.0) {
        lower_tau(tau_);
      } else {
        recent_[static_cast<std::size_t>(k) % memory] = merit_;
      }
      if (k % patience == patience - 1) {
        if (tau_ == 0.0 && merit_ > 0.5 * reference) return End::stationary;
        reference = merit_;
      }
    }
    return best_ <= bound_ ? End::solved : End::iteration_limit;
  }

  /// Keeps z_ where it is the best so far; false when F is not finite.
  bool keep_best() {
    const double residual = model_.natural_residual(z_, F_);
    if (residual < best_ || best_z_.size() != z_.size() || best_ == inf) {
      best_ = residual;
      best_z_ = z_;
    }
    return residual < inf;
  }

  double first_tau() const {
    double sum = 0.0;
    for (Eigen::Index i = 0; i < z_.size(); ++i) {
      const double x = model_.natural(i, z_[i], F_[i]).value;
      sum += x * x;
    }
    return sum / static_cast<double>(z_.size());
  }

  /// The smoothing falls with the equations that are left: τ ≤ 0.1 θ / n, at least by a factor.
  void lower_tau(double from) {
    const double mean = 2.0 * merit_ / static_cast<double>(z_.size());
    tau_ =
        from > 0.0 && merit_ > 0.0 ? std::min(0.3 * from, std::max(0.1 * mean, 0.02 * from)) : 0.0;
    if (tau_ < 1e-20 * (1.0 + z_.squaredNorm())) tau_ = 0.0;
    merit_ = model_.merit(z_, F_, tau_);
    recent_.fill(merit_);
  }

  // ---- Directions and line search

  void load_equations(Map map) {
    const Eigen::Index n = z_.size();
    alpha_.resize(n);
    beta_.resize(n);
    Phi_.resize(n);
    for (Eigen::Index i = 0; i < n; ++i) {
      const MapRow row = map == Map::natural ? model_.natural(i, z_[i], F_[i])
                                             : model_.fischer_burmeister(i, z_[i], F_[i], tau_);
      alpha_[i] = row.alpha;
      beta_[i] = row.beta;
      Phi_[i] = -row.value;
    }
    model_.fill(alpha_, beta_, system_);
  }

  /// One step; false when no direction gives a decrease.
  bool advance() {
    if (map_ == Map::natural && tau_ == 0.0) {
      load_equations(Map::natural);
      if (system_.solve(Phi_, d_) && search(-2.0 * merit_, 0x1.0p-6)) return true;
    }
    load_equations(Map::fischer_burmeister);
    if (system_.solve(Phi_, d_) && search(-2.0 * merit_, 1e-4)) return true;
    system_.multiply_transposed(Phi_, gradient_vector_);  // −∇θ
    const double size = std::sqrt(2.0 * merit_);
    for (const double factor : {1.0, 1e3, 1e6}) {
      if (!system_.solve_damped(damping_ * factor * std::min(size, 1.0), Phi_, d_)) continue;
      if (!search(-gradient_vector_.dot(d_), 1e-4)) continue;
      ++damped_;
      return true;
    }
    d_ = gradient_vector_;
    if (!(d_.norm() > 1e-12 * size) || !search(-d_.squaredNorm(), smallest_step)) return false;
    ++gradient_;
    return true;
  }

  /// Armijo's rule (2) along z + t C d; leaves z_, F_ and merit_ at the new point.
  bool search(double slope, double smallest) {
    if (!(slope < 0.0)) return false;
    const double reference = *std::max_element(recent_.begin(), recent_.end());
    for (double t = 1.0; t >= smallest; t *= 0.5) {
      trial_ = z_ + t * model_.C().cwiseProduct(d_);
      model_.evaluate(trial_, trial_F_);
      const double value = model_.merit(trial_, trial_F_, tau_);
      if (!(value <= reference + sufficient_decrease * t * slope)) continue;
      if (value >= merit_ && value >= reference) continue;  // no change at all at round-off
      z_.swap(trial_);
      F_.swap(trial_F_);
      merit_ = value;
      return true;
    }
    return false;
  }

  // ---- Finish

  /// A point within the tolerance is brought to round-off where that takes one more system.
  End finish_accurately() {
    z_ = best_z_;
    model_.evaluate(z_, F_);
    if (best_ == 0.0 || (model_.is_linear() && best_ <= 1e-3 * bound_)) return End::solved;
    model_.differentiate(z_);
    tried_.clear();
    finish();
    return End::solved;
  }

  /// Solves the active set of the natural map; true when the result is within the tolerance, else
  /// the state of the descent is left alone. On a nonlinear problem it goes on until the steps are
  /// at round-off: at a degenerate root (the cone's ζ = μ²pₙ² − p_t² at pₙ = 0) a small residual
  /// does not yet make z accurate.
  bool finish() {
    if (!new_active_set()) return false;
    kept_ = z_;
    kept_F_ = F_;
    double last_residual = inf, last_step = inf;
    bool within = false, least_squares = false, postponed = false;
    for (int repeat = 0; repeat < (model_.is_linear() ? 3 : 60); ++repeat) {
      load_equations(Map::natural);
      if (!system_.solve(Phi_, d_)) {
        postponed = repeat == 0 && far_away();
        if (repeat > 0 || postponed || !system_.solve_least_squares(Phi_, d_)) break;
        least_squares = true;
      }
      d_.array() *= model_.C().array();
      z_ += d_;
      model_.clip(z_);
      model_.evaluate(z_, F_);
      const double residual = model_.natural_residual(z_, F_), step = d_.lpNorm<Eigen::Infinity>();
      if (residual <= bound_) within = true;
      if (residual < best_ || (residual <= bound_ && step < last_step)) {
        best_ = residual;
        best_z_ = z_;
        least_squares_ = least_squares;
      }
      if (!within && !(residual < 0.5 * last_residual)) break;
      if (!(step < 0.9 * last_step) || step <= small_step * (1.0 + z_.lpNorm<Eigen::Infinity>()))
        break;
      if (model_.is_linear() && residual <= 1e-3 * bound_) break;
      last_residual = residual;
      last_step = step;
      model_.differentiate(z_);
    }
    if (postponed) tried_.pop_back();
    if (!within) {
      z_.swap(kept_);
      F_.swap(kept_F_);
      model_.differentiate(z_);
    }
    return within;
  }

  /// Least squares is dear, and its active set is only a guess while θ is large.
  bool far_away() const { return Phi_.lpNorm<Eigen::Infinity>() > 1e-3 * data_size_; }

  /// On a linear problem the answer depends on the set alone (while it is nonsingular): one try.
  bool new_active_set() {
    const std::uint64_t key = model_.active_set_key(z_, F_);
    if (std::find(tried_.begin(), tried_.end(), key) != tried_.end()) return false;
    tried_.push_back(key);
    return true;
  }

  Map map_;
  int max_iterations_, restarts_;
  double damping_;

  NewtonModel model_;
  NewtonSystem system_;
  double bound_ = 0.0, best_ = inf, merit_ = 0.0, tau_ = 0.0, data_size_ = 1.0;
  int iterations_ = 0, damped_ = 0, gradient_ = 0;
  bool least_squares_ = false;
  std::uint64_t random_ = 0;
  std::array<double, memory> recent_{};
  std::vector<std::uint64_t> tried_;
  Vec z_, F_, best_z_, trial_, trial_F_, kept_, kept_F_, alpha_, beta_, Phi_, d_, gradient_vector_;
};

Parameters settings() {
  return {integer("max_iterations", 100, "1", "Newton steps per attempt").at_least(1),
          integer("restarts", 8, "1", "further attempts from other starts").at_least(0),
          real("damping", 1e-8, "1", "Levenberg-Marquardt weight, times the residual, scaled")
              .above(0)};
}

SolverEntry entry(Map map, std::string name, std::string summary, std::string cite) {
  return {
      .name = std::move(name),
      .summary = std::move(summary),
      .cite = std::move(cite),
      .parameters = settings(),
      .make = [map](const Parameters& p) { return std::make_unique<SemismoothNewton>(map, p); }};
}

const Register<SolverEntry> newton_fb{
    entry(Map::fischer_burmeister, "newton-fb",
          "semismooth Newton on the Fischer-Burmeister equations, with active-set finish",
          "De Luca, Facchinei, Kanzow 1996; Billups 1995")};

const Register<SolverEntry> newton_min{
    entry(Map::natural, "newton-min",
          "semismooth Newton on the natural (min) map, descent on Fischer-Burmeister",
          "De Luca, Facchinei, Kanzow 2000")};

}  // namespace

}  // namespace touchstone

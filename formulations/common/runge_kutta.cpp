#include "formulations/common/runge_kutta.hpp"

#include <array>
#include <cmath>

#include "solvers/error.hpp"
#include "solvers/names.hpp"

namespace touchstone {

namespace {

const std::vector<Tableau>& tableaus() {
  static const std::vector<Tableau> all{
      {.name = "euler", .order = 1, .a = {{}}, .b = {1.0}, .c = {0.0}},
      {.name = "midpoint", .order = 2, .a = {{}, {0.5}}, .b = {0.0, 1.0}, .c = {0.0, 0.5}},
      {.name = "rk4",
       .order = 4,
       .a = {{}, {0.5}, {0.0, 0.5}, {0.0, 0.0, 1.0}},
       .b = {1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0},
       .c = {0.0, 0.5, 0.5, 1.0}},
      {.name = "dormand-prince",
       .order = 5,
       .a = {{},
             {1.0 / 5.0},
             {3.0 / 40.0, 9.0 / 40.0},
             {44.0 / 45.0, -56.0 / 15.0, 32.0 / 9.0},
             {19372.0 / 6561.0, -25360.0 / 2187.0, 64448.0 / 6561.0, -212.0 / 729.0},
             {9017.0 / 3168.0, -355.0 / 33.0, 46732.0 / 5247.0, 49.0 / 176.0, -5103.0 / 18656.0},
             {35.0 / 384.0, 0.0, 500.0 / 1113.0, 125.0 / 192.0, -2187.0 / 6784.0, 11.0 / 84.0}},
       .b = {35.0 / 384.0, 0.0, 500.0 / 1113.0, 125.0 / 192.0, -2187.0 / 6784.0, 11.0 / 84.0, 0.0},
       .c = {0.0, 0.2, 0.3, 0.8, 8.0 / 9.0, 1.0, 1.0},
       .error = {71.0 / 57600.0, 0.0, -71.0 / 16695.0, 71.0 / 1920.0, -17253.0 / 339200.0,
                 22.0 / 525.0, -1.0 / 40.0},
       .last_is_next = true},
  };
  return all;
}

/// Of Dormand and Prince's continuous extension: the coefficient of θ²(1 − θ)².
constexpr std::array<double, 7> dense{
    -12715105075.0 / 11282082432.0,  0.0,
    87487479700.0 / 32700410799.0,   -10690763975.0 / 1880347072.0,
    701980252875.0 / 199316789632.0, -1453857185.0 / 822651844.0,
    69997945.0 / 29380423.0};

}  // namespace

const Tableau& Tableau::named(const std::string& name) {
  std::vector<std::string> names;
  for (const Tableau& tableau : tableaus()) {
    if (tableau.name == name) return tableau;
    names.push_back(tableau.name);
  }
  throw InputError(unknown_name("integrator", name, names));
}

void RungeKuttaStep::take(OdeSystem& system, double t, const Vec& y, const Vec& f0, double h) {
  h_ = h;
  y0_ = y;
  const std::size_t stages = tableau_.b.size();
  k_.resize(stages);
  k_[0] = f0;
  for (std::size_t i = 1; i < stages; ++i) {
    trial_ = y;
    for (std::size_t j = 0; j < i; ++j)
      if (tableau_.a[i][j] != 0.0) trial_ += h * tableau_.a[i][j] * k_[j];
    system.derivative(t + tableau_.c[i] * h, trial_, k_[i]);
  }
  if (tableau_.last_is_next) {
    y1_ = trial_;
    f1_ = k_.back();
  } else {
    y1_ = y;
    for (std::size_t i = 0; i < stages; ++i) y1_ += h * tableau_.b[i] * k_[i];
    system.derivative(t + h, y1_, f1_);
  }
  error_.setZero(y.size());
  for (std::size_t i = 0; i < tableau_.error.size(); ++i) error_ += h * tableau_.error[i] * k_[i];

  // y(θ) = y + θ(difference + (1 − θ)(bend + θ(twist + (1 − θ) correction))): the cubic Hermite
  // polynomial and, beyond it, the last term.
  difference_ = y1_ - y;
  correction_.setZero(y.size());
  if (tableau_.order == 1) {
    bend_.setZero(y.size());
    twist_.setZero(y.size());
    return;
  }
  bend_ = h * f0 - difference_;
  twist_ = difference_ - h * f1_ - bend_;
  if (tableau_.order < 5) return;
  for (std::size_t i = 0; i < dense.size(); ++i) correction_ += h * dense[i] * k_[i];
}

void RungeKuttaStep::at(double theta, Vec& y) const {
  const double rest = 1.0 - theta;
  y = y0_ + theta * (difference_ + rest * (bend_ + theta * (twist_ + rest * correction_)));
}

double error_norm(const Vec& error, const Vec& y, const Vec& next, Eigen::Index n,
                  double tolerance) {
  double sum = 0.0;
  for (Eigen::Index i = 0; i < n; ++i) {
    const double scale = tolerance * (1.0 + std::max(std::abs(y[i]), std::abs(next[i])));
    sum += (error[i] / scale) * (error[i] / scale);
  }
  return n > 0 ? std::sqrt(sum / static_cast<double>(n)) : 0.0;
}

}  // namespace touchstone

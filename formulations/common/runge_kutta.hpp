#pragma once

/// Explicit Runge–Kutta methods with dense output, for ẏ = f(t, y).
///
///     k_i = f(t + c_i h, y + h Σ_{j<i} a_ij k_j),   y⁺ = y + h Σ b_i k_i                      (1)
///     y(t + θh) ≈ y + h Σ b_i(θ) k_i,   0 ≤ θ ≤ 1                                             (2)
///
/// dormand-prince: order 5 with an error estimate of order 4 and (2) of order 4 (Dormand and
/// Prince, J. Comput. Appl. Math. 6, 1980; Hairer, Nørsett and Wanner, Solving Ordinary
/// Differential Equations I, section II.6). euler, midpoint and rk4 have fixed steps and, between
/// them, the cubic Hermite polynomial (Euler: the line). Tests have the order conditions.

#include <string>
#include <vector>

#include "solvers/problem.hpp"

namespace touchstone {

class OdeSystem {
 public:
  virtual ~OdeSystem() = default;
  virtual void derivative(double t, const Vec& y, Vec& dy) = 0;
};

/// A step over [t, t + h] that was taken.
class DenseStep {
 public:
  virtual ~DenseStep() = default;
  const Vec& end() const { return y1_; }
  /// f(t + h, y⁺)
  const Vec& end_derivative() const { return f1_; }
  /// The estimate of the local error.
  const Vec& error() const { return error_; }
  /// y(t + θh), 0 ≤ θ ≤ 1
  virtual void at(double theta, Vec& y) const = 0;

 protected:
  double h_ = 0.0;
  Vec y0_, y1_, f1_, error_;
};

struct Tableau {
  std::string name;
  int order = 0;
  std::vector<std::vector<double>> a;  // row i has i entries
  std::vector<double> b, c;
  std::vector<double> error{};  // b − b̂; empty: no estimate, so fixed steps
  bool last_is_next = false;    // the last stage is f(t + h, y⁺)

  static const Tableau& named(const std::string& name);  // InputError for an unknown name
};

/// One step and the polynomial over it.
class RungeKuttaStep final : public DenseStep {
 public:
  explicit RungeKuttaStep(const Tableau& tableau) : tableau_(tableau) {}

  /// `f0` = f(t, y). One more evaluation than stages where the tableau's last stage is not f1.
  void take(OdeSystem& system, double t, const Vec& y, const Vec& f0, double h);
  void at(double theta, Vec& y) const override;  // (2)

 private:
  const Tableau& tableau_;
  Vec trial_;
  std::vector<Vec> k_;
  Vec difference_, bend_, twist_, correction_;  // coefficients of (2)
};

/// Root mean square of error over atol + rtol max(|y|, |y⁺|), over the first n entries.
double error_norm(const Vec& error, const Vec& y, const Vec& next, Eigen::Index n,
                  double tolerance);

}  // namespace touchstone

#pragma once

/// Radau IIA of three stages (order 5, L-stable), for systems that are stiff in few directions.
///
///     Y_i = y + h Σ_j a_ij f(t + c_j h, Y_j),   c = ((4 − √6)/10, (4 + √6)/10, 1),   y⁺ = Y₃ (1)
///
/// (Hairer and Wanner, Solving Ordinary Differential Equations II, section IV.8, with the error
/// estimate of order 3 there.) Newton's method on (1) uses the stiff block of the Jacobian only, at
/// every stage its own; the rest of the system converges as a fixed point. Entries before the stiff
/// block (positions) follow the block (velocities) within an iteration. Sliding contacts of several
/// friction components make the method necessary: see ContactPhase, (2).

#include <array>

#include "formulations/common/runge_kutta.hpp"

namespace touchstone {

class StiffSystem : public OdeSystem {
 public:
  virtual Eigen::Index stiff_begin() const = 0;
  virtual Eigen::Index stiff_size() const = 0;
  /// ∂f/∂y of the stiff block, at the last call of `derivative`.
  virtual void stiff_jacobian(Mat& J) const = 0;
  /// f of the entries before the stiff block, which is cheap.
  virtual void leading_derivative(const Vec& y, Eigen::Ref<Vec> dy) const = 0;
  /// Moves a first guess of a stage to where Newton's method converges.
  virtual void settle(Vec& y) = 0;
};

class RadauStep final : public DenseStep {
 public:
  /// False when Newton's method does not converge. `accuracy`: of Newton's method, as `error_norm`
  /// with `tolerance` over the first `n` entries.
  bool take(StiffSystem& system, double t, const Vec& y, const Vec& f0, double h, double tolerance,
            Eigen::Index n);
  /// The polynomial of degree 5 through the stages, with the derivatives at both ends.
  void at(double theta, Vec& y) const override;

 private:
  void follow_positions(StiffSystem& system);
  void newton_step(StiffSystem& system, double t);
  void estimate_error(const Mat& J, const Vec& f0, Eigen::Index begin);
  void fit(const Vec& f0);

  std::array<Vec, 3> z_, f_, step_;
  std::array<Vec, 5> coefficient_;
  std::array<Mat, 3> J_;
  Mat system_;
  Vec right_, trial_;
  Mat leading_;
};

}  // namespace touchstone

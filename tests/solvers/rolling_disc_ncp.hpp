#pragma once

/// One step of the disc on a plane as a mixed NCP: example 1 of Chakraborty, Berard, Akella &
/// Trinkle 2007, equations (12)–(18). Unknowns z = (v_x, v_y, ω, a1_x, a1_y, a2_x, p_n, p_t, σ);
/// p_n ≥ 0 and σ ≥ 0 are complementary to (16) and (18), the rest is free.
///
/// (13) and (14) give one independent equation each: the components along t̂ = x̂. Written for unit
/// vectors they are a2_x − a1_x = 0 and (a1_x − q_x)/‖a1 − q‖ = 0. The second alone also holds at
/// the top of the disc (the normal would point the other way); starts are taken below the centre.

#include <cmath>
#include <limits>
#include <memory>

#include "solvers/problem.hpp"

namespace touchstone::testing {

struct Disc {
  double m = 1.0, mu = 0.4, h = 0.01, g = 9.81;
  Eigen::Vector3d q{0.0, 1.0, 0.0};    // (x, y, θ) at the start of the step
  Eigen::Vector3d nu{-3.0, 0.0, 3.0};  // (v_x, v_y, ω) at the start of the step
};

class RollingDisc final : public McpFunction {
 public:
  explicit RollingDisc(const Disc& disc) : d_(disc) {}

  void evaluate(const Vec& z, Vec& F) const override {
    const double qx = d_.q[0] + d_.h * z[0], qy = d_.q[1] + d_.h * z[1];
    const double rx = z[3] - qx, ry = z[4] - qy, r = std::hypot(rx, ry);
    const double pn = z[6], pt = z[7], sigma = z[8];
    const double slip = z[0] - ry * z[2];                       // W_tᵀν, W_t = (1, 0, −r_y)
    F[0] = d_.m * (d_.nu[0] - z[0]) + pt;                       // (12)
    F[1] = d_.m * (d_.nu[1] - z[1]) + pn - d_.m * d_.g * d_.h;  // (12)
    F[2] = 0.5 * d_.m * (d_.nu[2] - z[2]) + rx * pn - ry * pt;  // (12)
    F[3] = z[5] - z[3];                                         // (13)
    F[4] = rx / r;                                              // (14)
    F[5] = rx * rx + ry * ry - 1.0;                             // (15)
    F[6] = (z[5] - qx) * (z[5] - qx) + qy * qy - 1.0;           // (16)
    F[7] = d_.mu * pn * slip + sigma * pt;                      // (17)
    F[8] = d_.mu * d_.mu * pn * pn - pt * pt;                   // (18)
  }

  void jacobian(const Vec& z, SpMat& J) const override {
    const double h = d_.h, m = d_.m, mu = d_.mu;
    const double qx = d_.q[0] + h * z[0], qy = d_.q[1] + h * z[1];
    const double rx = z[3] - qx, ry = z[4] - qy, r = std::hypot(rx, ry), r3 = r * r * r;
    const double pn = z[6], pt = z[7], sigma = z[8];
    const double slip = z[0] - ry * z[2];
    const double xx = ry * ry / r3, xy = -rx * ry / r3;  // ∂(r_x/r)/∂r_x, ∂(r_x/r)/∂r_y
    // Column by column, rows ascending, so that the pattern never changes.
    const double values[] = {-m,
                             -h * pn,
                             -h * xx,
                             -2 * h * rx,
                             -2 * h * (z[5] - qx),
                             mu * pn,  // v_x
                             -m,
                             h * pt,
                             -h * xy,
                             -2 * h * ry,
                             2 * h * qy,
                             mu * pn * h * z[2],  // v_y
                             -0.5 * m,
                             -mu * pn * ry,  // ω
                             pn,
                             -1.0,
                             xx,
                             2 * rx,  // a1_x
                             -pt,
                             xy,
                             2 * ry,
                             -mu * pn * z[2],  // a1_y
                             1.0,
                             2 * (z[5] - qx),  // a2_x
                             1.0,
                             rx,
                             mu * slip,
                             2 * mu * mu * pn,  // p_n
                             1.0,
                             -ry,
                             sigma,
                             -2 * pt,  // p_t
                             pt};      // σ
    constexpr int count = 33;
    static_assert(std::size(values) == count);
    if (J.rows() != 9 || J.nonZeros() != count) {
      constexpr int starts[] = {0, 6, 12, 14, 18, 22, 24, 28, 32, 33};
      constexpr int rows[] = {0, 2, 4, 5, 6, 7, 1, 2, 4, 5, 6, 7, 2, 7, 2, 3, 4,
                              5, 2, 4, 5, 7, 3, 6, 1, 2, 7, 8, 0, 2, 7, 8, 7};
      static_assert(std::size(rows) == count);
      J = Eigen::Map<const SpMat>(9, 9, count, starts, rows, values);
    }
    std::copy(std::begin(values), std::end(values), J.valuePtr());
  }

 private:
  Disc d_;
};

inline Mcp rolling_disc(const Disc& disc) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  Mcp mcp{std::make_shared<RollingDisc>(disc), Vec::Constant(9, -inf), Vec::Constant(9, inf)};
  mcp.l[6] = mcp.l[8] = 0.0;
  return mcp;
}

/// The state at the start of the step: what a time stepper has at hand.
inline Vec disc_guess(const Disc& d) {
  Vec z(9);
  z << d.nu, d.q[0], d.q[1] - 1.0, d.q[0], 0.0, 0.0, 0.0;
  return z;
}

}  // namespace touchstone::testing

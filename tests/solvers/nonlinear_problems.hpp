#pragma once

/// Functions of nonlinear complementarity problems with known answers, and bad ones.

#include <cmath>
#include <stdexcept>

#include "solvers/problem.hpp"

namespace touchstone::testing {

/// Kojima & Shindo: solutions (√6/2, 0, 0, ½), degenerate in the third, and (1, 0, 3, 0).
class KojimaShindo final : public McpFunction {
 public:
  void evaluate(const Vec& z, Vec& F) const override {
    const double a = z[0], b = z[1], c = z[2], d = z[3];
    F[0] = 3 * a * a + 2 * a * b + 2 * b * b + c + 3 * d - 6;
    F[1] = 2 * a * a + a + b * b + 10 * c + 2 * d - 2;
    F[2] = 3 * a * a + a * b + 2 * b * b + 2 * c + 9 * d - 9;
    F[3] = a * a + 3 * b * b + 2 * c + 3 * d - 3;
  }
  void jacobian(const Vec& z, SpMat& J) const override {
    const double a = z[0], b = z[1];
    Mat D(4, 4);
    D << 6 * a + 2 * b, 2 * a + 4 * b, 1, 3, 4 * a + 1, 2 * b, 10, 2, 6 * a + b, a + 4 * b, 2, 9,
        2 * a, 6 * b, 2, 3;
    J = D.sparseView();
  }
};

/// F = (z₀ − z₁ − 1, z₁² + z₁ − 2 + ¼z₀), z₀ free: an equation and a curved row.
class Curved final : public McpFunction {
 public:
  void evaluate(const Vec& z, Vec& F) const override {
    F.resize(2);
    F << z[0] - z[1] - 1.0, z[1] * z[1] + z[1] - 2.0 + 0.25 * z[0];
  }
  void jacobian(const Vec& z, SpMat& J) const override {
    Mat dense(2, 2);
    dense << 1.0, -1.0, 0.25, 2.0 * z[1] + 1.0;
    J = dense.sparseView();
  }
};

/// F = −1 − z²: no solution for z ≥ 0.
class NeverPositive final : public McpFunction {
 public:
  void evaluate(const Vec& z, Vec& F) const override { F = Vec::Constant(1, -1.0 - z[0] * z[0]); }
  void jacobian(const Vec& z, SpMat& J) const override {
    J = Mat::Constant(1, 1, -2.0 * z[0]).sparseView();
  }
};

/// F = Az + b as a function.
class Affine final : public McpFunction {
 public:
  Affine(Mat A, Vec b) : A_(std::move(A)), b_(std::move(b)) {}
  void evaluate(const Vec& z, Vec& F) const override { F = A_ * z + b_; }
  void jacobian(const Vec&, SpMat& J) const override { J = A_.sparseView(); }

 private:
  Mat A_;
  Vec b_;
};

/// Throws, or returns NaN.
class Broken final : public McpFunction {
 public:
  explicit Broken(bool throws) : throws_(throws) {}
  void evaluate(const Vec& z, Vec& F) const override {
    if (throws_) throw std::runtime_error("no such state");
    F = Vec::Constant(z.size(), std::nan(""));
  }
  void jacobian(const Vec& z, SpMat& J) const override {
    J.resize(z.size(), z.size());
    J.setIdentity();
  }

 private:
  bool throws_;
};

}  // namespace touchstone::testing

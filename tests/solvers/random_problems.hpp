#pragma once

/// Random problems with known properties, from one seed.

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

#include "solvers/problem.hpp"

namespace touchstone::testing {

class Random {
 public:
  explicit Random(unsigned long seed) : engine_(seed) {}
  double uniform(double low, double high) {
    return low + (high - low) * (static_cast<double>(engine_() >> 11) * 0x1.0p-53);
  }
  int integer(int low, int high) {
    return low + static_cast<int>(engine_() % static_cast<unsigned long>(high - low + 1));
  }
  bool chance(double p) { return uniform(0.0, 1.0) < p; }
  Mat matrix(Eigen::Index rows, Eigen::Index cols) {
    Mat A(rows, cols);
    for (Eigen::Index j = 0; j < cols; ++j)
      for (Eigen::Index i = 0; i < rows; ++i) A(i, j) = uniform(-1.0, 1.0);
    return A;
  }
  Vec vector(Eigen::Index n) { return matrix(n, 1); }
  Eigen::Vector3d unit() {
    Eigen::Vector3d v;
    do v = vector(3);
    while (v.norm() < 0.1 || v.norm() > 1.0);
    return v.normalized();
  }

 private:
  std::mt19937_64 engine_;
};

inline Lcp positive_definite(Random& random, Eigen::Index n) {
  const Mat B = random.matrix(n, n);
  return {B * B.transpose() + 0.1 * Mat::Identity(n, n), random.vector(n)};
}

/// M = BBᵀ of rank below n, and q = w* − Mz* for complementary z*, w*: a solution exists.
inline Lcp rank_deficient(Random& random, Eigen::Index n) {
  const Mat B = random.matrix(n, random.integer(0, static_cast<int>(n) - 1));
  const Mat M = B * B.transpose();
  Vec z = Vec::Zero(n), w = Vec::Zero(n);
  for (Eigen::Index i = 0; i < n; ++i) {
    const double draw = random.uniform(-1.0, 1.0);
    if (random.chance(0.2)) continue;  // zᵢ = wᵢ = 0
    (draw > 0.0 ? z[i] : w[i]) = std::abs(draw);
  }
  return {M, w - M * z};
}

/// Contacts of a Stewart–Trinkle step: wrench columns, directions and what they act on.
struct Contacts {
  Mat W_n;  // one column per contact
  Mat W_f;  // `directions` columns per contact
  Vec inverse_mass;
  Vec mu;
  Vec gap_rate;  // ψ/h [m/s]
  int directions = 0;
};

/// [A_nn A_nf 0; A_fn A_ff E; U −Eᵀ 0], unknowns (p_n, p_f, σ).
inline Lcp stewart_trinkle(const Contacts& c, const Vec& velocity) {
  const Eigen::Index nc = c.W_n.cols(), nf = c.W_f.cols(), d = c.directions;
  Mat E = Mat::Zero(nf, nc);
  for (Eigen::Index i = 0; i < nc; ++i) E.block(i * d, i, d, 1).setOnes();
  Mat W(c.W_n.rows(), nc + nf);
  W << c.W_n, c.W_f;
  Mat M = Mat::Zero(2 * nc + nf, 2 * nc + nf);
  M.topLeftCorner(nc + nf, nc + nf) = W.transpose() * c.inverse_mass.asDiagonal() * W;
  M.block(nc, nc + nf, nf, nc) = E;
  M.block(nc + nf, 0, nc, nc) = c.mu.asDiagonal();
  M.block(nc + nf, nc, nc, nf) = -E.transpose();
  Vec q = Vec::Zero(2 * nc + nf);
  q.head(nc + nf) = W.transpose() * velocity;
  q.head(nc) += c.gap_rate;
  return {M, q};
}

/// Planar contacts of one body of 3 degrees of freedom; two friction directions ±t each.
inline Contacts planar_contacts(Random& random, int count) {
  Contacts c;
  c.directions = 2;
  c.W_n.resize(3, count);
  c.W_f.resize(3, 2 * count);
  c.inverse_mass = Eigen::Vector3d(1.0, 1.0, random.uniform(1.0, 20.0));
  c.mu.resize(count);
  c.gap_rate.resize(count);
  for (int i = 0; i < count; ++i) {
    const double angle = random.uniform(0.0, 2.0 * std::numbers::pi);
    const double nx = std::cos(angle), ny = std::sin(angle);
    const double rx = random.uniform(-1.0, 1.0), ry = random.uniform(-1.0, 1.0);
    c.W_n.col(i) << nx, ny, rx * ny - ry * nx;
    c.W_f.col(2 * i) << -ny, nx, rx * nx + ry * ny;
    c.W_f.col(2 * i + 1) = -c.W_f.col(2 * i);
    c.mu[i] = random.uniform(0.0, 1.2);
    c.gap_rate[i] = random.chance(0.5) ? 0.0 : random.uniform(0.0, 0.2);
  }
  return c;
}

inline void write_contact(Contacts& c, Eigen::Index i, int bodyA, int bodyB,
                          const Eigen::Vector3d& n, const Eigen::Vector3d& rA,
                          const Eigen::Vector3d& rB) {
  const Eigen::Vector3d t = n.unitOrthogonal(), o = n.cross(t);
  const auto wrench = [&](const Eigen::Vector3d& direction) {
    Vec w = Vec::Zero(c.inverse_mass.size());
    w.segment<3>(6 * bodyA) = direction;
    w.segment<3>(6 * bodyA + 3) = rA.cross(direction);
    if (bodyB >= 0) {
      w.segment<3>(6 * bodyB) = -direction;
      w.segment<3>(6 * bodyB + 3) = -rB.cross(direction);
    }
    return w;
  };
  c.W_n.col(i) = wrench(n);
  for (int k = 0; k < c.directions; ++k) {
    const double angle = 2.0 * std::numbers::pi * k / c.directions;
    c.W_f.col(i * c.directions + k) = wrench(std::cos(angle) * t + std::sin(angle) * o);
  }
}

/// Spatial contacts of `bodies` bodies, each with the ground or with another one. Redundant: the
/// contacts of a body with the ground share one plane (as under a box) and some are repeated.
inline Contacts spatial_contacts(Random& random, int bodies, int count, int directions,
                                 bool redundant) {
  Contacts c;
  c.directions = directions;
  c.W_n.resize(6 * bodies, count);
  c.W_f.resize(6 * bodies, directions * count);
  c.inverse_mass.resize(6 * bodies);
  for (int b = 0; b < bodies; ++b) {
    const double inverse_mass = 1.0 / random.uniform(0.2, 5.0);
    c.inverse_mass.segment<3>(6 * b).setConstant(inverse_mass);
    c.inverse_mass.segment<3>(6 * b + 3).setConstant(inverse_mass * random.uniform(2.0, 10.0));
  }
  c.mu.resize(count);
  c.gap_rate.resize(count);
  for (int i = 0; i < count; ++i) {
    c.mu[i] = redundant ? 0.5 : random.uniform(0.0, 1.2);
    c.gap_rate[i] = redundant || random.chance(0.5) ? 0.0 : random.uniform(0.0, 0.2);
    const int a = random.integer(0, bodies - 1);
    const int b = bodies > 1 && random.chance(0.5) ? (a + 1) % bodies : -1;
    const Eigen::Vector3d up = Eigen::Vector3d::UnitZ();
    const Eigen::Vector3d corner(random.chance(0.5) ? 0.5 : -0.5, random.chance(0.5) ? 0.5 : -0.5,
                                 -0.5);
    const Eigen::Vector3d opposite(corner.x(), corner.y(), 0.5);
    if (redundant)
      write_contact(c, i, a, b, up, corner, opposite);
    else
      write_contact(c, i, a, b, random.unit(), random.vector(3), random.vector(3));
  }
  return c;
}

/// A Stewart–Trinkle step of `count` general or redundant contacts, falling, sliding or (redundant
/// ones, half of them) at rest. Every one of these has a solution (Stewart & Trinkle 1996).
inline Lcp random_step(Random& random, int count, int directions, bool redundant) {
  const int bodies = random.integer(1, std::max(1, count / 2));
  const Contacts contacts = spatial_contacts(random, bodies, count, directions, redundant);
  Vec velocity = random.vector(6 * bodies);
  if (redundant && random.chance(0.5)) {
    velocity.setZero();
    for (int b = 0; b < bodies; ++b) velocity[6 * b + 2] = -0.0981;
  }
  return stewart_trinkle(contacts, velocity);
}

}  // namespace touchstone::testing

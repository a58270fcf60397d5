#include "solvers/collections/random_problems.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

namespace touchstone::random_problems {

namespace {

using Eigen::Index;
using Eigen::Vector3d;

Mat all_columns(const Contacts& c) {
  Mat W(c.W_n.rows(), c.W_n.cols() + c.W_f.cols());
  W << c.W_n, c.W_f;
  return W;
}

/// Ones where a friction direction belongs to a contact.
Mat ones(const Contacts& c) {
  const Index d = c.directions;
  Mat E = Mat::Zero(c.W_f.cols(), c.W_n.cols());
  for (Index i = 0; i < c.W_n.cols(); ++i) E.block(i * d, i, d, 1).setOnes();
  return E;
}

}  // namespace

void write_contact(Contacts& c, Index i, int bodyA, int bodyB, const Vector3d& n,
                   const Vector3d& rA, const Vector3d& rB) {
  const Vector3d t = n.unitOrthogonal(), o = n.cross(t);
  const auto wrench = [&](const Vector3d& direction) {
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

Mat Random::matrix(Index rows, Index cols) {
  Mat A(rows, cols);
  for (Index j = 0; j < cols; ++j)
    for (Index i = 0; i < rows; ++i) A(i, j) = uniform(-1.0, 1.0);
  return A;
}

Vector3d Random::unit() {
  Vector3d v;
  do v = vector(3);
  while (v.norm() < 0.1 || v.norm() > 1.0);
  return v.normalized();
}

Lcp positive_definite(Random& random, Index n) {
  const Mat B = random.matrix(n, n);
  return {B * B.transpose() + 0.1 * Mat::Identity(n, n), random.vector(n)};
}

Lcp rank_deficient(Random& random, Index n) {
  const Mat B = random.matrix(n, random.integer(0, static_cast<int>(n) - 1));
  const Mat M = B * B.transpose();
  Vec z = Vec::Zero(n), w = Vec::Zero(n);
  for (Index i = 0; i < n; ++i) {
    const double draw = random.uniform(-1.0, 1.0);
    if (random.chance(0.2)) continue;  // zᵢ = wᵢ = 0
    (draw > 0.0 ? z[i] : w[i]) = std::abs(draw);
  }
  return {M, w - M * z};
}

Lcp stewart_trinkle(const Contacts& c, const Vec& velocity) {
  const Index nc = c.W_n.cols(), nf = c.W_f.cols();
  const Mat E = ones(c), W = all_columns(c);
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

Mlcp mixed_stewart_trinkle(const Contacts& c, const Vec& velocity) {
  const Index nv = c.W_n.rows(), nc = c.W_n.cols(), nf = c.W_f.cols(), n = nv + 2 * nc + nf;
  const Mat E = ones(c), W = all_columns(c);
  const Vec mass = c.inverse_mass.cwiseInverse();
  Mat M = Mat::Zero(n, n);
  M.topLeftCorner(nv, nv) = mass.asDiagonal();
  M.block(0, nv, nv, nc + nf) = -W;
  M.block(nv, 0, nc + nf, nv) = W.transpose();
  M.block(nv + nc, nv + nc + nf, nf, nc) = E;
  M.block(nv + nc + nf, nv, nc, nc) = c.mu.asDiagonal();
  M.block(nv + nc + nf, nv + nc, nc, nf) = -E.transpose();
  Vec q = Vec::Zero(n);
  q.head(nv) = -mass.cwiseProduct(velocity);
  q.segment(nv, nc) = c.gap_rate;
  constexpr double inf = std::numeric_limits<double>::infinity();
  Vec l = Vec::Zero(n);
  l.head(nv).setConstant(-inf);
  return {M, q, l, Vec::Constant(n, inf)};
}

Lcp frictionless(const Contacts& c, const Vec& velocity) {
  return {c.W_n.transpose() * c.inverse_mass.asDiagonal() * c.W_n,
          c.W_n.transpose() * velocity + c.gap_rate};
}

Qp frictionless_qp(const Contacts& c, const Vec& velocity) {
  const Vec mass = c.inverse_mass.cwiseInverse();
  return {Mat(mass.asDiagonal()), -mass.cwiseProduct(velocity), c.W_n.transpose(), -c.gap_rate,
          Vec::Constant(c.W_n.cols(), std::numeric_limits<double>::infinity())};
}

Contacts planar_contacts(Random& random, int count) {
  Contacts c;
  c.directions = 2;
  c.W_n.resize(3, count);
  c.W_f.resize(3, 2 * count);
  c.inverse_mass = Vector3d(1.0, 1.0, random.uniform(1.0, 20.0));
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

Contacts spatial_contacts(Random& random, int bodies, int count, int directions, bool redundant) {
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
    const Vector3d corner(random.chance(0.5) ? 0.5 : -0.5, random.chance(0.5) ? 0.5 : -0.5, -0.5);
    const Vector3d opposite(corner.x(), corner.y(), 0.5);
    if (redundant)
      write_contact(c, i, a, b, Vector3d::UnitZ(), corner, opposite);
    else
      write_contact(c, i, a, b, random.unit(), random.vector(3), random.vector(3));
  }
  return c;
}

Lcp random_step(Random& random, int count, int directions, bool redundant) {
  const int bodies = random.integer(1, std::max(1, count / 2));
  const Contacts contacts = spatial_contacts(random, bodies, count, directions, redundant);
  Vec velocity = random.vector(6 * bodies);
  if (redundant && random.chance(0.5)) {
    velocity.setZero();
    for (int b = 0; b < bodies; ++b) velocity[6 * b + 2] = -0.0981;
  }
  return stewart_trinkle(contacts, velocity);
}

FrictionContact exact_cone(const Contacts& c, const Vec& velocity) {
  const Index nc = c.W_n.cols(), tangents = c.directions / 2, dim = 1 + tangents;
  Mat H(c.W_n.rows(), dim * nc);
  Vec gap_rate = Vec::Zero(dim * nc);
  for (Index i = 0; i < nc; ++i) {
    H.col(dim * i) = c.W_n.col(i);
    for (Index k = 0; k < tangents; ++k) H.col(dim * i + 1 + k) = c.W_f.col(i * c.directions + k);
    gap_rate[dim * i] = c.gap_rate[i];
  }
  FrictionContact problem;
  problem.dim = static_cast<int>(dim);
  problem.W = H.transpose() * c.inverse_mass.asDiagonal() * H;
  problem.q = H.transpose() * velocity + gap_rate;
  problem.mu = c.mu;
  return problem;
}

FrictionContact tower(Random& random, int boxes, double mass_ratio) {
  constexpr double h = 0.01, g = 9.81;  // [s], [m/s²]
  const Index contacts = 4 * static_cast<Index>(boxes);
  std::vector<Eigen::Triplet<double>> entries;
  Vec inverse_mass(6 * boxes), velocity(6 * boxes);
  for (int b = 0; b < boxes; ++b) {
    const double mass = std::pow(mass_ratio, boxes > 1 ? static_cast<double>(b) / (boxes - 1) : 0);
    inverse_mass.segment<3>(6 * b).setConstant(1.0 / mass);
    inverse_mass.segment<3>(6 * b + 3).setConstant(6.0 / mass);  // a unit cube: m/6
    velocity.segment<6>(6 * b) = 0.01 * random.vector(6);
    velocity[6 * b + 2] = -h * g;
    for (int corner = 0; corner < 4; ++corner) {
      const Vector3d r(corner & 1 ? 0.5 : -0.5, corner & 2 ? 0.5 : -0.5, -0.5);
      for (int axis = 0; axis < 3; ++axis) {  // z, x, y: the normal first
        const Vector3d direction = Vector3d::Unit((axis + 2) % 3);
        const auto column = static_cast<int>(3 * (4 * b + corner) + axis);
        const auto add = [&](int body, double sign, const Vector3d& arm) {
          const Vector3d moment = arm.cross(direction);
          for (int k = 0; k < 3; ++k) {
            entries.emplace_back(6 * body + k, column, sign * direction[k]);
            entries.emplace_back(6 * body + 3 + k, column, sign * moment[k]);
          }
        };
        add(b, 1.0, r);
        if (b > 0) add(b - 1, -1.0, Vector3d(r.x(), r.y(), 0.5));
      }
    }
  }
  SpMat H(6 * boxes, 3 * contacts);
  H.setFromTriplets(entries.begin(), entries.end());
  H.prune(0.0, 0.0);
  FrictionContact problem;
  problem.W = SpMat(H.transpose() * inverse_mass.asDiagonal() * H);
  problem.q = H.transpose() * velocity;
  problem.mu = Vec::Constant(contacts, 0.5);
  return problem;
}

}  // namespace touchstone::random_problems

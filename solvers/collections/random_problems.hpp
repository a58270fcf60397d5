#pragma once

/// Random problems with known properties, from one seed. The same seed gives the same bits on every
/// machine: the engine is the standard's mt19937_64 and its numbers are turned into doubles here,
/// not by the standard library's distributions, which differ between implementations.

#include <random>

#include "solvers/problem.hpp"

namespace touchstone::random_problems {

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
  Mat matrix(Eigen::Index rows, Eigen::Index cols);
  Vec vector(Eigen::Index n) { return matrix(n, 1); }
  Eigen::Vector3d unit();

 private:
  std::mt19937_64 engine_;
};

/// M = BBᵀ + I/10, q arbitrary.
Lcp positive_definite(Random& random, Eigen::Index n);

/// M = BBᵀ of rank below n, and q = w* − Mz* for complementary z*, w*: a solution exists.
Lcp rank_deficient(Random& random, Eigen::Index n);

/// Contacts of a Stewart–Trinkle step: wrench columns, directions and what they act on.
struct Contacts {
  Mat W_n;           // one column per contact
  Mat W_f;           // `directions` columns per contact
  Vec inverse_mass;  // the diagonal of M⁻¹
  Vec mu;
  Vec gap_rate;  // ψ/h [m/s]
  int directions = 0;
};

/// [A_nn A_nf 0; A_fn A_ff E; U −Eᵀ 0], unknowns (p_n, p_f, σ).
Lcp stewart_trinkle(const Contacts& c, const Vec& velocity);

/// The same before ν is eliminated: unknowns (ν free, p_n, p_f, σ ≥ 0).
Mlcp mixed_stewart_trinkle(const Contacts& c, const Vec& velocity);

/// Its normal rows alone: 0 ≤ p_n ⊥ A_nn p_n + W_nᵀν + ψ/h ≥ 0.
Lcp frictionless(const Contacts& c, const Vec& velocity);

/// min ½(x − ν)ᵀM(x − ν) subject to W_nᵀx + ψ/h ≥ 0: the same contacts as a convex QP.
Qp frictionless_qp(const Contacts& c, const Vec& velocity);

/// Fills the columns of contact i: normal n (from B to A), arms from the bodies' centres; B = −1 is
/// the ground. The directions are spread evenly over the tangent plane.
void write_contact(Contacts& c, Eigen::Index i, int bodyA, int bodyB, const Eigen::Vector3d& n,
                   const Eigen::Vector3d& rA, const Eigen::Vector3d& rB);

/// Planar contacts of one body of 3 degrees of freedom; two friction directions ±t each.
Contacts planar_contacts(Random& random, int count);

/// Spatial contacts of `bodies` bodies, each with the ground or with another one. Redundant: the
/// contacts of a body with the ground share one plane (as under a box) and some are repeated.
Contacts spatial_contacts(Random& random, int bodies, int count, int directions, bool redundant);

/// A Stewart–Trinkle step of `count` general or redundant contacts, falling, sliding or (redundant
/// ones, half of them) at rest. Every one of these has a solution (Stewart & Trinkle 1996).
Lcp random_step(Random& random, int count, int directions, bool redundant);

/// The same contacts with the exact cone: W = HᵀM⁻¹H, q = Hᵀν + ψ/h in the normal rows. The
/// directions must be 4 (spatial: t, o, −t, −o) or 2 (planar: t, −t).
FrictionContact exact_cone(const Contacts& c, const Vec& velocity);

/// A tower of `boxes` unit cubes, four corners between neighbours and four on the ground, falling
/// for one step of 10 ms with a little random slip: 4·boxes contacts, a sparse W with at most three
/// neighbouring blocks of rows per contact, rank 6·boxes of 12·boxes. Masses grow by `mass_ratio`
/// from the bottom to the top.
FrictionContact tower(Random& random, int boxes, double mass_ratio = 1.0);

}  // namespace touchstone::random_problems

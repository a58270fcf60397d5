#pragma once

/// The method of multipliers with semismooth Newton steps, for large sparse convex QPs
///     min ½xᵀPx + cᵀx   subject to   l ≤ Ax ≤ u,
/// where rows with l = u are the equations Ex = f.
///
/// With multipliers y and a penalty ρ > 0, x minimises
///     φ(x) = ½xᵀPx + cᵀx + ½ρ dist²(Ax + y/ρ, [l, u])   subject to Ex = f,                    (1)
/// and the multipliers of the inequalities become
///     y⁺ = min(0, y + ρ(Ax − l)) + max(0, y + ρ(Ax − u))                                      (2)
/// (Rockafellar 1976). y⁺ has the right signs by itself, so that ∇ = Px + c + Aᵀy⁺ and (y⁺ − y)/ρ
/// are all that is left of the KKT conditions.
///
/// φ is convex with a piecewise linear gradient. Newton's step on the piece at hand,
///     [ P + ρA_aᵀA_a   Eᵀ ] [dx]   [ −∇     ]
///     [ E              0  ] [dy] = [ f − Ex ],   a: the inequalities with y⁺ ≠ 0 in (2),      (3)
/// is followed to the least value of φ along it, so that the pieces cannot take turns (Sun 1997;
/// Li, Sun and Toh 2018). From a point with the right rows active one step is all of (1).
///
/// Round-off: the sums in (2) follow x by ρA dx; computed anew they would bring ρ times the
/// round-off of Ax into ∇.

#include <functional>

#include "solvers/own/scaled_qp.hpp"

namespace touchstone {

class MultiplierMethod {
 public:
  struct Point {
    Vec x, y;  // y: y⁺ and the multipliers of the equations, as rows of A
  };

  /// `newton` holds the pattern of (3). Both must outlive the object's use.
  void load(const ScaledQp& qp, QuasidefiniteSystem& newton);

  /// From `start` until `done` says so of the minimiser of some (1), or the steps are used up; says
  /// whether it was done. The penalty begins with `penalty` and grows where (2) changes little.
  bool run(const Point& start, double penalty, int steps,
           const std::function<bool(const Point&)>& done);

  int steps() const { return steps_; }  // Newton's, in the last run

 private:
  void shift();
  void evaluate();
  double left_in_rows() const;
  bool newton_step();
  double line_search() const;
  double slope(double t) const;
  bool is_equation(Eigen::Index r) const { return qp_->equation[static_cast<std::size_t>(r)]; }

  const ScaledQp* qp_ = nullptr;
  QuasidefiniteSystem* newton_ = nullptr;
  Point point_;
  Vec y_, above_l_, above_u_;  // y, y + ρ(Ax − l), y + ρ(Ax − u)
  Vec Ax_, objective_, gradient_, D_, factored_, right_, change_, dx_, Adx_, Pdx_;
  double penalty_ = 0.0;
  int steps_ = 0;
};

}  // namespace touchstone

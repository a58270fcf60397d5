#pragma once

/// The friction polygon: d directions that span an inscribed polytope of the friction ellipsoid,
/// the blocks W_f and E of the linear complementarity formulations.

#include <vector>

#include "formulations/common/contacts.hpp"

namespace touchstone {

/// One direction: the impulse p_f along it has the components p_f·(t, o, r) in the contact's frame.
struct FrictionDirection {
  double t = 0.0, o = 0.0;  // [1]
  double r = 0.0;           // [m]
};

/// Directions of a contact's law: planar ±e_t; spatial (e_t cos θ_k, e_o sin θ_k), θ_k = 2πk/d,
/// and, when e_r > 0, the pair ±e_r of pure torsion. None at all without friction (μ = 0).
void friction_directions(int dim, int d, const FrictionLaw& law,
                         std::vector<FrictionDirection>& out);

/// W_f of several contacts: `columns[k]` belongs to contact `owner[k]`; a contact's directions
/// follow each other. E has a one at (k, owner[k]).
struct FrictionBlock {
  std::vector<Column> columns;
  std::vector<FrictionDirection> directions;
  std::vector<int> owner;

  void build(const World& world, const Configuration& configuration,
             std::span<const Contact> contacts, int d);

 private:
  std::vector<FrictionDirection> scratch_;
};

}  // namespace touchstone

#include "formulations/common/friction_polygon.hpp"

#include <cmath>
#include <numbers>

namespace touchstone {

void friction_directions(int dim, int d, const FrictionLaw& law,
                         std::vector<FrictionDirection>& out) {
  out.clear();
  if (law.mu == 0.0) return;
  if (dim == 2) {
    out.push_back({.t = law.e_t});
    out.push_back({.t = -law.e_t});
    return;
  }
  for (int k = 0; k < d; ++k) {
    const double angle = 2.0 * std::numbers::pi * k / d;
    out.push_back({.t = law.e_t * std::cos(angle), .o = law.e_o * std::sin(angle)});
  }
  if (law.e_r > 0.0) {
    out.push_back({.r = law.e_r});
    out.push_back({.r = -law.e_r});
  }
}

void FrictionBlock::build(const World& world, const Configuration& configuration,
                          std::span<const Contact> contacts, int d) {
  columns.clear();
  directions.clear();
  owner.clear();
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    const Contact& c = contacts[i];
    friction_directions(world.dim(), d, *c.law, scratch_);
    for (const FrictionDirection& direction : scratch_) {
      columns.push_back(wrench_column(world, configuration, c,
                                      direction.t * c.t + direction.o * c.o, direction.r * c.n));
      directions.push_back(direction);
      owner.push_back(static_cast<int>(i));
    }
  }
}

}  // namespace touchstone

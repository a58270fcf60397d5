#include "experiments/studies/polyhedral_bodies.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "geometry/geodesic_polyhedron.hpp"
#include "solvers/error.hpp"

namespace touchstone {

namespace {

constexpr int most_refinements = 5;

long facets_after(int refinements) { return 20L << (2 * refinements); }

int refinements_for(long facets) {
  std::vector<long> known;
  for (int k = 0; k <= most_refinements; ++k) {
    if (facets_after(k) == facets) return k;
    known.push_back(facets_after(k));
  }
  throw InputError(
      fmt::format("facets = {}: expected 0 (the smooth shape) or one of {}: an icosahedron refined "
                  "so many times",
                  facets, fmt::join(known, ", ")));
}

}  // namespace

Parameter facets_parameter() {
  return integer("facets", 0, "1",
                 "facets of the polyhedra in the place of the smooth bodies, 20 times a power of "
                 "4; 0: the smooth bodies")
      .at_least(0)
      .at_most(static_cast<double>(facets_after(most_refinements)));
}

bool is_polyhedral(const Parameters& p) { return p.integer("facets") != 0; }

std::shared_ptr<const ConvexSet> polyhedron_for(const Parameters& p, const Vec3& semi_axes) {
  return geodesic_polyhedron(refinements_for(p.integer("facets")), semi_axes);
}

std::shared_ptr<const ConvexSet> ball_or_polyhedron(const Parameters& p, double radius) {
  if (is_polyhedral(p)) return polyhedron_for(p, Vec3::Constant(radius));
  return std::make_shared<Ball>(3, radius);
}

double linearisation_bound(const Record& record, double h, double radius) {
  double most = 0.0;
  for (const State& state : record.trajectory()) {
    const double v = state.nu.head<3>().norm(), w = state.nu.tail<3>().norm();
    most = std::max(most, h * h * w * (v + w * radius));
  }
  return most;
}

void check_penetration(const CaseResult& result, std::vector<Check>& checks) {
  if (result.the_case.formulation == "penalty") return;
  const double depth = result.summary.at("max_penetration"),
               bound = result.summary.at("linearisation_bound");
  checks.push_back({"penetration is at most what the linearised gaps of one step allow",
                    fmt::format("{:.2e} m, bound {:.2e} m", depth, bound), depth <= bound});
}

}  // namespace touchstone

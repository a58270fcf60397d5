#include "formulations/common/world.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "solvers/error.hpp"
#include "solvers/names.hpp"

namespace touchstone {

namespace {

void require(bool holds, const std::string& where, const std::string& what) {
  if (!holds) throw InputError(where + ": " + what);
}

bool positive_definite(const Mat3& inertia, int dim) {
  if (dim == 2) return inertia(2, 2) > 0.0;
  const Eigen::LLT<Mat3> factor(inertia);
  return factor.info() == Eigen::Success && (inertia - inertia.transpose()).norm() == 0.0;
}

void check(const Body& body, int dim) {
  const std::string where = "body '" + body.name + "'";
  require(!body.name.empty(), "a body", "has no name");
  require(body.name != "t", where, "the name is taken: t is the time in every record");
  require(body.shape != nullptr, where, "has no shape");
  require(body.shape->dim() == dim, where,
          fmt::format("its shape '{}' is {}-D in a {}-D world", body.shape->kind(),
                      body.shape->dim(), dim));
  require(body.position.allFinite() && std::isfinite(body.angle) &&
              body.orientation.coeffs().allFinite(),
          where, "its position and orientation must be finite");
  require(std::abs(body.orientation.norm() - 1.0) < 1e-9, where,
          fmt::format("its orientation has norm {}, expected a unit quaternion",
                      body.orientation.norm()));
  if (body.fixed) return;
  require(body.shape->bounded(), where,
          fmt::format("a '{}' has no finite mass: the body must be fixed", body.shape->kind()));
  require(std::isfinite(body.mass) && body.mass > 0.0, where,
          fmt::format("mass = {}, expected a number above 0 [kg]", body.mass));
  require(body.inertia.allFinite() && positive_definite(body.inertia, dim), where,
          "its inertia must be symmetric and positive definite [kg m²]");
  require(body.twist.v.allFinite() && body.twist.w.allFinite(), where,
          "its velocity must be finite");
  require(body.applied.force.allFinite() && body.applied.torque.allFinite(), where,
          "its applied force and torque must be finite");
}

void check(const FrictionLaw& law, const std::string& where) {
  const auto not_negative = [&](double value, const char* name) {
    require(std::isfinite(value) && value >= 0.0, where,
            fmt::format("{} = {}, expected a number of at least 0", name, value));
  };
  not_negative(law.mu, "mu");
  not_negative(law.e_r, "e_r");
  not_negative(law.restitution, "restitution");
  require(law.restitution <= 1.0, where,
          fmt::format("restitution = {}, expected at most 1", law.restitution));
  require(law.e_t > 0.0 && std::isfinite(law.e_t), where,
          fmt::format("e_t = {}, expected a number above 0", law.e_t));
  require(law.e_o > 0.0 && std::isfinite(law.e_o), where,
          fmt::format("e_o = {}, expected a number above 0", law.e_o));
}

}  // namespace

World::World(int dim, const Vec3& gravity, std::vector<Body> bodies, const FrictionLaw& law,
             const std::map<std::pair<int, int>, FrictionLaw>& pair_laws)
    : dim_(dim), gravity_(gravity), bodies_(std::move(bodies)) {
  require(dim == 2 || dim == 3, "world", fmt::format("dimension {}, expected 2 or 3", dim));
  require(gravity.allFinite(), "world", "gravity must be finite");
  check(law, "friction law");
  std::set<std::string> names;
  for (int i = 0; i < static_cast<int>(bodies_.size()); ++i) {
    const Body& b = body(i);
    check(b, dim);
    require(names.insert(b.name).second, "body '" + b.name + "'", "the name is used twice");
    slots_.push_back(b.fixed ? -1 : static_cast<int>(moving_.size()));
    if (!b.fixed) moving_.push_back(i);
  }
  for (int i = 0; i < static_cast<int>(bodies_.size()); ++i)
    for (int j = i + 1; j < static_cast<int>(bodies_.size()); ++j) {
      if (body(i).fixed && body(j).fixed) continue;
      const auto special = pair_laws.find({i, j});
      const bool swap = body(i).fixed;
      pairs_.push_back(
          {swap ? j : i, swap ? i : j, special == pair_laws.end() ? law : special->second});
      check(pairs_.back().law, fmt::format("law of '{}' and '{}'", body(i).name, body(j).name));
    }
}

const Pair* World::pair(int i, int j) const {
  const auto key = [](const Pair& p) { return std::minmax(p.a, p.b); };
  const auto before = [&key](const Pair& p, const std::pair<int, int>& ij) {
    return std::pair<int, int>(key(p)) < ij;
  };
  const auto it = std::lower_bound(pairs_.begin(), pairs_.end(), std::pair(i, j), before);
  return it != pairs_.end() && std::pair<int, int>(key(*it)) == std::pair(i, j) ? &*it : nullptr;
}

int World::index(const std::string& name) const {
  std::vector<std::string> names;
  for (int i = 0; i < static_cast<int>(bodies_.size()); ++i) {
    if (body(i).name == name) return i;
    names.push_back(body(i).name);
  }
  throw InputError(unknown_name("body", name, names));
}

}  // namespace touchstone

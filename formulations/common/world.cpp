#include "formulations/common/world.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>

#include "solvers/error.hpp"
#include "solvers/names.hpp"

namespace touchstone {

namespace {

constexpr double joint_tolerance = 1e-6;  // of its size: a joint holds at the start

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

void check(const Shaking& shaking, int dim) {
  require(shaking.amplitude.allFinite(), "shaking", "its amplitude must be finite");
  require(dim == 3 || shaking.amplitude.z() == 0.0, "shaking",
          "its amplitude must lie in the plane z = 0 of a 2-D world");
  if (shaking.empty()) return;
  require(std::isfinite(shaking.frequency) && shaking.frequency > 0.0, "shaking",
          fmt::format("frequency = {}, expected a number above 0 [Hz]", shaking.frequency));
  require(std::isfinite(shaking.start) && shaking.start >= 0.0, "shaking",
          fmt::format("start = {}, expected a number of at least 0 [s]", shaking.start));
}

/// Points and directions that a joint holds together, at the start: how far apart [m, 1].
double start_error(const Joint& joint, const Body& a, const Body& b) {
  const Pose at_a = start_pose(a), at_b = start_pose(b);
  const double distance = (at_a.to_world(joint.on_a) - at_b.to_world(joint.on_b)).norm();
  if (joint.kind == JointKind::distance) return std::abs(distance - joint.length);
  double worst = distance;
  for (const auto& [s, t] : joint.perpendicular)
    worst = std::max(worst, std::abs((at_a.R * s).dot(at_b.R * t)));
  return worst;
}

void check(const Joint& joint, const std::vector<Body>& bodies, int dim) {
  const std::string where = "joint '" + joint.name + "'";
  const auto known = [&](int i) { return i >= 0 && i < static_cast<int>(bodies.size()); };
  require(!joint.name.empty(), "a joint", "has no name");
  require(known(joint.a) && known(joint.b) && joint.a != joint.b, where,
          "expected two different bodies");
  const Body& a = bodies[static_cast<std::size_t>(joint.a)];
  const Body& b = bodies[static_cast<std::size_t>(joint.b)];
  require(!a.fixed || !b.fixed, where,
          fmt::format("'{}' and '{}' are both fixed: one of them must move", a.name, b.name));
  require(joint.on_a.allFinite() && joint.on_b.allFinite() && std::isfinite(joint.length), where,
          "its points and its length must be finite");
  require(dim == 3 || (joint.on_a.z() == 0.0 && joint.on_b.z() == 0.0), where,
          "its points must lie in the plane z = 0 of a 2-D world");
  require(joint.kind != JointKind::distance || joint.length > 0.0, where,
          fmt::format("length = {}, expected a number above 0 [m]", joint.length));
  const double size = std::max({joint.on_a.norm(), joint.on_b.norm(), joint.length, 1e-3});
  const double error = start_error(joint, a, b);
  require(error <= joint_tolerance * size, where,
          fmt::format("'{}' and '{}' do not satisfy it at the start: it is off by {:.6g}", a.name,
                      b.name, error));
}

double angular_frequency(const Shaking& shaking) {
  return 2.0 * std::numbers::pi * shaking.frequency;
}

}  // namespace

double Shaking::phase(double t) const {
  return angular_frequency(*this) * std::max(0.0, t - start);
}

Vec3 Shaking::displacement(double t) const {
  const double half = std::sin(0.5 * phase(t));
  return 2.0 * half * half * amplitude;
}

Vec3 Shaking::velocity(double t) const {
  return angular_frequency(*this) * std::sin(phase(t)) * amplitude;
}

double Shaking::peak_acceleration() const {
  const double omega = angular_frequency(*this);
  return omega * omega * amplitude.norm();
}

World::World(int dim, const Vec3& gravity, std::vector<Body> bodies, const FrictionLaw& law,
             const std::map<std::pair<int, int>, FrictionLaw>& pair_laws, std::vector<Joint> joints,
             const Shaking& shaking)
    : dim_(dim),
      gravity_(gravity),
      shaking_(shaking),
      bodies_(std::move(bodies)),
      joints_(std::move(joints)) {
  require(dim == 2 || dim == 3, "world", fmt::format("dimension {}, expected 2 or 3", dim));
  require(gravity.allFinite(), "world", "gravity must be finite");
  check(law, "friction law");
  check(shaking, dim);
  std::set<std::string> names;
  for (int i = 0; i < static_cast<int>(bodies_.size()); ++i) {
    const Body& b = body(i);
    check(b, dim);
    require(names.insert(b.name).second, "body '" + b.name + "'", "the name is used twice");
    slots_.push_back(b.fixed ? -1 : static_cast<int>(moving_.size()));
    if (!b.fixed) moving_.push_back(i);
  }
  std::set<std::string> joint_names;
  std::set<std::pair<int, int>> joined;
  for (const Joint& joint : joints_) {
    check(joint, bodies_, dim);
    require(joint_names.insert(joint.name).second, "joint '" + joint.name + "'",
            "the name is used twice");
    joined.insert(std::minmax(joint.a, joint.b));
  }
  for (int i = 0; i < static_cast<int>(bodies_.size()); ++i)
    for (int j = i + 1; j < static_cast<int>(bodies_.size()); ++j) {
      if ((body(i).fixed && body(j).fixed) || joined.contains({i, j})) continue;
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

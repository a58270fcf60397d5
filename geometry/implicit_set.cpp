#include "geometry/implicit_set.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <random>
#include <stdexcept>

#include "geometry/checks.hpp"
#include "geometry/implicit_solve.hpp"

namespace touchstone {

namespace {

std::string text(const Vec3& x) { return fmt::format("({}, {}, {})", x.x(), x.y(), x.z()); }

}  // namespace

void ImplicitSet::prepare(const Vec3& guess) {
  double least = 0.0;
  const auto found = interior_point(*this, guess, least);
  if (!found)
    throw std::invalid_argument(fmt::format(
        "{}: the set is empty or has no interior: the smallest max f found is {}, expected < 0",
        kind(), least));
  inside_ = *found;
  Vec3 sum = Vec3::Zero();
  for (int i = 0; i < dim_; ++i) {
    for (double sign : {-1.0, 1.0}) {
      const auto end = farthest_point(*this, inside_, sign * Vec3::Unit(i));
      if (!end) {
        bounded_ = false;
        return;
      }
      (sign < 0.0 ? low_ : high_)[i] = (*end)[i];
      sum += *end;
    }
  }
  // Halfway to a mean of boundary points: still inside, and seldom close to a boundary.
  const Vec3 middle = 0.5 * (inside_ + sum / (2.0 * dim_));
  if (largest_value(middle) < 0.0) inside_ = middle;
}

Vec3 ImplicitSet::support(const Vec3& d) const {
  if (!bounded_)
    throw std::logic_error(fmt::format("{}: an unbounded set has no support point", kind()));
  const double length = d.norm();
  const Vec3 unit = length > 0.0 ? Vec3(d / length) : Vec3(Vec3::UnitX());
  const auto found = farthest_point(*this, inside_, unit);
  if (!found) throw std::logic_error(fmt::format("{}: unbounded along {}", kind(), text(unit)));
  return *found;
}

double ImplicitSet::radius() const {
  if (!bounded_) return std::numeric_limits<double>::infinity();
  return low_.cwiseAbs().cwiseMax(high_.cwiseAbs()).norm();
}

MassProperties ImplicitSet::mass_properties(double density) const {
  checks::positive(kind().c_str(), "density", density);
  if (!bounded_)
    throw std::logic_error(fmt::format("{}: an unbounded set has no mass properties", kind()));
  return integrate_mass(*this, inside_, 1.01 * (high_ - low_).norm(), density);
}

void ImplicitSet::supporting_points(const Vec3& d, double cosine, std::vector<Vec3>& out) const {
  const Vec3 unit = d.normalized();
  const Vec3 first = support(unit);
  if (count() == 1) return out.push_back(first);
  const double sine = std::sqrt(1.0 - cosine * cosine), same = 0.02 * radius();
  const Vec3 e1 = dim_ == 2 ? Vec3(-unit.y(), unit.x(), 0.0) : Vec3(unit.unitOrthogonal());
  const Vec3 e2 = unit.cross(e1);
  const std::size_t begin = out.size();
  const int tilts = dim_ == 2 ? 2 : 8;
  for (int k = 0; k < tilts; ++k) {
    const double t = 2.0 * std::numbers::pi * k / tilts;
    const Vec3 x = support(cosine * unit + sine * (std::cos(t) * e1 + std::sin(t) * e2));
    bool known = false;
    for (std::size_t i = begin; i < out.size() && !known; ++i) known = (out[i] - x).norm() < same;
    if (!known) out.push_back(x);
  }
  if (out.size() == begin + 1) out.back() = first;
}

Intersection::Intersection(int dim, std::vector<Member> members)
    : ImplicitSet(dim), members_(std::move(members)) {
  checks::dimension("intersection", dim);
  if (members_.empty())
    throw std::invalid_argument("intersection: no members, expected at least one");
  Vec3 guess = Vec3::Zero();
  for (std::size_t i = 0; i < members_.size(); ++i) {
    const Member& m = members_[i];
    if (!m.set || m.set->dim() != dim)
      throw std::invalid_argument(
          fmt::format("intersection: member {} is {}, expected a set of dimension {}", i,
                      m.set ? fmt::format("of dimension {}", m.set->dim()) : "missing", dim));
    checks::point("intersection", "position of a member", dim, m.pose.x);
    for (int j = 0; j < m.set->count(); ++j) surfaces_.push_back({i, j});
    guess += m.pose.x / static_cast<double>(members_.size());
  }
  prepare(guess);
}

Vec3 Intersection::support(const Vec3& d) const {
  // The support point of a member that lies in all the others is that of their common part.
  for (std::size_t i = 0; bounded() && i < members_.size(); ++i) {
    const Member& m = members_[i];
    if (!m.set->bounded()) continue;
    const Vec3 x = m.pose.to_world(m.set->support(m.pose.R.transpose() * d));
    bool inside = true;
    for (int j = 0; j < count() && inside; ++j)
      inside = surfaces_[j].member == i || value(j, x) <= 0.0;
    if (inside) return x;
  }
  return ImplicitSet::support(d);
}

double Intersection::value(int j, const Vec3& x) const {
  const Member& m = members_[surfaces_[j].member];
  return m.set->value(surfaces_[j].j, m.pose.to_body(x));
}

Vec3 Intersection::gradient(int j, const Vec3& x) const {
  const Member& m = members_[surfaces_[j].member];
  return m.pose.R * m.set->gradient(surfaces_[j].j, m.pose.to_body(x));
}

Mat3 Intersection::hessian(int j, const Vec3& x) const {
  const Member& m = members_[surfaces_[j].member];
  return m.pose.R * m.set->hessian(surfaces_[j].j, m.pose.to_body(x)) * m.pose.R.transpose();
}

UserSet::UserSet(int dim, std::vector<Function> functions, const Vec3& guess)
    : ImplicitSet(dim), functions_(std::move(functions)) {
  checks::dimension("user-defined set", dim);
  checks::point("user-defined set", "guess", dim, guess);
  if (functions_.empty())
    throw std::invalid_argument("user-defined set: no functions, expected at least one");
  for (std::size_t j = 0; j < functions_.size(); ++j)
    if (!functions_[j].value || !functions_[j].gradient || !functions_[j].hessian)
      throw std::invalid_argument(fmt::format(
          "user-defined set: f_{} lacks a value, gradient or Hessian, expected all three", j));
  check(guess, 1.0 + guess.norm());
  prepare(guess);
  if (bounded()) check(interior(), 2.0 * radius() + 1e-300);
}

double UserSet::value(int j, const Vec3& x) const { return functions_[j].value(x); }
Vec3 UserSet::gradient(int j, const Vec3& x) const { return functions_[j].gradient(x); }
Mat3 UserSet::hessian(int j, const Vec3& x) const { return functions_[j].hessian(x); }

void UserSet::check(const Vec3& centre, double size) const {
  std::mt19937 engine(1);
  std::uniform_real_distribution<double> uniform(-size, size);
  auto point = [&]() -> Vec3 {
    const double x = uniform(engine), y = uniform(engine), z = uniform(engine);
    return centre + Vec3(x, y, dim() == 3 ? z : 0.0);
  };
  const double h = 1e-5 * size;
  for (int j = 0; j < count(); ++j) {
    auto fail = [&](const Vec3& x, const std::string& what) {
      throw std::invalid_argument(fmt::format("user-defined set: f_{} at {} {}", j, text(x), what));
    };
    for (int k = 0; k < 40; ++k) {
      const Vec3 x = point(), y = point();
      const double fx = value(j, x), fy = value(j, y), fm = value(j, 0.5 * (x + y));
      const Vec3 g = gradient(j, x);
      const Mat3 H = hessian(j, x);
      if (!std::isfinite(fx) || !g.allFinite() || !H.allFinite())
        fail(x, "is not finite, nor are all its derivatives");
      const double most = std::max({std::abs(fx), std::abs(fy), std::abs(fm)});
      if (!(fm <= 0.5 * (fx + fy) + 1e-9 * most))
        fail(0.5 * (x + y), fmt::format("is not convex: {} exceeds {}, its mean at {} and {}", fm,
                                        0.5 * (fx + fy), text(x), text(y)));
      const double curvature = Eigen::SelfAdjointEigenSolver<Mat3>(H).eigenvalues().minCoeff();
      if (!(H - H.transpose()).isZero(1e-9 * (H.norm() + 1e-300)))
        fail(x, "has a Hessian that is not symmetric");
      if (curvature < -1e-9 * H.norm())
        fail(x, fmt::format("is not convex: its Hessian has the eigenvalue {}", curvature));
      if (dim() == 2 && (g.z() != 0.0 || !H.row(2).isZero(0.0)))
        fail(x, "has derivatives out of the plane z = 0");
      const double slope = g.norm() + most / size, bend = H.norm() + slope / size;
      for (int i = 0; i < dim(); ++i) {
        const Vec3 e = h * Vec3::Unit(i);
        const double change = (value(j, x + e) - value(j, x - e)) / (2.0 * h);
        if (!(std::abs(change - g[i]) <= 1e-5 * slope))
          fail(x, fmt::format("has the gradient {} along axis {}, but differences give {}", g[i], i,
                              change));
        const Vec3 turn = (gradient(j, x + e) - gradient(j, x - e)) / (2.0 * h);
        if (!((turn - H.col(i)).norm() <= 1e-5 * bend))
          fail(x, fmt::format("has the Hessian column {} = {}, but differences give {}", i,
                              text(H.col(i)), text(turn)));
      }
    }
  }
}

}  // namespace touchstone

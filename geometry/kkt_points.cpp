#include "geometry/kkt_points.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "geometry/expanding_polytope.hpp"
#include "geometry/gjk.hpp"

namespace touchstone {

namespace {

constexpr int unknowns = 13;  // a, b, ψ, l, m; rows that are not needed are identities
using System = Eigen::Matrix<double, unknowns, unknowns>;
using Column = Eigen::Matrix<double, unknowns, 1>;
constexpr int at_gap = 6, at_l = 7, at_m = 10;

struct Side {
  const ConvexSet& set;
  const Pose& pose;
  int first;       // of its point
  int multiplier;  // first of its multipliers
  ActiveSurfaces active{};

  double height(int j, const Vec3& world) const {
    const Vec3 x = pose.to_body(world);
    return set.value(j, x) / std::max(set.gradient(j, x).norm(), 1e-300);
  }
};

/// The nonnegative combination of at most dim gradients that is nearest to the unit vector d; of
/// the surfaces within `near` of the point, and with surface `forced` unless that is −1.
ActiveSurfaces pick(const Side& side, const Vec3& world, const Vec3& d, double near, int forced) {
  const Vec3 x = side.pose.to_body(world), down = side.pose.R.transpose() * d;
  std::vector<std::pair<double, int>> candidates;
  for (int j = 0; j < side.set.count(); ++j)
    if (const double h = side.height(j, world); h >= -near || j == forced)
      candidates.emplace_back(j == forced ? std::numeric_limits<double>::infinity() : h, j);
  std::sort(candidates.begin(), candidates.end(), std::greater<>());
  if (candidates.size() > 12) candidates.resize(12);
  ActiveSurfaces best;
  double least = std::numeric_limits<double>::infinity();
  const int n = static_cast<int>(candidates.size());
  auto consider = [&](std::initializer_list<int> ids) {
    Mat3 G = Mat3::Zero(), gram = Mat3::Identity();
    int k = 0;
    bool has = forced < 0;
    ActiveSurfaces trial;
    for (int i : ids) {
      const int j = candidates[i].second;
      has = has || j == forced;
      G.col(k) = side.set.gradient(j, x);
      trial.surface[k++] = j;
    }
    if (!has) return;
    trial.count = k;
    gram.topLeftCorner(k, k) = G.leftCols(k).transpose() * G.leftCols(k);
    const Vec3 l = gram.fullPivLu().solve(G.transpose() * down);
    if (!l.allFinite() || l.head(k).minCoeff() < (forced < 0 ? 0.0 : -1e-12)) return;
    const double off = (G * l - down).norm();
    if (!(off < least - 1e-6)) return;  // fewer surfaces among equals
    least = off, best = trial;
    for (int i = 0; i < k; ++i) best.multiplier[i] = l[i];
  };
  for (int i = 0; i < n; ++i) consider({i});
  for (int i = 0; i < n; ++i)
    for (int j = i + 1; j < n; ++j) consider({i, j});
  if (side.set.dim() == 3)
    for (int i = 0; i < n; ++i)
      for (int j = i + 1; j < n; ++j)
        for (int k = j + 1; k < n; ++k) consider({i, j, k});
  return best;
}

class Kkt {
 public:
  Kkt(const ConvexSet& A, const Pose& pose_a, const ConvexSet& B, const Pose& pose_b)
      : a_{A, pose_a, 0, at_l}, b_{B, pose_b, 3, at_m}, size_(A.radius() + B.radius()) {}

  ClosestPoints solve(const Vec3& on_a, const Vec3& on_b, const Vec3& n) {
    z_.setZero();
    z_.head<3>() = on_a;
    z_.segment<3>(3) = on_b;
    z_[at_gap] = n.dot(on_a - on_b);
    a_.active = pick(a_, on_a, -n, 1e-4 * size_, -1);
    b_.active = pick(b_, on_b, n, 1e-4 * size_, -1);
    bool settled = false;
    for (int round = 0; round < 12 && !settled; ++round) {
      if (a_.active.count == 0 || b_.active.count == 0) break;
      newton();
      const Vec3 normal = outward(b_);
      const bool a_same = settle(a_, -normal), b_same = settle(b_, normal);
      settled = a_same && b_same;
    }
    return answer(settled);
  }

 private:
  Vec3 point(const Side& side) const { return z_.segment<3>(side.first); }

  Vec3 outward(const Side& side) const {
    const Vec3 x = side.pose.to_body(point(side));
    Vec3 sum = Vec3::Zero();
    for (int k = 0; k < side.active.count; ++k)
      sum += z_[side.multiplier + k] * side.set.gradient(side.active.surface[k], x);
    return (side.pose.R * sum).normalized();
  }

  /// (i) to (iii), lengths in units of the size of the sets.
  Column residual(const Column& z, System* J) const {
    Column r = Column::Zero();
    if (J) J->setIdentity();
    Vec3 N[2] = {Vec3::Zero(), Vec3::Zero()};
    Mat3 D[2] = {Mat3::Zero(), Mat3::Zero()};
    Mat3 G[2] = {Mat3::Zero(), Mat3::Zero()};
    for (const Side* side : {&a_, &b_}) {
      const int s = side == &b_;
      const Mat3& R = side->pose.R;
      const Vec3 x = side->pose.to_body(z.segment<3>(side->first));
      for (int k = 0; k < side->active.count; ++k) {
        const int j = side->active.surface[k], row = side->multiplier + k;
        const Vec3 g = R * side->set.gradient(j, x);
        const double scale = side->set.gradient(j, x).norm() * size_;
        N[s] += z[row] * g;
        r[row] = side->set.value(j, x) / scale;
        if (!J) continue;
        G[s].col(k) = g;
        D[s] += z[row] * (R * side->set.hessian(j, x) * R.transpose());
        J->row(row).setZero();
        J->row(row).segment<3>(side->first) = g.transpose() / scale;
      }
    }
    const double psi = z[at_gap];
    r.head<3>() = N[0] + N[1];                                               // (i)
    r.segment<3>(3) = (z.head<3>() - z.segment<3>(3) - psi * N[1]) / size_;  // (ii)
    r[at_gap] = 0.5 * (N[1].squaredNorm() - 1.0);                            // (iii)
    if (!J) return r;
    J->topRows<7>().setZero();
    J->block<3, 3>(0, 0) = D[0];
    J->block<3, 3>(0, 3) = D[1];
    J->block<3, 3>(3, 0) = Mat3::Identity() / size_;
    J->block<3, 3>(3, 3) = -(Mat3::Identity() + psi * D[1]) / size_;
    J->block<3, 1>(3, at_gap) = -N[1] / size_;
    J->block<1, 3>(at_gap, 3) = N[1].transpose() * D[1];
    for (int k = 0; k < a_.active.count; ++k) J->block<3, 1>(0, at_l + k) = G[0].col(k);
    for (int k = 0; k < b_.active.count; ++k) {
      J->block<3, 1>(0, at_m + k) = G[1].col(k);
      J->block<3, 1>(3, at_m + k) = -psi / size_ * G[1].col(k);
      (*J)(at_gap, at_m + k) = N[1].dot(G[1].col(k));
    }
    if (a_.set.dim() == 2) (*J)(2, 2) = 1.0;  // z of a and b
    return r;
  }

  void newton() {
    for (const Side* side : {&a_, &b_})
      for (int k = 0; k < 3; ++k)
        z_[side->multiplier + k] = k < side->active.count ? side->active.multiplier[k] : 0.0;
    System J;
    Column r = residual(z_, &J);
    for (int i = 0; i < 60 && r.norm() > 1e-15; ++i) {
      Column step = -J.partialPivLu().solve(r);
      // Singular: flat against flat, where the closest points are not unique.
      if (!step.allFinite() || (J * step + r).norm() > 1e-6 * r.norm() ||
          step.head<7>().norm() > 10.0 * size_)
        step = -J.completeOrthogonalDecomposition().solve(r);
      const double longest = 0.5 * size_ / (step.head<6>().norm() + 1e-300);
      double t = std::min(1.0, longest);
      Column trial, there;
      for (;; t *= 0.5) {
        trial = z_ + t * step;
        there = residual(trial, nullptr);
        if (there.norm() < (1.0 - 1e-4 * t) * r.norm()) break;
        if (t < 1e-10) return;
      }
      ++iterations_;
      const bool slow = there.norm() > 0.5 * r.norm() && r.norm() < 1e-14;
      z_ = trial;
      r = residual(z_, &J);
      if (slow) break;
    }
  }

  /// Drops the surface with the most negative multiplier, or takes in the one that is violated
  /// most; true when nothing changed.
  bool settle(Side& side, const Vec3& outward) {
    ActiveSurfaces& active = side.active;
    const Vec3 x = point(side);
    int least = 0;
    for (int k = 0; k < active.count; ++k) {
      active.multiplier[k] = z_[side.multiplier + k];
      if (active.multiplier[k] < active.multiplier[least]) least = k;
    }
    const double unit = side.set.gradient(active.surface[least], side.pose.to_body(x)).norm();
    if (active.multiplier[least] * unit < -1e-12 && active.count > 1) {
      for (int k = least; k + 1 < active.count; ++k) {
        active.surface[k] = active.surface[k + 1];
        active.multiplier[k] = active.multiplier[k + 1];
      }
      --active.count;
      return false;
    }
    int worst = -1;
    double most = 1e-12 * size_;
    for (int j = 0; j < side.set.count(); ++j)
      if (const double h = side.height(j, x); h > most) most = h, worst = j;
    const auto end = active.surface.begin() + active.count;
    if (worst < 0 || std::find(active.surface.begin(), end, worst) != end) return true;
    if (active.count < side.set.dim()) {
      active.surface[active.count] = worst;
      active.multiplier[active.count++] = 0.0;
    } else {
      active = pick(side, x, outward, 1e-4 * size_, worst);
    }
    return false;
  }

  ClosestPoints answer(bool settled) const {
    ClosestPoints c;
    c.on_a = point(a_);
    c.on_b = point(b_);
    c.normal = outward(b_);
    c.gap = c.normal.dot(c.on_a - c.on_b);
    c.iterations = iterations_;
    c.active_a = a_.active;
    c.active_b = b_.active;
    c.residual =
        std::max((c.on_a - c.on_b - c.gap * c.normal).norm(), (outward(a_) + c.normal).norm());
    bool inside = true;
    for (const Side* side : {&a_, &b_}) {
      for (int k = 0; k < side->active.count; ++k)
        c.residual =
            std::max(c.residual, std::abs(side->height(side->active.surface[k], point(*side))));
      for (int j = 0; j < side->set.count(); ++j)
        inside = inside && side->height(j, point(*side)) <= 1e-10 * size_;
      for (int k = 0; k < side->active.count; ++k)
        inside = inside && side->active.multiplier[k] > -1e-9;
    }
    const bool exact = std::isfinite(c.residual) && c.residual <= 1e-11 * (1.0 + size_);
    c.status = settled && exact && inside ? ClosestStatus::solved : ClosestStatus::inaccurate;
    return c;
  }

  Side a_, b_;
  double size_;
  Column z_ = Column::Zero();
  int iterations_ = 0;
};

class General {
 public:
  General(const ConvexSet& A, const Pose& pose_a, const ConvexSet& B, const Pose& pose_b)
      : A_(A), B_(B), a_(pose_a), b_(pose_b), size_(A.radius() + B.radius()) {}

  ClosestPoints from(const Vec3& start) const {
    const Vec3 n = start.normalized();
    const SupportPair p = support(-n);
    const ClosestPoints c = solve_kkt(A_, a_, B_, b_, p.a, p.b, n);
    // A maximum of s that is worth the name is no lower than the start.
    if (c.status == ClosestStatus::solved && c.gap >= n.dot(p.a - p.b) - 1e-10 * size_) return c;
    return search();
  }

  ClosestPoints search() const {
    ClosestPoints best;
    best.gap = -std::numeric_limits<double>::infinity();
    for (double tolerance : {1e-4, 1e-8, 1e-12}) {
      const ClosestPoints start = coarse(tolerance);
      ClosestPoints c = solve_kkt(A_, a_, B_, b_, start.on_a, start.on_b, start.normal);
      if (c.status == ClosestStatus::solved && c.gap >= start.gap - 1e-10 * size_) return c;
      best = certified(start);
      if (best.status == ClosestStatus::solved) break;
    }
    return best;
  }

 private:
  struct Spanned {
    ActiveSurfaces active;
    Vec3 sum = Vec3::Zero();  // of l_i ∇f_i, in the world
  };
  Spanned spanned(const ConvexSet& set, const Pose& pose, const Vec3& x, const Vec3& d) const {
    Spanned s{pick({set, pose, 0, 0}, x, d, 1e-10 * size_, -1)};
    for (int k = 0; k < s.active.count; ++k)
      s.sum +=
          s.active.multiplier[k] * (pose.R * set.gradient(s.active.surface[k], pose.to_body(x)));
    return s;
  }

  /// Where edges or corners touch the normal is not unique and Newton's method may stall. The
  /// points of the search solve the equations with a normal of B that A's surfaces span too, or
  /// the other way round.
  ClosestPoints certified(const ClosestPoints& start) const {
    for (const bool of_b : {true, false}) {
      ClosestPoints c = start;
      const Vec3 given = of_b ? spanned(B_, b_, c.on_b, c.normal).sum
                              : Vec3(-spanned(A_, a_, c.on_a, -c.normal).sum);
      c.normal = given.normalized();
      c.gap = c.normal.dot(c.on_a - c.on_b);
      const Spanned a = spanned(A_, a_, c.on_a, -c.normal), b = spanned(B_, b_, c.on_b, c.normal);
      c.active_a = a.active, c.active_b = b.active;
      c.residual = std::max({(c.on_a - c.on_b - c.gap * c.normal).norm(), (a.sum + c.normal).norm(),
                             (b.sum - c.normal).norm()});
      c.status = ClosestStatus::solved;
      if (c.residual <= 1e-11 * (1.0 + size_)) return c;
    }
    return start;
  }

  SupportPair support(const Vec3& d) const {
    return {a_.to_world(A_.support(a_.R.transpose() * d)),
            b_.to_world(B_.support(-(b_.R.transpose() * d)))};
  }

  /// GJK or the expanding polytope; gap is s(n), a lower bound.
  ClosestPoints coarse(double tolerance) const {
    std::vector<SupportPair> pairs;
    auto vertex = [&](const Vec3& d) -> SupportVertex {
      pairs.push_back(support(d));
      return {pairs.back().a - pairs.back().b, static_cast<std::int64_t>(pairs.size()) - 1};
    };
    const Vec3 centres = b_.x - a_.x;
    const Vec3 first = centres.norm() > 1e-9 * size_ ? centres : Vec3(Vec3::UnitX());
    const GjkResult near = gjk(vertex, first, size_, tolerance);
    const double distance = near.point.norm();
    ClosestPoints c;
    c.status = ClosestStatus::inaccurate;
    auto from_gjk = [&] {
      c.on_a.setZero(), c.on_b.setZero();
      for (int k = 0; k < near.count; ++k) {
        c.on_a += near.weight[k] * pairs[near.id[k]].a;
        c.on_b += near.weight[k] * pairs[near.id[k]].b;
      }
    };
    if (near.count <= A_.dim() && distance > 1e-7 * size_) {
      from_gjk();
      c.normal = near.point / distance;
    } else {
      const Penetration deep = expanding_polytope([this](const Vec3& d) { return support(d); },
                                                  A_.dim(), tolerance * size_);
      c.on_a = deep.on_a, c.on_b = deep.on_b, c.normal = deep.n;
      // Touching at a vertex: planes pass the origin whose facets lie elsewhere.
      if (deep.upper < 1e-9 * size_) from_gjk();
    }
    const SupportPair p = support(-c.normal);
    c.gap = c.normal.dot(p.a - p.b);
    c.residual = (c.on_a - c.on_b - c.gap * c.normal).norm();
    return c;
  }

  const ConvexSet &A_, &B_;
  const Pose &a_, &b_;
  double size_;
};

}  // namespace

ClosestPoints solve_kkt(const ConvexSet& A, const Pose& pose_a, const ConvexSet& B,
                        const Pose& pose_b, const Vec3& on_a, const Vec3& on_b, const Vec3& n) {
  return Kkt(A, pose_a, B, pose_b).solve(on_a, on_b, n);
}

ClosestPoints general_closest_points(const ConvexSet& A, const Pose& pose_a, const ConvexSet& B,
                                     const Pose& pose_b, const Vec3& start) {
  const General general(A, pose_a, B, pose_b);
  return start.norm() > 0.0 ? general.from(start) : general.search();
}

}  // namespace touchstone

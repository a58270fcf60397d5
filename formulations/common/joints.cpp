#include "formulations/common/joints.hpp"

#include <algorithm>
#include <numeric>

#include "formulations/common/union_find.hpp"

namespace touchstone {

namespace {

/// One body of a joint: where its point is, and how it moves.
struct End {
  int body = -1;  // −1 when fixed
  Vec3 r, v, w, centripetal;
  Vec3 p;
};

End end_of(const Configuration& configuration, const Vec& nu, int body, const Vec3& point) {
  const World& world = configuration.world();
  const Pose& pose = configuration.pose(body);
  const Twist motion = twist(world, nu, body);
  End end;
  end.body = world.velocity_offset(body) >= 0 ? body : -1;
  end.r = pose.R * point;
  end.p = pose.x + end.r;
  end.w = motion.w;
  end.v = motion.v + motion.w.cross(end.r);
  end.centripetal = motion.w.cross(motion.w.cross(end.r));
  return end;
}

Column column_of(int dim, const End& a, const End& b, const Vec3& force_a, const Vec3& moment_a,
                 const Vec3& moment_b) {
  Column column;
  column.a = a.body;
  column.b = b.body;
  if (a.body >= 0) column.on_a = pack(dim, force_a, moment_a);
  if (b.body >= 0) column.on_b = -pack(dim, force_a, moment_b);
  return column;
}

/// e·(p_a − p_b)
Column point_column(int dim, const End& a, const End& b, const Vec3& e) {
  return column_of(dim, a, b, e, a.r.cross(e), b.r.cross(e));
}

/// d²/dt² of e·(p_a − p_b) without accelerations, e held.
double point_bias(const End& a, const End& b, const Vec3& e) {
  return e.dot(a.centripetal - b.centripetal);
}

JointRow distance_row(int dim, const End& a, const End& b, double length) {
  const Vec3 d = a.p - b.p, rate = a.v - b.v;
  const double distance = d.norm();
  const Vec3 u = distance > 0.0 ? Vec3(d / distance) : Vec3(Vec3::UnitX());
  const double along = u.dot(rate);
  const double turning =
      distance > 0.0 ? (rate.squaredNorm() - along * along) / distance : 0.0;  // u̇·ḋ
  return {.value = distance - length,
          .column = point_column(dim, a, b, u),
          .bias = point_bias(a, b, u) + turning};
}

/// s·t with s in a and t in b: its rate is m·(ω_a − ω_b), m = s × t.
JointRow perpendicular_row(int dim, const End& a, const End& b, const Vec3& s, const Vec3& t) {
  const Vec3 m = s.cross(t);
  const Vec3 m_rate = a.w.cross(s).cross(t) + s.cross(b.w.cross(t));
  return {.value = s.dot(t),
          .column = column_of(dim, a, b, Vec3::Zero(), m, m),
          .bias = m_rate.dot(a.w - b.w)};
}

}  // namespace

void joint_rows(const Configuration& configuration, const Vec& nu, int index,
                std::vector<JointRow>& out) {
  const World& world = configuration.world();
  const Joint& joint = world.joints()[static_cast<std::size_t>(index)];
  const End a = end_of(configuration, nu, joint.a, joint.on_a);
  const End b = end_of(configuration, nu, joint.b, joint.on_b);
  const auto add = [&](JointRow row) {
    row.joint = index;
    out.push_back(row);
  };
  if (joint.kind == JointKind::distance) return add(distance_row(world.dim(), a, b, joint.length));
  for (int k = 0; k < world.dim(); ++k) {
    const Vec3 e = Vec3::Unit(k);
    add({.value = e.dot(a.p - b.p),
         .column = point_column(world.dim(), a, b, e),
         .bias = point_bias(a, b, e)});
  }
  const Mat3 &R_a = configuration.pose(joint.a).R, &R_b = configuration.pose(joint.b).R;
  for (const auto& [s, t] : joint.perpendicular)
    add(perpendicular_row(world.dim(), a, b, R_a * s, R_b * t));
}

double joint_error(const Configuration& configuration) {
  const World& world = configuration.world();
  thread_local std::vector<JointRow> rows;
  const Vec at_rest = Vec::Zero(world.nv());
  double worst = 0.0;
  for (int j = 0; j < static_cast<int>(world.joints().size()); ++j) {
    rows.clear();
    joint_rows(configuration, at_rest, j, rows);
    for (const JointRow& row : rows) worst = std::max(worst, std::abs(row.value));
  }
  return worst;
}

std::vector<int> independent_rows(const Mat& A) {
  constexpr double dependent = 1e-10;
  const Eigen::Index n = A.rows();
  const Vec scale = A.diagonal().cwiseMax(1e-300).cwiseSqrt().cwiseInverse();
  Mat rest = scale.asDiagonal() * A * scale.asDiagonal();  // of A after the pivots so far
  std::vector<int> chosen;
  for (Eigen::Index k = 0; k < n; ++k) {
    Eigen::Index p = 0;
    if (rest.diagonal().maxCoeff(&p) <= dependent) break;
    chosen.push_back(static_cast<int>(p));
    const Vec column = rest.col(p) / std::sqrt(rest(p, p));
    rest.noalias() -= column * column.transpose();
    rest.row(p).setZero();
    rest.col(p).setZero();
  }
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

/// Sorts the joints by mechanism: moving bodies that joints connect.
void Joints::group() {
  const auto& joints = world_->joints();
  UnionFind bodies(static_cast<int>(world_->bodies().size()));
  for (const Joint& joint : joints)
    if (!world_->body(joint.a).fixed && !world_->body(joint.b).fixed) bodies.join(joint.a, joint.b);
  std::vector<int> mechanism;
  for (const Joint& joint : joints)
    mechanism.push_back(bodies.root(world_->body(joint.a).fixed ? joint.b : joint.a));
  order_.resize(joints.size());
  std::iota(order_.begin(), order_.end(), 0);
  const auto of = [&](int j) { return mechanism[static_cast<std::size_t>(j)]; };
  std::stable_sort(order_.begin(), order_.end(), [&](int i, int j) { return of(i) < of(j); });
  last_joint_.clear();
  for (std::size_t k = 0; k < order_.size(); ++k)
    if (k + 1 == order_.size() || of(order_[k]) != of(order_[k + 1]))
      last_joint_.push_back(static_cast<int>(k) + 1);
}

void Joints::update(const Configuration& configuration, const Vec& nu) {
  if (world_ != &configuration.world()) {
    world_ = &configuration.world();
    group();
  }
  rows_.clear();
  mechanisms_.resize(last_joint_.size());
  std::size_t k = 0;
  for (std::size_t m = 0; m < mechanisms_.size(); ++m) {
    Mechanism& mechanism = mechanisms_[m];
    mechanism.first = static_cast<int>(rows_.size());
    for (; k < static_cast<std::size_t>(last_joint_[m]); ++k)
      joint_rows(configuration, nu, order_[k], rows_);
    mechanism.size = static_cast<int>(rows_.size()) - mechanism.first;
    const Joint& joint = world_->joints()[static_cast<std::size_t>(order_[k - 1])];
    mechanism.body = world_->body(joint.a).fixed ? joint.b : joint.a;
    Mat A(mechanism.size, mechanism.size);
    for (int i = 0; i < mechanism.size; ++i)
      for (int j = 0; j <= i; ++j)
        A(i, j) = A(j, i) =
            delassus(configuration, rows_[static_cast<std::size_t>(mechanism.first + i)].column,
                     rows_[static_cast<std::size_t>(mechanism.first + j)].column);
    if (kept_ == Rows::independent) keep_independent(mechanism, A);
    mechanism.A.compute(A);
  }
}

void Joints::keep_independent(Mechanism& mechanism, Mat& A) {
  const std::vector<int> chosen = independent_rows(A);
  if (static_cast<int>(chosen.size()) == mechanism.size) return;
  for (std::size_t k = 0; k < chosen.size(); ++k)
    rows_[static_cast<std::size_t>(mechanism.first) + k] =
        rows_[static_cast<std::size_t>(mechanism.first + chosen[k])];
  mechanism.size = static_cast<int>(chosen.size());
  rows_.resize(static_cast<std::size_t>(mechanism.first + mechanism.size));
  A = Mat(A(chosen, chosen));
}

Vec Joints::bring(const Configuration& configuration, const Mechanism& mechanism, Vec wanted,
                  Vec& nu) const {
  const auto column = [&](int i) -> const Column& {
    return rows_[static_cast<std::size_t>(mechanism.first + i)].column;
  };
  for (int i = 0; i < mechanism.size; ++i) wanted[i] -= velocity(*world_, column(i), nu);
  const Vec p = mechanism.A.solve(wanted);
  for (int i = 0; i < mechanism.size; ++i) apply_impulse(configuration, column(i), p[i], nu);
  return p;
}

void Joints::project(const Configuration& configuration, double rate, std::span<const int> bodies,
                     Vec& nu, Vec& impulses) const {
  for (const Mechanism& mechanism : mechanisms_) {
    if (!std::binary_search(bodies.begin(), bodies.end(), mechanism.body)) continue;
    Vec wanted(mechanism.size);
    for (int i = 0; i < mechanism.size; ++i)
      wanted[i] = rate * rows_[static_cast<std::size_t>(mechanism.first + i)].value;
    impulses.segment(mechanism.first, mechanism.size) +=
        bring(configuration, mechanism, wanted, nu);
  }
}

void Joints::accelerate(const Configuration& configuration, Vec& nu_dot) const {
  for (const Mechanism& mechanism : mechanisms_) {
    Vec wanted(mechanism.size);
    for (int i = 0; i < mechanism.size; ++i)
      wanted[i] = -rows_[static_cast<std::size_t>(mechanism.first + i)].bias;
    bring(configuration, mechanism, wanted, nu_dot);
  }
}

void Joints::reduce(const Configuration& configuration, std::span<const Column> W1,
                    std::span<const Column> W2, Eigen::Ref<Mat> block) const {
  for (const Mechanism& mechanism : mechanisms_) {
    const auto coupling = [&](std::span<const Column> W) {
      Mat C(mechanism.size, static_cast<Eigen::Index>(W.size()));
      for (int i = 0; i < mechanism.size; ++i)
        for (std::size_t j = 0; j < W.size(); ++j)
          C(i, static_cast<Eigen::Index>(j)) = delassus(
              configuration, rows_[static_cast<std::size_t>(mechanism.first + i)].column, W[j]);
      return C;
    };
    const Mat C2 = coupling(W2);
    if (C2.isZero(0.0)) continue;
    block -= coupling(W1).transpose() * mechanism.A.solve(C2);
  }
}

}  // namespace touchstone

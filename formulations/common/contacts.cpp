#include "formulations/common/contacts.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "formulations/common/reach.hpp"

namespace touchstone {

namespace {

/// One contact at most with anything: a bounded set with one surface.
bool is_smooth(const ConvexSet& set) { return set.bounded() && set.count() == 1; }

}  // namespace

std::string contact_name(const World& world, const Contact& contact) {
  const Body &a = world.body(contact.a), &b = world.body(contact.b);
  std::string name = a.name + "/" + b.name;
  if (!is_smooth(*a.shape) && !is_smooth(*b.shape)) name += "#" + std::to_string(contact.feature);
  return name;
}

Vec3 tangent_axis(const Vec3& n) { return std::abs(n.x()) < 0.9 ? Vec3::UnitX() : Vec3::UnitY(); }

void set_tangents(int dim, Contact& contact) {
  const Vec3& n = contact.n;
  if (dim == 2) {
    contact.t = {n.y(), -n.x(), 0.0};
  } else {
    const Vec3 axis = tangent_axis(n);
    contact.t = (axis - axis.dot(n) * n).normalized();
  }
  contact.o = n.cross(contact.t);
}

namespace {

/// Appends the contacts of one pair with gaps up to `margin`.
void add_contacts(const Configuration& configuration, const Pair& pair, double margin,
                  std::vector<Contact>& out) {
  thread_local std::vector<ContactPoint> points;
  const World& world = configuration.world();
  const Body &a = world.body(pair.a), &b = world.body(pair.b);
  const Pose &pose_a = configuration.pose(pair.a), &pose_b = configuration.pose(pair.b);
  const double reach = a.shape->radius() + b.shape->radius() + margin;
  const double distance = (pose_a.x - pose_b.x).norm();
  if (distance > reach && std::isfinite(distance)) return;
  PairPlanes& planes = configuration.planes();
  PairPlane* plane = planes.find(static_cast<std::size_t>(&pair - world.pairs().data()), a, b);
  planes.counts.asked += plane != nullptr;
  if (plane && plane->shows_gap(pose_a, pose_b, margin)) {
    ++planes.counts.shown;
    return;
  }
  points.clear();
  contact_points(*a.shape, pose_a, *b.shape, pose_b, margin, points);
  if (plane && points.empty()) plane->learn(pose_a, pose_b, margin);
  for (const ContactPoint& point : points) {
    Contact& contact = out.emplace_back();
    contact.a = pair.a;
    contact.b = pair.b;
    contact.feature = point.feature;
    contact.point = point.on_a;
    contact.n = point.normal;
    contact.gap = point.gap;
    contact.law = &pair.law;
    set_tangents(world.dim(), contact);
  }
}

/// From this many bodies on a broad phase pays: below it the distance of the centres, which
/// contact_points looks at first, is as quick.
constexpr std::size_t many_bodies = 12;

}  // namespace

void bounding_boxes(const Configuration& configuration, const std::vector<double>& margins,
                    std::vector<Box>& boxes) {
  const World& world = configuration.world();
  boxes.clear();
  for (int i = 0; i < static_cast<int>(margins.size()); ++i) {
    const double r = world.body(i).shape->radius() * (1.0 + 1e-9) +
                     margins[static_cast<std::size_t>(i)];  // infinite for a half-space
    const Vec3& x = configuration.pose(i).x;
    boxes.push_back({x.array() - r, x.array() + r});
  }
}

namespace {

/// The contacts of every pair with gaps up to the sum of the two bodies' margins.
void find_contacts(const Configuration& configuration, const std::vector<double>& margins,
                   std::vector<Contact>& out) {
  thread_local std::vector<Box> boxes;
  const World& world = configuration.world();
  const auto margin = [&margins](int i) { return margins[static_cast<std::size_t>(i)]; };
  out.clear();
  if (margins.size() < many_bodies) {
    for (const Pair& pair : world.pairs())
      add_contacts(configuration, pair, margin(pair.a) + margin(pair.b), out);
    return;
  }
  bounding_boxes(configuration, margins, boxes);
  SweepAndPrune& sweep = configuration.broad_phase();
  sweep.update(boxes);
  for (const auto& [i, j] : sweep.pairs())  // in the order of world.pairs()
    if (const Pair* pair = world.pair(i, j))
      add_contacts(configuration, *pair, margin(i) + margin(j), out);
}

}  // namespace

void find_contacts(const Configuration& configuration, const State& state, double h,
                   std::vector<Contact>& out) {
  thread_local std::vector<double> margins;
  const World& world = configuration.world();
  margins.clear();
  for (int i = 0; i < static_cast<int>(world.bodies().size()); ++i)
    margins.push_back(2.0 * reach(world, state, i, h));
  find_contacts(configuration, margins, out);
}

void find_contacts_within(const Configuration& configuration, double margin,
                          std::vector<Contact>& out) {
  thread_local std::vector<double> margins;
  margins.assign(configuration.world().bodies().size(), 0.5 * margin);
  find_contacts(configuration, margins, out);
}

Column wrench_column(const World& world, const Configuration& configuration, const Contact& contact,
                     const Vec3& force, const Vec3& moment) {
  Column column;
  if (world.velocity_offset(contact.a) >= 0) {
    const Vec3 r = contact.point - configuration.pose(contact.a).x;
    column.a = contact.a;
    column.on_a = pack(world.dim(), force, r.cross(force) + moment);
  }
  if (world.velocity_offset(contact.b) >= 0) {
    const Vec3 r = contact.point - configuration.pose(contact.b).x;
    column.b = contact.b;
    column.on_b = -pack(world.dim(), force, r.cross(force) + moment);
  }
  return column;
}

namespace {

/// Fixed sizes: this is the innermost product of every step.
template <int dof>
double paired_velocity(const World& world, const Column& column, const Vec& nu) {
  double sum = 0.0;
  if (column.a >= 0)
    sum += column.on_a.head<dof>().dot(nu.segment<dof>(world.velocity_offset(column.a)));
  if (column.b >= 0)
    sum += column.on_b.head<dof>().dot(nu.segment<dof>(world.velocity_offset(column.b)));
  return sum;
}

}  // namespace

double velocity(const World& world, const Column& column, const Vec& nu) {
  return world.dim() == 2 ? paired_velocity<3>(world, column, nu)
                          : paired_velocity<6>(world, column, nu);
}

void apply_impulse(const Configuration& configuration, const Column& column, double p, Vec& nu) {
  const World& world = configuration.world();
  const int dof = world.dof();
  const auto add = [&](int body, const Vec6& w) {
    const Vec6 change = configuration.inverse_mass(body) * w;
    nu.segment(world.velocity_offset(body), dof) += p * change.head(dof);
  };
  if (column.a >= 0) add(column.a, column.on_a);
  if (column.b >= 0) add(column.b, column.on_b);
}

double delassus(const Configuration& configuration, const Column& wi, const Column& wj) {
  double sum = 0.0;
  const auto add = [&](int i, const Vec6& on_i, int j, const Vec6& on_j) {
    if (i >= 0 && i == j) sum += on_i.dot(configuration.inverse_mass(i) * on_j);
  };
  add(wi.a, wi.on_a, wj.a, wj.on_a);
  add(wi.a, wi.on_a, wj.b, wj.on_b);
  add(wi.b, wi.on_b, wj.a, wj.on_a);
  add(wi.b, wi.on_b, wj.b, wj.on_b);
  return sum;
}

void delassus(const Configuration& configuration, std::span<const Column> W1,
              std::span<const Column> W2, Eigen::Ref<Mat> block) {
  for (std::size_t j = 0; j < W2.size(); ++j)
    for (std::size_t i = 0; i < W1.size(); ++i)
      block(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) =
          delassus(configuration, W1[i], W2[j]);
}

Mat dense(const World& world, std::span<const Column> W, std::span<const int> bodies) {
  const int dof = world.dof();
  Mat matrix = Mat::Zero(static_cast<Eigen::Index>(bodies.size()) * dof,
                         static_cast<Eigen::Index>(W.size()));
  const auto row = [&](int body) {
    return dof * std::distance(bodies.begin(), std::find(bodies.begin(), bodies.end(), body));
  };
  for (std::size_t j = 0; j < W.size(); ++j) {
    const auto col = static_cast<Eigen::Index>(j);
    if (W[j].a >= 0) matrix.col(col).segment(row(W[j].a), dof) += W[j].on_a.head(dof);
    if (W[j].b >= 0) matrix.col(col).segment(row(W[j].b), dof) += W[j].on_b.head(dof);
  }
  return matrix;
}

}  // namespace touchstone

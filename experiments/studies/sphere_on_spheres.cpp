#include "experiments/studies/sphere_on_spheres.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace touchstone {

namespace {

using Vec3 = Eigen::Vector3d;
using Motion = SphereOnSpheres::Motion;
using Vec6 = Eigen::Matrix<double, 6, 1>;

constexpr double longest_step = 0.01;  // [s]
constexpr double first_step = 1e-3;    // [s] after the start and after each event
constexpr double growth = 1.3;         // of successive steps
constexpr double at_rest = 1e-14;      // [m/s] a slip below this is round-off

// Radau IIA with three stages.
const double root6 = std::sqrt(6.0);
const Eigen::Matrix3d radau =
    (Eigen::Matrix3d() << (88.0 - 7.0 * root6) / 360.0, (296.0 - 169.0 * root6) / 1800.0,
     (-2.0 + 3.0 * root6) / 225.0, (296.0 + 169.0 * root6) / 1800.0, (88.0 + 7.0 * root6) / 360.0,
     (-2.0 - 3.0 * root6) / 225.0, (16.0 - root6) / 36.0, (16.0 + root6) / 36.0, 1.0 / 9.0)
        .finished();
const Vec3 radau_times = radau.rowwise().sum();

void require(bool holds, const char* what) {
  if (!holds) throw std::invalid_argument(std::string("SphereOnSpheres: ") + what);
}

}  // namespace

SphereOnSpheres::SphereOnSpheres(const SphereOnSpheresData& data, double t_end) : data_(data) {
  require(data.mass > 0.0 && data.inertia > 0.0 && data.radius > 0.0, "mass, inertia, radius > 0");
  require(data.mu >= 0.0 && data.e_t > 0.0 && data.e_r >= 0.0, "mu >= 0, e_t > 0, e_r >= 0");
  require(std::isfinite(t_end) && t_end >= 0.0, "t_end >= 0");
  for (const auto& support : data.supports)
    require(std::abs((data.position - support.centre).norm() - support.radius - data.radius) < 1e-9,
            "the sphere touches both supports at the start");
  Node start{0.0, Motion::Zero(), Motion::Zero(), {}, {}};
  start.y.head<3>() = data.position;
  const bool moves = start_at_rest(start.y, start.modes, start.directions);
  nodes_.push_back(start);
  if (!moves) return;
  nodes_.back().rate = forces(start.y, start.modes, start.directions).rate;
  for (int i = 0; i < 2; ++i)
    changes_.push_back({0.0, i, start.modes[static_cast<std::size_t>(i)]});
  integrate(t_end);
}

SphereOnSpheres::Frame SphereOnSpheres::frame(const Motion& y, int support) const {
  const auto& s = data_.supports[static_cast<std::size_t>(support)];
  Frame f;
  const Vec3 d = y.head<3>() - s.centre, v = y.segment<3>(3);
  f.rho = d.norm();
  f.n = d / f.rho;
  f.n_rate = (v - f.n * f.n.dot(v)) / f.rho;
  f.t = f.n.cross(std::abs(f.n.x()) < 0.6 ? Vec3::UnitX() : Vec3::UnitY()).normalized();
  f.o = f.n.cross(f.t);
  return f;
}

Vec3 SphereOnSpheres::scaled_slip(const Frame& f, const Motion& y) const {
  const Vec3 w = y.tail<3>(), u = y.segment<3>(3) + data_.radius * f.n.cross(w);
  return {data_.e_t * u.dot(f.t), data_.e_t * u.dot(f.o), data_.e_r * w.dot(f.n)};
}

struct SphereOnSpheres::Contact {
  Frame frame;
  std::array<Vec6, 3> unit;  // wrenches of a unit friction along t, along o, and of a unit moment
  Vec3 bias;                 // of ẇ in (t, o, r), beside what the accelerations give
  Vec3 direction = Vec3::Zero();
  Eigen::Index first = 0;
};

/// The contacts as rows on (v̇, ω̇) and columns of wrenches: at most n, t, o, r of two of them.
struct SphereOnSpheres::Assembly {
  Eigen::Matrix<double, 6, 8> rows, columns;
  Eigen::Matrix<double, 8, 1> rhs;
  Eigen::Matrix<double, Eigen::Dynamic, 1, 0, 8, 1> lambda;
  Eigen::Index size = 0;
  std::array<Contact, 2> contacts;

  void add(const Vec6& row, const Vec6& column, double value) {
    rows.col(size) = row;
    columns.col(size) = column;
    rhs[size++] = value;
  }
};

void SphereOnSpheres::add_contact(const Motion& y, Mode mode, const Vec3& held, bool frozen,
                                  Contact& contact, Assembly& all) const {
  const Vec3 v = y.segment<3>(3), w = y.tail<3>();
  const Frame& f = contact.frame;
  const double r = data_.radius;
  contact.unit[0] << f.t, -r * f.n.cross(f.t);
  contact.unit[1] << f.o, -r * f.n.cross(f.o);
  contact.unit[2] << Vec3::Zero(), f.n;
  const Vec3 known = r * f.n_rate.cross(w);
  contact.bias = {f.t.dot(known), f.o.dot(known), w.dot(f.n_rate)};
  contact.first = all.size;
  Vec6 normal;
  normal << f.n, Vec3::Zero();
  Vec6 wrench = normal;
  if (mode == Mode::slip) {  // (4)
    const Vec3 slip = scaled_slip(f, y);
    contact.direction = frozen || slip.norm() < at_rest ? held : Vec3(slip.normalized());
    for (int j = 0; j < 3; ++j)
      wrench -= data_.mu * weights()[j] * contact.direction[j] *
                contact.unit[static_cast<std::size_t>(j)];
  }
  all.add(normal, wrench, -v.squaredNorm() / f.rho);  // (2)
  if (mode == Mode::stick)                            // (3)
    for (int j = 0; j < (data_.e_r > 0.0 ? 3 : 2); ++j) {
      const Vec6& unit = contact.unit[static_cast<std::size_t>(j)];
      all.add(unit, unit, -contact.bias[j]);
    }
}

/// (f_t/e_t, f_o/e_t, τ/e_r) of a contact that touches.
Vec3 SphereOnSpheres::scaled_friction(Mode mode, const Assembly& all,
                                      const Contact& contact) const {
  if (mode == Mode::slip) return -data_.mu * all.lambda[contact.first] * contact.direction;
  Vec3 friction = Vec3::Zero();
  friction.head<2>() = all.lambda.segment<2>(contact.first + 1) / data_.e_t;
  if (data_.e_r > 0.0) friction.z() = all.lambda[contact.first + 3] / data_.e_r;
  return friction;
}

SphereOnSpheres::Forces SphereOnSpheres::forces(const Motion& y, const Modes& modes,
                                                const Directions& directions, bool frozen) const {
  Assembly all;
  for (std::size_t c = 0; c < 2; ++c) {
    all.contacts[c].frame = frame(y, static_cast<int>(c));
    if (modes[c] != Mode::separate)
      add_contact(y, modes[c], directions[c], frozen, all.contacts[c], all);
  }
  // (1): rows·a = rhs with a = M⁻¹(F + columns·λ).
  Vec6 inverse_mass, a;
  inverse_mass << Vec3::Constant(1.0 / data_.mass), Vec3::Constant(1.0 / data_.inertia);
  a << data_.force / data_.mass, Vec3::Zero();
  if (all.size > 0) {
    const auto rows = all.rows.leftCols(all.size), columns = all.columns.leftCols(all.size);
    const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, 8, 8> A =
        rows.transpose() * inverse_mass.asDiagonal() * columns;
    all.lambda = A.partialPivLu().solve(all.rhs.head(all.size) - rows.transpose() * a);
    a += inverse_mass.asDiagonal() * (columns * all.lambda);
  }
  Forces out{};
  out.rate << y.segment<3>(3), a;
  for (std::size_t c = 0; c < 2; ++c) {
    Load& load = out.loads[c];
    load.mode = modes[c];
    if (modes[c] == Mode::separate) continue;
    const Contact& contact = all.contacts[c];
    const Vec3 friction = out.friction[c] = scaled_friction(modes[c], all, contact);
    load.normal = all.lambda[contact.first];
    load.friction = data_.e_t * (friction.x() * contact.frame.t + friction.y() * contact.frame.o);
    load.moment = data_.e_r * friction.z();
    load.friction_magnitude = friction.norm();
    load.slip = scaled_slip(contact.frame, y).head<2>().norm() / data_.e_t;
    const Vec3 rate(contact.unit[0].dot(a), contact.unit[1].dot(a), contact.unit[2].dot(a));
    out.slip_rate[c] = weights().cwiseProduct(rate + contact.bias);
  }
  return out;
}

bool SphereOnSpheres::find_directions(const Motion& y, const Modes& modes,
                                      Directions& directions) const {
  directions = {Vec3::Zero(), Vec3::Zero()};
  for (int iteration = 0; iteration < 10000; ++iteration) {
    const Forces f = forces(y, modes, directions);
    double change = 0.0;
    for (std::size_t c = 0; c < 2; ++c) {
      if (modes[c] != Mode::slip) continue;
      if (!(f.slip_rate[c].norm() > 1e-9)) return false;
      const Vec3 next = f.slip_rate[c].normalized();
      change = std::max(change, (next - directions[c]).norm());
      directions[c] = next;
    }
    if (change < 1e-15) return true;
  }
  return false;
}

bool SphereOnSpheres::start_at_rest(const Motion& y, Modes& modes, Directions& directions) const {
  for (const Modes& tried : {Modes{Mode::slip, Mode::stick}, Modes{Mode::stick, Mode::slip},
                             Modes{Mode::slip, Mode::slip}}) {
    if (!find_directions(y, tried, directions)) continue;
    const Forces f = forces(y, tried, directions);
    bool consistent = true;
    for (std::size_t c = 0; c < 2; ++c) {
      const double limit = data_.mu * f.loads[c].normal;
      consistent &= f.loads[c].normal > 0.0 &&
                    (tried[c] == Mode::slip ? f.slip_rate[c].dot(directions[c]) > 0.0
                                            : f.loads[c].friction_magnitude <= limit);
    }
    modes = tried;
    if (consistent) return true;
  }
  return false;
}

Motion SphereOnSpheres::align_new_slip(const Node& from, Motion y) const {
  for (int i = 0; i < 2; ++i) {
    const auto c = static_cast<std::size_t>(i);
    if (from.modes[c] != Mode::slip || scaled_slip(frame(from.y, i), from.y).norm() > at_rest)
      continue;
    const Frame f = frame(y, i);
    const Vec3 slip = scaled_slip(f, y), d = from.directions[c];
    const Vec3 excess = slip - std::abs(slip.dot(d)) * d;
    const Vec3 u = (excess.x() * f.t + excess.y() * f.o) / data_.e_t;
    y.tail<3>() += f.n.cross(u) / data_.radius;
    if (data_.e_r > 0.0) y.tail<3>() -= f.n * excess.z() / data_.e_r;
  }
  return y;
}

bool SphereOnSpheres::step(const Node& from, double h, Motion& y) const {
  const auto rate = [&](const Motion& at) { return forces(at, from.modes, from.directions).rate; };
  // Newton's method starts from a motion whose slip directions are held, so that it knows them
  // also where the slip has yet to grow.
  Eigen::Matrix<double, 9, 3> Y, F, residual;
  for (int i = 0; i < 3; ++i) {
    const double tau = h * radau_times[i];
    const Motion half = from.y + 0.5 * tau * from.rate;
    Y.col(i) = from.y + tau * forces(half, from.modes, from.directions, true).rate;
    Y.col(i) = align_new_slip(from, Y.col(i));
  }
  Eigen::Matrix<double, 27, 27> J;
  for (int iteration = 0; iteration < 30; ++iteration) {
    J.setIdentity();
    for (int j = 0; j < 3; ++j) {
      F.col(j) = rate(Y.col(j));
      for (int column = 0; column < 9; ++column) {
        const double delta = 1e-7 * std::min(1.0, std::max(h, 1e-4));
        Motion moved = Y.col(j);
        moved[column] += delta;
        const Motion derivative = (rate(moved) - F.col(j)) / delta;
        for (int i = 0; i < 3; ++i)
          J.block<9, 1>(9 * i, 9 * j + column) -= h * radau(i, j) * derivative;
      }
    }
    residual = Y.colwise() - from.y - h * F * radau.transpose();
    const Eigen::Matrix<double, 27, 1> d =
        J.partialPivLu().solve(Eigen::Map<const Eigen::Matrix<double, 27, 1>>(residual.data()));
    Y -= Eigen::Map<const Eigen::Matrix<double, 9, 3>>(d.data());
    if (!d.allFinite()) return false;
    if (d.lpNorm<Eigen::Infinity>() < 1e-13) break;
    if (iteration == 29 && d.lpNorm<Eigen::Infinity>() > 1e-11) return false;
  }
  y = Y.col(2);
  return true;
}

double SphereOnSpheres::margin(const Motion& y, const Node& phase) const {
  double least = std::numeric_limits<double>::infinity();
  for (const Load& load : forces(y, phase.modes, phase.directions).loads) {
    if (load.mode == Mode::separate) continue;
    least = std::min(least, load.normal);
    if (load.mode == Mode::stick)
      least = std::min(least, data_.mu * load.normal - load.friction_magnitude);
  }
  return least;
}

/// The step length at which the margin vanishes: regula falsi, Illinois variant.
double SphereOnSpheres::locate(const Node& from, double h) const {
  const auto after = [&](double tau) {
    Motion y;
    return step(from, tau, y) ? margin(y, from) : std::numeric_limits<double>::quiet_NaN();
  };
  double a = 0.0, b = h, fa = margin(from.y, from), fb = after(h);
  for (int iteration = 0; iteration < 100 && b - a > 1e-14; ++iteration) {
    const double c = (a * fb - b * fa) / (fb - fa), fc = after(c);
    if (!std::isfinite(fc) || fc == 0.0) return c;
    if (fc * fb < 0.0) {
      a = b;
      fa = fb;
    } else {
      fa *= 0.5;
    }
    b = c;
    fb = fc;
    if (std::abs(fc) < 1e-13) return c;
  }
  return b;
}

/// (3) holds velocities, up to the integration's error; here they are made exact: ω = n × v/r.
void SphereOnSpheres::remove_drift(Node& node) const {
  for (int i = 0; i < 2; ++i) {
    if (node.modes[static_cast<std::size_t>(i)] != Mode::stick) continue;
    const Frame f = frame(node.y, i);
    const Vec3 v = node.y.segment<3>(3), w = node.y.tail<3>();
    node.y.tail<3>() = f.n.cross(v) / data_.radius;
    if (data_.e_r == 0.0) node.y.tail<3>() += f.n * f.n.dot(w);
  }
}

/// At an event: whatever has used up its margin changes.
void SphereOnSpheres::change_modes(Node& node) {
  const Forces f = forces(node.y, node.modes, node.directions);
  for (int i = 0; i < 2; ++i) {
    const auto c = static_cast<std::size_t>(i);
    const Load& load = f.loads[c];
    if (load.mode == Mode::separate) continue;
    if (load.normal < 1e-10) {
      node.modes[c] = Mode::separate;
    } else if (load.mode == Mode::stick &&
               data_.mu * load.normal - load.friction_magnitude < 1e-10) {
      node.modes[c] = Mode::slip;
      node.directions[c] = -f.friction[c].normalized();
    } else {
      continue;
    }
    changes_.push_back({node.t, i, node.modes[c]});
  }
}

void SphereOnSpheres::integrate(double t_end) {
  double h = first_step;
  while (nodes_.back().t < t_end) {
    const Node from = nodes_.back();
    h = std::min(h, t_end - from.t);
    Node next = from;
    if (!step(from, h, next.y)) {
      if (h < 1e-9) return;
      h *= 0.25;
      continue;
    }
    bool event = margin(next.y, from) < 0.0;
    if (event) {
      h = locate(from, h);
      if (!step(from, h, next.y)) return;
    }
    next.t = from.t + h;
    remove_drift(next);
    for (int i = 0; i < 2; ++i) {
      const auto c = static_cast<std::size_t>(i);
      const Frame before = frame(from.y, i), after = frame(next.y, i);
      if (from.modes[c] == Mode::separate) {
        const double gap = after.rho - data_.supports[c].radius - data_.radius;
        if (gap < -1e-12) return;  // it comes back
      } else if (from.modes[c] == Mode::slip) {
        const Vec3 was = scaled_slip(before, from.y), is = scaled_slip(after, next.y);
        const Vec3 direction = was.norm() > at_rest ? was : from.directions[c];
        if (is.dot(direction) <= 0.0) return;  // the slip stops
        next.directions[c] = is.normalized();
      }
    }
    if (event) change_modes(next);
    next.rate = forces(next.y, next.modes, next.directions).rate;
    nodes_.push_back(next);
    h = event ? first_step : std::min(growth * h, longest_step);
  }
}

double SphereOnSpheres::time_of(int support, Mode mode) const {
  for (const Change& change : changes_)
    if (change.support == support && change.mode == mode) return change.t;
  return std::numeric_limits<double>::quiet_NaN();
}

const SphereOnSpheres::Node& SphereOnSpheres::node_before(double t) const {
  if (!(t >= 0.0 && t <= t_end() + 1e-12))
    throw std::out_of_range("SphereOnSpheres: t outside [0, t_end]");
  const auto after = std::upper_bound(nodes_.begin(), nodes_.end(), t,
                                      [](double at, const Node& node) { return at < node.t; });
  return *std::prev(after);
}

Motion SphereOnSpheres::at(double t) const {
  const Node& a = node_before(t);
  if (&a == &nodes_.back()) return a.y;
  // Cubic Hermite interpolation; rates are continuous over events, since forces are.
  const Node& b = *(&a + 1);
  const double h = b.t - a.t, s = (t - a.t) / h, r = 1.0 - s;
  return r * r * (1.0 + 2.0 * s) * a.y + s * s * (1.0 + 2.0 * r) * b.y +
         h * s * r * (r * a.rate - s * b.rate);
}

SphereOnSpheres::Loads SphereOnSpheres::loads(double t) const {
  const Node& node = node_before(t);
  return forces(at(t), node.modes, node.directions).loads;
}

}  // namespace touchstone

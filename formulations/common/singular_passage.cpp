#include "formulations/common/singular_passage.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace touchstone {

namespace {

constexpr double flat = 0.01;       // κ times the size of the smaller body
constexpr double on_spot = 1e-8;    // likewise, of a contact that cannot be told from a flat one
constexpr double settled = 4e-16;   // relative change of ν that ends the iteration
constexpr double symmetric = 1e-4;  // relative difference of the path speeds at the ends
constexpr int doublings = 15;

}  // namespace

void SingularPassage::begin(const ContactPhase& phase, double t, const Vec& y) {
  y0_ = y;
  start_.state = phase.unpack(t, y);
  start_.configuration.update(world_, start_.state);
  evaluate(phase, start_.state.nu, start_);
}

void SingularPassage::evaluate(const ContactPhase& phase, const Vec& nu, End& end) const {
  end.contacts.clear();
  end.columns.clear();
  end.directions.clear();
  end.rows.clear();
  end.impulses.clear();
  for (const PhaseContact& k : phase.contacts()) {
    const Contact c = follow(end.configuration, k.tracked);
    const ContactColumns w = contact_columns(end.configuration, c);
    const Vec3 d =
        k.sliding ? slip_direction(scaled_slip(world_, w, nu), k.direction, w.count) : Vec3::Zero();
    end.contacts.push_back(c);
    end.columns.push_back(w);
    end.directions.push_back(d);
    end.rows.push_back(w.n);
    end.impulses.push_back(k.sliding ? sliding_column(w, c.law->mu, d) : w.n);
    for (int j = 0; !k.sliding && j < w.count; ++j) {
      end.rows.push_back(w.f[static_cast<std::size_t>(j)]);
      end.impulses.push_back(w.f[static_cast<std::size_t>(j)]);
    }
  }
  end.joints.clear();
  for (int j = 0; j < static_cast<int>(world_.joints().size()); ++j)
    joint_rows(end.configuration, nu, j, end.joints);
  for (const JointRow& row : end.joints) {
    end.rows.push_back(row.column);
    end.impulses.push_back(row.column);
  }
}

/// (1)–(4) by fixed point: columns vary little over so short a step. False when it does not settle.
bool SingularPassage::attempt(const ContactPhase& phase, double h) {
  h_ = h;
  Vec nu = start_.state.nu;
  double last = std::numeric_limits<double>::infinity();
  for (int k = 0; k < 50; ++k) {
    end_.state = {start_.state.t + h, start_.state.q, nu};
    advance_coordinates(world_, 0.5 * (start_.state.nu + nu), h, end_.state.q);
    close_gaps(phase);
    const Vec next = solve_impulses(nu);
    const double change = (next - nu).cwiseAbs().maxCoeff();
    nu = next;
    end_.state.nu = nu;
    const double scale = 1.0 + nu.cwiseAbs().maxCoeff();
    if (!std::isfinite(change)) return false;
    // Gaps are known to round-off, velocities hence to that over h: changes stop falling there.
    if (change <= settled * scale || (change < 1e-10 * scale && change >= last)) return true;
    last = change;
  }
  return false;
}

/// (4), and rows and columns there.
void SingularPassage::close_gaps(const ContactPhase& phase) {
  end_.configuration.update(world_, end_.state);
  evaluate(phase, end_.state.nu, end_);
  const auto n = static_cast<Eigen::Index>(end_.contacts.size() + end_.joints.size());
  std::vector<Column> N;
  Vec gaps(n);
  for (std::size_t i = 0; i < end_.contacts.size(); ++i) {
    gaps[static_cast<Eigen::Index>(N.size())] = end_.contacts[i].gap;
    N.push_back(end_.columns[i].n);
  }
  for (const JointRow& row : end_.joints) {
    gaps[static_cast<Eigen::Index>(N.size())] = row.value;
    N.push_back(row.column);
  }
  Mat A(n, n);
  delassus(end_.configuration, N, N, A);
  const Vec x = A.completeOrthogonalDecomposition().solve(-gaps);
  Vec shift = Vec::Zero(world_.nv());
  for (Eigen::Index i = 0; i < n; ++i)
    apply_impulse(end_.configuration, N[static_cast<std::size_t>(i)], x[i], shift);
  advance_coordinates(world_, shift, 1.0, end_.state.q);
  end_.configuration.update(world_, end_.state);
  evaluate(phase, end_.state.nu, end_);
}

/// ν₁ of (1) and (2), with θ of (3) from the velocities at hand.
Vec SingularPassage::solve_impulses(const Vec& nu) {
  Vec first, second;
  start_.configuration.free_velocity(start_.state.nu, 0.5 * h_, first);
  end_.configuration.free_velocity(nu, 0.5 * h_, second);
  const Vec free = first + second - nu, twice = start_.state.nu + nu;
  const auto n = static_cast<Eigen::Index>(end_.rows.size());
  theta_.setConstant(n, 0.5);
  std::vector<Vec> response(end_.rows.size(), Vec::Zero(world_.nv()));
  for (Eigen::Index j = 0; j < n; ++j) {
    const auto i = static_cast<std::size_t>(j);
    const double u0 = velocity(world_, start_.rows[i], twice),
                 u1 = velocity(world_, end_.rows[i], twice);
    if (std::abs(u0 - u1) > 1e-12 * twice.norm()) theta_[j] = std::clamp(u0 / (u0 - u1), 0.0, 1.0);
    apply_impulse(start_.configuration, start_.impulses[i], 1.0 - theta_[j], response[i]);
    apply_impulse(end_.configuration, end_.impulses[i], theta_[j], response[i]);
  }
  Mat K(n, n);
  Vec right(n);
  for (Eigen::Index i = 0; i < n; ++i) {
    const Column& row = end_.rows[static_cast<std::size_t>(i)];
    right[i] = -velocity(world_, row, free);
    for (Eigen::Index j = 0; j < n; ++j)
      K(i, j) = velocity(world_, row, response[static_cast<std::size_t>(j)]);
  }
  p_ = K.completeOrthogonalDecomposition().solve(right);
  Vec next = free;
  for (Eigen::Index j = 0; j < n; ++j) next += p_[j] * response[static_cast<std::size_t>(j)];
  return next;
}

/// How fast the contact point runs over body A [m/s]; infinite on a flat spot.
double SingularPassage::path_speed(const ContactPhase& phase, const End& end,
                                   std::size_t contact) const {
  const Contact& c = end.contacts[contact];
  try {
    const Vec3 p_dot =
        contact_rates(end.configuration, phase.contacts()[contact].tracked, c, end.state.nu).p_dot;
    const Twist A = twist(world_, end.state.nu, c.a);
    return (p_dot - A.v - A.w.cross(c.point - end.configuration.pose(c.a).x)).norm();
  } catch (const ConformingContact&) {
    return std::numeric_limits<double>::infinity();
  }
}

/// The contact whose point is fastest in units of the smaller body's turning, if that is fast.
bool SingularPassage::find_contact(const ContactPhase& phase) {
  double fastest = 1.0 / flat;
  bool found = false;
  for (std::size_t i = 0; i < start_.contacts.size(); ++i) {
    const Contact& c = start_.contacts[i];
    const Vec3 turning =
        twist(world_, start_.state.nu, c.a).w - twist(world_, start_.state.nu, c.b).w;
    const double size =
        std::min(world_.body(c.a).shape->radius(), world_.body(c.b).shape->radius());
    const double speed = path_speed(phase, start_, i) / std::max(size * turning.norm(), 1e-300);
    if (speed < fastest) continue;
    fastest = speed;
    contact_ = i;
    found = true;
  }
  return found;
}

bool SingularPassage::cross(ContactPhase& phase, double t, const Vec& y, double first) {
  begin(phase, t, y);
  if (!find_contact(phase)) return false;
  const double speed = path_speed(phase, start_, contact_);
  // 0 at the start, −1 on the flat spot, positive once the point is slower than it was.
  const auto slower = [&](double h) {
    return attempt(phase, h) ? speed / path_speed(phase, end_, contact_) - 1.0
                             : std::numeric_limits<double>::quiet_NaN();
  };
  double low = first, at_low = slower(low);
  if (!(at_low < 0.0)) return false;
  double high = low, at_high = at_low;
  for (int k = 0; k < doublings && at_high < 0.0; ++k) {
    low = high, at_low = at_high;
    at_high = slower(high *= 2.0);
  }
  if (!(at_high >= 0.0)) return false;
  while (at_high > symmetric && high - low > symmetric * high) {
    const double middle = 0.5 * (low + high), here = slower(middle);
    if (std::isnan(here)) return false;
    if (here < 0.0)
      low = middle;
    else
      high = middle, at_high = here;
  }
  if (!attempt(phase, high)) return false;
  finish(phase);
  return true;
}

/// Whether a slow turn would send the contact point off without bound.
bool SingularPassage::on_flat_spot(const ContactPhase& phase, std::size_t contact) const {
  const Contact& c = start_.contacts[contact];
  const double size = std::min(world_.body(c.a).shape->radius(), world_.body(c.b).shape->radius());
  End probe = start_;
  for (const Vec3& axis :
       world_.dim() == 2 ? std::vector<Vec3>{Vec3::UnitZ()} : std::vector<Vec3>{c.t, c.o}) {
    probe.state.nu.setZero();
    const Column turn = wrench_column(world_, start_.configuration, c, Vec3::Zero(), axis);
    for (const auto& [body, w] : {std::pair{turn.a, turn.on_a}, std::pair{turn.b, turn.on_b}})
      if (body >= 0)
        probe.state.nu.segment(world_.velocity_offset(body), world_.dof()) = w.head(world_.dof());
    if (path_speed(phase, probe, contact) > size / on_spot) return true;
  }
  return false;
}

bool SingularPassage::leave(ContactPhase& phase, double t, const Vec& y, double first) {
  begin(phase, t, y);
  bool flat_start = false;
  for (std::size_t i = 0; i < start_.contacts.size() && !flat_start; ++i)
    flat_start = on_flat_spot(phase, i);
  if (!flat_start) return false;
  double h = first, fastest = std::numeric_limits<double>::infinity();
  for (int k = 0; k < doublings && !std::isfinite(fastest); ++k, h *= 2.0) {
    if (!attempt(phase, h)) return false;
    fastest = 0.0;
    for (std::size_t i = 0; i < end_.contacts.size(); ++i)
      if (const double speed = path_speed(phase, end_, i); speed > fastest)
        fastest = speed, contact_ = i;
  }
  if (!std::isfinite(fastest) || fastest == 0.0) return false;
  Eigen::Index row = 0;
  for (std::size_t i = 0; i < end_.contacts.size(); ++i) {
    if (p_[row] < 0.0) return false;
    row += phase.contacts()[i].sliding ? 1 : 1 + end_.columns[i].count;
  }
  finish(phase);
  return true;
}

/// y₁ with the impulses and works of the step (contact_phase.hpp).
void SingularPassage::finish(ContactPhase& phase) {
  const Vec mean = 0.5 * (start_.state.nu + end_.state.nu);
  y1_ = y0_;
  y1_.head(phase.motion()) << end_.state.q, end_.state.nu;
  Eigen::Index row = 0, at = phase.motion();
  double normal = 0.0, friction = 0.0, applied = 0.0;
  const auto power = [&](const std::vector<Column>& w0, const std::vector<Column>& w1) {
    const auto i = static_cast<std::size_t>(row);
    return (1.0 - theta_[row]) * velocity(world_, w0[i], mean) +
           theta_[row] * velocity(world_, w1[i], mean);
  };
  for (std::size_t i = 0; i < end_.contacts.size(); ++i) {
    const ContactColumns& w = end_.columns[i];
    const double p = p_[row], along = p * power(start_.rows, end_.rows);
    y1_[at] += p;
    normal += along;
    friction += p * power(start_.impulses, end_.impulses) - along;
    const Vec3 d = (1.0 - theta_[row]) * start_.directions[i] + theta_[row] * end_.directions[i];
    const bool sliding = phase.contacts()[i].sliding;
    ++row;
    for (int j = 0; j < w.count; ++j) {
      const auto k = static_cast<std::size_t>(j);
      const double f = sliding ? -end_.contacts[i].law->mu * p * d[j] : p_[row];
      y1_[at + 1 + w.axis[k]] += w.scale[k] * f;
      if (sliding) continue;
      friction += f * power(start_.rows, end_.rows);
      ++row;
    }
    at += 4;
  }
  for (const int i : world_.moving()) {
    const Twist motion = twist(world_, mean, i);
    const Wrench& load = world_.body(i).applied;
    applied += h_ * (load.force.dot(motion.v) + load.torque.dot(motion.w));
  }
  y1_.segment<3>(at) += Vec3(normal, friction, applied);
  error_.setZero(y0_.size());
  phase.derivative(start_.state.t + h_, y1_, f1_);
}

}  // namespace touchstone

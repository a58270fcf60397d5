#include "formulations/common/contact_phase.hpp"

#include <algorithm>
#include <cmath>

namespace touchstone {

namespace {

constexpr double no_slip = 1e-13;     // [m/s] below this a slip has no direction of its own
constexpr double least_slip = 1e-10;  // [m/s] of a guess
constexpr Eigen::Index per_contact = 4;
constexpr Eigen::Index works = 4;

/// M⁻¹w of one column, to be paired with others.
Column weighted(const Configuration& configuration, const Column& w) {
  Column m = w;
  if (w.a >= 0) m.on_a = configuration.inverse_mass(w.a) * w.on_a;
  if (w.b >= 0) m.on_b = configuration.inverse_mass(w.b) * w.on_b;
  return m;
}

double paired(const Column& w, const Column& m) {
  double sum = 0.0;
  if (w.a >= 0 && w.a == m.a) sum += w.on_a.dot(m.on_a);
  if (w.a >= 0 && w.a == m.b) sum += w.on_a.dot(m.on_b);
  if (w.b >= 0 && w.b == m.a) sum += w.on_b.dot(m.on_a);
  if (w.b >= 0 && w.b == m.b) sum += w.on_b.dot(m.on_b);
  return sum;
}

void add_weighted(const World& world, const Column& m, double p, Vec& nu) {
  const int dof = world.dof();
  if (m.a >= 0) nu.segment(world.velocity_offset(m.a), dof) += p * m.on_a.head(dof);
  if (m.b >= 0) nu.segment(world.velocity_offset(m.b), dof) += p * m.on_b.head(dof);
}

}  // namespace

void ContactPhase::begin(std::vector<PhaseContact> contacts) {
  contacts_ = std::move(contacts);
  rows_.resize(contacts_.size());
  fresh_ = true;
}

Eigen::Index ContactPhase::motion() const { return world_.nq() + world_.nv(); }

Eigen::Index ContactPhase::size() const {
  return motion() + per_contact * static_cast<Eigen::Index>(contacts_.size()) + works;
}

Vec ContactPhase::pack(const State& state) const {
  Vec y = Vec::Zero(size());
  y << state.q, state.nu, Vec::Zero(size() - motion());
  return y;
}

State ContactPhase::unpack(double t, const Vec& y) const {
  State state{t, y.head(world_.nq()), y.segment(world_.nq(), world_.nv())};
  if (world_.dim() == 3)
    for (const int i : world_.moving())
      state.q.segment<4>(world_.coordinate_offset(i) + 3).normalize();
  return state;
}

void ContactPhase::derivative(double t, const Vec& y, Vec& dy) {
  ++evaluations_;
  state_ = unpack(t, y);
  configuration_.update(world_, state_);
  const Vec& nu = state_.nu;
  configuration_.external_forces(nu, force_);
  free_.resize(world_.nv());
  const int dof = world_.dof();
  for (const int i : world_.moving()) {
    const int at = world_.velocity_offset(i);
    Vec6 f = Vec6::Zero();
    f.head(dof) = force_.segment(at, dof);
    free_.segment(at, dof) = (configuration_.inverse_mass(i) * f).head(dof);
  }
  evaluate(nu);
  solve_forces(nu);

  dy.resize(size());
  leading_derivative(y, dy.head(world_.nq()));
  dy.segment(world_.nq(), world_.nv()) = free_;
  record_rates(nu, dy);
}

void ContactPhase::leading_derivative(const Vec& y, Eigen::Ref<Vec> dy) const {
  const auto nu = y.segment(world_.nq(), world_.nv());
  if (world_.dim() == 2) {
    dy = nu;
    return;
  }
  for (const int i : world_.moving()) {
    const int at = world_.coordinate_offset(i), vel = world_.velocity_offset(i);
    dy.segment<3>(at) = nu.segment<3>(vel);
    const Eigen::Quaterniond q(y[at + 3], y[at + 4], y[at + 5], y[at + 6]);
    dy.segment<4>(at + 3) = quaternion_rate(q) * nu.segment<3>(vel + 3);
  }
}

void ContactPhase::settle(Vec& y) {
  if (friction_.creeps()) return;
  State state = unpack(0.0, y);
  configuration_.update(world_, state);
  evaluate(state.nu);
  const std::vector<PhaseContact> kept = contacts_;
  bool any = false;
  for (std::size_t i = 0; i < contacts_.size(); ++i) {
    PhaseContact& c = contacts_[i];
    const Vec3& slip = rows_[i].slip;
    const double along = slip.dot(c.direction);
    if (!c.sliding || rows_[i].columns.count < 2 || along > 0.99 * slip.norm()) continue;
    c.sliding = false;
    c.seed = std::max(along, least_slip) * c.direction;
    any = true;
  }
  if (any) {
    project(state);
    y.head(motion()) << state.q, state.nu;
  }
  contacts_ = kept;
}

void ContactPhase::evaluate(const Vec& nu) {
  for (std::size_t i = 0; i < contacts_.size(); ++i) {
    PhaseRow& row = rows_[i];
    row.contact = follow(configuration_, contacts_[i].tracked);
    row.rates = contact_rates(configuration_, contacts_[i].tracked, row.contact, nu);
    row.columns = contact_columns(configuration_, row.contact);
    row.slip = scaled_slip(world_, row.columns, nu);
    row.direction = contacts_[i].sliding
                        ? friction_.direction(row.slip, contacts_[i].direction, row.columns.count)
                        : Vec3::Zero();
  }
  evaluate_joints(nu);
}

double ContactPhase::bearing(std::size_t i) const {
  return friction_.bearing(rows_[i].n, contacts_[i].lagged);
}

/// Rows: ψ̈ and, where it sticks, û̇; then Θ̈. Columns: the wrench of each unknown, already times M⁻¹.
void ContactPhase::solve_forces(const Vec& nu) {
  if (friction_.lags())  // sliding friction is a load
    for (std::size_t i = 0; i < rows_.size(); ++i)
      for (int k = 0; contacts_[i].sliding && k < rows_[i].columns.count; ++k)
        apply_impulse(configuration_, rows_[i].columns.f[static_cast<std::size_t>(k)],
                      -rows_[i].contact.law->mu * contacts_[i].lagged * rows_[i].direction[k],
                      free_);
  lhs_.clear();
  rhs_.clear();
  right_.resize(static_cast<Eigen::Index>(4 * rows_.size() + independent_.size()));
  forces_.setZero(right_.size());
  Eigen::Index n = 0;
  const auto add = [&](const Column& row, const Column& column, double bias, double last) {
    lhs_.push_back(row);
    rhs_.push_back(weighted(configuration_, column));
    right_[n] = -(velocity(world_, row, free_) + bias);
    forces_[n++] = last;
  };
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const PhaseRow& r = rows_[i];
    const double bias = r.contact.n.dot(r.rates.c) + r.rates.n_dot.dot(r.rates.s);
    const double mu = r.contact.law->mu;
    const bool follows = contacts_[i].sliding && !friction_.lags();  // friction follows r_n
    add(r.columns.n, follows ? sliding_column(r.columns, mu, r.direction) : r.columns.n, bias,
        contacts_[i].n);
    if (contacts_[i].sliding) continue;
    const Vec3 turning = twist(world_, nu, r.contact.a).w - twist(world_, nu, r.contact.b).w;
    for (int k = 0; k < r.columns.count; ++k) {
      const auto j = static_cast<std::size_t>(k);
      const double rate = r.columns.axis[j] == 0   ? r.contact.t.dot(r.rates.c)
                          : r.columns.axis[j] == 1 ? r.contact.o.dot(r.rates.c)
                                                   : r.rates.n_dot.dot(turning);
      add(r.columns.f[j], r.columns.f[j], r.columns.scale[j] * rate, contacts_[i].f[k]);
    }
  }
  for (const int k : independent_) {
    const JointRow& row = joints_[static_cast<std::size_t>(k)];
    add(row.column, row.column, row.bias, 0.0);
  }
  K_.resize(n, n);
  for (Eigen::Index i = 0; i < n; ++i)
    for (Eigen::Index j = 0; j < n; ++j)
      K_(i, j) = paired(lhs_[static_cast<std::size_t>(i)], rhs_[static_cast<std::size_t>(j)]);
  right_.conservativeResize(n);
  forces_.conservativeResize(n);
  if (n == 0) return;
  if (fresh_) {  // whether contacts are redundant is a property of the set, asked once
    redundant_ = Eigen::FullPivLU<Mat>(K_).setThreshold(singular).rank() < n;
    fresh_ = false;
  }
  if (redundant_) {
    solve_redundant();
  } else {
    lu_.compute(K_);
    forces_ = lu_.solve(right_);
  }
  for (Eigen::Index j = 0; j < n; ++j)
    add_weighted(world_, rhs_[static_cast<std::size_t>(j)], forces_[j], free_);
  Eigen::Index at = 0;
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    PhaseRow& r = rows_[i];
    r.n = forces_[at++];
    r.f.setZero();
    if (contacts_[i].sliding)
      r.f = -r.contact.law->mu * bearing(i) * r.direction;
    else
      for (int k = 0; k < r.columns.count; ++k) r.f[k] = forces_[at++];
  }
  joint_forces_.setZero(static_cast<Eigen::Index>(joints_.size()));
  for (const int k : independent_) joint_forces_[k] = forces_[at++];
}

/// μ·bearing over the slip: how fast friction turns with it [N s/m].
double ContactPhase::friction_rate(const PhaseRow& row, double bearing) const {
  const double slip = std::max(row.slip.norm(), friction_.creeps() ? friction_.creep : 1e-300);
  return row.contact.law->mu * bearing / slip;
}

double ContactPhase::stiffness() const {
  double largest = 0.0, sum = 0.0;
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const PhaseRow& r = rows_[i];
    if (!contacts_[i].sliding || r.columns.count < (friction_.creeps() ? 1 : 2)) continue;
    double mobility = 0.0;
    for (int k = 0; k < r.columns.count; ++k) {
      const Column& f = r.columns.f[static_cast<std::size_t>(k)];
      mobility = std::max(mobility, delassus(configuration_, f, f));
    }
    const double rate = friction_rate(r, std::abs(bearing(i))) * mobility;
    largest = std::max(largest, rate);
    sum += rate;
  }
  return friction_.creeps() ? sum : largest;
}

void ContactPhase::stiff_jacobian(Mat& J) const {
  const Eigen::Index nv = world_.nv();
  J.setZero(nv, nv);
  Mat C(nv, static_cast<Eigen::Index>(rhs_.size()));  // M⁻¹ times the columns
  C.setZero();
  Mat R = C;
  const auto write = [&](const Column& w, auto column) {
    const int dof = world_.dof();
    if (w.a >= 0) column.segment(world_.velocity_offset(w.a), dof) += w.on_a.head(dof);
    if (w.b >= 0) column.segment(world_.velocity_offset(w.b), dof) += w.on_b.head(dof);
  };
  bool any = false;
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const PhaseRow& r = rows_[i];
    const double size = r.slip.norm();
    const bool creeps = friction_.creeps() && size < friction_.creep;
    if (!contacts_[i].sliding || (!creeps && (r.columns.count < 2 || size < no_slip))) continue;
    Mat F = Mat::Zero(nv, r.columns.count), MF = F;
    for (int k = 0; k < r.columns.count; ++k) {
      const Column& f = r.columns.f[static_cast<std::size_t>(k)];
      write(f, F.col(k));
      write(weighted(configuration_, f), MF.col(k));
    }
    const Vec d = creeps ? Vec::Zero(r.columns.count) : Vec(r.direction.head(r.columns.count));
    const double sign = r.slip.dot(r.direction) < 0.0 ? -1.0 : 1.0;
    J -= sign * friction_rate(r, bearing(i)) *
         (MF * (F.transpose() - d * (d.transpose() * F.transpose())));
    any = true;
  }
  if (!any) return;
  for (std::size_t j = 0; j < rhs_.size(); ++j) {
    write(rhs_[j], C.col(static_cast<Eigen::Index>(j)));
    write(lhs_[j], R.col(static_cast<Eigen::Index>(j)));
  }
  // The normal forces answer so that the contacts hold.
  J -= C * (redundant_ ? Mat(K_.completeOrthogonalDecomposition().solve(R.transpose() * J))
                       : Mat(lu_.solve(R.transpose() * J)));
}

void ContactPhase::record_rates(const Vec& nu, Vec& dy) const {
  Eigen::Index at = motion();
  double normal = 0.0, friction = 0.0, applied = 0.0;
  for (const PhaseRow& r : rows_) {
    dy.segment<per_contact>(at).setZero();
    dy[at] = r.n;
    for (int k = 0; k < r.columns.count; ++k) {
      const auto j = static_cast<std::size_t>(k);
      dy[at + 1 + r.columns.axis[j]] = r.columns.scale[j] * r.f[k];
    }
    at += per_contact;
    normal += r.n * r.contact.n.dot(r.rates.s);
    friction += r.f.dot(r.slip);
  }
  for (const int i : world_.moving()) {
    const Twist motion = twist(world_, nu, i);
    const Wrench& load = world_.body(i).applied;
    applied += load.force.dot(motion.v) + load.torque.dot(motion.w);
  }
  double tied = 0.0;
  for (const int k : independent_)
    tied += joint_forces_[k] * velocity(world_, joints_[static_cast<std::size_t>(k)].column, nu);
  dy.segment<works>(at) << normal, friction, applied, tied;
}

void ContactPhase::accept() {
  if (independent_.size() < joints_.size()) choose_joint_rows();
  for (std::size_t i = 0; i < contacts_.size(); ++i) {
    contacts_[i].n = rows_[i].n;
    contacts_[i].f = rows_[i].f;
    if (contacts_[i].sliding) contacts_[i].direction = rows_[i].direction;
  }
}

void ContactPhase::advance_lag() {
  for (std::size_t i = 0; i < contacts_.size(); ++i)
    contacts_[i].lagged = std::max(0.0, rows_[i].n);
}

double ContactPhase::project(State& state) {
  if (contacts_.empty() && world_.joints().empty()) return 0.0;
  double worst = 0.0;
  configuration_.update(world_, state);
  evaluate(state.nu);
  std::vector<Column> N;
  Vec gaps(static_cast<Eigen::Index>(rows_.size() + independent_.size()));
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    N.push_back(rows_[i].columns.n);
    gaps[static_cast<Eigen::Index>(i)] = rows_[i].contact.gap;
    worst = std::max({worst, std::abs(rows_[i].contact.gap),
                      std::abs(rows_[i].contact.n.dot(rows_[i].rates.s))});
    if (!contacts_[i].sliding)
      worst = std::max(worst, (rows_[i].slip - contacts_[i].seed).cwiseAbs().maxCoeff());
  }
  for (const JointRow& row : joints_)
    worst =
        std::max({worst, std::abs(row.value), std::abs(velocity(world_, row.column, state.nu))});
  for (const int k : independent_) {
    const JointRow& row = joints_[static_cast<std::size_t>(k)];
    gaps[static_cast<Eigen::Index>(N.size())] = row.value;
    N.push_back(row.column);
  }
  if (worst == 0.0) return 0.0;
  const auto n = static_cast<Eigen::Index>(N.size());
  Mat A(n, n);
  delassus(configuration_, N, N, A);
  const Vec x = A.completeOrthogonalDecomposition().solve(-gaps);
  Vec shift = Vec::Zero(world_.nv());
  for (std::size_t i = 0; i < N.size(); ++i)
    apply_impulse(configuration_, N[i], x[static_cast<Eigen::Index>(i)], shift);
  advance_coordinates(world_, shift, 1.0, state.q);
  configuration_.update(world_, state);
  evaluate(state.nu);
  project_velocities(state);
  return worst;
}

void ContactPhase::project_velocities(State& state) {
  std::vector<Column> R;
  std::vector<double> wanted;
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    R.push_back(rows_[i].columns.n);
    wanted.push_back(0.0);
    if (contacts_[i].sliding) continue;
    for (int k = 0; k < rows_[i].columns.count; ++k) {
      R.push_back(rows_[i].columns.f[static_cast<std::size_t>(k)]);
      wanted.push_back(contacts_[i].seed[k]);
    }
  }
  for (const int k : independent_) {
    R.push_back(joints_[static_cast<std::size_t>(k)].column);
    wanted.push_back(0.0);
  }
  const auto n = static_cast<Eigen::Index>(R.size());
  Mat A(n, n);
  delassus(configuration_, R, R, A);
  Vec u(n);
  for (Eigen::Index i = 0; i < n; ++i)
    u[i] = velocity(world_, R[static_cast<std::size_t>(i)], state.nu) -
           wanted[static_cast<std::size_t>(i)];
  const Vec p = A.completeOrthogonalDecomposition().solve(-u);
  for (std::size_t i = 0; i < R.size(); ++i)
    apply_impulse(configuration_, R[i], p[static_cast<Eigen::Index>(i)], state.nu);
}

}  // namespace touchstone

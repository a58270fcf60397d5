#include "formulations/common/implicit_step.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>

#include "formulations/common/implicit_scatter.hpp"
#include "formulations/common/rotation.hpp"

namespace touchstone {

namespace {

constexpr double inf = std::numeric_limits<double>::infinity();

}  // namespace

// ---- Set-up

void ImplicitStep::begin(const World& world, const Configuration& start, const Vec& nu_free,
                         std::span<const Contact> contacts, std::span<const int> bodies, double h) {
  world_ = &world;
  dim_ = world.dim();
  dof_ = world.dof();
  h_ = h;
  friction_ = 1.0;
  widening_ = 0.0;
  moved_.resize(0);
  bodies_.assign(bodies.begin(), bodies.end());
  starts_ = start.poses();
  ranks_.assign(world.bodies().size(), -1);
  mass_.resize(bodies_.size());
  nu_free_.assign(bodies_.size(), Vec6::Zero());
  ends_.resize(bodies_.size());
  fixed_.resize(world.bodies().size());
  for (std::size_t i = 0; i < fixed_.size(); ++i)
    if (world.body(static_cast<int>(i)).fixed) fixed_[i].pose = starts_[i];
  for (std::size_t k = 0; k < bodies_.size(); ++k) {
    const int body = bodies_[k];
    ranks_[static_cast<std::size_t>(body)] = static_cast<int>(k);
    mass_[k] = start.mass(body);
    nu_free_[k].head(dof_) = nu_free.segment(world.velocity_offset(body), dof_);
  }

  size_ = nu_size();
  places_.resize(contacts.size());
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    Place& place = places_[i];
    place.start = contacts[i];
    place.a = rank(contacts[i].a);
    place.b = rank(contacts[i].b);
    place.axis = tangent_axis(contacts[i].n);
    place.first = size_;
    const FrictionLaw& law = *contacts[i].law;
    const double weights[] = {law.e_t, dim_ == 3 ? law.e_o : 0.0, dim_ == 3 ? law.e_r : 0.0};
    place.n_friction = 0;
    for (int k = 0; k < 3; ++k)
      if (law.mu > 0.0 && weights[k] > 0.0) {
        const auto f = static_cast<std::size_t>(place.n_friction++);
        place.component[f] = k;
        place.weight[f] = weights[k];
      }
    const auto inverse_mass = [&](const Vec3& force, const Vec3& moment) {
      const Column w = wrench_column(world, start, contacts[i], force, moment);
      return delassus(start, w, w);
    };
    const Contact& c = contacts[i];
    place.A_n = inverse_mass(c.n, Vec3::Zero());
    for (int f = 0; f < place.n_friction; ++f) {
      const auto k = static_cast<std::size_t>(f);
      place.A_f[k] = place.component[k] == 0   ? inverse_mass(c.t, Vec3::Zero())
                     : place.component[k] == 1 ? inverse_mass(c.o, Vec3::Zero())
                                               : inverse_mass(Vec3::Zero(), c.n);
    }
    place.n_y = geometric_unknowns(i, place);
    if (place.n_y > max_geometric) throw std::logic_error("too many geometric unknowns");
    size_ += place.size();
  }
}

int ImplicitStep::rank(int body) const { return ranks_[static_cast<std::size_t>(body)]; }

const Pose& ImplicitStep::start_pose(int body) const {
  return starts_[static_cast<std::size_t>(body)];
}

const BodyEnd& ImplicitStep::end(int rank, int body) const {
  return rank >= 0 ? ends_[static_cast<std::size_t>(rank)] : fixed_[static_cast<std::size_t>(body)];
}

void ImplicitStep::move_bodies(const Vec& z) const {
  if (moved_.size() == nu_size() && moved_ == z.head(nu_size())) return;
  moved_ = z.head(nu_size());
  for (std::size_t k = 0; k < bodies_.size(); ++k) {
    const auto nu = z.segment(static_cast<Eigen::Index>(k) * dof_, dof_);
    const Pose& start = starts_[static_cast<std::size_t>(bodies_[k])];
    BodyEnd& end = ends_[k];
    if (dim_ == 2) {
      end.twist = {{nu[0], nu[1], 0.0}, {0.0, 0.0, nu[2]}};
    } else {
      end.twist = {nu.head<3>(), nu.segment<3>(3)};
      end.turn = left_jacobian(h_ * end.twist.w);
    }
    end.pose = {start.x + h_ * end.twist.v, rotation(h_ * end.twist.w) * start.R};
  }
}

void ImplicitStep::fill(Mcp& mcp) const {
  mcp.l.setConstant(size_, -inf);
  mcp.u.setConstant(size_, inf);
  mcp.scale.z.setOnes(size_);
  mcp.scale.F.setOnes(size_);
  for (std::size_t k = 0; k < bodies_.size(); ++k)
    for (int j = 0; j < dof_; ++j)
      mcp.scale.F[static_cast<Eigen::Index>(k) * dof_ + j] = 1.0 / mass_[k](j, j);
  for (std::size_t i = 0; i < places_.size(); ++i) {
    const Place& place = places_[i];
    bounds(i, place, mcp.l.data() + place.first);
    mcp.scale.z.segment(place.first, place.n_y).setConstant(1.0 / h_);
    mcp.scale.F.segment(place.first, place.n_y).setConstant(1.0 / h_);
    mcp.l[place.p_n()] = 0.0;
    mcp.scale.z[place.p_n()] = place.A_n;
    mcp.scale.F[place.p_n()] = 1.0 / (h_ * gap_scale(i, place));
    // Friction rows are impulse times speed: the impulse becomes a speed, the speed is per 1 m/s.
    for (int k = 0; k < place.n_friction; ++k) {
      mcp.scale.z[place.p_f(k)] = place.A_f[static_cast<std::size_t>(k)];
      mcp.scale.F[place.p_f(k)] = place.A_n;
    }
    if (place.n_friction == 0) continue;
    mcp.l[place.sigma()] = 0.0;
    mcp.scale.F[place.sigma()] = place.A_n * place.A_n;
  }
}

// ---- Equations

Vec6 ImplicitStep::momentum_row(std::size_t k, const Vec& z) const {
  Vec6 change = -nu_free_[k];
  change.head(dof_) += z.segment(static_cast<Eigen::Index>(k) * dof_, dof_);
  return -(mass_[k] * change);
}

double ImplicitStep::momentum_scale() const {
  double largest = 0.0;
  for (std::size_t k = 0; k < bodies_.size(); ++k)
    largest = std::max(largest, (mass_[k] * nu_free_[k]).lpNorm<Eigen::Infinity>());
  return largest;
}

void ImplicitStep::evaluate(const Vec& z, Vec& F) const {
  move_bodies(z);
  F.resize(size_);
  for (std::size_t k = 0; k < bodies_.size(); ++k) {
    F.segment(static_cast<Eigen::Index>(k) * dof_, dof_) = momentum_row(k, z).head(dof_);
  }
  ContactRows local;
  for (const Place& place : places_) {
    contact_rows(place, z, Form::paper, false, local);
    if (place.a >= 0)
      F.segment(place.a * dof_, dof_) += pack(dim_, local.force, local.torque_a).head(dof_);
    if (place.b >= 0)
      F.segment(place.b * dof_, dof_) -= pack(dim_, local.force, local.torque_b).head(dof_);
    F.segment(place.first, place.size()) = local.rows;
  }
}

void ImplicitStep::jacobian(const Vec& z, SpMat& J) const {
  differentiate(z, J, Form::paper, nullptr);
}

void ImplicitStep::projected(const Vec& z, Vec& F, SpMat& J) const {
  differentiate(z, J, Form::projected, &F);
}

double ImplicitStep::friction_used(const Place& place, const Vec& z) const {
  double squares = 0.0;
  for (int k = 0; k < place.n_friction; ++k)
    squares += std::pow(z[place.p_f(k)] / place.weight[static_cast<std::size_t>(k)], 2);
  return std::sqrt(squares);
}

double ImplicitStep::friction_excess(const Vec& z) const {
  double worst = 0.0;
  for (const Place& place : places_)
    worst = std::max(worst, friction_used(place, z) -
                                friction_ * place.start.law->mu * std::max(0.0, z[place.p_n()]));
  return worst;
}

void ImplicitStep::set_slips(Vec& z) const {
  move_bodies(z);
  ContactRows local;
  for (const Place& place : places_) {
    if (place.n_friction == 0) continue;
    z[place.sigma()] = 0.0;
    const double mu = friction_ * place.start.law->mu, p_n = z[place.p_n()];
    if (p_n > 0.0 && friction_used(place, z) < mu * p_n * (1.0 - 5e-13)) continue;  // sticks
    const BodyEnd &a = end(place.a, place.start.a), &b = end(place.b, place.start.b);
    const auto i = static_cast<std::size_t>(&place - places_.data());
    ContactGeometry& g = local.geometry;
    geometry(i, place, a, b, z.data() + place.first, false, g);
    const Vec3 u = a.twist.v + a.twist.w.cross(g.point - a.pose.x) - b.twist.v -
                   b.twist.w.cross(g.point - b.pose.x);
    const double speeds[] = {g.t.dot(u), g.o.dot(u), g.n.dot(a.twist.w - b.twist.w)};
    double squares = 0.0;
    for (int k = 0; k < place.n_friction; ++k) {
      const auto f = static_cast<std::size_t>(k);
      squares += std::pow(place.weight[f] * speeds[place.component[f]], 2);
    }
    z[place.sigma()] = std::sqrt(squares);
  }
}

void ImplicitStep::widen_gaps(const Vec& z) {
  move_bodies(z);
  ContactGeometry g;
  for (std::size_t i = 0; i < places_.size(); ++i) {
    Place& place = places_[i];
    geometry(i, place, end(place.a, place.start.a), end(place.b, place.start.b),
             z.data() + place.first, false, g);
    place.widened = std::max(0.0, -g.gap);
  }
}

Contact ImplicitStep::contact_at(const Vec& z, std::size_t i) const {
  move_bodies(z);
  const Place& place = places_[i];
  const BodyEnd &a = end(place.a, place.start.a), &b = end(place.b, place.start.b);
  ContactGeometry g;
  geometry(i, place, a, b, z.data() + place.first, false, g);
  Contact contact = place.start;
  contact.point = g.point;
  contact.n = g.n;
  contact.t = g.t;
  contact.o = g.o;
  contact.gap = g.distance;
  return contact;
}

// ---- Jacobian

void ImplicitStep::differentiate(const Vec& z, SpMat& J, Form form, Vec* F) const {
  std::vector<BlockPattern::Contact>& shape = shape_;
  shape.clear();
  for (const Place& place : places_) shape.push_back({place.a, place.b, place.size()});
  pattern_.build(static_cast<int>(bodies_.size()), dof_, shape);
  double* values = pattern_.clear(J);

  move_bodies(z);
  if (F) F->resize(size_);
  for (std::size_t k = 0; k < bodies_.size(); ++k) {
    const int first = static_cast<int>(k) * dof_;
    for (int j = 0; j < dof_; ++j)
      for (int i = 0; i < dof_; ++i)
        values[pattern_.column(first + j) + pattern_.self_run(k) + i] -= mass_[k](i, j);
    if (F) F->segment(first, dof_) = momentum_row(k, z).head(dof_);
  }

  ContactRows local;
  for (std::size_t i = 0; i < places_.size(); ++i) {
    const Place& place = places_[i];
    contact_rows(place, z, form, true, local);
    const SparseWriter writer{pattern_, values, i};
    scatter(place, local, place.first, place.n_y + 1, writer);
    if (!F) continue;
    if (place.a >= 0)
      F->segment(place.a * dof_, dof_) += pack(dim_, local.force, local.torque_a).head(dof_);
    if (place.b >= 0)
      F->segment(place.b * dof_, dof_) -= pack(dim_, local.force, local.torque_b).head(dof_);
    F->segment(place.first, place.size()) = local.rows;
  }
}

}  // namespace touchstone

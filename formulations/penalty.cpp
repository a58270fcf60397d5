/// penalty: a damped spring in every penetrating contact, regularised Coulomb friction, explicit
/// sub-steps or implicit steps.
///
/// D. Baraff, thesis (1992), chapters 2 and 7; the baseline that the complementarity methods
/// replace.
///
///     λ_n = max(0, −k ψ − c u_n)               while ψ < 0                          (a)
///     (λ_t, λ_o, λ_r) = −μ λ_n E² u / max(‖E u‖, ε),   E = diag(e_t, e_o, e_r)      (b)
///     M ν̇ = W_n λ_n + W_t λ_t + W_o λ_o + W_r λ_r + λ_app + λ_vp                    (c)
///
/// Unknowns: none to solve for; forces follow from the state. u are the contact's velocities, ψ its
/// gap. (c) is integrated by semi-implicit Euler with sub-steps of length at most `resolution` ·
/// √(m/k). (b) is the law of maximum dissipation over the friction ellipsoid, smoothed below the
/// speed ε, so bodies creep on slopes: v = ε tan α/μ. c = 2ζ√(k m_eff), with ζ from the pair's
/// restitution e, e = exp(−πζ/√(1−ζ²)), and ζ = 1 for e = 0.
///
/// With integrator = implicit, (c) is integrated by backward Euler in steps of length h, the gap
/// linearised: λ_n = −k(ψ + hu_n⁺) − c u_n⁺ where that is positive, and (b) at the end of the step,
///
///     (M + Σ (hc + h²k) wwᵀ + hγ Σ e²wwᵀ) ν⁺ = M ν_free − Σ hkψ w,   γ = μλ_n/max(‖E u⁺‖, ε), (d)
///
/// repeated until the set of pushing contacts and γ settle. There is no stability limit; stiff
/// oscillations are damped (by 1/√(1 + h²k/m) a step) rather than resolved.
///
/// Deviations: the thesis has springs only; the damper, friction (b) and the closed form of ζ
/// (gravity neglected, contact released at zero penetration) are ours, as is the cap that keeps a
/// sub-step's friction from reversing the slip. The stiffness acts per
/// contact point, so that two points are twice as stiff.

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "formulations/formulation.hpp"

namespace touchstone {

namespace {

double damping_ratio(double restitution) {
  if (restitution <= 0.0) return 1.0;
  const double log_e = std::log(restitution);
  return -log_e / std::hypot(std::numbers::pi, log_e);
}

class Penalty final : public Formulation {
 public:
  Penalty(const World& world, const Parameters& settings)
      : world_(world),
        k_(settings.real("stiffness")),
        slow_(settings.real("creep_speed")),
        resolution_(settings.real("resolution")),
        implicit_(settings.text("integrator") == "implicit") {
    double lightest = std::numeric_limits<double>::infinity();
    for (const int i : world.moving()) lightest = std::min(lightest, world.body(i).mass);
    longest_substep_ = resolution_ * std::sqrt(lightest / k_);
  }

  const Step& advance(const State& state, double h) override {
    const int substeps =
        implicit_ ? 1 : std::max(1, static_cast<int>(std::ceil(h / longest_substep_ - 1e-9)));
    step_ = Step{};
    step_.next = state;
    sums_.clear();
    for (int k = 0; k < substeps; ++k) implicit_ ? implicit_step(h) : substep(h / substeps);
    step_.next.t = state.t + h;
    if (!implicit_) step_.iterations = substeps;
    for (ContactResult& result : sums_) classify(result, result.contact.gap, 1.01 * slow_);
    step_.contacts = sums_;
    step_.elastic = stored_energy();
    return step_;
  }

 private:
  void substep(double dt) {
    State& now = step_.next;
    configuration_.update(world_, now);
    configuration_.free_velocity(now.nu, dt, nu_);
    find_contacts(configuration_, now, 0.0, contacts_);
    const Vec before = now.nu;
    results_.clear();
    for (const Contact& c : contacts_)
      if (c.gap < 0.0) results_.push_back(contact_impulse(c, before, dt));
    account(before, dt);
    now.nu = nu_;
    now.t += dt;
    advance_coordinates(world_, nu_, dt, now.q);
  }

  /// A contact of an implicit step: its columns (n, t, o, r) and what (d) needs of it.
  struct Spring {
    std::array<Column, 4> W;
    std::array<double, 3> E{};
    double damping = 0.0, gamma = 0.0;
    bool pushes = true;
    ContactResult result{};
  };

  Spring spring(const Contact& c) const {
    Spring s{.W = {wrench_column(world_, configuration_, c, c.n),
                   wrench_column(world_, configuration_, c, c.t),
                   wrench_column(world_, configuration_, c, c.o),
                   wrench_column(world_, configuration_, c, Vec3::Zero(), c.n)}};
    s.E[0] = c.law->e_t;
    if (world_.dim() == 3) s.E[1] = c.law->e_o, s.E[2] = c.law->e_r;
    const double m_eff = 1.0 / delassus(configuration_, s.W[0], s.W[0]);
    s.damping = 2.0 * damping_ratio(c.law->restitution) * std::sqrt(k_ * m_eff);
    s.result.contact = c;
    return s;
  }

  /// (d): every contact that touches, or would at the end of the step if nothing pushed.
  void implicit_step(double h) {
    State& now = step_.next;
    configuration_.update(world_, now);
    configuration_.free_velocity(now.nu, h, nu_);
    find_contacts(configuration_, now, h, contacts_);
    const Vec before = now.nu, free = nu_;
    std::vector<Spring> springs;
    for (const Contact& c : contacts_) {
      Spring s = spring(c);
      if (c.gap + h * std::min(0.0, velocity(world_, s.W[0], free)) < 0.0) springs.push_back(s);
    }
    bool settled = springs.empty();
    for (step_.iterations = 0; !settled && step_.iterations < 100; ++step_.iterations) {
      solve_velocity(springs, free, h);
      settled = true;
      for (Spring& s : springs) settled = update_forces(s, h) && settled;
    }
    if (!settled) step_.status = Status::iteration_limit;
    results_.clear();
    for (const Spring& s : springs)
      if (s.pushes) results_.push_back(s.result);
    account(before, h);
    now.nu = nu_;
    advance_coordinates(world_, nu_, h, now.q);
  }

  void solve_velocity(const std::vector<Spring>& springs, const Vec& free, double h) {
    const int dof = world_.dof();
    Mat K = Mat::Zero(world_.nv(), world_.nv());
    for (const int i : world_.moving())
      K.block(world_.velocity_offset(i), world_.velocity_offset(i), dof, dof) =
          configuration_.mass(i).topLeftCorner(dof, dof);
    Vec right = K * free;
    for (const Spring& s : springs) {
      if (!s.pushes) continue;
      const Mat W = dense(world_, s.W, world_.moving());
      K += (h * s.damping + h * h * k_) * W.col(0) * W.col(0).transpose();
      right -= h * k_ * s.result.contact.gap * W.col(0);
      for (int j = 0; j < 3; ++j) {
        const double e = s.E[static_cast<std::size_t>(j)];
        K += h * s.gamma * e * e * W.col(j + 1) * W.col(j + 1).transpose();
      }
    }
    nu_ = K.ldlt().solve(right);
  }

  /// The forces that belong to nu_, and γ for the next round; whether they are those it came from.
  bool update_forces(Spring& s, double h) const {
    const double u_n = velocity(world_, s.W[0], nu_);
    const double force = -k_ * (s.result.contact.gap + h * u_n) - s.damping * u_n;
    const bool pushes = force > 0.0;
    Vec3 u;
    for (int j = 0; j < 3; ++j)
      u[j] = s.E[static_cast<std::size_t>(j)] *
             velocity(world_, s.W[static_cast<std::size_t>(j + 1)], nu_);
    const double gamma =
        pushes ? s.result.contact.law->mu * force / std::max(u.norm(), slow_) : 0.0;
    const bool same = pushes == s.pushes && std::abs(gamma - s.gamma) <= 1e-10 * (gamma + s.gamma);
    s.result.p_n = h * force;
    s.result.p_t = -h * s.gamma * s.E[0] * u.x();
    s.result.p_o = -h * s.gamma * s.E[1] * u.y();
    s.result.p_r = -h * s.gamma * s.E[2] * u.z();
    s.pushes = pushes;
    s.gamma = gamma;
    return same;
  }

  /// (a), (b) at the sub-step's start; adds M⁻¹Wp to nu_.
  ContactResult contact_impulse(const Contact& c, const Vec& nu, double dt) {
    const FrictionLaw& law = *c.law;
    const Column n = wrench_column(world_, configuration_, c, c.n);
    const double m_eff = 1.0 / delassus(configuration_, n, n);
    const double damping = 2.0 * damping_ratio(law.restitution) * std::sqrt(k_ * m_eff);
    ContactResult result{.contact = c};
    result.p_n = dt * std::max(0.0, -k_ * c.gap - damping * velocity(world_, n, nu));

    const Column t = wrench_column(world_, configuration_, c, c.t);
    const Column o = wrench_column(world_, configuration_, c, c.o);
    const Column r = wrench_column(world_, configuration_, c, Vec3::Zero(), c.n);
    const bool spatial = world_.dim() == 3;
    const Vec3 E(law.e_t, spatial ? law.e_o : 0.0, spatial ? law.e_r : 0.0);
    const Vec3 u(velocity(world_, t, nu), velocity(world_, o, nu), velocity(world_, r, nu));
    const double speed = std::max(E.cwiseProduct(u).norm(), slow_);
    const Vec3 p = -std::min(law.mu * result.p_n / speed, stopping_factor(E, t, o, r)) *
                   E.cwiseProduct(E).cwiseProduct(u);
    result.p_t = p.x();
    result.p_o = p.y();
    result.p_r = p.z();
    apply_impulse(configuration_, n, result.p_n, nu_);
    apply_impulse(configuration_, t, p.x(), nu_);
    if (spatial) {
      apply_impulse(configuration_, o, p.y(), nu_);
      apply_impulse(configuration_, r, p.z(), nu_);
    }
    return result;
  }

  /// Friction may stop the slip within a sub-step but not reverse it: the factor of E²u at which
  /// the contacts present, acting together, would. Without this cap explicit sub-steps would have
  /// to resolve ε m/(μλ_n).
  double stopping_factor(const Vec3& E, const Column& t, const Column& o, const Column& r) const {
    const std::array<const Column*, 3> W{&t, &o, &r};
    Mat3 mobility;  // E WᵀM⁻¹W E
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j)
        mobility(i, j) = E[i] * E[j] *
                         delassus(configuration_, *W[static_cast<std::size_t>(i)],
                                  *W[static_cast<std::size_t>(j)]);
    const double largest =
        mobility.cwiseAbs().rowwise().sum().maxCoeff();  // bounds its eigenvalues
    return 1.0 / (largest * static_cast<double>(contacts_.size()));
  }

  /// Adds the sub-step's impulses and work to the step's.
  void account(const Vec& before, double dt) {
    for (ContactResult& result : results_) {
      measure(configuration_, before, nu_, result, step_.work);
      add_to_sums(result);
    }
    step_.work.applied += applied_work(world_, {.t = step_.next.t, .q = {}, .nu = before}, nu_, dt);
  }

  void add_to_sums(const ContactResult& result) {
    const auto same = [&](const ContactResult& sum) {
      return sum.contact.a == result.contact.a && sum.contact.b == result.contact.b &&
             sum.contact.feature == result.contact.feature;
    };
    const auto it = std::find_if(sums_.begin(), sums_.end(), same);
    if (it == sums_.end()) {
      sums_.push_back(result);
      return;
    }
    ContactResult sum = result;  // geometry and velocities of the last sub-step, impulses summed
    sum.p_n += it->p_n;
    sum.p_t += it->p_t;
    sum.p_o += it->p_o;
    sum.p_r += it->p_r;
    *it = sum;
  }

  double stored_energy() {
    configuration_.update(world_, step_.next);
    find_contacts(configuration_, step_.next, 0.0, contacts_);
    double sum = 0.0;
    for (const Contact& c : contacts_)
      if (c.gap < 0.0) sum += 0.5 * k_ * c.gap * c.gap;
    return sum;
  }

  const World& world_;
  double k_, slow_, resolution_, longest_substep_ = 0.0;
  bool implicit_;
  Step step_;
  Configuration configuration_;
  Vec nu_;
  std::vector<Contact> contacts_;
  std::vector<ContactResult> results_, sums_;
};

const Register<FormulationEntry> entry{{
    .name = "penalty",
    .summary = "spring-damper contacts, regularised Coulomb friction, explicit or implicit",
    .cite = "Baraff 1992, thesis, chapters 2, 7 and 12",
    .parameters = {real("stiffness", 1e5, "N/m", "spring constant of a contact point").above(0),
                   real("creep_speed", 1e-3, "m/s",
                        "speed below which friction is proportional to the slip")
                       .above(0),
                   real("resolution", 0.02, "1", "longest explicit sub-step over sqrt(m/k)")
                       .above(0)
                       .at_most(1),
                   text("integrator", "explicit",
                        "sub-steps of semi-implicit Euler, or steps of backward Euler")
                       .one_of({"explicit", "implicit"})},
    .takes_shaking = true,
    .make = [](const World& world, const Parameters& settings,
               std::unique_ptr<Solver>) { return std::make_unique<Penalty>(world, settings); },
}};

}  // namespace

}  // namespace touchstone

/// penalty: a damped spring in every penetrating contact, regularised Coulomb friction, explicit
/// sub-steps.
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
        resolution_(settings.real("resolution")) {
    double lightest = std::numeric_limits<double>::infinity();
    for (const int i : world.moving()) lightest = std::min(lightest, world.body(i).mass);
    longest_substep_ = resolution_ * std::sqrt(lightest / k_);
  }

  const Step& advance(const State& state, double h) override {
    const int substeps = std::max(1, static_cast<int>(std::ceil(h / longest_substep_ - 1e-9)));
    step_ = Step{};
    step_.next = state;
    sums_.clear();
    for (int k = 0; k < substeps; ++k) substep(h / substeps);
    step_.next.t = state.t + h;
    step_.iterations = substeps;
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
    advance_coordinates(world_, nu_, dt, now.q);
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
    step_.work.applied += applied_work(world_, before, nu_, dt);
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
  Step step_;
  Configuration configuration_;
  Vec nu_;
  std::vector<Contact> contacts_;
  std::vector<ContactResult> results_, sums_;
};

const Register<FormulationEntry> entry{{
    .name = "penalty",
    .summary = "spring-damper contacts, regularised Coulomb friction, explicit sub-steps",
    .cite = "Baraff 1992, thesis, chapters 2, 7 and 12",
    .parameters =
        {real("stiffness", 1e5, "N/m", "spring constant of a contact point").above(0),
         real("creep_speed", 1e-3, "m/s", "speed below which friction is proportional to the slip")
             .above(0),
         real("resolution", 0.02, "1", "longest sub-step over sqrt(m/k)").above(0).at_most(1)},
    .make = [](const World& world, const Parameters& settings,
               std::unique_ptr<Solver>) { return std::make_unique<Penalty>(world, settings); },
}};

}  // namespace

}  // namespace touchstone

/// ratio-metric: constraint-stabilised time stepping with the events of the ratio metric.
///
/// G. Hart, M. Anitescu, "A constraint-stabilized time-stepping approach for piecewise smooth
/// multibody dynamics" (equation numbers of the source). With the nearly active events m ∈ ℰ, their
/// components Φ, gradients n = ∇Φ, and friction directions d_k:
///
///     M(ν⁺ − ν) = p_ext + J p_J + Σ n c_n + Σ d_k β_k                             (12)
///     γΘ + h Jᵀν⁺ = 0,   0 ≤ c_n ⊥ γΦ + h nᵀν⁺ ≥ 0                               (13)
///     0 ≤ β ⊥ Dᵀν⁺ + λe ≥ 0,   0 ≤ λ ⊥ μc_n − eᵀβ ≥ 0                            (14)
///     q⁺ = q + hν⁺,
///
/// one problem a step, and never a shorter step. An event is a contact at its event point with the
/// gap g = rψ (ratio_contacts.hpp), which turns (13) into 0 ≤ p_n ⊥ W_nᵀν⁺ + γg/h ≥ 0. Unknowns:
/// p_n, p_f impulses [N·s] and slip speeds [m/s], or velocities [m/s, rad/s]. Couplings:
///
/// - `lcp`: (12) to (14) as they stand (15), the problem of polygon_lcp.hpp.
/// - `qp`: the convex relaxation (16) with Γ = 0,
///
///       min ½ν⁺ᵀMν⁺ − ν_freeᵀMν⁺  s.t.  nᵀν⁺ − μλ ≥ −Γ − γg/h,  d_kᵀν⁺ + λ ≥ 0,  λ ≥ 0,
///       Jᵀν⁺ = −γΘ/h                                                             (16)
///
///   in which a sliding contact also opens, with the speed μλ. λ is eliminated: the directions
///   surround 0, so that the least λ is the largest −d_kᵀν⁺ ≥ 0, and what is left is
///   (n + μd_k)ᵀν⁺ ≥ −Γ − γg/h for each k, strictly convex in ν⁺. The multiplier η_k of that row
///   is an impulse along n + μd_k: p_n = Σ η_k, p_f = μη.
/// - `fixed-point`: (16) again and again with Γ = μλ of the last solution until Γ stays, where it
///   is (15). The notes say how many solves that took; if it takes more than `max_solves`, the step
///   has the status `iteration_limit`.
///
/// Theorem (source): I(q) ≤ C ‖ν‖²h² for all steps, so that ν⁺ = 0 means I(q⁺) = 0. γ = 1 takes the
/// whole linearised error away in one step; γ = 0 is the unstabilised method.
///
/// Deviations:
/// - γ acts on violated events only (Φ < 0); an open event has the row of γ = 1. With γ in (13) for
///   Φ > 0 as well, γ = 0 would hold bodies apart at a distance, and γ = 2 would let them overlap.
/// - ε_t, ε_x and ε_p follow from what may touch within the step, unless they are given.
/// - Restitution, elliptic weights and torsion as in stewart-trinkle.
/// - Joints are eliminated beforehand (joints.hpp), but for (16), where they are equations.
/// - Orientations turn by the exponential map of hω⁺.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "formulations/common/polygon_lcp.hpp"
#include "formulations/common/ratio_contacts.hpp"

namespace touchstone {

namespace {

enum class Coupling { lcp, qp, fixed_point };

Coupling coupling_of(const std::string& name) {
  return name == "lcp" ? Coupling::lcp : name == "qp" ? Coupling::qp : Coupling::fixed_point;
}

RatioSettings events_of(const Parameters& settings) {
  return {settings.real("eps_t"), settings.real("eps_x"), settings.real("eps_p"),
          settings.flag("reduce")};
}

class RatioStepping final : public TimeStepping {
 public:
  RatioStepping(const World& world, const Parameters& settings, std::unique_ptr<Solver> solver)
      : TimeStepping(world, std::move(solver)),
        world_(world),
        events_(world, events_of(settings)),
        gamma_(settings.real("gamma")),
        directions_(static_cast<int>(settings.integer("directions"))),
        coupling_(coupling_of(settings.text("coupling"))),
        first_set_(settings.real("first_set")),
        max_solves_(static_cast<int>(settings.integer("max_solves"))),
        tolerance_(settings.real("fixed_point_tolerance")) {}

 private:
  void find_candidates(const Configuration& configuration, const State& state, double h,
                       std::vector<Contact>& out) override {
    configuration_ = &configuration;
    events_.find(configuration, state, h, out);
  }

  void find_missed(const Configuration& configuration, const Vec& nu, double h,
                   std::vector<Contact>& out) override {
    events_.find_missed(configuration, nu, h, out);
  }

  int dropped_candidates() const override { return events_.events() - events_.kept(); }
  bool in_first_set(const Contact& c) const override {
    return c.gap <= first_set_ * events_.margin(c.a, c.b);
  }
  double joint_stabilisation() const override { return gamma_; }

  double normal_bound(const Contact& c, double u_before, double u_free, double h) const override {
    const double closing = -(c.gap < 0.0 ? gamma_ : 1.0) * c.gap / h;  // (13)
    return impact_bound(c, closing, u_before, u_free);
  }

  /// An event outside the problem has (16) with its own least λ; at the fixed point Γ takes μλ
  /// away.
  double normal_row(const Contact& c, double row, const State&, const Vec& nu, double) override {
    return coupling_ == Coupling::qp ? row - c.law->mu * slip_speed(c, nu) : row;
  }

  void assemble(const StepInput& in, Problem& problem) override {
    blocks_.build(in, directions_);
    bound_.clear();
    for (std::size_t i = 0; i < in.contacts.size(); ++i)
      bound_.push_back(normal_bound(in.contacts[i], velocity(in.world, blocks_.W_n[i], in.state.nu),
                                    velocity(in.world, blocks_.W_n[i], in.nu_free), in.h));
    if (coupling_ == Coupling::lcp)
      blocks_.reduced_lcp(in, bound_, problem);
    else
      assemble_qp(in, storage<Qp>(problem));
  }

  // x = ν⁺ of the island.   P = M,  c = −Mν_free
  //     [ (n + μd_k)ᵀ ]            [ b − Γ      ]
  // A = [ nᵀ          ]   Ax ≥ l = [ b − Γ      ]   without friction
  //     [ Jᵀ          ]   Ax =     [ Jᵀν_free   ]   joints; ν_free satisfies them
  void assemble_qp(const StepInput& in, Qp& qp) {
    place_bodies(in);
    const int dof = in.world.dof();
    const auto size = static_cast<Eigen::Index>(in.bodies.size()) * dof;
    std::vector<Eigen::Triplet<double>> P, A;
    qp.c.resize(size);
    for (const int body : in.bodies) {
      const auto mass = in.configuration.mass(body).topLeftCorner(dof, dof);
      const int at = place_[static_cast<std::size_t>(body)];
      for (int i = 0; i < dof; ++i)
        for (int j = 0; j < dof; ++j)
          if (mass(i, j) != 0.0) P.emplace_back(at + i, at + j, mass(i, j));
      qp.c.segment(at, dof) = -mass * in.nu_free.segment(in.world.velocity_offset(body), dof);
    }
    rows_.clear();
    std::size_t k = 0;  // of the friction directions
    for (std::size_t i = 0; i < in.contacts.size(); ++i) {
      const auto row = [&](int direction) {
        const auto at = static_cast<int>(rows_.size());
        write_row(in, blocks_.W_n[i], 1.0, at, A);
        if (direction >= 0)
          write_row(in, blocks_.W_f.columns[static_cast<std::size_t>(direction)],
                    in.contacts[i].law->mu, at, A);
        rows_.push_back({static_cast<int>(i), direction});
      };
      if (in.contacts[i].law->mu == 0.0) row(-1);
      for (; k < blocks_.W_f.owner.size() && blocks_.W_f.owner[k] == static_cast<int>(i); ++k)
        row(static_cast<int>(k));
    }
    std::vector<double> joint;
    for (const JointRow& row : in.joints.rows()) {
      const int body = std::max(row.column.a, row.column.b);
      if (place_[static_cast<std::size_t>(body)] < 0) continue;
      write_row(in, row.column, 1.0, static_cast<int>(rows_.size() + joint.size()), A);
      joint.push_back(velocity(in.world, row.column, in.nu_free));
    }
    const auto contact_rows = static_cast<Eigen::Index>(rows_.size()),
               all = contact_rows + static_cast<Eigen::Index>(joint.size());
    SpMat sparse(size, size);
    sparse.setFromTriplets(P.begin(), P.end());
    qp.P = sparse;
    sparse.resize(all, size);
    sparse.setFromTriplets(A.begin(), A.end());
    qp.A = sparse;
    qp.u.setConstant(all, std::numeric_limits<double>::infinity());
    qp.l.resize(all);
    qp.u.tail(all - contact_rows) = qp.l.tail(all - contact_rows) =
        Eigen::Map<const Vec>(joint.data(), all - contact_rows);
    write_bounds(std::vector<double>(in.contacts.size(), 0.0), qp);
  }

  void place_bodies(const StepInput& in) {
    place_.assign(in.world.bodies().size(), -1);
    int next = 0;
    for (const int body : in.bodies) {
      place_[static_cast<std::size_t>(body)] = next;
      next += in.world.dof();
    }
  }

  void write_row(const StepInput& in, const Column& column, double factor, int row,
                 std::vector<Eigen::Triplet<double>>& A) const {
    const auto add = [&](int body, const Vec6& w) {
      if (body < 0) return;
      for (int i = 0; i < in.world.dof(); ++i)
        if (w[i] != 0.0)
          A.emplace_back(row, place_[static_cast<std::size_t>(body)] + i, factor * w[i]);
    };
    add(column.a, column.on_a);
    add(column.b, column.on_b);
  }

  void write_bounds(const std::vector<double>& Gamma, Qp& qp) const {
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      const auto i = static_cast<std::size_t>(rows_[r].contact);
      qp.l[static_cast<Eigen::Index>(r)] = bound_[i] - Gamma[i];
    }
  }

  Answer solve(const StepInput& in, const Problem& problem) override {
    if (coupling_ != Coupling::fixed_point) return solver().solve(problem);
    Problem relaxed = problem;
    Qp& qp = std::get<Qp>(relaxed);
    std::vector<double> Gamma(in.contacts.size(), 0.0);
    Answer total;
    double change = 0.0;
    Vec nu = in.nu_free;
    for (int k = 1; k <= max_solves_; ++k) {
      const Answer answer = solver().solve(relaxed, total.z);
      add(answer, total);
      if (answer.status != Status::solved && answer.status != Status::inaccurate) return total;
      for (const int body : in.bodies)
        nu.segment(in.world.velocity_offset(body), in.world.dof()) =
            answer.z.segment(place_[static_cast<std::size_t>(body)], in.world.dof());
      change = 0.0;
      for (std::size_t i = 0; i < Gamma.size(); ++i) {
        const double next = in.contacts[i].law->mu * slip_speed(in.contacts[i], nu);
        change = std::max(change, std::abs(next - Gamma[i]));
        Gamma[i] = next;
      }
      if (change <= tolerance_) {
        total.notes.push_back(fmt::format("fixed point of Gamma: {} solves", k));
        return total;
      }
      write_bounds(Gamma, qp);
    }
    total.status = Status::iteration_limit;
    total.notes.push_back(
        fmt::format("fixed point of Gamma: not converged in {} solves, last change {:.1e} m/s",
                    max_solves_, change));
    return total;
  }

  static void add(const Answer& answer, Answer& total) {
    const int iterations = total.iterations + answer.iterations;
    const double seconds = total.seconds + answer.seconds;
    total = answer;
    total.iterations = iterations;
    total.seconds = seconds;
  }

  /// The least λ of (14): max over k of −d_kᵀν, which is at least 0.
  double slip_speed(const Contact& c, const Vec& nu) {
    single_.build(world_, *configuration_, std::span(&c, 1), directions_);
    double fastest = 0.0;
    for (const Column& column : single_.columns)
      fastest = std::max(fastest, -velocity(world_, column, nu));
    return fastest;
  }

  void decode(const StepInput& in, const Vec& z, StepSolution& out) override {
    const Eigen::Index n = blocks_.contacts(), f = blocks_.friction();
    Vec p = Vec::Zero(n + f);
    if (coupling_ == Coupling::lcp) {
      p = z.head(n + f);
    } else {
      const Eigen::Index first = static_cast<Eigen::Index>(in.bodies.size()) * in.world.dof();
      for (std::size_t r = 0; r < rows_.size(); ++r) {
        const auto [contact, direction] = rows_[r];
        const double eta = std::max(0.0, -z[first + static_cast<Eigen::Index>(r)]);
        p[contact] += eta;
        if (direction >= 0)
          p[n + direction] = in.contacts[static_cast<std::size_t>(contact)].law->mu * eta;
      }
    }
    blocks_.read_impulses(p, out);
    blocks_.apply(in, p, out.nu);
  }

  const World& world_;
  RatioContacts events_;
  double gamma_;
  int directions_;
  Coupling coupling_;
  double first_set_;
  int max_solves_;
  double tolerance_;

  const Configuration* configuration_ = nullptr;  // of the step at hand
  PolygonBlocks blocks_;
  std::vector<double> bound_;
  struct Row {
    int contact, direction;  // −1: frictionless
  };
  std::vector<Row> rows_;   // of (16)
  std::vector<int> place_;  // of each body's velocities in x; −1 outside the island
  FrictionBlock single_;
};

const Register<FormulationEntry> entry{{
    .name = "ratio-metric",
    .summary = "constraint-stabilised time stepping with the events of the ratio metric",
    .cite =
        "Hart and Anitescu, A constraint-stabilized time-stepping approach for piecewise smooth "
        "multibody dynamics",
    .parameters =
        {real("gamma", 1.0, "1", "stabilisation: which part of an error one step takes away")
             .at_least(0)
             .at_most(2),
         integer("directions", 8, "1",
                 "sides of the friction polygon (planar worlds always have two)")
             .at_least(3)
             .at_most(1000),
         text("coupling", "lcp", "exact LCP, convex relaxation (QP), or QPs until Gamma stays")
             .one_of({"lcp", "qp", "fixed-point"}),
         real("eps_t", 0.0, "1", "nearly active: distance in the ratio metric; 0: from the step")
             .at_least(0),
         real("eps_x", 0.0, "m", "nearly active: event point outside a body; 0: from the step")
             .at_least(0),
         real("eps_p", 0.0, "m", "nearly active: features short of supporting; 0: from the step")
             .at_least(0),
         flag("reduce", false, "drop redundant events before the step"),
         real("first_set", 0.0, "1",
              "events that begin in the problem: gaps up to this part of the distance within which "
              "events are looked for; 0: those needed last, 1: all")
             .at_least(0)
             .at_most(1),
         integer("max_solves", 200, "1", "solves of the fixed point in one step").at_least(1),
         real("fixed_point_tolerance", 1e-10, "m/s", "change of Gamma that ends the fixed point")
             .above(0)},
    .default_solver = "lemke",
    .takes_joints = true,
    .takes_shaking = true,
    .inapplicable = RatioContacts::inapplicable,
    .make =
        [](const World& world, const Parameters& settings, std::unique_ptr<Solver> solver) {
          return std::make_unique<RatioStepping>(world, settings, std::move(solver));
        },
}};

}  // namespace

}  // namespace touchstone

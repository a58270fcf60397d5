/// stewart-trinkle: velocity–impulse time stepping with a linearised gap and a friction polygon.
///
/// D. Stewart, J. Trinkle, "An implicit time-stepping scheme for rigid body dynamics with inelastic
/// collisions and Coulomb friction", IJNME 39 (1996); the comparison method of Chakraborty et al.
/// (2007), whose equations (4) and (5) it linearises: all blocks at the start of the step.
///
///     M(ν⁺ − ν) = W_n p_n + W_f p_f + p_ext                                  (a)
///     0 ≤ p_n ⊥ W_nᵀν⁺ + ψ/h    ≥ 0                                          (b)
///     0 ≤ p_f ⊥ W_fᵀν⁺ + E σ    ≥ 0                                          (c)
///     0 ≤ σ   ⊥ U p_n − Eᵀ p_f  ≥ 0                                          (d)
///     q⁺ = q + h G ν⁺                                                        (e)
///     Jᵀν⁺ + Θ/h = 0 with the impulses J p_J in (a), for joints Θ(q) = 0     (f)
///
/// Unknowns: p_n, p_f impulses [N·s], σ slip speed [m/s], ν⁺ velocities [m/s, rad/s].
/// `form = mixed` keeps (a) and the unknown ν⁺ (mixed LCP); `form = reduced` (default) eliminates
/// it with A_ij = W_iᵀM⁻¹W_j. Both give the same velocities. (f) is eliminated beforehand
/// (joints.hpp), in the reduced form only.
///
/// Deviations:
/// - Restitution e > 0, which the paper leaves open: for a contact that free motion would close in
/// this step,
///   (b) reads W_nᵀν⁺ ≥ max(−ψ/h, −e W_nᵀν) (Newton's law at the velocity level).
/// - Elliptic weights e_t, e_o scale the polygon's directions and torsion adds the pair ±e_r, so
/// that the
///   polytope is inscribed in the ellipsoid of Chakraborty et al.; e_t = e_o = 1, e_r = 0 is the
///   paper's cone.
/// - Contacts without friction have no rows (c), (d).
/// - (e) turns orientations by the exponential map of hω⁺ and not by q + hGν⁺, a difference of
/// O(h³).

#include "formulations/common/friction_polygon.hpp"
#include "formulations/common/time_stepping.hpp"

namespace touchstone {

namespace {

class StewartTrinkle final : public TimeStepping {
 public:
  StewartTrinkle(const World& world, const Parameters& settings, std::unique_ptr<Solver> solver)
      : TimeStepping(world, std::move(solver), static_cast<int>(settings.integer("nearest"))),
        directions_(static_cast<int>(settings.integer("directions"))),
        mixed_(settings.text("form") == "mixed") {
    if (mixed_ && !world.joints().empty())
      throw InputError("form = mixed takes no joints: expected form = reduced");
  }

 private:
  void assemble(const StepInput& in, Problem& problem) override {
    W_n_.clear();
    for (const Contact& c : in.contacts)
      W_n_.push_back(wrench_column(in.world, in.configuration, c, c.n));
    W_f_.build(in.world, in.configuration, in.contacts, directions_);
    number_slips(in.contacts);
    bounds(in);
    if (mixed_)
      assemble_mixed(in, problem);
    else
      assemble_reduced(in, problem);
  }

  //        p_n    p_f    σ
  //     [  A_nn   A_nf   0 ]        [ W_nᵀν_free + ψ/h ]   (b)
  // M = [  A_fn   A_ff   E ]    q = [ W_fᵀν_free       ]   (c)
  //     [  U     −Eᵀ     0 ]        [ 0                ]   (d)
  void assemble_reduced(const StepInput& in, Problem& problem) {
    const auto n = n_contacts(), f = n_friction(), s = n_slips_;
    Lcp& lcp = storage<Lcp>(problem);
    Mat& M = square(lcp.M, n + f + s);
    in.delassus(W_n_, W_n_, M.block(0, 0, n, n));
    in.delassus(W_n_, W_f_.columns, M.block(0, n, n, f));
    M.block(n, 0, f, n) = M.block(0, n, n, f).transpose();
    in.delassus(W_f_.columns, W_f_.columns, M.block(n, n, f, f));
    write_cone(in.contacts, 0, M);

    lcp.q.setZero(n + f + s);
    for (Eigen::Index i = 0; i < n; ++i)
      lcp.q[i] = velocity(in.world, W_n_[at(i)], in.nu_free) - bound_[at(i)];
    for (Eigen::Index k = 0; k < f; ++k)
      lcp.q[n + k] = velocity(in.world, W_f_.columns[at(k)], in.nu_free);
    write_scale(M.diagonal().head(n + f), 0, lcp.scale);
  }

  //        ν      p_n    p_f    σ
  //     [  M     −W_n   −W_f    0 ]        [ −Mν − p_ext ]  (a), an equation
  // M = [  W_nᵀ   0      0      0 ]    q = [  ψ/h        ]  (b)
  //     [  W_fᵀ   0      0      E ]        [  0          ]  (c)
  //     [  0      U     −Eᵀ     0 ]        [  0          ]  (d)
  void assemble_mixed(const StepInput& in, Problem& problem) {
    const auto n = n_contacts(), f = n_friction(), s = n_slips_;
    const auto v = static_cast<Eigen::Index>(in.bodies.size()) * in.world.dof();
    Mlcp& mlcp = storage<Mlcp>(problem);
    Mat& M = square(mlcp.M, v + n + f + s);
    const Mat W_n = dense(in.world, W_n_, in.bodies);
    const Mat W_f = dense(in.world, W_f_.columns, in.bodies);
    mlcp.q.setZero(v + n + f + s);
    Eigen::Index row = 0;
    for (const int body : in.bodies) {
      const int dof = in.world.dof();
      const auto mass = in.configuration.mass(body).topLeftCorner(dof, dof);
      M.block(row, row, dof, dof) = mass;
      mlcp.q.segment(row, dof) =
          -mass * in.nu_free.segment(in.world.velocity_offset(body), dof);  // ν_free = ν + M⁻¹p_ext
      row += dof;
    }
    M.block(0, v, v, n) = -W_n;
    M.block(0, v + n, v, f) = -W_f;
    M.block(v, 0, n, v) = W_n.transpose();
    M.block(v + n, 0, f, v) = W_f.transpose();
    write_cone(in.contacts, v, M);

    for (Eigen::Index i = 0; i < n; ++i) mlcp.q[v + i] = -bound_[at(i)];
    mlcp.l.setZero(v + n + f + s);
    mlcp.l.head(v).setConstant(-std::numeric_limits<double>::infinity());
    mlcp.u.setConstant(v + n + f + s, std::numeric_limits<double>::infinity());
    Vec diagonal(n + f);
    for (Eigen::Index i = 0; i < n + f; ++i) {
      const Column& w = i < n ? W_n_[at(i)] : W_f_.columns[at(i - n)];
      diagonal[i] = delassus(in.configuration, w, w);
    }
    write_scale(diagonal, v, mlcp.scale);
    // (a) is an impulse balance: divide by the mass to read it as a velocity.
    mlcp.scale.z.head(v).setOnes();
    mlcp.scale.F.head(v) = M.diagonal().head(v).cwiseInverse();
  }

  void decode(const StepInput& in, const Vec& z, StepSolution& out) override {
    const auto n = n_contacts(), f = n_friction();
    const Eigen::Index v = z.size() - n - f - n_slips_;  // 0 in the reduced form
    for (Eigen::Index i = 0; i < n; ++i) out.impulses[at(i)].n = z[v + i];
    for (Eigen::Index k = 0; k < f; ++k) {
      Impulse& p = out.impulses[at(W_f_.owner[at(k)])];
      const FrictionDirection& d = W_f_.directions[at(k)];
      p.t += d.t * z[v + n + k];
      p.o += d.o * z[v + n + k];
      p.r += d.r * z[v + n + k];
    }
    if (mixed_) {
      const int dof = in.world.dof();
      for (std::size_t b = 0; b < in.bodies.size(); ++b)
        out.nu.segment(in.world.velocity_offset(in.bodies[b]), dof) =
            z.segment(static_cast<Eigen::Index>(b) * dof, dof);
      return;
    }
    for (Eigen::Index i = 0; i < n; ++i) apply_impulse(in.configuration, W_n_[at(i)], z[i], out.nu);
    for (Eigen::Index k = 0; k < f; ++k)
      apply_impulse(in.configuration, W_f_.columns[at(k)], z[n + k], out.nu);
  }

  double normal_bound(const Contact& c, double u_before, double u_free, double h) const override {
    const double closing = -c.gap / h;
    const double e = c.law->restitution;
    const bool impact = e > 0.0 && u_before < 0.0 && u_free <= closing;
    return impact ? std::max(closing, -e * u_before) : closing;
  }

  void bounds(const StepInput& in) {
    bound_.clear();
    for (std::size_t i = 0; i < in.contacts.size(); ++i)
      bound_.push_back(normal_bound(in.contacts[i], velocity(in.world, W_n_[i], in.state.nu),
                                    velocity(in.world, W_n_[i], in.nu_free), in.h));
  }

  /// Contacts with friction have a slip multiplier: slip_[i] is its rank, −1 without friction.
  void number_slips(std::span<const Contact> contacts) {
    slip_.clear();
    n_slips_ = 0;
    for (const Contact& c : contacts)
      slip_.push_back(c.law->mu > 0.0 ? static_cast<int>(n_slips_++) : -1);
  }

  /// The entries E, U and −Eᵀ of rows (c) and (d), below `first` leading unknowns.
  void write_cone(std::span<const Contact> contacts, Eigen::Index first, Mat& M) const {
    const Eigen::Index friction = first + n_contacts(), slip = friction + n_friction();
    for (std::size_t i = 0; i < contacts.size(); ++i)
      if (slip_[i] >= 0)
        M(slip + slip_[i], first + static_cast<Eigen::Index>(i)) = contacts[i].law->mu;
    for (Eigen::Index k = 0; k < n_friction(); ++k) {
      const Eigen::Index column = slip + slip_[at(W_f_.owner[at(k)])];
      M(friction + k, column) = 1.0;
      M(column, friction + k) = -1.0;
    }
  }

  /// Velocity units: impulses times the Delassus diagonal; in row (d) it is the residual that is an
  /// impulse.
  void write_scale(const Eigen::Ref<const Vec>& diagonal, Eigen::Index first,
                   VelocityScale& scale) const {
    const auto n = n_contacts(), f = n_friction();
    scale.z.setOnes(first + n + f + n_slips_);
    scale.F.setOnes(first + n + f + n_slips_);
    scale.z.segment(first, n + f) = diagonal;
    for (std::size_t i = 0; i < slip_.size(); ++i)
      if (slip_[i] >= 0) scale.F[first + n + f + slip_[i]] = diagonal[static_cast<Eigen::Index>(i)];
  }

  template <class P>
  static P& storage(Problem& problem) {
    if (!std::holds_alternative<P>(problem)) problem = P{};
    return std::get<P>(problem);
  }
  static Mat& square(Matrix& matrix, Eigen::Index size) {
    Mat& M = matrix.dense();
    M.setZero(size, size);
    return M;
  }
  static std::size_t at(Eigen::Index i) { return static_cast<std::size_t>(i); }
  Eigen::Index n_contacts() const { return static_cast<Eigen::Index>(W_n_.size()); }
  Eigen::Index n_friction() const { return static_cast<Eigen::Index>(W_f_.columns.size()); }

  int directions_;
  bool mixed_;
  std::vector<Column> W_n_;
  FrictionBlock W_f_;
  std::vector<double> bound_;
  std::vector<int> slip_;
  Eigen::Index n_slips_ = 0;
};

const Register<FormulationEntry> entry{{
    .name = "stewart-trinkle",
    .summary = "velocity-impulse time stepping, linearised gap, friction polygon: one LCP per step",
    .cite = "Stewart and Trinkle 1996, IJNME 39:2673-2691",
    .parameters = {integer("directions", 8, "1",
                           "sides of the friction polygon (planar worlds always have two)")
                       .at_least(3)
                       .at_most(1000),
                   text("form", "reduced", "unknowns: (p_n, p_f, sigma), or with the velocities")
                       .one_of({"reduced", "mixed"}),
                   integer("nearest", 0, "1",
                           "candidates kept of each pair, those with the smallest gaps; 0: all")
                       .at_least(0)},
    .default_solver = "lemke",
    .takes_joints = true,
    .make =
        [](const World& world, const Parameters& settings, std::unique_ptr<Solver> solver) {
          return std::make_unique<StewartTrinkle>(world, settings, std::move(solver));
        },
}};

}  // namespace

}  // namespace touchstone

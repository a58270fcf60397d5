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

#include "formulations/common/polygon_lcp.hpp"

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
  // The reduced form is in polygon_lcp.cpp, block by block.
  void assemble(const StepInput& in, Problem& problem) override {
    blocks_.build(in, directions_);
    bounds(in);
    if (mixed_)
      assemble_mixed(in, problem);
    else
      blocks_.reduced_lcp(in, bound_, problem);
  }

  //        ν      p_n    p_f    σ
  //     [  M     −W_n   −W_f    0 ]        [ −Mν − p_ext ]  (a), an equation
  // M = [  W_nᵀ   0      0      0 ]    q = [  ψ/h        ]  (b)
  //     [  W_fᵀ   0      0      E ]        [  0          ]  (c)
  //     [  0      U     −Eᵀ     0 ]        [  0          ]  (d)
  void assemble_mixed(const StepInput& in, Problem& problem) {
    const Eigen::Index n = blocks_.contacts(), f = blocks_.friction(), s = blocks_.slips;
    const auto v = static_cast<Eigen::Index>(in.bodies.size()) * in.world.dof();
    Mlcp& mlcp = storage<Mlcp>(problem);
    Mat& M = mlcp.M.dense();
    M.setZero(v + n + f + s, v + n + f + s);
    const Mat W_n = dense(in.world, blocks_.W_n, in.bodies);
    const Mat W_f = dense(in.world, blocks_.W_f.columns, in.bodies);
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
    blocks_.write_cone(in.contacts, v, M);

    for (Eigen::Index i = 0; i < n; ++i) mlcp.q[v + i] = -bound_[at(i)];
    mlcp.l.setZero(v + n + f + s);
    mlcp.l.head(v).setConstant(-std::numeric_limits<double>::infinity());
    mlcp.u.setConstant(v + n + f + s, std::numeric_limits<double>::infinity());
    Vec diagonal(n + f);
    for (Eigen::Index i = 0; i < n + f; ++i) {
      const Column& w = i < n ? blocks_.W_n[at(i)] : blocks_.W_f.columns[at(i - n)];
      diagonal[i] = delassus(in.configuration, w, w);
    }
    blocks_.write_scale(diagonal, v, mlcp.scale);
    // (a) is an impulse balance: divide by the mass to read it as a velocity.
    mlcp.scale.z.head(v).setOnes();
    mlcp.scale.F.head(v) = M.diagonal().head(v).cwiseInverse();
  }

  void decode(const StepInput& in, const Vec& z, StepSolution& out) override {
    const Eigen::Index v = z.size() - blocks_.size();  // 0 in the reduced form
    const auto p = z.segment(v, blocks_.contacts() + blocks_.friction());
    blocks_.read_impulses(p, out);
    if (!mixed_) {
      blocks_.apply(in, p, out.nu);
      return;
    }
    const int dof = in.world.dof();
    for (std::size_t b = 0; b < in.bodies.size(); ++b)
      out.nu.segment(in.world.velocity_offset(in.bodies[b]), dof) =
          z.segment(static_cast<Eigen::Index>(b) * dof, dof);
  }

  double normal_bound(const Contact& c, double u_before, double u_free, double h) const override {
    return impact_bound(c, -c.gap / h, u_before, u_free);
  }

  void bounds(const StepInput& in) {
    bound_.clear();
    for (std::size_t i = 0; i < in.contacts.size(); ++i)
      bound_.push_back(normal_bound(in.contacts[i], velocity(in.world, blocks_.W_n[i], in.state.nu),
                                    velocity(in.world, blocks_.W_n[i], in.nu_free), in.h));
  }

  static std::size_t at(Eigen::Index i) { return static_cast<std::size_t>(i); }

  int directions_;
  bool mixed_;
  PolygonBlocks blocks_;
  std::vector<double> bound_;
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
    .takes_shaking = true,
    .make =
        [](const World& world, const Parameters& settings, std::unique_ptr<Solver> solver) {
          return std::make_unique<StewartTrinkle>(world, settings, std::move(solver));
        },
}};

}  // namespace

}  // namespace touchstone

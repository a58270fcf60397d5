/// tzitzouris-pang: implicit time stepping with a gap function in closed form.
///
/// J. Tzitzouris, "Numerical resolution of frictional multi-rigid-body systems via fully implicit
/// time-stepping and nonlinear complementarity", PhD thesis, Johns Hopkins 2001; J. Trinkle,
/// J. Tzitzouris, J. S. Pang, Phil. Trans. R. Soc. A 359 (2001): the comparison method of
/// Chakraborty et al. (2007), whose equations (4) and (5) it solves with all blocks at the end of
/// the step (common/implicit_step.hpp) and the gap
///
///     0 ≤ p_n ⊥ ψ(q⁺) ≥ 0
///
///     ball a on ball b:             ψ = |x_a − x_b| − r_a − r_b,      n = (x_a − x_b)/|x_a − x_b|
///     ellipsoid a on a half-space:  ψ = n·x_a − c − √(nᵀQn),          Q = R diag(a², b², c²) Rᵀ
///
/// Unknowns: ν [m/s, rad/s]; per contact p_n, p_t, p_o [N·s], p_r [N·m·s], σ [m/s]: 6 n_b + 5 n_c.
///
/// Deviations:
/// - The step is fixed. Tzitzouris shortens it to locate every collision.
/// - q⁺ turns orientations by the exponential map of hω⁺ and not by q + hGν⁺, a difference of
/// O(h³).

#include <fmt/format.h>

#include "formulations/common/implicit_stepping.hpp"
#include "formulations/common/rotation.hpp"
#include "geometry/shapes.hpp"

namespace touchstone {

namespace {

/// Squared semi-axes of a ball or an ellipsoid; planar ones have none along z.
Vec3 squared_axes(const ConvexSet& set) {
  Vec3 axes = Vec3::Constant(set.radius());
  if (const auto* ellipsoid = dynamic_cast<const Ellipsoid*>(&set)) axes = ellipsoid->semi_axes();
  if (set.dim() == 2) axes.z() = 0.0;
  return axes.cwiseAbs2();
}

bool is_ball(const ConvexSet& set) { return dynamic_cast<const Ball*>(&set) != nullptr; }
bool is_half_space(const ConvexSet& set) { return dynamic_cast<const HalfSpace*>(&set) != nullptr; }
bool is_ellipsoid(const ConvexSet& set) {
  return is_ball(set) || dynamic_cast<const Ellipsoid*>(&set) != nullptr;
}

class ClosedFormStep final : public ImplicitStep {
 private:
  int geometric_unknowns(std::size_t, const Place&) override { return 0; }

  void geometry(std::size_t, const Place& place, const BodyEnd& A, const BodyEnd& B, const double*,
                bool derivative, ContactGeometry& out) const override {
    const ConvexSet& a = *world().body(place.start.a).shape;
    const ConvexSet& b = *world().body(place.start.b).shape;
    if (derivative) {
      out.D_point.setZero(3, pose_columns);
      out.D_point.leftCols<3>().setIdentity();
      out.D_n.setZero(3, pose_columns);
      out.D_gap.setZero(pose_columns);
      out.D_equations.resize(0, pose_columns);
    }
    out.equations.resize(0);
    if (is_half_space(b))
      on_half_space(a, A.pose, static_cast<const HalfSpace&>(b), B.pose, derivative, out);
    else
      on_ball(a.radius(), A.pose.x, b.radius(), B.pose.x, derivative, out);
    out.distance = out.gap;
    out.set_frame(a.dim(), place.axis, derivative);
  }

  static void on_ball(double r_a, const Vec3& x_a, double r_b, const Vec3& x_b, bool derivative,
                      ContactGeometry& out) {
    const Vec3 d = x_a - x_b;
    const double distance = d.norm();
    out.n = d / distance;
    out.gap = distance - r_a - r_b;
    out.point = x_a - r_a * out.n;
    if (!derivative) return;
    const Mat3 P = (Mat3::Identity() - out.n * out.n.transpose()) / distance;
    out.D_n.leftCols<3>() = P;
    out.D_n.middleCols<3>(6) = -P;
    out.D_gap.head<3>() = out.n.transpose();
    out.D_gap.segment<3>(6) = -out.n.transpose();
    out.D_point -= r_a * out.D_n;
  }

  static void on_half_space(const ConvexSet& a, const Pose& pose, const HalfSpace& b,
                            const Pose& ground, bool derivative, ContactGeometry& out) {
    out.n = ground.R * b.normal();
    const Mat3 Q = pose.R * squared_axes(a).asDiagonal() * pose.R.transpose();
    const Vec3 Qn = Q * out.n;
    const double depth = std::sqrt(out.n.dot(Qn));
    out.gap = out.n.dot(pose.x - ground.x) - b.offset() - depth;
    out.point = pose.x - Qn / depth;
    if (!derivative) return;
    const Mat3 D_Qn = Q * cross_matrix(out.n) - cross_matrix(Qn);  // by δθ
    const Eigen::RowVector3d D_depth = out.n.transpose() * D_Qn / (2.0 * depth);
    out.D_gap.head<3>() = out.n.transpose();
    out.D_gap.segment<3>(3) = -D_depth;
    out.D_point.middleCols<3>(3) = -(D_Qn - Qn * D_depth / depth) / depth;
  }
};

class TzitzourisPang final : public ImplicitStepping {
 public:
  using ImplicitStepping::ImplicitStepping;

 private:
  std::shared_ptr<ImplicitStep> make_step() const override {
    return std::make_shared<ClosedFormStep>();
  }
  void start_geometry(const ImplicitStep&, std::size_t, const ContactPoint&, const Pose&,
                      const Pose&, double*) const override {}
};

std::string without_closed_form(const World& world) {
  for (const Pair& pair : world.pairs()) {
    const Body &a = world.body(pair.a), &b = world.body(pair.b);
    const bool known = (is_ball(*a.shape) && is_ball(*b.shape)) ||
                       (is_ellipsoid(*a.shape) && is_half_space(*b.shape));
    if (!known)
      return fmt::format("{} ({}) and {} ({}) have no gap function in closed form", a.name,
                         a.shape->kind(), b.name, b.shape->kind());
  }
  return ImplicitStepping::inapplicable(world);
}

const Register<FormulationEntry> entry{{
    .name = "tzitzouris-pang",
    .summary = "implicit time stepping with a closed-form gap, elliptic friction with torsion: one "
               "mixed NCP per step",
    .cite = "Trinkle, Tzitzouris, Pang 2001, Phil. Trans. R. Soc. A 359",
    .parameters = ImplicitStepping::parameters(),
    .default_solver = "newton-fb",
    .takes_shaking = true,
    .inapplicable = without_closed_form,
    .make =
        [](const World& world, const Parameters& settings, std::unique_ptr<Solver> solver) {
          return std::make_unique<TzitzourisPang>(world, settings, std::move(solver));
        },
}};

}  // namespace

}  // namespace touchstone

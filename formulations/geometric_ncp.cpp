/// geometric-ncp: geometrically implicit time stepping; the closest points are unknowns.
///
/// N. Chakraborty, S. Berard, S. Akella, J. Trinkle, "An implicit time-stepping method for
/// multibody systems with intermittent contact", RSS 2007. Bodies are convex sets f ≤ 0 (body a)
/// and g ≤ 0 (body b). Equations (10), (11); dynamics and friction are in common/implicit_step.hpp,
/// here are the closest points of each contact (9), with n the unit normal of b at a2 and (t, o) ⟂
/// n:
///
///     t·(a1 − a2) = 0,  o·(a1 − a2) = 0        a1 − a2 is along the normal                (9a)
///     t·∇f(a1)/|∇f| = 0,  o·∇f(a1)/|∇f| = 0    unit normals are opposite                  (9b)
///     f(a1) = 0,  g(a2) = 0                                                               (9c)
///     0 ≤ p_n ⊥ f(a2) ≥ 0                      or g(a1), or the distance                  (6)
///
/// Bodies that are intersections f_i ≤ 0, i = 1…m (appendix): ∇f/|∇f| above is N = Σ l_i
/// ∇f_i/|∇f_i|, and (9c) becomes Σ l_i = 1, 0 ≤ l_i ⊥ −f_i(a1) ≥ 0 (20); the gap is Σ l_i f_i(a2).
///
/// Unknowns: ν [m/s, rad/s]; per contact a1, a2 [m], (l,) p_n, p_t, p_o [N·s], p_r [N·m·s],
/// σ [m/s]: 6 n_b + 11 n_c in space. On a half-space a2 has one coordinate less, since g(a2) = 0 is
/// solved for it (example 1 of the paper: 9 unknowns).
///
/// Deviations:
/// - The vector equations (9) have one dependent row each: the components along t and o are taken.
///   They hold also where the normals agree instead of opposing each other, on the far side of a
///   body; such an answer is refused.
/// - (22) sets one multiplier of each body to one, which needs to know an active surface, and two
///   unit vectors then cannot be equated in general (both sides have been scaled). Here Σ l_i = 1
///   and complementarity (20) choose the active surfaces within the step.
/// - (19) asks for max f_i(a2) ≥ 0. On a face the closest points are not unique, and with a1 at the
///   edge of the face a2 = a1 + ψn has f_side(a2) = 0 at any depth ψ < 0: a box sinks through the
///   floor. The surfaces that carry the normal decide here: Σ l_i f_i(a2) ≥ 0.
/// - q⁺ turns orientations by the exponential map of hω⁺ and not by q + hGν⁺, a difference of
/// O(h³).

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "formulations/common/implicit_stepping.hpp"
#include "formulations/common/rotation.hpp"
#include "geometry/shapes.hpp"

namespace touchstone {

namespace {

enum class Gap { f, g, distance };

/// Surfaces within this distance of a point meet there, relative to the radius of the body [1].
constexpr double meeting_depth = 1e-6;

/// One body of a contact: the surfaces that are looked at, and its point as a function of y.
struct Side {
  const ConvexSet* set = nullptr;
  std::array<int, max_surfaces> surface{};
  int m = 0;                   // surfaces
  bool plane = false;          // a half-space: the point has dim − 1 coordinates
  Vec3 origin = Vec3::Zero();  // point = origin + span·y
  Eigen::Matrix<double, 3, Eigen::Dynamic, Eigen::ColMajor, 3, 3> span;
  int first = 0;        // of its coordinates in y
  int multiplier = -1;  // of l in y; −1 for a single surface

  int coordinates() const { return static_cast<int>(span.cols()); }
  Vec3 point(const double* y) const {
    return origin + span * Eigen::Map<const Vec>(y + first, span.cols());
  }
};

/// N of one side and its derivatives with respect to its pose, its point and its multipliers.
struct Normal {
  Vec3 N = Vec3::Zero();
  Mat3 D_x, D_theta, D_point;
  Eigen::Matrix<double, 3, Eigen::Dynamic, Eigen::ColMajor, 3, max_surfaces> D_l;
  std::array<double, max_surfaces> f{};  // values and world gradients at the point
  std::array<Vec3, max_surfaces> gradient;
};

void normal_of(const Side& side, const Pose& pose, const Vec3& a, const double* y, bool derivative,
               Normal& out) {
  const Vec3 r = a - pose.x, x = pose.R.transpose() * r;
  out.N.setZero();
  if (derivative) {
    out.D_x.setZero();
    out.D_theta.setZero();
    out.D_l.resize(3, side.m);
  }
  for (int i = 0; i < side.m; ++i) {
    const int j = side.surface[static_cast<std::size_t>(i)];
    const auto k = static_cast<std::size_t>(i);
    out.f[k] = side.set->value(j, x);
    const Vec3 G = pose.R * side.set->gradient(j, x);
    out.gradient[k] = G;
    const double size = G.norm();
    const Vec3 unit = G / size;
    const double l = side.m > 1 ? y[side.multiplier + i] : 1.0;
    out.N += l * unit;
    if (!derivative) continue;
    const Mat3 H = pose.R * side.set->hessian(j, x) * pose.R.transpose();
    const Mat3 P = (l / size) * (Mat3::Identity() - unit * unit.transpose());
    const Mat3 PH = P * H;
    out.D_x -= PH;
    out.D_theta += PH * cross_matrix(r) - P * cross_matrix(G);
    out.D_l.col(i) = unit;
  }
  if (derivative) out.D_point = -out.D_x;
}

class GeometricStep final : public ImplicitStep {
 public:
  explicit GeometricStep(Gap gap) : gap_(gap) {}
  struct Sides {
    Side a, b;
    double gap_scale = 1.0;
  };
  const Sides& sides(std::size_t i) const { return sides_[i]; }

 private:
  int geometric_unknowns(std::size_t i, const Place& place) override {
    if (sides_.size() <= i) sides_.resize(i + 1);
    Sides& s = sides_[i];
    const Contact& c = place.start;
    set_side(c.a, c.point, s.a);
    set_side(c.b, c.point - c.gap * c.n, s.b);
    s.a.first = 0;
    s.b.first = s.a.coordinates();
    int n = s.b.first + s.b.coordinates();
    for (Side* side : {&s.a, &s.b}) {
      side->multiplier = side->m > 1 ? n : -1;
      if (side->m > 1) n += side->m;
    }
    s.gap_scale = 1.0;
    if (gap_ != Gap::distance) {
      const Side& side = gap_ == Gap::f ? s.a : s.b;
      const Pose& pose = start_pose(gap_ == Gap::f ? c.a : c.b);
      s.gap_scale = side.set->gradient(side.surface[0], pose.to_body(c.point)).norm();
    }
    return n;
  }

  void set_side(int body, const Vec3& point, Side& side) const {
    const Body& b = world().body(body);
    const Pose& pose = start_pose(body);
    side.set = b.shape.get();
    const int dim = side.set->dim(), count = side.set->count();
    side.m = std::min(count, max_surfaces);
    side.plane = count == 1 && !side.set->bounded() && b.fixed;
    if (side.plane) {
      Contact frame;
      frame.n = pose.R * side.set->gradient(0, Vec3::Zero()).normalized();
      set_tangents(dim, frame);
      const Vec3 at = pose.to_body(point);
      const Vec3 g = side.set->gradient(0, at);
      side.origin = pose.to_world(at - side.set->value(0, at) / g.squaredNorm() * g);
      side.span.resize(3, dim - 1);
      side.span.col(0) = frame.t;
      if (dim == 3) side.span.col(1) = frame.o;
    } else {
      side.origin.setZero();
      side.span = Mat3::Identity().leftCols(dim);
    }
    if (count == 1) {
      side.surface[0] = 0;
      return;
    }
    // The surfaces nearest to the point; the first is the nearest.
    const Vec3 x = pose.to_body(point);
    const auto height = [&](int j) {
      return side.set->value(j, x) / side.set->gradient(j, x).norm();
    };
    std::vector<int> order(static_cast<std::size_t>(count));
    for (int j = 0; j < count; ++j) order[static_cast<std::size_t>(j)] = j;
    std::partial_sort(order.begin(), order.begin() + side.m, order.end(),
                      [&](int j, int k) { return height(j) > height(k); });
    std::copy_n(order.begin(), side.m, side.surface.begin());
  }

  double gap_scale(std::size_t i, const Place&) const override { return sides_[i].gap_scale; }

  bool determines_points(std::size_t i, const Place&) const override {
    return sides_[i].a.m == 1 && sides_[i].b.m == 1;
  }

  void bounds(std::size_t i, const Place&, double* l) const override {
    for (const Side* side : {&sides_[i].a, &sides_[i].b})
      if (side->m > 1) std::fill_n(l + side->multiplier, side->m, 0.0);
  }

  void geometry(std::size_t i, const Place& place, const BodyEnd& A, const BodyEnd& B,
                const double* y, bool derivative, ContactGeometry& out) const override {
    const Side &a = sides_[i].a, &b = sides_[i].b;
    const int dim = a.set->dim(), n_y = place.n_y, columns = pose_columns + n_y;
    const Vec3 a1 = a.point(y), a2 = b.point(y), d = a1 - a2;
    Normal na, nb;
    normal_of(a, A.pose, a1, y, derivative, na);
    normal_of(b, B.pose, a2, y, derivative, nb);
    const double size = nb.N.norm();
    out.n = nb.N / size;
    out.point = a1;
    out.distance = out.n.dot(d);

    // Columns of a side: its pose, its point, its multipliers.
    const int first_a = pose_columns + a.first, first_b = pose_columns + b.first;
    const auto spread = [&](const Side& side, int pose, int first, const auto& D_x,
                            const auto& D_theta, const auto& D_point, auto&& D) {
      D.template middleCols<3>(pose) += D_x;
      D.template middleCols<3>(pose + 3) += D_theta;
      D.middleCols(first, side.coordinates()) += D_point * side.span;
    };
    Columns3 D_N;  // of N_a
    if (derivative) {
      out.D_point.setZero(3, columns);
      out.D_point.middleCols(first_a, a.coordinates()) = a.span;
      const Mat3 P = (Mat3::Identity() - out.n * out.n.transpose()) / size;
      out.D_n.setZero(3, columns);
      spread(b, 6, first_b, P * nb.D_x, P * nb.D_theta, P * nb.D_point, out.D_n);
      if (b.m > 1) out.D_n.middleCols(pose_columns + b.multiplier, b.m) = P * nb.D_l;
      D_N.setZero(3, columns);
      spread(a, 0, first_a, na.D_x, na.D_theta, na.D_point, D_N);
      if (a.m > 1) D_N.middleCols(pose_columns + a.multiplier, a.m) = na.D_l;
    }
    out.set_frame(dim, place.axis, derivative);

    out.equations.resize(n_y);
    if (derivative) out.D_equations.setZero(n_y, columns);
    int row = 0;
    for (int k = 0; k < dim - 1; ++k) {  // (9a), (9b)
      const Vec3& s = k == 0 ? out.t : out.o;
      out.equations[row] = s.dot(d);
      out.equations[row + 1] = s.dot(na.N);
      if (derivative) {
        const Columns3& D_s = k == 0 ? out.D_t : out.D_o;
        out.D_equations.row(row) = d.transpose() * D_s;
        out.D_equations.row(row).segment(first_a, a.coordinates()) += s.transpose() * a.span;
        out.D_equations.row(row).segment(first_b, b.coordinates()) -= s.transpose() * b.span;
        out.D_equations.row(row + 1) = na.N.transpose() * D_s + s.transpose() * D_N;
      }
      row += 2;
    }
    const auto value = [&](const Side& side, int pose, int first, const Pose& at, const Vec3& x,
                           const Vec3& G, auto&& D) {  // D of f(x) with world gradient G
      spread(side, pose, first, -G.transpose(), (G.cross(x - at.x)).transpose(), G.transpose(), D);
    };
    const auto surface_rows = [&](const Side& side, const Normal& n, int pose, int first,
                                  const Pose& at, const Vec3& x) {
      if (side.m == 1) {  // (9c)
        if (side.plane) return;
        out.equations[row] = n.f[0];
        if (derivative) value(side, pose, first, at, x, n.gradient[0], out.D_equations.row(row));
        ++row;
        return;
      }
      out.equations[row] = -1.0;
      for (int k = 0; k < side.m; ++k) out.equations[row] += y[side.multiplier + k];
      if (derivative)
        out.D_equations.row(row).segment(pose_columns + side.multiplier, side.m).setOnes();
      ++row;
      for (int k = 0; k < side.m; ++k) {  // (20), in the rows of l
        const int at_row = side.multiplier + k;
        out.equations[at_row] = -n.f[static_cast<std::size_t>(k)];
        if (derivative)
          value(side, pose, first, at, x, -n.gradient[static_cast<std::size_t>(k)],
                out.D_equations.row(at_row));
      }
    };
    surface_rows(a, na, 0, first_a, A.pose, a1);
    surface_rows(b, nb, 6, first_b, B.pose, a2);

    // (6), (19)
    if (derivative) out.D_gap.setZero(columns);
    if (gap_ == Gap::distance) {
      out.gap = out.distance;
      if (!derivative) return;
      out.D_gap = d.transpose() * out.D_n;
      out.D_gap.segment(first_a, a.coordinates()) += out.n.transpose() * a.span;
      out.D_gap.segment(first_b, b.coordinates()) -= out.n.transpose() * b.span;
      return;
    }
    const bool of_f = gap_ == Gap::f;  // f at a2, or g at a1
    const Side &surfaces = of_f ? a : b, &pointer = of_f ? b : a;
    const Pose& pose = of_f ? A.pose : B.pose;
    const Vec3& at = of_f ? a2 : a1;
    const Vec3 x = pose.to_body(at);
    const int own = of_f ? first_b : first_a;
    out.gap = 0.0;
    for (int k = 0; k < surfaces.m; ++k) {
      const int surface = surfaces.surface[static_cast<std::size_t>(k)];
      const double l = surfaces.m > 1 ? y[surfaces.multiplier + k] : 1.0;
      const double f = surfaces.set->value(surface, x);
      out.gap += l * f;
      if (!derivative) continue;
      value(pointer, of_f ? 0 : 6, own, pose, at, l * (pose.R * surfaces.set->gradient(surface, x)),
            out.D_gap);
      if (surfaces.m > 1) out.D_gap[pose_columns + surfaces.multiplier + k] += f;
    }
  }

  Gap gap_;
  std::vector<Sides> sides_;
};

class GeometricNcp final : public ImplicitStepping {
 public:
  GeometricNcp(const World& world, const Parameters& settings, std::unique_ptr<Solver> solver)
      : ImplicitStepping(world, settings, std::move(solver)),
        gap_(settings.text("gap") == "f(a2)"   ? Gap::f
             : settings.text("gap") == "g(a1)" ? Gap::g
                                               : Gap::distance) {}

 private:
  std::shared_ptr<ImplicitStep> make_step() const override {
    return std::make_shared<GeometricStep>(gap_);
  }

  void start_geometry(const ImplicitStep& step, std::size_t i, const ContactPoint& near,
                      const Pose& a, const Pose& b, double* y) const override {
    const auto& sides = static_cast<const GeometricStep&>(step).sides(i);
    start_side(sides.a, a, near.on_a, -near.normal, y);
    start_side(sides.b, b, near.on_b, near.normal, y);
  }

  /// The multipliers of an intersection start at the surface that faces the other body most; at an
  /// edge or a corner, where none does, at the least-squares combination of those that meet there.
  static void start_side(const Side& side, const Pose& pose, const Vec3& point, const Vec3& outward,
                         double* y) {
    Eigen::Map<Vec>(y + side.first, side.coordinates()) =
        side.span.transpose() * (point - side.origin);
    if (side.m == 1) return;
    Eigen::Map<Vec> l(y + side.multiplier, side.m);
    l.setZero();
    const Vec3 x = pose.to_body(point), d = pose.R.transpose() * outward;
    Eigen::Matrix<double, 3, Eigen::Dynamic, Eigen::ColMajor, 3, max_surfaces> meeting(3, 0);
    std::array<int, max_surfaces> which{};
    int best = 0;
    double facing = -2.0;
    for (int k = 0; k < side.m; ++k) {
      const int j = side.surface[static_cast<std::size_t>(k)];
      const Vec3 gradient = side.set->gradient(j, x);
      const Vec3 unit = gradient.normalized();
      if (unit.dot(d) > facing) {
        facing = unit.dot(d);
        best = k;
      }
      if (side.set->value(j, x) < -meeting_depth * gradient.norm() * side.set->radius()) continue;
      meeting.conservativeResize(3, meeting.cols() + 1);
      meeting.col(meeting.cols() - 1) = unit;
      which[static_cast<std::size_t>(meeting.cols() - 1)] = k;
    }
    l[best] = 1.0;
    if (facing > 1.0 - 1e-9 || meeting.cols() < 2) return;
    const Vec weights = Mat(meeting).colPivHouseholderQr().solve(d).cwiseMax(0.0);
    if (!(weights.sum() > 0.0)) return;
    l.setZero();
    for (Eigen::Index k = 0; k < weights.size(); ++k)
      l[which[static_cast<std::size_t>(k)]] = weights[k] / weights.sum();
  }

  std::string implausible(const ImplicitStep& step, const Vec& z) const override;

  Gap gap_;
};

std::string GeometricNcp::implausible(const ImplicitStep& step, const Vec& z) const {
  const auto& geometric = static_cast<const GeometricStep&>(step);
  for (std::size_t i = 0; i < step.places().size(); ++i) {
    const ImplicitStep::Place& place = step.places()[i];
    const Side& a = geometric.sides(i).a;
    const double* y = z.data() + place.first;
    const Contact contact = step.contact_at(z, i);
    const Pose pose = step.pose_at(z, place.start.a);
    Normal n;
    normal_of(a, pose, a.point(y), y, false, n);
    if (n.N.dot(contact.n) < 0.0) continue;
    return "the closest points are on the far side of a body";
  }
  return {};
}

const Register<FormulationEntry> entry{{
    .name = "geometric-ncp",
    .summary =
        "geometrically implicit time stepping, closest points as unknowns, elliptic friction "
        "with torsion: one mixed NCP per step",
    .cite = "Chakraborty, Berard, Akella, Trinkle 2007, RSS",
    .parameters =
        [] {
          Parameters all{text("gap", "f(a2)", "what p_n is complementary to (equation 6)")
                             .one_of({"f(a2)", "g(a1)", "distance"})};
          all.declare(ImplicitStepping::parameters());
          return all;
        }(),
    .default_solver = "newton-fb",
    .takes_shaking = true,
    .inapplicable = [](const World& world) { return ImplicitStepping::inapplicable(world); },
    .make =
        [](const World& world, const Parameters& settings, std::unique_ptr<Solver> solver) {
          return std::make_unique<GeometricNcp>(world, settings, std::move(solver));
        },
}};

}  // namespace

}  // namespace touchstone

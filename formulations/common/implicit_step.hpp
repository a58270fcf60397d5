#pragma once

/// One step of a geometrically implicit method as a mixed complementarity problem: all blocks at
/// the end of the step, where the bodies are at q⁺ = q + hGν⁺ (Chakraborty et al. 2007, equations
/// (10) and (11)):
///
///     0 = −M(ν⁺ − ν) + W_n⁺p_n + W_t⁺p_t + W_o⁺p_o + W_r⁺p_r + p_ext            (10, dynamics)
///     0 = the contact's own geometric equations, in its own unknowns y           (10, closest
///     points) 0 = e_k²μ p_n (W_k⁺)ᵀν⁺ + p_k σ,                        k = t, o, r       (10,
///     friction) 0 ≤ p_n ⊥ gap ≥ 0,   0 ≤ σ ⊥ μ²p_n² − Σ_k p_k²/e_k² ≥ 0                   (11)
///
/// A method says what its geometry is (`geometry`, `bounds`): the point and the frame (n, t, o) of
/// each contact as functions of the two poses and of y, with derivatives. Everything else is here.
///
/// Unknowns: ν of each body, then per contact (y, p_n, p_k…, σ). A component of friction whose
/// weight e_k is zero has no unknown, and a contact without friction (μ = 0) no σ. The slip that σ
/// measures is √Σ(e_k u_k)².
///
/// An object belongs to one thread (it keeps workspaces).

#include <Eigen/Dense>
#include <array>
#include <memory>
#include <span>
#include <vector>

#include "formulations/common/block_pattern.hpp"
#include "formulations/common/contacts.hpp"

namespace touchstone {

/// A body at the end of the step, as a function of its velocity.
struct BodyEnd {
  Pose pose;
  Twist twist;
  Mat3 turn = Mat3::Identity();  // δθ = h turn δω: rotation of the pose, world axes
};

/// Surfaces of one body that a contact looks at: at an edge or a corner several are active.
constexpr int max_surfaces = 8;
constexpr int max_geometric = 6 + 2 * max_surfaces;  // y of a contact
/// Local columns of a contact: (δx, δθ) of body a, of body b, then y.
constexpr int pose_columns = 12;

using Columns3 =
    Eigen::Matrix<double, 3, Eigen::Dynamic, Eigen::ColMajor, 3, pose_columns + max_geometric>;
using ColumnsY = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor,
                               max_geometric, pose_columns + max_geometric>;
using RowY =
    Eigen::Matrix<double, 1, Eigen::Dynamic, Eigen::RowMajor, 1, pose_columns + max_geometric>;

/// Where a contact is at the end of the step, and how that depends on the local columns.
struct ContactGeometry {
  Vec3 point, n, t, o;
  double gap = 0.0;       // what p_n is complementary to: > 0 separated
  double distance = 0.0;  // n·(a1 − a2) [m]
  Eigen::Matrix<double, Eigen::Dynamic, 1, Eigen::ColMajor, max_geometric, 1> equations;
  Columns3 D_point, D_n, D_t, D_o;
  RowY D_gap;
  ColumnsY D_equations;

  /// Sets (t, o) and, with `derivative`, D_t and D_o from n and D_n. `axis` is the one that t is
  /// made from (spatial); it is held over a step, so that the frame is smooth.
  void set_frame(int dim, const Vec3& axis, bool derivative);
};

constexpr int max_own = max_geometric + 5;  // y, p_n, three of friction, σ
constexpr int wrench_rows = 9;              // force, torque about a, torque about b
using ContactColumn =
    Eigen::Matrix<double, Eigen::Dynamic, 1, Eigen::ColMajor, wrench_rows + max_own, 1>;

/// What one contact contributes: its impulse on a (and, reversed, on b), its rows, and their
/// derivatives. D has the rows (force, torque a, torque b, rows) and the columns (poses, own
/// unknowns); through the velocities, the friction rows change by C_u W.
struct ContactRows {
  ContactGeometry geometry;
  Vec3 force, torque_a, torque_b;
  Eigen::Matrix<double, Eigen::Dynamic, 1, Eigen::ColMajor, max_own, 1> rows;
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor, wrench_rows + max_own,
                pose_columns + max_own>
      D;
  Eigen::Matrix<double, Eigen::Dynamic, 12, Eigen::ColMajor, 3, 12> W;
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor, 3, 3> C_u;
};

class ImplicitStep : public McpFunction {
 public:
  /// One contact's place in z. p_k are those components whose weight is positive.
  struct Place {
    int a = 0, b = 0;  // ranks in the list of bodies; −1 when fixed
    Contact start;     // at the start of the step
    Vec3 axis = Vec3::UnitX();
    int first = 0, n_y = 0, n_friction = 0;
    std::array<int, 3> component{};  // 0: t, 1: o, 2: r
    std::array<double, 3> weight{};  // e_k
    double A_n = 1.0;                // wᵀM⁻¹w at the start: inverse effective masses
    std::array<double, 3> A_f{};
    double widened = 0.0;  // see widen_gaps; in the gap's unit
    int p_n() const { return first + n_y; }
    int p_f(int k) const { return first + n_y + 1 + k; }
    int sigma() const { return first + n_y + 1 + n_friction; }  // when n_friction > 0
    int size() const { return n_y + 1 + n_friction + (n_friction > 0 ? 1 : 0); }
  };

  /// Sets up the step of these bodies and contacts. The world must outlive the object; the rest is
  /// copied.
  void begin(const World& world, const Configuration& start, const Vec& nu_free,
             std::span<const Contact> contacts, std::span<const int> bodies, double h);

  void evaluate(const Vec& z, Vec& F) const final;
  void jacobian(const Vec& z, SpMat& J) const final;

  /// The same problem with the friction law and the normal row as projections,
  ///     p̂ = proj(p̂ − ρû) onto the ball of radius μp_n,  p̂_k = p_k/e_k, û_k = e_k u_k,
  ///     p_n = max(0, p_n − ρ gap),
  /// semismooth equations that stay regular at a separated contact. σ has the row 0 = 0·σ + … with
  /// a unit diagonal: it plays no part, `set_slips` gives it afterwards.
  void projected(const Vec& z, Vec& F, SpMat& J) const;
  /// d with J d = F of the projected form, the unknowns y of contacts that allow it eliminated
  /// first, contact by contact: the same step from a system of 6 n_b + 4 n_c unknowns. False when
  /// the system is singular.
  bool newton_step(const Vec& z, Vec& d) const;
  /// σ = the slip where friction is at its limit or the contact open, else 0.
  void set_slips(Vec& z) const;
  /// How far friction lies outside its ellipsoid, max √Σ(p_k/e_k)² − μp_n [N·s].
  double friction_excess(const Vec& z) const;

  /// Friction coefficients are multiplied by this (continuation); 1 after `begin`.
  void scale_friction(double factor) { friction_ = factor; }

  /// Continuation in the gap: every gap that is negative at z is widened by as much, times the
  /// factor of `scale_widening`; nothing is after `begin`.
  void widen_gaps(const Vec& z);
  void scale_widening(double factor) { widening_ = factor; }

  /// Largest entry of Mν_free [N·s, N·m·s]: the size of the data, for tolerances.
  double momentum_scale() const;

  int size() const { return size_; }
  int nu_size() const { return static_cast<int>(bodies_.size()) * dof_; }
  double h() const { return h_; }
  const World& world() const { return *world_; }
  const std::vector<Place>& places() const { return places_; }
  std::span<const int> bodies() const { return bodies_; }

  /// The problem's bounds and velocity scale.
  void fill(Mcp& mcp) const;
  /// Contact i at the end of the step that z describes.
  Contact contact_at(const Vec& z, std::size_t i) const;
  /// Pose of a body at the end of the step.
  Pose pose_at(const Vec& z, int body) const {
    move_bodies(z);
    return end(rank(body), body).pose;
  }
  /// Rank of a body in the list, −1 when fixed.
  int rank(int body) const;

 protected:
  /// Number of the contact's own unknowns and equations. May look at `place.start`.
  virtual int geometric_unknowns(std::size_t i, const Place& place) = 0;
  virtual void geometry(std::size_t i, const Place& place, const BodyEnd& a, const BodyEnd& b,
                        const double* y, bool derivative, ContactGeometry& out) const = 0;
  /// Lower bounds of y (−∞ by default) and the size of a unit of each equation in metres.
  virtual void bounds(std::size_t, const Place&, double*) const {}
  /// Whether the equations of contact i determine y for given poses. (On a face they do not: where
  /// the contact is then follows from the motion.)
  virtual bool determines_points(std::size_t, const Place&) const { return true; }
  /// d gap / d distance at the start: turns the gap's unit into metres.
  virtual double gap_scale(std::size_t, const Place&) const { return 1.0; }

  const Pose& start_pose(int body) const;
  double step_length() const { return h_; }

 private:
  enum class Form { paper, projected };
  void move_bodies(const Vec& z) const;
  double friction_used(const Place& place, const Vec& z) const;  // √Σ(p_k/e_k)² [N·s]
  const BodyEnd& end(int rank, int body) const;
  void differentiate(const Vec& z, SpMat& J, Form form, Vec* F) const;

  void contact_rows(const Place& place, const Vec& z, Form form, bool derivative,
                    ContactRows& local) const;
  template <class Writer>
  void scatter(const Place& place, const ContactRows& local, int first, int friction_row,
               const Writer& write) const;
  Vec6 momentum_row(std::size_t k, const Vec& z) const;
  void expand(Vec& d) const;

  const World* world_ = nullptr;
  int dof_ = 6, dim_ = 3, size_ = 0;
  double h_ = 0.0, friction_ = 1.0, widening_ = 0.0;
  std::vector<int> bodies_, ranks_;
  std::vector<Pose> starts_;  // of every body of the world
  std::vector<Mat6> mass_;    // of the listed bodies
  std::vector<Vec6> nu_free_;
  std::vector<Place> places_;
  mutable std::vector<BodyEnd> ends_;
  mutable Vec moved_;           // ν that they were moved with; empty: none yet
  std::vector<BodyEnd> fixed_;  // of every body; only those of fixed ones are used

  // Workspaces: the Jacobian's pattern, and the reduced system of `newton_step`.
  mutable BlockPattern pattern_, reduced_pattern_;
  mutable std::vector<BlockPattern::Contact> shape_;
  struct Reduced {  // A⁻¹[F_y | B] of each contact whose y is eliminated
    Eigen::Matrix<double, Eigen::Dynamic, pose_columns + 1, Eigen::ColMajor, max_geometric> X;
  };
  mutable std::vector<Reduced> reduced_;
  mutable Vec rhs_;
  mutable Mat dense_;
  mutable SpMat sparse_;
  mutable ContactRows local_, kept_;
  struct SparseFactors;
  mutable std::shared_ptr<SparseFactors> factors_;
};

}  // namespace touchstone

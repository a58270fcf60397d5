#pragma once

/// Contacts and their wrench columns: the blocks W_n, W_t, W_o, W_r that every formulation shares.

#include <span>
#include <string>
#include <vector>

#include "formulations/common/state.hpp"
#include "geometry/contact_points.hpp"

namespace touchstone {

/// A contact candidate between two bodies at one configuration.
struct Contact {
  int a = 0, b = 0;           // bodies: impulses act + on a, − on b
  int feature = 0;            // which features of the pair meet; see contact_name
  Vec3 point = Vec3::Zero();  // where the impulse acts, world [m]
  Vec3 n = Vec3::Zero();      // unit normal, from b to a
  Vec3 t = Vec3::Zero();      // tangents: (n, t, o) right-handed; planar worlds use t only
  Vec3 o = Vec3::Zero();
  double gap = 0.0;                  // ψ [m]: > 0 separated, < 0 penetrating
  const FrictionLaw* law = nullptr;  // of the pair, owned by the world
};

/// "disc/ground", or "box/ground#3" for pairs that can touch at several features at once.
std::string contact_name(const World& world, const Contact& contact);

/// Tangents of a unit normal. Planar: t = n turned by −90°, so that n = y gives t = x. Spatial: t
/// is x (or, when n is nearly along it, y) made orthogonal to n, so that n = z gives t = x, o = y.
void set_tangents(int dim, Contact& contact);
/// The axis that the spatial t of this normal is made from.
Vec3 tangent_axis(const Vec3& n);

/// All candidates that may matter in a step of length h: the gap is within twice the distance that
/// the two bodies can travel towards each other at their present speeds and loads, so that a
/// contact that an impulse of this step creates is still seen. h = 0 gives the contacts that touch
/// or penetrate.
void find_contacts(const Configuration& configuration, const State& state, double h,
                   std::vector<Contact>& out);

/// All candidates whose gap is at most `margin` [m].
void find_contacts_within(const Configuration& configuration, double margin,
                          std::vector<Contact>& out);

/// Boxes around the balls that hold the bodies, wider by the margins [m]: two of them overlap
/// whenever the gap is within the sum of the margins. Infinite for a half-space.
void bounding_boxes(const Configuration& configuration, const std::vector<double>& margins,
                    std::vector<Box>& boxes);

/// One column of a block W: the generalised unit impulse of a contact on the (at most) two moving
/// bodies that it touches. W's other entries are zero and never stored.
struct Column {
  int a = -1, b = -1;  // bodies; −1 when fixed
  Vec6 on_a = Vec6::Zero(), on_b = Vec6::Zero();
};

/// Column of a unit impulse along `force` and a unit angular impulse along `moment` (world axes).
/// Both bodies feel it at the same point, so that linear and angular momentum are conserved exactly
/// at any gap.
Column wrench_column(const World& world, const Configuration& configuration, const Contact& contact,
                     const Vec3& force, const Vec3& moment = Vec3::Zero());

/// Wᵀν for one column: the velocity that is conjugate to the impulse.
double velocity(const World& world, const Column& column, const Vec& nu);

/// ν ← ν + M⁻¹ W p for one column.
void apply_impulse(const Configuration& configuration, const Column& column, double p, Vec& nu);

/// wᵢᵀ M⁻¹ wⱼ: an entry of the Delassus matrix.
double delassus(const Configuration& configuration, const Column& wi, const Column& wj);

/// W₁ᵀ M⁻¹ W₂ written into a block of the right size.
void delassus(const Configuration& configuration, std::span<const Column> W1,
              std::span<const Column> W2, Eigen::Ref<Mat> block);

/// A block W as a dense matrix over the velocities of the listed moving bodies, in their order.
Mat dense(const World& world, std::span<const Column> W, std::span<const int> bodies);

}  // namespace touchstone

/// Newton's step of the projected form, the closest points eliminated contact by contact.
///
/// The rows of a contact are, with x the two poses, y its own geometric unknowns and p its
/// impulses,
///     [B A 0; R_x R_y R_p] (δx, δy, δp) = (F_y, F_R),
/// so that δy = A⁻¹F_y − A⁻¹B δx, and R_x − R_y A⁻¹B, F_R − R_y A⁻¹F_y are all that the bodies see.

#include <Eigen/SparseLU>
#include <cmath>

#include "formulations/common/implicit_scatter.hpp"

namespace touchstone {

namespace {

constexpr Eigen::Index dense_size = 100;  // unknowns up to which a dense LU is faster
constexpr double smallest_pivot = 1e-13;  // relative to the largest [1]

/// Ax = b by Gaussian elimination with partial pivoting, A and b overwritten; several right-hand
/// sides. A is column-major. False when a pivot is at round-off.
bool solve_in_place(double* A, int n, double* b, int columns) {
  double largest = 0.0;
  for (int k = 0; k < n; ++k) {
    int pivot = k;
    for (int i = k + 1; i < n; ++i)
      if (std::abs(A[k * n + i]) > std::abs(A[k * n + pivot])) pivot = i;
    const double size = std::abs(A[k * n + pivot]);
    largest = std::max(largest, size);
    if (!(size > smallest_pivot * largest) || !std::isfinite(size)) return false;
    if (pivot != k) {
      for (int j = k; j < n; ++j) std::swap(A[j * n + k], A[j * n + pivot]);
      for (int j = 0; j < columns; ++j) std::swap(b[j * n + k], b[j * n + pivot]);
    }
    const double inverse = 1.0 / A[k * n + k];
    double* factors = A + k * n;
    for (int i = k + 1; i < n; ++i) factors[i] *= inverse;
    const auto update = [&](double* column) {
      const double x = column[k];
      if (x == 0.0) return;
      for (int i = k + 1; i < n; ++i) column[i] -= factors[i] * x;
    };
    for (int j = k + 1; j < n; ++j) update(A + j * n);
    for (int j = 0; j < columns; ++j) update(b + j * n);
  }
  for (int j = 0; j < columns; ++j) {
    double* x = b + j * n;
    for (int k = n - 1; k >= 0; --k) {
      x[k] /= A[k * n + k];
      for (int i = 0; i < k; ++i) x[i] -= A[k * n + i] * x[k];
    }
  }
  return true;
}

/// Removes y from the contact's rows; x receives A⁻¹[F_y | B]. σ, which plays no part, goes too.
/// Only the first `moving` pose columns matter: those of b are last, and b may be fixed.
template <class X>
bool eliminate(const ContactRows& local, int n_y, int n_friction, int moving, X& x,
               ContactRows& kept) {
  const int own = 1 + n_friction, rows = static_cast<int>(local.D.rows());
  const int kept_rows = wrench_rows + own;
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor, max_geometric,
                max_geometric>
      A = local.D.block(wrench_rows, pose_columns, n_y, n_y);
  x.resize(n_y, pose_columns + 1);
  x.col(0) = local.rows.head(n_y);
  for (int j = 0; j < moving; ++j)
    for (int k = 0; k < n_y; ++k) x(k, 1 + j) = local.D(wrench_rows + k, j);
  if (n_y > 0 && !solve_in_place(A.data(), n_y, x.data(), 1 + moving)) return false;

  // Columns of D without the rows of y; less those of y, combined.
  const auto copy = [&](const double* from, double* to) {
    for (int r = 0; r < wrench_rows; ++r) to[r] = from[r];
    for (int r = wrench_rows; r < kept_rows; ++r) to[r] = from[r + n_y];
  };
  const auto subtract = [&](const double* weights, double* to) {
    for (int k = 0; k < n_y; ++k) {
      const double* from = local.D.data() + (pose_columns + k) * rows;
      const double weight = weights[k];
      for (int r = 0; r < wrench_rows; ++r) to[r] -= weight * from[r];
      for (int r = wrench_rows; r < kept_rows; ++r) to[r] -= weight * from[r + n_y];
    }
  };
  kept.D.resize(kept_rows, pose_columns + own);
  for (int j = 0; j < moving; ++j) {
    double* to = kept.D.data() + j * kept_rows;
    copy(local.D.data() + j * rows, to);
    subtract(x.data() + (1 + j) * n_y, to);
  }
  for (int j = 0; j < own; ++j)
    copy(local.D.data() + (pose_columns + n_y + j) * rows,
         kept.D.data() + (pose_columns + j) * kept_rows);

  ContactColumn value(kept_rows);
  value << local.force, local.torque_a, local.torque_b, local.rows.segment(n_y, own);
  subtract(x.data(), value.data());
  kept.force = value.head<3>();
  kept.torque_a = value.segment<3>(3);
  kept.torque_b = value.segment<3>(6);
  kept.rows = value.tail(own);
  kept.C_u = local.C_u;
  kept.W = local.W;
  return true;
}

/// The same rows without σ.
void drop_slip(const ContactRows& local, int own, ContactRows& kept) {
  kept.D = local.D.topLeftCorner(wrench_rows + own, pose_columns + own);
  kept.rows = local.rows.head(own);
  kept.force = local.force;
  kept.torque_a = local.torque_a;
  kept.torque_b = local.torque_b;
  kept.C_u = local.C_u;
  kept.W = local.W;
}

}  // namespace

struct ImplicitStep::SparseFactors {
  Eigen::SparseLU<SpMat> lu;
  std::vector<int> pattern;  // that was analysed

  bool solve(const SpMat& A, Vec& b) {
    const auto outer = static_cast<std::size_t>(A.outerSize() + 1);
    const auto inner = static_cast<std::size_t>(A.nonZeros());
    const bool known = pattern.size() == outer + inner &&
                       std::equal(A.outerIndexPtr(), A.outerIndexPtr() + outer, pattern.begin()) &&
                       std::equal(A.innerIndexPtr(), A.innerIndexPtr() + inner,
                                  pattern.begin() + static_cast<std::ptrdiff_t>(outer));
    if (!known) {
      lu.analyzePattern(A);
      pattern.assign(A.outerIndexPtr(), A.outerIndexPtr() + outer);
      pattern.insert(pattern.end(), A.innerIndexPtr(), A.innerIndexPtr() + inner);
    }
    lu.factorize(A);
    if (lu.info() != Eigen::Success) return false;
    b = lu.solve(b).eval();
    return b.allFinite();
  }
};

bool ImplicitStep::newton_step(const Vec& z, Vec& d) const {
  shape_.clear();
  for (std::size_t i = 0; i < places_.size(); ++i) {
    const Place& place = places_[i];
    const int kept_y = determines_points(i, place) ? 0 : place.n_y;
    shape_.push_back({place.a, place.b, kept_y + 1 + place.n_friction});
  }
  reduced_pattern_.build(static_cast<int>(bodies_.size()), dof_, shape_);
  const int n = reduced_pattern_.size();
  const bool dense = n <= dense_size;
  double* values = nullptr;
  if (dense)
    dense_.setZero(n, n);
  else
    values = reduced_pattern_.clear(sparse_);

  move_bodies(z);
  rhs_.resize(n);
  for (std::size_t k = 0; k < bodies_.size(); ++k) {
    const int first = static_cast<int>(k) * dof_;
    for (int j = 0; j < dof_; ++j)
      for (int i = 0; i < dof_; ++i)
        (dense ? dense_(first + i, first + j)
               : values[reduced_pattern_.column(first + j) + reduced_pattern_.self_run(k) + i]) -=
            mass_[k](i, j);
    rhs_.segment(first, dof_) = momentum_row(k, z).head(dof_);
  }

  reduced_.resize(places_.size());
  for (std::size_t i = 0; i < places_.size(); ++i) {
    const Place& place = places_[i];
    contact_rows(place, z, Form::projected, true, local_);
    const int own = shape_[i].size, kept_y = own - 1 - place.n_friction;
    if (kept_y == place.n_y && kept_y > 0)
      drop_slip(local_, own, kept_);
    else if (!eliminate(local_, place.n_y, place.n_friction, place.b < 0 ? 6 : pose_columns,
                        reduced_[i].X, kept_))
      return false;
    const int first = reduced_pattern_.first(i);
    if (dense)
      scatter(place, kept_, first, kept_y + 1,
              DenseWriter{dense_, place.a * dof_, place.b * dof_, first});
    else
      scatter(place, kept_, first, kept_y + 1, SparseWriter{reduced_pattern_, values, i});
    if (place.a >= 0)
      rhs_.segment(place.a * dof_, dof_) += pack(dim_, kept_.force, kept_.torque_a).head(dof_);
    if (place.b >= 0)
      rhs_.segment(place.b * dof_, dof_) -= pack(dim_, kept_.force, kept_.torque_b).head(dof_);
    rhs_.segment(first, own) = kept_.rows;
  }

  if (dense) {
    if (!solve_in_place(dense_.data(), n, rhs_.data(), 1)) return false;
  } else {
    if (!factors_) factors_ = std::make_shared<SparseFactors>();
    if (!factors_->solve(sparse_, rhs_)) return false;
  }
  expand(d);
  return true;
}

void ImplicitStep::expand(Vec& d) const {
  d.setZero(size_);
  d.head(nu_size()) = rhs_.head(nu_size());
  const auto pose_change = [&](int rank, int body) {
    Vec6 change = Vec6::Zero();
    if (rank < 0) return change;
    const Mat3& turn = end(rank, body).turn;
    const auto nu = rhs_.segment(rank * dof_, dof_);
    if (dim_ == 2)
      change << h_ * nu[0], h_ * nu[1], 0.0, h_ * turn.col(2) * nu[2];
    else
      change << h_ * nu.head<3>(), h_ * (turn * nu.segment<3>(3));
    return change;
  };
  for (std::size_t i = 0; i < places_.size(); ++i) {
    const Place& place = places_[i];
    const int first = reduced_pattern_.first(i), kept_y = shape_[i].size - 1 - place.n_friction;
    const auto impulses = rhs_.segment(first + kept_y, 1 + place.n_friction);
    d.segment(place.p_n(), 1 + place.n_friction) = impulses;
    if (kept_y > 0) {
      d.segment(place.first, kept_y) = rhs_.segment(first, kept_y);
      continue;
    }
    if (place.n_y == 0) continue;
    const auto& X = reduced_[i].X;
    const Vec6 a = pose_change(place.a, place.start.a), b = pose_change(place.b, place.start.b);
    auto y = d.segment(place.first, place.n_y);
    y = X.col(0);
    for (int k = 0; k < 6; ++k) y -= a[k] * X.col(1 + k);
    if (place.b < 0) continue;
    for (int k = 0; k < 6; ++k) y -= b[k] * X.col(7 + k);
  }
}

}  // namespace touchstone

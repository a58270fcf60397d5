#pragma once

/// Adds a contact's local derivatives to a system over bodies and contacts (for the sources of
/// ImplicitStep only).

#include "formulations/common/implicit_step.hpp"

namespace touchstone {

enum class Where { in_a, in_b, in_own };  // whose columns

/// Rows of a column of a contact: (force, torque a, torque b, own). `rows_a` and `rows_b` pick the
/// generalised rows of the two bodies.
struct SparseWriter {
  const BlockPattern& pattern;
  double* values;
  std::size_t contact;

  void operator()(Where where, int column, const double* D, int own, int dof, const int* rows_a,
                  const int* rows_b) const {
    const BlockPattern::Runs& runs = pattern.runs(contact);
    const BlockPattern::Run& run = where == Where::in_a   ? runs.in_a
                                   : where == Where::in_b ? runs.in_b
                                                          : runs.in_own;
    double* at = values + pattern.column(column);
    if (rows_a)
      for (int j = 0; j < dof; ++j) at[run.a + j] += D[rows_a[j]];
    if (rows_b)
      for (int j = 0; j < dof; ++j) at[run.b + j] -= D[rows_b[j]];
    for (int j = 0; j < own; ++j) at[run.own + j] += D[wrench_rows + j];
  }
};

struct DenseWriter {
  Mat& matrix;
  int a, b, first;  // first rows of the bodies and of the contact

  void operator()(Where, int column, const double* D, int own, int dof, const int* rows_a,
                  const int* rows_b) const {
    double* at = matrix.data() + column * matrix.rows();
    if (rows_a)
      for (int j = 0; j < dof; ++j) at[a + j] += D[rows_a[j]];
    if (rows_b)
      for (int j = 0; j < dof; ++j) at[b + j] -= D[rows_b[j]];
    for (int j = 0; j < own; ++j) at[first + j] += D[wrench_rows + j];
  }
};

/// `first`: of the contact's columns; `friction_row`: of the first friction row among its own.
template <class Writer>
void ImplicitStep::scatter(const Place& place, const ContactRows& local, int first,
                           int friction_row, const Writer& write) const {
  // Generalised rows of a body among (force, torque a, torque b), and its local pose columns.
  static constexpr int planar_a[] = {0, 1, 5}, planar_b[] = {0, 1, 8};
  static constexpr int spatial_a[] = {0, 1, 2, 3, 4, 5}, spatial_b[] = {0, 1, 2, 6, 7, 8};
  const int* rows_a = place.a < 0 ? nullptr : dim_ == 2 ? planar_a : spatial_a;
  const int* rows_b = place.b < 0 ? nullptr : dim_ == 2 ? planar_b : spatial_b;
  const int rows = static_cast<int>(local.D.rows()), own = rows - wrench_rows;
  const int nf = place.n_friction;
  std::array<double, wrench_rows + max_own> column{};
  const auto body = [&](Where where, int rank, int world_body, int pose) {
    if (rank < 0) return;
    const Mat3& turn = end(rank, world_body).turn;
    for (int j = 0; j < dof_; ++j) {
      const int part = dim_ == 2 && j == 2 ? 5 : j;  // of (δv, δω)
      if (part < 3) {
        const double* D = local.D.data() + (pose + part) * rows;
        for (int r = 0; r < rows; ++r) column[static_cast<std::size_t>(r)] = h_ * D[r];
      } else {
        const double* D = local.D.data() + (pose + 3) * rows;
        const double x = h_ * turn(0, part - 3), y = h_ * turn(1, part - 3),
                     w = h_ * turn(2, part - 3);
        for (int r = 0; r < rows; ++r)
          column[static_cast<std::size_t>(r)] = x * D[r] + y * D[rows + r] + w * D[2 * rows + r];
      }
      for (int k = 0; k < nf; ++k)
        for (int l = 0; l < nf; ++l)
          column[static_cast<std::size_t>(wrench_rows + friction_row + k)] +=
              local.C_u(k, l) * local.W(l, pose + part);
      write(where, rank * dof_ + j, column.data(), own, dof_, rows_a, rows_b);
    }
  };
  body(Where::in_a, place.a, place.start.a, 0);
  body(Where::in_b, place.b, place.start.b, 6);
  for (int j = 0; j < own; ++j)
    write(Where::in_own, first + j, local.D.data() + (pose_columns + j) * rows, own, dof_, rows_a,
          rows_b);
}

}  // namespace touchstone

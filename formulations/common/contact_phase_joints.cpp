/// Joints and redundant contacts in the motion between events.

#include <algorithm>
#include <cmath>

#include "formulations/common/contact_phase.hpp"

namespace touchstone {

namespace {

constexpr double no_mobility = 1e-12;  // of what it is without joints

}  // namespace

void ContactPhase::evaluate_joints(const Vec& nu) {
  if (world_.joints().empty()) return;
  joints_.clear();
  for (int j = 0; j < static_cast<int>(world_.joints().size()); ++j)
    joint_rows(configuration_, nu, j, joints_);
  if (fresh_) choose_joint_rows();
}

void ContactPhase::choose_joint_rows() {
  const auto n = static_cast<Eigen::Index>(joints_.size());
  std::vector<Column> J;
  for (const JointRow& row : joints_) J.push_back(row.column);
  Mat A(n, n);
  delassus(configuration_, J, J, A);
  independent_ = independent_rows(A);
}

/// The contact forces nearest to the last ones among those that fit; the joint forces follow.
void ContactPhase::solve_redundant() {
  const auto joints = static_cast<Eigen::Index>(independent_.size());
  const Eigen::Index contacts = K_.rows() - joints;
  const auto C = Eigen::seqN(0, contacts), J = Eigen::seqN(contacts, joints);
  Mat S = K_(C, C);
  Vec s = right_(C);
  if (joints > 0) {
    lu_.compute(K_(J, J));
    const Vec mobility = S.cwiseAbs().rowwise().maxCoeff();
    S -= K_(C, J) * lu_.solve(Mat(K_(J, C)));
    s -= K_(C, J) * lu_.solve(Vec(right_(J)));
    for (Eigen::Index i = 0; i < contacts; ++i)  // contacts that the joints leave no mobility
      if (S.row(i).cwiseAbs().maxCoeff() <= no_mobility * mobility[i]) S.row(i).setZero();
  }
  Eigen::CompleteOrthogonalDecomposition<Mat> cod;
  cod.setThreshold(singular);
  cod.compute(S);
  const Vec last = forces_(C);
  forces_(C) += cod.solve(s - S * last);
  if (joints > 0) forces_(J) = lu_.solve(Vec(right_(J) - K_(J, C) * forces_(C)));
}

ContactPhase::JointMiss ContactPhase::missed_joint(bool positions) const {
  JointMiss worst;
  if (independent_.size() == joints_.size()) return worst;
  double others = 0.0;
  for (int k = 0; k < static_cast<int>(joints_.size()); ++k) {
    const JointRow& row = joints_[static_cast<std::size_t>(k)];
    const double by =
        std::abs(positions ? row.value : velocity(world_, row.column, free_) + row.bias);
    if (std::binary_search(independent_.begin(), independent_.end(), k))
      others = std::max(others, by);
    else if (by > worst.by)
      worst = {row.joint, by};
  }
  worst.by = std::max(0.0, worst.by - 10.0 * others);
  return worst;
}

}  // namespace touchstone

#include "solvers/own/kkt_form.hpp"

#include <limits>

namespace touchstone {

namespace {
constexpr double inf = std::numeric_limits<double>::infinity();
}

const Mlcp& KktForm::reduce(const Qp& qp) {
  n_ = qp.c.size();
  m_ = qp.l.size();
  row_.clear();
  std::vector<double> q, l, u;
  const auto add = [&](Eigen::Index row, double bound, double low, double high) {
    row_.push_back(row);
    q.push_back(bound);
    l.push_back(low);
    u.push_back(high);
  };
  for (Eigen::Index i = 0; i < m_; ++i) {
    if (qp.l[i] == qp.u[i]) {
      add(i, qp.u[i], -inf, inf);
      continue;
    }
    if (qp.u[i] < inf) add(i, qp.u[i], 0.0, inf);
    if (qp.l[i] > -inf) add(i, qp.l[i], -inf, 0.0);
  }
  const Eigen::Index k = static_cast<Eigen::Index>(row_.size());
  const Mat A = qp.A.to_dense();
  Mat M = Mat::Zero(n_ + k, n_ + k);
  M.topLeftCorner(n_, n_) = qp.P.to_dense();
  for (Eigen::Index j = 0; j < k; ++j) {
    M.col(n_ + j).head(n_) = A.row(row_[j]).transpose();
    M.row(n_ + j).head(n_) = -A.row(row_[j]);
  }
  mlcp_.M = std::move(M);
  mlcp_.q.resize(n_ + k);
  mlcp_.l.setConstant(n_ + k, -inf);
  mlcp_.u.setConstant(n_ + k, inf);
  mlcp_.q.head(n_) = qp.c;
  mlcp_.q.tail(k) = Eigen::Map<const Vec>(q.data(), k);
  mlcp_.l.tail(k) = Eigen::Map<const Vec>(l.data(), k);
  mlcp_.u.tail(k) = Eigen::Map<const Vec>(u.data(), k);
  return mlcp_;
}

Vec KktForm::expand(const Vec& z) const {
  Vec xy = Vec::Zero(n_ + m_);
  xy.head(n_) = z.head(n_);
  for (std::size_t j = 0; j < row_.size(); ++j)
    xy[n_ + row_[j]] += z[n_ + static_cast<Eigen::Index>(j)];
  return xy;
}

}  // namespace touchstone

#include "formulations/common/polygon_lcp.hpp"

#include <algorithm>

namespace touchstone {

namespace {

std::size_t at(Eigen::Index i) { return static_cast<std::size_t>(i); }

}  // namespace

void PolygonBlocks::build(const StepInput& in, int d) {
  W_n.clear();
  slip.clear();
  slips = 0;
  for (const Contact& c : in.contacts) {
    W_n.push_back(wrench_column(in.world, in.configuration, c, c.n));
    slip.push_back(c.law->mu > 0.0 ? static_cast<int>(slips++) : -1);
  }
  W_f.build(in.world, in.configuration, in.contacts, d);
}

//        p_n    p_f    σ
//     [  A_nn   A_nf   0 ]        [ W_nᵀν_free − b ]   (b)
// M = [  A_fn   A_ff   E ]    q = [ W_fᵀν_free     ]   (c)
//     [  U     −Eᵀ     0 ]        [ 0              ]   (d)
void PolygonBlocks::reduced_lcp(const StepInput& in, std::span<const double> bounds,
                                Problem& problem) const {
  const Eigen::Index n = contacts(), f = friction();
  Lcp& lcp = storage<Lcp>(problem);
  Mat& M = lcp.M.dense();
  M.setZero(size(), size());
  in.delassus(W_n, W_n, M.block(0, 0, n, n));
  in.delassus(W_n, W_f.columns, M.block(0, n, n, f));
  M.block(n, 0, f, n) = M.block(0, n, n, f).transpose();
  in.delassus(W_f.columns, W_f.columns, M.block(n, n, f, f));
  write_cone(in.contacts, 0, M);

  lcp.q.setZero(size());
  for (Eigen::Index i = 0; i < n; ++i)
    lcp.q[i] = velocity(in.world, W_n[at(i)], in.nu_free) - bounds[at(i)];
  for (Eigen::Index k = 0; k < f; ++k)
    lcp.q[n + k] = velocity(in.world, W_f.columns[at(k)], in.nu_free);
  write_scale(M.diagonal().head(n + f), 0, lcp.scale);
}

void PolygonBlocks::write_cone(std::span<const Contact> in, Eigen::Index first, Mat& M) const {
  const Eigen::Index friction_row = first + contacts(), slip_row = friction_row + friction();
  for (std::size_t i = 0; i < in.size(); ++i)
    if (slip[i] >= 0) M(slip_row + slip[i], first + static_cast<Eigen::Index>(i)) = in[i].law->mu;
  for (Eigen::Index k = 0; k < friction(); ++k) {
    const Eigen::Index column = slip_row + slip[at(W_f.owner[at(k)])];
    M(friction_row + k, column) = 1.0;
    M(column, friction_row + k) = -1.0;
  }
}

void PolygonBlocks::write_scale(const Eigen::Ref<const Vec>& diagonal, Eigen::Index first,
                                VelocityScale& scale) const {
  const Eigen::Index n = contacts(), f = friction();
  scale.z.setOnes(first + size());
  scale.F.setOnes(first + size());
  scale.z.segment(first, n + f) = diagonal;
  for (std::size_t i = 0; i < slip.size(); ++i)
    if (slip[i] >= 0) scale.F[first + n + f + slip[i]] = diagonal[static_cast<Eigen::Index>(i)];
}

void PolygonBlocks::read_impulses(const Eigen::Ref<const Vec>& p, StepSolution& out) const {
  const Eigen::Index n = contacts();
  for (Eigen::Index i = 0; i < n; ++i) out.impulses[at(i)].n = p[i];
  for (Eigen::Index k = 0; k < friction(); ++k) {
    Impulse& impulse = out.impulses[at(W_f.owner[at(k)])];
    const FrictionDirection& d = W_f.directions[at(k)];
    impulse.t += d.t * p[n + k];
    impulse.o += d.o * p[n + k];
    impulse.r += d.r * p[n + k];
  }
}

void PolygonBlocks::apply(const StepInput& in, const Eigen::Ref<const Vec>& p, Vec& nu) const {
  const Eigen::Index n = contacts();
  for (Eigen::Index i = 0; i < n; ++i) apply_impulse(in.configuration, W_n[at(i)], p[i], nu);
  for (Eigen::Index k = 0; k < friction(); ++k)
    apply_impulse(in.configuration, W_f.columns[at(k)], p[n + k], nu);
}

double impact_bound(const Contact& contact, double closing, double u_before, double u_free) {
  const double e = contact.law->restitution;
  const bool impact = e > 0.0 && u_before < 0.0 && u_free <= closing;
  return impact ? std::max(closing, -e * u_before) : closing;
}

}  // namespace touchstone

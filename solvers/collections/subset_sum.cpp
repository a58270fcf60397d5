#include "solvers/collections/subset_sum.hpp"

#include <fmt/format.h>

#include "solvers/error.hpp"

namespace touchstone {

Lcp subset_sum(const std::vector<double>& masses, double sum) {
  constexpr double mu = 0.75, base = 100.0;
  const auto k = static_cast<Eigen::Index>(masses.size());
  Mat M = Mat::Zero(k + 2, k + 2);
  Vec q = Vec::Ones(k + 2);
  for (Eigen::Index i = 0; i < k; ++i) {
    const double mass = masses[static_cast<std::size_t>(i)];
    if (!(mass > 0.0))
      throw InputError(fmt::format("subset sum: mass {} of rod {}; expected > 0", mass, i + 1));
    M(i, i) = -1.0 / mass;
    M(k, i) = -mu / base;
    M(k + 1, i) = mu / base;
  }
  M.bottomRightCorner(2, 2) << -1.0 + 1.0 / base, -1.0 / base, -1.0 / base, -1.0 + 1.0 / base;
  q[k] = mu * sum / base;
  q[k + 1] = -mu * sum / base;
  return {M, q};
}

long count_subsets(const std::vector<double>& masses, long sum) {
  if (sum < 0) return 0;
  std::vector<long> ways(static_cast<std::size_t>(sum) + 1, 0);
  ways[0] = 1;
  for (const double mass : masses) {
    const auto m = static_cast<std::size_t>(mass);
    for (std::size_t s = ways.size(); s-- > m;) ways[s] += ways[s - m];
  }
  return ways.back();
}

}  // namespace touchstone

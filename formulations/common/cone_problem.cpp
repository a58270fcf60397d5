#include "formulations/common/cone_problem.hpp"

#include "solvers/error.hpp"

namespace touchstone {

namespace {

void require_isotropic(const World& world, const Contact& c) {
  if (world.dim() == 2 && c.law->e_t == 1.0) return;
  if (c.law->e_t != 1.0 || c.law->e_o != 1.0 || c.law->e_r != 0.0)
    throw InputError("contact " + contact_name(world, c) +
                     ": an exact-cone problem has isotropic friction without torsion, expected "
                     "e_t = e_o = 1 and e_r = 0");
}

}  // namespace

FrictionContact cone_problem(const Configuration& configuration, const State& state, double h) {
  const World& world = configuration.world();
  Vec nu_free;
  configuration.free_velocity(state.nu, h, nu_free);
  if (!world.joints().empty())
    throw InputError("an exact-cone problem has no joints, and the world has the joint '" +
                     world.joints().front().name + "'");
  std::vector<Contact> contacts;
  find_contacts(configuration, state, h, contacts);

  std::vector<Column> W;
  FrictionContact problem{.dim = world.dim(), .W = {}, .q = {}, .mu = Vec(contacts.size())};
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    const Contact& c = contacts[i];
    require_isotropic(world, c);
    problem.mu[static_cast<Eigen::Index>(i)] = c.law->mu;
    W.push_back(wrench_column(world, configuration, c, c.n));
    W.push_back(wrench_column(world, configuration, c, c.t));
    if (world.dim() == 3) W.push_back(wrench_column(world, configuration, c, c.o));
  }

  const auto n = static_cast<Eigen::Index>(W.size());
  std::vector<Eigen::Triplet<double>> entries;
  problem.q.resize(n);
  for (Eigen::Index i = 0; i < n; ++i) {
    const Column& wi = W[static_cast<std::size_t>(i)];
    problem.q[i] = velocity(world, wi, nu_free);
    if (i % world.dim() == 0)
      problem.q[i] += contacts[static_cast<std::size_t>(i / world.dim())].gap / h;
    for (Eigen::Index j = 0; j < n; ++j)
      if (const double w = delassus(configuration, wi, W[static_cast<std::size_t>(j)]); w != 0.0)
        entries.emplace_back(static_cast<int>(i), static_cast<int>(j), w);
  }
  SpMat sparse(n, n);
  sparse.setFromTriplets(entries.begin(), entries.end());
  problem.W = std::move(sparse);
  return problem;
}

}  // namespace touchstone

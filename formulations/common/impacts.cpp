#include "formulations/common/impacts.hpp"

#include <algorithm>

namespace touchstone {

namespace {

/// The rows of some contacts at velocity level.
struct Rows {
  std::vector<Column> W;
  ContactProblem problem;

  Rows(const JointedBodies& bodies, const std::vector<ContactColumns>& columns,
       const std::vector<const Contact*>& contacts, const Vec& nu) {
    FrictionCones& cones = problem.cones;
    cones.mu.resize(static_cast<Eigen::Index>(columns.size()));
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const ContactColumns& c = columns[i];
      W.push_back(c.n);
      W.insert(W.end(), c.f.begin(), c.f.begin() + c.count);
      cones.friction.push_back(c.count);
      cones.mu[static_cast<Eigen::Index>(i)] = contacts[i]->law->mu;
    }
    const auto n = static_cast<Eigen::Index>(W.size());
    cones.W = bodies.delassus(W, W);
    cones.q.resize(n);
    for (Eigen::Index i = 0; i < n; ++i)
      cones.q[i] = velocity(bodies.configuration().world(), W[static_cast<std::size_t>(i)], nu);
    JointedBodies::settle_blocked(cones.W, cones.q);
  }
};

class Impact {
 public:
  Impact(const JointedBodies& bodies, const ImpactRule& rule, Solver& solver)
      : bodies_(bodies), rule_(rule), solver_(solver) {}

  double restitution(const Contact& c, double u_n) const {
    return u_n < -rule_.rest_speed ? c.law->restitution : 0.0;
  }

  /// Impulses of these contacts together; changes ν.
  Vec together(const std::vector<ContactColumns>& columns,
               const std::vector<const Contact*>& contacts, Vec& nu) {
    Rows rows(bodies_, columns, contacts, nu);
    FrictionCones& cones = rows.problem.cones;
    const bool poisson = rule_.restitution == RestitutionLaw::poisson;
    Vec bounce = Vec::Zero(cones.q.size());  // e at the normal rows of approaching contacts
    for_normals(cones, [&](std::size_t i, Eigen::Index k) {
      bounce[k] = restitution(*contacts[i], cones.q[k]);
    });
    const Vec before = cones.q;
    if (!poisson) cones.q += bounce.cwiseProduct(before.cwiseMin(0.0));
    Vec r = solve(rows.problem);
    bodies_.give(rows.W, r, nu);
    if (!poisson || bounce.isZero(0.0)) return r;

    // (2): the unknown is what goes beyond e r_c.
    const Vec given = bounce.cwiseProduct(r);
    cones.q = before + cones.W * (r + given);
    cones.extra = Vec::Zero(cones.mu.size());
    for_normals(cones, [&](std::size_t i, Eigen::Index k) {
      const auto j = static_cast<Eigen::Index>(i);
      cones.extra[j] = cones.mu[j] * given[k];
    });
    const Vec more = solve(rows.problem) + given;
    bodies_.give(rows.W, more, nu);
    return r + more;
  }

  const Answer& answer() const { return answer_; }
  bool failed() const {
    return answer_.status != Status::solved && answer_.status != Status::inaccurate;
  }

 private:
  template <class Do>
  static void for_normals(const FrictionCones& cones, Do act) {
    Eigen::Index k = 0;
    for (std::size_t i = 0; i < cones.friction.size(); ++i) {
      act(i, k);
      k += 1 + cones.friction[i];
    }
  }

  Vec solve(const ContactProblem& problem) {
    Answer a = solve_contacts(problem, rule_.form, solver_, {});
    if (answer_.status == Status::solved) answer_.status = a.status;
    answer_.residual.natural = std::max(answer_.residual.natural, a.residual.natural);
    answer_.iterations += a.iterations;
    answer_.seconds += a.seconds;
    answer_.notes.insert(answer_.notes.end(), a.notes.begin(), a.notes.end());
    return a.z.size() == problem.cones.q.size() ? a.z : Vec::Zero(problem.cones.q.size());
  }

  const JointedBodies& bodies_;
  const ImpactRule& rule_;
  Solver& solver_;
  Answer answer_;
};

}  // namespace

ImpactResult resolve_impact(const JointedBodies& bodies, const std::vector<Contact>& contacts,
                            const ImpactRule& rule, Solver& solver, double tolerance, Vec& nu) {
  const Configuration& configuration = bodies.configuration();
  std::vector<ContactColumns> columns;
  std::vector<const Contact*> list;
  ImpactResult result;
  for (const Contact& c : contacts) {
    columns.push_back(contact_columns(configuration, c));
    list.push_back(&c);
    result.impulses.emplace_back(Vec::Zero(1 + columns.back().count));
  }
  Impact impact(bodies, rule, solver);
  if (rule.order == ImpactOrder::simultaneous) {
    const Vec r = impact.together(columns, list, nu);
    Eigen::Index k = 0;
    for (Vec& p : result.impulses) {
      p = r.segment(k, p.size());
      k += p.size();
    }
    result.count = 1;
    result.answer = impact.answer();
    return result;
  }
  bool approaching = true;
  while (approaching && !impact.failed() && result.count < rule.most_impulses) {
    approaching = false;
    for (std::size_t i = 0; i < contacts.size(); ++i) {
      if (velocity(configuration.world(), columns[i].n, nu) >= -tolerance) continue;
      approaching = true;
      result.impulses[i] += impact.together({columns[i]}, {list[i]}, nu);
      ++result.count;
    }
  }
  result.answer = impact.answer();
  if (approaching && result.answer.status == Status::solved)
    result.answer.status = Status::iteration_limit;
  return result;
}

}  // namespace touchstone

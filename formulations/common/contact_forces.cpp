#include "formulations/common/contact_forces.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <limits>

namespace touchstone {

namespace {

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double usable_error = 1e-7;  // relative, of an answer that is worth going on with

int most_components(const FrictionCones& cones) {
  int most = 0;
  for (const int d : cones.friction) most = std::max(most, d);
  return most;
}

/// Where the rows of each contact start in r and in z of (2).
struct Layout {
  std::vector<Eigen::Index> r, z;
  Eigen::Index size = 0, bilateral = 0;  // of z; first bilateral row of r
};

Layout layout(const ContactProblem& problem) {
  Layout at;
  for (const int d : problem.cones.friction) {
    at.r.push_back(at.bilateral);
    at.z.push_back(at.size);
    at.bilateral += 1 + d;
    at.size += d == 0 ? 1 : 4;
  }
  at.size += problem.bilateral;
  return at;
}

/// Sparse map of the unknowns: r = S z.
Mat selection(const ContactProblem& problem, const Layout& at) {
  Mat S = Mat::Zero(problem.cones.q.size(), at.size);
  for (std::size_t i = 0; i < at.r.size(); ++i) {
    S(at.r[i], at.z[i]) = 1.0;
    if (problem.cones.friction[i] == 0) continue;
    S(at.r[i] + 1, at.z[i] + 1) = 1.0;
    S(at.r[i] + 1, at.z[i] + 2) = -1.0;
  }
  for (int k = 0; k < problem.bilateral; ++k)
    S(at.bilateral + k, at.size - problem.bilateral + k) = 1.0;
  return S;
}

Problem as_lcp(const ContactProblem& problem) {
  const Layout at = layout(problem);
  const Mat S = selection(problem, at);
  Mat M = S.transpose() * problem.cones.W * S;
  Vec q = S.transpose() * problem.cones.q;
  for (std::size_t i = 0; i < at.r.size(); ++i) {
    if (problem.cones.friction[i] == 0) continue;
    const Eigen::Index k = at.z[i];
    M(k + 1, k + 3) = M(k + 2, k + 3) = 1.0;
    M(k + 3, k) = problem.cones.mu[static_cast<Eigen::Index>(i)];
    M(k + 3, k + 1) = M(k + 3, k + 2) = -1.0;
    q[k + 3] = problem.cones.radius(i, 0.0);
  }
  if (problem.bilateral == 0) return Lcp{M, q};
  Vec l = Vec::Zero(at.size);
  l.tail(problem.bilateral).setConstant(-inf);
  return Mlcp{M, q, l, Vec::Constant(at.size, inf)};
}

Problem as_qp(const ContactProblem& problem, ForceForm form) {
  const Mat W = 0.5 * (problem.cones.W + problem.cones.W.transpose());
  const Vec& q = problem.cones.q;
  const Eigen::Index n = q.size(), m = n - problem.bilateral;
  Qp qp;
  qp.c = q;
  if (form == ForceForm::qp2) {
    qp.P = W;
    qp.A = Mat::Identity(m, n);
    qp.l = Vec::Zero(m);
    qp.u = Vec::Constant(m, inf);
    return qp;
  }
  qp.P = 2.0 * W;
  Mat A(n + m, n);
  A << W, Mat::Identity(m, n);
  qp.A = A;
  qp.l = Vec::Zero(n + m);
  qp.l.head(n) = -q;
  qp.u = Vec::Constant(n + m, inf);
  qp.u.segment(m, problem.bilateral) = -q.tail(problem.bilateral);
  return qp;
}

Answer solve_cones(const FrictionCones& cones, const Vec& guess) {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  const Tolerance tolerance;
  const double scale = cones.q.size() > 0 ? cones.q.cwiseAbs().maxCoeff() : 0.0;
  Claim claim = solve(cones, guess, tolerance.absolute + tolerance.relative * scale);
  Answer answer;
  answer.z = std::move(claim.z);
  answer.status = claim.status;
  answer.iterations = claim.iterations;
  answer.residual.natural = residual(cones, answer.z);
  if (answer.status == Status::iteration_limit &&
      answer.residual.natural <= usable_error * (1.0 + scale))
    answer.status = Status::inaccurate;  // such steps are counted and listed
  answer.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  return answer;
}

}  // namespace

ContactColumns contact_columns(const Configuration& configuration, const Contact& contact) {
  const World& world = configuration.world();
  const FrictionLaw& law = *contact.law;
  ContactColumns columns;
  columns.n = wrench_column(world, configuration, contact, contact.n);
  const auto add = [&](int axis, double e, const Vec3& force, const Vec3& moment) {
    if (!(law.mu * e > 0.0)) return;
    const auto k = static_cast<std::size_t>(columns.count++);
    columns.axis[k] = axis;
    columns.scale[k] = e;
    columns.f[k] = wrench_column(world, configuration, contact, e * force, e * moment);
  };
  add(0, law.e_t, contact.t, Vec3::Zero());
  if (world.dim() == 3) {
    add(1, law.e_o, contact.o, Vec3::Zero());
    add(2, law.e_r, Vec3::Zero(), contact.n);
  }
  return columns;
}

Vec3 scaled_slip(const World& world, const ContactColumns& columns, const Vec& nu) {
  Vec3 slip = Vec3::Zero();
  for (int k = 0; k < columns.count; ++k)
    slip[k] = velocity(world, columns.f[static_cast<std::size_t>(k)], nu);
  return slip;
}

Column sliding_column(const ContactColumns& columns, double mu, const Vec3& d) {
  Column w = columns.n;
  for (int k = 0; k < columns.count; ++k) {
    const Column& f = columns.f[static_cast<std::size_t>(k)];
    w.on_a -= mu * d[k] * f.on_a;
    w.on_b -= mu * d[k] * f.on_b;
  }
  return w;
}

ForceForm force_form(const std::string& name) {
  return name == "qp-1" ? ForceForm::qp1 : name == "qp-2" ? ForceForm::qp2 : ForceForm::lcp;
}

Problem complementarity_problem(const ContactProblem& problem, ForceForm form) {
  if (problem.cones.extra.size() > 0) form = ForceForm::lcp;
  const bool symmetric = (problem.cones.W - problem.cones.W.transpose()).cwiseAbs().maxCoeff() <=
                         1e-12 * problem.cones.W.cwiseAbs().maxCoeff();
  const bool as_program =
      form != ForceForm::lcp && most_components(problem.cones) == 0 && symmetric;
  return as_program ? as_qp(problem, form) : as_lcp(problem);
}

Vec complementarity_guess(const ContactProblem& problem, ForceForm form, const Vec& r) {
  if (r.size() != problem.cones.q.size() || form != ForceForm::lcp) return {};
  const Layout at = layout(problem);
  Vec z = Vec::Zero(at.size);
  for (std::size_t i = 0; i < at.r.size(); ++i) {
    z[at.z[i]] = r[at.r[i]];
    if (problem.cones.friction[i] == 0) continue;
    const double f = r[at.r[i] + 1];
    z[at.z[i] + (f > 0.0 ? 1 : 2)] = std::abs(f);
  }
  z.tail(problem.bilateral) = r.tail(problem.bilateral);
  return z;
}

Vec read_forces(const ContactProblem& problem, const Vec& z) {
  const Eigen::Index n = problem.cones.q.size();
  const Layout at = layout(problem);
  if (z.size() < at.size) return Vec::Zero(n);
  return selection(problem, at) * z.head(at.size);  // a QP's multipliers follow
}

Answer solve_contacts(const ContactProblem& problem, ForceForm form, Solver& solver,
                      const Vec& guess) {
  if (most_components(problem.cones) > 1) return solve_cones(problem.cones, guess);
  Answer answer = solver.solve(complementarity_problem(problem, form),
                               complementarity_guess(problem, form, guess));
  if (problem.bilateral == 0 &&
      (answer.status == Status::iteration_limit || answer.status == Status::singular)) {
    // Many redundant contacts: pivots among nearly dependent columns.
    Answer other = solve_cones(problem.cones, guess);
    if (other.status == Status::solved) {
      other.notes.push_back(fmt::format(
          "contact forces by friction cones, after the solver's status '{}' (residual {:.2g})",
          to_string(answer.status), answer.residual.natural));
      other.iterations += answer.iterations;
      other.seconds += answer.seconds;
      return other;
    }
  }
  answer.z = read_forces(problem, answer.z);
  if (!answer.ray.empty()) answer.ray.direction = read_forces(problem, answer.ray.direction);
  return answer;
}

}  // namespace touchstone

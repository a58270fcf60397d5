/// Every solution of a planar friction problem: see static_friction.hpp.
///
/// For a combination of modes the unknowns are x ≥ 0 with r = S x,
///     stick: r_n = x₁, r_t = x₂ − μx₁;   slip: r_n = x₁, r_t = ±μx₁;   separation: none,
/// the equations u = 0 (stick) and u_n = 0 (slip), and the inequalities x₂ ≤ 2μx₁ (stick),
/// ∓u_t ≥ 0 (slip), u_n ≥ 0 (separation).

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "solvers/error.hpp"
#include "solvers/own/feasible_point.hpp"
#include "solvers/own/static_friction.hpp"

namespace touchstone {

namespace {

/// Equations E x = −e, inequalities G x + g ≥ 0.
struct ModeSystem {
  Mat S, E, G;
  Vec e, g;
};

class ModeSearch {
 public:
  ModeSearch(const FrictionCones& problem, double tolerance)
      : problem_(problem), tolerance_(tolerance), modes_(problem.friction.size()) {
    double count = 1.0;
    for (const int d : problem.friction) {
      if (d > 1)
        throw InputError(
            fmt::format("planar modes: a contact has {} friction components, expected 0 or 1", d));
      count *= d == 0 ? 2.0 : 4.0;
    }
    if (count > mode_limit)
      throw InputError(
          fmt::format("planar modes: {} combinations, expected at most {}", count, mode_limit));
  }

  std::vector<PlanarSolution> run() {
    choose(0);
    return std::move(found_);
  }

 private:
  void choose(std::size_t contact) {
    if (contact == modes_.size()) return try_modes();
    const int d = problem_.friction[contact];
    for (const PlanarMode mode : {PlanarMode::separate, PlanarMode::stick, PlanarMode::slip_forward,
                                  PlanarMode::slip_backward}) {
      if (d == 0 && mode != PlanarMode::separate && mode != PlanarMode::stick) continue;
      modes_[contact] = mode;
      choose(contact + 1);
    }
  }

  ModeSystem assemble() const {
    const Eigen::Index n = problem_.q.size();
    std::vector<Vec> S;
    std::vector<Eigen::Index> zero;                     // rows of u that vanish
    std::vector<std::pair<Eigen::Index, double>> sign;  // rows of u with sign·u ≥ 0
    std::vector<std::array<Eigen::Index, 2>> wedge;
    std::vector<double> slope;
    Eigen::Index row = 0;
    for (std::size_t i = 0; i < modes_.size(); ++i) {
      const int d = problem_.friction[i];
      const double mu = problem_.mu[static_cast<Eigen::Index>(i)];
      if (modes_[i] == PlanarMode::separate) {
        sign.emplace_back(row, 1.0);
      } else {
        S.push_back(Vec::Unit(n, row));
        zero.push_back(row);
        if (d == 1 && modes_[i] == PlanarMode::stick) {
          S.back()[row + 1] = -mu;
          S.push_back(Vec::Unit(n, row + 1));
          zero.push_back(row + 1);
          const auto k = static_cast<Eigen::Index>(S.size());
          wedge.push_back({k - 2, k - 1});
          slope.push_back(2.0 * mu);
        } else if (d == 1) {
          const double s = modes_[i] == PlanarMode::slip_forward ? 1.0 : -1.0;
          S.back()[row + 1] = s * mu;
          sign.emplace_back(row + 1, -s);
        }
      }
      row += 1 + d;
    }
    return build(S, zero, sign, wedge, slope);
  }

  ModeSystem build(const std::vector<Vec>& S, const std::vector<Eigen::Index>& zero,
                   const std::vector<std::pair<Eigen::Index, double>>& sign,
                   const std::vector<std::array<Eigen::Index, 2>>& wedge,
                   const std::vector<double>& slope) const {
    ModeSystem m;
    const auto unknowns = static_cast<Eigen::Index>(S.size());
    m.S.resize(problem_.q.size(), unknowns);
    for (Eigen::Index j = 0; j < unknowns; ++j) m.S.col(j) = S[static_cast<std::size_t>(j)];
    const Mat WS = problem_.W * m.S;
    m.E = WS(zero, Eigen::all);
    m.e = problem_.q(zero);
    const auto signs = static_cast<Eigen::Index>(sign.size());
    m.G = Mat::Zero(signs + static_cast<Eigen::Index>(wedge.size()), unknowns);
    m.g = Vec::Zero(m.G.rows());
    for (Eigen::Index k = 0; k < signs; ++k) {
      const auto& [at, s] = sign[static_cast<std::size_t>(k)];
      m.G.row(k) = s * WS.row(at);
      m.g[k] = s * problem_.q[at];
    }
    for (std::size_t k = 0; k < wedge.size(); ++k) {
      m.G(signs + static_cast<Eigen::Index>(k), wedge[k][0]) = slope[k];
      m.G(signs + static_cast<Eigen::Index>(k), wedge[k][1]) = -1.0;
    }
    return m;
  }

  void try_modes() {
    const ModeSystem m = assemble();
    Vec x = Vec::Zero(m.S.cols());
    bool unique = true;
    if (x.size() > 0) {
      const Eigen::FullPivLU<Mat> lu(m.E);
      unique = lu.isInvertible();
      if (unique)
        x = lu.solve(-m.e);
      else if (!point(m, x))
        return;
    }
    const double scale = 1.0 + problem_.q.cwiseAbs().maxCoeff();
    if (x.size() > 0 && x.minCoeff() < -tolerance_ * (1.0 + x.cwiseAbs().maxCoeff())) return;
    const Vec slack = m.G * x + m.g;
    if (slack.size() > 0 && slack.minCoeff() < -tolerance_ * scale) return;
    if (x.size() > 0 && !((m.E * x + m.e).cwiseAbs().maxCoeff() <= tolerance_ * scale)) return;
    keep(m.S * x, unique);
  }

  /// A point of a polyhedron whose equations are singular.
  bool point(const ModeSystem& m, Vec& x) const {
    const int n = static_cast<int>(m.S.cols()), equations = static_cast<int>(m.E.rows());
    const int rows = equations + static_cast<int>(m.G.rows());
    FeasiblePoint lp;
    lp.resize(rows, n + static_cast<int>(m.G.rows()));
    for (int i = 0; i < rows; ++i) {
      const bool equation = i < equations;
      const int k = equation ? i : i - equations;
      for (int j = 0; j < n; ++j) lp.A(i, j) = equation ? m.E(k, j) : m.G(k, j);
      if (!equation) lp.A(i, n + k) = -1.0;
      lp.b(i) = equation ? -m.e[k] : -m.g[k];
    }
    Vec all;
    if (!lp.find(tolerance_, all)) return false;
    x = all.head(n);
    return true;
  }

  /// The border of two modes belongs to both: it counts once.
  void keep(const Vec& r, bool unique) {
    for (const PlanarSolution& known : found_)
      if ((known.r - r).cwiseAbs().maxCoeff() <= 1e-7 * (1.0 + r.cwiseAbs().maxCoeff())) return;
    found_.push_back({r, modes_, unique});
  }

  const FrictionCones& problem_;
  double tolerance_;
  std::vector<PlanarMode> modes_;
  std::vector<PlanarSolution> found_;
};

}  // namespace

std::vector<PlanarSolution> all_planar_solutions(const FrictionCones& problem, double tolerance) {
  return ModeSearch(problem, tolerance).run();
}

}  // namespace touchstone

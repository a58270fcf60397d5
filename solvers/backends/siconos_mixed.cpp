/// Siconos' methods for the mixed problems l ≤ z ≤ u ⊥ F(z), linear (Mlcp) and nonlinear (Mcp).
///
/// Siconos knows equations and 0 ≤ y ⊥ G ≥ 0 only, equations first. Without approximation:
///     free       y = z,              G = F
///     l finite   y = z − l ≥ 0,      G = F
///     u only     y = u − z ≥ 0,      G = −F
///     both       y = z − l ≥ 0,      G = F + v,    and a multiplier 0 ≤ v ⊥ (u − l) − y ≥ 0.   (1)
///
/// The Newton methods stop by the gradient of their merit function, so the referee's residual is
/// what decides when they may stop. Settings of each: max_iterations [1] and child_process.

#include <array>
#include <cmath>
#include <exception>

#include "solvers/backends/siconos.hpp"
#include "solvers/own/enumeration.hpp"

#ifdef TOUCHSTONE_HAVE_SICONOS
extern "C" {
#include <MCP_Solvers.h>
#include <MCP_cst.h>
#include <MLCP_Solvers.h>
#include <MixedComplementarityProblem.h>
#include <MixedLinearComplementarityProblem.h>
#include <NonSmoothDrivers.h>
#include <NumericsMatrix.h>
#include <SolverOptions.h>
#include <mlcp_cst.h>
}
#endif

namespace touchstone {

namespace {

constexpr int mlcp_pgs = 100, mlcp_rpgs = 101, mlcp_enum = 105, mlcp_lemke = 115, mcp_fb = 700,
              mcp_min = 701;

constexpr std::array<SiconosMethod, 4> mlcp_table = {{
    {"siconos-mlcp-pgs", mlcp_pgs, 10000, true, false,
     "Siconos: projected Gauss–Seidel for the mixed LCP; one bound per row, positive diagonal",
     "Cottle, Pang, Stone 1992; Siconos numerics 4.4"},
    {"siconos-mlcp-rpgs", mlcp_rpgs, 100000, true, false,
     "Siconos: projected Gauss–Seidel for the mixed LCP with a regularised diagonal",
     "Cottle, Pang, Stone 1992; Siconos numerics 4.4"},
    {"siconos-mlcp-enum", mlcp_enum, 1, false, true,
     "Siconos: tries every support of a mixed LCP with at most 16 bounds",
     "Cottle, Pang, Stone 1992, section 1.4; Siconos numerics 4.4"},
    {"siconos-mlcp-lemke", mlcp_lemke, 10000, false, true,
     "Siconos: mixed LCP reduced to an LCP, then lexicographic Lemke",
     "Cottle, Pang, Stone 1992, section 4.4; Siconos numerics 4.4"},
}};

constexpr std::array<SiconosMethod, 2> mcp_table = {{
    {"siconos-mcp-fb", mcp_fb, 1000, true, true,
     "Siconos: semismooth Newton on the Fischer–Burmeister function, dense",
     "De Luca, Facchinei, Kanzow 1996; Siconos numerics 4.4"},
    {"siconos-mcp-min", mcp_min, 1000, true, true,
     "Siconos: Newton on min(z, F), line search on Fischer–Burmeister, dense",
     "Facchinei, Pang 2003, section 9.2; Siconos numerics 4.4"},
}};

#ifdef TOUCHSTONE_HAVE_SICONOS

static_assert(mlcp_pgs == SICONOS_MLCP_PGS && mlcp_rpgs == SICONOS_MLCP_RPGS &&
              mlcp_enum == SICONOS_MLCP_ENUM && mlcp_lemke == SICONOS_MLCP_LCP_LEMKE &&
              mcp_fb == SICONOS_MCP_NEWTON_FB_FBLSA && mcp_min == SICONOS_MCP_NEWTON_MIN_FBLSA);

Eigen::Index count_bounds(const Vec& l, const Vec& u) {
  return (l.array() > -INFINITY).count() + (u.array() < INFINITY).count();
}

/// The multiplier of a box has no diagonal entry for plain Gauss–Seidel to divide by.
bool has_boxes(const Vec& l, const Vec& u) {
  return (l.array() > -INFINITY && u.array() < INFINITY).any();
}

/// The change of variables (1): z = o + S y on the first n entries of y, in another order.
class BoundedForm {
 public:
  void classify(const Vec& l, const Vec& u) {
    const Eigen::Index n = l.size();
    position_.resize(n);
    sign_.setOnes(n);
    offset_.setZero(n);
    boxed_.clear();
    equations_ = 0;
    for (Eigen::Index i = 0; i < n; ++i)
      if (is_free(l[i], u[i])) position_[i] = equations_++;
    Eigen::Index next = equations_;
    for (Eigen::Index i = 0; i < n; ++i) {
      if (is_free(l[i], u[i])) continue;
      position_[i] = next++;
      sign_[i] = std::isfinite(l[i]) ? 1.0 : -1.0;
      offset_[i] = std::isfinite(l[i]) ? l[i] : u[i];
      if (std::isfinite(l[i]) && std::isfinite(u[i])) boxed_.push_back({i, u[i] - l[i]});
    }
  }

  Eigen::Index equations() const { return equations_; }
  Eigen::Index bounds() const { return size() - equations_; }
  Eigen::Index size() const { return sign_.size() + static_cast<Eigen::Index>(boxed_.size()); }

  void start(const Vec& z, Vec& y) const {
    y.setZero(size());
    for (Eigen::Index i = 0; i < z.size(); ++i) {
      const double value = sign_[i] * (z[i] - offset_[i]);
      y[position_[i]] = position_[i] < equations_ ? value : std::max(0.0, value);
    }
  }

  void expand(const double* y, Vec& z) const {
    z.resize(sign_.size());
    for (Eigen::Index i = 0; i < z.size(); ++i) z[i] = offset_[i] + sign_[i] * y[position_[i]];
  }

  void rows(const Vec& F, const double* y, double* G) const {
    for (Eigen::Index i = 0; i < F.size(); ++i) G[position_[i]] = sign_[i] * F[i];
    Eigen::Index v = sign_.size();
    for (const Box& box : boxed_) {
      G[position_[box.row]] += y[v];
      G[v++] = box.width - y[position_[box.row]];
    }
  }

  /// ∂G/∂y = S J S with the ±1 of the boxes; dense, column-major.
  template <class Jacobian>
  void derivative(const Jacobian& for_each_entry, double* H) const {
    const Eigen::Index n = size();
    std::fill_n(H, n * n, 0.0);
    for_each_entry([&](Eigen::Index i, Eigen::Index j, double value) {
      H[position_[j] * n + position_[i]] = sign_[i] * value * sign_[j];
    });
    Eigen::Index v = sign_.size();
    for (const Box& box : boxed_) {
      H[v * n + position_[box.row]] = 1.0;
      H[position_[box.row] * n + v++] = -1.0;
    }
  }

 private:
  struct Box {
    Eigen::Index row;
    double width;
  };
  static bool is_free(double l, double u) { return !std::isfinite(l) && !std::isfinite(u); }

  std::vector<Eigen::Index> position_;
  std::vector<Box> boxed_;
  Vec sign_, offset_;
  Eigen::Index equations_ = 0;
};

Vec start_of(const Vec& guess, const Vec& l, const Vec& u) {
  return guess.size() > 0 ? guess : Vec(l.cwiseMax(u.cwiseMin(0.0)));
}

/// 0 = Au + Cv + a, 0 ≤ v ⊥ Du + Bv + b ≥ 0.
class SiconosMlcp final : public SiconosSolver {
 public:
  using SiconosSolver::SiconosSolver;
  bool accepts(const Problem& problem) const override {
    const Mlcp* mlcp = std::get_if<Mlcp>(&problem);
    if (!mlcp || mlcp->l.size() != mlcp->u.size()) return mlcp != nullptr;
    if (method().id == mlcp_pgs) return !has_boxes(mlcp->l, mlcp->u);
    return method().id != mlcp_enum || count_bounds(mlcp->l, mlcp->u) <= enumeration_limit;
  }

 private:
  void load(const Problem& problem, const Vec& guess, std::vector<std::string>&) override {
    const Mlcp& mlcp = std::get<Mlcp>(problem);
    form_.classify(mlcp.l, mlcp.u);
    const Eigen::Index size = form_.size(), n = form_.equations(), m = form_.bounds();
    const Mat M = mlcp.M.to_dense();
    N_.resize(size, size);
    form_.derivative(
        [&](const auto& put) {
          for (Eigen::Index j = 0; j < M.cols(); ++j)
            for (Eigen::Index i = 0; i < M.rows(); ++i) put(i, j, M(i, j));
        },
        N_.data());
    x_.setZero(size);
    form_.expand(x_.data(), z_);
    q_.resize(size);
    form_.rows(M * z_ + mlcp.q, x_.data(), q_.data());
    A_ = N_.topLeftCorner(n, n);
    B_ = N_.bottomRightCorner(m, m);
    C_ = N_.topRightCorner(n, m);
    D_ = N_.bottomLeftCorner(m, n);
    form_.start(start_of(guess, mlcp.l, mlcp.u), x_);
    w_.setZero(size);
  }

  void drive(Step& step) override {
    const int size = static_cast<int>(x_.size());
    NumericsMatrix M;
    NM_null(&M);
    NM_fill(&M, NM_DENSE, size, size, N_.data());
    MixedLinearComplementarityProblem problem{};
    problem.isStorageType1 = 0;
    problem.isStorageType2 = 1;
    problem.n = static_cast<int>(form_.equations());
    problem.m = static_cast<int>(form_.bounds());
    int rows[3] = {0, problem.n, size};
    int complementary[2] = {0, 1};
    problem.blocksRows = rows;
    problem.blocksIsComp = complementary;
    problem.M = &M;
    problem.q = q_.data();
    problem.A = A_.data();
    problem.B = B_.data();
    problem.C = C_.data();
    problem.D = D_.data();
    problem.a = q_.data();
    problem.b = q_.data() + problem.n;
    if (method().id == mlcp_enum) problem.isStorageType1 = 1;
    SolverOptions* const options = open_options(step);
    // Enumeration warns on stdout unless it may try every support.
    if (method().id == mlcp_enum) options->iparam[SICONOS_IPARAM_MAX_ITER] = 2 << enumeration_limit;
    mlcp_driver_init(&problem, options);
    step.info = mlcp_driver(&problem, x_.data(), w_.data(), options);
    mlcp_driver_reset(&problem, options);
    close_options(options, step);
    NM_clear_not_dense(&M);
  }

  void read(Vec& z) const override { form_.expand(x_.data(), z); }

  BoundedForm form_;
  Mat N_, A_, B_, C_, D_;
  Vec q_, z_;
};

class SiconosMcp final : public SiconosSolver {
 public:
  using SiconosSolver::SiconosSolver;
  bool accepts(const Problem& problem) const override {
    return std::holds_alternative<Mcp>(problem);
  }

 private:
  void load(const Problem& problem, const Vec& guess, std::vector<std::string>&) override {
    const Mcp& mcp = std::get<Mcp>(problem);
    function_ = mcp.function.get();
    form_.classify(mcp.l, mcp.u);
    form_.start(start_of(guess, mcp.l, mcp.u), x_);
    w_.setZero(x_.size());
    H_.resize(x_.size(), x_.size());
  }

  void drive(Step& step) override {
    const int size = static_cast<int>(x_.size());
    NumericsMatrix H;
    NM_null(&H);
    NM_fill(&H, NM_DENSE, size, size, H_.data());
    MixedComplementarityProblem problem{};
    problem.n1 = static_cast<int>(form_.equations());
    problem.n2 = static_cast<int>(form_.bounds());
    problem.compute_Fmcp = [](void* self, int, double* y, double* G) {
      static_cast<SiconosMcp*>(self)->evaluate(y, G);
    };
    problem.compute_nabla_Fmcp = [](void* self, int, double* y, NumericsMatrix* J) {
      static_cast<SiconosMcp*>(self)->differentiate(y, J->matrix0);
    };
    problem.nabla_Fmcp = &H;
    problem.env = this;
    SolverOptions* const options = open_options(step);
    step.info = mcp_driver(&problem, x_.data(), w_.data(), options);
    close_options(options, step);
    NM_clear_not_dense(&H);
  }

  void read(Vec& z) const override { form_.expand(x_.data(), z); }

  void evaluate(const double* y, double* G) {
    if (const char* why = try_evaluate(y, G)) give_up(why);
  }
  void differentiate(const double* y, double* H) {
    if (const char* why = try_differentiate(y, H)) give_up(why);
  }

  /// Exceptions must not cross Siconos' frames: they become a text.
  const char* try_evaluate(const double* y, double* G) noexcept {
    try {
      form_.expand(y, z_);
      F_.resize(z_.size());
      function_->evaluate(z_, F_);
      form_.rows(F_, y, G);
      return F_.allFinite() ? nullptr : "F is not finite at an iterate";
    } catch (const std::exception& error) {
      return remember(error.what());
    } catch (...) {
      return "F threw something that is no std::exception";
    }
  }

  const char* try_differentiate(const double* y, double* H) noexcept {
    try {
      form_.expand(y, z_);
      function_->jacobian(z_, J_);
      bool finite = true;
      form_.derivative(
          [&](const auto& put) {
            for (Eigen::Index j = 0; j < J_.outerSize(); ++j)
              for (SpMat::InnerIterator it(J_, j); it; ++it) {
                finite = finite && std::isfinite(it.value());
                put(it.row(), it.col(), it.value());
              }
          },
          H);
      return finite ? nullptr : "the Jacobian is not finite at an iterate";
    } catch (const std::exception& error) {
      return remember(error.what());
    } catch (...) {
      return "the Jacobian threw something that is no std::exception";
    }
  }

  const char* remember(const char* what) {
    what_ = what;
    return what_.c_str();
  }

  const McpFunction* function_ = nullptr;
  BoundedForm form_;
  Mat H_;
  SpMat J_;
  Vec z_, F_;
  std::string what_;
};

template <class Backend>
std::unique_ptr<Solver> make(const SiconosMethod& method, const Parameters& settings) {
  return std::make_unique<Backend>(method, settings);
}
const RegisterSiconos mlcp_entries(mlcp_table, make<SiconosMlcp>);
const RegisterSiconos mcp_entries(mcp_table, make<SiconosMcp>);

#else

const RegisterSiconos mlcp_entries(mlcp_table, nullptr);
const RegisterSiconos mcp_entries(mcp_table, nullptr);

#endif

}  // namespace

}  // namespace touchstone

/// Siconos' methods for 0 ≤ z ⊥ Mz + q ≥ 0, on dense matrices.
///
/// Siconos measures ‖min(z, Mz + q)‖₂ / ‖q‖₂. Settings of each: max_iterations [1] and
/// child_process.

#include <array>

#include "solvers/backends/siconos.hpp"
#include "solvers/own/enumeration.hpp"

#ifdef TOUCHSTONE_HAVE_SICONOS
extern "C" {
#include <LCP_Solvers.h>
#include <LinearComplementarityProblem.h>
#include <NonSmoothDrivers.h>
#include <NumericsMatrix.h>
#include <SolverOptions.h>
#include <lcp_cst.h>
}
#endif

namespace touchstone {

namespace {

constexpr int lemke = 200, pgs = 202, newton_min_undamped = 208, newton_fb = 209, rpgs = 211,
              enumeration = 213, cao_ferris = 214, murty = 217, newton_min = 218;

constexpr const char* cps = "Cottle, Pang, Stone 1992; Siconos numerics 4.4";

constexpr std::array<SiconosMethod, 9> table = {{
    {"siconos-lemke", lemke, 10000, false, true,
     "Siconos: lexicographic Lemke; loses its path at near-ties (about half of frictional LCPs)",
     "Cottle, Pang, Stone 1992, section 4.4; Siconos numerics 4.4"},
    {"siconos-pgs", pgs, 10000, true, false,
     "Siconos: projected Gauss–Seidel; needs a positive diagonal", cps},
    {"siconos-rpgs", rpgs, 100000, true, false,
     "Siconos: projected Gauss–Seidel with proximal regularisation of the diagonal", cps},
    {"siconos-enum", enumeration, 1, false, false,
     "Siconos: tries every support; at most 16 unknowns; misses supports with a singular block",
     cps},
    {"siconos-avi", cao_ferris, 10000, false, true,
     "Siconos: Cao and Ferris' pivoting for affine variational inequalities",
     "Cao, Ferris 1996; Siconos numerics 4.4"},
    {"siconos-murty", murty, 10000, false, true, "Siconos: Murty's least-index principal pivoting",
     "Murty 1974; Siconos numerics 4.4"},
    {"siconos-newton-fb", newton_fb, 1000, true, true,
     "Siconos: semismooth Newton on the Fischer–Burmeister function with line search",
     "De Luca, Facchinei, Kanzow 1996; Siconos numerics 4.4"},
    {"siconos-newton-min", newton_min, 1000, true, true,
     "Siconos: Newton on min(z, w), line search on Fischer–Burmeister",
     "Facchinei, Pang 2003, section 9.2; Siconos numerics 4.4"},
    {"siconos-newton-min-undamped", newton_min_undamped, 1000, true, true,
     "Siconos: Newton on min(z, w) without line search (may call NaN a success)",
     "Facchinei, Pang 2003, section 9.2; Siconos numerics 4.4"},
}};

#ifdef TOUCHSTONE_HAVE_SICONOS

static_assert(lemke == SICONOS_LCP_LEMKE && pgs == SICONOS_LCP_PGS && rpgs == SICONOS_LCP_RPGS &&
              newton_min_undamped == SICONOS_LCP_NEWTONMIN &&
              newton_fb == SICONOS_LCP_NEWTON_FB_FBLSA && enumeration == SICONOS_LCP_ENUM &&
              cao_ferris == SICONOS_LCP_AVI_CAOFERRIS && murty == SICONOS_LCP_MURTY &&
              newton_min == SICONOS_LCP_NEWTON_MIN_FBLSA);

class SiconosLcp final : public SiconosSolver {
 public:
  using SiconosSolver::SiconosSolver;
  bool accepts(const Problem& problem) const override {
    return std::holds_alternative<Lcp>(problem) &&
           (method().id != enumeration || unknowns(problem) <= enumeration_limit);
  }

 private:
  void load(const Problem& problem, const Vec& guess, std::vector<std::string>&) override {
    const Lcp& lcp = std::get<Lcp>(problem);
    if (lcp.M.is_sparse())
      M_ = lcp.M.sparse();
    else
      M_ = lcp.M.dense();  // a copy: some methods write into it
    q_ = lcp.q;
    start_from(guess, q_.size());
  }

  void drive(Step& step) override {
    const int n = static_cast<int>(q_.size());
    NumericsMatrix M;
    NM_null(&M);
    NM_fill(&M, NM_DENSE, n, n, M_.data());
    LinearComplementarityProblem problem{n, &M, q_.data()};
    SolverOptions* const options = open_options(step, method().id != enumeration);
    options->iparam[SICONOS_LCP_IPARAM_SKIP_TRIVIAL] = SICONOS_LCP_SKIP_TRIVIAL_YES;
    step.info = linearComplementarity_driver(&problem, x_.data(), w_.data(), options);
    close_options(options, step);
    NM_clear_not_dense(&M);
  }

  double residual_scale() const override { return q_.norm(); }

  Mat M_;
  Vec q_;
};

std::unique_ptr<Solver> make(const SiconosMethod& method, const Parameters& settings) {
  return std::make_unique<SiconosLcp>(method, settings);
}
const RegisterSiconos entries(table, make);

#else

const RegisterSiconos entries(table, nullptr);

#endif

}  // namespace

}  // namespace touchstone

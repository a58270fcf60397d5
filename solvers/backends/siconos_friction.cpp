/// Siconos' methods for the exact Coulomb cone: FC3D (dim 3) and FC2D (dim 2), u = Wr + q with the
/// de Saxcé correction, in the same order (normal, tangents) as ours.
///
/// Siconos measures the natural map in the 2-norm divided by max(‖q‖₂, ‖r‖₂, ‖u‖₂).
/// They are handed a dense W, and problems beyond 6000 unknowns (288 MB) are not accepted.
/// Settings of each: max_iterations [1], child_process and time_limit [s].

#include <array>

#include "solvers/backends/siconos.hpp"

#ifdef TOUCHSTONE_HAVE_SICONOS
extern "C" {
#include <FrictionContactProblem.h>
#include <Friction_cst.h>
#include <NonSmoothDrivers.h>
#include <NumericsMatrix.h>
#include <SolverOptions.h>
#include <SparseBlockMatrix.h>
#include <fc2d_Solvers.h>
#include <fc3d_Solvers.h>
}
#endif

namespace touchstone {

namespace {

constexpr int nsgs_2d = 400, lemke_2d = 404, nsgs = 500, prox = 502, tresca = 503, nsn_ac = 504,
              vi_fpp = 506, vi_eg = 507, fpp = 511, eg = 512, nsn_fb = 513, aclm = 516, admm = 523;

constexpr const char* overview =
    "Acary, Brémond, Huber 2018, On solving contact problems with Coulomb friction; Siconos "
    "numerics 4.4";

constexpr std::array<SiconosMethod, 11> spatial = {{
    {"siconos-nsgs", nsgs, 20000, true, true,
     "Siconos: nonsmooth Gauss–Seidel over contacts, exact cone",
     "Jean, Moreau 1987; Siconos numerics 4.4"},
    {"siconos-nsn-ac", nsn_ac, 1000, true, true,
     "Siconos: nonsmooth Newton on Alart and Curnier's function",
     "Alart, Curnier 1991; Siconos numerics 4.4"},
    {"siconos-nsn-fb", nsn_fb, 1000, true, true,
     "Siconos: nonsmooth Newton on the Fischer–Burmeister function of the cone", overview},
    {"siconos-admm", admm, 20000, true, true, "Siconos: alternating directions on the cone",
     overview},
    {"siconos-prox", prox, 1000, true, true,
     "Siconos: proximal point iteration around Alart–Curnier Newton", overview},
    {"siconos-tfp", tresca, 1000, true, true,
     "Siconos: fixed point on Tresca friction around Gauss–Seidel", overview},
    {"siconos-aclm", aclm, 1000, true, true,
     "Siconos: fixed point of Acary, Cadoux, Lemaréchal and Malick on convex problems",
     "Acary, Cadoux, Lemaréchal, Malick 2011; Siconos numerics 4.4"},
    {"siconos-fpp", fpp, 20000, true, false,
     "Siconos: fixed-point projection on the cone, exact de Saxcé correction", overview},
    {"siconos-eg", eg, 20000, true, false, "Siconos: extragradient on the cone", overview},
    {"siconos-vi-fpp", vi_fpp, 20000, true, false,
     "Siconos: self-adaptive fixed-point projection of the variational inequality", overview},
    {"siconos-vi-eg", vi_eg, 20000, true, false,
     "Siconos: self-adaptive extragradient of the variational inequality", overview},
}};

constexpr std::array<SiconosMethod, 2> planar = {{
    {"siconos-fc2d-nsgs", nsgs_2d, 20000, true, true,
     "Siconos: nonsmooth Gauss–Seidel over planar contacts", "Jean, Moreau 1987; Siconos 4.4"},
    {"siconos-fc2d-lemke", lemke_2d, 10000, false, true,
     "Siconos: planar friction as an LCP, then lexicographic Lemke",
     "Cottle, Pang, Stone 1992; Siconos numerics 4.4"},
}};

#ifdef TOUCHSTONE_HAVE_SICONOS

static_assert(nsgs == SICONOS_FRICTION_3D_NSGS && prox == SICONOS_FRICTION_3D_PROX &&
              tresca == SICONOS_FRICTION_3D_TFP && nsn_ac == SICONOS_FRICTION_3D_NSN_AC &&
              vi_fpp == SICONOS_FRICTION_3D_VI_FPP && vi_eg == SICONOS_FRICTION_3D_VI_EG &&
              fpp == SICONOS_FRICTION_3D_FPP && eg == SICONOS_FRICTION_3D_EG &&
              nsn_fb == SICONOS_FRICTION_3D_NSN_FB && aclm == SICONOS_FRICTION_3D_ACLMFP &&
              admm == SICONOS_FRICTION_3D_ADMM && nsgs_2d == SICONOS_FRICTION_2D_NSGS &&
              lemke_2d == SICONOS_FRICTION_2D_LEMKE);

constexpr Eigen::Index largest = 6000;  // unknowns

class SiconosFriction final : public SiconosSolver {
 public:
  SiconosFriction(const SiconosMethod& method, const Parameters& settings, int dim)
      : SiconosSolver(method, settings), dim_(dim) {}
  bool accepts(const Problem& problem) const override {
    const FrictionContact* contact = std::get_if<FrictionContact>(&problem);
    return contact && contact->dim == dim_ && contact->q.size() <= largest;
  }

 private:
  void load(const Problem& problem, const Vec& guess, std::vector<std::string>&) override {
    const FrictionContact& contact = std::get<FrictionContact>(problem);
    if (contact.W.is_sparse())
      W_ = contact.W.sparse();
    else
      W_ = contact.W.dense();  // a copy: some methods shift its diagonal and back
    q_ = contact.q;
    mu_ = contact.mu;
    start_from(guess, q_.size());
  }

  void drive(Step& step) override {
    const int n = static_cast<int>(q_.size());
    NumericsMatrix W;
    NM_null(&W);
    NM_fill(&W, NM_DENSE, n, n, W_.data());
    FrictionContactProblem problem{};
    problem.dimension = dim_;
    problem.numberOfContacts = n / dim_;
    problem.M = &W;
    problem.q = q_.data();
    problem.mu = mu_.data();
    SolverOptions* const options = open_options(step);
    tune(options);
    step.info = dim_ == 3 ? fc3d_driver(&problem, x_.data(), w_.data(), options)
                          : fc2d_driver(&problem, x_.data(), w_.data(), options);
    close_options(options, step);
    NM_clear_not_dense(&W);
  }

  /// NSGS by default measures increments first and runs on to its limit after convergence.
  void tune(SolverOptions* options) const {
    if (method().id != nsgs) return;
    options->iparam[SICONOS_FRICTION_3D_IPARAM_ERROR_EVALUATION] =
        SICONOS_FRICTION_3D_NSGS_ERROR_EVALUATION_FULL;
    options->iparam[SICONOS_FRICTION_3D_IPARAM_ERROR_EVALUATION_FREQUENCY] = 10;
  }

  double residual_scale() const override { return q_.norm(); }

  int dim_;
  Mat W_;
  Vec q_, mu_;
};

template <int dim>
std::unique_ptr<Solver> make(const SiconosMethod& method, const Parameters& settings) {
  return std::make_unique<SiconosFriction>(method, settings, dim);
}
const RegisterSiconos spatial_entries(spatial, make<3>);
const RegisterSiconos planar_entries(planar, make<2>);

#else

const RegisterSiconos spatial_entries(spatial, nullptr);
const RegisterSiconos planar_entries(planar, nullptr);

#endif

}  // namespace

}  // namespace touchstone

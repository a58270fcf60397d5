#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "experiments/studies/sphere_on_spheres.hpp"
#include "tests/experiments/study_run.hpp"

/// sphere-on-two-spheres: its reference solution, and the published case against it.

namespace touchstone {
namespace {

using testing::IsEmpty;
using Mode = SphereOnSpheres::Mode;

SphereOnSpheresData published() {
  SphereOnSpheresData data;
  data.force = {1.0, 2.6, -9.81};
  data.position = {0.0, 6.62105263157895, 8.78417110772903};
  data.supports = {{{{0.0, 0.0, 0.0}, 10.0}, {{0.0, 11.4, 0.0}, 9.0}}};
  return data;
}

const SphereOnSpheres& reference() {
  static const SphereOnSpheres solution(published(), 4.0);
  return solution;
}

// An independent event-driven solution of the same problem (another program in another language,
// error below 1e-6): its events, and (x, v, ω) at a few times.
TEST(SphereOnSpheres, AgreesWithAnIndependentSolution) {
  EXPECT_EQ(reference().t_end(), 4.0);
  EXPECT_NEAR(reference().time_of(1, Mode::slip), 2.944807, 1e-6);
  EXPECT_NEAR(reference().time_of(0, Mode::separate), 3.213206, 1e-6);
  EXPECT_NEAR(reference().time_of(1, Mode::separate), 3.701600, 1e-6);
  const std::vector<std::pair<double, std::array<double, 9>>> known{
      {1.0,
       {0.2514431896, 6.621052632, 8.780571643, 0.5362906582, 0.0, -0.01535738664, 0.007339214246,
        0.4712800056, 0.256290483}},
      {2.5,
       {2.183950699, 6.621052632, 8.508350098, 2.380001867, 0.0, -0.6109065427, 0.2919490215,
        2.158407889, 1.137390366}},
      {3.0,
       {3.650582476, 6.621052632, 7.98967519, 3.526436981, 0.0, -1.611273142, 0.7675406033,
        3.403850913, 1.681889471}},
      {3.4,
       {5.273426452, 6.624592984, 7.027550163, 4.599396846, 0.05856900541, -3.411557313,
        1.266855241, 4.422117461, 2.015605783}},
      {4.0,
       {8.366123066, 6.967563113, 3.500379123, 5.513040854, 1.294368391, -8.722948886, 1.415773247,
        4.733801545, 2.111624546}},
  };
  for (const auto& [t, y] : known)
    for (int k = 0; k < 9; ++k)
      EXPECT_NEAR(reference().at(t)[k], y[static_cast<std::size_t>(k)], 1e-6) << t << ' ' << k;
}

TEST(SphereOnSpheres, KeepsContactsLawAndEnergy) {
  const SphereOnSpheresData data = published();
  const auto energy = [&](const SphereOnSpheres::Motion& y) {
    return 0.5 * y.segment<3>(3).squaredNorm() + 0.2 * y.tail<3>().squaredNorm() -
           data.force.dot(y.head<3>());
  };
  double before = energy(reference().at(0.0));
  for (int k = 1; k <= 400; ++k) {
    const double t = 0.01 * k;
    const auto y = reference().at(t);
    const auto loads = reference().loads(t);
    for (std::size_t c = 0; c < 2; ++c) {
      const double gap =
          (y.head<3>() - data.supports[c].centre).norm() - data.supports[c].radius - 1.0;
      EXPECT_GE(loads[c].normal, 0.0);
      if (loads[c].mode == Mode::separate) {
        EXPECT_GT(gap, -1e-9) << t;
      } else {
        EXPECT_NEAR(gap, 0.0, 1e-8) << t;
      }
      const double margin = 0.2 * loads[c].normal - loads[c].friction_magnitude;
      if (loads[c].mode == Mode::slip) {
        EXPECT_NEAR(margin, 0.0, 1e-12);
      } else {
        EXPECT_GE(margin, 0.0);
        EXPECT_NEAR(loads[c].slip, 0.0, 1e-8);
      }
    }
    EXPECT_LE(energy(y), before + 1e-9) << "friction takes energy, at t = " << t;
    before = energy(y);
  }
}

TEST(SphereOnSpheres, RefusesDataWithoutMeaningAndTimesOutsideItsSolution) {
  SphereOnSpheresData lifted = published();
  lifted.position.z() += 0.1;
  EXPECT_THROW(SphereOnSpheres(lifted, 1.0), std::invalid_argument);
  SphereOnSpheresData massless = published();
  massless.mass = 0.0;
  EXPECT_THROW(SphereOnSpheres(massless, 1.0), std::invalid_argument);
  EXPECT_THROW(reference().at(4.1), std::out_of_range);
  EXPECT_THROW(reference().loads(-0.1), std::out_of_range);
}

TEST(SphereOnTwoSpheresStudy, MeetsItsChecksAtThePublishedStep) {
  for (const char* formulation : {"geometric-ncp", "tzitzouris-pang"}) {
    const StudyRun run("sphere-on-two-spheres", formulation, {});
    const CaseResult result = run.result();
    EXPECT_THAT(failures(run.study->check_run(result)), IsEmpty()) << formulation;
    EXPECT_EQ(result.summary.at("modes_1"), "slip separate");
    EXPECT_EQ(result.summary.at("modes_2"), "stick slip separate");
    EXPECT_EQ(result.summary.at("unknowns"), formulation == std::string("geometric-ncp") ? 28 : 16);
  }
}

TEST(SphereOnTwoSpheresStudy, FlagsWhatIsWrong) {
  const StudyRun run("sphere-on-two-spheres", "geometric-ncp", {"t_end=0.1"});
  CaseResult result = run.result();
  EXPECT_THAT(failures(run.study->check_run(result)), IsEmpty());
  result.summary["slip_2"] = 0.05;  // contact 2 still rolls in the reference
  EXPECT_EQ(failures(run.study->check_run(result)).size(), 1u);
  result.summary["sliding_residual"] = 1e-6;
  EXPECT_EQ(failures(run.study->check_run(result)).size(), 2u);
}

TEST(SphereOnTwoSpheresStudy, HasNoReferenceForUnequalTangentWeights) {
  const auto& entry = Registry<StudyEntry>::instance().find("sphere-on-two-spheres");
  Parameters p = entry.parameters;
  EXPECT_TRUE(entry.make()->oracle(p));
  p.set("e_o", "0.5");
  EXPECT_FALSE(entry.make()->oracle(p));
}

}  // namespace
}  // namespace touchstone

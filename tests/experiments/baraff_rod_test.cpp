#include <gtest/gtest.h>

#include "experiments/harness/spec.hpp"
#include "experiments/harness/study.hpp"
#include "experiments/studies/sliding_rod.hpp"
#include "experiments/studies/sliding_rod_cases.hpp"

namespace touchstone {
namespace {

TEST(BaraffRodStudy, HasEveryKnownNumber) {
  const std::vector<KnownNumber> numbers = known_rod_numbers();
  EXPECT_GT(numbers.size(), 60u);
  for (const KnownNumber& k : numbers)
    EXPECT_NEAR(k.computed, k.expected, k.tolerance) << k.configuration << ": " << k.quantity;
}

// The problem assembled from the bodies is that of the closed form, at rest and sliding.
TEST(BaraffRodStudy, AssemblesTheCoefficientsOfTheRod) {
  for (const double angle : {0.2, 0.8, 1.4}) {
    const SlidingRod rod{.angle = angle, .inertia = 1.0 / 3.0};
    RodSetting at{.rod = rod, .mu = 0.7, .omega = -2.0};
    const Lcp sliding = RodContact(at).sliding();
    EXPECT_NEAR(sliding.M.to_dense()(0, 0), rod.B + 0.7 * rod.C, 1e-13);
    EXPECT_NEAR(sliding.q[0], 4.0 * rod.s - 9.8, 1e-13);
    at.slip = -1.0;  // reversed: friction now lifts the tip, and one force always exists
    EXPECT_NEAR(RodContact(at).sliding().M.to_dense()(0, 0), rod.B - 0.7 * rod.C, 1e-13);
    at.slip = 0.0;
    at.load = 0.5;
    const FrictionCones resting = RodContact(at).resting();
    const Mat expected = (Mat(2, 2) << rod.B, rod.C, rod.C, rod.E).finished();
    EXPECT_LT((resting.W - expected).cwiseAbs().maxCoeff(), 1e-13);
    EXPECT_NEAR(resting.q[1], 4.0 * rod.c + 0.5, 1e-13);
  }
}

TEST(BaraffRodStudy, MapAgreesWithTheClosedForm) {
  const StudyEntry& entry = Registry<StudyEntry>::instance().find("baraff-rod");
  for (const char* inertia : {"inertia=0.0625", "inertia=0.3333333333333333"}) {
    const RunSpec spec = make_spec("study", "baraff-rod", entry.parameters, "", std::nullopt,
                                   {inertia, "angles=9", "frictions=9", "spins=4"});
    const Json found = entry.make()->compute(spec.parameters, [](double) {}).summary;
    EXPECT_EQ(found.at("points"), 9 * 9 * 4);
    EXPECT_EQ(found.at("disagreements"), 0) << inertia;
    EXPECT_EQ(found.at("lemke_disagreements"), 0) << inertia;
    EXPECT_EQ(found.at("regions").at("boundary"), 0) << inertia;
    EXPECT_LT(found.at("force_error").get<double>(), 1e-10);
    for (const char* region : {"contact", "separation", "indeterminate", "inconsistent"})
      EXPECT_GT(found.at("regions").at(region).get<int>(), 0) << inertia << " " << region;
  }
}

}  // namespace
}  // namespace touchstone

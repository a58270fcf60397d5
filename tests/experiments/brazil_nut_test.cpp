#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "experiments/scene.hpp"
#include "experiments/studies/brazil_nut_scene.hpp"
#include "formulations/common/ratio_contacts.hpp"
#include "tests/experiments/study_run.hpp"

/// brazil-nut: the scene, a small bed that is shaken for a short time, and the checks.

namespace touchstone {
namespace {

using testing::IsEmpty;
using testing::Not;

StudyRun small_bed(std::vector<std::string> sets) {
  sets.insert(sets.begin(),
              {"coupling=qp", "first_set=0.25", "grains=30", "nut=2", "frequency=5", "t_end=0.7"});
  return StudyRun("brazil-nut", "ratio-metric", sets, "sparse-interior-point");
}

TEST(BrazilNutScene, HasTheGrainsAskedForAndNoneTouchAtTheStart) {
  for (const int dim : {2, 3})
    for (const int grains : {1, 30, 100}) {
      const World world = brazil_nut({.dim = dim, .grains = grains, .seed = 4}, {.mu = 0.3});
      EXPECT_EQ(world.moving().size(), static_cast<std::size_t>(grains) + 1);
      EXPECT_NO_THROW(check_no_overlap(world, "brazil-nut"));
      EXPECT_EQ(ratio_infeasibility(world, initial_state(world)), 0.0);
      for (const int i : world.moving()) {  // the centre of mass is the origin of the body frame
        const MassProperties properties = world.body(i).shape->mass_properties(1000.0);
        EXPECT_LT(properties.centroid.norm(), 1e-12);
        EXPECT_NEAR(world.body(i).mass, properties.mass, 1e-12 * properties.mass);
      }
    }
}

TEST(BrazilNutStudy, RunsASmallShakenBedWithoutAFailedStep) {
  for (const char* dim : {"dim=2", "dim=3"}) {
    const StudyRun run = small_bed({dim});
    EXPECT_EQ(run.record.status(), "completed");
    const CaseResult result = run.result();
    EXPECT_EQ(result.summary.at("failed_steps"), 0) << dim;
    EXPECT_LT(result.summary.at("max_infeasibility").get<double>(), 0.1) << dim;
    EXPECT_GT(result.summary.at("average_contacts").get<double>(), 30.0) << dim;
    EXPECT_THAT(failures(run.study->check_run(result)), IsEmpty());
    for (const int i : run.world.moving())  // nothing leaves the container
      EXPECT_GT(
          run.record.trajectory().back().q[run.world.coordinate_offset(i) + run.world.dim() - 1],
          0.0);
  }
}

TEST(BrazilNutStudy, ClosesItsLedger) {
  const StudyRun run = small_bed({});
  const EnergyRow& last = run.record.energy().back();
  const double scale = last.work_applied - last.work_normal - last.work_friction;
  EXPECT_GT(last.work_applied, 0.0);
  // What is left is the integrator's: potential energy falls with hv⁺, gravity works with the mean.
  EXPECT_LT(std::abs(last.work_numerical), 0.1 * scale);
}

TEST(BrazilNutChecks, FlagANutThatStaysAndAControlThatRises) {
  const StudyRun run = small_bed({});
  const auto result = [&](double strength, double t_end, double rise, int bodies = 30) {
    CaseResult r = run.result();
    r.parameters.set("strength", strength);
    r.parameters.set("t_end", t_end);
    r.summary["rise"] = rise;
    r.summary["bodies"] = bodies;
    r.summary["median_step_us"] = 100.0 * bodies;
    return r;
  };
  const CaseResult few = result(3.0, 1.5, 0.0, 50), many = result(3.0, 1.5, 0.0, 100);
  const auto verdict = [&](double rise, double of_control) {
    return failures(run.study->check_study(
        {result(3.0, 12.0, rise), result(0.9, 12.0, of_control), few, many}));
  };
  EXPECT_THAT(verdict(0.1, 0.001), IsEmpty());
  EXPECT_THAT(verdict(0.03, 0.001), Not(IsEmpty()));
  EXPECT_THAT(verdict(0.1, 0.01), Not(IsEmpty()));
}

}  // namespace
}  // namespace touchstone

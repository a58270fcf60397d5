#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/experiments/study_run.hpp"

/// ellipsoid-on-ellipsoids: where it starts, what it keeps, and that a sphere is an ellipsoid.

namespace touchstone {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

const StudyEntry& study_entry() {
  return Registry<StudyEntry>::instance().find("ellipsoid-on-ellipsoids");
}

TEST(EllipsoidOnEllipsoids, StartsInTouchWithBothLargeBodies) {
  for (const char* large : {"spheres", "ellipsoids"}) {
    Parameters p = study_entry().parameters;
    p.set("large", large);
    const World world = study_entry().make()->world(p);
    const State start = initial_state(world);
    for (const int b : {1, 2}) {
      std::vector<ContactPoint> near;
      contact_points(*world.body(0).shape, pose(world, start, 0), *world.body(b).shape,
                     pose(world, start, b), 1.0, near);
      ASSERT_EQ(near.size(), 1u);
      EXPECT_NEAR(near[0].gap, 0.0, 1e-12) << large << b;
    }
  }
}

TEST(EllipsoidOnEllipsoids, ASphereAsAnEllipsoidMovesAsTheSphere) {
  const StudyRun egg("ellipsoid-on-ellipsoids", "geometric-ncp",
                     {"large=spheres", "a=1", "b=1", "c=1", "yaw=0"});
  const StudyRun ball("sphere-on-two-spheres", "geometric-ncp", {});
  ASSERT_EQ(egg.record.trajectory().size(), ball.record.trajectory().size());
  for (std::size_t k = 0; k < egg.record.trajectory().size(); ++k) {
    const State &a = egg.record.trajectory()[k], &b = ball.record.trajectory()[k];
    EXPECT_LT((a.nu - b.nu).lpNorm<Eigen::Infinity>(), 1e-7) << a.t;
  }
}

TEST(EllipsoidOnEllipsoids, KeepsItsLawsWithTheDefaults) {
  const StudyRun run("ellipsoid-on-ellipsoids", "geometric-ncp", {"t_end=1"});
  EXPECT_THAT(failures(run.study->check_run(run.result())), IsEmpty());
  EXPECT_EQ(run.result().summary.at("unknowns"), 28);
}

TEST(EllipsoidOnEllipsoids, HasNoClosedForm) {
  const auto& closed = Registry<FormulationEntry>::instance().find("tzitzouris-pang");
  const World world = study_entry().make()->world(study_entry().parameters);
  EXPECT_THAT(closed.inapplicable(world), HasSubstr("no gap function in closed form"));
}

}  // namespace
}  // namespace touchstone

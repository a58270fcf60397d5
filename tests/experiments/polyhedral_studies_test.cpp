#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "experiments/studies/polyhedral_bodies.hpp"
#include "experiments/studies/settle.hpp"
#include "formulations/common/ratio_contacts.hpp"
#include "tests/experiments/study_run.hpp"

/// Polyhedra in the place of the spheres and ellipsoids of spinning-sphere, sphere-on-two-spheres
/// and ellipsoid-on-ellipsoids.

namespace touchstone {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

const char* const studies[] = {"spinning-sphere", "sphere-on-two-spheres",
                               "ellipsoid-on-ellipsoids"};

World start(const std::string& study, long facets) {
  const StudyEntry& entry = Registry<StudyEntry>::instance().find(study);
  Parameters p = entry.parameters;
  p.set("facets", Parameter::Value(facets));
  return entry.make()->world(p);
}

TEST(PolyhedralStudies, KeepMassAndInertiaAndStartInTouch) {
  for (const char* study : studies)
    for (const long facets : {20L, 80L, 320L}) {
      SCOPED_TRACE(testing::Message() << study << ' ' << facets);
      const World smooth = start(study, 0), world = start(study, facets);
      EXPECT_EQ(world.body(0).mass, smooth.body(0).mass);
      EXPECT_EQ(world.body(0).inertia, smooth.body(0).inertia);
      EXPECT_EQ(world.body(0).position.x(), smooth.body(0).position.x());
      for (const Body& body : world.bodies())
        if (const auto* shape = dynamic_cast<const Polytope*>(body.shape.get())) {
          EXPECT_EQ(shape->count(), facets);
        }
      ASSERT_THAT(RatioContacts::inapplicable(world), IsEmpty());
      EXPECT_LT(ratio_infeasibility(world, initial_state(world)), 1e-13) << "overlap";
      State lower = initial_state(world);
      lower.q[2] -= 1e-9;
      for (const Pair& pair : world.pairs()) {
        std::vector<ContactPoint> near;
        contact_points(*world.body(pair.a).shape, pose(world, lower, pair.a),
                       *world.body(pair.b).shape, pose(world, lower, pair.b), 1e-3, near);
        const auto deepest = std::min_element(
            near.begin(), near.end(),
            [](const ContactPoint& x, const ContactPoint& y) { return x.gap < y.gap; });
        ASSERT_NE(deepest, near.end());
        EXPECT_LT(deepest->gap, 0.0) << "the supports are touched, not only approached";
      }
    }
}

TEST(PolyhedralStudies, AreTheSmoothOnesByDefault) {
  for (const char* study : studies) {
    const World world = start(study, 0);
    for (const Body& body : world.bodies())
      EXPECT_EQ(dynamic_cast<const Polytope*>(body.shape.get()), nullptr) << study;
  }
}

TEST(PolyhedralStudies, RefuseANumberOfFacetsThatNoRefinementHas) {
  for (const char* study : studies)
    for (const long facets : {1L, 100L, 20479L}) try {
        start(study, facets);
        ADD_FAILURE() << study << ' ' << facets;
      } catch (const InputError& error) {
        EXPECT_THAT(error.what(), HasSubstr("facets = " + std::to_string(facets)));
        EXPECT_THAT(error.what(), HasSubstr("expected 0 (the smooth shape) or one of 20, 80, 320, "
                                            "1280, 5120, 20480"));
      }
  EXPECT_THROW(start("spinning-sphere", -20), InputError);
  EXPECT_THROW(start("spinning-sphere", 81920), InputError);
}

TEST(SpinningPolyhedron, OnAVertexMovesAsTheImplicitStepInClosedForm) {
  for (const char* formulation : {"ratio-metric", "stewart-trinkle"})
    for (const char* facets : {"facets=20", "facets=320"})
      for (const char* h : {"h=0.07", "h=0.013"}) {
        SCOPED_TRACE(testing::Message() << formulation << ' ' << facets << ' ' << h);
        const StudyRun run("spinning-sphere", formulation, {facets, h});
        EXPECT_THAT(run.study->check_run(run.result()), SizeIs(5));
        EXPECT_THAT(failures(run.study->check_run(run.result())), IsEmpty());
        EXPECT_NEAR(run.result().summary.at("stops_at").get<double>(), 1.0, 1e-9);
      }
}

TEST(SpinningPolyhedron, OnAVertexWithoutTorsionSpinsForEver) {
  const StudyRun run("spinning-sphere", "ratio-metric", {"facets=80", "e_r=0"});
  for (const State& state : run.record.trajectory()) EXPECT_NEAR(state.nu[5], 1.962, 1e-12);
}

/// A corner at the distance ρ from the axis slides with the speed ωρ. The friction polytope has
/// either all of its torsion or all of its slip there, whichever takes more power: torsion while
/// e_r > ρ, and then the facet stops as a point does.
TEST(SpinningPolyhedron, OnAFacetSmallerThanTheTorsionalLeverStopsAsOnAVertex) {
  const StudyRun small("spinning-sphere", "ratio-metric", {"facets=80", "stands_on=facet"});
  EXPECT_LT(small.result().summary.at("spin_error").get<double>(), 1e-10);
  EXPECT_LT(small.result().summary.at("other_velocities").get<double>(), 1e-10);
  const StudyRun large("spinning-sphere", "ratio-metric", {"facets=20", "stands_on=facet"});
  EXPECT_GT(large.result().summary.at("spin_error").get<double>(), 0.1);
  EXPECT_THAT(large.study->check_run(large.result()), SizeIs(2)) << "reported, not judged";
}

CaseResult as_case(const StudyRun& run, const Case& one) {
  CaseResult result = run.result();
  result.the_case = one;
  return result;
}

TEST(SphereOnTwoSpheresWithFacets, ErrsLessWithFinerFacets) {
  std::vector<CaseResult> results;
  for (const char* facets : {"facets=80", "facets=320"}) {
    const StudyRun run("sphere-on-two-spheres", "ratio-metric", {facets, "h=0.01", "t_end=2.5"},
                       "chain");
    results.push_back(as_case(run, {"ratio-metric", {facets, "h=0.01"}, "chain"}));
    EXPECT_THAT(failures(run.study->check_run(results.back())), IsEmpty());
  }
  const auto study = Registry<StudyEntry>::instance().find("sphere-on-two-spheres").make();
  const auto claims = [&] { return failures(study->check_study(results)); };
  EXPECT_THAT(claims(), IsEmpty());
  results[1].summary["state_error_2.5s"] =
      0.6 * results[0].summary["state_error_2.5s"].get<double>();
  EXPECT_THAT(claims(), Contains(HasSubstr("from 80 to 320 facets")));
}

TEST(SphereOnTwoSpheresWithFacets, IsJudgedByWhatHoldsForPolyhedra) {
  const StudyRun run("sphere-on-two-spheres", "ratio-metric", {"facets=80", "t_end=0.5"}, "chain");
  CaseResult result = run.result();
  EXPECT_THAT(failures(run.study->check_run(result)), IsEmpty());
  EXPECT_GT(result.summary.at("state_error_max").get<double>(), 0.1) << "reported all the same";
  result.summary["max_penetration"] = 1.01 * result.summary.at("linearisation_bound").get<double>();
  EXPECT_THAT(failures(run.study->check_run(result)), SizeIs(1));
  result.summary["failed_steps"] = 1;
  EXPECT_THAT(failures(run.study->check_run(result)), SizeIs(2));
}

TEST(SphereOnTwoSpheresWithFacets, LeavesItsSupportsForGood) {
  const StudyRun run("sphere-on-two-spheres", "ratio-metric", {"facets=80"}, "chain");
  const Json measures = run.result().summary;
  const double first = measures.at("separate_1"), second = measures.at("separate_2");
  EXPECT_GT(first, 2.0);
  EXPECT_GT(second, first);
  for (const ContactRow& row : run.record.contacts())
    if (row.p_n > 0.0) {
      EXPECT_LE(row.t, row.contact.starts_with("ball/first#") ? first : second) << row.contact;
    }
}

TEST(EllipsoidOnEllipsoidsWithFacets, RunsAndPenetratesNoMoreThanLinearised) {
  for (const char* large : {"large=spheres", "large=ellipsoids"}) {
    const StudyRun run("ellipsoid-on-ellipsoids", "ratio-metric", {large, "facets=80", "t_end=1"},
                       "chain");
    EXPECT_THAT(failures(run.study->check_run(run.result())), IsEmpty()) << large;
    EXPECT_TRUE(run.result().summary.at("state_1s").is_array());
  }
}

}  // namespace
}  // namespace touchstone

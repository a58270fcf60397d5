#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

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

/// Of each pair that overlaps by more than 0.01 mm, the event with the least depth.
std::vector<Contact> overlaps(const World& world, const State& state, double h) {
  State still = state;
  still.nu.setZero();
  Configuration configuration;
  configuration.update(world, still);
  std::vector<Contact> found, least;
  RatioContacts(world).find(configuration, still, 0.01 * h, found);
  for (const Contact& contact : found) {  // those of a pair follow each other
    if (least.empty() || contact.a != least.back().a || contact.b != least.back().b)
      least.push_back(contact);
    else if (contact.gap > least.back().gap)
      least.back() = contact;
  }
  std::erase_if(least, [](const Contact& contact) { return contact.gap > -1e-5; });
  return least;
}

TEST(BrazilNutStudy, OverlapsOnlyWhereEventsCurve) {
  // Whatever overlaps after a step belongs to an event whose row the step's velocities obey: the
  // linearisation is left, and no event was missed. Searched for eight times as far as in the step.
  const double h = 0.005;
  const World world =
      brazil_nut({.grains = 30, .nut = 2.0, .strength = 6.0, .frequency = 5.0}, {.mu = 0.6});
  const FormulationEntry& entry = Registry<FormulationEntry>::instance().find("ratio-metric");
  Parameters settings = entry.parameters;
  settings.set("coupling", "qp");
  const auto formulation =
      make_formulation(entry, world, settings, make_solver("sparse-interior-point"));
  State state = initial_state(world);
  int checked = 0;
  for (int k = 1; k <= 240; ++k) {
    State before = state;
    state = formulation->advance(before, h).next;
    state.t = k * h;
    const std::vector<Contact> deep = overlaps(world, state, h);
    Configuration configuration;
    configuration.update(world, before);
    std::vector<Contact> events;
    RatioContacts(world).find(configuration, before, 8.0 * h, events);
    for (const Contact& now : deep) {
      const auto then = std::find_if(events.begin(), events.end(), [&](const Contact& e) {
        return e.a == now.a && e.b == now.b && e.feature == now.feature;
      });
      ASSERT_NE(then, events.end()) << k;
      const Column normal = wrench_column(world, configuration, *then, then->n);
      EXPECT_GT(velocity(world, normal, state.nu) + then->gap / h, -1e-8) << k;
      ++checked;
    }
  }
  EXPECT_GT(checked, 5);
}

TEST(BrazilNutStudy, ClosesItsLedger) {
  // Kinetic energy changes by the work of the mean velocities, the potential with hν⁺: what is left
  // is −½h g·Σ m(v⁺ − v) in each step, and the sum of the steps telescopes.
  const StudyRun run = small_bed({});
  const State& end = run.record.trajectory().back();
  double expected = 0.0;
  for (const int i : run.world.moving())
    expected -= 0.5 * 0.005 * run.world.body(i).mass *
                run.world.gravity().dot(twist(run.world, end.nu, i).v);
  const EnergyRow& last = run.record.energy().back();
  EXPECT_GT(last.work_applied, 10.0);
  EXPECT_LT(last.work_friction, -1.0);
  EXPECT_NEAR(last.work_numerical, expected, 1e-12 * last.work_applied);
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
  const auto verdict = [&](std::vector<double> rises, double of_control, CaseResult largest) {
    std::vector<CaseResult> results{result(0.9, 12.0, of_control), few, largest};
    for (const double rise : rises) results.push_back(result(3.0, 12.0, rise));
    return failures(run.study->check_study(results));
  };
  EXPECT_THAT(verdict({0.05, 0.06}, 0.001, many), IsEmpty());
  EXPECT_EQ(verdict({0.2, 0.21, 0.2, 0.003}, 0.001, many).size(), 1u);  // one bed stays
  EXPECT_EQ(verdict({0.035, 0.04}, 0.001, many).size(), 1u);            // less than a diameter
  EXPECT_EQ(verdict({0.01, 0.2}, 0.001, many).size(), 1u);              // one of two tells nothing
  EXPECT_EQ(verdict({0.05, 0.06}, -0.01, many).size(), 1u);             // the control sinks
  EXPECT_EQ(failures(run.study->check_study({few, many})).size(), 3u);  // nothing to judge
  CaseResult slow = many;
  slow.summary["median_step_us"] = 21000.0;  // twice the bodies, more than four times the time
  EXPECT_EQ(verdict({0.05, 0.06}, 0.001, slow).size(), 1u);
}

}  // namespace
}  // namespace touchstone

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>

#include "experiments/harness/spec.hpp"
#include "experiments/harness/study.hpp"
#include "experiments/scene.hpp"
#include "experiments/shapes.hpp"

/// Everything that registers itself is there, documented, and fits the rest.

namespace touchstone {
namespace {

using testing::IsSupersetOf;

template <class Entry>
const Registry<Entry>& registry() {
  return Registry<Entry>::instance();
}

template <class Entry>
std::vector<const Entry*> all() {
  return registry<Entry>().all();
}

// A static library or a renamed file drops a registration without a word: these sets notice.
TEST(Registry, HoldsEveryBuiltInEntry) {
  EXPECT_THAT(registry<FormulationEntry>().names(),
              IsSupersetOf({"geometric-ncp", "penalty", "stewart-trinkle", "tzitzouris-pang"}));
  EXPECT_THAT(registry<SolverEntry>().names(), IsSupersetOf({"active-set-qp",
                                                             "chain",
                                                             "enumeration",
                                                             "interior-point",
                                                             "jacobi",
                                                             "lemke",
                                                             "newton-fb",
                                                             "newton-min",
                                                             "nsgs",
                                                             "nsn",
                                                             "prox",
                                                             "osqp",
                                                             "path",
                                                             "pgs",
                                                             "principal-pivoting",
                                                             "siconos-aclm",
                                                             "siconos-admm",
                                                             "siconos-avi",
                                                             "siconos-eg",
                                                             "siconos-enum",
                                                             "siconos-fc2d-lemke",
                                                             "siconos-fc2d-nsgs",
                                                             "siconos-fpp",
                                                             "siconos-lemke",
                                                             "siconos-mcp-fb",
                                                             "siconos-mcp-min",
                                                             "siconos-mlcp-enum",
                                                             "siconos-mlcp-lemke",
                                                             "siconos-mlcp-pgs",
                                                             "siconos-mlcp-rpgs",
                                                             "siconos-murty",
                                                             "siconos-newton-fb",
                                                             "siconos-newton-min",
                                                             "siconos-newton-min-undamped",
                                                             "siconos-nsgs",
                                                             "siconos-nsn-ac",
                                                             "siconos-nsn-fb",
                                                             "siconos-pgs",
                                                             "siconos-prox",
                                                             "siconos-rpgs",
                                                             "siconos-tfp",
                                                             "siconos-vi-eg",
                                                             "siconos-vi-fpp",
                                                             "sor"}));
  EXPECT_THAT(registry<StudyEntry>().names(),
              IsSupersetOf({"baraff-ellipsoid", "ellipsoid-on-ellipsoids", "rolling-disc",
                            "sphere-on-two-spheres", "spinning-sphere"}));
  EXPECT_THAT(
      registry<ShapeEntry>().names(),
      IsSupersetOf({"box", "disc", "ellipse", "ellipsoid", "half-space", "polytope",
                    "regular-polygon", "sphere", "superellipse", "superquadric", "cylinder"}));
}

template <class Entry>
void expect_documented(const Entry& entry) {
  SCOPED_TRACE(std::string(Entry::kind) + " " + entry.name);
  EXPECT_FALSE(entry.summary.empty());
  EXPECT_EQ(entry.summary.find('\n'), std::string::npos) << "one line";
  EXPECT_FALSE(entry.cite.empty());
  EXPECT_TRUE(entry.make);
  for (const Parameter& p : entry.parameters.all()) {
    SCOPED_TRACE(p.name);
    EXPECT_FALSE(p.description.empty());
    if (std::holds_alternative<double>(p.value) || std::holds_alternative<long>(p.value)) {
      EXPECT_FALSE(p.unit.empty()) << "numbers have a unit, \"1\" when they have none";
    }
  }
}

TEST(Registry, DocumentsEveryEntry) {
  for (const auto* entry : all<StudyEntry>()) expect_documented(*entry);
  for (const auto* entry : all<FormulationEntry>()) expect_documented(*entry);
  for (const auto* entry : all<SolverEntry>()) expect_documented(*entry);
  for (const auto* entry : all<ShapeEntry>()) {
    EXPECT_FALSE(entry->summary.empty()) << entry->name;
    EXPECT_FALSE(entry->keys.empty()) << entry->name;
    EXPECT_FALSE(entry->dimensions.empty()) << entry->name;
  }
}

TEST(Registry, KeepsParameterNamesApart) {
  const Parameters of_scenes = scene_parameters();
  for (const auto* formulation : all<FormulationEntry>())
    for (const std::string& name : formulation->parameters.names()) {
      EXPECT_FALSE(of_scenes.has(name)) << formulation->name << ": " << name;
      EXPECT_FALSE(name.starts_with("solver.")) << formulation->name << ": " << name;
      for (const auto* study : all<StudyEntry>())
        EXPECT_FALSE(study->parameters.has(name))
            << "'" << name << "' of " << formulation->name << " and of " << study->name;
    }
}

TEST(Registry, GivesANameTheSameUnitInEveryStudyAndScene) {
  std::map<std::string, std::string> units;
  const Parameters of_scenes = scene_parameters();
  for (const Parameter& p : of_scenes.all()) units[p.name] = p.unit;
  for (const auto* study : all<StudyEntry>())
    for (const Parameter& p : study->parameters.all())
      EXPECT_EQ(units.try_emplace(p.name, p.unit).first->second, p.unit)
          << study->name << ": " << p.name;
}

bool is_simulated(const StudyEntry& study) { return !study.default_formulation.empty(); }

// A study whose closed form fixes the law of contact offers no mu and no restitution.
TEST(Registry, GivesEverySimulatedStudyAndSceneTheRunParameters) {
  for (const char* name : {"mu", "e_t", "e_o", "e_r", "restitution"})
    EXPECT_TRUE(scene_parameters().has(name)) << name;
  for (const char* name : {"h", "t_end", "record_every"}) {
    EXPECT_TRUE(scene_parameters().has(name)) << name;
    for (const auto* study : all<StudyEntry>())
      EXPECT_TRUE(!is_simulated(*study) || study->parameters.has(name))
          << study->name << ": " << name;
  }
}

TEST(Registry, NamesOnlyEntriesThatExist) {
  for (const auto* study : all<StudyEntry>())
    EXPECT_TRUE(!is_simulated(*study) ||
                registry<FormulationEntry>().contains(study->default_formulation))
        << study->name;
  for (const auto* formulation : all<FormulationEntry>())
    if (!formulation->default_solver.empty()) {
      EXPECT_TRUE(registry<SolverEntry>().contains(formulation->default_solver))
          << formulation->name;
    }
}

TEST(Registry, HasAScriptForEveryFigure) {
  int figures = 0;
  for (const auto* study : all<StudyEntry>())
    for (const std::string& figure : study->figures) {
      ++figures;
      EXPECT_TRUE(std::filesystem::exists(std::filesystem::path(TOUCHSTONE_SOURCE_DIR) /
                                          "paper_figures" / (figure + ".py")))
          << study->name << ": " << figure;
    }
  EXPECT_GE(figures, 2);
}

TEST(Studies, PublishOnlyCasesThatCanRun) {
  for (const auto* entry : all<StudyEntry>()) {
    const auto study = entry->make();
    const std::vector<Case> cases = study->published_cases();
    EXPECT_FALSE(cases.empty()) << entry->name;
    for (const Case& c : cases) {
      SCOPED_TRACE(entry->name + ": " + c.path());
      const RunSpec spec =
          make_spec("study", entry->name, entry->parameters, c.formulation, c.solver, c.sets);
      if (c.computed()) continue;  // the spec is all that can be checked without computing it
      const World world = study->world(spec.parameters);
      EXPECT_NO_THROW(check_no_overlap(world, entry->name));
      EXPECT_NE(make_formulation(spec, world), nullptr);
    }
  }
}

TEST(Studies, TakeEveryFormulation) {
  for (const auto* entry : all<StudyEntry>()) {
    if (!is_simulated(*entry)) continue;
    for (const auto* formulation : all<FormulationEntry>())
      EXPECT_NO_THROW(
          make_spec("study", entry->name, entry->parameters, formulation->name, std::nullopt, {}))
          << entry->name << ", " << formulation->name;
  }
}

}  // namespace
}  // namespace touchstone

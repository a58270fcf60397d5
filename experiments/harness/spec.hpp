#pragma once

#include <optional>
#include <string>
#include <vector>

#include "experiments/harness/provenance.hpp"
#include "formulations/formulation.hpp"

namespace touchstone {

/// Every choice that decides a run's result, resolved.
struct RunSpec {
  std::string kind;  // "study" or "scene"
  std::string name;
  std::string formulation;       // empty: the study computes the case itself
  std::string solver;            // empty: the formulation needs none
  Parameters parameters;         // of the study or scene, then the formulation's own
  Parameters solver_parameters;  // set as solver.NAME
  std::string scene_hash;        // of the scene file's text; empty for studies
};

/// Sorts "KEY=VALUE" assignments to the study or scene (`base`), the formulation and, as
/// solver.KEY, the solver. Throws InputError for unknown names, keys and values, and for a solver
/// that is unavailable. Without a formulation all of them are the study's own.
RunSpec make_spec(std::string kind, std::string name, Parameters base,
                  const std::string& formulation, const std::optional<std::string>& solver,
                  const std::vector<std::string>& sets);

/// The run's inputs as run.json writes them; two runs with equal inputs and equal sources are the
/// same run.
Json inputs(const RunSpec& spec);

/// A parameter's value with its type.
Json to_json(const Parameters& parameters);

/// Whether `folder` holds a finished run of this spec by this code.
bool already_run(const RunSpec& spec, const std::filesystem::path& folder);

std::unique_ptr<Formulation> make_formulation(const RunSpec& spec, const World& world);

}  // namespace touchstone

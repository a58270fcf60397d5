#include "experiments/profile/dump.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <system_error>

#include "experiments/harness/files.hpp"
#include "formulations/common/cone_problem.hpp"
#include "solvers/fclib.hpp"
#include "solvers/problem_file.hpp"

namespace touchstone {

namespace fs = std::filesystem;

namespace {

void check_free(const fs::path& folder) {
  if (!fs::exists(folder)) return;
  if (!fs::is_directory(folder) || (!fs::is_empty(folder) && !fs::exists(folder / "index.json")))
    throw InputError(fmt::format(
        "--dump {}: expected a new or an empty folder, or an earlier collection", folder.string()));
}

std::vector<double> list(const Vec& v) { return {v.begin(), v.end()}; }

}  // namespace

PosedStep::PosedStep(Target target)
    : target_(std::move(target)),
      formulation_(make_formulation(target_.spec, target_.world)),
      stepping_(dynamic_cast<TimeStepping*>(formulation_.get())) {}

std::string PosedStep::refusal(bool exact_cone) const {
  if (stepping_ || exact_cone) return {};
  return "formulation '" + target_.spec.formulation +
         "' has no problem per step to write; --cone writes the exact-cone problem of a step";
}

Problem PosedStep::pose(const State& state, bool exact_cone, Vec* start) {
  const double h = target_.spec.parameters.real("h");
  if (!exact_cone) {
    Problem problem = stepping_->whole_problem(state, h, start);
    contacts_ = stepping_->candidates();
    return problem;
  }
  Configuration configuration;
  configuration.update(target_.world, state);
  FrictionContact problem = cone_problem(configuration, state, h);
  contacts_ = static_cast<int>(problem.mu.size());
  return problem;
}

Dump::Dump(DumpOptions options, const std::string& target, const Asked& asked)
    : options_(std::move(options)),
      name_(target),
      asked_(asked),
      posed_(target_of(target, asked)),
      partial_(options_.folder) {
  if (const std::string why = posed_.refusal(options_.exact_cone); !why.empty())
    throw InputError("--dump: " + why);
  check_free(options_.folder);
  partial_ += fmt::format(".partial-{}", ::getpid());
  std::error_code error;
  fs::create_directories(partial_, error);
  if (error)
    throw InputError(
        fmt::format("--dump {}: cannot be written: {}", options_.folder.string(), error.message()));
}

Dump::~Dump() {
  std::error_code ignored;
  if (!partial_.empty()) fs::remove_all(partial_, ignored);
}

void Dump::take(int step, const State& state) {
  if ((step - 1) % options_.every != 0) return;
  const Problem problem = posed_.pose(state, options_.exact_cone);
  if (posed_.contacts() == 0) return;
  problems_.push_back({{"step", step},
                       {"t", state.t},
                       {"file", store(step, problem, state)},
                       {"class", problem_class(problem)},
                       {"unknowns", unknowns(problem)},
                       {"contacts", posed_.contacts()}});
}

std::string Dump::store(int step, const Problem& problem, const State& state) {
  const bool is_function = std::holds_alternative<Mcp>(problem);
  const std::string text =
      is_function ? Json{{"class", "mcp"},
                         {"state", {{"t", state.t}, {"q", list(state.q)}, {"nu", list(state.nu)}}}}
                            .dump() +
                        "\n"
                  : problem_text(problem);
  const bool as_fclib = options_.exact_cone && fclib_available();
  const auto [it, is_new] = stored_.try_emplace(
      fingerprint(text), fmt::format("step-{:06d}.{}", step, as_fclib ? "hdf5" : "json"));
  if (is_new && as_fclib)
    write_fclib(partial_ / it->second, std::get<FrictionContact>(problem),
                {name_, fmt::format("step {} from t = {} s", step, state.t), ""});
  else if (is_new)
    write_file(partial_ / it->second, text);
  return it->second;
}

std::string Dump::finish() {
  const RunSpec& spec = posed_.target().spec;
  Json index = {{"collection", 1}};
  const bool is_scene = spec.kind == "scene";
  if (is_scene) write_file(partial_ / "scene.toml", read_file(name_));
  index["target"] = is_scene ? "scene.toml" : name_;
  index["asked"] = {{"formulation", spec.formulation}, {"sets", asked_.sets}};
  if (!spec.solver.empty()) index["asked"]["solver"] = spec.solver;
  index["every"] = options_.every;
  index["exact_cone"] = options_.exact_cone;
  index["run"] = inputs(spec);
  index.update(provenance());
  index["problems"] = problems_;
  write_file(partial_ / "index.json", index.dump(1) + "\n");
  std::error_code error;
  if (fs::exists(options_.folder)) fs::remove_all(options_.folder, error);
  if (!error) fs::rename(partial_, options_.folder, error);
  if (error)
    throw InputError(
        fmt::format("--dump {}: cannot be written: {}", options_.folder.string(), error.message()));
  partial_.clear();
  return fmt::format("{}: {} problems in {} files", options_.folder.string(), problems_.size(),
                     stored_.size());
}

StepObserver observer(std::optional<Dump>& dump) {
  if (!dump) return {};
  return [&dump](int step, const State& state) { dump->take(step, state); };
}

}  // namespace touchstone

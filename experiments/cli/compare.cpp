#include "experiments/harness/compare.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "experiments/cli/commands.hpp"
#include "experiments/harness/files.hpp"
#include "experiments/target.hpp"

namespace touchstone {

namespace {

struct Comparison {
  std::string name;  // of the study or scene
  std::filesystem::path results;
  std::vector<CaseResult> runs;
  std::vector<LeftOut> left_out;
  int found = 0;  // runs that were on disk already
};

/// What make_spec or check_runnable refuses, as a reason.
template <class Attempt>
std::string refusal_of(const Attempt& attempt) {
  try {
    attempt();
    return {};
  } catch (const InputError& error) {
    return error.what();
  }
}

std::filesystem::path results_folder(const Choice& choice, const std::filesystem::path& otherwise) {
  return choice.out ? std::filesystem::path(*choice.out) : otherwise;
}

Comparison compare_study(const std::string& name, const Choice& choice,
                         const std::vector<std::string>& wanted) {
  const StudyEntry& entry = Registry<StudyEntry>::instance().find(name);
  const auto study = entry.make();
  std::vector<std::string> own;  // sets of the study: the world is the same for everyone
  for (const std::string& set : choice.sets)
    if (entry.parameters.has(split_assignment(set).first)) own.push_back(set);
  const RunSpec any =
      make_spec("study", name, entry.parameters, entry.default_formulation, std::nullopt, own);
  const World world = study->world(any.parameters);  // bad parameters are refused here, once
  const Contenders contenders =
      find_contenders(entry.parameters, wanted, choice.sets, [&](const Case& c) {
        return refusal_of([&] {
          check_runnable(make_spec("study", name, entry.parameters, c.formulation, {}, c.sets),
                         world);
        });
      });
  Comparison done{name, results_folder(choice, default_results(name)), {}, contenders.left_out, 0};
  Batch batch = run_cases(entry, contenders.cases, case_folders(done.results, contenders.cases),
                          choice.batch);
  done.runs = std::move(batch.results);
  done.found = batch.found;
  return done;
}

Comparison compare_scene(const std::string& file, const Choice& choice,
                         const std::vector<std::string>& wanted) {
  const auto with = [&](const Case& c) {
    return scene_spec(file, {c.formulation, choice.solver, c.sets});
  };
  const Contenders contenders =
      find_contenders(scene_parameters(), wanted, choice.sets, [&](const Case& c) {
        return refusal_of([&] {
          const auto [spec, scene] = with(c);
          check_runnable(spec, scene.world);
        });
      });
  const std::string name = with(contenders.cases.front()).second.name;
  Comparison done{name, results_folder(choice, scene_results(name)), {}, contenders.left_out, 0};
  const auto folders = case_folders(done.results, contenders.cases);
  for (std::size_t k = 0; k < folders.size(); ++k) {
    const auto [spec, scene] = with(contenders.cases[k]);
    done.found += run_scene(file, spec, scene, folders[k], choice);
    done.runs.push_back({contenders.cases[k], spec.parameters,
                         Json::parse(read_file(folders[k] / "summary.json")), folders[k]});
  }
  return done;
}

Table table_of(const Json& comparison) {
  Table table{{"formulation"}};
  for (const ComparedMeasure& measure : compared_measures()) table.front().push_back(measure.title);
  for (const Json& run : comparison.at("runs")) {
    auto& row = table.emplace_back();
    row.push_back(run.at("formulation"));
    for (const ComparedMeasure& measure : compared_measures())
      row.push_back(cell(run.at(measure.key)));
  }
  return table;
}

std::string csv_of(const Json& comparison) {
  std::string text = "formulation,status";
  for (const ComparedMeasure& measure : compared_measures()) text += "," + measure.key;
  text += "\n";
  const auto plain = [](std::string value) {  // no commas but those between cells
    std::replace(value.begin(), value.end(), ',', ';');
    return value;
  };
  for (const Json& run : comparison.at("runs")) {
    text += run.at("formulation").get<std::string>() + "," + plain(run.at("status"));
    for (const ComparedMeasure& measure : compared_measures()) {
      const Json& value = run.at(measure.key);
      text += "," + (value.is_null() ? std::string() : value.dump());
    }
    text += "\n";
  }
  for (const Json& one : comparison.at("left_out")) {
    text += one.at("formulation").get<std::string>() + "," +
            plain("not run: " + one.at("reason").get<std::string>());
    text += std::string(compared_measures().size(), ',') + "\n";
  }
  return text;
}

/// compare/CASE below the results: one folder per set of parameters.
std::filesystem::path comparison_folder(const Comparison& done, const Choice& choice) {
  return done.results / "compare" / Case{"", choice.sets, {}}.name();
}

bool all_completed(const Comparison& done) {
  bool passed = true;
  for (const CaseResult& run : done.runs) {
    const std::string status = run.summary.at("status");
    const int failed = run.summary.at("failed_steps");
    if (status == "completed" && failed == 0) continue;
    passed = false;
    fmt::print("  FAIL  {}: {}, {} failed steps\n", run.the_case.formulation, status, failed);
  }
  return passed;
}

}  // namespace

bool compare_command(const std::string& name, const Choice& choice,
                     const std::vector<std::string>& wanted, bool figure) {
  const Comparison done = name.ends_with(".toml") ? compare_scene(name, choice, wanted)
                                                  : compare_study(name, choice, wanted);
  const auto folder = comparison_folder(done, choice);
  const Json json = comparison_json(done.name, done.runs, done.left_out, folder);
  write_file(folder / "table.csv", csv_of(json));
  write_file(folder / "comparison.json", json.dump(2) + "\n");

  fmt::print("{}: {} formulations, {} of the runs already on disk\n\n{}", done.name,
             done.runs.size(), done.found, format_table(table_of(json)));
  if (!done.left_out.empty()) fmt::print("\nnot run\n");
  for (const LeftOut& one : done.left_out) fmt::print("  {}: {}\n", one.formulation, one.reason);
  fmt::print("\n{}\n", folder.string());
  std::fflush(stdout);
  const bool completed = all_completed(done);
  const bool drawn = !figure || run_script("compare_energy",
                                           {"--comparison", (folder / "comparison.json").string(),
                                            "--out", folder.string()});
  return completed && drawn;
}

}  // namespace touchstone

#include <fmt/format.h>

#include "experiments/cli/commands.hpp"
#include "experiments/harness/files.hpp"

namespace touchstone {

namespace {

/// "h=0.01,0.005" → {"h=0.01", "h=0.005"}
std::vector<std::string> variants(const std::string& vary) {
  const std::size_t sign = vary.find('=');
  const std::string key = vary.substr(0, sign);
  const std::string values = sign == std::string::npos ? "" : vary.substr(sign + 1);
  std::vector<std::string> list;
  std::size_t begin = 0;
  while (begin <= values.size()) {
    const std::size_t end = std::min(values.find(',', begin), values.size());
    const std::string value = values.substr(begin, end - begin);
    if (value.empty() || value.find('/') != std::string::npos)
      throw InputError(fmt::format("--vary {}: expected KEY=V1,V2,… with values like 0.01", vary));
    list.push_back(key + "=" + value);
    begin = end + 1;
  }
  return list;
}

/// Every combination, the last key varying fastest.
std::vector<std::vector<std::string>> combinations(const std::vector<std::string>& varied) {
  std::vector<std::vector<std::string>> all{{}};
  for (const std::string& vary : varied) {
    std::vector<std::vector<std::string>> longer;
    for (const auto& begun : all)
      for (const std::string& assignment : variants(vary)) {
        longer.push_back(begun);
        longer.back().push_back(assignment);
      }
    all = std::move(longer);
  }
  return all;
}

}  // namespace

bool sweep_command(const std::string& name, const Choice& choice,
                   const std::vector<std::string>& varied) {
  const StudyEntry& entry = Registry<StudyEntry>::instance().find(name);
  const auto study = entry.make();
  std::vector<Case> cases;
  for (const auto& combination : combinations(varied)) {
    Case c = single_case(entry, choice.formulation, choice.solver, choice.sets);
    c.sets.insert(c.sets.end(), combination.begin(), combination.end());
    cases.push_back(std::move(c));
  }
  const auto results =
      choice.out ? std::filesystem::path(*choice.out) : default_results(entry.name);
  const Batch batch = run_cases(entry, cases, case_folders(results, cases), choice.batch);
  write_file(results / "sweep.csv", results_csv(*study, batch.results));
  fmt::print("{}\n{}, table in sweep.csv; {} of {} runs were already on disk\n",
             format_table(results_table(*study, batch.results)), results.string(), batch.found,
             cases.size());
  bool passed = true;
  for (const CaseResult& result : batch.results)
    for (const Check& check : study->check_run(result))
      if (!check.passed) {
        print_checks({{result.the_case.name() + ": " + check.claim, check.measured, false}});
        passed = false;
      }
  return passed;
}

}  // namespace touchstone

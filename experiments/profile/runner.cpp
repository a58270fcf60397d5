#include "experiments/profile/runner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>

#include "experiments/harness/files.hpp"
#include "experiments/harness/progress.hpp"
#include "experiments/harness/run.hpp"
#include "experiments/profile/rows.hpp"

namespace touchstone {

namespace {

using Clock = std::chrono::steady_clock;
constexpr auto save_every = std::chrono::seconds(20);

struct Contender {
  std::string name;
  std::unique_ptr<Solver> solver;
};

/// A solver that can be stopped gets the time limit, in a child process where it has that choice.
std::unique_ptr<Solver> ready(const SolverEntry& entry, double time_limit) {
  Parameters settings = entry.parameters;
  if (settings.has("time_limit")) settings.set("time_limit", Parameter::Value(time_limit));
  if (settings.has("time_limit") && settings.has("child_process"))
    settings.set("child_process", Parameter::Value(true));
  return make_solver(entry.name, settings);
}

std::vector<const SolverEntry*> chosen(const std::vector<std::string>& patterns) {
  const auto all = Registry<SolverEntry>::instance().all();
  if (patterns.empty()) return all;
  std::vector<const SolverEntry*> list;
  for (const std::string& pattern : patterns) {
    const std::size_t before = list.size();
    for (const SolverEntry* entry : all)
      if (matches(entry->name, pattern) && std::find(list.begin(), list.end(), entry) == list.end())
        list.push_back(entry);
    if (list.size() == before && pattern.find('*') == std::string::npos)
      list.push_back(&Registry<SolverEntry>::instance().find(pattern));  // refuses unknown names
    else if (list.size() == before)
      throw InputError(fmt::format("--solvers {}: no solver has such a name", pattern));
  }
  return list;
}

Json settings_of(const MeasureSettings& m) {
  return {{"tolerance", m.bound.absolute},
          {"relative", m.bound.relative},
          {"time_limit", m.time_limit},
          {"repeats", m.repeats}};
}

using Key = std::pair<std::string, std::string>;  // problem, solver

/// The rows on disk and the files around them.
class Store {
 public:
  Store(std::filesystem::path folder, Json about, bool rerun)
      : folder_(std::move(folder)), about_(std::move(about)), saved_(Clock::now()) {
    if (!rerun) load();
  }

  const Row* find(const Key& key) const {
    const auto found = rows_.find(key);
    return found == rows_.end() ? nullptr : &found->second;
  }
  void add(Row row) {
    const Key key{row.problem, row.solver};
    rows_.insert_or_assign(key, std::move(row));
    if (Clock::now() - saved_ < save_every) return;
    write_file(folder_ / "rows.csv", rows_csv(all(), {}));
    write_about({});
    saved_ = Clock::now();
  }
  void add_source(const std::string& source, std::size_t problems) {
    Json& list = about_["collections"];
    for (Json& entry : list)
      if (entry["source"] == source) return;
    list.push_back({{"source", source}, {"problems", problems}});
  }
  Json& about() { return about_; }
  std::vector<Row> all() const {
    std::vector<Row> list;
    for (const auto& [key, row] : rows_) list.push_back(row);
    return list;
  }
  void save(std::vector<Row>& rows, const Profile& profile) {
    write_file(folder_ / "rows.csv", rows_csv(rows, profile.ratios));
    write_file(folder_ / "solvers.csv", solvers_csv(profile));
    write_about(profile);
  }

 private:
  void write_about(const Profile& profile) {
    Json json = about_;
    json["common_problems"] = Json::object();
    for (const auto& [name, count] : profile.common) json["common_problems"][name] = count;
    json["refusing"] = profile.refusing;
    write_file(folder_ / "profile.json", json.dump(2) + "\n");
  }

  /// Rows by other code are measured again; other settings are the user's mistake.
  void load() {
    const auto file = folder_ / "rows.csv", about = folder_ / "profile.json";
    if (!std::filesystem::exists(about) || !std::filesystem::exists(file)) return;
    const Json found = Json::parse(read_file(about), nullptr, false);
    if (!found.is_object() || found.value("settings", Json()) != about_["settings"])
      throw InputError(fmt::format(
          "{}: holds a profile with other settings ({}, here {}); give --rerun or "
          "another --out",
          folder_.string(), found.is_object() ? found.value("settings", Json()).dump() : "?",
          about_["settings"].dump()));
    if (found.value("sources", Json()) != about_["sources"] ||
        found.value("compiler", Json()) != about_["compiler"])
      return;
    for (Row& row : read_rows(read_file(file), file.string())) {
      const Key key{row.problem, row.solver};
      rows_.emplace(key, std::move(row));
    }
    if (found.contains("collections")) about_["collections"] = found["collections"];
  }

  std::filesystem::path folder_;
  Json about_;
  std::map<Key, Row> rows_;
  Clock::time_point saved_;
};

/// Measures what is not on disk yet; the number of rows that were.
int measure_all(const std::vector<Item>& items, std::vector<Contender>& contenders,
                const ProfileOptions& options, Store& store) {
  int found = 0;
  ProgressBar bar("profile", static_cast<int>(items.size()));
  for (std::size_t k = 0; k < items.size(); ++k) {
    const Item& item = items[k];
    std::optional<Posed> posed;
    bool trivial = false;
    for (Contender& contender : contenders) {
      if (store.find({item.name, contender.name})) {
        ++found;
        continue;
      }
      if (interrupt_flag()) return -1;
      if (!posed) {
        posed = item.load();
        if (options.problem_class && problem_class(posed->problem) != *options.problem_class) break;
        trivial =
            is_trivial(posed->problem, posed->start, options.measure.bound.bound(posed->problem));
      }
      Row row = measure(*contender.solver, posed->problem, posed->start, trivial, options.measure);
      row.problem = item.name;
      row.solver = contender.name;
      store.add(std::move(row));
    }
    bar.report(static_cast<int>(k), 1.0);
  }
  return found;
}

}  // namespace

bool matches(const std::string& name, const std::string& pattern) {
  const std::size_t star = pattern.find('*');
  if (star == std::string::npos) return name == pattern;
  if (!name.starts_with(pattern.substr(0, star))) return false;
  const std::string rest = pattern.substr(star + 1);
  for (std::size_t k = star; k <= name.size(); ++k)
    if (matches(name.substr(k), rest)) return true;
  return false;
}

ProfileRun run_profile(const std::vector<std::string>& sources, const ProfileOptions& options,
                       const std::filesystem::path& folder) {
  ProfileRun run;
  std::vector<Contender> contenders;
  for (const SolverEntry* entry : chosen(options.solvers))
    if (entry->unavailable.empty())
      contenders.push_back({entry->name, ready(*entry, options.measure.time_limit)});
    else
      run.unavailable.emplace_back(entry->name, entry->unavailable);

  Json about = {{"settings", settings_of(options.measure)}, {"collections", Json::array()}};
  about.update(provenance());
  Store store(folder, about, options.rerun);
  std::vector<Item> items;
  for (const std::string& source : sources) {
    std::vector<Item> more = open_collection(source);
    store.add_source(source, more.size());
    std::move(more.begin(), more.end(), std::back_inserter(items));
  }
  store.about()["unavailable"] = Json::object();
  for (const auto& [name, reason] : run.unavailable) store.about()["unavailable"][name] = reason;

  run.found = measure_all(items, contenders, options, store);
  run.rows = store.all();
  run.profile = judge(run.rows);
  store.save(run.rows, run.profile);
  if (run.found < 0) throw Interrupted();
  return run;
}

}  // namespace touchstone

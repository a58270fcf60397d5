#include "experiments/profile/collection.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <set>

#include "experiments/harness/files.hpp"
#include "experiments/profile/dump.hpp"
#include "solvers/collections/families.hpp"
#include "solvers/fclib.hpp"
#include "solvers/problem_file.hpp"

namespace touchstone {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view random_prefix = "random:";
constexpr int most_problems = 100000;

bool is_fclib(const fs::path& file) {
  return file.extension() == ".hdf5" || file.extension() == ".h5";
}

/// The whole of a text as a number from 1 to most_problems.
int count_of(std::string_view text, const std::string& source) {
  int value = 0;
  const auto [stop, error] = std::from_chars(text.begin(), text.end(), value);
  if (error != std::errc() || stop != text.end() || value < 1 || value > most_problems)
    throw InputError(
        fmt::format("{}: expected random:NAME:COUNT or random:NAME:COUNT/STRIDE with a number of "
                    "problems from 1 to {}",
                    source, most_problems));
  return value;
}

/// random:NAME[:COUNT[/STRIDE]]
std::vector<Item> family_items(const std::string& source) {
  const std::string rest = source.substr(random_prefix.size());
  const std::size_t colon = rest.find(':');
  const FamilyEntry& family = Registry<FamilyEntry>::instance().find(rest.substr(0, colon));
  int count = family.count, stride = 1;
  if (colon != std::string::npos) {
    const std::string_view numbers = std::string_view(rest).substr(colon + 1);
    const std::size_t slash = numbers.find('/');
    count = count_of(numbers.substr(0, slash), source);
    if (slash != std::string_view::npos) stride = count_of(numbers.substr(slash + 1), source);
  }
  std::vector<Item> items;
  for (int k = 0; k < count; k += stride)
    items.push_back({fmt::format("{}/{:05d}", family.name, k), [&family, k] {
                       return Posed{family.make(k), {}};
                     }});
  return items;
}

Json read_json(const fs::path& file) {
  Json json = Json::parse(read_file(file), nullptr, false);
  if (json.is_discarded() || !json.is_object())
    throw InputError(file.string() + ": expected a JSON object");
  return json;
}

Vec to_vec(const Json& json) {
  const auto values = json.get<std::vector<double>>();
  return Eigen::Map<const Vec>(values.data(), static_cast<Eigen::Index>(values.size()));
}

/// A step that is a function, posed again from its state; the function keeps its world alive.
Posed pose_again(const fs::path& folder, const Json& index, const fs::path& file) try {
  const Json& asked = index.at("asked");
  const std::string target = index.at("target");
  Asked choices{asked.at("formulation").get<std::string>(), std::nullopt, asked.at("sets")};
  if (asked.contains("solver")) choices.solver = asked.at("solver").get<std::string>();
  const auto posed = std::make_shared<PosedStep>(
      target_of(target.ends_with(".toml") ? (folder / target).string() : target, choices));
  const Json stored = read_json(file);
  const Json& saved = stored.at("state");
  State state = initial_state(posed->target().world);
  const Vec q = to_vec(saved.at("q")), nu = to_vec(saved.at("nu"));
  if (q.size() != state.q.size() || nu.size() != state.nu.size())
    throw InputError(file.string() + ": the state does not fit the bodies of " + target);
  state.t = saved.at("t");
  state.q = q;
  state.nu = nu;
  Posed step;
  Mcp mcp = std::get<Mcp>(posed->pose(state, false, &step.start));
  const std::shared_ptr<const McpFunction> function = mcp.function;
  struct Whole {
    std::shared_ptr<PosedStep> posed;
    std::shared_ptr<const McpFunction> function;
  };
  const auto whole = std::make_shared<Whole>(Whole{posed, function});
  mcp.function = std::shared_ptr<const McpFunction>(whole, function.get());
  step.problem = std::move(mcp);
  return step;
} catch (const nlohmann::json::exception& error) {
  throw InputError(fmt::format("{}: not a step of a collection: {}", file.string(), error.what()));
}

/// The problems that a run dumped: each file once.
void add_dumped(const fs::path& folder, const std::string& prefix, std::vector<Item>& items) {
  const Json index = read_json(folder / "index.json");
  if (!index.contains("problems") || !index["problems"].is_array())
    throw InputError((folder / "index.json").string() + ": problems: expected a list");
  std::set<std::string> seen;
  for (const Json& entry : index["problems"]) {
    const std::string file = entry.value("file", "");
    if (file.empty() || !fs::exists(folder / file))
      throw InputError(fmt::format("{}: problems: the file '{}' is not there",
                                   (folder / "index.json").string(), file));
    if (!seen.insert(file).second) continue;
    const bool is_function = entry.value("class", "") == "mcp";
    items.push_back({prefix + fs::path(file).stem().string(), [=] {
                       return is_function ? pose_again(folder, index, folder / file)
                                          : Posed{read_any_problem((folder / file).string()), {}};
                     }});
  }
}

void add_folder(const fs::path& folder, const std::string& prefix, std::vector<Item>& items) {
  if (fs::exists(folder / "index.json")) return add_dumped(folder, prefix, items);
  std::vector<fs::path> entries;
  for (const auto& entry : fs::directory_iterator(folder)) entries.push_back(entry.path());
  std::sort(entries.begin(), entries.end());
  for (const fs::path& entry : entries) {
    if (fs::is_directory(entry))
      add_folder(entry, prefix + entry.filename().string() + "/", items);
    else if (is_fclib(entry) || entry.extension() == ".json")
      items.push_back({prefix + entry.stem().string(), [entry] {
                         return Posed{read_any_problem(entry.string()), {}};
                       }});
  }
}

}  // namespace

Problem read_any_problem(const std::string& file) {
  return is_fclib(file) ? Problem(read_fclib(file)) : read_problem(file);
}

std::vector<Item> open_collection(const std::string& source) {
  if (source.starts_with(random_prefix)) return family_items(source);
  const fs::path path = fs::path(source).lexically_normal();
  std::vector<Item> items;
  if (fs::is_directory(path)) {
    const fs::path name = path.has_filename() ? path : path.parent_path();
    add_folder(path, name.filename().string() + "/", items);
  } else if (fs::is_regular_file(path)) {
    items.push_back({path.stem().string(), [source] {
                       return Posed{read_any_problem(source), {}};
                     }});
  } else {
    throw InputError(fmt::format(
        "{}: there is no such file or folder (random families: random:NAME, with NAME one of {})",
        source, fmt::join(Registry<FamilyEntry>::instance().names(), ", ")));
  }
  if (items.empty()) throw InputError(source + ": holds no problem (.json, .hdf5)");
  return items;
}

}  // namespace touchstone

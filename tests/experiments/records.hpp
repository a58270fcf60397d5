#pragma once

/// Run directories read back: tables by column name, and comparisons that leave out timings.

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "tests/experiments/command_line.hpp"

namespace touchstone::cli {

using Json = nlohmann::ordered_json;

inline Words split(const std::string& line, char at) {
  Words parts;
  std::istringstream in(line);
  for (std::string part; std::getline(in, part, at);) parts.push_back(part);
  if (!line.empty() && line.back() == at) parts.push_back("");
  return parts;
}

struct Csv {
  Words header;
  std::vector<Words> rows;

  std::size_t column(const std::string& name) const {
    const auto it = std::find(header.begin(), header.end(), name);
    if (it == header.end()) throw std::runtime_error("no column " + name);
    return static_cast<std::size_t>(it - header.begin());
  }
  double number(std::size_t row, const std::string& name) const {
    return std::stod(rows.at(row).at(column(name)));
  }
};

/// Throws when a row has not as many cells as the header.
inline Csv read_csv(const fs::path& file) {
  Csv csv;
  for (const std::string& line : split(content(file), '\n')) {
    if (line.empty()) continue;
    Words cells = split(line, ',');
    if (csv.header.empty()) {
      csv.header = cells;
      continue;
    }
    if (cells.size() != csv.header.size())
      throw std::runtime_error(file.string() + ": ragged row: " + line);
    csv.rows.push_back(std::move(cells));
  }
  return csv;
}

inline Json read_json(const fs::path& file) { return Json::parse(content(file)); }

/// The file's text without wall times.
inline std::string without_timings(const fs::path& file) {
  const auto is_timing = [](const std::string& name) {
    return name.ends_with("_us") || name.ends_with("_seconds");
  };
  if (file.extension() == ".json") {
    const Json whole = read_json(file);
    Json json = Json::object();
    for (const auto& [key, value] : whole.items())
      if (!is_timing(key)) json[key] = value;
    return json.dump();
  }
  if (file.extension() != ".csv") return content(file);
  const Csv csv = read_csv(file);
  std::string text;
  const auto add = [&](const Words& cells) {
    for (std::size_t c = 0; c < cells.size(); ++c)
      if (!is_timing(csv.header[c])) text += cells[c] + ",";
    text += "\n";
  };
  add(csv.header);
  for (const Words& row : csv.rows) add(row);
  return text;
}

/// Relative path → text without wall times, of every file below the folder.
inline std::map<std::string, std::string> records_below(const fs::path& folder) {
  std::map<std::string, std::string> records;
  for (const std::string& file : files_below(folder))
    records[file] = without_timings(folder / file);
  return records;
}

/// Runs the study once into `out`; the exit code must be `code`.
inline Outcome run_disc(const TempFolder& root, const fs::path& out, const Words& more,
                        int code = 0) {
  Words words{"run", "rolling-disc", "--out", out.string()};
  words.insert(words.end(), more.begin(), more.end());
  const Outcome outcome = touchstone(root.path(), words);
  EXPECT_EQ(outcome.code, code) << outcome.out << outcome.err;
  return outcome;
}

inline Outcome run_scene(const TempFolder& root, const fs::path& out, const std::string& scene,
                         const Words& more = {}) {
  Words words{"simulate", TOUCHSTONE_SOURCE_DIR "/experiments/scenes/" + scene, "--out",
              out.string()};
  words.insert(words.end(), more.begin(), more.end());
  const Outcome outcome = touchstone(root.path(), words);
  EXPECT_EQ(outcome.code, 0) << outcome.out << outcome.err;
  return outcome;
}

}  // namespace touchstone::cli

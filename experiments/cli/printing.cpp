#include <fmt/format.h>

#include <algorithm>

#include "experiments/cli/commands.hpp"

namespace touchstone {

namespace {

/// Characters that a terminal shows, not bytes.
std::size_t width(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

bool is_number(const std::string& text) {
  return !text.empty() && text.find_first_not_of("0123456789+-.e") == std::string::npos;
}

}  // namespace

std::string cell(const Json& value) {
  if (value.is_number_float()) return fmt::format("{:.4g}", value.get<double>());
  if (value.is_null()) return "-";
  return value.is_string() ? value.get<std::string>() : value.dump();
}

std::string format_table(const Table& table) {
  std::vector<std::size_t> widths(table.front().size(), 0);
  for (const auto& row : table)
    for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], width(row[c]));
  std::string text;
  for (std::size_t r = 0; r < table.size(); ++r) {
    std::string line;
    for (std::size_t c = 0; c < table[r].size(); ++c) {
      const std::string space(widths[c] - width(table[r][c]), ' ');
      const bool right = r > 0 && is_number(table[r][c]);
      if (c > 0) line.append("  ");
      if (right) line.append(space);
      line.append(table[r][c]);
      if (!right) line.append(space);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
    if (r > 0) continue;
    for (std::size_t c = 0; c < widths.size(); ++c)
      for (std::size_t k = 0; k < widths[c] + (c > 0 ? 2 : 0); ++k) text += "─";
    text += "\n";
  }
  return text;
}

Table results_table(const Study& study, const std::vector<CaseResult>& results) {
  const auto columns = study.table_columns();
  Table table{{"formulation", "case"}};
  for (const auto& [title, key] : columns) table.front().push_back(title);
  for (const CaseResult& result : results) {
    auto& row = table.emplace_back();
    row = {result.the_case.computed() ? "-" : result.the_case.formulation, result.the_case.name()};
    for (const auto& [title, key] : columns)
      row.push_back(cell(result.summary.value(key, Json(nullptr))));
  }
  return table;
}

std::string results_csv(const Study& study, const std::vector<CaseResult>& results) {
  const auto columns = study.table_columns();
  std::string text = "formulation,case";
  for (const auto& [title, key] : columns) text += "," + key;
  text += "\n";
  for (const CaseResult& result : results) {
    text += result.the_case.formulation + "," + result.the_case.name();
    for (const auto& [title, key] : columns) {
      const Json value = result.summary.value(key, Json(nullptr));
      text += ',';
      if (!value.is_null()) text += value.is_string() ? value.get<std::string>() : value.dump();
    }
    text += "\n";
  }
  return text;
}

bool print_checks(const std::vector<Check>& checks) {
  bool all = true;
  for (const Check& check : checks) {
    fmt::print("  {}  {}: {}\n", check.passed ? "pass" : "FAIL", check.claim, check.measured);
    all = all && check.passed;
  }
  return all;
}

}  // namespace touchstone

#include "experiments/harness/oracle_error.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string_view>
#include <vector>

namespace touchstone {

namespace {

constexpr double constant = 1e-9;  // a range this small beside the size is none [1]
constexpr double nothing = 1e-12;  // a size this small is zero, in the quantity's own unit

using Column = std::vector<double>;
using Columns = std::map<std::string, Column>;

std::vector<std::string_view> cells_of(std::string_view line) {
  std::vector<std::string_view> cells;
  for (std::size_t begin = 0; begin <= line.size();) {
    const std::size_t end = std::min(line.find(',', begin), line.size());
    cells.push_back(line.substr(begin, end - begin));
    begin = end + 1;
  }
  return cells;
}

/// The columns of one of the harness's own tables, all of them numbers.
Columns read_columns(const std::string& text) {
  std::size_t end = text.find('\n');
  const auto header = cells_of(std::string_view(text).substr(0, end));
  std::vector<Column> columns(header.size());
  const char* at = text.c_str() + (end == std::string::npos ? text.size() : end + 1);
  while (*at != '\0') {
    for (Column& column : columns) {
      char* next = nullptr;
      column.push_back(std::strtod(at, &next));
      at = next + (*next != '\0');  // over the comma or the end of the line
    }
  }
  Columns named;
  for (std::size_t c = 0; c < header.size(); ++c)
    named.emplace(std::string(header[c]), std::move(columns[c]));
  return named;
}

/// "ball.vx", "ball.vy" and "ball.vz" → "ball.v"; "ball.x" → "ball."; "kinetic" as it is.
std::string quantity_of(const std::string& column) {
  const bool component = column.size() > 1 && column.find('.') != std::string::npos &&
                         std::string_view("xyz").find(column.back()) != std::string_view::npos;
  return component ? column.substr(0, column.size() - 1) : column;
}

struct Size {
  double range = 0.0, largest = 0.0;
  double scale() const {
    if (range > constant * largest && range > nothing) return range;
    return largest > nothing ? largest : 1.0;
  }
};

struct Error {
  double max = 0.0, rms = 0.0, final = 0.0;
  Json json() const { return {{"max", max}, {"rms", rms}, {"final", final}}; }
};

Error difference(const Column& run, const Column& oracle, double scale) {
  Error error;
  const std::size_t count = std::min(run.size(), oracle.size());
  for (std::size_t k = 0; k < count; ++k) {
    const double d = std::abs(run[k] - oracle[k]) / scale;
    error.max = std::max(error.max, d);
    error.rms += d * d;
    error.final = d;
  }
  error.rms = count > 0 ? std::sqrt(error.rms / static_cast<double>(count)) : 0.0;
  return error;
}

}  // namespace

Json oracle_error(const std::map<std::string, std::string>& files) {
  const auto table = files.find("oracle.csv");
  if (table == files.end()) return nullptr;
  Columns oracle = read_columns(table->second);
  oracle.erase("t");
  Columns run = read_columns(files.at("trajectory.csv"));
  run.merge(read_columns(files.at("energy.csv")));

  std::map<std::string, Size> sizes;
  for (const auto& [name, values] : oracle) {
    Size& size = sizes[quantity_of(name)];
    const auto [low, high] = std::minmax_element(values.begin(), values.end());
    size.range = std::max(size.range, *high - *low);
    size.largest = std::max({size.largest, std::abs(*low), std::abs(*high)});
  }
  Error worst;
  Json columns = Json::object(), unmatched = Json::array();
  for (const auto& [name, values] : oracle) {
    const auto found = run.find(name);
    if (found == run.end()) {
      unmatched.push_back(name);
      continue;
    }
    const Error error = difference(found->second, values, sizes[quantity_of(name)].scale());
    columns[name] = error.json();
    worst.max = std::max(worst.max, error.max);
    worst.rms = std::max(worst.rms, error.rms);
    worst.final = std::max(worst.final, error.final);
  }
  if (columns.empty()) return nullptr;
  Json json = worst.json();
  json["columns"] = columns;
  if (!unmatched.empty()) json["not_compared"] = unmatched;
  return json;
}

}  // namespace touchstone

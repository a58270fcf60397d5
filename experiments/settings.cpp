#include "experiments/settings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "solvers/error.hpp"
#include "solvers/names.hpp"

namespace touchstone {

namespace {

constexpr std::size_t longest_text = 80;

std::string show(const Setting& setting);

struct Shown {
  std::string operator()(std::monostate) const { return "a date or time"; }
  std::string operator()(bool value) const { return value ? "true" : "false"; }
  std::string operator()(long value) const { return fmt::format("{}", value); }
  std::string operator()(double value) const { return fmt::format("{}", value); }
  std::string operator()(const std::string& value) const { return '"' + value + '"'; }
  std::string operator()(const Setting::List& list) const {
    std::string items;
    for (const Setting& item : list) items += (items.empty() ? "" : ", ") + show(item);
    return '[' + items + ']';
  }
  std::string operator()(const Setting::Table& table) const {
    std::string items;
    for (const auto& [key, value] : table->all())
      items += (items.empty() ? " " : ", ") + key + " = " + show(value);
    return '{' + items + " }";
  }
};

std::string show(const Setting& setting) { return std::visit(Shown{}, setting.value); }

/// A finite number, whole or not.
std::optional<double> as_number(const Setting& setting) {
  if (const long* whole = std::get_if<long>(&setting.value)) return static_cast<double>(*whole);
  const double* number = std::get_if<double>(&setting.value);
  if (!number || !std::isfinite(*number)) return std::nullopt;
  return *number;
}

std::optional<std::vector<double>> as_numbers(const Setting& setting) {
  const auto* list = std::get_if<Setting::List>(&setting.value);
  if (!list) return std::nullopt;
  std::vector<double> numbers;
  for (const Setting& item : *list) {
    const std::optional<double> number = as_number(item);
    if (!number) return std::nullopt;
    numbers.push_back(*number);
  }
  return numbers;
}

std::string with_unit(const std::string& expected, const std::string& unit) {
  return unit.empty() ? expected : fmt::format("{} [{}]", expected, unit);
}

}  // namespace

std::string Setting::text() const {
  const std::string whole = show(*this);
  if (whole.size() <= longest_text) return whole;
  std::size_t cut = longest_text;
  while ((static_cast<unsigned char>(whole[cut]) & 0xC0) == 0x80) --cut;  // not inside a letter
  return whole.substr(0, cut) + "…";
}

Settings::Settings(std::string file, int line, std::string name, std::string prefix)
    : file_(std::move(file)), line_(line), name_(std::move(name)), prefix_(std::move(prefix)) {}

void Settings::add(std::string key, Setting value) {
  settings_.emplace_back(std::move(key), std::move(value));
}

const Setting* Settings::find(const std::string& key) const {
  const auto it = std::ranges::find(settings_, key, [](const auto& entry) { return entry.first; });
  return it == settings_.end() ? nullptr : &it->second;
}

std::string Settings::where() const { return fmt::format("{}:{}: ", file_, line_); }

std::string Settings::where(const std::string& key) const {
  const Setting* setting = find(key);
  return setting ? fmt::format("{}:{}: ", file_, setting->line) : where();
}

void Settings::allow(const std::vector<std::string>& keys) const {
  for (const auto& [key, value] : settings_)
    if (std::ranges::find(keys, key) == keys.end())
      throw InputError(fmt::format("{}{}{} = {}: {}", where(key), prefix_, key, value.text(),
                                   unknown_name("key", key, keys)));
}

void Settings::refuse(const std::string& key, const std::string& expected) const {
  if (const Setting* setting = find(key))
    throw InputError(fmt::format("{}{}{} = {}: expected {}", where(key), prefix_, key,
                                 setting->text(), expected));
  throw InputError(fmt::format("{}{} has no {}: expected {}", where(), name_, key, expected));
}

const Setting& Settings::at(const std::string& key, const std::string& expected) const {
  const Setting* setting = find(key);
  if (!setting) refuse(key, expected);
  return *setting;
}

double Settings::number(const std::string& key, const std::string& unit) const {
  const std::string expected = with_unit("a finite number", unit);
  const std::optional<double> number = as_number(at(key, expected));
  if (!number) refuse(key, expected);
  return *number;
}

double Settings::positive(const std::string& key, const std::string& unit) const {
  const std::string expected = with_unit("a number above 0", unit);
  const std::optional<double> number = as_number(at(key, expected));
  if (!number || *number <= 0.0) refuse(key, expected);
  return *number;
}

long Settings::integer_at_least(const std::string& key, long least) const {
  const std::string expected = fmt::format("a whole number of at least {}", least);
  const long* whole = std::get_if<long>(&at(key, expected).value);
  if (!whole || *whole < least) refuse(key, expected);
  return *whole;
}

bool Settings::flag(const std::string& key, bool otherwise) const {
  if (!has(key)) return otherwise;
  const bool* value = std::get_if<bool>(&at(key, "").value);
  if (!value) refuse(key, "true or false");
  return *value;
}

const std::string& Settings::text(const std::string& key) const {
  const std::string* value = std::get_if<std::string>(&at(key, "text in quotes").value);
  if (!value || value->empty()) refuse(key, "text in quotes");
  return *value;
}

std::vector<double> Settings::numbers(const std::string& key, const std::string& expected) const {
  const auto numbers = as_numbers(at(key, expected));
  if (!numbers) refuse(key, expected);
  return *numbers;
}

std::vector<std::string> Settings::texts(const std::string& key,
                                         const std::string& expected) const {
  const auto* list = std::get_if<Setting::List>(&at(key, expected).value);
  if (!list) refuse(key, expected);
  std::vector<std::string> texts;
  for (const Setting& item : *list) {
    const std::string* text = std::get_if<std::string>(&item.value);
    if (!text) refuse(key, expected);
    texts.push_back(*text);
  }
  return texts;
}

Vec3 Settings::vector(const std::string& key, int dim, const std::string& unit) const {
  const std::string expected = with_unit(fmt::format("{} finite numbers in brackets", dim), unit);
  const std::vector<double> values = numbers(key, expected);
  if (values.size() != static_cast<std::size_t>(dim)) refuse(key, expected);
  return {values[0], values[1], dim == 3 ? values[2] : 0.0};
}

Vec3 Settings::vector(const std::string& key, int dim, const std::string& unit,
                      const Vec3& otherwise) const {
  return has(key) ? vector(key, dim, unit) : otherwise;
}

std::vector<std::vector<double>> Settings::rows(const std::string& key, std::size_t width,
                                                const std::string& expected) const {
  const auto* list = std::get_if<Setting::List>(&at(key, expected).value);
  if (!list) refuse(key, expected);
  std::vector<std::vector<double>> rows;
  for (const Setting& item : *list) {
    const auto row = as_numbers(item);
    if (!row || row->size() != width) refuse(key, fmt::format("{}; got {}", expected, item.text()));
    rows.push_back(*row);
  }
  return rows;
}

const Settings& Settings::table(const std::string& key) const {
  const std::string expected = "a table of settings";
  const auto* table = std::get_if<Setting::Table>(&at(key, expected).value);
  if (!table) refuse(key, expected);
  return **table;
}

std::vector<Setting::Table> Settings::tables(const std::string& key) const {
  if (!has(key)) return {};
  const std::string expected = fmt::format("a [[{}]] header for each", key);
  const auto* list = std::get_if<Setting::List>(&at(key, expected).value);
  if (!list) refuse(key, expected);
  std::vector<Setting::Table> tables;
  for (const Setting& item : *list) {
    const auto* table = std::get_if<Setting::Table>(&item.value);
    if (!table) refuse(key, expected);
    tables.push_back(*table);
  }
  return tables;
}

}  // namespace touchstone

#include "solvers/parameters.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <stdexcept>

#include "solvers/error.hpp"
#include "solvers/names.hpp"

namespace touchstone {

namespace {

/// The whole text as one number; nothing for junk before or after it, or a value out of the type.
template <class Number>
std::optional<Number> read(const std::string& text) {
  Number number{};
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc{} || stop != end || text.empty()) return std::nullopt;
  return number;
}

std::optional<Parameter::Value> read_as(const Parameter::Value& type, const std::string& text) {
  if (std::holds_alternative<double>(type)) return read<double>(text);
  if (std::holds_alternative<long>(type)) return read<long>(text);
  if (std::holds_alternative<std::string>(type)) return text;
  if (text == "true") return true;
  if (text == "false") return false;
  return std::nullopt;
}

std::string show(const Parameter::Value& value) {
  if (const bool* flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
  if (const long* whole = std::get_if<long>(&value)) return fmt::format("{}", *whole);
  if (const double* number = std::get_if<double>(&value)) return fmt::format("{}", *number);
  return std::get<std::string>(value);
}

bool in_range(const Parameter& parameter, double value) {
  const bool above = parameter.min_is_allowed ? value >= parameter.min : value > parameter.min;
  return std::isfinite(value) && above && value <= parameter.max;
}

bool allowed(const Parameter& parameter, const Parameter::Value& value) {
  if (const double* number = std::get_if<double>(&value)) return in_range(parameter, *number);
  if (const long* whole = std::get_if<long>(&value))
    return in_range(parameter, static_cast<double>(*whole));
  if (const std::string* word = std::get_if<std::string>(&value))
    return parameter.choices.empty() ||
           std::ranges::find(parameter.choices, *word) != parameter.choices.end();
  return true;
}

[[noreturn]] void refuse(const Parameter& parameter, const std::string& given,
                         const std::string& where) {
  const std::string meaning =
      parameter.description.empty() ? "" : fmt::format(" ({})", parameter.description);
  throw InputError(fmt::format("{}{} = \"{}\": expected {}{}", where, parameter.name, given,
                               parameter.expected(), meaning));
}

template <class Type>
const Type& read_value(const Parameter& parameter, const char* type) {
  const Type* value = std::get_if<Type>(&parameter.value);
  if (!value) throw std::logic_error(fmt::format("parameter '{}' is not {}", parameter.name, type));
  return *value;
}

}  // namespace

Parameter Parameter::above(double bound) const {
  Parameter copy = *this;
  copy.min = bound;
  copy.min_is_allowed = false;
  return copy;
}

Parameter Parameter::at_least(double bound) const {
  Parameter copy = *this;
  copy.min = bound;
  copy.min_is_allowed = true;
  return copy;
}

Parameter Parameter::at_most(double bound) const {
  Parameter copy = *this;
  copy.max = bound;
  return copy;
}

Parameter Parameter::one_of(std::vector<std::string> options) const {
  Parameter copy = *this;
  copy.choices = std::move(options);
  return copy;
}

std::string Parameter::expected() const {
  if (std::holds_alternative<bool>(value)) return "true or false";
  if (std::holds_alternative<std::string>(value))
    return choices.empty() ? "text" : fmt::format("one of {}", fmt::join(choices, ", "));

  std::string words = std::holds_alternative<long>(value) ? "a whole number" : "a number";
  const bool has_min = std::isfinite(min), has_max = std::isfinite(max);
  if (has_min) words += fmt::format("{} {}", min_is_allowed ? " of at least" : " above", min);
  if (has_max) words += fmt::format("{} at most {}", has_min ? " and" : " of", max);
  if (!unit.empty() && unit != "1") words += fmt::format(" [{}]", unit);
  return words;
}

std::string Parameter::text() const { return show(value); }

Parameter real(std::string name, double value, std::string unit, std::string description) {
  return {std::move(name), value, std::move(unit), std::move(description)};
}

Parameter integer(std::string name, long value, std::string unit, std::string description) {
  return {std::move(name), value, std::move(unit), std::move(description)};
}

Parameter flag(std::string name, bool value, std::string description) {
  return {std::move(name), value, "", std::move(description)};
}

Parameter text(std::string name, std::string value, std::string description) {
  return {std::move(name), std::move(value), "", std::move(description)};
}

Parameters::Parameters(std::initializer_list<Parameter> declared) {
  for (const Parameter& parameter : declared) declare(parameter);
}

void Parameters::declare(Parameter parameter) {
  if (has(parameter.name))
    throw std::logic_error(fmt::format("parameter '{}' is declared twice", parameter.name));
  if (!allowed(parameter, parameter.value))
    throw std::logic_error(fmt::format("parameter '{}': the default {} is not {}", parameter.name,
                                       parameter.text(), parameter.expected()));
  parameters_.push_back(std::move(parameter));
}

void Parameters::declare(const Parameters& more) {
  for (const Parameter& parameter : more.all()) declare(parameter);
}

void Parameters::set(const std::string& name, const std::string& value, const std::string& where) {
  Parameter& parameter = find(name, where);
  std::optional<Parameter::Value> read = read_as(parameter.value, value);
  if (!read || !allowed(parameter, *read)) refuse(parameter, value, where);
  parameter.value = std::move(*read);
}

void Parameters::set(const std::string& name, const char* value, const std::string& where) {
  set(name, std::string(value), where);
}

void Parameters::set(const std::string& name, Parameter::Value value, const std::string& where) {
  Parameter& parameter = find(name, where);
  if (const long* whole = std::get_if<long>(&value);
      whole && std::holds_alternative<double>(parameter.value))
    value = static_cast<double>(*whole);
  if (value.index() != parameter.value.index() || !allowed(parameter, value))
    refuse(parameter, show(value), where);
  parameter.value = std::move(value);
}

bool Parameters::has(const std::string& name) const {
  return std::ranges::any_of(parameters_, [&](const Parameter& p) { return p.name == name; });
}

double Parameters::real(const std::string& name) const {
  const Parameter& parameter = at(name);
  if (const long* whole = std::get_if<long>(&parameter.value)) return static_cast<double>(*whole);
  return read_value<double>(parameter, "a number");
}

long Parameters::integer(const std::string& name) const {
  return read_value<long>(at(name), "a whole number");
}

bool Parameters::flag(const std::string& name) const {
  return read_value<bool>(at(name), "a flag");
}

const std::string& Parameters::text(const std::string& name) const {
  return read_value<std::string>(at(name), "text");
}

const Parameter& Parameters::at(const std::string& name) const {
  const auto it = std::ranges::find(parameters_, name, &Parameter::name);
  if (it == parameters_.end()) throw InputError(unknown_name("parameter", name, names()));
  return *it;
}

std::vector<std::string> Parameters::names() const {
  std::vector<std::string> list;
  for (const Parameter& parameter : parameters_) list.push_back(parameter.name);
  return list;
}

Parameter& Parameters::find(const std::string& name, const std::string& where) {
  const auto it = std::ranges::find(parameters_, name, &Parameter::name);
  if (it == parameters_.end()) throw InputError(where + unknown_name("parameter", name, names()));
  return *it;
}

std::pair<std::string, std::string> split_assignment(const std::string& assignment) {
  const std::size_t equals = assignment.find('=');
  if (equals == std::string::npos || equals == 0)
    throw InputError(fmt::format("\"{}\": expected KEY=VALUE", assignment));
  return {assignment.substr(0, equals), assignment.substr(equals + 1)};
}

}  // namespace touchstone

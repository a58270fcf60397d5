#pragma once

#include <initializer_list>
#include <limits>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace touchstone {

/// One documented setting of a study, formulation or solver: default, unit, range and meaning.
struct Parameter {
  using Value = std::variant<bool, long, double, std::string>;

  std::string name;
  Value value;              // the default, then whatever was set; its type is the parameter's type
  std::string unit;         // "s", "N/m", "1"; empty for text and flags
  std::string description;  // one line, for --help and `touchstone list`
  double min = -std::numeric_limits<double>::infinity();
  double max = std::numeric_limits<double>::infinity();
  bool min_is_allowed = true;          // false: the value must lie above min
  std::vector<std::string> choices{};  // for text: the allowed values (empty: any)

  // Ranges, written where the parameter is declared: real("h", 0.01, "s", "time step").above(0).
  Parameter above(double bound) const;
  Parameter at_least(double bound) const;
  Parameter at_most(double bound) const;
  Parameter one_of(std::vector<std::string> allowed) const;

  /// "a number above 0 [s]": what a user is told was expected.
  std::string expected() const;
  /// The value as text that `set` reads back to the same value.
  std::string text() const;
};

Parameter real(std::string name, double value, std::string unit, std::string description);
Parameter integer(std::string name, long value, std::string unit, std::string description);
Parameter flag(std::string name, bool value, std::string description);
Parameter text(std::string name, std::string value, std::string description);

/// An ordered set of parameters with their current values.
class Parameters {
 public:
  Parameters() = default;
  Parameters(std::initializer_list<Parameter> declared);

  /// A name that is already there is a programming error (std::logic_error).
  void declare(Parameter parameter);
  void declare(const Parameters& more);

  /// Throw InputError for an unknown name (with the nearest match), a value of another type, NaN,
  /// infinity, or a value out of range; `where` (for example "scene.toml:12: ") opens the message.
  void set(const std::string& name, const std::string& value, const std::string& where = "");
  void set(const std::string& name, const char* value, const std::string& where = "");
  void set(const std::string& name, Parameter::Value value, const std::string& where = "");

  bool has(const std::string& name) const;
  double real(const std::string& name) const;  // also reads an integer parameter
  long integer(const std::string& name) const;
  bool flag(const std::string& name) const;
  const std::string& text(const std::string& name) const;

  const Parameter& at(const std::string& name) const;
  const std::vector<Parameter>& all() const { return parameters_; }
  std::vector<std::string> names() const;

 private:
  Parameter& find(const std::string& name, const std::string& where);
  std::vector<Parameter> parameters_;
};

/// Splits "KEY=VALUE"; throws InputError when there is no '=' or no key.
std::pair<std::string, std::string> split_assignment(const std::string& assignment);

}  // namespace touchstone

#pragma once

#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "geometry/convex_set.hpp"

namespace touchstone {

class Settings;

/// A value of a scene file and the line on which it stands.
struct Setting {
  using List = std::vector<Setting>;
  using Table = std::shared_ptr<const Settings>;
  /// monostate: a type that scenes have no use for (dates and times).
  std::variant<std::monostate, bool, long, double, std::string, List, Table> value;
  int line = 0;

  std::string text() const;  // as in the file, cut when long
};

/// One table of a scene file: values by key, read with checks. Whatever is missing or wrong throws
/// InputError "scene.toml:12: mass = -1: expected a number above 0 [kg]".
class Settings {
 public:
  /// `name` is how messages call the table ("[run]"), `prefix` goes before its keys ("shape.").
  Settings(std::string file, int line, std::string name, std::string prefix = "");
  void add(std::string key, Setting value);

  const std::string& file() const { return file_; }
  const std::string& name() const { return name_; }
  const std::vector<std::pair<std::string, Setting>>& all() const { return settings_; }

  std::string where() const;                        // "scene.toml:10: "
  std::string where(const std::string& key) const;  // the line of the key, when it is there

  bool has(const std::string& key) const { return find(key) != nullptr; }
  /// Every key must be one of these: otherwise an error with the nearest match and the list.
  void allow(const std::vector<std::string>& keys) const;
  /// "scene.toml:12: KEY = VALUE: expected …", or that the key is missing.
  [[noreturn]] void refuse(const std::string& key, const std::string& expected) const;
  const Setting& at(const std::string& key, const std::string& expected) const;

  double number(const std::string& key, const std::string& unit = "") const;
  double positive(const std::string& key, const std::string& unit = "") const;
  long integer_at_least(const std::string& key, long least) const;
  bool flag(const std::string& key, bool otherwise) const;
  const std::string& text(const std::string& key) const;

  std::vector<double> numbers(const std::string& key, const std::string& expected) const;
  std::vector<std::string> texts(const std::string& key, const std::string& expected) const;
  /// dim numbers; z = 0 for two.
  Vec3 vector(const std::string& key, int dim, const std::string& unit = "") const;
  Vec3 vector(const std::string& key, int dim, const std::string& unit,
              const Vec3& otherwise) const;
  /// A list of lists of `width` numbers.
  std::vector<std::vector<double>> rows(const std::string& key, std::size_t width,
                                        const std::string& expected) const;

  const Settings& table(const std::string& key) const;
  /// The tables of [[key]]; none when the key is absent.
  std::vector<Setting::Table> tables(const std::string& key) const;

 private:
  const Setting* find(const std::string& key) const;

  std::string file_;
  int line_;
  std::string name_, prefix_;
  std::vector<std::pair<std::string, Setting>> settings_;
};

}  // namespace touchstone

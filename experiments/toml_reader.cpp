#include "experiments/toml_reader.hpp"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>

#include "solvers/error.hpp"

namespace touchstone {

namespace {

std::string read_text(const std::filesystem::path& file) {
  const auto fail = [&](const std::string& why) {
    throw InputError(fmt::format("{}: {}: expected a scene file", file.string(), why));
  };
  std::error_code error;
  const auto status = std::filesystem::status(file, error);
  if (!std::filesystem::exists(status)) fail("there is no such file");
  if (std::filesystem::is_directory(status)) fail("this is a directory");
  errno = 0;
  std::ifstream stream(file, std::ios::binary);
  if (!stream) fail(fmt::format("cannot be read ({})", std::strerror(errno)));
  std::string text((std::istreambuf_iterator<char>(stream)), {});
  if (stream.bad()) fail(fmt::format("cannot be read ({})", std::strerror(errno)));
  if (text.find_first_not_of(" \t\r\n") == std::string::npos) fail("the file is empty");
  return text;
}

int line_of(const toml::node& node) { return static_cast<int>(node.source().begin.line); }

class Converter {
 public:
  explicit Converter(std::string file) : file_(std::move(file)) {}

  /// In the order of the file, so that the first mistake is the one reported.
  Settings table(const toml::table& source, int line, const std::string& name,
                 const std::string& prefix) const {
    std::vector<std::pair<std::string, Setting>> entries;
    for (const auto& [key, node] : source)
      entries.emplace_back(key.str(), setting(node, std::string(key.str())));
    std::ranges::stable_sort(entries, {}, [](const auto& entry) { return entry.second.line; });
    Settings settings(file_, line, name, prefix);
    for (auto& [key, value] : entries) settings.add(key, std::move(value));
    return settings;
  }

 private:
  Setting setting(const toml::node& node, const std::string& key) const {
    const int line = line_of(node);
    if (const auto* value = node.as_boolean()) return {value->get(), line};
    if (const auto* value = node.as_integer()) return {static_cast<long>(value->get()), line};
    if (const auto* value = node.as_floating_point()) return {value->get(), line};
    if (const auto* value = node.as_string()) return {value->get(), line};
    if (const auto* value = node.as_array()) return {list(*value, key), line};
    if (const auto* value = node.as_table()) {
      // { … } inside a line is a part of its table, and its keys are shown with its name.
      const std::string name = value->is_inline() ? key : fmt::format("[{}]", key);
      const std::string prefix = value->is_inline() ? key + '.' : "";
      return {std::make_shared<const Settings>(table(*value, line, name, prefix)), line};
    }
    return {std::monostate{}, line};
  }

  Setting::List list(const toml::array& array, const std::string& key) const {
    Setting::List items;
    for (const toml::node& node : array) {
      const auto* element = node.as_table();
      if (!element) {
        items.push_back(setting(node, key));
        continue;
      }
      const int line = line_of(node);
      items.push_back(
          {std::make_shared<const Settings>(table(*element, line, fmt::format("[[{}]]", key), "")),
           line});
    }
    return items;
  }

  std::string file_;
};

}  // namespace

Settings read_toml(const std::filesystem::path& file) {
  const std::string text = read_text(file), name = file.string();
  try {
    const toml::table parsed = toml::parse(std::string_view(text), std::string_view(name));
    return Converter(name).table(parsed, 1, "the scene file", "");
  } catch (const toml::parse_error& error) {
    throw InputError(fmt::format("{}:{}: not valid TOML: {}", name, error.source().begin.line,
                                 error.description()));
  }
}

}  // namespace touchstone

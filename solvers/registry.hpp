#pragma once

#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "solvers/error.hpp"
#include "solvers/names.hpp"

namespace touchstone {

/// Every solver, formulation and study registers itself, in its own file:
///
///     const Register<SolverEntry> lemke{{.name = "lemke", .summary = "…", .make = …}};
///
/// There is no list, enum or switch elsewhere to edit. `Entry` has a `name` and a static `kind`
/// ("solver") for messages.
template <class Entry>
class Registry {
 public:
  static Registry& instance() {
    static Registry registry;
    return registry;
  }

  void add(Entry entry) {
    const std::string name = entry.name;
    if (!entries_.emplace(name, std::move(entry)).second)
      throw std::logic_error(std::string(Entry::kind) + " '" + name + "' is registered twice");
  }

  /// Throws InputError with the known names and the nearest match.
  const Entry& find(const std::string& name) const {
    const auto it = entries_.find(name);
    if (it == entries_.end()) throw InputError(unknown_name(Entry::kind, name, names()));
    return it->second;
  }

  bool contains(const std::string& name) const { return entries_.contains(name); }

  /// Sorted by name, so that every listing and every test order is the same everywhere.
  std::vector<const Entry*> all() const {
    std::vector<const Entry*> list;
    for (const auto& [name, entry] : entries_) list.push_back(&entry);
    return list;
  }

  std::vector<std::string> names() const {
    std::vector<std::string> list;
    for (const auto& [name, entry] : entries_) list.push_back(name);
    return list;
  }

 private:
  std::map<std::string, Entry> entries_;
};

template <class Entry>
struct Register {
  explicit Register(Entry entry) { Registry<Entry>::instance().add(std::move(entry)); }
};

}  // namespace touchstone

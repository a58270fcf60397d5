#include "experiments/harness/files.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <set>
#include <sstream>
#include <system_error>

#include "solvers/error.hpp"

namespace touchstone {

namespace fs = std::filesystem;

namespace {

[[noreturn]] void cannot(const std::string& what, const fs::path& path, const std::string& why) {
  throw InputError(fmt::format("cannot {} '{}': {}", what, path.string(), why));
}

/// A sibling name that no other writer uses; ".partial-" marks it as unfinished.
fs::path partial_name(const fs::path& path) {
  static std::atomic<int> counter{0};
  fs::path name = path;
  name += fmt::format(".partial-{}-{}", ::getpid(), counter++);
  return name;
}

/// Absolute, without "." or a trailing slash, so that it can be renamed.
fs::path plain(const fs::path& path) {
  const fs::path normal = fs::absolute(path).lexically_normal();
  return normal.has_filename() ? normal : normal.parent_path();
}

/// The first file of the folder that no run writes; empty when there is none.
std::string foreign_file(const fs::path& folder) {
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    static const std::set<std::string> known{"bodies.json", "frames.pdf",   "frames.png",
                                             "run.json",    "summary.json", "scene.toml"};
    const std::string name = entry.path().filename().string();
    if (!known.contains(name) && entry.path().extension() != ".csv") return name;
  }
  return {};
}

void write_plainly(const fs::path& file, const std::string& content) {
  std::ofstream out(file, std::ios::binary);
  out.write(content.data(), static_cast<std::streamsize>(content.size()));
  out.close();
  if (!out) cannot("write", file, std::strerror(errno));
}

void make_parents(const fs::path& path) {
  std::error_code error;
  if (path.has_parent_path()) fs::create_directories(path.parent_path(), error);
  if (error) cannot("create the folder", path.parent_path(), error.message());
}

}  // namespace

void check_writable(const fs::path& given) {
  const fs::path folder = plain(given);
  if (fs::exists(folder)) {
    if (!fs::is_directory(folder)) cannot("write to", folder, "it is not a folder");
    if (fs::equivalent(folder, fs::current_path()))
      cannot("write to", folder,
             "it is the current folder, which a run would replace; give one below it");
    if (!fs::is_empty(folder) && !fs::exists(folder / "run.json"))
      cannot("write to", folder,
             "it holds files that are not a run's (no run.json); give an empty or a new folder");
    if (const std::string name = foreign_file(folder); !name.empty())
      cannot("replace the run in", folder, "it also holds '" + name + "'; move that away first");
  }
  make_parents(folder);
  const fs::path probe = partial_name(folder);
  std::error_code error;
  fs::create_directory(probe, error);
  if (error) cannot("write to", folder, error.message());
  fs::remove(probe, error);
}

void write_run_directory(const fs::path& given, const std::map<std::string, std::string>& files) {
  const fs::path folder = plain(given);
  check_writable(folder);
  const fs::path fresh = partial_name(folder), old = partial_name(folder);
  std::error_code ignored;
  const auto undo = [&] {
    fs::remove_all(fresh, ignored);
    if (!fs::exists(folder) && fs::exists(old)) fs::rename(old, folder, ignored);
  };
  try {
    fs::create_directory(fresh);
    for (const auto& [name, content] : files) write_plainly(fresh / name, content);
    if (fs::exists(folder)) fs::rename(folder, old);
    fs::rename(fresh, folder);
  } catch (const fs::filesystem_error& error) {
    undo();
    cannot("write", folder, error.code().message());
  } catch (...) {
    undo();
    throw;
  }
  fs::remove_all(old, ignored);
}

void write_file(const fs::path& file, const std::string& content) {
  make_parents(file);
  const fs::path fresh = partial_name(file);
  std::error_code error;
  try {
    write_plainly(fresh, content);
  } catch (...) {
    fs::remove(fresh, error);
    throw;
  }
  fs::rename(fresh, file, error);
  if (error) cannot("write", file, error.message());
}

std::string fingerprint(std::string_view bytes) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return fmt::format("{:016x}", hash);
}

std::string read_file(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  if (!in) cannot("read", file, std::strerror(errno));
  return text.str();
}

std::vector<std::vector<double>> read_numbers(const fs::path& file) {
  std::istringstream text(read_file(file));
  std::vector<std::vector<double>> rows;
  std::string line, cell;
  std::getline(text, line);
  while (std::getline(text, line)) {
    std::istringstream cells(line);
    rows.emplace_back();
    while (std::getline(cells, cell, ',')) rows.back().push_back(std::stod(cell));
  }
  return rows;
}

}  // namespace touchstone

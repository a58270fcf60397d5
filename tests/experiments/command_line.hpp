#pragma once

/// The built program as a user meets it: started with arguments, watched, interrupted; and a folder
/// of its own for whatever a test writes.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace touchstone::cli {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

inline std::string content(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) throw std::runtime_error("cannot read " + file.string());
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

inline void put(const fs::path& file, const std::string& text) {
  fs::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary) << text;
}

/// A new folder, removed at the end of the test.
class TempFolder {
 public:
  TempFolder() {
    std::string pattern = testing::TempDir() + "touchstone-XXXXXX";
    if (!::mkdtemp(pattern.data())) throw std::runtime_error("cannot create " + pattern);
    path_ = pattern;
  }
  ~TempFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;

  const fs::path& path() const { return path_; }
  fs::path operator/(const std::string& name) const { return path_ / name; }

 private:
  fs::path path_;
};

/// Everything below the folder that is no folder itself, relative to it and sorted.
inline Words files_below(const fs::path& folder) {
  Words files;
  if (!fs::exists(folder)) return files;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (!entry.is_directory()) files.push_back(fs::relative(entry.path(), folder).string());
  std::sort(files.begin(), files.end());
  return files;
}

/// Files and folders that carry the mark of an unfinished write.
inline Words unfinished_below(const fs::path& folder) {
  Words found;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.path().filename().string().find(".partial-") != std::string::npos)
      found.push_back(entry.path().string());
  return found;
}

struct Outcome {
  int code = -1;  // the exit code, or −signal when a signal ended the program
  std::string out, err;
};

/// Waits up to `seconds` for something to become true.
inline bool wait_until(const std::function<bool()>& condition, double seconds = 30.0) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  while (!condition()) {
    if (Clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return true;
}

/// The program at work. TOUCHSTONE_ROOT points to `root`, so that results without --out go below
/// root/results and never into the project.
class Program {
 public:
  Program(const fs::path& root, const Words& arguments) : root_(root) {
    Words words{TOUCHSTONE_BINARY};
    words.insert(words.end(), arguments.begin(), arguments.end());
    Words variables{"TOUCHSTONE_ROOT=" + root_.string()};
    for (char** entry = environ; *entry; ++entry)
      if (!std::string(*entry).starts_with("TOUCHSTONE_ROOT=")) variables.push_back(*entry);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    const int flags = O_WRONLY | O_CREAT | O_TRUNC;
    const std::string out = logs_ / "out", err = logs_ / "err";
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, out.c_str(), flags, 0600);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, err.c_str(), flags, 0600);
    const int error = ::posix_spawn(&pid_, TOUCHSTONE_BINARY, &actions, nullptr,
                                    pointers(words).data(), pointers(variables).data());
    posix_spawn_file_actions_destroy(&actions);
    if (error != 0) throw std::runtime_error("cannot start " TOUCHSTONE_BINARY);
  }
  ~Program() {
    if (pid_ == 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  void signal(int number) const { ::kill(pid_, number); }
  /// Whether it has installed a handler for the signal yet.
  bool catches(int number) const {
    std::ifstream status("/proc/" + std::to_string(pid_) + "/status");
    for (std::string line; std::getline(status, line);)
      if (line.starts_with("SigCgt:"))
        return (std::stoull(line.substr(7), nullptr, 16) >> (number - 1)) & 1u;
    return false;
  }

  /// Waits for its end; a program that is still running after `seconds` is killed (code −SIGKILL).
  Outcome finish(double seconds = 60.0) {
    int status = 0;
    const auto ended = [&] { return ::waitpid(pid_, &status, WNOHANG) == pid_; };
    if (!wait_until(ended, seconds)) {
      ::kill(pid_, SIGKILL);
      ::waitpid(pid_, &status, 0);
    }
    pid_ = 0;
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status), content(logs_ / "out"),
            content(logs_ / "err")};
  }

 private:
  static std::vector<char*> pointers(Words& words) {
    std::vector<char*> list;
    for (std::string& word : words) list.push_back(word.data());
    list.push_back(nullptr);
    return list;
  }

  fs::path root_;
  TempFolder logs_;
  pid_t pid_ = 0;
};

/// Runs the program to its end.
inline Outcome touchstone(const fs::path& root, const Words& arguments) {
  return Program(root, arguments).finish();
}

}  // namespace touchstone::cli

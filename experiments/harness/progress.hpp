#pragma once

#include <chrono>
#include <mutex>
#include <string>
#include <vector>

namespace touchstone {

/// A progress bar on standard error, for terminals only: one line, redrawn at most ten times a
/// second, gone when the work is done. Several workers may report at once.
class ProgressBar {
 public:
  /// `tasks` pieces of work; `title` stands before the bar.
  ProgressBar(std::string title, int tasks);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  /// Task k is done to this fraction.
  void report(int task, double fraction);
  /// Prints a line above the bar.
  void say(const std::string& line);

 private:
  void draw(bool force);
  void clear();

  std::string title_;
  std::vector<double> done_;
  bool visible_;
  std::chrono::steady_clock::time_point start_, last_;
  std::mutex mutex_;
};

}  // namespace touchstone

#include "experiments/harness/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <numeric>

namespace touchstone {

using std::chrono::duration;
using std::chrono::steady_clock;

ProgressBar::ProgressBar(std::string title, int tasks)
    : title_(std::move(title)),
      done_(static_cast<std::size_t>(tasks), 0.0),
      visible_(::isatty(STDERR_FILENO) != 0 && tasks > 0),
      start_(steady_clock::now()),
      last_(start_) {}

ProgressBar::~ProgressBar() {
  const std::lock_guard lock(mutex_);
  clear();
}

void ProgressBar::report(int task, double fraction) {
  const std::lock_guard lock(mutex_);
  done_[static_cast<std::size_t>(task)] = fraction;
  draw(false);
}

void ProgressBar::say(const std::string& line) {
  const std::lock_guard lock(mutex_);
  clear();
  fmt::print(stderr, "{}\n", line);
  draw(true);
}

void ProgressBar::draw(bool force) {
  const auto now = steady_clock::now();
  if (!visible_ || (!force && duration<double>(now - last_).count() < 0.1)) return;
  last_ = now;
  const double fraction =
      std::accumulate(done_.begin(), done_.end(), 0.0) / static_cast<double>(done_.size());
  const double elapsed = duration<double>(now - start_).count();
  constexpr int width = 32;
  const int filled = static_cast<int>(fraction * width);
  std::string bar;
  for (int k = 0; k < width; ++k) bar += k < filled ? "█" : "░";
  const std::string left =
      fraction > 0.01 ? fmt::format("{:.0f} s left", elapsed * (1.0 - fraction) / fraction) : "";
  fmt::print(stderr, "\r\033[K{} {} {:3.0f} %  {}", title_, bar, 100.0 * fraction, left);
  std::fflush(stderr);
}

void ProgressBar::clear() {
  if (!visible_) return;
  fmt::print(stderr, "\r\033[K");
  std::fflush(stderr);
}

}  // namespace touchstone

#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <string>

namespace touchstone::testing {

/// What the process and its children write to the descriptors 1 and 2 until `stop`.
class Capture {
 public:
  Capture() {
    std::fflush(nullptr);
    file_ = std::tmpfile();
    for (int fd : {1, 2}) {
      saved_[fd - 1] = dup(fd);
      dup2(fileno(file_), fd);
    }
  }
  Capture(const Capture&) = delete;
  Capture& operator=(const Capture&) = delete;

  std::string stop() {
    std::fflush(nullptr);
    for (int fd : {1, 2}) {
      dup2(saved_[fd - 1], fd);
      close(saved_[fd - 1]);
    }
    std::string text(static_cast<std::size_t>(lseek(fileno(file_), 0, SEEK_END)), ' ');
    lseek(fileno(file_), 0, SEEK_SET);
    const auto got = read(fileno(file_), text.data(), text.size());
    EXPECT_EQ(got, static_cast<ssize_t>(text.size()));
    std::fclose(file_);
    return text;
  }

 private:
  std::FILE* file_;
  int saved_[2];
};

}  // namespace touchstone::testing

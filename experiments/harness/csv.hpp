#pragma once

/// Comma-separated tables for the files of a run directory.

#include <fmt/format.h>

#include <cmath>
#include <iterator>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace touchstone {

/// A header row and rows of as many cells. Numbers are written so that they read back to the same
/// value; no NaN or infinity reaches a file: their cells stay empty.
class CsvTable {
 public:
  explicit CsvTable(const std::vector<std::string>& columns) : columns_(columns.size()) {
    fmt::format_to(std::back_inserter(text_), "{}\n", fmt::join(columns, ","));
  }

  template <class... Cells>
  void add(const Cells&... cells) {
    if (sizeof...(cells) != columns_)
      throw std::logic_error(
          fmt::format("a row of {} cells in a table of {} columns", sizeof...(cells), columns_));
    std::size_t column = 0;
    ((cell(cells), text_.push_back(++column < columns_ ? ',' : '\n')), ...);
  }

  std::string text() const { return fmt::to_string(text_); }

 private:
  template <class Cell>
  void cell(const Cell& value) {
    if constexpr (std::is_floating_point_v<Cell>) {
      if (!std::isfinite(value)) return;
    }
    fmt::format_to(std::back_inserter(text_), "{}", value);
  }

  std::size_t columns_;
  fmt::memory_buffer text_;
};

}  // namespace touchstone

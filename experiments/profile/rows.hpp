#pragma once

/// The files of a profile (results/README.md has their columns).

#include <span>
#include <string>
#include <vector>

#include "experiments/profile/guard.hpp"

namespace touchstone {

/// rows.csv: one row per solver and problem. `ratios` as `judge` gives them, or empty.
std::string rows_csv(std::span<const Row> rows, std::span<const double> ratios);

/// Reads rows.csv back, without the ratios and the flags that depend on other rows. A text that is
/// none gives InputError.
std::vector<Row> read_rows(const std::string& text, const std::string& file);

/// solvers.csv: one row per class and solver.
std::string solvers_csv(const Profile& profile);

}  // namespace touchstone

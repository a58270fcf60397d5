#pragma once

/// Problems on disk, so that a step of any run can be solved again, by any solver, anywhere.
///
/// JSON: {"class": "lcp", "M": MATRIX, "q": [...], "scale": {"z": [...], "F": [...]}}, and likewise
/// for mlcp (M, q, l, u), qp (P, c, A, l, u) and friction-contact (dim, W, q, mu). MATRIX is
/// {"rows", "cols", "dense": [column by column]} or
/// {"rows", "cols", "sparse": [[row, column, value], ...]}; infinite bounds are the texts "inf" and
/// "-inf". An MCP is a function and has no file form.

#include <filesystem>

#include "solvers/problem.hpp"

namespace touchstone {

/// Throws InputError that names the file and the key when it is not such a file.
Problem read_problem(const std::filesystem::path& file);

/// The file's text; std::logic_error for an MCP.
std::string problem_text(const Problem& problem);

}  // namespace touchstone

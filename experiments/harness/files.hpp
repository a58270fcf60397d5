#pragma once

/// Writing results so that a reader never sees half of one.

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace touchstone {

/// Writes all files into a new folder beside `folder` and renames it into place; what was there
/// before goes away only then. Replaces an earlier run directory or an empty folder; anything else
/// is not ours to delete. Throws InputError that names the path when it cannot be written.
void write_run_directory(const std::filesystem::path& folder,
                         const std::map<std::string, std::string>& files);

/// Whether a run could be written to `folder`; throws the same errors, before any work is done.
void check_writable(const std::filesystem::path& folder);

/// One file, through a temporary one and a rename.
void write_file(const std::filesystem::path& file, const std::string& content);

std::string read_file(const std::filesystem::path& file);

/// The rows of a table that holds numbers only, below its header.
std::vector<std::vector<double>> read_numbers(const std::filesystem::path& file);

/// FNV-1a, 64 bits, as text: tells whether a file, or an answer, is still the same.
std::string fingerprint(std::string_view bytes);

}  // namespace touchstone

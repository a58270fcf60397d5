#include "experiments/profile/rows.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "solvers/error.hpp"

namespace touchstone {

namespace {

constexpr const char* row_titles =
    "problem,class,unknowns,solver,status,success,residual,bound,iterations,time_us,first_us,"
    "overhead_us,ratio,answer,flags,notes";
constexpr std::size_t row_columns = 16;

/// A field in quotes where it needs them.
std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? "\"\"" : c == '\n' ? " " : std::string(1, c);
  return out + "\"";
}

std::string number(double value) { return std::isfinite(value) ? fmt::format("{}", value) : ""; }
std::string micros(double seconds) { return fmt::format("{:.3f}", 1e6 * seconds); }

std::vector<std::string> fields(const std::string& line) {
  std::vector<std::string> list{""};
  bool in_quotes = false;
  for (std::size_t k = 0; k < line.size(); ++k) {
    const char c = line[k];
    if (c == '"' && in_quotes && k + 1 < line.size() && line[k + 1] == '"')
      list.back() += line[++k];
    else if (c == '"')
      in_quotes = !in_quotes;
    else if (c == ',' && !in_quotes)
      list.emplace_back();
    else
      list.back() += c;
  }
  return list;
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> list;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    list.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return list;
}

double real_of(const std::string& text) {
  return text.empty() ? std::numeric_limits<double>::infinity() : std::stod(text);
}

Row row_of(const std::vector<std::string>& f) {
  Row row;
  row.problem = f[0];
  row.problem_class = f[1];
  row.unknowns = std::stol(f[2]);
  row.solver = f[3];
  row.status = status_from_string(f[4]);
  row.success = f[5] == "1";
  row.residual = real_of(f[6]);
  row.bound = real_of(f[7]);
  row.iterations = std::stoi(f[8]);
  row.seconds = 1e-6 * real_of(f[9]);
  row.first_seconds = 1e-6 * real_of(f[10]);
  row.overhead = 1e-6 * real_of(f[11]);
  row.fingerprint = f[13];
  for (const std::string& flag : split(f[14], ';'))
    if (!flag.starts_with(flags::same_bits)) row.flags.push_back(flag);
  row.notes = f[15];
  return row;
}

}  // namespace

std::string rows_csv(std::span<const Row> rows, std::span<const double> ratios) {
  std::string text = row_titles;
  text += '\n';
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const Row& r = rows[k];
    const double ratio = ratios.empty() ? 0.0 : ratios[k];
    text += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", quoted(r.problem),
                        r.problem_class, r.unknowns, r.solver, to_string(r.status),
                        r.success ? 1 : 0, number(r.residual), number(r.bound), r.iterations,
                        micros(r.seconds), micros(r.first_seconds), micros(r.overhead),
                        ratio > 0.0 ? fmt::format("{:.6g}", ratio) : "", r.fingerprint,
                        quoted(fmt::format("{}", fmt::join(r.flags, ";"))), quoted(r.notes));
  }
  return text;
}

std::vector<Row> read_rows(const std::string& text, const std::string& file) {
  const std::vector<std::string> lines = split(text, '\n');
  if (lines.empty() || lines.front() != row_titles)
    throw InputError(file + ": expected the rows of a profile, with the columns of this version");
  std::vector<Row> rows;
  for (std::size_t k = 1; k < lines.size(); ++k) {
    const std::vector<std::string> cells = fields(lines[k]);
    try {
      if (cells.size() != row_columns) throw std::invalid_argument("columns");
      rows.push_back(row_of(cells));
    } catch (const std::logic_error&) {  // of stod and its kin
      throw InputError(
          fmt::format("{}:{}: expected a row of {} columns", file, k + 1, row_columns));
    }
  }
  return rows;
}

std::string solvers_csv(const Profile& profile) {
  std::string text =
      "class,solver,tried,not_accepted,solved,no_iterations,median_residual,worst_residual,"
      "median_iterations,median_us,median_ratio,fastest,child_process,ranked,twin_of,remark\n";
  for (const SolverSummary& s : profile.solvers)
    text += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", s.problem_class,
                        s.solver, s.tried, s.not_accepted, s.solved, s.no_iterations,
                        s.solved ? number(s.median_residual) : "",
                        s.solved ? number(s.worst_residual) : "", s.median_iterations,
                        micros(s.median_seconds), number(s.median_ratio), s.fastest,
                        s.child_process ? 1 : 0, s.ranked ? 1 : 0, s.twin_of, quoted(s.remark));
  return text;
}

}  // namespace touchstone

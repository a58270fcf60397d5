#include "solvers/problem_file.hpp"

#include <fmt/format.h>

#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>

#include "solvers/error.hpp"

namespace touchstone {

namespace {

using Json = nlohmann::ordered_json;

constexpr double inf = std::numeric_limits<double>::infinity();

Json number(double value) {
  if (value == inf) return "inf";
  if (value == -inf) return "-inf";
  return value;
}

Json to_json(const Vec& v) {
  Json json = Json::array();
  for (const double x : v) json.push_back(number(x));
  return json;
}

Json to_json(const Matrix& matrix) {
  Json json = {{"rows", matrix.rows()}, {"cols", matrix.cols()}};
  if (!matrix.is_sparse()) {
    const Mat& M = matrix.dense();
    json["dense"] = std::vector<double>(M.data(), M.data() + M.size());
    return json;
  }
  json["sparse"] = Json::array();
  const SpMat& M = matrix.sparse();
  for (int k = 0; k < M.outerSize(); ++k)
    for (SpMat::InnerIterator it(M, k); it; ++it)
      json["sparse"].push_back({it.row(), it.col(), it.value()});
  return json;
}

void add_scale(const VelocityScale& scale, Json& json) {
  if (scale.z.size() > 0) json["scale"] = {{"z", to_json(scale.z)}, {"F", to_json(scale.F)}};
}

/// Reads the keys of one file; every complaint names file and key.
class Reader {
 public:
  Reader(std::filesystem::path file, Json json) : file_(std::move(file)), json_(std::move(json)) {}

  [[noreturn]] void refuse(const std::string& key, const std::string& expected) const {
    throw InputError(fmt::format("{}: {}: expected {}", file_.string(), key, expected));
  }

  const Json& at(const Json& json, const std::string& key) const {
    if (!json.is_object() || !json.contains(key)) refuse(key, "this key");
    return json.at(key);
  }
  const Json& at(const std::string& key) const { return at(json_, key); }
  bool has(const std::string& key) const { return json_.contains(key); }

  double number(const Json& value, const std::string& key) const {
    if (value.is_number()) return value.get<double>();
    if (value == "inf") return inf;
    if (value == "-inf") return -inf;
    refuse(key, "a number, \"inf\" or \"-inf\", not " + value.dump());
  }

  Vec vector(const Json& list, const std::string& key) const {
    if (!list.is_array()) refuse(key, "a list of numbers");
    Vec v(static_cast<Eigen::Index>(list.size()));
    for (std::size_t i = 0; i < list.size(); ++i)
      v[static_cast<Eigen::Index>(i)] = number(list[i], key);
    return v;
  }
  Vec vector(const std::string& key) const { return vector(at(key), key); }

  Matrix matrix(const std::string& key) const {
    const Json& json = at(key);
    const Eigen::Index rows = size(at(json, "rows"), key), cols = size(at(json, "cols"), key);
    if (json.contains("dense")) {
      const Vec data = vector(json.at("dense"), key);
      if (data.size() != rows * cols)
        refuse(key, fmt::format("{} × {} entries, not {}", rows, cols, data.size()));
      return Mat(Eigen::Map<const Mat>(data.data(), rows, cols));
    }
    std::vector<Eigen::Triplet<double>> entries;
    for (const Json& entry : at(json, "sparse")) {
      if (!entry.is_array() || entry.size() != 3) refuse(key, "[row, column, value] triplets");
      const Eigen::Index i = size(entry[0], key), j = size(entry[1], key);
      if (i >= rows || j >= cols) refuse(key, fmt::format("entries within {} × {}", rows, cols));
      entries.emplace_back(static_cast<int>(i), static_cast<int>(j), number(entry[2], key));
    }
    SpMat M(rows, cols);
    M.setFromTriplets(entries.begin(), entries.end());
    return M;
  }

  VelocityScale scale() const {
    if (!has("scale")) return {};
    const Json& json = at("scale");
    return {vector(at(json, "z"), "scale.z"), vector(at(json, "F"), "scale.F")};
  }

  Problem problem() const {
    const Json& name = at("class");
    if (name == "lcp") return Lcp{matrix("M"), vector("q"), scale()};
    if (name == "mlcp") return Mlcp{matrix("M"), vector("q"), vector("l"), vector("u"), scale()};
    if (name == "qp") return Qp{matrix("P"), vector("c"), matrix("A"), vector("l"), vector("u")};
    if (name == "friction-contact")
      return FrictionContact{static_cast<int>(size(at("dim"), "dim")), matrix("W"), vector("q"),
                             vector("mu")};
    refuse("class", "lcp, mlcp, qp or friction-contact, not " + name.dump());
  }

 private:
  Eigen::Index size(const Json& value, const std::string& key) const {
    if (!value.is_number_integer() || value.get<long>() < 0) refuse(key, "whole numbers for sizes");
    return value.get<long>();
  }

  std::filesystem::path file_;
  Json json_;
};

}  // namespace

std::string problem_text(const Problem& problem) {
  Json json = {{"class", problem_class(problem)}};
  if (const Lcp* lcp = std::get_if<Lcp>(&problem)) {
    json.update({{"M", to_json(lcp->M)}, {"q", to_json(lcp->q)}});
    add_scale(lcp->scale, json);
  } else if (const Mlcp* mlcp = std::get_if<Mlcp>(&problem)) {
    json.update({{"M", to_json(mlcp->M)},
                 {"q", to_json(mlcp->q)},
                 {"l", to_json(mlcp->l)},
                 {"u", to_json(mlcp->u)}});
    add_scale(mlcp->scale, json);
  } else if (const Qp* qp = std::get_if<Qp>(&problem)) {
    json.update({{"P", to_json(qp->P)},
                 {"c", to_json(qp->c)},
                 {"A", to_json(qp->A)},
                 {"l", to_json(qp->l)},
                 {"u", to_json(qp->u)}});
  } else if (const FrictionContact* fc = std::get_if<FrictionContact>(&problem)) {
    json.update(
        {{"dim", fc->dim}, {"W", to_json(fc->W)}, {"q", to_json(fc->q)}, {"mu", to_json(fc->mu)}});
  } else {
    throw std::logic_error("an MCP is a function and cannot be written to a file");
  }
  return json.dump() + "\n";
}

Problem read_problem(const std::filesystem::path& file) {
  std::ifstream in(file);
  if (!in) throw InputError(file.string() + ": cannot be read: expected a problem file");
  Json json = Json::parse(in, nullptr, false);
  if (json.is_discarded() || !json.is_object())
    throw InputError(file.string() + ": expected a JSON object with a problem");
  const Problem problem = Reader(file, std::move(json)).problem();
  try {
    validate(problem);
  } catch (const InputError& error) {
    throw InputError(file.string() + ": " + error.what());
  }
  return problem;
}

}  // namespace touchstone

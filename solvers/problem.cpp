#include "solvers/problem.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <stdexcept>

#include "solvers/error.hpp"

namespace touchstone {

// ---- Matrix
// ---------------------------------------------------------------------------------------

Eigen::Index Matrix::rows() const {
  return is_sparse() ? std::get<SpMat>(storage_).rows() : std::get<Mat>(storage_).rows();
}

Eigen::Index Matrix::cols() const {
  return is_sparse() ? std::get<SpMat>(storage_).cols() : std::get<Mat>(storage_).cols();
}

void Matrix::multiply(const Vec& x, Vec& y) const {
  if (is_sparse()) {
    y.noalias() = std::get<SpMat>(storage_) * x;
  } else {
    y.noalias() = std::get<Mat>(storage_) * x;
  }
}

void Matrix::multiply_transposed(const Vec& x, Vec& y) const {
  if (is_sparse()) {
    y.noalias() = std::get<SpMat>(storage_).transpose() * x;
  } else {
    y.noalias() = std::get<Mat>(storage_).transpose() * x;
  }
}

void Matrix::add_term_size(const Vec& x, Vec& y) const {
  if (is_sparse()) {
    const SpMat& A = std::get<SpMat>(storage_);
    for (Eigen::Index j = 0; j < A.outerSize(); ++j)
      for (SpMat::InnerIterator it(A, j); it; ++it)
        y[it.row()] += std::abs(it.value() * x[it.col()]);
  } else {
    const Mat& A = std::get<Mat>(storage_);
    for (Eigen::Index j = 0; j < A.cols(); ++j)
      if (x[j] != 0.0) y += std::abs(x[j]) * A.col(j).cwiseAbs();
  }
}

void Matrix::add_term_size_transposed(const Vec& x, Vec& y) const {
  if (is_sparse()) {
    const SpMat& A = std::get<SpMat>(storage_);
    for (Eigen::Index j = 0; j < A.outerSize(); ++j)
      for (SpMat::InnerIterator it(A, j); it; ++it)
        y[it.col()] += std::abs(it.value() * x[it.row()]);
  } else {
    const Mat& A = std::get<Mat>(storage_);
    for (Eigen::Index j = 0; j < A.cols(); ++j) y[j] += A.col(j).cwiseAbs().dot(x.cwiseAbs());
  }
}

namespace {

/// One pass without branches: 0·x is 0 for finite x and NaN otherwise.
bool all_finite(const double* values, Eigen::Index count) {
  if (count == 0) return true;
  return (Eigen::Map<const Eigen::ArrayXd>(values, count) * 0.0).sum() == 0.0;
}

bool all_finite(const Vec& v) { return all_finite(v.data(), v.size()); }

}  // namespace

bool Matrix::all_finite() const {
  if (!is_sparse()) return touchstone::all_finite(dense().data(), dense().size());
  const SpMat& A = sparse();
  if (A.isCompressed()) return touchstone::all_finite(A.valuePtr(), A.nonZeros());
  for (Eigen::Index k = 0; k < A.outerSize(); ++k)
    for (SpMat::InnerIterator it(A, k); it; ++it)
      if (!std::isfinite(it.value())) return false;
  return true;
}

const Mat& Matrix::dense() const {
  if (is_sparse()) throw std::logic_error("the matrix is sparse; to_dense() converts it");
  return std::get<Mat>(storage_);
}

Mat& Matrix::dense() {
  if (is_sparse()) throw std::logic_error("the matrix is sparse; to_dense() converts it");
  return std::get<Mat>(storage_);
}

const SpMat& Matrix::sparse() const {
  if (!is_sparse()) throw std::logic_error("the matrix is dense; to_sparse() converts it");
  return std::get<SpMat>(storage_);
}

SpMat& Matrix::sparse() {
  if (!is_sparse()) throw std::logic_error("the matrix is dense; to_sparse() converts it");
  return std::get<SpMat>(storage_);
}

Mat Matrix::to_dense() const { return is_sparse() ? Mat(sparse()) : dense(); }

SpMat Matrix::to_sparse() const { return is_sparse() ? sparse() : SpMat(dense().sparseView()); }

// ---- Problem
// --------------------------------------------------------------------------------------

std::string problem_class(const Problem& problem) {
  static constexpr const char* names[] = {"lcp", "mlcp", "mcp", "qp", "friction-contact"};
  static_assert(std::variant_size_v<Problem> == std::size(names));
  return names[problem.index()];
}

namespace {

struct Unknowns {
  Eigen::Index operator()(const Lcp& p) const { return p.q.size(); }
  Eigen::Index operator()(const Mlcp& p) const { return p.q.size(); }
  Eigen::Index operator()(const Mcp& p) const { return p.l.size(); }
  Eigen::Index operator()(const Qp& p) const { return p.c.size() + p.l.size(); }
  Eigen::Index operator()(const FrictionContact& p) const { return p.q.size(); }
};

/// Each check returns the cause, or nothing; the texts are only made when something is wrong.
std::string shape_of(const char* name, const Matrix& A, Eigen::Index rows, Eigen::Index cols) {
  if (A.rows() == rows && A.cols() == cols) return {};
  return fmt::format("{} is {} x {}; expected {} x {}", name, A.rows(), A.cols(), rows, cols);
}

std::string length_of(const char* name, const Vec& v, Eigen::Index length) {
  if (v.size() == length) return {};
  return fmt::format("{} has {} entries; expected {}", name, v.size(), length);
}

std::string finite(const char* name, const Vec& v) {
  if (all_finite(v)) return {};
  Eigen::Index i = 0;
  while (std::isfinite(v[i])) ++i;
  return fmt::format("{}[{}] = {}; expected a finite number", name, i, v[i]);
}

std::string finite(const char* name, const Matrix& A) {
  if (A.all_finite()) return {};
  const Mat values = A.to_dense();
  for (Eigen::Index j = 0; j < values.cols(); ++j)
    for (Eigen::Index i = 0; i < values.rows(); ++i)
      if (!std::isfinite(values(i, j)))
        return fmt::format("{}({}, {}) = {}; expected a finite number", name, i, j, values(i, j));
  return {};
}

/// l ≤ u, no NaN, and no bound that leaves only an infinite value.
std::string ordered(const Vec& l, const Vec& u) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  for (Eigen::Index i = 0; i < l.size(); ++i)
    if (!(l[i] <= u[i]) || l[i] == inf || u[i] == -inf)
      return fmt::format("bounds l[{}] = {}, u[{}] = {}; expected l <= u", i, l[i], i, u[i]);
  return {};
}

std::string scale_fits(const VelocityScale& scale, Eigen::Index n) {
  if (scale.z.size() == 0 && scale.F.size() == 0) return {};
  for (const Vec* s : {&scale.z, &scale.F}) {
    const char* name = s == &scale.z ? "scale.z" : "scale.F";
    if (std::string cause = length_of(name, *s, n); !cause.empty()) return cause;
    if (std::string cause = finite(name, *s); !cause.empty()) return cause;
    for (Eigen::Index i = 0; i < n; ++i)
      if ((*s)[i] < 0.0) return fmt::format("{}[{}] = {}; expected at least 0", name, i, (*s)[i]);
  }
  return {};
}

std::string symmetric(const char* name, const Matrix& P) {
  // Round-off of an assembled P, not a tolerance for a wrong one.
  constexpr double slack = 1e-12;
  if (P.is_sparse()) {
    const SpMat skew = SpMat(P.sparse().transpose()) - P.sparse();
    const double size = P.sparse().nonZeros() ? P.sparse().coeffs().abs().maxCoeff() : 0.0;
    for (Eigen::Index k = 0; k < skew.outerSize(); ++k)
      for (SpMat::InnerIterator it(skew, k); it; ++it)
        if (std::abs(it.value()) > slack * size)
          return fmt::format("{} is not symmetric at ({}, {})", name, it.row(), it.col());
    return {};
  }
  const Mat& A = P.dense();
  const double size = A.size() ? A.cwiseAbs().maxCoeff() : 0.0;
  for (Eigen::Index j = 0; j < A.cols(); ++j)
    for (Eigen::Index i = 0; i < j; ++i)
      if (std::abs(A(i, j) - A(j, i)) > slack * size)
        return fmt::format("{} is not symmetric: {}({}, {}) = {} but {}({}, {}) = {}", name, name,
                           i, j, A(i, j), name, j, i, A(j, i));
  return {};
}

/// The first cause found, checks in order; each argument is a lambda so that later checks may rely
/// on what earlier ones established.
template <class... Check>
std::string first_cause(Check... check) {
  std::string cause;
  (void)((cause = check(), !cause.empty()) || ...);
  return cause;
}

struct Defect {
  std::string operator()(const Lcp& p) const {
    const Eigen::Index n = p.q.size();
    return first_cause([&] { return shape_of("M", p.M, n, n); }, [&] { return finite("M", p.M); },
                       [&] { return finite("q", p.q); }, [&] { return scale_fits(p.scale, n); });
  }
  std::string operator()(const Mlcp& p) const {
    const Eigen::Index n = p.q.size();
    return first_cause([&] { return shape_of("M", p.M, n, n); },
                       [&] { return length_of("l", p.l, n); },
                       [&] { return length_of("u", p.u, n); }, [&] { return finite("M", p.M); },
                       [&] { return finite("q", p.q); }, [&] { return ordered(p.l, p.u); },
                       [&] { return scale_fits(p.scale, n); });
  }
  std::string operator()(const Mcp& p) const {
    return first_cause([&] { return p.function ? "" : "the function is missing"; },
                       [&] { return length_of("u", p.u, p.l.size()); },
                       [&] { return ordered(p.l, p.u); },
                       [&] { return scale_fits(p.scale, p.l.size()); });
  }
  std::string operator()(const Qp& p) const {
    const Eigen::Index n = p.c.size(), m = p.l.size();
    return first_cause([&] { return shape_of("P", p.P, n, n); },
                       [&] { return shape_of("A", p.A, m, n); },
                       [&] { return length_of("u", p.u, m); }, [&] { return finite("P", p.P); },
                       [&] { return finite("A", p.A); }, [&] { return finite("c", p.c); },
                       [&] { return ordered(p.l, p.u); }, [&] { return symmetric("P", p.P); });
  }
  std::string operator()(const FrictionContact& p) const {
    const Eigen::Index n = p.q.size();
    return first_cause([&] { return dimension(p); }, [&] { return shape_of("W", p.W, n, n); },
                       [&] { return length_of("mu", p.mu, n / p.dim); },
                       [&] { return finite("W", p.W); }, [&] { return finite("q", p.q); },
                       [&] { return finite("mu", p.mu); },
                       [&] { return not_negative("mu", p.mu); });
  }

  static std::string dimension(const FrictionContact& p) {
    if (p.dim != 2 && p.dim != 3) return fmt::format("dim = {}; expected 2 or 3", p.dim);
    if (p.q.size() % p.dim == 0) return {};
    return fmt::format("q has {} entries; expected a multiple of dim = {}", p.q.size(), p.dim);
  }
  static std::string not_negative(const char* name, const Vec& v) {
    for (Eigen::Index i = 0; i < v.size(); ++i)
      if (v[i] < 0.0) return fmt::format("{}[{}] = {}; expected at least 0", name, i, v[i]);
    return {};
  }
};

}  // namespace

Eigen::Index unknowns(const Problem& problem) { return std::visit(Unknowns{}, problem); }

std::string defect(const Problem& problem) { return std::visit(Defect{}, problem); }

void validate(const Problem& problem) {
  if (const std::string cause = defect(problem); !cause.empty())
    throw InputError(fmt::format("{}: {}", problem_class(problem), cause));
}

}  // namespace touchstone

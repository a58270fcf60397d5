#include "solvers/fclib.hpp"

#include <fmt/format.h>

#include "solvers/error.hpp"

#ifdef TOUCHSTONE_HAVE_HDF5
#include <hdf5.h>
#include <unistd.h>

#include <Eigen/SparseLU>
#include <algorithm>
#include <limits>
#include <system_error>
#include <utility>
#include <vector>
#endif

namespace touchstone {

bool fclib_available() { return fclib_unavailable().empty(); }

std::string fclib_unavailable() {
#ifdef TOUCHSTONE_HAVE_HDF5
  return {};
#else
  return "HDF5 was not found when Touchstone was built; install libfclib-dev (Debian, Ubuntu) and "
         "build again";
#endif
}

#ifndef TOUCHSTONE_HAVE_HDF5

FrictionContact read_fclib(const std::filesystem::path& path) {
  throw InputError(fmt::format("{}: {}", path.string(), fclib_unavailable()));
}

void write_fclib(const std::filesystem::path& path, const FrictionContact&, const FclibInfo&) {
  throw InputError(fmt::format("{}: {}", path.string(), fclib_unavailable()));
}

#else

namespace {

/// HDF5 prints its error stack on stderr unless told otherwise; the setting belongs to the caller.
class QuietHdf5 {
 public:
  QuietHdf5() {
    H5Eget_auto2(H5E_DEFAULT, &function_, &data_);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  }
  ~QuietHdf5() { H5Eset_auto2(H5E_DEFAULT, function_, data_); }
  QuietHdf5(const QuietHdf5&) = delete;
  QuietHdf5& operator=(const QuietHdf5&) = delete;

 private:
  H5E_auto2_t function_ = nullptr;
  void* data_ = nullptr;
};

/// An HDF5 identifier that is closed again.
class Handle {
 public:
  Handle(hid_t id, herr_t (*closer)(hid_t)) : id_(id), close_(closer) {}
  ~Handle() {
    if (id_ >= 0) close_(id_);
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  explicit operator bool() const { return id_ >= 0; }
  hid_t get() const { return id_; }
  /// Closes now and says whether that worked: only then is a file on disk.
  bool close() { return close_(std::exchange(id_, -1)) >= 0; }

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

constexpr hsize_t most_entries = std::numeric_limits<int>::max();

class Reader {
 public:
  explicit Reader(std::string path)
      : path_(std::move(path)),
        file_(H5Fopen(path_.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose) {
    if (!file_) fail("no HDF5 file, or a damaged one");
  }

  [[noreturn]] void fail(const std::string& cause) const {
    throw InputError(fmt::format("{}: {}", path_, cause));
  }

  /// Every link on the way is asked for: H5Lexists fails on "a/b" when "a" is missing.
  bool has(const std::string& name) const {
    for (std::size_t end = name.find('/');; end = name.find('/', end + 1)) {
      if (H5Lexists(file_.get(), name.substr(0, end).c_str(), H5P_DEFAULT) <= 0) return false;
      if (end == std::string::npos) return true;
    }
  }

  std::vector<int> integers(const std::string& name) const {
    return values<int>(name, H5T_NATIVE_INT, H5T_INTEGER, "integers");
  }
  std::vector<double> reals(const std::string& name) const {
    return values<double>(name, H5T_NATIVE_DOUBLE, H5T_FLOAT, "numbers");
  }
  int integer(const std::string& name) const {
    const std::vector<int> all = integers(name);
    if (all.size() != 1) fail(fmt::format("{} has {} entries; expected one", name, all.size()));
    return all[0];
  }

 private:
  template <class T>
  std::vector<T> values(const std::string& name, hid_t type, H5T_class_t expected,
                        const char* what) const {
    if (!has(name)) fail(fmt::format("{} is missing; expected a local FCLIB problem", name));
    const Handle set(H5Dopen2(file_.get(), name.c_str(), H5P_DEFAULT), H5Dclose);
    if (!set) fail(fmt::format("{} is no data set", name));
    const Handle stored(H5Dget_type(set.get()), H5Tclose);
    if (!stored || H5Tget_class(stored.get()) != expected)
      fail(fmt::format("{} does not hold {}", name, what));
    const Handle space(H5Dget_space(set.get()), H5Sclose);
    const hssize_t count = space ? H5Sget_simple_extent_npoints(space.get()) : -1;
    if (count < 0 || static_cast<hsize_t>(count) > most_entries)
      fail(fmt::format("{} has an impossible size", name));
    std::vector<T> all(static_cast<std::size_t>(count));
    if (count > 0 && H5Dread(set.get(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, all.data()) < 0)
      fail(fmt::format("{} cannot be read: the file is damaged", name));
    return all;
  }

  std::string path_;
  Handle file_;
};

/// The entries (row, column, value) of a stored matrix, every index checked.
SpMat read_matrix(const Reader& file, const std::string& group) {
  const int m = file.integer(group + "/m"), n = file.integer(group + "/n");
  const int nz = file.integer(group + "/nz");
  const std::vector<int> p = file.integers(group + "/p"), index = file.integers(group + "/i");
  const std::vector<double> x = file.reals(group + "/x");
  if (m < 0 || n < 0 || nz < -2) file.fail(group + ": m, n or nz is out of range");

  std::vector<Eigen::Triplet<double> > entries;
  const auto add = [&](int row, int column, double value) {
    if (row < 0 || row >= m || column < 0 || column >= n)
      file.fail(fmt::format("{}: entry ({}, {}) lies outside {} × {}", group, row, column, m, n));
    entries.emplace_back(row, column, value);
  };
  if (nz >= 0) {
    const std::size_t count = static_cast<std::size_t>(nz);
    if (p.size() < count || index.size() < count || x.size() < count)
      file.fail(fmt::format("{}: fewer entries than nz = {}", group, nz));
    for (std::size_t k = 0; k < count; ++k) add(index[k], p[k], x[k]);
  } else {
    const bool columns = nz == -1;
    const int outer = columns ? n : m;
    if (p.size() != static_cast<std::size_t>(outer) + 1 || p.front() != 0)
      file.fail(fmt::format("{}/p: expected {} pointers from 0", group, outer + 1));
    for (int j = 0; j < outer; ++j) {
      if (p[j + 1] < p[j] || static_cast<std::size_t>(p[j + 1]) > std::min(index.size(), x.size()))
        file.fail(fmt::format("{}/p: pointer {} is out of order or beyond the data", group, j + 1));
      for (int k = p[j]; k < p[j + 1]; ++k)
        columns ? add(index[k], j, x[k]) : add(j, index[k], x[k]);
    }
  }
  SpMat matrix(m, n);
  matrix.setFromTriplets(entries.begin(), entries.end());
  return matrix;
}

Vec to_vec(const std::vector<double>& values) {
  return Eigen::Map<const Vec>(values.data(), static_cast<Eigen::Index>(values.size()));
}

FrictionContact read_local(const Reader& file) {
  if (!file.has("fclib_local"))
    file.fail("is no FCLIB file: neither fclib_local nor fclib_global is there");
  if (file.has("fclib_local/V") || file.has("fclib_local/R"))
    file.fail("has equality constraints (V, R), which FrictionContact cannot express");
  FrictionContact problem;
  problem.dim = file.integer("fclib_local/spacedim");
  problem.W = read_matrix(file, "fclib_local/W");
  problem.q = to_vec(file.reals("fclib_local/vectors/q"));
  problem.mu = to_vec(file.reals("fclib_local/vectors/mu"));
  return problem;
}

/// Below this share of nonzeros W stays sparse.
constexpr double sparse_share = 0.25;

/// Mv = Hr + f, u = Hᵀv + w reduced to u = Wr + q with W = HᵀM⁻¹H, q = HᵀM⁻¹f + w.
FrictionContact read_global(const Reader& file) {
  if (file.has("fclib_global/G"))
    file.fail("has equality constraints (G), which FrictionContact cannot express");
  const SpMat M = read_matrix(file, "fclib_global/M"), H = read_matrix(file, "fclib_global/H");
  const Vec f = to_vec(file.reals("fclib_global/vectors/f"));
  const Vec w = to_vec(file.reals("fclib_global/vectors/w"));
  if (M.rows() != M.cols() || H.rows() != M.rows() || f.size() != M.rows() || w.size() != H.cols())
    file.fail("fclib_global: the sizes of M, H, f and w do not fit");
  FrictionContact problem;
  problem.dim = file.integer("fclib_global/spacedim");
  problem.mu = to_vec(file.reals("fclib_global/vectors/mu"));
  const Eigen::SparseLU<SpMat> lu(M);
  if (lu.info() != Eigen::Success) file.fail("fclib_global/M is singular");
  const SpMat X = lu.solve(H);  // M⁻¹H, zeros left out
  const Vec v = lu.solve(f);
  const SpMat W = H.transpose() * X;
  const auto size = static_cast<double>(W.rows());
  if (static_cast<double>(W.nonZeros()) < sparse_share * size * size)
    problem.W = W;
  else
    problem.W = Mat(W);
  problem.q = H.transpose() * v + w;
  return problem;
}

/// Data sets of one group below a file that is being written.
class Writer {
 public:
  Writer(const Handle& file, const std::string& path, const std::string& name)
      : path_(path),
        group_(H5Gcreate2(file.get(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
               H5Gclose) {
    check(static_cast<bool>(group_));
  }

  void put(const char* name, const int* values, Eigen::Index count) const {
    put(name, H5T_NATIVE_INT, values, count);
  }
  void put(const char* name, const Vec& values) const {
    put(name, H5T_NATIVE_DOUBLE, values.data(), values.size());
  }
  void put(const char* name, int value) const { put(name, &value, 1); }
  void put(const char* name, const std::string& text) const {
    const Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
    check(type && H5Tset_size(type.get(), text.size() + 1) >= 0);
    const Handle space(H5Screate(H5S_SCALAR), H5Sclose);
    put(name, type.get(), space, text.c_str());
  }

 private:
  void put(const char* name, hid_t type, const void* values, Eigen::Index count) const {
    const hsize_t size = static_cast<hsize_t>(count);
    const Handle space(H5Screate_simple(1, &size, nullptr), H5Sclose);
    put(name, type, space, values);
  }
  void put(const char* name, hid_t type, const Handle& space, const void* values) const {
    check(static_cast<bool>(space));
    const Handle creation(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
    check(creation && H5Pset_obj_track_times(creation.get(), false) >= 0);  // same bytes, any day
    const Handle set(
        H5Dcreate2(group_.get(), name, type, space.get(), H5P_DEFAULT, creation.get(), H5P_DEFAULT),
        H5Dclose);
    check(set && (H5Sget_simple_extent_npoints(space.get()) == 0 ||
                  H5Dwrite(set.get(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0));
  }
  void check(bool fine) const {
    if (!fine) throw InputError(fmt::format("{}: cannot be written", path_));
  }

  const std::string& path_;
  Handle group_;
};

void write_file(const std::string& path, const FrictionContact& problem, const FclibInfo& info) {
  Handle file(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), H5Fclose);
  if (!file) throw InputError(fmt::format("{}: cannot be created", path));
  {
    SpMat W = problem.W.to_sparse();
    W.makeCompressed();
    const int size = static_cast<int>(W.rows()), entries = static_cast<int>(W.nonZeros());
    const Writer local(file, path, "fclib_local");
    local.put("spacedim", problem.dim);
    const Writer matrix(file, path, "fclib_local/W");
    matrix.put("nzmax", entries);
    matrix.put("m", size);
    matrix.put("n", size);
    matrix.put("nz", -1);
    matrix.put("p", W.outerIndexPtr(), W.cols() + 1);
    matrix.put("i", W.innerIndexPtr(), entries);
    matrix.put("x", Eigen::Map<const Vec>(W.valuePtr(), entries));
    const Writer vectors(file, path, "fclib_local/vectors");
    vectors.put("q", problem.q);
    vectors.put("mu", problem.mu);
    const Writer about(file, path, "fclib_local/info");
    about.put("title", info.title);
    about.put("description", info.description);
    about.put("math_info", info.math_info);
  }
  if (!file.close()) throw InputError(fmt::format("{}: cannot be written to its end", path));
}

}  // namespace

FrictionContact read_fclib(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error))
    throw InputError(fmt::format("{}: there is no such file", path.string()));
  const QuietHdf5 quiet;
  const Reader file(path.string());
  FrictionContact problem = file.has("fclib_global") ? read_global(file) : read_local(file);
  if (const std::string cause = defect(problem); !cause.empty()) file.fail(cause);
  return problem;
}

void write_fclib(const std::filesystem::path& path, const FrictionContact& problem,
                 const FclibInfo& info) {
  validate(problem);
  const QuietHdf5 quiet;
  std::filesystem::path temporary = path;
  temporary += fmt::format(".{}.part", getpid());
  std::error_code error;
  try {
    write_file(temporary.string(), problem, info);
    std::filesystem::rename(temporary, path, error);
    if (error)
      throw InputError(fmt::format("{}: cannot be written: {}", path.string(), error.message()));
  } catch (...) {
    std::filesystem::remove(temporary, error);
    throw;
  }
}

#endif

}  // namespace touchstone

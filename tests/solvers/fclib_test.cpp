/// FCLIB files: round trips with ourselves and with the library itself, and files that are not.

#include "solvers/fclib.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "solvers/error.hpp"
#include "tests/solvers/random_problems.hpp"

#ifdef TOUCHSTONE_HAVE_FCLIB
#include <hdf5.h>
extern "C" {
#include <fclib.h>
}
#endif

namespace touchstone::testing {
namespace {

namespace fs = std::filesystem;

class Fclib : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!fclib_available()) GTEST_SKIP() << fclib_unavailable();
    folder_ = fs::path(::testing::TempDir()) /
              ::testing::UnitTest::GetInstance()->current_test_info()->name();
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override {
    if (!folder_.empty()) fs::remove_all(folder_);
  }
  fs::path file(const char* name) const { return folder_ / name; }

  static std::string refusal(const fs::path& path) {
    try {
      read_fclib(path);
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(path.string()), std::string::npos) << error.what();
      return error.what();
    }
    return "accepted";
  }

  fs::path folder_;
};

FrictionContact example(int dim, int count) {
  Random random(17);
  const Mat H = random.matrix(6, dim * count);
  FrictionContact problem;
  problem.dim = dim;
  // Not symmetric on purpose: a transposed matrix must not pass unnoticed.
  problem.W = H.transpose() * H + 0.1 * random.matrix(dim * count, dim * count);
  problem.q = random.vector(dim * count);
  problem.mu = Vec::LinSpaced(count, 0.1, 0.9);
  return problem;
}

void expect_same(const FrictionContact& a, const FrictionContact& b) {
  EXPECT_EQ(a.dim, b.dim);
  EXPECT_EQ(a.W.to_dense(), b.W.to_dense());
  EXPECT_EQ(a.q, b.q);
  EXPECT_EQ(a.mu, b.mu);
}

TEST(FclibAvailability, IsAFactWithAReason) {
  EXPECT_EQ(fclib_available(), fclib_unavailable().empty());
  if (fclib_available()) return;
  EXPECT_NE(fclib_unavailable().find("libfclib-dev"), std::string::npos);
  EXPECT_THROW(read_fclib("any.hdf5"), InputError);
}

TEST_F(Fclib, ReadsBackWhatItWrote) {
  for (const int dim : {2, 3}) {
    const FrictionContact problem = example(dim, 4);
    write_fclib(file("a.hdf5"), problem, {"title", "", "μ"});
    expect_same(read_fclib(file("a.hdf5")), problem);
  }
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), {}), 1) << "no temporary file is left";
}

TEST_F(Fclib, KeepsLargeProblemsSparseAndWritesTheSameBytes) {
  Random random(3);
  const FrictionContact problem = tower(random, 12);
  write_fclib(file("a.hdf5"), problem);
  const FrictionContact back = read_fclib(file("a.hdf5"));
  ASSERT_TRUE(back.W.is_sparse());
  expect_same(back, problem);
  write_fclib(file("b.hdf5"), back);
  const auto bytes = [&](const char* name) {
    std::ifstream in(file(name), std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(in), {});
  };
  EXPECT_EQ(bytes("a.hdf5"), bytes("b.hdf5"));
}

TEST_F(Fclib, KeepsTheOldFileWhenTheNewOneCannotBeWritten) {
  EXPECT_THROW(write_fclib(file("none") / "a.hdf5", example(3, 1)), InputError);
  write_fclib(file("a.hdf5"), example(3, 2));
  FrictionContact sick = example(3, 2);
  sick.q[0] = std::nan("");
  EXPECT_THROW(write_fclib(file("a.hdf5"), sick), InputError);
  expect_same(read_fclib(file("a.hdf5")), example(3, 2));
}

TEST_F(Fclib, RefusesWhatIsNoFileOrNoHdf5) {
  EXPECT_NE(refusal(file("missing.hdf5")).find("no such file"), std::string::npos);
  EXPECT_NE(refusal(folder_).find("no such file"), std::string::npos);
  std::ofstream(file("text.hdf5")) << "not HDF5";
  ::testing::internal::CaptureStderr();
  EXPECT_NE(refusal(file("text.hdf5")).find("HDF5"), std::string::npos);
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "") << "HDF5 prints its errors by default";
}

// Cut anywhere, a file is refused or (when only padding is gone) read whole: no crash.
TEST_F(Fclib, SurvivesTruncatedAndDamagedFiles) {
  const FrictionContact problem = example(3, 3);
  write_fclib(file("whole.hdf5"), problem);
  const auto size = fs::file_size(file("whole.hdf5"));
  for (std::uintmax_t length = 0; length < size; length += size / 40 + 1) {
    fs::copy_file(file("whole.hdf5"), file("cut.hdf5"), fs::copy_options::overwrite_existing);
    fs::resize_file(file("cut.hdf5"), length);
    EXPECT_NE(refusal(file("cut.hdf5")), "accepted") << length;
  }
}

#ifdef TOUCHSTONE_HAVE_FCLIB

TEST_F(Fclib, WritesWhatTheLibraryReads) {
  const FrictionContact problem = example(3, 2);
  write_fclib(file("ours.hdf5"), problem, {"a title", "two contacts", ""});
  fclib_local* read = fclib_read_local(file("ours.hdf5").c_str());
  ASSERT_NE(read, nullptr);
  EXPECT_EQ(read->spacedim, 3);
  EXPECT_STREQ(read->info->title, "a title");
  ASSERT_EQ(read->W->nz, -1);
  const Mat W = problem.W.to_dense();
  for (int j = 0; j < 6; ++j)
    for (int k = read->W->p[j]; k < read->W->p[j + 1]; ++k)
      EXPECT_EQ(read->W->x[k], W(read->W->i[k], j));
  EXPECT_EQ(Vec(Eigen::Map<Vec>(read->q, 6)), problem.q);
  EXPECT_EQ(Vec(Eigen::Map<Vec>(read->mu, 2)), problem.mu);
  fclib_delete_local(read);
}

/// The library's own file, with the matrix in any of its three storages.
void write_with_library(const fs::path& path, int nz, std::vector<int> p, std::vector<int> i,
                        std::vector<double> x) {
  std::vector<double> mu = {0.5}, q = {-1.0, 0.25, 0.0};
  fclib_matrix W{};
  W.nzmax = static_cast<int>(x.size());
  W.m = W.n = 3;
  W.nz = nz;
  W.p = p.data();
  W.i = i.data();
  W.x = x.data();
  fclib_local problem{};
  problem.spacedim = 3;
  problem.W = &W;
  problem.mu = mu.data();
  problem.q = q.data();
  ASSERT_EQ(fclib_write_local(&problem, path.c_str()), 1);
}

// W = diag(2, 3, 4) with W(0, 1) = 5: in triplets i is the row and p the column.
TEST_F(Fclib, ReadsEveryStorageOfTheLibrary) {
  Mat W = Eigen::Vector3d(2.0, 3.0, 4.0).asDiagonal();
  W(0, 1) = 5.0;
  write_with_library(file("columns"), -1, {0, 1, 3, 4}, {0, 0, 1, 2}, {2.0, 5.0, 3.0, 4.0});
  write_with_library(file("rows"), -2, {0, 2, 3, 4}, {0, 1, 1, 2}, {2.0, 5.0, 3.0, 4.0});
  write_with_library(file("triplets"), 4, {0, 1, 1, 2}, {0, 0, 1, 2}, {2.0, 5.0, 3.0, 4.0});
  for (const char* name : {"columns", "rows", "triplets"}) {
    const FrictionContact problem = read_fclib(file(name));
    EXPECT_EQ(problem.W.to_dense(), W) << name;
    EXPECT_EQ(problem.mu[0], 0.5);
  }
}

// One body of mass 2 on the ground: M = 2I, H = I.
TEST_F(Fclib, ReducesGlobalProblems) {
  std::vector<int> p = {0, 1, 2, 3}, i = {0, 1, 2};
  std::vector<double> two(3, 2.0), one(3, 1.0), f = {-4.0, 1.0, 0.0}, w = {0.5, 0.0, 0.0};
  std::vector<double> mu = {0.3};
  fclib_matrix M{3, 3, 3, p.data(), i.data(), two.data(), -1, nullptr};
  fclib_matrix H{3, 3, 3, p.data(), i.data(), one.data(), -1, nullptr};
  fclib_global global{};
  global.M = &M;
  global.H = &H;
  global.mu = mu.data();
  global.f = f.data();
  global.w = w.data();
  global.spacedim = 3;
  ASSERT_EQ(fclib_write_global(&global, file("global.hdf5").c_str()), 1);
  const FrictionContact problem = read_fclib(file("global.hdf5"));
  EXPECT_EQ(problem.W.to_dense(), Mat(Mat::Identity(3, 3) * 0.5));
  EXPECT_EQ(problem.q, Vec(Eigen::Vector3d(-1.5, 0.5, 0.0)));
  EXPECT_EQ(problem.mu[0], 0.3);
}

TEST_F(Fclib, RefusesIndicesOutsideTheMatrix) {
  write_with_library(file("rows"), -1, {0, 1, 3, 4}, {0, 0, 7, 2}, {2.0, 5.0, 3.0, 4.0});
  EXPECT_NE(refusal(file("rows")).find("outside"), std::string::npos);
  write_with_library(file("pointers"), -1, {0, 3, 1, 4}, {0, 0, 1, 2}, {2.0, 5.0, 3.0, 4.0});
  EXPECT_NE(refusal(file("pointers")).find("fclib_local/W/p"), std::string::npos);
}

TEST_F(Fclib, RefusesForeignHdf5Files) {
  const auto with_groups = [&](const char* name, std::initializer_list<const char*> groups) {
    const hid_t id = H5Fcreate(file(name).c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    for (const char* group : groups)
      H5Gclose(H5Gcreate2(id, group, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    H5Fclose(id);
  };
  with_groups("empty", {});
  EXPECT_NE(refusal(file("empty")).find("no FCLIB file"), std::string::npos);
  with_groups("global", {"fclib_global"});
  EXPECT_NE(refusal(file("global")).find("fclib_global/M/m is missing"), std::string::npos);
  with_groups("hollow", {"fclib_local"});
  EXPECT_NE(refusal(file("hollow")).find("fclib_local/spacedim is missing"), std::string::npos);
  with_groups("group", {"fclib_local", "fclib_local/spacedim"});
  EXPECT_NE(refusal(file("group")).find("no data set"), std::string::npos);
}

#endif

}  // namespace
}  // namespace touchstone::testing

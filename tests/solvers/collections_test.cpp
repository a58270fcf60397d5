/// Real problems of FCLIB's collection, large sparse ones, and solvers that must be stopped.

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>

#include "solvers/collections/random_problems.hpp"
#include "solvers/fclib.hpp"
#include "solvers/solver.hpp"

namespace touchstone {
namespace {

namespace fs = std::filesystem;
using random_problems::Random;

/// shared/reference/fclib beside the source tree or beside a folder above it; empty: not there.
fs::path collection() {
  for (fs::path above = fs::path(TOUCHSTONE_SOURCE_DIR).parent_path(); above.has_relative_path();
       above = above.parent_path())
    if (const fs::path found = above / "shared/reference/fclib"; fs::is_directory(found))
      return found;
  return {};
}

class FclibCollection : public ::testing::TestWithParam<const char*> {};

// No answers are stored in the files; forces are not unique, velocities are what solvers agree on.
TEST_P(FclibCollection, IsSolvedByOwnSolversWhichAgreeWithSiconos) {
  if (!fclib_available()) GTEST_SKIP() << fclib_unavailable();
  if (collection().empty()) GTEST_SKIP() << "the files are not beside this source tree";
  const FrictionContact data = read_fclib(collection() / GetParam());
  const Problem problem = data;
  const double scale = data.q.lpNorm<Eigen::Infinity>();
  const auto velocity = [&](const Vec& r) {
    Vec u;
    data.W.multiply(r, u);
    return Vec(u + data.q);
  };
  Vec u;
  for (const char* name : {"nsgs", "chain"}) {
    const Answer own = make_solver(name)->solve(problem, {}, {0.0, 1e-9});
    EXPECT_EQ(own.status, Status::solved) << name;
    EXPECT_LE(own.residual.natural, 1e-8 * scale) << name;
    u = velocity(own.z);
  }
  const SolverEntry& entry = Registry<SolverEntry>::instance().find("siconos-nsgs");
  if (!entry.unavailable.empty()) return;
  const Answer other = make_solver("siconos-nsgs", {real("time_limit", 2.0, "s", "")})
                           ->solve(problem, {}, {0.0, 1e-9});
  if (other.residual.natural > 1e-8 * scale) return;  // it did not succeed
  EXPECT_LE((velocity(other.z) - u).lpNorm<Eigen::Infinity>(), 1e-5 * scale);
}

INSTANTIATE_TEST_SUITE_P(Files, FclibCollection,
                         ::testing::Values("Box_Stacks-i0122-82-5.hdf5", "Capsules-i125-1213.hdf5",
                                           "LMGC_100_PR_PerioBox-i00361-60-03000.hdf5"));

TEST(Tower, IsTheDelassusMatrixOfStackedBoxes) {
  Random random(1);
  const FrictionContact two = random_problems::tower(random, 2);
  ASSERT_TRUE(two.W.is_sparse());
  const Mat W = two.W.to_dense();
  EXPECT_EQ(W, Mat(W.transpose()));
  // A corner on the ground: 1/m + (x² + y²)·6/m along z; between equal boxes twice that.
  EXPECT_DOUBLE_EQ(W(0, 0), 1.0 + 6.0 * 0.5);
  EXPECT_DOUBLE_EQ(W(12, 12), 2.0 * (1.0 + 6.0 * 0.5));
  Eigen::FullPivLU<Mat> lu(W);
  lu.setThreshold(1e-10);
  EXPECT_EQ(lu.rank(), 12);
}

// Sweeps cost time in proportion to the contacts: eight times as many, at most 24 times as long
// (caches and other load included), where a dense W would take 64 times.
TEST(Nsgs, SweepsOfLargeSparseProblemsCostLinearTime) {
  const auto seconds = [](int boxes) {
    Random random(2);
    const Problem problem = random_problems::tower(random, boxes);
    const auto solver = make_solver("nsgs", {integer("max_iterations", 20, "1", "")});
    double least = 1e9;
    for (int k = 0; k < 5; ++k) least = std::min(least, solver->solve(problem).seconds);
    return least;
  };
  EXPECT_LT(seconds(2000), 24.0 * seconds(250));
}

// Gauss–Seidel carries a load through a tower one contact at a time and is hopeless from about
// eight boxes on (docs/profiles.md); of two boxes it gives the same answer, sparse or dense.
TEST(Nsgs, SolvesTheSameTowerSparseAndDense) {
  Random random(3);
  const FrictionContact data = random_problems::tower(random, 2);
  const Answer answer = make_solver("nsgs")->solve(data);
  EXPECT_EQ(answer.status, Status::solved) << answer.residual.natural;
  FrictionContact dense = data;
  dense.W = data.W.to_dense();
  const Answer same = make_solver("nsgs")->solve(dense);
  EXPECT_EQ(same.status, Status::solved);
  EXPECT_LE((same.z - answer.z).norm(), 1e-6 * answer.z.norm());
}

// W has rank 6 of 12 rows a box: 32 boxes are solved to 1e-9 by proximal steps, in velocities that
// do not depend on where they start.
TEST(Prox, SolvesTowersThatGaussSeidelCannot) {
  Random random(5);
  const FrictionContact tower = random_problems::tower(random, 32);
  const Tolerance tolerance{1e-9, 0.0};
  EXPECT_NE(make_solver("nsgs")->solve(tower, {}, tolerance).status, Status::solved);
  const auto prox = make_solver("prox");
  const Answer one = prox->solve(tower, {}, tolerance);
  ASSERT_EQ(one.status, Status::solved) << one.residual.natural;
  const Answer two = prox->solve(tower, 1.1 * one.z, tolerance);
  ASSERT_EQ(two.status, Status::solved) << two.residual.natural;
  Vec change;
  tower.W.multiply(Vec(one.z - two.z), change);
  EXPECT_LE(change.cwiseAbs().maxCoeff(), 1e-6);
}

TEST(SiconosChild, IsStoppedByItsTimeLimitAndTimesItsChildWithoutTheFork) {
  const SolverEntry& entry = Registry<SolverEntry>::instance().find("siconos-admm");
  if (!entry.unavailable.empty()) GTEST_SKIP() << entry.unavailable;
  Random random(4);
  const Problem large = random_problems::tower(random, 60);
  const Answer stopped = make_solver("siconos-admm", {real("time_limit", 0.02, "s", "")})
                             ->solve(large, {}, {1e-14, 0.0});
  EXPECT_NE(stopped.status, Status::solved);
  ASSERT_FALSE(stopped.notes.empty());
  EXPECT_NE(stopped.notes.back().find("time limit of 0.02 s"), std::string::npos)
      << stopped.notes.back();
  const Problem small = random_problems::tower(random, 1);
  const Answer answer = make_solver("siconos-nsgs")->solve(small);
  EXPECT_GT(answer.overhead, 0.0);
  EXPECT_LT(answer.overhead, answer.seconds);
}

}  // namespace
}  // namespace touchstone

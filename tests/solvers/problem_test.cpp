#include "solvers/problem.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "solvers/error.hpp"

namespace touchstone {
namespace {

using ::testing::HasSubstr;

constexpr double inf = std::numeric_limits<double>::infinity();
const double nan = std::nan("");

Mat example_matrix() { return (Mat(2, 3) << 1, 0, 2, 0, 3, -4).finished(); }

TEST(Matrix, DenseAndSparseMultiplyAlike) {
  const Matrix dense = example_matrix(), sparse = SpMat(example_matrix().sparseView());
  EXPECT_FALSE(dense.is_sparse());
  EXPECT_TRUE(sparse.is_sparse());
  for (const Matrix* A : {&dense, &sparse}) {
    Vec y, t;
    A->multiply(Vec(Eigen::Vector3d(1, 2, 3)), y);
    A->multiply_transposed(Vec(Eigen::Vector2d(1, -1)), t);
    EXPECT_EQ(y, Vec(Eigen::Vector2d(7, -6)));
    EXPECT_EQ(t, Vec(Eigen::Vector3d(1, -3, 6)));
    EXPECT_EQ(A->rows(), 2);
    EXPECT_EQ(A->cols(), 3);
    EXPECT_EQ(A->to_dense(), example_matrix());
    EXPECT_EQ(Mat(A->to_sparse()), example_matrix());
  }
}

TEST(Matrix, MultiplyWritesIntoTheGivenVector) {
  const Matrix A = example_matrix();
  Vec y(2);
  const double* before = y.data();
  A.multiply(Vec::Ones(3), y);
  EXPECT_EQ(y.data(), before);
}

TEST(Matrix, AskingForTheWrongStorageIsAProgrammingError) {
  Matrix dense = example_matrix(), sparse = SpMat(example_matrix().sparseView());
  EXPECT_THROW((void)dense.sparse(), std::logic_error);
  EXPECT_THROW((void)sparse.dense(), std::logic_error);
}

TEST(Matrix, FindsWhatIsNotFinite) {
  for (const double bad : {nan, inf, -inf}) {
    Mat A = example_matrix();
    EXPECT_TRUE(Matrix(A).all_finite());
    A(1, 2) = bad;
    EXPECT_FALSE(Matrix(A).all_finite());
    EXPECT_FALSE(Matrix(SpMat(A.sparseView())).all_finite());
    SpMat uncompressed(2, 3);
    uncompressed.insert(1, 2) = bad;
    EXPECT_FALSE(Matrix(uncompressed).all_finite());
  }
}

struct Zero : McpFunction {
  void evaluate(const Vec& z, Vec& F) const override { F = Vec::Zero(z.size()); }
  void jacobian(const Vec& z, SpMat& J) const override { J.resize(z.size(), z.size()); }
};

Lcp sound_lcp() { return {Mat::Identity(2, 2), Vec::Ones(2)}; }
Mlcp sound_mlcp() {
  return {Mat::Identity(2, 2), Vec::Ones(2), Vec::Constant(2, -inf), Vec::Constant(2, inf)};
}
Mcp sound_mcp() { return {std::make_shared<Zero>(), Vec::Zero(2), Vec::Ones(2)}; }
Qp sound_qp() {
  return {Mat::Identity(2, 2), Vec::Ones(2), Mat::Ones(3, 2), Vec::Zero(3), Vec::Ones(3)};
}
FrictionContact sound_contact() { return {3, Mat::Identity(6, 6), Vec::Ones(6), Vec::Ones(2)}; }

TEST(Problem, ClassAndUnknowns) {
  EXPECT_EQ(problem_class(sound_lcp()), "lcp");
  EXPECT_EQ(problem_class(sound_mlcp()), "mlcp");
  EXPECT_EQ(problem_class(sound_mcp()), "mcp");
  EXPECT_EQ(problem_class(sound_qp()), "qp");
  EXPECT_EQ(problem_class(sound_contact()), "friction-contact");
  EXPECT_EQ(unknowns(sound_lcp()), 2);
  EXPECT_EQ(unknowns(sound_mlcp()), 2);
  EXPECT_EQ(unknowns(sound_mcp()), 2);
  EXPECT_EQ(unknowns(sound_qp()), 5);
  EXPECT_EQ(unknowns(sound_contact()), 6);
}

TEST(Validate, AcceptsSoundProblems) {
  EXPECT_NO_THROW(validate(sound_lcp()));
  EXPECT_NO_THROW(validate(sound_mlcp()));
  EXPECT_NO_THROW(validate(sound_mcp()));
  EXPECT_NO_THROW(validate(sound_qp()));
  EXPECT_NO_THROW(validate(sound_contact()));
  EXPECT_NO_THROW(validate(Lcp{Mat(0, 0), Vec(0)}));
}

std::string cause(const Problem& problem) {
  try {
    validate(problem);
  } catch (const InputError& error) {
    return error.what();
  }
  return "(accepted)";
}

template <class P>
std::string cause_after(P problem, auto change) {
  change(problem);
  return cause(problem);
}

TEST(Validate, NamesSizesThatDoNotFit) {
  EXPECT_EQ(cause_after(sound_lcp(), [](Lcp& p) { p.M = Mat::Identity(3, 2); }),
            "lcp: M is 3 x 2; expected 2 x 2");
  EXPECT_THAT(cause_after(sound_lcp(), [](Lcp& p) { p.scale.z = Vec::Ones(2); }),
              HasSubstr("scale.F has 0 entries; expected 2"));
  EXPECT_THAT(cause_after(sound_mlcp(), [](Mlcp& p) { p.l = Vec::Zero(1); }),
              HasSubstr("l has 1 entries; expected 2"));
  EXPECT_THAT(cause_after(sound_mcp(), [](Mcp& p) { p.u = Vec::Ones(3); }),
              HasSubstr("u has 3 entries; expected 2"));
  EXPECT_THAT(cause_after(sound_mcp(), [](Mcp& p) { p.function.reset(); }),
              HasSubstr("function is missing"));
  EXPECT_THAT(cause_after(sound_qp(), [](Qp& p) { p.A = Mat::Ones(2, 2); }),
              HasSubstr("A is 2 x 2; expected 3 x 2"));
  EXPECT_THAT(cause_after(sound_contact(), [](FrictionContact& p) { p.mu = Vec::Ones(3); }),
              HasSubstr("mu has 3 entries; expected 2"));
  EXPECT_THAT(cause_after(sound_contact(), [](FrictionContact& p) { p.q = Vec::Ones(5); }),
              HasSubstr("multiple of dim = 3"));
  EXPECT_THAT(cause_after(sound_contact(), [](FrictionContact& p) { p.dim = 4; }),
              HasSubstr("dim = 4; expected 2 or 3"));
}

TEST(Validate, NamesTheEntryThatIsNotFinite) {
  EXPECT_EQ(cause_after(sound_lcp(), [](Lcp& p) { p.q[1] = nan; }),
            "lcp: q[1] = nan; expected a finite number");
  EXPECT_THAT(cause_after(sound_lcp(), [](Lcp& p) { p.M.dense()(0, 1) = inf; }),
              HasSubstr("M(0, 1) = inf"));
  EXPECT_THAT(cause_after(sound_qp(), [](Qp& p) { p.A.dense()(2, 1) = nan; }),
              HasSubstr("A(2, 1) = nan"));
  EXPECT_THAT(cause_after(sound_contact(), [](FrictionContact& p) { p.mu[0] = nan; }),
              HasSubstr("mu[0] = nan"));
}

TEST(Validate, NamesBoundsSignsAndSymmetry) {
  EXPECT_THAT(cause_after(sound_mlcp(),
                          [](Mlcp& p) {
                            p.l[1] = 1;
                            p.u[1] = 0;
                          }),
              HasSubstr("l[1] = 1, u[1] = 0; expected l <= u"));
  EXPECT_THAT(cause_after(sound_mcp(), [](Mcp& p) { p.l[0] = nan; }), HasSubstr("l[0] = nan"));
  EXPECT_THAT(cause_after(sound_qp(), [](Qp& p) { p.u[0] = -inf; }), HasSubstr("u[0] = -inf"));
  EXPECT_THAT(cause_after(sound_contact(), [](FrictionContact& p) { p.mu[1] = -0.1; }),
              HasSubstr("mu[1] = -0.1; expected at least 0"));
  const Mat skew = (Mat(2, 2) << 1, 0.5, 0.25, 1).finished();
  EXPECT_THAT(cause_after(sound_qp(), [&](Qp& p) { p.P = skew; }), HasSubstr("P is not symmetric"));
  EXPECT_THAT(cause_after(sound_qp(), [&](Qp& p) { p.P = SpMat(skew.sparseView()); }),
              HasSubstr("P is not symmetric"));
}

}  // namespace
}  // namespace touchstone

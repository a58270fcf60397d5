#include "solvers/problem_file.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "solvers/error.hpp"
#include "solvers/referee.hpp"

namespace touchstone {

namespace {

class ProblemFile : public ::testing::Test {
 protected:
  std::filesystem::path write(const std::string& text) const {
    std::ofstream(file_) << text;
    return file_;
  }
  void TearDown() override { std::filesystem::remove(file_); }

 private:
  std::filesystem::path file_ =
      std::filesystem::path(::testing::TempDir()) /
      ("problem-" + std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()) +
       ".json");
};

Mat some_matrix() { return (Mat(2, 2) << 2.0, 1.0 / 3.0, -1e-300, 4.0).finished(); }
Vec some_vector() { return (Vec(2) << -1.0 / 7.0, 1e20).finished(); }

TEST_F(ProblemFile, RoundTripsEveryClassBitForBit) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  const Vec l = (Vec(2) << -inf, 0.0).finished(), u = (Vec(2) << inf, 0.1).finished();
  const Mat P = (Mat(2, 2) << 2.0, 0.1, 0.1, 1.0).finished();
  const SpMat W = some_matrix().sparseView(0.0, 0.0);
  const std::vector<Problem> problems{
      Lcp{some_matrix(), some_vector(), {Vec::Ones(2), Vec::Constant(2, 1.0 / 3.0)}},
      Lcp{SpMat(W), some_vector(), {}},
      Mlcp{some_matrix(), some_vector(), l, u, {}},
      Qp{P, some_vector(), some_matrix(), l, u},
      FrictionContact{2, some_matrix(), some_vector(), Vec::Constant(1, 0.3)},
  };
  for (const Problem& problem : problems) {
    const std::string text = problem_text(problem);
    const Problem back = read_problem(write(text));
    EXPECT_EQ(problem_text(back), text) << problem_class(problem);
    const Vec z = Vec::LinSpaced(unknowns(problem), 0.05, 0.1);
    EXPECT_EQ(residual(back, z).natural, residual(problem, z).natural);
  }
}

void expect_refused(const std::filesystem::path& file, const std::vector<std::string>& phrases) {
  try {
    read_problem(file);
    ADD_FAILURE() << "read without complaint";
  } catch (const InputError& error) {
    for (const std::string& phrase : phrases)
      EXPECT_NE(std::string(error.what()).find(phrase), std::string::npos) << error.what();
  }
}

TEST_F(ProblemFile, NamesFileAndKeyOfWhatIsWrong) {
  expect_refused("no-such-file.json", {"no-such-file.json", "cannot be read"});
  const auto wrong = [&](const std::string& text, const std::string& phrase) {
    const auto file = write(text);
    expect_refused(file, {file.string(), phrase});
  };
  wrong("{", "JSON");
  wrong("[1]", "JSON object");
  wrong(R"({"class": "lcq"})", "class");
  wrong(R"({"class": "lcp", "q": [1]})", "M");
  wrong(R"({"class": "lcp", "M": {"rows": 1, "cols": 1, "dense": [1, 2]}, "q": [1]})", "1 × 1");
  wrong(R"({"class": "lcp", "M": {"rows": 1, "cols": 1, "dense": [1]}, "q": ["one"]})", "q");
  wrong(R"({"class": "lcp", "M": {"rows": 1, "cols": 1, "dense": [1]}, "q": [1, 2]})", "lcp");
  wrong(R"({"class": "lcp", "M": {"rows": 1, "cols": 1, "sparse": [[1, 0, 2]]}, "q": [1]})", "M");
}

}  // namespace

}  // namespace touchstone

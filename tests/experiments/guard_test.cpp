/// The fairness guard, against solvers that cheat.

#include "experiments/profile/guard.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <functional>
#include <thread>

#include "experiments/profile/rows.hpp"
#include "solvers/collections/random_problems.hpp"

namespace touchstone {
namespace {

using namespace random_problems;

/// A solver made of one function.
class Fake final : public Solver {
 public:
  using Body = std::function<Claim(const Problem&)>;
  explicit Fake(Body body) : body_(std::move(body)) {}
  bool accepts(const Problem& problem) const override {
    return std::holds_alternative<Lcp>(problem);
  }

 private:
  Claim run(const Problem& problem, const Vec&, Tolerance) override { return body_(problem); }
  Body body_;
};

Claim honest(const Problem& problem) {
  const Answer answer = make_solver("lemke")->solve(problem);
  return {answer.z, answer.status, answer.iterations, {}, {}};
}

void wait(double milliseconds) {
  std::this_thread::sleep_for(std::chrono::duration<double, std::milli>(milliseconds));
}

const MeasureSettings quick{{1e-9, 0.0}, 2, 0.05, 1.0};

Row measured(const std::string& solver, const std::string& problem, Fake& fake, const Problem& p) {
  Row row = measure(fake, p, {}, is_trivial(p, {}, 1e-9), quick);
  row.solver = solver;
  row.problem = problem;
  return row;
}

std::vector<Problem> problems(int count) {
  Random random(5);
  std::vector<Problem> list;
  while (static_cast<int>(list.size()) < count)
    if (const Problem p = positive_definite(random, 6); !is_trivial(p, {}, 1e-9)) list.push_back(p);
  return list;
}

/// Every fake on every problem.
std::vector<Row> all_rows(const std::vector<std::pair<std::string, Fake::Body>>& fakes, int count) {
  std::vector<Row> rows;
  for (const auto& [name, body] : fakes) {
    Fake fake(body);
    int k = 0;
    for (const Problem& p : problems(count))
      rows.push_back(measured(name, std::to_string(k++), fake, p));
  }
  return rows;
}

const SolverSummary& of(const Profile& profile, const std::string& solver) {
  for (const SolverSummary& s : profile.solvers)
    if (s.solver == solver) return s;
  throw std::runtime_error("no summary of " + solver);
}

TEST(Guard, TheRefereeDecidesWhatIsASuccess) {
  auto rows = all_rows({{"honest", honest},
                        {"liar",
                         [](const Problem& p) {
                           return Claim{Vec::Ones(unknowns(p)), Status::solved, 7, {}, {}};
                         }},
                        {"rough",
                         [](const Problem& p) {  // a thousand times too far off, but fast
                           Claim claim = honest(p);
                           claim.z.array() += 1e-6;
                           return claim;
                         }}},
                       4);
  const Profile profile = judge(rows);
  EXPECT_EQ(of(profile, "honest").solved, 4);
  for (const char* cheat : {"liar", "rough"}) {
    EXPECT_EQ(of(profile, cheat).solved, 0);
    EXPECT_TRUE(std::isinf(of(profile, cheat).median_ratio)) << "a failure is charged";
  }
  EXPECT_EQ(of(profile, "honest").fastest, 4);
  for (std::size_t k = 0; k < rows.size(); ++k)
    EXPECT_EQ(profile.ratios[k] > 0.0, rows[k].solver == "honest");
}

TEST(Guard, AnAnswerWithoutIterationsIsFlaggedAndNotRanked) {
  auto rows = all_rows({{"honest", honest},
                        {"shortcut",
                         [](const Problem& p) {
                           Claim claim = honest(p);
                           claim.iterations = 0;
                           claim.z[0] += 1e-13;  // other bits, still accurate
                           return claim;
                         }}},
                       4);
  const Profile profile = judge(rows);
  const SolverSummary& cheat = of(profile, "shortcut");
  EXPECT_EQ(cheat.solved, 4);
  EXPECT_EQ(cheat.no_iterations, 4);
  EXPECT_FALSE(cheat.ranked);
  EXPECT_NE(cheat.remark.find("0 iterations on 4 of 4"), std::string::npos) << cheat.remark;
  EXPECT_TRUE(of(profile, "honest").ranked);
  EXPECT_NE(rows_csv(rows, profile.ratios).find(flags::no_iterations), std::string::npos);
}

TEST(Guard, TheSameBitsUnderTwoNamesCountOnce) {
  auto rows = all_rows({{"honest", honest},
                        {"renamed",
                         [](const Problem& p) {
                           wait(1.0);
                           return honest(p);
                         }},
                        {"other",
                         [](const Problem& p) {
                           Claim claim = honest(p);
                           claim.z[0] += 1e-13;
                           return claim;
                         }}},
                       5);
  const Profile profile = judge(rows);
  EXPECT_EQ(of(profile, "renamed").twin_of, "honest");
  EXPECT_FALSE(of(profile, "renamed").ranked);
  EXPECT_TRUE(of(profile, "honest").ranked);
  EXPECT_TRUE(of(profile, "other").ranked);
  for (const char* name : {"honest", "renamed"})
    EXPECT_NE(of(profile, name).remark.find("same bits as"), std::string::npos);
  for (const Row& row : rows)
    EXPECT_EQ(row.has(std::string(flags::same_bits) + "honest"), row.solver == "renamed");
}

TEST(Guard, ASolverThatRemembersIsChargedItsFirstCall) {
  Vec known;
  Fake memory([&](const Problem& p) {
    if (known.size() == 0) {
      wait(30.0);
      known = honest(p).z;
    }
    return Claim{known, Status::solved, 3, {}, {}};
  });
  const Row row = measured("memory", "0", memory, problems(1).front());
  EXPECT_TRUE(row.success);
  EXPECT_TRUE(row.has(flags::remembers));
  EXPECT_GE(row.seconds, 0.03);
}

TEST(Guard, RepeatsThatDifferAreSaid) {
  int calls = 0;
  Fake moody([&](const Problem& p) {
    Claim claim = honest(p);
    claim.z[0] += 1e-14 * ++calls;
    return claim;
  });
  const Row row = measured("moody", "0", moody, problems(1).front());
  EXPECT_TRUE(row.success);
  EXPECT_TRUE(row.has(flags::repeats_differ));
}

TEST(Guard, ALateAnswerIsNone) {
  Fake slow(honest);
  MeasureSettings hasty = quick;
  hasty.time_limit = 1e-7;
  const Row row = measure(slow, problems(1).front(), {}, false, hasty);
  EXPECT_FALSE(row.success);
  EXPECT_TRUE(row.has(flags::over_time));
}

// z = 0 solves it: everybody is fast, nobody is compared.
TEST(Guard, TrivialProblemsAreLeftOut) {
  const Problem problem = Lcp{Mat::Identity(2, 2), Vec::Ones(2)};
  Fake fake(honest);
  std::vector<Row> rows{measured("honest", "0", fake, problem)};
  EXPECT_TRUE(rows[0].has(flags::trivial));
  EXPECT_FALSE(rows[0].has(flags::no_iterations));
  const Profile profile = judge(rows);
  EXPECT_EQ(profile.common.front().second, 0);
  EXPECT_EQ(of(profile, "honest").solved, 1);
}

// Times 1, 2, 8 and a failure against 4, 2, 2, 2: the ratios by hand.
TEST(Guard, RatiosAreThoseOfDolanAndMore) {
  const double a[] = {1.0, 2.0, 8.0, 0.0}, b[] = {4.0, 2.0, 2.0, 2.0};
  std::vector<Row> rows;
  for (int k = 0; k < 4; ++k)
    for (const bool first : {true, false}) {
      Row row;
      row.problem = std::to_string(k);
      row.problem_class = "lcp";
      row.solver = first ? "a" : "b";
      row.seconds = first ? a[k] : b[k];
      row.success = row.seconds > 0.0;
      row.status = row.success ? Status::solved : Status::ray;
      row.iterations = 1;
      row.fingerprint = row.solver;
      rows.push_back(row);
    }
  const Profile profile = judge(rows);
  EXPECT_EQ(profile.ratios, (std::vector<double>{1.0, 4.0, 1.0, 1.0, 4.0, 1.0, 0.0, 1.0}));
  EXPECT_EQ(of(profile, "a").fastest, 2);
  EXPECT_EQ(of(profile, "b").fastest, 3);
  EXPECT_EQ(of(profile, "a").median_ratio, 2.5);  // of 1, 1, 4, ∞
}

TEST(Guard, RowsComeBackFromTheirFile) {
  auto rows = all_rows({{"honest",
                         [](const Problem& p) {
                           Claim claim = honest(p);
                           claim.notes = {"a, \"b\"", "c"};
                           return claim;
                         }}},
                       2);
  const std::string text = rows_csv(rows, {});
  const std::vector<Row> back = read_rows(text, "rows.csv");
  ASSERT_EQ(back.size(), 2u);
  EXPECT_EQ(rows_csv(back, {}), text);
  EXPECT_EQ(back[0].notes, "a, \"b\"; c");
  EXPECT_THROW(read_rows("nonsense\n", "rows.csv"), InputError);
  EXPECT_THROW(read_rows(text + "1,2,3\n", "rows.csv"), InputError);
}

}  // namespace
}  // namespace touchstone

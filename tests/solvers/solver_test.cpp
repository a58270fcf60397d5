#include "solvers/solver.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace touchstone {
namespace {

using ::testing::HasSubstr;

constexpr double inf = std::numeric_limits<double>::infinity();

/// Says whatever it is told to say.
class Scripted final : public Solver {
 public:
  explicit Scripted(Claim claim) : claim_(std::move(claim)) {}
  bool accepts(const Problem& problem) const override {
    return std::holds_alternative<Lcp>(problem);
  }

 private:
  Claim run(const Problem&, const Vec&, Tolerance) override { return claim_; }
  Claim claim_;
};

Lcp identity() { return {Mat::Identity(2, 2), Vec::Constant(2, -1.0)}; }  // answer (1, 1)

Claim claim_of(const Vec& z, Status status = Status::solved) {
  Claim claim;
  claim.z = z;
  claim.status = status;
  return claim;
}

Answer judged(const Vec& z, Status status) {
  Scripted solver(claim_of(z, status));
  return solver.solve(identity());
}

TEST(Solve, BelievesNoClaimThatFailsTheReferee) {
  EXPECT_EQ(judged(Vec::Ones(2), Status::solved).status, Status::solved);
  const Answer lie = judged(Eigen::Vector2d(1.0, 1.0 + 1e-6), Status::solved);
  EXPECT_EQ(lie.status, Status::inaccurate);
  EXPECT_NEAR(lie.residual.natural, 1e-6, 1e-12);
  EXPECT_FALSE(lie.ok());
}

TEST(Solve, NeverLetsNanOrAWrongSizePassAsSolved) {
  EXPECT_EQ(judged(Vec::Constant(2, std::nan("")), Status::solved).status, Status::inaccurate);
  EXPECT_EQ(judged(Vec::Ones(3), Status::solved).status, Status::inaccurate);
  EXPECT_EQ(judged(Vec{}, Status::solved).status, Status::inaccurate);
}

TEST(Solve, CorrectsAClaimOfInaccuracyToo) {
  EXPECT_EQ(judged(Vec::Ones(2), Status::inaccurate).status, Status::solved);
  EXPECT_EQ(judged(Vec::Ones(2), Status::iteration_limit).status, Status::iteration_limit);
  EXPECT_EQ(judged(Vec::Zero(2), Status::infeasible).status, Status::infeasible);
}

TEST(Solve, AcceptsWithinTheToleranceThatIsAsked) {
  Scripted solver(claim_of(Eigen::Vector2d(1.0, 1.0 + 1e-6)));
  EXPECT_EQ(solver.solve(identity(), {}, {.absolute = 1e-5, .relative = 0.0}).status,
            Status::solved);
  EXPECT_EQ(solver.solve(identity(), {}, {.absolute = 0.0, .relative = 1e-5}).status,
            Status::solved);
  EXPECT_EQ(solver.solve(identity(), {}, {.absolute = 1e-7, .relative = 0.0}).status,
            Status::inaccurate);
}

TEST(Solve, KeepsEverythingTheSolverSaid) {
  Claim claim = claim_of(Vec::Zero(2), Status::ray);
  claim.iterations = 7;
  claim.ray.direction = Vec::Ones(2);
  claim.ray.cover = 0.5;
  claim.notes = {"regularised by 1e-9"};
  Scripted solver(claim);
  const Answer answer = solver.solve(identity());
  EXPECT_EQ(answer.status, Status::ray);
  EXPECT_EQ(answer.iterations, 7);
  EXPECT_EQ(answer.ray.direction, Vec::Ones(2));
  EXPECT_EQ(answer.ray.cover, 0.5);
  EXPECT_THAT(answer.notes, ::testing::ElementsAre("regularised by 1e-9"));
  EXPECT_GE(answer.seconds, 0.0);
}

TEST(Solve, RefusesWhatTheSolverDoesNotAccept) {
  Scripted solver(claim_of(Vec::Zero(1)));
  const Answer answer = solver.solve(Qp{Mat::Zero(1, 1), Vec::Zero(1), Mat(0, 1), Vec(0), Vec(0)});
  EXPECT_EQ(answer.status, Status::not_applicable);
  EXPECT_EQ(answer.residual.natural, inf);
  ASSERT_EQ(answer.notes.size(), 1u);
  EXPECT_THAT(answer.notes[0], HasSubstr("qp"));
}

TEST(Solve, RefusesMalformedProblemsWithTheCause) {
  Scripted solver(claim_of(Vec::Zero(2)));
  Lcp problem = identity();
  problem.q[1] = std::nan("");
  const Answer answer = solver.solve(problem);
  EXPECT_EQ(answer.status, Status::not_applicable);
  ASSERT_EQ(answer.notes.size(), 1u);
  EXPECT_EQ(answer.notes[0], "lcp: q[1] = nan; expected a finite number");
  EXPECT_EQ(solver.solve(Lcp{Mat::Identity(3, 3), Vec::Zero(2)}).status, Status::not_applicable);
  EXPECT_THROW(solver.solve(identity(), Vec::Zero(3)), std::invalid_argument);
}

TEST(Status, NamesReadBack) {
  for (int i = 0; i <= static_cast<int>(Status::unavailable); ++i) {
    const Status status = static_cast<Status>(i);
    EXPECT_EQ(status_from_string(to_string(status)), status);
  }
  EXPECT_EQ(to_string(Status::iteration_limit), "iteration_limit");
  EXPECT_THROW(status_from_string("solvd"), InputError);
}

TEST(SolverRegistry, EveryAvailableSolverIsMadeByItsName) {
  const auto& registry = Registry<SolverEntry>::instance();
  EXPECT_TRUE(registry.contains("lemke"));
  EXPECT_TRUE(registry.contains("enumeration"));
  for (const SolverEntry* entry : registry.all()) {
    EXPECT_FALSE(entry->summary.empty()) << entry->name;
    EXPECT_FALSE(entry->cite.empty()) << entry->name;
    if (entry->unavailable.empty())
      EXPECT_NE(make_solver(entry->name), nullptr) << entry->name;
    else
      EXPECT_THROW(make_solver(entry->name), InputError) << entry->name;
  }
}

TEST(SolverRegistry, RefusesDuplicates) {
  Registry<SolverEntry> registry;
  registry.add({.name = "twice", .summary = "", .cite = ""});
  EXPECT_THROW(registry.add({.name = "twice", .summary = "", .cite = ""}), std::logic_error);
  EXPECT_EQ(registry.all().size(), 1u);
}

TEST(SolverRegistry, UnknownNamesListTheKnownAndTheNearest) {
  try {
    make_solver("lemk");
    FAIL() << "an unknown name was accepted";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("unknown solver 'lemk'; did you mean 'lemke'?"));
    EXPECT_THAT(error.what(), HasSubstr("enumeration"));
  }
}

TEST(SolverRegistry, SettingsMayNameSomeParametersButNoUnknownOnes) {
  EXPECT_NE(make_solver("lemke", {integer("max_iterations", 3, "1", "")}), nullptr);
  EXPECT_THROW(make_solver("lemke", {integer("max_iteration", 3, "1", "")}), InputError);
  EXPECT_THROW(make_solver("lemke", {integer("max_iterations", 0, "1", "")}), InputError);
  EXPECT_THROW(make_solver("lemke", {real("max_iterations", 3.0, "1", "")}), InputError);
}

}  // namespace
}  // namespace touchstone

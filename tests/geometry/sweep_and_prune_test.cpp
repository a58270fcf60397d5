#include "geometry/sweep_and_prune.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "tests/geometry/support.hpp"

namespace touchstone {

namespace {

using test::Random;
using Pairs = std::set<std::pair<int, int>>;

Pairs brute_force(const std::vector<Box>& boxes) {
  Pairs pairs;
  for (int i = 0; i < static_cast<int>(boxes.size()); ++i)
    for (int j = i + 1; j < static_cast<int>(boxes.size()); ++j)
      if (overlap(boxes[i], boxes[j])) pairs.emplace(i, j);
  return pairs;
}

/// Intervals on x of the boxes 1…6 (0 is far away) in the order of the thesis' figure 5.5:
/// b3 b6 b1 e6 e1 b5 b2 e3 b4 e5 e2 e4.
std::vector<Box> figure_5_5() {
  std::vector<Box> boxes(7);
  const auto set = [&boxes](int i, double low, double high) {
    boxes[i] = {{low, 0.0, 0.0}, {high, 1.0, 1.0}};
  };
  set(0, 100.0, 101.0);
  set(3, 0.0, 7.0);
  set(6, 1.0, 3.0);
  set(1, 2.0, 4.0);
  set(5, 5.0, 9.0);
  set(2, 6.0, 10.0);
  set(4, 8.0, 11.0);
  return boxes;
}

// X19: one exchange (b4 with e5), one pair lost.
TEST(SweepAndPrune, FollowsTheFigureOfTheThesis) {
  std::vector<Box> boxes = figure_5_5();
  SweepAndPrune sweep;
  sweep.update(boxes);
  const Pairs eight{{1, 3}, {1, 6}, {2, 3}, {2, 4}, {2, 5}, {3, 5}, {3, 6}, {4, 5}};
  EXPECT_EQ(sweep.pairs(), eight);
  boxes[4].low.x() = 9.5;  // e5 = 9 now comes first
  sweep.update(boxes);
  Pairs seven = eight;
  seven.erase({4, 5});
  EXPECT_EQ(sweep.pairs(), seven);
  EXPECT_EQ(sweep.exchanges(), 1);
}

TEST(SweepAndPrune, AgreesWithAllPairsWhileBoxesMoveAndJump) {
  Random random(5);
  std::vector<Box> boxes(60);
  const auto place = [&](Box& box) {
    box.low = random.point(3, 3.0);
    box.high = box.low + Vec3(random.uniform(0, 1), random.uniform(0, 2), random.uniform(0, 1));
  };
  for (Box& box : boxes) place(box);
  boxes[0].low.setConstant(-std::numeric_limits<double>::infinity());  // a half-space
  boxes[0].high.setConstant(std::numeric_limits<double>::infinity());
  SweepAndPrune sweep;
  for (int step = 0; step < 100; ++step) {
    sweep.update(boxes);
    ASSERT_EQ(sweep.pairs(), brute_force(boxes)) << step;
    for (std::size_t i = 1; i < boxes.size(); ++i) {
      const Vec3 move = 0.05 * random.point(3, 1.0);
      boxes[i].low += move, boxes[i].high += move;
    }
    if (step % 10 == 0) place(boxes[1 + static_cast<std::size_t>(step) % 59]);
  }
}

TEST(SweepAndPrune, TouchingBoxesOverlapAndTiesDoNotDependOnHistory) {
  std::vector<Box> boxes{{Vec3::Zero(), Vec3::Ones()}, {{2, 0, 0}, {3, 1, 1}}};
  SweepAndPrune sweep;
  sweep.update(boxes);
  EXPECT_TRUE(sweep.pairs().empty());
  for (const double x : {1.0, 1.5, 1.0, 0.0, 1.0}) {
    boxes[1] = {{x, 0, 0}, {x + 1.0, 1, 1}};
    sweep.update(boxes);
    EXPECT_EQ(sweep.pairs(), brute_force(boxes)) << x;
  }
  EXPECT_EQ(sweep.pairs().size(), 1u);
  boxes.pop_back();  // another number of boxes starts afresh
  sweep.update(boxes);
  EXPECT_TRUE(sweep.pairs().empty());
  boxes[0].low.x() = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(sweep.update(boxes), std::invalid_argument);
}

TEST(SweepAndPrune, ExchangesAreFewWhenLittleMoves) {
  Random random(6);
  std::vector<Box> boxes(400);
  for (Box& box : boxes) {
    box.low = random.point(3, 10.0);
    box.high = box.low + Vec3::Constant(0.5);
  }
  SweepAndPrune sweep;
  sweep.update(boxes);
  for (Box& box : boxes) {
    const Vec3 move = 1e-3 * random.direction(3);
    box.low += move, box.high += move;
  }
  sweep.update(boxes);
  EXPECT_EQ(sweep.pairs(), brute_force(boxes));
  EXPECT_LT(sweep.exchanges(), 400);  // all pairs: 79,800
}

}  // namespace

}  // namespace touchstone

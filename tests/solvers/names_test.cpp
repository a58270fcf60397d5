#include "solvers/names.hpp"

#include <gtest/gtest.h>

namespace touchstone {
namespace {

TEST(NearestName, FindsTypingErrors) {
  const std::vector<std::string> known = {"enumeration", "lemke", "pgs"};
  EXPECT_EQ(nearest_name("lemk", known), "lemke");
  EXPECT_EQ(nearest_name("elmke", known), "lemke");
  EXPECT_EQ(nearest_name("Lemke", known), "lemke");
  EXPECT_EQ(nearest_name("enumerate", known), "enumeration");
}

TEST(NearestName, IsEmptyWhenNothingIsNear) {
  EXPECT_EQ(nearest_name("interior-point", {"lemke", "pgs"}), "");
  EXPECT_EQ(nearest_name("lemke", {}), "");
  EXPECT_EQ(nearest_name("x", {"h", "mu"}), "");
}

TEST(NearestName, PrefersTheFirstOfEquallyNear) {
  EXPECT_EQ(nearest_name("e_x", {"e_o", "e_r", "e_t"}), "e_o");
}

TEST(UnknownName, ListsTheKnownNamesAndTheNearest) {
  EXPECT_EQ(unknown_name("solver", "lemk", {"enumeration", "lemke"}),
            "unknown solver 'lemk'; did you mean 'lemke'? Known solvers: enumeration, lemke");
  EXPECT_EQ(unknown_name("solver", "zzzzzz", {"lemke"}),
            "unknown solver 'zzzzzz'; Known solvers: lemke");
}

}  // namespace
}  // namespace touchstone

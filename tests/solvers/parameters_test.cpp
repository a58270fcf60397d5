#include "solvers/parameters.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "solvers/error.hpp"

namespace touchstone {
namespace {

Parameters example() {
  return {real("h", 0.01, "s", "time step").above(0),
          real("mu", 0.5, "1", "friction coefficient").at_least(0).at_most(2),
          integer("edges", 8, "1", "sides of the friction polygon").at_least(3),
          flag("warm_start", false, "start from the last answer"),
          text("cover", "ones", "covering vector").one_of({"ones", "row-scale"}),
          text("label", "", "free text")};
}

std::string message_of(auto action) {
  try {
    action();
  } catch (const InputError& error) {
    return error.what();
  }
  return "(nothing was thrown)";
}

TEST(Parameters, ReadsEveryTypeFromText) {
  Parameters p = example();
  p.set("h", "2.5e-3");
  p.set("edges", "12");
  p.set("warm_start", "true");
  p.set("cover", "row-scale");
  p.set("label", "a=b");
  EXPECT_EQ(p.real("h"), 2.5e-3);
  EXPECT_EQ(p.integer("edges"), 12);
  EXPECT_EQ(p.real("edges"), 12.0);
  EXPECT_TRUE(p.flag("warm_start"));
  EXPECT_EQ(p.text("cover"), "row-scale");
  EXPECT_EQ(p.text("label"), "a=b");
}

TEST(Parameters, NamesKeyValueAndExpectation) {
  Parameters p = example();
  EXPECT_EQ(message_of([&] { p.set("h", "-1"); }),
            "h = \"-1\": expected a number above 0 [s] (time step)");
  EXPECT_EQ(message_of([&] { p.set("mu", "3", "scene.toml:12: "); }),
            "scene.toml:12: mu = \"3\": expected a number of at least 0 and at most 2 "
            "(friction coefficient)");
  EXPECT_EQ(message_of([&] { p.set("edges", "2"); }),
            "edges = \"2\": expected a whole number of at least 3 (sides of the friction polygon)");
  EXPECT_EQ(message_of([&] { p.set("cover", "twos"); }),
            "cover = \"twos\": expected one of ones, row-scale (covering vector)");
  EXPECT_EQ(message_of([&] { p.set("warm_start", "maybe"); }),
            "warm_start = \"maybe\": expected true or false (start from the last answer)");
}

class RefusedNumber : public ::testing::TestWithParam<const char*> {};

TEST_P(RefusedNumber, LeavesTheValueAsItWas) {
  Parameters p = example();
  EXPECT_THROW(p.set("h", GetParam()), InputError);
  EXPECT_EQ(p.real("h"), 0.01);
}

INSTANTIATE_TEST_SUITE_P(Text, RefusedNumber,
                         ::testing::Values("0.1x", "x", "", " ", " 0.1", "0.1 ", "nan", "-nan",
                                           "inf", "-inf", "infinity", "0", "-0.0", "1e999", "0x10",
                                           "0,1", "1e", "--1", "0.1.2"));

TEST(Parameters, RefusesNonIntegersForIntegers) {
  Parameters p = example();
  for (const char* value : {"3.5", "4.0", "1e1", "9999999999999999999999", "four", "5x"}) {
    EXPECT_THROW(p.set("edges", value), InputError) << value;
    EXPECT_EQ(p.integer("edges"), 8);
  }
}

TEST(Parameters, RefusesValuesOfAnotherType) {
  Parameters p = example();
  EXPECT_THROW(p.set("h", Parameter::Value{std::string("0.1")}), InputError);
  EXPECT_THROW(p.set("h", Parameter::Value{true}), InputError);
  EXPECT_THROW(p.set("edges", Parameter::Value{4.0}), InputError);
  EXPECT_THROW(p.set("warm_start", Parameter::Value{1l}), InputError);
  EXPECT_THROW(p.set("h", Parameter::Value{std::nan("")}), InputError);
  EXPECT_THROW(p.set("h", Parameter::Value{std::numeric_limits<double>::infinity()}), InputError);
  p.set("h", Parameter::Value{2l});  // an integer is a number
  EXPECT_EQ(p.real("h"), 2.0);
}

TEST(Parameters, UnknownNamesListTheKnownAndTheNearest) {
  Parameters p = example();
  const std::string message = message_of([&] { p.set("edgs", "4", "--set: "); });
  EXPECT_EQ(
      message,
      "--set: unknown parameter 'edgs'; did you mean 'edges'? Known parameters: h, mu, edges, "
      "warm_start, cover, label");
  EXPECT_THROW(p.real("edgs"), InputError);
}

TEST(Parameters, TextReadsBackToTheSameValue) {
  Parameters p{real("x", 0.0, "1", "")};
  for (const double x : {0.1, 1.0 / 3.0, -1e-300, 5e-324, 1.7976931348623157e308, 123456789.125,
                         0.1 + 0.2, 1.0, -0.0}) {
    p.set("x", Parameter::Value{x});
    const std::string written = p.at("x").text();
    p.set("x", "7");
    p.set("x", written);
    EXPECT_EQ(p.real("x"), x) << written;
    EXPECT_EQ(std::signbit(p.real("x")), std::signbit(x)) << written;
  }
  EXPECT_EQ(real("x", 0.1, "1", "").text(), "0.1");
  EXPECT_EQ(flag("f", true, "").text(), "true");
  EXPECT_EQ(integer("n", -3, "1", "").text(), "-3");
}

TEST(Parameters, DeclarationErrorsAreProgrammingErrors) {
  Parameters p = example();
  EXPECT_THROW(p.declare(real("h", 1.0, "s", "again")), std::logic_error);
  EXPECT_THROW(p.declare(example()), std::logic_error);
  EXPECT_THROW(p.declare(real("bad", -1.0, "s", "default out of range").above(0)),
               std::logic_error);
  EXPECT_THROW((void)p.flag("h"), std::logic_error);
  EXPECT_THROW((void)p.integer("h"), std::logic_error);
}

TEST(Parameters, KeepTheOrderOfDeclaration) {
  EXPECT_THAT(example().names(),
              ::testing::ElementsAre("h", "mu", "edges", "warm_start", "cover", "label"));
}

TEST(SplitAssignment, SplitsAtTheFirstEqualsSign) {
  EXPECT_EQ(split_assignment("h=0.1"), (std::pair<std::string, std::string>("h", "0.1")));
  EXPECT_EQ(split_assignment("label=a=b"), (std::pair<std::string, std::string>("label", "a=b")));
  EXPECT_EQ(split_assignment("label="), (std::pair<std::string, std::string>("label", "")));
  EXPECT_THROW(split_assignment("h"), InputError);
  EXPECT_THROW(split_assignment("=1"), InputError);
  EXPECT_THROW(split_assignment(""), InputError);
}

}  // namespace
}  // namespace touchstone

/// Truth: what CPython's == says of the same literals, and the rules of formats.md.
#include "plumbline/verify/value_comparison.h"

#include <gtest/gtest.h>

namespace plumbline {
namespace {

PythonValue value(const char* json) {
  return parse_python_value(json, "test");
}

bool match(const char* got, const char* expected, CompareRule rule, double rel_tol = 1e-9, double abs_tol = 0) {
  return values_match(value(got), value(expected), {rule, rel_tol, abs_tol});
}

TEST(ValueComparison, ExactTellsTypesApart) {
  const char* different[] = {"1",
                             "1.0",
                             "true",
                             "\"1\"",
                             "[1]",
                             R"({"$tuple":[1]})",
                             R"({"$set":[1]})",
                             R"({"$frozenset":[1]})",
                             "null",
                             "0",
                             "0.0",
                             "-0.0",
                             "false",
                             "\"\"",
                             "[]",
                             "{}",
                             R"({"$tuple":[]})",
                             R"({"$set":[]})",
                             R"({"1":1})",
                             R"({"$dict":[[1,1]]})",
                             R"({"$float":"inf"})",
                             R"({"$float":"-inf"})",
                             R"({"$float":"nan"})"};
  for (const char* a : different) {
    for (const char* b : different) {
      EXPECT_EQ(match(a, b, CompareRule::kExact), a == b) << a << " and " << b;
      EXPECT_EQ(
          match((std::string("[[") + a + "]]").c_str(), (std::string("[[") + b + "]]").c_str(), CompareRule::kExact),
          a == b)
          << a << " and " << b << ", nested";
    }
  }
}

TEST(ValueComparison, IntsAreComparedDigitByDigit) {
  EXPECT_FALSE(match("9007199254740993", "9007199254740992", CompareRule::kExact));
  EXPECT_FALSE(match("9007199254740993", "9007199254740992.0", CompareRule::kPython));
  EXPECT_TRUE(match("9007199254740992", "9007199254740992.0", CompareRule::kPython));
  EXPECT_FALSE(match("18446744073709551616", "0", CompareRule::kPython));
}

TEST(ValueComparison, PythonSaysWhatEqualsSays) {
  EXPECT_TRUE(match("1", "true", CompareRule::kPython));
  EXPECT_TRUE(match("2", "2.0", CompareRule::kPython));
  EXPECT_TRUE(match("[0.0]", "[-0.0]", CompareRule::kPython));
  EXPECT_TRUE(match(R"({"$set":[1]})", R"({"$frozenset":[true]})", CompareRule::kPython));
  EXPECT_TRUE(match(R"({"$dict":[[1,2]]})", R"({"$dict":[[true,2.0]]})", CompareRule::kPython));
  EXPECT_FALSE(match("[1]", R"({"$tuple":[1]})", CompareRule::kPython));
  EXPECT_FALSE(match("\"1\"", "1", CompareRule::kPython));
  EXPECT_FALSE(match("null", "0", CompareRule::kPython));
}

TEST(ValueComparison, NanMatchesNanAndNothingElse) {
  for (const CompareRule rule : {CompareRule::kExact, CompareRule::kPython, CompareRule::kApprox}) {
    EXPECT_TRUE(match(R"({"$float":"nan"})", R"({"$float":"nan"})", rule));
    EXPECT_FALSE(match(R"({"$float":"nan"})", "1.0", rule));
    EXPECT_FALSE(match("1.0", R"({"$float":"nan"})", rule));
  }
}

TEST(ValueComparison, OrderOfDictsAndSetsDoesNotCount) {
  EXPECT_TRUE(match(R"({"a":1,"b":2})", R"({"b":2,"a":1})", CompareRule::kExact));
  EXPECT_TRUE(match(R"({"$set":["a","b"]})", R"({"$set":["b","a"]})", CompareRule::kExact));
  EXPECT_FALSE(match(R"({"a":1})", R"({"a":1,"b":2})", CompareRule::kExact));
}

TEST(ValueComparison, ApproxFollowsIsclose) {
  EXPECT_TRUE(match("[1.0, 2]", "[1.0000000001, 2.0]", CompareRule::kApprox));
  EXPECT_FALSE(match("1.0", "1.00001", CompareRule::kApprox));
  EXPECT_TRUE(match("1.0", "1.00001", CompareRule::kApprox, 1e-4));
  EXPECT_FALSE(match("0.0", "1e-12", CompareRule::kApprox));
  EXPECT_TRUE(match("0.0", "1e-12", CompareRule::kApprox, 1e-9, 1e-10));
  EXPECT_FALSE(match(R"({"$float":"inf"})", "1e308", CompareRule::kApprox, 1.0));
  EXPECT_TRUE(match(R"({"k":1.0})", R"({"k":1.0000000001})", CompareRule::kApprox));
  EXPECT_FALSE(match(R"({"k":1.0})", R"({"j":1.0})", CompareRule::kApprox));
  EXPECT_FALSE(match("\"1\"", "1", CompareRule::kApprox));
}

TEST(ValueComparison, UnorderedFreesTheOutermostLevelOnly) {
  EXPECT_TRUE(match("[[1,2],[3]]", "[[3],[1,2]]", CompareRule::kUnordered));
  EXPECT_FALSE(match("[[2,1],[3]]", "[[3],[1,2]]", CompareRule::kUnordered));
  EXPECT_FALSE(match("[1,1,2]", "[1,2,2]", CompareRule::kUnordered));
  EXPECT_FALSE(match("[1,2]", "[1,2,2]", CompareRule::kUnordered));
}

}  // namespace
}  // namespace plumbline

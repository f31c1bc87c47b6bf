#include "plumbline/record/python_value.h"

#include <gtest/gtest.h>

#include <cmath>

#include "plumbline/base/error.h"
#include "plumbline/record/exact_json.h"

namespace plumbline {
namespace {

using Kind = PythonValue::Kind;

PythonValue read(const std::string& json) {
  return parse_python_value(json, "test");
}
std::string error_of(const std::string& json) {
  try {
    read(json);
  } catch (const DataError& error) {
    return error.id();
  }
  return "none";
}

TEST(PythonValue, NumbersKeepTheirKind) {
  EXPECT_TRUE(read("1").is(Kind::kInt));
  EXPECT_TRUE(read("1.0").is(Kind::kFloat));
  EXPECT_TRUE(read("1e2").is(Kind::kFloat));
  EXPECT_TRUE(read("1e+22").is(Kind::kFloat));
  EXPECT_EQ(read("1e+22").real, 1e22);
  EXPECT_EQ(read("-0").text, "0");
  EXPECT_TRUE(std::signbit(read("-0.0").real));
  EXPECT_FALSE(std::signbit(read("0.0").real));
  EXPECT_TRUE(read("true").is(Kind::kBool));
  EXPECT_TRUE(read("null").is(Kind::kNone));
}

TEST(PythonValue, IntegersOfAnyLengthKeepTheirDigits) {
  EXPECT_EQ(read("18446744073709551615").text, "18446744073709551615");
  EXPECT_EQ(read("-9223372036854775808").text, "-9223372036854775808");
  EXPECT_EQ(read("-9223372036854775809").text, "-9223372036854775809");
  EXPECT_EQ(read("123456789012345678901234567890123456").text, "123456789012345678901234567890123456");
  const std::string huge = "-" + std::string(5000, '7');
  const PythonValue list =
      read("[1, 2.5, \"" + std::string(400, '8') + "\\\"9\", " + huge + ", 1e5, " + huge + "1, 3]");
  ASSERT_EQ(list.items.size(), 7u);
  EXPECT_EQ(list.items[0].text, "1");
  EXPECT_EQ(list.items[2].text, std::string(400, '8') + "\"9");
  EXPECT_EQ(list.items[3].text, huge);
  EXPECT_EQ(list.items[5].text, huge + "1");
  EXPECT_EQ(list.items[6].text, "3");
}

TEST(PythonValue, ErrorsAfterALongIntegerKeepTheirOffset) {
  try {
    read("[" + std::string(400, '1') + ", !]");
    FAIL();
  } catch (const DataError& error) {
    EXPECT_EQ(error.where(), "test, byte 404");  // counted from 1: bracket, 400 digits, comma, blank, then !
  }
}

TEST(PythonValue, NotationMakesTheOtherKinds) {
  const PythonValue tuple = read(R"({"$tuple": [1, {"$set": ["a"]}]})");
  EXPECT_TRUE(tuple.is(Kind::kTuple));
  EXPECT_TRUE(tuple.items[1].is(Kind::kSet));
  EXPECT_TRUE(read(R"({"$frozenset": []})").is(Kind::kFrozenset));
  EXPECT_EQ(read(R"({"$float": "-inf"})").real, -INFINITY);
  EXPECT_TRUE(std::isnan(read(R"({"$float": "nan"})").real));
  const PythonValue dict = read(R"({"$dict": [[1, "a"], [{"$tuple": [2]}, null], ["$x", 3]]})");
  ASSERT_TRUE(dict.is(Kind::kDict));
  EXPECT_TRUE(dict.entries[1].first.is(Kind::kTuple));
  EXPECT_EQ(dict.entries[2].first.text, "$x");
}

TEST(PythonValue, OnlyExactlyOneKnownKeyIsNotation) {
  EXPECT_TRUE(read(R"({"$tuple": [1], "b": 2})").is(Kind::kDict));
  EXPECT_TRUE(read(R"({"$other": [1]})").is(Kind::kDict));
  EXPECT_TRUE(read("{}").is(Kind::kDict));
}

TEST(PythonValue, MalformedNotationIsRefused) {
  for (const char* json : {R"({"$tuple": 1})", R"({"$float": "Infinity"})", R"({"$float": 1})", R"({"$dict": [[1]]})",
                           R"({"$dict": {"a": 1}})", R"({"$set": [[1]]})", R"({"$dict": [[[1], 2]]})",
                           R"({"$set": [{"$tuple": [{}]}]})"}) {
    EXPECT_EQ(error_of(json), "data.python_value") << json;
  }
}

TEST(PythonValue, StrictJsonOnly) {
  for (const char* json : {"", "[1,]", "NaN", "Infinity", "01", "1.", "+1", "'a'", "[1] 2", R"({"a":1,"a":2})", "1e400",
                           "\"\xff\"", "\"\\ud800\"", "[1", "{\"a\"", "-", "--1", "\"a"}) {
    EXPECT_EQ(error_of(json), "data.json") << json;
  }
  EXPECT_EQ(error_of(std::string(512, '[') + std::string(512, ']')), "none");
  EXPECT_EQ(error_of(std::string(513, '[') + std::string(513, ']')), "data.json");
  EXPECT_EQ(error_of(std::string(100000, '[')), "data.json");
}

TEST(PythonValue, WritingReadsBack) {
  for (const char* json :
       {"null", "true", "-12345678901234567890123", "0.1", "1.0", "-0.0", "1e+22", R"("a\"\\\n\u0000é😀")",
        R"([1,[2.5,{"$tuple":[]}],{}])", R"({"a":1,"b":{"$set":[1,2]}})", R"({"$dict":[[1,"x"],["$tuple",2]]})",
        R"({"$frozenset":["a"]})", R"({"$float":"inf"})", R"({"$float":"nan"})"}) {
    EXPECT_EQ(to_notation(read(json)), json);
  }
}

TEST(PythonValue, FloatTextIsAFloatAndReadsBack) {
  EXPECT_EQ(float_text(1), "1.0");
  EXPECT_EQ(float_text(1e22), "1e+22");
  EXPECT_EQ(float_text(0.1 + 0.2), "0.30000000000000004");
  EXPECT_EQ(float_text(5e-324), "5e-324");
}

TEST(PythonValue, SetsAndDictsDropEqualKeysAsPythonDoes) {
  EXPECT_EQ(to_notation(read(R"({"$set": [1, true, 1.0, 2]})")), R"({"$set":[1,2]})");
  EXPECT_EQ(to_notation(read(R"({"$dict": [[1, "a"], [2, "b"], [1.0, "c"]]})")), R"({"$dict":[[1,"c"],[2,"b"]]})");
}

TEST(PythonValue, EqualityKeyFollowsPython) {
  const auto equal = [](const char* a, const char* b) {
    return python_equality_key(read(a)) == python_equality_key(read(b));
  };
  // Each line is what python3 says of a == b.
  EXPECT_TRUE(equal("1", "1.0"));
  EXPECT_TRUE(equal("1", "true"));
  EXPECT_TRUE(equal("0.0", "-0.0"));
  EXPECT_TRUE(equal("10000000000000000000000", "1e22"));
  EXPECT_FALSE(equal("100000000000000000000000", "1e23"));  // 1e23 is 99999999999999991611392
  EXPECT_TRUE(equal("[1, 2]", "[true, 2.0]"));
  EXPECT_FALSE(equal("[1, 2]", R"({"$tuple": [1, 2]})"));
  EXPECT_TRUE(equal(R"({"$set": [1, 2]})", R"({"$frozenset": [2, 1]})"));
  EXPECT_TRUE(equal(R"({"a": 1, "b": 2})", R"({"b": 2.0, "a": true})"));
  EXPECT_FALSE(equal(R"({"a": 1})", R"({"a": 2})"));
  EXPECT_FALSE(equal(R"(["1:a", "b"])", R"(["1", "ab"])"));
  EXPECT_FALSE(equal(R"("1")", "1"));
  EXPECT_FALSE(equal("null", "0"));
  EXPECT_FALSE(equal("[]", "null"));
  EXPECT_FALSE(equal("[[1], 2]", "[[1, 2]]"));
}

}  // namespace
}  // namespace plumbline

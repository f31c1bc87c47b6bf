#include "plumbline/record/python_literal.h"

#include <gtest/gtest.h>

#include <cmath>

namespace plumbline {
namespace {

/// The notation of the literal, or "none".
std::string read(const std::string& text) {
  const auto value = parse_python_literal(text);
  return value ? to_notation(*value) : "none";
}

TEST(PythonLiteral, Numbers) {
  EXPECT_EQ(read("12"), "12");
  EXPECT_EQ(read("-7"), "-7");
  EXPECT_EQ(read("--7"), "7");
  EXPECT_EQ(read("-0"), "0");
  EXPECT_EQ(read("-0.0"), "-0.0");
  EXPECT_EQ(read("1_000"), "1000");
  EXPECT_EQ(read("00"), "0");
  EXPECT_EQ(read("123456789012345678901234567890"), "123456789012345678901234567890");
  EXPECT_EQ(read("1."), "1.0");
  EXPECT_EQ(read(".5"), "0.5");
  EXPECT_EQ(read("1e-3"), "0.001");
  EXPECT_EQ(read("1E22"), "1e+22");
  EXPECT_EQ(read("1e999"), R"({"$float":"inf"})");
  for (const char* text : {"012", "1__0", "1_", "0x10", "1j", "1.5.2", "1e", "1-2", "2**3", "-", ".", "1a", "e5"}) {
    EXPECT_EQ(read(text), "none") << text;
  }
}

TEST(PythonLiteral, InfinitiesAndNan) {
  for (const char* text : {"inf", "float('inf')", "float( \"inf\" )", "math.inf", "--inf", "+inf"}) {
    EXPECT_EQ(read(text), R"({"$float":"inf"})") << text;
  }
  EXPECT_EQ(read("-inf"), R"({"$float":"-inf"})");
  EXPECT_EQ(read("- float('inf')"), R"({"$float":"-inf"})");
  EXPECT_EQ(read("float('-inf')"), R"({"$float":"-inf"})");
  EXPECT_EQ(read("nan"), R"({"$float":"nan"})");
  EXPECT_EQ(read("[inf, -inf]"), R"([{"$float":"inf"},{"$float":"-inf"}])");
  for (const char* text : {"info", "math.pi", "float('1')", "float(1)", "float", "Infinity"}) {
    EXPECT_EQ(read(text), "none") << text;
  }
}

TEST(PythonLiteral, Strings) {
  EXPECT_EQ(read("'a'"), R"("a")");
  EXPECT_EQ(read(R"("it's")"), R"("it's")");
  EXPECT_EQ(read(R"('\n\t\\\'\"\x41\101\0')"), R"("\n\t\\'\"AA\u0000")");
  EXPECT_EQ(read(R"('\u00e9\U0001F600')"), R"("é😀")");
  EXPECT_EQ(read(R"('\q')"), R"("\\q")");
  EXPECT_EQ(read(R"(r'\n')"), R"("\\n")");
  EXPECT_EQ(read(R"(r'\'')"), R"("\\'")");
  EXPECT_EQ(read("u'x'"), R"("x")");
  EXPECT_EQ(read("'''a\n'b'''"), R"("a\n'b")");
  EXPECT_EQ(read("'a\\\nb'"), R"("ab")");
  EXPECT_EQ(read("'a' \"b\""), R"("ab")");
  EXPECT_EQ(read("''"), R"("")");
  for (const char* text : {"'a", "'a\nb'", "b'a'", "f'a'", "'a' + 'b'", R"('\ud800')", R"('\x4')", R"('\N{DASH}')",
                           "'a' b'c'", "rb'a'", "'", "'''a'", "r'\\"}) {
    EXPECT_EQ(read(text), "none") << text;
  }
}

TEST(PythonLiteral, Containers) {
  EXPECT_EQ(read("[1, [2, ], []]"), "[1,[2],[]]");
  EXPECT_EQ(read("(1)"), "1");
  EXPECT_EQ(read("(1,)"), R"({"$tuple":[1]})");
  EXPECT_EQ(read("()"), R"({"$tuple":[]})");
  EXPECT_EQ(read("{}"), "{}");
  EXPECT_EQ(read("{1, 2, 1}"), R"({"$set":[1,2]})");
  EXPECT_EQ(read("{'a': 1, 'b': [None, True], 'a': 2}"), R"({"a":2,"b":[null,true]})");
  EXPECT_EQ(read("{(1, 2): 'x'}"), R"({"$dict":[[{"$tuple":[1,2]},"x"]]})");
  EXPECT_EQ(read("set()"), R"({"$set":[]})");
  EXPECT_EQ(read("frozenset({1})"), R"({"$frozenset":[1]})");
  EXPECT_EQ(read("frozenset()"), R"({"$frozenset":[]})");
  EXPECT_EQ(read("[ # one\n 1,\n 2 # two\n]"), "[1,2]");
  for (const char* text : {"[1 2]",
                           "[,]",
                           "(,)",
                           "{,}",
                           "[1,,2]",
                           "{1: 2, 3}",
                           "{1, 2: 3}",
                           "{[1]}",
                           "{[1]: 2}",
                           "[1",
                           "1]",
                           "[*a]",
                           "[x for x in y]",
                           "{**a}",
                           "1, 2",
                           "",
                           "None0",
                           "True or False",
                           "set([1])",
                           "frozenset([[1]])"}) {
    EXPECT_EQ(read(text), "none") << text;
  }
}

TEST(PythonLiteral, DepthIsBounded) {
  EXPECT_NE(read(std::string(90, '[') + std::string(90, ']')), "none");
  EXPECT_EQ(read(std::string(1000000, '[')), "none");
  EXPECT_EQ(read(std::string(100000, '(')), "none");
}

TEST(PythonLiteral, WritingReadsBack) {
  for (const char* text : {"None", "True", "-12345678901234567890", "0.1", "1e+22", "-0.0", "float('-inf')",
                           R"('a\\\n\x00"é')", R"("it's")", "[1, (2,), ()]", "{1: 'a', 'b': {2, 3}}", "set()",
                           "frozenset({1})", "frozenset()", R"('both \' and "')"}) {
    const auto value = parse_python_literal(text);
    ASSERT_TRUE(value.has_value()) << text;
    EXPECT_EQ(to_python_literal(*value), text);
  }
}

}  // namespace
}  // namespace plumbline

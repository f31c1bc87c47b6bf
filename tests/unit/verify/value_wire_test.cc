/// Truth: bytes that CPython 3.11's marshal.dumps(value, 2) gives.
#include "plumbline/verify/value_wire.h"

#include <gtest/gtest.h>

#include "plumbline/record/python_value.h"

namespace plumbline {
namespace {

using std::string_literals::operator""s;

std::string wire(const char* json) {
  MarshalWriter writer;
  write_value(parse_python_value(json, "test"), writer);
  return writer.take();
}

TEST(ValueWire, WritesWhatMarshalWrites) {
  EXPECT_EQ(wire("null"), "N");
  EXPECT_EQ(wire("[true, false]"), "[\2\0\0\0TF"s);
  EXPECT_EQ(wire("-2147483648"), "i\0\0\0\x80"s);
  EXPECT_EQ(wire("2147483648"), "l\3\0\0\0\0\0\0\0\2\0"s);
  EXPECT_EQ(wire("-100000000000000000000"), "l\xfb\xff\xff\xff\0\0\x20\x46\xb5\x78\x3a\x5e\x56\0"s);
  EXPECT_EQ(wire("1.5"), "g\0\0\0\0\0\0\xf8\x3f"s);
  EXPECT_EQ(wire("\"\\u00e9\""), "u\2\0\0\0\xc3\xa9"s);
  EXPECT_EQ(wire(R"({"a": 1})"),
            "{u\1\0\0\0ai\1\0\0\0"
            "0"s);
  EXPECT_EQ(wire(R"({"$tuple": []})"), "(\0\0\0\0"s);
}

TEST(ValueWire, ReadsBackWhatItWrote) {
  for (const char* json :
       {"null", "[1,[2,[3]],\"x\"]", "123456789012345678901234567890", "-98765432109876543210", "1e300", "-0.0",
        R"({"$float":"nan"})", R"({"$dict":[[1,"a"],[{"$tuple":[1,2]},[]]]})", R"({"$set":[1,2]})"}) {
    const auto back = read_value(wire(json));
    ASSERT_TRUE(back) << json;
    EXPECT_EQ(to_notation(*back), to_notation(parse_python_value(json, "test")));
  }
}

TEST(ValueWire, RefusesWhatIsNoWholeValue) {
  EXPECT_FALSE(read_value(""));
  EXPECT_FALSE(read_value("NN"));
  EXPECT_FALSE(read_value("["));
  EXPECT_FALSE(read_value("[\xff\xff\xff\x7f"));  // a count far beyond the bytes
  EXPECT_FALSE(read_value("u\xff\xff\xff\xffx"));
  EXPECT_FALSE(read_value("l\1\0\0\0\0\x80"s));     // a digit of 16 bits
  EXPECT_FALSE(read_value("<\1\0\0\0[\0\0\0\0"s));  // a list in a set
  EXPECT_FALSE(read_value("{[\0\0\0\0N0"s));        // a list as a key
  EXPECT_FALSE(read_value("c\0\0\0\0"s));           // a code object
  EXPECT_FALSE(read_value("r\0\0\0\0"s));           // a reference
  EXPECT_FALSE(read_value("{N"));
}

TEST(ValueWire, RefusesDeepNestingWithoutRecursingIntoIt) {
  std::string deep;
  for (int i = 0; i < 200000; ++i) deep += "[\1\0\0\0"s;
  EXPECT_FALSE(read_value(deep + "N"));
}

}  // namespace
}  // namespace plumbline

/// Truth: bytes of CPython's marshal.dumps(value, 2), and arithmetic done elsewhere.
#include "plumbline/sandbox/marshal.h"

#include <gtest/gtest.h>

namespace plumbline {
namespace {

using std::string_literals::operator""s;
using std::string_view_literals::operator""sv;  // a reader borrows its bytes
using Token = MarshalReader::Token;

TEST(Marshal, LongIntegersSurviveBothWays) {
  // 2^200 = 1606938044258990275541962092341162602522202993782792835301376
  const std::string power = "1606938044258990275541962092341162602522202993782792835301376";
  const std::string bytes = MarshalWriter().big_integer(power).take();
  EXPECT_EQ(bytes, "l\x0e\0\0\0"s + std::string(26, '\0') + "\x20\0"s);  // 200 = 13 * 15 + 5
  MarshalReader reader(bytes);
  ASSERT_EQ(reader.next(), Token::kInteger);
  EXPECT_EQ(reader.decimal(), power);
  EXPECT_TRUE(reader.at_end());
}

TEST(Marshal, SignsAndBoundariesOfMachineWords) {
  for (const char* decimal : {"0", "-1", "2147483647", "2147483648", "-2147483648", "-2147483649",
                              "9223372036854775808", "-1000000000", "1000000000000000000", "999999999"}) {
    const std::string bytes = MarshalWriter().big_integer(decimal).take();
    MarshalReader reader(bytes);
    ASSERT_EQ(reader.next(), Token::kInteger);
    EXPECT_EQ(reader.decimal(), decimal);
  }
}

TEST(Marshal, ReadingStopsAtTheFirstMistake) {
  MarshalReader reader("u\5\0\0\0ab"sv);
  EXPECT_EQ(reader.next(), Token::kBad);
  EXPECT_FALSE(reader.ok());
  EXPECT_EQ(reader.next(), Token::kBad);
  EXPECT_FALSE(reader.at_end());
}

TEST(Marshal, CountsBeyondTheBytesAreRefused) {
  MarshalReader reader("[\xff\xff\xff\xff"sv);
  EXPECT_EQ(reader.next(), Token::kBad);
}

}  // namespace
}  // namespace plumbline

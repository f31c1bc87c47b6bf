#include "plumbline/base/rng.h"

#include <gtest/gtest.h>

#include <cmath>

namespace plumbline {
namespace {

// Known-answer vectors of the Random123 distribution (kat_vectors, philox4x32 with 10 rounds).
TEST(Philox, MatchesKnownAnswers) {
  EXPECT_EQ(philox({0, 0}, {0, 0, 0, 0}), (std::array<uint32_t, 4>{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox({0xffffffff, 0xffffffff}, {0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}),
            (std::array<uint32_t, 4>{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox({0xa4093822, 0x299f31d0}, {0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}),
            (std::array<uint32_t, 4>{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(CounterRng, StreamsDifferAndRepeat) {
  const StreamKey key{7, Stream::kSampling, 3, 2, 1};
  CounterRng first(key), again(key);
  const uint64_t value = first.next_u64();
  EXPECT_EQ(value, again.next_u64());
  StreamKey other = key;
  other.sample = 2;
  EXPECT_NE(value, CounterRng(other).next_u64());
  other = key;
  other.stream = Stream::kTest;
  EXPECT_NE(value, CounterRng(other).next_u64());
}

TEST(CounterRng, SeekReachesTheSameNumbers) {
  CounterRng stream(StreamKey{1, Stream::kTest});
  for (int i = 0; i < 5; ++i) stream.next_u64();
  const uint64_t sixth = stream.next_u64();
  CounterRng jumped(StreamKey{1, Stream::kTest});
  jumped.seek(5);
  EXPECT_EQ(jumped.next_u64(), sixth);
}

// With 53 bits and a half the largest draw rounded up to exactly 1.
TEST(CounterRng, TheExtremeDrawsStayInsideTheUnitInterval) {
  EXPECT_LT(unit_of_bits(UINT64_MAX), 1.0);
  EXPECT_GT(unit_of_bits(0), 0.0);
}

TEST(CounterRng, UnitAndNormalHaveTheRightMoments) {
  CounterRng stream(StreamKey{5, Stream::kTest});
  const int count = 200000;
  double sum = 0, sum_squares = 0;
  for (int i = 0; i < count; ++i) {
    const double u = stream.next_unit();
    ASSERT_GT(u, 0.0);
    ASSERT_LT(u, 1.0);
    sum += u;
  }
  EXPECT_NEAR(sum / count, 0.5, 5 * std::sqrt(1.0 / 12 / count));
  sum = 0;
  for (int i = 0; i < count; ++i) {
    const double z = stream.next_normal();
    sum += z;
    sum_squares += z * z;
  }
  EXPECT_NEAR(sum / count, 0.0, 5 / std::sqrt(count));
  EXPECT_NEAR(sum_squares / count, 1.0, 5 * std::sqrt(2.0 / count));
}

}  // namespace
}  // namespace plumbline

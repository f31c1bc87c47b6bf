#include "plumbline/stats/python_random.h"

#include <algorithm>
#include <bit>
#include <vector>

#include "plumbline/base/check.h"

namespace plumbline {
namespace {

/// Fills the state of std::mt19937 as init_by_array of Matsumoto and Nishimura (2002) does.
struct PythonSeed {
  using result_type = uint32_t;
  std::vector<uint32_t> key;

  template <typename Iterator>
  void generate(Iterator begin, Iterator end) const {
    constexpr uint32_t kWords = 624;
    std::vector<uint32_t> state(kWords);
    state[0] = 19650218u;
    for (uint32_t i = 1; i < kWords; ++i) state[i] = 1812433253u * (state[i - 1] ^ (state[i - 1] >> 30)) + i;
    uint32_t i = 1, j = 0;
    const auto advance = [&] {
      if (++i < kWords) return;
      state[0] = state[kWords - 1];
      i = 1;
    };
    const auto length = static_cast<uint32_t>(key.size());
    for (uint32_t round = std::max(kWords, length); round > 0; --round) {
      state[i] = (state[i] ^ ((state[i - 1] ^ (state[i - 1] >> 30)) * 1664525u)) + key[j] + j;
      advance();
      if (++j >= length) j = 0;
    }
    for (uint32_t round = kWords - 1; round > 0; --round) {
      state[i] = (state[i] ^ ((state[i - 1] ^ (state[i - 1] >> 30)) * 1566083941u)) - i;
      advance();
    }
    state[0] = 0x80000000u;
    std::copy_n(state.begin(), end - begin, begin);
  }
};

PythonSeed seed_of(uint64_t seed) {
  PythonSeed result{{static_cast<uint32_t>(seed)}};
  if (seed >> 32) result.key.push_back(static_cast<uint32_t>(seed >> 32));
  return result;
}

}  // namespace

PythonRandom::PythonRandom(uint64_t seed) {
  PythonSeed words = seed_of(seed);
  engine_.seed(words);
}

uint32_t PythonRandom::next_below(uint32_t bound) {
  PL_CHECK(bound > 0, "randrange needs a positive bound");
  const int bits = std::bit_width(bound);
  uint32_t value = next_u32() >> (32 - bits);
  while (value >= bound) value = next_u32() >> (32 - bits);
  return value;
}

}  // namespace plumbline

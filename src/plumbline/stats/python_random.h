/// Python's random.Random, so that published bootstrap intervals can be reproduced digit by digit. Everything of our
/// own draws from base/rng.h instead.
#pragma once

#include <cstdint>
#include <random>

namespace plumbline {

/// MT19937 seeded as CPython seeds it from an integer: init_by_array over its 32-bit words.
class PythonRandom {
 public:
  explicit PythonRandom(uint64_t seed);
  uint32_t next_u32() { return static_cast<uint32_t>(engine_()); }
  /// randrange(bound), 0 < bound < 2^32: the upper bits of a word, drawn again while they are not below the bound.
  uint32_t next_below(uint32_t bound);

 private:
  std::mt19937 engine_;
};

}  // namespace plumbline

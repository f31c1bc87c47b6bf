#include "plumbline/base/rng.h"

#include <cmath>
#include <numbers>

#include "plumbline/base/check.h"

namespace plumbline {
namespace {

uint64_t mix64(uint64_t x) {  // the finaliser of SplitMix64
  x += 0x9E3779B97F4A7C15ull;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ull;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBull;
  return x ^ (x >> 31);
}

}  // namespace

std::array<uint32_t, 4> philox(std::array<uint32_t, 2> key, std::array<uint32_t, 4> counter) {
  for (int round = 0; round < 10; ++round) {
    const uint64_t product0 = uint64_t{0xD2511F53u} * counter[0];
    const uint64_t product1 = uint64_t{0xCD9E8D57u} * counter[2];
    counter = {static_cast<uint32_t>(product1 >> 32) ^ counter[1] ^ key[0], static_cast<uint32_t>(product1),
               static_cast<uint32_t>(product0 >> 32) ^ counter[3] ^ key[1], static_cast<uint32_t>(product0)};
    key[0] += 0x9E3779B9u;
    key[1] += 0xBB67AE85u;
  }
  return counter;
}

CounterRng::CounterRng(const StreamKey& key) : fixed_{key.step, key.prompt, key.sample} {
  const uint64_t mixed = mix64(key.seed ^ mix64(static_cast<uint64_t>(key.stream)));
  key_ = {static_cast<uint32_t>(mixed), static_cast<uint32_t>(mixed >> 32)};
}

uint64_t CounterRng::next_u64() {
  const auto block = philox(key_, {fixed_[0], fixed_[1], fixed_[2], static_cast<uint32_t>(next_ >> 1)});
  const int half = static_cast<int>(next_ & 1) * 2;
  ++next_;
  PL_CHECK((next_ >> 33) == 0, "a random stream is exhausted");
  return (uint64_t{block[half + 1]} << 32) | block[half];
}

double unit_of_bits(uint64_t bits) {
  return (static_cast<double>(bits >> 12) + 0.5) * 0x1.0p-52;  // 53 significant bits: nothing rounds up to 1
}

double CounterRng::next_unit() {
  return unit_of_bits(next_u64());
}

uint64_t CounterRng::next_below(uint64_t bound) {
  PL_CHECK(bound > 0, "next_below needs a positive bound");
  const uint64_t limit = UINT64_MAX - UINT64_MAX % bound;
  uint64_t draw = next_u64();
  while (draw >= limit) draw = next_u64();
  return draw % bound;
}

double CounterRng::next_normal() {
  const double radius = std::sqrt(-2.0 * std::log(next_unit()));
  return radius * std::cos(2.0 * std::numbers::pi * next_unit());
}

}  // namespace plumbline

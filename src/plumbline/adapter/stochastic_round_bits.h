/// The arithmetic of stochastic rounding, shared by the CPU loop and the CUDA kernel so that both give the same bits.
#pragma once

#include <cstdint>
#include <cstring>

#ifdef __CUDACC__
#define PL_HOST_DEVICE __host__ __device__
#else
#define PL_HOST_DEVICE
#endif

namespace plumbline {

/// 64 random bits for elements 4 i .. 4 i + 3: a SplitMix64 counter, a pure function of key and position.
PL_HOST_DEVICE inline uint64_t rounding_word(uint64_t key, uint64_t quad) {
  uint64_t x = key + (quad + 1) * 0x9E3779B97F4A7C15ull;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ull;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBull;
  return x ^ (x >> 31);
}

PL_HOST_DEVICE inline uint32_t float_bits(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

PL_HOST_DEVICE inline float bfloat16_value(uint16_t bits) {
  const uint32_t wide = static_cast<uint32_t>(bits) << 16;
  float value;
  memcpy(&value, &wide, sizeof value);
  return value;
}

/// bfloat16 bits of base + change, rounded up in magnitude with the probability of the dropped fraction. A change of
/// exactly 0 keeps the bits of the base (the sign of -0 too); infinities and NaN are truncated, not rounded.
PL_HOST_DEVICE inline uint16_t round_stochastically(uint16_t base_bits, float change, uint64_t key, uint64_t element) {
  if (change == 0.0f) return base_bits;
  const uint32_t bits = float_bits(bfloat16_value(base_bits) + change);
  const bool finite = (bits & 0x7F800000u) != 0x7F800000u;
  const uint32_t random16 = static_cast<uint32_t>(rounding_word(key, element >> 2) >> (16 * (element & 3))) & 0xFFFFu;
  return static_cast<uint16_t>((finite ? bits + random16 : bits) >> 16);
}

}  // namespace plumbline

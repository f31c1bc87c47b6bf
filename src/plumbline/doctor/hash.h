/// A quick 64-bit hash to tell texts apart; not for security. Never 0, which means "no such field".
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

namespace plumbline::doctor {

inline uint64_t hash_of(std::string_view text) {
  __extension__ typedef unsigned __int128 Product;
  constexpr uint64_t kMultiplier = 0x9E3779B97F4A7C15ull;
  uint64_t hash = 0x243F6A8885A308D3ull ^ text.size() * kMultiplier;
  const auto mix = [&](uint64_t word) {
    const auto product = static_cast<Product>(hash ^ word) * 0xD6E8FEB86659FD93ull;
    hash = static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64) ^ kMultiplier;
  };
  size_t at = 0;
  for (; at + 8 <= text.size(); at += 8) {
    uint64_t word;
    std::memcpy(&word, text.data() + at, 8);
    mix(word);
  }
  uint64_t rest = 0;
  std::memcpy(&rest, text.data() + at, text.size() - at);
  mix(rest);
  mix(kMultiplier);
  return hash ? hash : 1;
}

}  // namespace plumbline::doctor

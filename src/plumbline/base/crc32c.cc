#include "plumbline/base/crc32c.h"

#include <array>

namespace plumbline {
namespace {

constexpr uint32_t kPolynomial = 0x82F63B78u;  // reflected
constexpr uint32_t kMask = 0xA282EAD8u;

constexpr std::array<uint32_t, 256> kTable = [] {
  std::array<uint32_t, 256> table{};
  for (uint32_t byte = 0; byte < 256; ++byte) {
    uint32_t value = byte;
    for (int bit = 0; bit < 8; ++bit) value = value & 1 ? value >> 1 ^ kPolynomial : value >> 1;
    table[byte] = value;
  }
  return table;
}();

}  // namespace

uint32_t masked_crc32c(std::string_view bytes) {
  uint32_t crc = ~0u;
  for (const char byte : bytes) crc = kTable[(crc ^ static_cast<unsigned char>(byte)) & 0xFF] ^ crc >> 8;
  crc = ~crc;
  return (crc >> 15 | crc << 17) + kMask;
}

}  // namespace plumbline

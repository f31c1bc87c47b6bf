#include "plumbline/text/byte_level.h"

#include <array>

#include "plumbline/text/unicode.h"

namespace plumbline {
namespace {

constexpr int kFirstStandIn = 256;  // bytes without a printable Latin-1 character are written from here on
constexpr int kNumCharacters = 324;

bool is_printable(int byte) {
  return (byte >= '!' && byte <= '~') || (byte >= 0xA1 && byte <= 0xAC) || (byte >= 0xAE && byte <= 0xFF);
}

struct Alphabet {
  std::array<std::string, 256> character_of_byte;
  std::array<int, kNumCharacters> byte_of_character;

  Alphabet() {
    byte_of_character.fill(-1);
    int next = kFirstStandIn;
    for (int byte = 0; byte < 256; ++byte) {
      const int c = is_printable(byte) ? byte : next++;
      append_utf8(character_of_byte[byte], c);
      byte_of_character[c] = byte;
    }
  }
};

const Alphabet& alphabet() {
  static const Alphabet instance;
  return instance;
}

}  // namespace

const std::string& byte_character(unsigned char byte) {
  return alphabet().character_of_byte[byte];
}

int byte_of_character(char32_t c) {
  return c < kNumCharacters ? alphabet().byte_of_character[c] : -1;
}

void append_byte_characters(std::string& out, std::string_view text) {
  for (const char c : text) out += byte_character(static_cast<unsigned char>(c));
}

}  // namespace plumbline

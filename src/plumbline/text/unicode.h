/// UTF-8 and the character properties that tokenizers and templates ask for.
#pragma once

#include <string>
#include <string_view>

namespace plumbline {

constexpr char32_t kReplacement = 0xFFFD;

/// The code point that starts at `at`, which is moved behind it. `text` must be valid UTF-8 and `at` inside it.
inline char32_t next_code_point(std::string_view text, size_t& at) {
  const auto byte = [&](size_t index) { return static_cast<unsigned char>(text[index]); };
  const char32_t lead = byte(at);
  if (lead < 0x80) return at += 1, lead;
  if (lead < 0xE0) return at += 2, (lead & 0x1F) << 6 | (byte(at - 1) & 0x3F);
  if (lead < 0xF0) return at += 3, (lead & 0x0F) << 12 | (byte(at - 2) & 0x3F) << 6 | (byte(at - 1) & 0x3F);
  at += 4;
  return (lead & 0x07) << 18 | (byte(at - 3) & 0x3F) << 12 | (byte(at - 2) & 0x3F) << 6 | (byte(at - 1) & 0x3F);
}

/// The code point that ends at `at`, which is moved to its start. `text` must be valid UTF-8 and `at` > 0.
char32_t previous_code_point(std::string_view text, size_t& at);

/// Length in bytes of the sequence that `lead` begins (valid UTF-8).
inline size_t utf8_length(char lead) {
  const auto byte = static_cast<unsigned char>(lead);
  return byte < 0x80 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
}

void append_utf8(std::string& out, char32_t code_point);
std::u32string to_code_points(std::string_view text);
std::string to_utf8(std::u32string_view code_points);
size_t count_code_points(std::string_view text);

bool is_valid_utf8(std::string_view text);
/// Every maximal ill-formed part becomes one U+FFFD, as Unicode recommends (and Rust and Python do).
std::string replace_invalid_utf8(std::string_view text);

/// Unicode property White_Space.
bool is_white_space(char32_t code_point);
/// General category N* (Nd, Nl, No).
bool is_numeric(char32_t code_point);
/// A regex word character: letter, mark, decimal digit or connector.
bool is_word(char32_t code_point);
/// General category P*, as the reference's pre-tokenizer knows it, or an ASCII character that is neither letter, digit,
/// space nor control.
bool is_punctuation(char32_t code_point);
/// General category M*, as the reference's normalizers know it.
bool is_mark(char32_t code_point);
/// Lower case without context, as Unicode's full mapping has it (one character becomes two for U+0130).
void append_lower(std::string& out, char32_t code_point);

}  // namespace plumbline

#include "plumbline/sandbox/marshal.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <vector>

namespace plumbline {
namespace {

constexpr uint32_t kDigitBits = 15;  // CPython writes ints in 15-bit digits
constexpr uint32_t kDigitBase = 1u << kDigitBits;
constexpr uint32_t kDecimalChunk = 1'000'000'000;  // nine decimal digits at a time
constexpr size_t kChunkDigits = 9;
constexpr size_t kMaxLongDigits = 40'000;  // 600,000 bits: the conversion is quadratic

/// Decimal digits to 15-bit digits, least significant first.
std::vector<uint16_t> to_long_digits(std::string_view decimal) {
  std::vector<uint16_t> digits;
  size_t position = 0;
  while (position < decimal.size()) {
    const size_t length = (decimal.size() - position - 1) % kChunkDigits + 1;
    uint64_t carry = 0, scale = 1;
    for (size_t i = 0; i < length; ++i, scale *= 10)
      carry = carry * 10 + static_cast<uint64_t>(decimal[position + i] - '0');
    position += length;
    for (uint16_t& digit : digits) {
      const uint64_t value = digit * scale + carry;
      digit = static_cast<uint16_t>(value % kDigitBase);
      carry = value / kDigitBase;
    }
    for (; carry > 0; carry /= kDigitBase) digits.push_back(static_cast<uint16_t>(carry % kDigitBase));
  }
  return digits;
}

std::string to_decimal(const std::vector<uint16_t>& digits) {
  std::vector<uint32_t> chunks;  // base 10^9, least significant first
  for (auto digit = digits.rbegin(); digit != digits.rend(); ++digit) {
    uint64_t carry = *digit;
    for (uint32_t& chunk : chunks) {
      const uint64_t value = static_cast<uint64_t>(chunk) * kDigitBase + carry;
      chunk = static_cast<uint32_t>(value % kDecimalChunk);
      carry = value / kDecimalChunk;
    }
    if (carry > 0) chunks.push_back(static_cast<uint32_t>(carry));
  }
  if (chunks.empty()) return "0";
  std::string text = std::to_string(chunks.back());
  for (size_t i = chunks.size() - 1; i-- > 0;) {
    const std::string part = std::to_string(chunks[i]);
    text.append(kChunkDigits - part.size(), '0').append(part);
  }
  return text;
}

}  // namespace

void MarshalWriter::word32(uint32_t value) {
  for (int shift = 0; shift < 32; shift += 8) out_.push_back(static_cast<char>(value >> shift & 0xff));
}

MarshalWriter& MarshalWriter::sized(char kind, size_t count) {
  tag(kind);
  word32(static_cast<uint32_t>(count));
  return *this;
}

MarshalWriter& MarshalWriter::integer(int64_t value) {
  if (value != static_cast<int32_t>(value)) return big_integer(std::to_string(value));
  tag('i');
  word32(static_cast<uint32_t>(static_cast<int32_t>(value)));
  return *this;
}

MarshalWriter& MarshalWriter::big_integer(std::string_view decimal) {
  int32_t small = 0;
  const auto [end, error] = std::from_chars(decimal.data(), decimal.data() + decimal.size(), small);
  if (error == std::errc() && end == decimal.data() + decimal.size()) return integer(small);
  const bool negative = !decimal.empty() && decimal[0] == '-';
  if (!decimal.empty() && (negative || decimal[0] == '+')) decimal.remove_prefix(1);
  const std::vector<uint16_t> digits = to_long_digits(decimal);
  tag('l');
  const int32_t size = static_cast<int32_t>(digits.size());
  word32(static_cast<uint32_t>(negative ? -size : size));
  for (const uint16_t digit : digits) {
    out_.push_back(static_cast<char>(digit & 0xff));
    out_.push_back(static_cast<char>(digit >> 8));
  }
  return *this;
}

MarshalWriter& MarshalWriter::real(double value) {
  tag('g');
  const uint64_t bits = std::bit_cast<uint64_t>(value);
  word32(static_cast<uint32_t>(bits));
  word32(static_cast<uint32_t>(bits >> 32));
  return *this;
}

MarshalWriter& MarshalWriter::text(std::string_view utf8) {
  sized('u', utf8.size());
  out_.append(utf8);
  return *this;
}

MarshalWriter& MarshalWriter::bytes(std::string_view data) {
  sized('s', data.size());
  out_.append(data);
  return *this;
}

bool MarshalReader::take(size_t size, std::string_view* out) {
  if (!ok_ || size > data_.size() - position_) return ok_ = false;
  *out = data_.substr(position_, size);
  position_ += size;
  return true;
}

bool MarshalReader::word32(uint32_t* out) {
  std::string_view raw;
  if (!take(4, &raw)) return false;
  *out = 0;
  for (int i = 0; i < 4; ++i)
    *out |= static_cast<uint32_t>(static_cast<unsigned char>(raw[static_cast<size_t>(i)])) << (8 * i);
  return true;
}

MarshalReader::Token MarshalReader::read_long() {
  uint32_t raw = 0;
  if (!word32(&raw)) return Token::kBad;
  const int64_t size = static_cast<int32_t>(raw);
  const size_t count = static_cast<size_t>(size < 0 ? -size : size);
  std::string_view body;
  if (count > kMaxLongDigits || !take(count * 2, &body)) return bad();
  std::vector<uint16_t> digits(count);
  for (size_t i = 0; i < count; ++i) {
    digits[i] = static_cast<uint16_t>(static_cast<unsigned char>(body[2 * i]) |
                                      static_cast<unsigned char>(body[2 * i + 1]) << 8);
    if (digits[i] >= kDigitBase) return bad();
  }
  decimal_ = to_decimal(digits);
  if (size < 0 && decimal_ != "0") decimal_.insert(0, 1, '-');
  return Token::kInteger;
}

MarshalReader::Token MarshalReader::read_container(Token kind) {
  uint32_t count = 0;
  if (!word32(&count) || count > data_.size() - position_) return bad();  // an item takes a byte at least
  count_ = count;
  return kind;
}

MarshalReader::Token MarshalReader::next() {
  std::string_view raw;
  uint32_t word = 0;
  if (!take(1, &raw)) return Token::kBad;
  switch (raw[0]) {
    case 'N':
      return Token::kNone;
    case 'T':
      return Token::kTrue;
    case 'F':
      return Token::kFalse;
    case '0':
      return Token::kEnd;
    case '{':
      return Token::kDict;
    case 'l':
      return read_long();
    case '[':
      return read_container(Token::kList);
    case '(':
      return read_container(Token::kTuple);
    case '<':
      return read_container(Token::kSet);
    case '>':
      return read_container(Token::kFrozenSet);
    case 'i':
      if (!word32(&word)) return Token::kBad;
      decimal_ = std::to_string(static_cast<int32_t>(word));
      return Token::kInteger;
    case 'g': {
      uint32_t high = 0;
      if (!word32(&word) || !word32(&high)) return Token::kBad;
      real_ = std::bit_cast<double>(static_cast<uint64_t>(high) << 32 | word);
      return Token::kReal;
    }
    case 'u':
    case 't':
      return word32(&word) && take(word, &text_) ? Token::kText : bad();
    default:
      return bad();
  }
}

std::optional<std::string> MarshalReader::next_text() {
  return next() == Token::kText ? std::optional(std::string(text_)) : std::nullopt;
}

std::optional<int64_t> MarshalReader::next_integer() {
  if (next() != Token::kInteger) return std::nullopt;
  int64_t value = 0;
  const auto [end, error] = std::from_chars(decimal_.data(), decimal_.data() + decimal_.size(), value);
  return error == std::errc() && end == decimal_.data() + decimal_.size() ? std::optional(value) : std::nullopt;
}

std::optional<double> MarshalReader::next_real() {
  return next() == Token::kReal ? std::optional(real_) : std::nullopt;
}

}  // namespace plumbline

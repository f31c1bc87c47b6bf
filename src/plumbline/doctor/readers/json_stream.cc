#include "plumbline/doctor/readers/json_stream.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <limits>

#include "plumbline/base/error.h"

namespace plumbline::doctor {
namespace {

constexpr size_t kMostStringBytes = size_t{64} << 20;

/// Bytes that end a run of plain text inside a string.
constexpr std::array<bool, 256> kStops = [] {
  std::array<bool, 256> stops{};
  for (int byte = 0; byte < 0x20; ++byte) stops[byte] = true;
  stops['"'] = stops['\\'] = true;
  return stops;
}();

void append_utf8(std::string& out, uint32_t code) {
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += {static_cast<char>(0xC0 | code >> 6), static_cast<char>(0x80 | (code & 0x3F))};
  } else if (code < 0x10000) {
    out += {static_cast<char>(0xE0 | code >> 12), static_cast<char>(0x80 | (code >> 6 & 0x3F)),
            static_cast<char>(0x80 | (code & 0x3F))};
  } else {
    out += {static_cast<char>(0xF0 | code >> 18), static_cast<char>(0x80 | (code >> 12 & 0x3F)),
            static_cast<char>(0x80 | (code >> 6 & 0x3F)), static_cast<char>(0x80 | (code & 0x3F))};
  }
}

bool is_surrogate(uint32_t code) {
  return code >= 0xD800 && code < 0xE000;
}

}  // namespace

JsonStream::JsonStream(const std::string& path) : JsonStream("", std::make_unique<ByteSource>(path), path) {}

JsonStream::JsonStream(std::string text, std::unique_ptr<ByteSource> source, std::string where)
    : where_(std::move(where)), text_(std::move(text)), source_(std::move(source)) {
  while (text_.size() < 3 && source_ && source_->read(text_)) {
  }
  if (text_.starts_with("\xEF\xBB\xBF")) at_ = 3;
}

bool JsonStream::fill() {
  if (!source_) return false;
  begin_ += static_cast<int64_t>(text_.size());
  text_.clear();
  at_ = 0;
  while (text_.empty()) {
    if (!source_->read(text_)) return !text_.empty();
  }
  return true;
}

void JsonStream::fail(const std::string& what) {
  throw DataError("data.json", what, fmt::format("{}, byte {}", where_, offset()));
}

void JsonStream::blanks() {
  for (int byte = peek(); byte == ' ' || byte == '\n' || byte == '\r' || byte == '\t'; byte = peek()) ++at_;
}

void JsonStream::expect(std::string_view word) {
  for (const char letter : word) {
    const int byte = take();
    if (byte < 0) throw DataError("data.truncated_file", "the file ends inside a value", where_);
    if (byte != static_cast<unsigned char>(letter)) fail("not valid JSON");
  }
}

JsonStream::Kind JsonStream::kind() {
  blanks();
  const int byte = peek();
  switch (byte) {
    case -1:
      return Kind::kEnd;
    case '{':
      return Kind::kObject;
    case '[':
      return Kind::kArray;
    case '"':
      return Kind::kString;
    case 't':
    case 'f':
      return Kind::kBoolean;
    case 'n':
      return Kind::kNull;
    default:
      if (byte == '-' || (byte >= '0' && byte <= '9') || byte == 'N' || byte == 'I') return Kind::kNumber;
      fail("not valid JSON");
  }
}

void JsonStream::enter() {
  if (++depth_ > kMaxDepth) fail("nested too deeply");
  fresh_ = true;
}

void JsonStream::begin_object() {
  blanks();
  expect("{");
  enter();
}

void JsonStream::begin_array() {
  blanks();
  expect("[");
  enter();
}

bool JsonStream::next_member(char end) {
  blanks();
  const int byte = peek();
  if (byte < 0) throw DataError("data.truncated_file", "the file ends inside a value", where_);
  if (byte == end) {
    ++at_;
    --depth_;
    fresh_ = false;
    return false;
  }
  if (!fresh_) expect(",");
  fresh_ = false;
  return true;
}

bool JsonStream::next_key(std::string& key) {
  if (!next_member('}')) return false;
  key.clear();
  string(key);
  blanks();
  expect(":");
  return true;
}

bool JsonStream::next_element() {
  if (!next_member(']')) return false;
  blanks();
  if (peek() == ']') fail("a comma before the end of an array");
  return true;
}

uint32_t JsonStream::hex4() {
  uint32_t code = 0;
  for (int i = 0; i < 4; ++i) {
    const int byte = take();
    const int digit = byte >= '0' && byte <= '9'   ? byte - '0'
                      : byte >= 'a' && byte <= 'f' ? byte - 'a' + 10
                      : byte >= 'A' && byte <= 'F' ? byte - 'A' + 10
                                                   : -1;
    if (digit < 0) fail("a broken \\u escape");
    code = code << 4 | static_cast<uint32_t>(digit);
  }
  return code;
}

void JsonStream::escape(std::string& out) {
  const int byte = take();
  static constexpr std::string_view kFrom = "\"\\/bfnrt", kTo = "\"\\/\b\f\n\r\t";
  if (const size_t found = byte < 0 ? kFrom.npos : kFrom.find(static_cast<char>(byte)); found != kFrom.npos) {
    out += kTo[found];
    return;
  }
  if (byte != 'u') fail("an unknown escape in a string");
  uint32_t code = hex4();
  if (code >= 0xD800 && code < 0xDC00 && peek() == '\\') {
    ++at_;
    if (peek() != 'u') {
      append_utf8(out, 0xFFFD);
      escape(out);
      return;
    }
    ++at_;
    const uint32_t low = hex4();
    if (low >= 0xDC00 && low < 0xE000) {
      code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
    } else {
      append_utf8(out, 0xFFFD);
      code = low;
    }
  }
  append_utf8(out, is_surrogate(code) ? 0xFFFD : code);
}

void JsonStream::string(std::string& out) {
  blanks();
  expect("\"");
  while (true) {
    size_t end = at_;
    while (end < text_.size() && !kStops[static_cast<unsigned char>(text_[end])]) ++end;
    out.append(text_, at_, end - at_);
    at_ = end;
    if (out.size() > kMostStringBytes) fail("a string of more than 64 MiB");
    const int byte = peek();
    if (byte < 0) throw DataError("data.truncated_file", "the file ends inside a string", where_);
    if (byte == '"') {
      ++at_;
      return;
    }
    if (byte == '\\') {
      ++at_;
      escape(out);
    } else if (byte < 0x20) {
      fail("a control character inside a string");
    }
  }
}

double JsonStream::number(std::string* token) {
  blanks();
  char digits[64];
  size_t size = 0;
  const bool negative = peek() == '-';
  if (negative) digits[size++] = static_cast<char>(take());
  if (peek() == 'N' || peek() == 'I') {
    const bool is_nan = peek() == 'N';
    expect(is_nan ? "NaN" : "Infinity");
    ++num_nonfinite_;
    if (token) *token = is_nan ? "NaN" : negative ? "-Infinity" : "Infinity";
    const double infinite = std::numeric_limits<double>::infinity();
    return is_nan ? std::numeric_limits<double>::quiet_NaN() : negative ? -infinite : infinite;
  }
  for (int byte = peek();
       (byte >= '0' && byte <= '9') || byte == '.' || byte == 'e' || byte == 'E' || byte == '+' || byte == '-';
       byte = peek()) {
    if (size < sizeof digits) digits[size] = static_cast<char>(byte);
    ++size;
    ++at_;
  }
  // A number of more than 64 digits is no measurement; its leading digits with its length would be a guess.
  if (size > sizeof digits) {
    if (token) *token = "";
    return std::numeric_limits<double>::quiet_NaN();
  }
  double value = 0;
  const auto [end, error] = std::from_chars(digits, digits + size, value);
  if (end != digits + size || size == 0 || (error != std::errc() && error != std::errc::result_out_of_range)) {
    fail("not a number");
  }
  if (token) token->assign(digits, size);
  return error == std::errc() ? value : std::numeric_limits<double>::infinity();
}

bool JsonStream::boolean() {
  blanks();
  const bool value = peek() == 't';
  expect(value ? "true" : "false");
  return value;
}

void JsonStream::null() {
  blanks();
  expect("null");
}

void JsonStream::skip() {
  std::string scratch;
  switch (kind()) {
    case Kind::kEnd:
      throw DataError("data.truncated_file", "the file ends inside a value", where_);
    case Kind::kObject:
      for (begin_object(); next_key(scratch);) skip();
      break;
    case Kind::kArray:
      for (begin_array(); next_element();) skip();
      break;
    case Kind::kString:
      string(scratch);
      break;
    case Kind::kNumber:
      number();
      break;
    case Kind::kBoolean:
      boolean();
      break;
    case Kind::kNull:
      null();
      break;
  }
}

bool JsonStream::skip_line() {
  depth_ = 0;
  fresh_ = false;
  while (true) {
    const size_t end = text_.find('\n', at_);
    if (end != std::string::npos) {
      at_ = end + 1;
      return true;
    }
    if (!fill()) {
      at_ = text_.size();
      return false;
    }
  }
}

}  // namespace plumbline::doctor

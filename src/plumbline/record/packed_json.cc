#include "plumbline/record/packed_json.h"

#include <zlib.h>

#include <memory>
#include <optional>

#include "plumbline/base/error.h"
#include "plumbline/record/exact_json.h"

namespace plumbline {
namespace {

constexpr size_t kMaxUnpackedBytes = size_t{256} << 20;

int base64_digit(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  if (c == '+' || c == '-') return 62;
  return c == '/' || c == '_' ? 63 : -1;
}

std::optional<std::string> from_base64(std::string_view text) {
  std::string bytes;
  uint32_t bits = 0;
  int num_bits = 0;
  size_t end = text.find_last_not_of("=\r\n ");
  text = text.substr(0, end == std::string_view::npos ? 0 : end + 1);
  for (const char c : text) {
    if (c == '\n' || c == '\r') continue;
    const int digit = base64_digit(c);
    if (digit < 0) return std::nullopt;
    bits = bits << 6 | static_cast<uint32_t>(digit);
    if ((num_bits += 6) < 8) continue;
    num_bits -= 8;
    bytes += static_cast<char>(bits >> num_bits & 0xFF);
  }
  return bytes;
}

/// Unset when the bytes are no whole zlib stream or grow past the limit.
std::optional<std::string> inflated(const std::string& bytes) {
  z_stream stream{};
  if (inflateInit(&stream) != Z_OK) return std::nullopt;
  const std::unique_ptr<z_stream, int (*)(z_stream*)> guard(&stream, inflateEnd);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  std::string text;
  char block[1 << 16];
  for (int code = Z_OK; code != Z_STREAM_END;) {
    stream.next_out = reinterpret_cast<Bytef*>(block);
    stream.avail_out = sizeof block;
    code = inflate(&stream, Z_NO_FLUSH);
    if (code != Z_OK && code != Z_STREAM_END) return std::nullopt;
    text.append(block, sizeof block - stream.avail_out);
    if (text.size() > kMaxUnpackedBytes) return std::nullopt;
  }
  return text;
}

}  // namespace

PythonValue parse_packed_json(std::string_view text, const std::string& where) {
  const size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos || text[first] == '[' || text[first] == '{') return parse_exact_json(text, where);
  const auto bytes = from_base64(text);
  const auto unpacked = bytes && bytes->size() < kMaxUnpackedBytes ? inflated(*bytes) : std::nullopt;
  if (!unpacked) {
    throw DataError("data.packed", "neither JSON nor base64 of a zlib stream of at most 256 MiB", where,
                    "write the tests as JSON");
  }
  if (unpacked->starts_with('\x80') || unpacked->starts_with('(') || unpacked->starts_with("cbuiltins")) {
    throw DataError(
        "data.pickled_tests", "the tests are a Python pickle, and loading a pickle runs whatever its writer put there",
        where,
        "convert the file where you trust it: row[key] = pickle.loads(zlib.decompress(base64.b64decode(row[key])))");
  }
  return parse_exact_json(*unpacked, where);
}

}  // namespace plumbline

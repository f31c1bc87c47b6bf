#include "plumbline/judge/secret.h"

#include <algorithm>
#include <charconv>

namespace plumbline {

namespace {

constexpr int kMostLayers = 8;  // of escapes upon escapes
constexpr const char* kWithheld = "[withheld: it spells the key]";

/// The character that `digits` hexadecimal digits name; -1 when they are none or no ASCII.
int ascii_of(std::string_view digits) {
  int value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
  return error == std::errc() && end == digits.data() + digits.size() && value > 0 && value < 128 ? value : -1;
}

/// One layer of escapes resolved: \uXXXX, \xXX and %XX of ASCII, and a backslash before anything else goes.
std::string resolve_escapes(std::string_view text) {
  std::string out;
  for (size_t at = 0; at < text.size(); ++at) {
    const std::string_view rest = text.substr(at);
    const size_t digits = rest.starts_with("\\u") ? 4 : rest.starts_with("\\x") ? 2 : 0;
    const int named = digits > 0 && rest.size() >= 2 + digits ? ascii_of(rest.substr(2, digits))
                      : rest[0] == '%' && rest.size() >= 3    ? ascii_of(rest.substr(1, 2))
                                                              : -1;
    if (named >= 0) {
      out += static_cast<char>(named);
      at += digits > 0 ? 1 + digits : 2;
    } else if (rest[0] != '\\') {
      out += rest[0];
    } else if (rest.size() > 1) {
      out += rest[1];
      ++at;
    }
  }
  return out;
}

}  // namespace

std::string Secret::redact(std::string_view text) const {
  std::string shown = redact_plain(text);
  if (value_.size() < kLeastSecret_bytes) return shown;
  std::string decoded = shown;
  for (int layer = 0; layer < kMostLayers; ++layer) {
    std::string next = resolve_escapes(decoded);
    if (next == decoded) return shown;
    if (redact_plain(next) != next) return kWithheld;
    decoded = std::move(next);
  }
  return kWithheld;
}

std::string Secret::redact_plain(std::string_view text) const {
  if (value_.size() < kLeastSecret_bytes) return std::string(text);
  const std::string_view key = value_;
  const size_t piece = std::min(kPiece_bytes, key.size());
  std::string out;
  for (size_t at = 0; at < text.size();) {
    size_t longest = 0;
    for (size_t start = 0; start + piece <= key.size(); ++start) {
      if (text.substr(at, piece) != key.substr(start, piece)) continue;
      size_t length = piece;
      while (at + length < text.size() && start + length < key.size() && text[at + length] == key[start + length])
        ++length;
      longest = std::max(longest, length);
    }
    if (longest > 0) {
      out += "[key]";
      at += longest;
    } else {
      out += text[at++];
    }
  }
  return out;
}

}  // namespace plumbline

#include "plumbline/base/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <utility>

namespace plumbline {

Error::Error(ExitCode exit_code, std::string id, std::string message, std::string where, std::string next_step)
    : std::runtime_error(id + ": " + message),
      exit_code_(exit_code),
      id_(std::move(id)),
      message_(std::move(message)),
      where_(std::move(where)),
      next_step_(std::move(next_step)) {}

std::string Error::line() const {
  std::string line = id_ + ": " + message_;
  if (!where_.empty()) line += " (" + where_ + ")";
  if (!next_step_.empty()) line += "; " + next_step_;
  return escape_control(line);
}

namespace {

struct CodePoint {
  uint32_t value = 0;
  size_t bytes = 1;
};

/// The code point at the start of `text`; bytes that are no UTF-8 count one by one, as themselves.
CodePoint first_code_point(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<uint32_t>(static_cast<unsigned char>(text[i])); };
  const uint32_t lead = byte(0);
  const size_t bytes = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC2 ? 2 : 1;
  if (lead < 0x80 || bytes == 1 || bytes > text.size()) return {lead, 1};
  uint32_t value = lead & (0xFFu >> (bytes + 1));
  for (size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return {lead, 1};
    value = value << 6 | (byte(i) & 0x3F);
  }
  return {value, bytes};
}

/// Controls, separators of lines, and characters that turn writing round, tag it or show nothing. The joiners (U+200C,
/// U+200D) are not among them: Persian, Indic scripts and emoji are written with them.
bool is_deceptive(uint32_t c) {
  constexpr std::pair<uint32_t, uint32_t> kRanges[] = {
      {0x00, 0x1F},     {0x7F, 0x9F},     {0x61C, 0x61C},   {0x180E, 0x180E}, {0x200B, 0x200B},   {0x200E, 0x200F},
      {0x2028, 0x202E}, {0x2060, 0x206F}, {0xFEFF, 0xFEFF}, {0xFFF0, 0xFFFB}, {0xE0000, 0xE0FFF},
  };
  return std::any_of(std::begin(kRanges), std::end(kRanges),
                     [c](const auto& range) { return c >= range.first && c <= range.second; });
}

}  // namespace

std::string escape_control(std::string_view text, bool keep_newlines) {
  std::string out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size();) {
    const auto [c, bytes] = first_code_point(text.substr(i));
    // A lone byte from 0x80 on is no character: a terminal that reads it as Latin-1 would obey it.
    if (!is_deceptive(c) || (keep_newlines && (c == '\n' || c == '\t'))) {
      out += text.substr(i, bytes);
    } else if (c == '\n') {
      out += "\\n";
    } else {
      out += c < 0x100     ? fmt::format("\\x{:02x}", c)
             : c < 0x10000 ? fmt::format("\\u{:04x}", c)
                           : fmt::format("\\U{:08x}", c);
    }
    i += bytes;
  }
  return out;
}

}  // namespace plumbline

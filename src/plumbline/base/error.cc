#include "plumbline/base/error.h"

#include <fmt/format.h>

#include <utility>

#include "plumbline/base/deceptive.h"

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

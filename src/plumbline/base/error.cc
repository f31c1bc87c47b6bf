#include "plumbline/base/error.h"

#include <fmt/format.h>

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
  for (size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const bool c1 = byte == 0xC2 && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) >= 0x80 &&
                    static_cast<unsigned char>(text[i + 1]) < 0xA0;
    if (c1) {
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[++i]));
    } else if (keep_newlines && (byte == '\n' || byte == '\t')) {
      out += text[i];
    } else if (byte == '\n') {
      out += "\\n";
    } else if (byte < 0x20 || byte == 0x7F) {
      out += fmt::format("\\x{:02x}", byte);
    } else {
      out += text[i];
    }
  }
  return out;
}

}  // namespace plumbline

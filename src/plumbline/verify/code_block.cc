#include "plumbline/verify/code_block.h"

#include <algorithm>
#include <cctype>

namespace plumbline {
namespace {

constexpr size_t kFenceTicks = 3;
constexpr size_t kMaxIndent = 3;

std::string_view trimmed(std::string_view text) {
  const auto blank = [](char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f' || c == '\v'; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

/// A fence line: how many backticks, and what follows them. No ticks: not a fence.
struct Fence {
  size_t ticks = 0;
  std::string_view info;
};

Fence parse_fence(std::string_view line) {
  const size_t indent = std::min(line.find_first_not_of(' '), line.size());
  if (indent > kMaxIndent) return {};
  line.remove_prefix(indent);
  const size_t ticks = std::min(line.find_first_not_of('`'), line.size());
  const std::string_view info = trimmed(line.substr(ticks));
  if (ticks < kFenceTicks || info.find('`') != std::string_view::npos) return {};
  return {ticks, info};
}

bool is_python(std::string_view info) {
  std::string tag(info.substr(0, info.find_first_of(" \t{")));
  std::transform(tag.begin(), tag.end(), tag.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return tag.empty() || tag == "python" || tag == "py" || tag == "python3";
}

/// Takes one line (without its end) off the front of `text`.
std::string_view take_line(std::string_view* text) {
  const size_t end = text->find('\n');
  std::string_view line = text->substr(0, end);
  text->remove_prefix(end == std::string_view::npos ? text->size() : end + 1);
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  return line;
}

}  // namespace

std::optional<std::string> extract_code(std::string_view completion) {
  std::string code;
  bool found = false;
  while (!completion.empty()) {
    const Fence open = parse_fence(take_line(&completion));
    if (open.ticks == 0) continue;
    std::string block;
    while (!completion.empty()) {
      const std::string_view line = take_line(&completion);
      const Fence close = parse_fence(line);
      if (close.ticks >= open.ticks && close.info.empty()) break;
      block.append(line).push_back('\n');
    }
    if (!is_python(open.info)) continue;
    if (found) code.push_back('\n');
    code += block;
    found = true;
  }
  if (trimmed(code).empty()) return std::nullopt;
  return code;
}

}  // namespace plumbline

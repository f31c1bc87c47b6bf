#include "plumbline/verify/tasks/final_answer.h"

#include <algorithm>
#include <cctype>

namespace plumbline {
namespace {

constexpr int kMostBoxes = 64;  // looked at, from the end, for one that is closed

bool is_letter(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0;
}
bool is_space(char c) {
  return std::isspace(static_cast<unsigned char>(c)) != 0;
}

std::optional<std::string> stripped(std::string_view text) {
  const auto is_around = [](char c) { return is_space(c) || c == '*' || c == '`'; };
  const auto is_behind = [&](char c) { return is_around(c) || c == '.' || c == ',' || c == ';'; };
  while (!text.empty() && is_around(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_behind(text.back())) text.remove_suffix(1);
  if (text.empty()) return std::nullopt;
  return std::string(text);
}

/// From behind the opening bracket to its partner.
std::optional<std::string_view> balanced(std::string_view text) {
  int depth = 1;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;  // \{ and \} are no brackets
    } else if (text[i] == '{') {
      ++depth;
    } else if (text[i] == '}' && --depth == 0) {
      return text.substr(0, i);
    }
  }
  return std::nullopt;
}

std::optional<std::string> boxed(std::string_view text) {
  constexpr std::string_view kBox = "\\boxed{";
  size_t at = text.rfind(kBox);
  for (int i = 0; i < kMostBoxes && at != std::string_view::npos; ++i) {
    if (const auto inside = balanced(text.substr(at + kBox.size()))) return stripped(*inside);
    at = at == 0 ? std::string_view::npos : text.rfind(kBox, at - 1);
  }
  return std::nullopt;
}

/// Up to a line's end, or a full stop that no digit follows.
std::string_view sentence(std::string_view text) {
  for (size_t i = 0; i < text.size(); ++i) {
    const bool ends = text[i] == '.' && (i + 1 == text.size() || is_space(text[i + 1]));
    if (text[i] == '\n' || ends) return text.substr(0, i);
  }
  return text;
}

/// What stands behind "is", ":" or "=" (several of them: "is: "), or nothing where there is none.
std::optional<std::string_view> behind_link(std::string_view text) {
  bool is_linked = false;
  while (true) {
    while (!text.empty() && (text.front() == ' ' || text.front() == '\t' || text.front() == '*')) text.remove_prefix(1);
    if (!text.empty() && (text.front() == ':' || text.front() == '=')) {
      text.remove_prefix(1);
    } else if (text.size() > 2 && text.substr(0, 2) == "is" && !is_letter(text[2])) {
      text.remove_prefix(2);
    } else {
      break;
    }
    is_linked = true;
  }
  return is_linked ? std::optional(text) : std::nullopt;
}

std::optional<std::string> announced(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  for (size_t at = lower.size(); at-- > 0;) {
    const bool is_word = lower.compare(at, 6, "answer") == 0 || lower.compare(at, 6, "result") == 0;
    if (!is_word || (at > 0 && is_letter(lower[at - 1]))) continue;
    const std::string_view rest = std::string_view(lower).substr(at + 6);
    const auto linked = behind_link(rest);
    if (!linked) continue;
    const auto found = stripped(sentence(text.substr(text.size() - linked->size())));
    if (found) return found;
  }
  return std::nullopt;
}

std::optional<std::string> last_line(std::string_view text) {
  while (!text.empty()) {
    const size_t begin = text.rfind('\n') == std::string_view::npos ? 0 : text.rfind('\n') + 1;
    if (const auto line = stripped(text.substr(begin))) return line;
    text = text.substr(0, begin == 0 ? 0 : begin - 1);
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> final_answer(std::string_view completion) {
  if (auto answer = boxed(completion)) return answer;
  if (auto answer = announced(completion)) return answer;
  return last_line(completion);
}

}  // namespace plumbline

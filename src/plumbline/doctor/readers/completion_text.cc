#include "plumbline/doctor/readers/completion_text.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <set>
#include <string>

namespace plumbline::doctor {
namespace {

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& letter : result) letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  return result;
}

/// Calls `use` for each line without its end; stops when it returns false.
template <typename Use>
void for_lines(std::string_view text, Use use) {
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    if (!use(text.substr(0, end))) return;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

std::string_view without_indent(std::string_view line) {
  const size_t first = line.find_first_not_of(" \t");
  return first == line.npos ? std::string_view() : line.substr(first);
}

void erase_all(std::string& text, std::string_view part) {
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at)) text.erase(at, part.size());
}

/// Drops "*(sin(V)**2+cos(V)**2)" for any V, and "*1".
std::string normalised_step(std::string_view step) {
  std::string text;
  for (const char letter : step) {
    if (!std::isspace(static_cast<unsigned char>(letter))) text += letter;
  }
  for (size_t at = text.find("*(sin("); at != std::string::npos; at = text.find("*(sin(", at + 1)) {
    const size_t name_end = text.find(')', at + 6);
    if (name_end == std::string::npos) break;
    const std::string name = text.substr(at + 6, name_end - at - 6);
    const std::string padding = "*(sin(" + name + ")**2+cos(" + name + ")**2)";
    if (text.compare(at, padding.size(), padding) == 0) text.erase(at--, padding.size());
    if (at == std::string::npos) at = 0;
  }
  while (text.ends_with("*1")) text.resize(text.size() - 2);
  erase_all(text, "*1)");
  while (text.size() > 2 && text.front() == '(' && text.find(')') == text.size() - 1)
    text = text.substr(1, text.size() - 2);
  return text;
}

}  // namespace

Fence fence_of(std::string_view text) {
  if (text.find("```") == text.npos) return Fence::kNone;
  bool open = false, closed = false;
  for_lines(text, [&](std::string_view line) {
    if (!without_indent(line).starts_with("```")) return true;
    closed |= open;
    open = !open;
    return true;
  });
  return closed ? Fence::kClosed : open ? Fence::kOpen : Fence::kNone;
}

bool looks_like_code(std::string_view text) {
  static constexpr std::array<std::string_view, 4> kOpeners = {"def ", "class ", "@", "async def "};
  static constexpr std::array<std::string_view, 6> kStatements = {"return ", "import ",   "for ",
                                                                  "while ",  "#include ", "fn "};
  bool found = false;
  for_lines(text, [&](std::string_view whole) {
    const std::string_view line = without_indent(whole);
    if (line.empty()) return true;
    for (const std::string_view word : kOpeners) {
      if (line.starts_with(word) && line.find_first_of("(:") != line.npos) found = true;
    }
    const bool indented = line.size() < whole.size();
    for (const std::string_view word : kStatements) {
      if (line.starts_with(word) && (indented || line.find_first_of("()[]=;{}<\"") != line.npos)) found = true;
    }
    if (line.starts_with("from ") && line.find(" import ") != line.npos) found = true;
    return !found;
  });
  return found;
}

bool has_chat_markers(std::string_view prompt) {
  static constexpr std::array<std::string_view, 10> kMarkers = {"<|im_start|>",
                                                                "[INST]",
                                                                "<|user|>",
                                                                "<start_of_turn>",
                                                                "<|start_header_id|>",
                                                                "<|begin_of_turn|>",
                                                                "<|assistant|>",
                                                                "<\xEF\xBD\x9CUser\xEF\xBD\x9C>",
                                                                "<|start|>",
                                                                "<|turn>"};
  return std::any_of(kMarkers.begin(), kMarkers.end(),
                     [&](std::string_view marker) { return prompt.find(marker) != prompt.npos; });
}

int count_distinct_steps(const std::vector<std::string_view>& steps) {
  std::set<std::string> distinct;
  for (const std::string_view step : steps) distinct.insert(normalised_step(step));
  return static_cast<int>(distinct.size());
}

bool is_chat_model_name(std::string_view model) {
  const std::string name = lower(model);
  if (name.find("instruct") != name.npos) return true;
  for (const char* word : {"chat", "it"}) {  // as a word of the name
    for (size_t at = name.find(word); at != name.npos; at = name.find(word, at + 1)) {
      const size_t end = at + std::string_view(word).size();
      const bool begins = at > 0 && std::string_view("-_").find(name[at - 1]) != std::string_view::npos;
      const bool ends = end == name.size() || std::string_view("-_.,/").find(name[end]) != std::string_view::npos;
      if (begins && ends) return true;
    }
  }
  return false;
}

bool is_mixture_name(std::string_view text) {
  const std::string name = lower(text);
  for (const char* word :
       {"mixtral", "olmoe", "moe", "-a3b", "-a22b", "-a17b", "mixture-of-experts", "mixture of experts"}) {
    if (name.find(word) != name.npos) return true;
  }
  return false;
}

}  // namespace plumbline::doctor

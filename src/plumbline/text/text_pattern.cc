#include "plumbline/text/text_pattern.h"

#include <nlohmann/json.hpp>

#include "plumbline/base/error.h"

namespace plumbline {

TextPattern TextPattern::from_json(const Json& json, const std::string& where) {
  if (json.is_object() && json.size() == 1 && json.begin()->is_string()) {
    const auto& text = json.begin()->get_ref<const std::string&>();
    if (json.begin().key() == "String") return literal(text);
    if (json.begin().key() == "Regex") return regex(text, where);
  }
  throw DataError("data.tokenizer_unsupported", "a pattern that is neither a String nor a Regex", where);
}

TextPattern TextPattern::literal(std::string text) {
  TextPattern pattern;
  pattern.literal_ = std::move(text);
  return pattern;
}

TextPattern TextPattern::regex(const std::string& pattern_text, const std::string& where) {
  TextPattern pattern;
  pattern.regex_.emplace(pattern_text, where);
  return pattern;
}

void TextPattern::for_each_match(std::string_view text, const std::function<void(size_t, size_t)>& found) const {
  if (regex_) return regex_->for_each_match(text, found);
  if (literal_.empty()) return;
  for (size_t at = text.find(literal_); at != text.npos; at = text.find(literal_, at + literal_.size())) {
    found(at, at + literal_.size());
  }
}

std::string TextPattern::replace(std::string_view text, std::string_view replacement) const {
  std::string out;
  size_t last = 0;
  for_each_match(text, [&](size_t begin, size_t end) {
    out.append(text, last, begin - last).append(replacement);
    last = end;
  });
  return out.append(text, last);
}

}  // namespace plumbline

#include "plumbline/text/jinja/python_string.h"

#include <utf8proc.h>

#include <algorithm>

#include "plumbline/text/unicode.h"

namespace plumbline::jinja {

bool is_python_space(char32_t c) {
  return is_white_space(c) || (c >= 0x1C && c <= 0x1F);
}

std::string python_strip(std::string_view text, bool left, bool right, const std::string* characters) {
  const std::u32string set = characters ? to_code_points(*characters) : std::u32string();
  const auto strips = [&](char32_t c) { return characters ? set.find(c) != set.npos : is_python_space(c); };
  size_t begin = 0, end = text.size();
  while (left && begin < end) {
    size_t behind = begin;
    if (!strips(next_code_point(text, behind))) break;
    begin = behind;
  }
  while (right && end > begin) {
    size_t before = end;
    if (!strips(previous_code_point(text, before))) break;
    end = before;
  }
  return std::string(text.substr(begin, end - begin));
}

bool is_python_alpha(char32_t c) {
  const auto category = utf8proc_category(static_cast<utf8proc_int32_t>(c));
  return category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_LO;
}

bool is_python_decimal(char32_t c) {
  return utf8proc_category(static_cast<utf8proc_int32_t>(c)) == UTF8PROC_CATEGORY_ND;
}

bool is_python_alnum(char32_t c) {
  return is_python_alpha(c) || is_numeric(c);
}

std::string python_pad(std::string_view text, int64_t width, char32_t fill, Padding side) {
  const int64_t rest = width - static_cast<int64_t>(count_code_points(text));
  if (rest <= 0) return std::string(text);
  int64_t left = side == Padding::kLeft ? rest : 0;
  if (side == Padding::kCenter) left = rest / 2 + (rest & width & 1);
  std::string out;
  for (int64_t i = 0; i < left; ++i) append_utf8(out, fill);
  out += text;
  for (int64_t i = left; i < rest; ++i) append_utf8(out, fill);
  return out;
}

std::string python_lower(std::string_view text) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    append_utf8(out, utf8proc_tolower(static_cast<utf8proc_int32_t>(next_code_point(text, at))));
  }
  return out;
}

std::string python_upper(std::string_view text) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    const char32_t c = next_code_point(text, at);
    if (c == 0xDF) {
      out += "SS";
    } else {
      append_utf8(out, utf8proc_toupper(static_cast<utf8proc_int32_t>(c)));
    }
  }
  return out;
}

std::string python_capitalize(std::string_view text) {
  if (text.empty()) return "";
  size_t at = 0;
  const char32_t first = next_code_point(text, at);
  std::string out;
  append_utf8(out, utf8proc_totitle(static_cast<utf8proc_int32_t>(first)));
  return out + python_lower(text.substr(at));
}

namespace {

/// Words between white space, from the left; what is left after `max_splits` stays whole.
std::vector<std::string> split_at_space(std::string_view text, int64_t max_splits) {
  std::vector<std::string> out;
  size_t at = 0;
  for (;;) {
    text = text.substr(at);
    at = 0;
    for (size_t behind = 0; at < text.size() && is_python_space(next_code_point(text, behind));) at = behind;
    text = text.substr(at);
    if (text.empty()) return out;
    if (max_splits >= 0 && static_cast<int64_t>(out.size()) >= max_splits) {
      out.emplace_back(text);  // trailing white space stays, as in Python
      return out;
    }
    at = 0;
    for (size_t behind = 0; at < text.size() && !is_python_space(next_code_point(text, behind));) at = behind;
    out.emplace_back(text.substr(0, at));
  }
}

}  // namespace

std::vector<std::string> python_split(std::string_view text, const std::string* separator, int64_t max_splits) {
  if (!separator) return split_at_space(text, max_splits);
  std::vector<std::string> out;
  size_t last = 0;
  while (max_splits < 0 || static_cast<int64_t>(out.size()) < max_splits) {
    const size_t found = text.find(*separator, last);
    if (found == text.npos) break;
    out.emplace_back(text.substr(last, found - last));
    last = found + separator->size();
  }
  out.emplace_back(text.substr(last));
  return out;
}

std::vector<std::string> python_rsplit(std::string_view text, const std::string* separator, int64_t max_splits) {
  if (max_splits < 0) return python_split(text, separator, -1);
  std::vector<std::string> reversed;
  size_t end = text.size();
  if (separator) {
    while (static_cast<int64_t>(reversed.size()) < max_splits && end >= separator->size()) {
      const size_t found = text.rfind(*separator, end - separator->size());
      if (found == text.npos) break;
      reversed.emplace_back(text.substr(found + separator->size(), end - found - separator->size()));
      end = found;
    }
    reversed.emplace_back(text.substr(0, end));
  } else {
    std::string rest = python_rstrip(text);
    while (!rest.empty()) {
      if (static_cast<int64_t>(reversed.size()) >= max_splits) {
        reversed.push_back(rest);
        break;
      }
      size_t at = rest.size();
      for (size_t before = at; at > 0 && !is_python_space(previous_code_point(rest, before));) at = before;
      reversed.push_back(rest.substr(at));
      rest = python_rstrip(std::string_view(rest).substr(0, at));
    }
  }
  std::reverse(reversed.begin(), reversed.end());
  return reversed;
}

std::string python_replace(std::string_view text, std::string_view from, std::string_view to, int64_t count) {
  std::string out;
  size_t last = 0;
  if (from.empty()) {  // between all characters, and at both ends
    for (size_t at = 0; count != 0; --count) {
      out += to;
      if (at >= text.size()) break;
      next_code_point(text, at);
      out.append(text, last, at - last);
      last = at;
    }
  } else {
    for (; count != 0; --count) {
      const size_t found = text.find(from, last);
      if (found == text.npos) break;
      out.append(text, last, found - last).append(to);
      last = found + from.size();
    }
  }
  return out.append(text, last);
}

std::vector<std::string> python_splitlines(std::string_view text, bool keep_ends) {
  const auto ends_line = [](char32_t c) {
    return (c >= 0x0A && c <= 0x0D) || (c >= 0x1C && c <= 0x1E) || c == 0x85 || c == 0x2028 || c == 0x2029;
  };
  std::vector<std::string> out;
  size_t begin = 0;
  for (size_t at = 0; at < text.size();) {
    const size_t end = at;
    const char32_t c = next_code_point(text, at);
    if (!ends_line(c)) continue;
    if (c == '\r' && at < text.size() && text[at] == '\n') ++at;
    out.emplace_back(text.substr(begin, (keep_ends ? at : end) - begin));
    begin = at;
  }
  if (begin < text.size()) out.emplace_back(text.substr(begin));
  return out;
}

}  // namespace plumbline::jinja

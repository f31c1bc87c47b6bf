/// Python's str operations that templates use, on UTF-8.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace plumbline::jinja {

/// str.isspace of one character.
bool is_python_space(char32_t code_point);
/// str.strip family; null `characters` = white space.
std::string python_strip(std::string_view text, bool left, bool right, const std::string* characters = nullptr);
inline std::string python_rstrip(std::string_view text) {
  return python_strip(text, false, true);
}
std::string python_lower(std::string_view text);
std::string python_upper(std::string_view text);
/// First character upper (title case), the rest lower.
std::string python_capitalize(std::string_view text);
/// str.split(separator, max_splits); null separator = runs of white space.
std::vector<std::string> python_split(std::string_view text, const std::string* separator, int64_t max_splits);
std::vector<std::string> python_rsplit(std::string_view text, const std::string* separator, int64_t max_splits);
/// str.replace; `count` < 0 = all.
std::string python_replace(std::string_view text, std::string_view from, std::string_view to, int64_t count);
std::vector<std::string> python_splitlines(std::string_view text, bool keep_ends);

/// str.isalpha, str.isdigit, str.isnumeric and str.isalnum of one character.
bool is_python_alpha(char32_t code_point);
bool is_python_decimal(char32_t code_point);
bool is_python_alnum(char32_t code_point);

enum class Padding { kLeft, kRight, kCenter };
/// Filled up to `width` characters at the side(s) named; Python's rule for an odd rest.
std::string python_pad(std::string_view text, int64_t width, char32_t fill, Padding side);

}  // namespace plumbline::jinja

#include "plumbline/verify/output_comparison.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <vector>

namespace plumbline {
namespace {

constexpr std::string_view kBlanks = " \t\r\n\f\v";

std::string_view without_ends(std::string_view text) {
  const size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return "";
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  text = without_ends(text);
  while (true) {
    const size_t end = text.find('\n');
    lines.push_back(without_ends(text.substr(0, end)));
    if (end == std::string_view::npos) return lines;
    text.remove_prefix(end + 1);
  }
}

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  while (!(line = without_ends(line)).empty()) {
    const size_t end = std::min(line.find_first_of(kBlanks), line.size());
    words.push_back(line.substr(0, end));
    line.remove_prefix(end);
  }
  return words;
}

std::optional<double> decimal_number(std::string_view word) {
  if (word.starts_with('+')) word.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  const bool whole = error == std::errc() && end == word.data() + word.size() && std::isfinite(value);
  return whole ? std::optional(value) : std::nullopt;
}

bool words_match(std::string_view got, std::string_view expected, const ComparisonRule& comparison) {
  if (got == expected) return true;
  const auto a = decimal_number(got), b = decimal_number(expected);
  return a && b && values_match(PythonValue::of_float(*a), PythonValue::of_float(*b), comparison);
}

}  // namespace

bool outputs_match(std::string_view got, std::string_view expected, const ComparisonRule& comparison) {
  const auto got_lines = lines_of(got), expected_lines = lines_of(expected);
  if (comparison.rule != CompareRule::kApprox) return got_lines == expected_lines;
  return std::equal(got_lines.begin(), got_lines.end(), expected_lines.begin(), expected_lines.end(),
                    [&](std::string_view a, std::string_view b) {
                      const auto left = words_of(a), right = words_of(b);
                      return std::equal(left.begin(), left.end(), right.begin(), right.end(),
                                        [&](auto x, auto y) { return words_match(x, y, comparison); });
                    });
}

}  // namespace plumbline

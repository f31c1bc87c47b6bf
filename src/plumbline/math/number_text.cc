#include "plumbline/math/number_text.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>

namespace plumbline {
namespace {

constexpr int kMostExponent = 400;

bool is_digit_at(std::string_view text, size_t at) {
  return at < text.size() && text[at] >= '0' && text[at] <= '9';
}

}  // namespace

size_t exponent_size(std::string_view text) {
  if (text.empty() || (text[0] != 'e' && text[0] != 'E')) return 0;
  size_t at = text.size() > 1 && (text[1] == '-' || text[1] == '+') ? 2 : 1;
  if (!is_digit_at(text, at)) return 0;
  while (is_digit_at(text, at)) ++at;
  const bool goes_on = at < text.size() && text[at] == '.' && is_digit_at(text, at + 1);
  return goes_on ? 0 : at;
}

std::optional<std::string> plain_decimal(std::string_view digits, std::string_view exponent) {
  exponent.remove_prefix(1);
  if (exponent.front() == '+') exponent.remove_prefix(1);
  int shift = 0;
  const auto [end, error] = std::from_chars(exponent.data(), exponent.data() + exponent.size(), shift);
  if (error != std::errc() || std::abs(shift) > kMostExponent) return std::nullopt;
  std::string all(digits);
  const size_t point = std::min(all.find('.'), all.size());
  if (point < all.size()) all.erase(point, 1);
  const int64_t place = static_cast<int64_t>(point) + shift;  // of the point, from the front
  if (place <= 0) return "0." + std::string(static_cast<size_t>(-place), '0') + all;
  if (place >= static_cast<int64_t>(all.size())) {
    all.append(static_cast<size_t>(place) - all.size(), '0');
    const size_t first = all.find_first_not_of('0');
    return first == std::string::npos ? "0" : all.substr(first);
  }
  return all.insert(static_cast<size_t>(place), 1, '.');
}

std::optional<int> read_power(std::string_view text, size_t& at) {
  size_t next = at;
  const auto take = [&](char c) {
    const bool is_there = next < text.size() && text[next] == c;
    next += is_there;
    return is_there;
  };
  const bool in_brackets = take('(');
  take('+');
  int value = 0;
  const auto [end, error] = std::from_chars(text.data() + next, text.data() + text.size(), value);
  if (error != std::errc()) return std::nullopt;
  next = static_cast<size_t>(end - text.data());
  if (in_brackets && !take(')')) return std::nullopt;
  at = next;
  return value;
}

}  // namespace plumbline

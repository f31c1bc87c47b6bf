#include "plumbline/math/quantity.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <utility>
#include <vector>

#include "plumbline/math/number_text.h"

namespace plumbline {
namespace {

constexpr size_t kMostCharacters = 256;

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

/// LaTeX and typography as plain text.
std::string plain(std::string_view source) {
  std::string text(source);
  static const std::vector<std::pair<std::string_view, std::string_view>> replacements = {
      {"\\times", "*"}, {"\\cdot", "*"},  {"\\text", ""},     {"\\mathrm", ""},   {"\\rm", ""},     {"\\Omega", " ohm"},
      {"\\mu ", "u"},   {"\\mu", "u"},    {"\\,", " "},       {"\\;", " "},       {"\\ ", " "},     {"\\!", ""},
      {"\\approx", ""}, {"$", ""},        {"~", " "},         {"\u00D7", "*"},    {"\u00B7", "*"},  {"\u22C5", "*"},
      {"\u2212", "-"},  {"\u207B", "^-"}, {"\u00B9", "^1"},   {"\u00B2", "^2"},   {"\u00B3", "^3"}, {"\u2074", "^4"},
      {"\u00B5", "u"},  {"\u03BC", "u"},  {"\u03A9", " ohm"}, {"\u2126", " ohm"}, {"\u00A0", " "},  {"\u202F", " "},
      {"^-^", "^-"},    {"**", "^"},      {"{", "("},         {"}", ")"},         {"\u2248", ""}};
  for (const auto& [from, to] : replacements) replace_all(text, from, to);
  return text;
}

class QuantityParser {
 public:
  explicit QuantityParser(std::string text) : text_(std::move(text)) {}

  std::optional<Quantity> parse() {
    Quantity quantity;
    const auto number = read_number();
    if (!number) return std::nullopt;
    quantity.value = *number;
    skip_spaces();
    if (at_end()) return quantity;
    if (peek() == '*') ++at_;
    const auto units = parse_units(std::string_view(text_).substr(at_));
    if (!units || !units->is_si || !std::isfinite(quantity.value)) return std::nullopt;
    quantity.value *= units->factor.rounded();
    quantity.dimension = units->dimension;
    return quantity;
  }

 private:
  bool at_end() const { return at_ >= text_.size(); }
  char peek() const { return at_end() ? '\0' : text_[at_]; }
  void skip_spaces() {
    while (!at_end() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
  }

  std::optional<double> read_plain_number() {
    skip_spaces();
    std::string digits;
    if (peek() == '-' || peek() == '+') digits += text_[at_++];
    const size_t begin = digits.size();
    while (std::isdigit(static_cast<unsigned char>(peek())) || peek() == '.' || is_thousands_comma()) {
      if (peek() != ',') digits += peek();
      ++at_;
    }
    if (digits.size() == begin || std::count(digits.begin(), digits.end(), '.') > 1 || digits.back() == '.') {
      return std::nullopt;
    }
    const size_t size = exponent_size(std::string_view(text_).substr(at_));
    digits += text_.substr(at_, size);
    at_ += size;
    return std::strtod(digits.c_str(), nullptr);
  }
  bool is_thousands_comma() const {
    if (peek() != ',' || at_ + 3 >= text_.size()) return false;
    for (size_t i = 1; i <= 3; ++i) {
      if (!std::isdigit(static_cast<unsigned char>(text_[at_ + i]))) return false;
    }
    return at_ + 4 >= text_.size() || !std::isdigit(static_cast<unsigned char>(text_[at_ + 4]));
  }

  /// Number, times a power of ten, over a number.
  std::optional<double> read_number() {
    auto value = read_plain_number();
    if (!value) return std::nullopt;
    const size_t begin = at_;
    skip_spaces();
    if (peek() == '*' || peek() == 'x') {
      ++at_;
      skip_spaces();
      if (text_.compare(at_, 3, "10^") == 0) {
        at_ += 3;
        const auto exponent = read_power(text_, at_);
        if (!exponent || std::abs(*exponent) > 300) return std::nullopt;
        return *value * std::pow(10.0, *exponent);
      }
      at_ = begin;
    }
    if (peek() == '/') {
      ++at_;
      const auto divisor = read_plain_number();
      if (divisor && *divisor != 0) return *value / *divisor;
    }
    at_ = begin;
    return value;
  }

  std::string text_;
  size_t at_ = 0;
};

}  // namespace

std::optional<Quantity> parse_quantity(std::string_view text) {
  if (text.size() > kMostCharacters) return std::nullopt;
  return QuantityParser(plain(text)).parse();
}

std::string dimension_text(const Dimension& dimension) {
  static const char* const kBase[] = {"m", "kg", "s", "A", "K", "mol", "cd", "degree", "dollar", "unit"};
  std::string text;
  for (size_t i = 0; i < dimension.size(); ++i) {
    if (dimension[i] == 0) continue;
    text += (text.empty() ? "" : " ") + std::string(kBase[i]);
    if (dimension[i] != 1) text += "^" + std::to_string(dimension[i]);
  }
  return text.empty() ? "no unit" : text;
}

}  // namespace plumbline

#include "plumbline/math/quantity.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <map>
#include <utility>
#include <vector>

namespace plumbline {
namespace {

constexpr size_t kMostCharacters = 256;
constexpr int kMostExponent = 12;

struct UnitRow {
  double factor = 1;
  Dimension dimension{};
};

using Units = std::map<std::string, UnitRow, std::less<>>;

/// Symbols that take prefixes.
const Units& prefixed_symbols() {
  static const Units units = {
      {"m", {1, {1}}},
      {"g", {1e-3, {0, 1}}},
      {"s", {1, {0, 0, 1}}},
      {"A", {1, {0, 0, 0, 1}}},
      {"K", {1, {0, 0, 0, 0, 1}}},
      {"mol", {1, {0, 0, 0, 0, 0, 1}}},
      {"cd", {1, {0, 0, 0, 0, 0, 0, 1}}},
      {"Hz", {1, {0, 0, -1}}},
      {"N", {1, {1, 1, -2}}},
      {"Pa", {1, {-1, 1, -2}}},
      {"J", {1, {2, 1, -2}}},
      {"W", {1, {2, 1, -3}}},
      {"C", {1, {0, 0, 1, 1}}},
      {"V", {1, {2, 1, -3, -1}}},
      {"F", {1, {-2, -1, 4, 2}}},
      {"ohm", {1, {2, 1, -3, -2}}},
      {"S", {1, {-2, -1, 3, 2}}},
      {"Wb", {1, {2, 1, -2, -1}}},
      {"T", {1, {0, 1, -2, -1}}},
      {"H", {1, {2, 1, -2, -2}}},
      {"lm", {1, {0, 0, 0, 0, 0, 0, 1}}},
      {"lx", {1, {-2, 0, 0, 0, 0, 0, 1}}},
      {"Bq", {1, {0, 0, -1}}},
      {"Gy", {1, {2, 0, -2}}},
      {"Sv", {1, {2, 0, -2}}},
      {"L", {1e-3, {3}}},
      {"l", {1e-3, {3}}},
      {"eV", {1.602176634e-19, {2, 1, -2}}},
      {"bar", {1e5, {-1, 1, -2}}},
      {"rad", {1, {}}},
  };
  return units;
}

const Units& plain_symbols() {
  static const Units units = {
      {"min", {60, {0, 0, 1}}}, {"h", {3600, {0, 0, 1}}},       {"hr", {3600, {0, 0, 1}}}, {"d", {86400, {0, 0, 1}}},
      {"t", {1000, {0, 1}}},    {"atm", {101325, {-1, 1, -2}}}, {"sr", {1, {}}},           {"sec", {1, {0, 0, 1}}},
  };
  return units;
}

/// Names to symbols; a plural s is taken off before.
const std::map<std::string, std::string, std::less<>>& names() {
  static const std::map<std::string, std::string, std::less<>> table = {
      {"meter", "m"},         {"metre", "m"},    {"gram", "g"},     {"gramme", "g"}, {"second", "s"},
      {"ampere", "A"},        {"amp", "A"},      {"kelvin", "K"},   {"mole", "mol"}, {"candela", "cd"},
      {"hertz", "Hz"},        {"newton", "N"},   {"pascal", "Pa"},  {"joule", "J"},  {"watt", "W"},
      {"coulomb", "C"},       {"volt", "V"},     {"farad", "F"},    {"ohm", "ohm"},  {"siemens", "S"},
      {"weber", "Wb"},        {"tesla", "T"},    {"henry", "H"},    {"lumen", "lm"}, {"lux", "lx"},
      {"becquerel", "Bq"},    {"gray", "Gy"},    {"sievert", "Sv"}, {"liter", "L"},  {"litre", "L"},
      {"electronvolt", "eV"}, {"radian", "rad"}, {"minute", "min"}, {"hour", "h"},   {"day", "d"},
      {"tonne", "t"},
  };
  return table;
}

const std::map<std::string, double, std::less<>>& symbol_prefixes() {
  static const std::map<std::string, double, std::less<>> table = {
      {"f", 1e-15}, {"p", 1e-12}, {"n", 1e-9}, {"u", 1e-6}, {"m", 1e-3}, {"c", 1e-2}, {"d", 1e-1},
      {"h", 1e2},   {"k", 1e3},   {"M", 1e6},  {"G", 1e9},  {"T", 1e12}, {"P", 1e15}};
  return table;
}
const std::map<std::string, double, std::less<>>& name_prefixes() {
  static const std::map<std::string, double, std::less<>> table = {
      {"femto", 1e-15}, {"pico", 1e-12}, {"nano", 1e-9}, {"micro", 1e-6}, {"milli", 1e-3}, {"centi", 1e-2},
      {"deci", 1e-1},   {"hecto", 1e2},  {"kilo", 1e3},  {"mega", 1e6},   {"giga", 1e9},   {"tera", 1e12}};
  return table;
}

const UnitRow* find_in(const Units& units, std::string_view name) {
  const auto found = units.find(name);
  return found == units.end() ? nullptr : &found->second;
}

std::optional<UnitRow> find_symbol(std::string_view name) {
  if (const UnitRow* unit = find_in(plain_symbols(), name)) return *unit;
  if (const UnitRow* unit = find_in(prefixed_symbols(), name)) return *unit;
  for (const auto& [prefix, factor] : symbol_prefixes()) {
    if (name.size() <= prefix.size() || name.substr(0, prefix.size()) != prefix) continue;
    if (const UnitRow* unit = find_in(prefixed_symbols(), name.substr(prefix.size()))) {
      return UnitRow{unit->factor * factor, unit->dimension};
    }
  }
  return std::nullopt;
}

std::optional<UnitRow> find_name(std::string_view text) {
  std::string name(text);
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  for (int attempt = 0; attempt < 2; ++attempt) {
    if (const auto found = names().find(name); found != names().end()) return find_symbol(found->second);
    for (const auto& [prefix, factor] : name_prefixes()) {
      const auto found = name.starts_with(prefix) ? names().find(name.substr(prefix.size())) : names().end();
      if (found == names().end()) continue;
      UnitRow unit = *find_symbol(found->second);
      unit.factor *= factor;
      return unit;
    }
    if (name.size() < 2 || name.back() != 's') return std::nullopt;
    name.pop_back();
  }
  return std::nullopt;
}

std::optional<UnitRow> find_si_unit(std::string_view name) {
  if (auto unit = find_symbol(name)) return unit;
  return find_name(name);
}

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
    UnitRow units;
    if (!read_units(units, 1, 0)) return std::nullopt;
    skip_spaces();
    if (!at_end() || !std::isfinite(quantity.value)) return std::nullopt;
    quantity.value *= units.factor;
    quantity.dimension = units.dimension;
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
    if (is_exponent()) {
      digits += text_[at_++];
      if (peek() == '-' || peek() == '+') digits += text_[at_++];
      while (std::isdigit(static_cast<unsigned char>(peek()))) digits += text_[at_++];
    }
    return std::strtod(digits.c_str(), nullptr);
  }
  bool is_thousands_comma() const {
    if (peek() != ',' || at_ + 3 >= text_.size()) return false;
    for (size_t i = 1; i <= 3; ++i) {
      if (!std::isdigit(static_cast<unsigned char>(text_[at_ + i]))) return false;
    }
    return at_ + 4 >= text_.size() || !std::isdigit(static_cast<unsigned char>(text_[at_ + 4]));
  }
  /// "e5", but not the e of a unit.
  bool is_exponent() const {
    if (peek() != 'e' && peek() != 'E') return false;
    const size_t sign = at_ + 1 < text_.size() && (text_[at_ + 1] == '-' || text_[at_ + 1] == '+') ? 1 : 0;
    return at_ + 1 + sign < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_ + 1 + sign]));
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
        const auto exponent = read_integer();
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

  std::optional<int> read_integer() {
    const bool in_brackets = peek() == '(';
    if (in_brackets) ++at_;
    int value = 0;
    if (peek() == '+') ++at_;
    const char* const begin = text_.data() + at_;
    const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value);
    if (error != std::errc()) return std::nullopt;
    at_ += static_cast<size_t>(end - begin);
    if (in_brackets && peek() != ')') return std::nullopt;
    if (in_brackets) ++at_;
    return value;
  }

  std::string read_word() {
    std::string word;
    while (std::isalpha(static_cast<unsigned char>(peek()))) word += text_[at_++];
    return word;
  }

  static bool multiply(UnitRow& units, const UnitRow& unit, int exponent) {
    if (std::abs(exponent) > kMostExponent) return false;
    units.factor *= std::pow(unit.factor, exponent);
    for (size_t i = 0; i < units.dimension.size(); ++i) {
      units.dimension[i] += unit.dimension[i] * exponent;
      if (std::abs(units.dimension[i]) > 100) return false;
    }
    return true;
  }

  /// A product of units up to a closing bracket or the end; `sign` is -1 in a denominator.
  bool read_units(UnitRow& units, int sign, int depth) {
    if (depth > 8) return false;
    int next = sign;
    bool any = false;
    while (true) {
      skip_spaces();
      const char c = peek();
      if (at_end() || c == ')') return any;
      if (c == '*') {
        if (!any) return false;
        ++at_;
        next = sign;
      } else if (c == '/') {
        ++at_;
        next = -sign;
      } else if (c == '(') {
        ++at_;
        if (!read_units(units, next, depth + 1) || peek() != ')') return false;
        ++at_;
        any = true;
      } else if (!read_factor(units, sign, next)) {
        return false;
      } else {
        any = true;
      }
    }
  }

  /// A unit with its power, or one of the words between units. `sign` as in read_units, `next` that of the next factor.
  bool read_factor(UnitRow& units, int sign, int& next) {
    std::string word = read_word();
    if (word.empty()) return false;
    if (word == "per") {
      next = -sign;
      return true;
    }
    int exponent = 1;
    if (word == "square" || word == "cubic") {
      exponent = word == "square" ? 2 : 3;
      skip_spaces();
      word = read_word();
    }
    const auto unit = find_si_unit(word);
    if (!unit) return false;
    if (peek() == '^') {
      ++at_;
      const auto power = read_integer();
      if (!power) return false;
      exponent *= *power;
    } else {
      exponent *= power_word();
    }
    return multiply(units, *unit, exponent * next);
  }
  int power_word() {
    const size_t begin = at_;
    skip_spaces();
    const std::string word = read_word();
    if (word == "squared") return 2;
    if (word == "cubed") return 3;
    at_ = begin;
    return 1;
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
  static const char* const kBase[] = {"m", "kg", "s", "A", "K", "mol", "cd"};
  std::string text;
  for (size_t i = 0; i < dimension.size(); ++i) {
    if (dimension[i] == 0) continue;
    text += (text.empty() ? "" : " ") + std::string(kBase[i]);
    if (dimension[i] != 1) text += "^" + std::to_string(dimension[i]);
  }
  return text.empty() ? "no unit" : text;
}

}  // namespace plumbline

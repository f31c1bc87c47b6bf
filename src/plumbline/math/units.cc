#include "plumbline/math/units.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "plumbline/math/number_text.h"

namespace plumbline {
namespace {

constexpr size_t kMostCharacters = 256;
constexpr int kMostExponent = 12;

using Units = std::map<std::string, Unit, std::less<>>;

/// "0.3048", "1e-3".
Rational exact(std::string_view text) {
  const size_t e = std::min(text.find('e'), text.size());
  const auto digits = e < text.size() ? plain_decimal(text.substr(0, e), text.substr(e)) : std::string(text);
  return *Rational::of_decimal(*digits);
}

/// Symbols that take prefixes.
const Units& prefixed_symbols() {
  static const Units units = {
      {"m", {exact("1"), {1}}},
      {"g", {exact("1e-3"), {0, 1}}},
      {"s", {exact("1"), {0, 0, 1}}},
      {"A", {exact("1"), {0, 0, 0, 1}}},
      {"K", {exact("1"), {0, 0, 0, 0, 1}}},
      {"mol", {exact("1"), {0, 0, 0, 0, 0, 1}}},
      {"cd", {exact("1"), {0, 0, 0, 0, 0, 0, 1}}},
      {"Hz", {exact("1"), {0, 0, -1}}},
      {"N", {exact("1"), {1, 1, -2}}},
      {"Pa", {exact("1"), {-1, 1, -2}}},
      {"J", {exact("1"), {2, 1, -2}}},
      {"W", {exact("1"), {2, 1, -3}}},
      {"C", {exact("1"), {0, 0, 1, 1}}},
      {"V", {exact("1"), {2, 1, -3, -1}}},
      {"F", {exact("1"), {-2, -1, 4, 2}}},
      {"ohm", {exact("1"), {2, 1, -3, -2}}},
      {"S", {exact("1"), {-2, -1, 3, 2}}},
      {"Wb", {exact("1"), {2, 1, -2, -1}}},
      {"T", {exact("1"), {0, 1, -2, -1}}},
      {"H", {exact("1"), {2, 1, -2, -2}}},
      {"lm", {exact("1"), {0, 0, 0, 0, 0, 0, 1}}},
      {"lx", {exact("1"), {-2, 0, 0, 0, 0, 0, 1}}},
      {"Bq", {exact("1"), {0, 0, -1}}},
      {"Gy", {exact("1"), {2, 0, -2}}},
      {"Sv", {exact("1"), {2, 0, -2}}},
      {"L", {exact("1e-3"), {3}}},
      {"l", {exact("1e-3"), {3}}},
      {"eV", {exact("1.602176634e-19"), {2, 1, -2}}},
      {"bar", {exact("1e5"), {-1, 1, -2}}},
      {"rad", {exact("1"), {}}},
  };
  return units;
}

const Units& plain_symbols() {
  static const Units units = {
      {"min", {exact("60"), {0, 0, 1}}},
      {"h", {exact("3600"), {0, 0, 1}}},
      {"hr", {exact("3600"), {0, 0, 1}}},
      {"d", {exact("86400"), {0, 0, 1}}},
      {"t", {exact("1000"), {0, 1}}},
      {"atm", {exact("101325"), {-1, 1, -2}}},
      {"sr", {exact("1"), {}}},
      {"sec", {exact("1"), {0, 0, 1}}},
      {"in", {exact("0.0254"), {1}, false}},
      {"ft", {exact("0.3048"), {1}, false}},
      {"yd", {exact("0.9144"), {1}, false}},
      {"mi", {exact("1609.344"), {1}, false}},
      {"$", {exact("1"), {0, 0, 0, 0, 0, 0, 0, 0, 1}, false}},
  };
  return units;
}

/// Names of what has a symbol; a plural s is taken off before.
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

/// Names that take no prefix.
const Units& plain_names() {
  static const Dimension degree = {0, 0, 0, 0, 0, 0, 0, 1}, dollar = {0, 0, 0, 0, 0, 0, 0, 0, 1};
  static const Units units = {
      {"inch", {exact("0.0254"), {1}, false}},
      {"inche", {exact("0.0254"), {1}, false}},  // inches
      {"foot", {exact("0.3048"), {1}, false}},
      {"feet", {exact("0.3048"), {1}, false}},
      {"yard", {exact("0.9144"), {1}, false}},
      {"mile", {exact("1609.344"), {1}, false}},
      {"degree", {exact("1"), degree, false}},
      {"dollar", {exact("1"), dollar, false}},
      {"cent", {exact("0.01"), dollar, false}},
      {"unit", {exact("1"), {0, 0, 0, 0, 0, 0, 0, 0, 0, 1}, false}},
      {"mph", {exact("0.44704"), {1, 0, -1}, false}},
      {"kph", {*exact("5").over(exact("18")), {1, 0, -1}, false}},
      {"lb", {exact("0.45359237"), {0, 1}, false}},
      {"pound", {exact("0.45359237"), {0, 1}, false}},
      {"gal", {exact("3.785411784e-3"), {3}, false}},
      {"gallon", {exact("3.785411784e-3"), {3}, false}},
      {"quart", {exact("9.46352946e-4"), {3}, false}},
      {"pint", {exact("4.73176473e-4"), {3}, false}},
      {"week", {exact("604800"), {0, 0, 1}, false}},
      {"pair", {exact("2"), {}, false}},
      {"couple", {exact("2"), {}, false}},
      {"dozen", {exact("12"), {}, false}},
      {"hundred", {exact("100"), {}, false}},
      {"thousand", {exact("1000"), {}, false}},
      {"million", {exact("1e6"), {}, false}},
      {"billion", {exact("1e9"), {}, false}},
      {"trillion", {exact("1e12"), {}, false}},
  };
  return units;
}

const std::map<std::string, Rational, std::less<>>& symbol_prefixes() {
  static const std::map<std::string, Rational, std::less<>> table = {
      {"f", exact("1e-15")}, {"p", exact("1e-12")}, {"n", exact("1e-9")}, {"u", exact("1e-6")}, {"m", exact("1e-3")},
      {"c", exact("1e-2")},  {"d", exact("1e-1")},  {"h", exact("1e2")},  {"k", exact("1e3")},  {"M", exact("1e6")},
      {"G", exact("1e9")},   {"T", exact("1e12")},  {"P", exact("1e15")}};
  return table;
}
const std::map<std::string, Rational, std::less<>>& name_prefixes() {
  static const std::map<std::string, Rational, std::less<>> table = {
      {"femto", exact("1e-15")}, {"pico", exact("1e-12")}, {"nano", exact("1e-9")}, {"micro", exact("1e-6")},
      {"milli", exact("1e-3")},  {"centi", exact("1e-2")}, {"deci", exact("1e-1")}, {"hecto", exact("1e2")},
      {"kilo", exact("1e3")},    {"mega", exact("1e6")},   {"giga", exact("1e9")},  {"tera", exact("1e12")}};
  return table;
}

const Unit* find_in(const Units& units, std::string_view name) {
  const auto found = units.find(name);
  return found == units.end() ? nullptr : &found->second;
}

std::optional<Unit> with_prefix(Unit unit, const Rational& prefix) {
  unit.factor = *unit.factor.times(prefix);
  return unit;
}

std::optional<Unit> find_symbol(std::string_view name) {
  if (const Unit* unit = find_in(plain_symbols(), name)) return *unit;
  if (const Unit* unit = find_in(prefixed_symbols(), name)) return *unit;
  for (const auto& [prefix, factor] : symbol_prefixes()) {
    if (name.size() <= prefix.size() || name.substr(0, prefix.size()) != prefix) continue;
    if (const Unit* unit = find_in(prefixed_symbols(), name.substr(prefix.size()))) return with_prefix(*unit, factor);
  }
  return std::nullopt;
}

std::string lower(std::string_view text) {
  std::string name(text);
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return name;
}

std::optional<Unit> find_name(std::string_view text) {
  std::string name = lower(text);
  for (int attempt = 0; attempt < 2; ++attempt) {
    if (const auto found = names().find(name); found != names().end()) return find_symbol(found->second);
    if (const Unit* unit = find_in(plain_names(), name)) return *unit;
    for (const auto& [prefix, factor] : name_prefixes()) {
      const auto found = name.starts_with(prefix) ? names().find(name.substr(prefix.size())) : names().end();
      if (found != names().end()) return with_prefix(*find_symbol(found->second), factor);
    }
    if (name.size() < 2 || name.back() != 's') return std::nullopt;
    name.pop_back();
  }
  return std::nullopt;
}

/// "KG", "kms": as people write them.
std::optional<std::string> usual_symbol(std::string_view text) {
  static const std::set<std::string> symbols = {"cm", "mm",  "km", "in",  "ft", "yd", "mi",  "kg",  "mg",
                                                "lb", "sec", "ms", "min", "hr", "ml", "gal", "mph", "kph"};
  std::string name = lower(text);
  if (symbols.count(name)) return name;
  if (name.size() > 2 && name.back() == 's') name.pop_back();
  return symbols.count(name) ? std::optional(name) : std::nullopt;
}

class UnitParser {
 public:
  explicit UnitParser(std::string_view text) : text_(text) {}

  std::optional<Unit> parse() {
    Unit units;
    if (!read_units(units, 1, 0)) return std::nullopt;
    return at_end() ? std::optional(units) : std::nullopt;
  }

 private:
  bool at_end() const { return at_ >= text_.size(); }
  char peek() const { return at_end() ? '\0' : text_[at_]; }
  void skip_spaces() {
    while (!at_end() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
  }

  std::string_view read_word() {
    const size_t begin = at_;
    if (peek() == '$') ++at_;
    while (at_ == begin || text_[at_ - 1] != '$') {
      if (!std::isalpha(static_cast<unsigned char>(peek()))) break;
      ++at_;
    }
    return text_.substr(begin, at_ - begin);
  }

  static bool multiply(Unit& units, const Unit& unit, int exponent) {
    if (std::abs(exponent) > kMostExponent) return false;
    const auto power = unit.factor.to_power(exponent);
    const auto factor = power ? units.factor.times(*power) : std::nullopt;
    if (!factor) return false;
    units.factor = *factor;
    units.is_si = units.is_si && unit.is_si;
    for (size_t i = 0; i < units.dimension.size(); ++i) {
      units.dimension[i] += unit.dimension[i] * exponent;
      if (std::abs(units.dimension[i]) > 100) return false;
    }
    return true;
  }

  /// A product of units up to a closing bracket or the end; `sign` is -1 in a denominator.
  bool read_units(Unit& units, int sign, int depth) {
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
        any = false;
      } else if (c == '/') {
        ++at_;
        next = -sign;
        any = false;
      } else if (c == '(') {
        ++at_;
        if (!read_units(units, next, depth + 1) || peek() != ')') return false;
        ++at_;
        any = true;
      } else if (!read_factor(units, sign, next, any)) {
        return false;
      }
    }
  }

  /// A unit with its power, or one of the words between units. `sign` as in read_units, `next` that of the next factor;
  /// `any` says whether what was read may end here.
  bool read_factor(Unit& units, int sign, int& next, bool& any) {
    std::string_view word = read_word();
    if (word.empty()) return false;
    if (word == "per") {
      next = -sign;
      any = false;
      return true;
    }
    any = true;
    int exponent = 1;
    if (word == "square" || word == "sq" || word == "cubic") {
      exponent = word == "cubic" ? 3 : 2;
      skip_spaces();
      word = read_word();
    }
    const auto unit = find_unit(word);
    if (!unit) return false;
    if (peek() == '^') {
      ++at_;
      const auto power = read_power(text_, at_);
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
    const std::string_view word = read_word();
    if (word == "squared") return 2;
    if (word == "cubed") return 3;
    at_ = begin;
    return 1;
  }

  const std::string_view text_;
  size_t at_ = 0;
};

}  // namespace

std::optional<Unit> find_unit(std::string_view name) {
  if (auto unit = find_symbol(name)) return unit;
  if (auto unit = find_name(name)) return unit;
  const auto usual = usual_symbol(name);
  if (!usual) return std::nullopt;
  auto unit = find_symbol(*usual);
  if (!unit) unit = find_name(*usual);
  unit->is_si = false;
  return unit;
}

std::optional<Unit> parse_units(std::string_view text) {
  return text.size() > kMostCharacters ? std::nullopt : UnitParser(text).parse();
}

bool is_usual_unit(std::string_view name) {
  // Without a factor here: two that differ are undecided.
  static const std::set<std::string, std::less<>> others = {"kB",  "KB",  "MB",  "GB", "TB", "kWh", "hp",  "HP", "rpm",
                                                            "psi", "ppm", "mpg", "oz", "yr", "yrs", "USD", "EUR"};
  return usual_symbol(name).has_value() || lower(name) == "day" || others.count(name) > 0;
}

std::vector<Unit> units_like(const Unit& unit) {
  std::vector<Unit> found;
  const auto collect = [&](const Unit& other) {
    for (int power = 1; power <= 3; ++power) {
      Dimension dimension = other.dimension;
      for (int& exponent : dimension) exponent *= power;
      if (dimension == unit.dimension) found.push_back({*other.factor.to_power(power), dimension});
    }
  };
  for (const auto& [name, other] : prefixed_symbols()) {
    collect(other);
    for (const auto& [prefix, factor] : symbol_prefixes()) collect(*with_prefix(other, factor));
  }
  for (const auto& [name, other] : plain_symbols()) collect(other);
  for (const auto& [name, other] : plain_names()) collect(other);
  return found;
}

}  // namespace plumbline

#include "plumbline/math/units.h"

#include <algorithm>
#include <cctype>
#include <map>

namespace plumbline {
namespace {

struct Row {
  const char* dimension;
  int64_t numerator, denominator;
};

const std::map<std::string, Row, std::less<>>& table() {
  static const std::map<std::string, Row, std::less<>> rows = {{"m", {"length", 1, 1}},
                                                               {"meter", {"length", 1, 1}},
                                                               {"metre", {"length", 1, 1}},
                                                               {"cm", {"length", 1, 100}},
                                                               {"centimeter", {"length", 1, 100}},
                                                               {"mm", {"length", 1, 1000}},
                                                               {"millimeter", {"length", 1, 1000}},
                                                               {"km", {"length", 1000, 1}},
                                                               {"kilometer", {"length", 1000, 1}},
                                                               {"in", {"length", 254, 10000}},
                                                               {"inch", {"length", 254, 10000}},
                                                               {"inches", {"length", 254, 10000}},
                                                               {"ft", {"length", 3048, 10000}},
                                                               {"foot", {"length", 3048, 10000}},
                                                               {"feet", {"length", 3048, 10000}},
                                                               {"yd", {"length", 9144, 10000}},
                                                               {"yard", {"length", 9144, 10000}},
                                                               {"mi", {"length", 1609344, 1000}},
                                                               {"mile", {"length", 1609344, 1000}},
                                                               {"kg", {"mass", 1, 1}},
                                                               {"kilogram", {"mass", 1, 1}},
                                                               {"g", {"mass", 1, 1000}},
                                                               {"gram", {"mass", 1, 1000}},
                                                               {"mg", {"mass", 1, 1000000}},
                                                               {"s", {"time", 1, 1}},
                                                               {"sec", {"time", 1, 1}},
                                                               {"second", {"time", 1, 1}},
                                                               {"ms", {"time", 1, 1000}},
                                                               {"min", {"time", 60, 1}},
                                                               {"minute", {"time", 60, 1}},
                                                               {"h", {"time", 3600, 1}},
                                                               {"hr", {"time", 3600, 1}},
                                                               {"hour", {"time", 3600, 1}},
                                                               {"day", {"time", 86400, 1}},
                                                               {"l", {"volume", 1, 1}},
                                                               {"liter", {"volume", 1, 1}},
                                                               {"litre", {"volume", 1, 1}},
                                                               {"ml", {"volume", 1, 1000}},
                                                               {"milliliter", {"volume", 1, 1000}},
                                                               {"degree", {"degree", 1, 1}},
                                                               {"dollar", {"dollar", 1, 1}},
                                                               {"$", {"dollar", 1, 1}},
                                                               {"cent", {"dollar", 1, 100}},
                                                               {"unit", {"unit", 1, 1}}};
  return rows;
}

}  // namespace

std::optional<Unit> find_unit(std::string_view name) {
  std::string text(name);
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  int power = 1;
  for (const auto& [word, exponent] : {std::pair<std::string, int>{"square ", 2}, {"cubic ", 3}, {"sq ", 2}}) {
    if (text.rfind(word, 0) != 0) continue;
    text.erase(0, word.size());
    power = exponent;
  }
  if (text.size() > 2 && text[text.size() - 2] == '^' && (text.back() == '2' || text.back() == '3')) {
    power = text.back() - '0';
    text.resize(text.size() - 2);
  }
  auto found = table().find(text);
  if (found == table().end() && text.size() > 2 && text.back() == 's')
    found = table().find(text.substr(0, text.size() - 1));
  if (found == table().end()) return std::nullopt;
  const Row& row = found->second;
  int64_t numerator = 1, denominator = 1;
  for (int i = 0; i < power; ++i) {
    numerator *= row.numerator;
    denominator *= row.denominator;
  }
  Unit unit;
  unit.dimension = row.dimension + (power > 1 ? "^" + std::to_string(power) : std::string());
  unit.factor = static_cast<double>(numerator) / static_cast<double>(denominator);
  unit.exact = std::to_string(numerator) + "/" + std::to_string(denominator);
  return unit;
}

bool is_known_unit(std::string_view name) {
  return find_unit(name).has_value();
}

}  // namespace plumbline

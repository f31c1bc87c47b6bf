/// Quantities against values worked out by hand.
#include "plumbline/math/quantity.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

namespace plumbline {
namespace {

struct Case {
  std::string text;
  double value;
  Dimension dimension;
};

TEST(Quantity, ReadsPlainAndLatexUnits) {
  const std::vector<Case> cases = {
      {"12.5 m/s^2", 12.5, {1, 0, -2}},
      {"3.0 \\times 10^8\\,\\mathrm{m/s}", 3e8, {1, 0, -1}},
      {"$4.2 \\times 10^{-3}$ kg", 4.2e-3, {0, 1}},
      {"4186 J/(kg K)", 4186, {2, 0, -2, 0, -1}},
      {"4186 J/kg K", 4186, {2, 0, -2, 0, -1}},
      {"4186 J kg^-1 K^-1", 4186, {2, 0, -2, 0, -1}},
      {"4186 J kg\u207B\u00B9 K\u207B\u00B9", 4186, {2, 0, -2, 0, -1}},
      {"36 km/h", 10, {1, 0, -1}},
      {"7 newtons", 7, {1, 1, -2}},
      {"2 kilograms", 2, {0, 1}},
      {"5 \u00B5C", 5e-6, {0, 0, 1, 1}},
      {"5 \\mu C", 5e-6, {0, 0, 1, 1}},
      {"250 mA", 0.25, {0, 0, 0, 1}},
      {"3 \u03A9", 3, {2, 1, -3, -2}},
      {"1 bar", 1e5, {-1, 1, -2}},
      {"1,250 Pa", 1250, {-1, 1, -2}},
      {"-2e3 N*m", -2000, {2, 1, -2}},
      {"3/4 m", 0.75, {1}},
      {"9 metres per second squared", 9, {1, 0, -2}},
      {"6 square metres", 6, {2}},
      {"2 L", 2e-3, {3}},
      {"8", 8, {}},
      {"1000 kg m^{-3}", 1000, {-3, 1}},
      {"5 m/s*kg", 5, {1, 1, -1}},
  };
  for (const Case& wanted : cases) {
    const auto found = parse_quantity(wanted.text);
    ASSERT_TRUE(found) << wanted.text;
    EXPECT_NEAR(found->value, wanted.value, 1e-12 * std::abs(wanted.value)) << wanted.text;
    EXPECT_EQ(found->dimension, wanted.dimension) << wanted.text << ": " << dimension_text(found->dimension);
  }
}

TEST(Quantity, RefusesWhatItDoesNotKnow) {
  for (const char* text :
       {"", "m", "5 m/s downward", "5 furlongs", "1.5 kWh", "about 5 m", "1.2.3 m", "5 m^", "5 m^99", "5 (m", "5 / ",
        "5 m) s", "5 ft", "90 degrees", "3 million m", "5 **", "1e999 m", "5 \xff\xfe"}) {
    EXPECT_FALSE(parse_quantity(text)) << text;
  }
  EXPECT_FALSE(parse_quantity("5 " + std::string(300, 'm')));
  EXPECT_FALSE(parse_quantity("5 " + std::string(200, '(')));
}

TEST(Units, HaveExactFactors) {
  for (const auto& [name, factor] :
       std::vector<std::pair<const char*, const char*>>{{"km/h", "5/18"},
                                                        {"mph", "1397/3125"},  // 1609.344 / 3600
                                                        {"in", "127/5000"},
                                                        {"square cm", "1/10000"},
                                                        {"ml", "1/1000000"},
                                                        {"KG", "1/1"},
                                                        {"mg", "1/1000000"},
                                                        {"Mg", "1000/1"},
                                                        {"eV", "801088317/5000000000000000000000000000"},
                                                        {"million dollars", "1000000/1"}}) {
    const auto unit = parse_units(name);
    ASSERT_TRUE(unit) << name;
    EXPECT_EQ(unit->factor.text(), factor) << name;
  }
  for (const char* name : {"", "apples", "cm apples", "m/", "(m", "m^", "m^99", "per"}) {
    EXPECT_FALSE(parse_units(name)) << name;
  }
}

TEST(Quantity, DimensionsAreShownInBaseUnits) {
  EXPECT_EQ(dimension_text(parse_quantity("1 N")->dimension), "m kg s^-2");
  EXPECT_EQ(dimension_text({}), "no unit");
}

}  // namespace
}  // namespace plumbline

/// Units that stand behind numbers, with exact factors: one table for mathematics and physics.
#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include "plumbline/math/rational.h"

namespace plumbline {

/// Exponents of m, kg, s, A, K, mol, cd; then of what SI has no base unit for: degree, dollar, and "unit" itself.
using Dimension = std::array<int, 10>;
inline constexpr size_t kDegree = 7, kDollar = 8, kAnyUnit = 9;

/// A factor times base units.
struct Unit {
  Rational factor = Rational(1);
  Dimension dimension{};
  bool is_si = true;  ///< false for inches, degrees, dollars, "million", and for symbols in the wrong case
};

/// One unit by symbol or name, singular or plural: the SI's with their prefixes, litre, minute, hour, day, bar, atm,
/// eV, tonne; inch, foot, yard, mile, mph, kph, pound, the American gallon, quart and pint, week, degree, dollar,
/// cent, "units". Numbers without a dimension: radian; pair, couple, dozen, hundred, thousand, million, billion,
/// trillion.
std::optional<Unit> find_unit(std::string_view name);

/// A product of them: "m/s^2", "J/(kg K)", "kg m^-3", "metres per second squared", "square cm". "a/b c" reads as
/// a/(b c), "a/b*c" from left to right. Unset for anything else, more than 256 characters among it.
std::optional<Unit> parse_units(std::string_view text);

/// cm, kg, min, GB and the like, known to find_unit or not: of two or three letters, and behind digits hardly ever a
/// product of letters.
bool is_usual_unit(std::string_view name);

/// Units of one dimension, squares and cubes among them, to look for the one that an answer without a unit may mean.
std::vector<Unit> units_like(const Unit& unit);

}  // namespace plumbline

/// Physical quantities: a number and SI units, as a value in base units with its dimension.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "plumbline/math/units.h"

namespace plumbline {

struct Quantity {
  double value = 0;  ///< in base units
  Dimension dimension{};
};

/// Plain and LaTeX: "12.5 m/s^2", "3.0 \times 10^8\,\mathrm{m/s}", "4.2e3 J/(kg K)", "50 km h^-1", "7 newtons". Units
/// are the SI's with their prefixes, litre, minute, hour, day, bar, atm, eV and the tonne, by symbol or by name;
/// radians are plain numbers. "a/b c" reads as a/(b c), "a/b*c" from left to right. A number alone has no dimension.
/// Unset for anything else: a unit that is not known, words behind the quantity, more than 256 characters.
std::optional<Quantity> parse_quantity(std::string_view text);

/// "m kg s^-2"; "no unit" for a plain number.
std::string dimension_text(const Dimension& dimension);

}  // namespace plumbline

/// Units that stand behind numbers in answers.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace plumbline {

/// A unit as a factor times a base unit of its dimension.
struct Unit {
  std::string dimension;  ///< "length", "mass", ...; with a power for squares and cubes: "length^2"
  double factor = 1;      ///< exact in decimal for all but none: 2.54, 0.001, ...
  std::string exact;      ///< the factor as a fraction, "127/50"
};

/// Singular and plural, "cm^2" and "square centimeters" alike. Unset for what is no known unit.
std::optional<Unit> find_unit(std::string_view name);
bool is_known_unit(std::string_view name);

}  // namespace plumbline

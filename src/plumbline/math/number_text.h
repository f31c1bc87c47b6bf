/// Numbers in scientific notation, as they stand in texts: one reading for mathematics, quantities and problems.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace plumbline {

/// Bytes of the exponent at the start of what stands behind a number's digits: e or E, a sign or none, digits, with
/// nothing between and no point with digits behind. 0 when there is none: "e - 3", "e^2", "e".
size_t exponent_size(std::string_view behind_digits);

/// "2.5" and "e-3" as "0.0025". Unset for exponents beyond 400 either way.
std::optional<std::string> plain_decimal(std::string_view digits, std::string_view exponent);

/// A power behind "^", in round brackets or none: "-2", "(3)", "+1". Moves `at` behind it when there is one.
std::optional<int> read_power(std::string_view text, size_t& at);

}  // namespace plumbline

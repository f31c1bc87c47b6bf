/// Arithmetic on Python's integers, kept as decimal digits (PythonValue::text). Exact for any length up to 10,000
/// digits; beyond that, and for a division by zero, unset.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace plumbline {

/// `symbol` is one of + - * // % ** (the exponent of ** not negative). // and % round down, as in Python.
std::optional<std::string> integer_arithmetic(std::string_view symbol, const std::string& left,
                                              const std::string& right);

/// Negative, zero or positive as left is below, equal to or above right.
int compare_integers(std::string_view left, std::string_view right);

}  // namespace plumbline

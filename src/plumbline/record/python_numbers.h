/// Numbers of the evaluator: int (bool counts as one) and float, with Python's rules for mixing them.
#pragma once

#include <optional>
#include <string_view>

#include "plumbline/record/python_value.h"

namespace plumbline {

/// bool, int or float.
bool is_python_number(const PythonValue& value);
/// The number as a double; unset for other kinds and where Python raises OverflowError.
std::optional<double> number_as_double(const PythonValue& value);
/// A bool as the int it is; other kinds unchanged.
PythonValue without_bool(const PythonValue& value);
/// + - * / // % ** of two numbers; unset where Python raises or where an int passes 10,000 digits.
std::optional<PythonValue> number_arithmetic(std::string_view symbol, const PythonValue& left,
                                             const PythonValue& right);
/// Exact, as Python compares int with float. False when either is nan.
bool number_less(const PythonValue& left, const PythonValue& right);
/// round(value) and round(value, digits >= 0).
std::optional<PythonValue> rounded(const PythonValue& value, std::optional<int> digits);
/// floor (-1), truncation (0) or ceiling (+1) as an int; unset for inf and nan.
std::optional<PythonValue> to_integer(const PythonValue& value, int direction);

}  // namespace plumbline

/// Evaluates expressions of tests over builtin values, as Python would: operators, comparisons, and the pure functions
/// that asserts use. It runs in the grader on rebuilt values; no code of a submission takes part.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "plumbline/record/python_expression.h"

namespace plumbline {

/// Whether evaluate() knows the expression's every part (dotted function names, their keywords, operators), with
/// `names` as variables: it is then worth what Python says for all builtin values.
bool is_evaluable(const PythonExpression& expression, const std::vector<std::string>& names = {});

/// Whether the function walks through its argument, so that a generator would do for it: sorted, set, sum, ...
bool iterates_argument(const std::string& function);

/// A value that a dotted name stands for: math.pi, inf, string.ascii_lowercase, ...
std::optional<PythonValue> known_constant(const std::string& name);

/// What the expression is worth with results[i] for result i and the given variables. Unset where Python would raise,
/// for anything that is_evaluable() refuses, and past a budget of 100,000 steps or elements. As everywhere here, nan
/// equals itself under ==; sums of floats are added from the left.
std::optional<PythonValue> evaluate(const PythonExpression& expression, std::span<const PythonValue> results = {},
                                    const std::map<std::string, PythonValue>& names = {});

/// Python's bool() of a builtin value.
bool is_truthy(const PythonValue& value);

/// Python's < for numbers, strings, lists and tuples; unset where it raises TypeError.
std::optional<bool> is_less(const PythonValue& left, const PythonValue& right);

}  // namespace plumbline

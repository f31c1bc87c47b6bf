/// Python literals as data: what `assert f(1) == [2]` calls with and expects. Statements are record/test_program.h.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "plumbline/record/problem.h"

namespace plumbline {

/// Reads one literal: ints of any length, floats, strings (all escapes but \N{..}, prefixes r and u, adjacent pieces
/// joined, triple quotes), True, False, None, lists, tuples, dicts, sets, `set()`, `frozenset(..)`, a sign, and
/// inf, nan, float('inf'), math.inf and the like. Nothing else: no names, no arithmetic, no bytes or f-strings, no
/// complex numbers, no lone surrogates, nothing nested past 100 levels. Unset when the text is not one such literal.
std::optional<PythonValue> parse_python_literal(std::string_view text);

/// Writes a value as Python source that evaluates to it with builtins only.
std::string to_python_literal(const PythonValue& value);

/// `f(1, k='a')` for the problem's entry point.
std::string to_python_call(const TestCase& test, std::string_view entry_point);

}  // namespace plumbline

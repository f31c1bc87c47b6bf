/// A strict parser of answers: plain text and LaTeX to a tree. It knows what it knows and fails on the rest; a failure
/// is never "wrong".
#pragma once

#include <string_view>
#include <variant>

#include "plumbline/math/expression.h"
#include "plumbline/math/lexer.h"

namespace plumbline {

inline constexpr size_t kMostMathCharacters = 512;

/// Implicit multiplication (2x, 3(x+1), \frac12 x), ^ and ** as power, -x^2 as -(x^2), mixed numbers (1\frac12, 1 1/2),
/// functions with and without brackets (sin 2x, sin^2 x, \log_2 8), |x|, factorials, percent, units behind a value,
/// tuples, lists, sets, intervals, unions, matrices, relations and chains. Texts beyond 512 bytes and nesting beyond 64
/// levels fail. A text that has no meaning with its e-numbers read as scientific ones is read with Euler's e.
std::variant<Expression, MathFailure> parse_math(std::string_view text, MathReading reading = {});

}  // namespace plumbline

/// A tree's value: exact where it is a fraction, with an error bound where it is not.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>

#include "plumbline/math/ball.h"
#include "plumbline/math/expression.h"
#include "plumbline/math/rational.h"

namespace plumbline {

/// Of whole numbers, decimals, + - * /, whole powers, factorials, binomials, percent and absolute values, with the
/// fractions that stand for its symbols. Unset for anything else, and where a number would pass 4,096 bits.
std::optional<Rational> exact_value(const Expression& expression, const std::map<std::string, Rational>& symbols = {});

/// Values of the symbols; what bare `log` means.
struct Assignment {
  std::map<std::string, long double> symbols;
  long double log_base = 0;  ///< 0 = e
};

/// Unset where the expression has no value, where conventions differ (negative bases of broken powers), where rounding
/// hides it, and for what is no scalar.
std::optional<Ball> ball_value(const Expression& expression, const Assignment& assignment);

/// Whether something in it is too small beside its neighbours for rounding to show: a summand below 1e-12 of the
/// largest one, or a number of more than 17 digits.
bool hides_detail(const Expression& expression, const Assignment& assignment);

/// Names of all symbols.
std::set<std::string> symbols_of(const Expression& expression);
/// Whether a logarithm without a base is in it.
bool has_bare_log(const Expression& expression);

}  // namespace plumbline

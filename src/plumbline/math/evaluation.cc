#include "plumbline/math/evaluation.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <string_view>

namespace plumbline {
namespace {

using Kind = ExpressionKind;

constexpr int64_t kMostFactorial = 170;

std::optional<Rational> exact_factorial(const std::optional<Rational>& of) {
  const auto whole = of ? of->whole() : std::nullopt;
  if (!whole || *whole < 0 || *whole > kMostFactorial) return std::nullopt;
  std::optional<Rational> result = Rational(1);
  for (int64_t i = 2; i <= *whole && result; ++i) result = result->times(Rational(i));
  return result;
}

std::optional<Rational> exact_binomial(const std::optional<Rational>& of, const std::optional<Rational>& chosen) {
  constexpr int64_t kNone = -1;
  const int64_t n = of ? of->whole().value_or(kNone) : kNone, k = chosen ? chosen->whole().value_or(kNone) : kNone;
  if (n < 0 || n > kMostFactorial || k < 0 || k > n) return std::nullopt;
  std::optional<Rational> result = Rational(1);
  for (int64_t i = 1; i <= k && result; ++i) {
    result = result->times(Rational(n - k + i));
    if (result) result = result->over(Rational(i));
  }
  return result;
}

using Fractions = std::map<std::string, Rational>;

std::optional<Rational> fold(const Expression& e, const Fractions& symbols,
                             std::optional<Rational> (Rational::*operation)(const Rational&) const) {
  std::optional<Rational> result = exact_value(e.operands[0], symbols);
  for (size_t i = 1; i < e.operands.size() && result; ++i) {
    const auto next = exact_value(e.operands[i], symbols);
    result = next ? ((*result).*operation)(*next) : std::nullopt;
  }
  return result;
}

std::optional<Rational> exact_power(const Expression& e, const Fractions& symbols) {
  const auto base = exact_value(e.operands[0], symbols), exponent = exact_value(e.operands[1], symbols);
  const auto whole = exponent ? exponent->whole() : std::nullopt;
  if (!base || !whole || (base->is_zero() && *whole <= 0)) return std::nullopt;
  return base->to_power(*whole);
}

class BallEvaluator {
 public:
  explicit BallEvaluator(const Assignment& assignment) : assignment_(assignment) {}

  std::optional<Ball> value(const Expression& e) const {
    switch (e.kind) {
      case Kind::kNumber:
        return ball_of(std::strtold(e.text.c_str(), nullptr));
      case Kind::kSymbol: {
        const auto found = assignment_.symbols.find(e.text);
        return found == assignment_.symbols.end() ? std::nullopt : std::optional(ball_of(found->second));
      }
      case Kind::kConstant:
        return constant(e.text);
      case Kind::kAdd:
        return fold(e, [](const Ball& a, const Ball& b) { return std::optional(a + b); });
      case Kind::kMultiply:
        return fold(e, [](const Ball& a, const Ball& b) { return std::optional(a * b); });
      case Kind::kDivide:
        return fold(e, quotient);
      case Kind::kNegate: {
        const auto inside = value(e.operands[0]);
        return inside ? std::optional(ball_of(0) - *inside) : std::nullopt;
      }
      case Kind::kPercent: {
        const auto inside = value(e.operands[0]);
        return inside ? quotient(*inside, ball_of(100)) : std::nullopt;
      }
      case Kind::kPower:
        return raised(e);
      case Kind::kFunction:
        return function(e);
      default:
        return std::nullopt;
    }
  }

 private:
  static std::optional<Ball> constant(const std::string& name) {
    if (name == "pi") return ball_of(std::numbers::pi_v<long double>);
    if (name == "e") return ball_of(std::numbers::e_v<long double>);
    if (name == "i") return Ball{{0, 1}, 0};
    return std::nullopt;  // infinity is no number
  }

  std::optional<Ball> fold(const Expression& e,
                           const std::function<std::optional<Ball>(const Ball&, const Ball&)>& operation) const {
    std::optional<Ball> result = value(e.operands[0]);
    for (size_t i = 1; i < e.operands.size() && result; ++i) {
      const auto next = value(e.operands[i]);
      result = next ? operation(*result, *next) : std::nullopt;
    }
    return result;
  }

  std::optional<Ball> raised(const Expression& e) const {
    const auto exact = exact_value(e.operands[1]);
    const auto base = value(e.operands[0]), exponent = value(e.operands[1]);
    if (!base || !exponent) return std::nullopt;
    return power(*base, *exponent, exact ? exact->whole() : std::nullopt);
  }

  std::optional<Ball> function(const Expression& e) const {
    const auto first = value(e.operands[0]);
    if (!first) return std::nullopt;
    if (e.text == "root") {
      const auto degree = exact_value(e.operands[1]);
      const auto whole = degree ? degree->whole() : std::nullopt;
      return whole ? nth_root(*first, *whole) : std::nullopt;
    }
    if (e.text == "log") return logarithm(e, *first);
    if (e.text == "factorial" || e.text == "binomial") return whole_function(e);
    return apply_function(e.text.c_str(), *first);
  }

  std::optional<Ball> logarithm(const Expression& e, const Ball& of) const {
    const auto inside = apply_function("ln", of);
    std::optional<Ball> base;
    if (e.operands.size() > 1) base = value(e.operands[1]);
    if (e.operands.size() == 1) {
      if (assignment_.log_base == 0) return inside;
      base = ball_of(assignment_.log_base);
    }
    const auto below = base ? apply_function("ln", *base) : std::nullopt;
    return inside && below ? quotient(*inside, *below) : std::nullopt;
  }

  static std::optional<Ball> whole_function(const Expression& e) {
    const auto exact = exact_value(e);
    const auto whole = exact ? exact->whole() : std::nullopt;
    return whole ? std::optional(ball_of(static_cast<long double>(*whole))) : std::nullopt;
  }

  const Assignment& assignment_;
};

}  // namespace

std::optional<Rational> exact_value(const Expression& e, const Fractions& symbols) {
  const auto inside = [&](size_t i) { return exact_value(e.operands[i], symbols); };
  switch (e.kind) {
    case Kind::kNumber:
      return Rational::of_decimal(e.text);
    case Kind::kSymbol: {
      const auto found = symbols.find(e.text);
      return found == symbols.end() ? std::nullopt : std::optional(found->second);
    }
    case Kind::kAdd:
      return fold(e, symbols, &Rational::plus);
    case Kind::kMultiply:
      return fold(e, symbols, &Rational::times);
    case Kind::kDivide:
      return fold(e, symbols, &Rational::over);
    case Kind::kPower:
      return exact_power(e, symbols);
    case Kind::kNegate: {
      const auto value = inside(0);
      return value ? std::optional(value->negated()) : std::nullopt;
    }
    case Kind::kPercent: {
      const auto value = inside(0);
      return value ? value->over(Rational(100)) : std::nullopt;
    }
    case Kind::kFunction:
      if (e.text == "factorial") return exact_factorial(inside(0));
      if (e.text == "binomial") return exact_binomial(inside(0), inside(1));
      if (e.text == "abs") {
        const auto value = inside(0);
        return value && value->sign() < 0 ? std::optional(value->negated()) : value;
      }
      return std::nullopt;
    default:
      return std::nullopt;
  }
}

bool hides_detail(const Expression& e, const Assignment& assignment) {
  constexpr long double kHidden = 1e-12L;
  constexpr int64_t kMostDigits = 17;
  if (e.kind == Kind::kNumber) {
    const size_t first = e.text.find_first_not_of("0.");
    const std::string_view digits = first == std::string::npos ? "" : std::string_view(e.text).substr(first);
    return std::count_if(digits.begin(), digits.end(), [](char c) { return c != '.'; }) > kMostDigits;
  }
  if (e.kind == Kind::kAdd) {
    long double smallest = HUGE_VALL, largest = 0;
    for (const Expression& summand : e.operands) {
      const auto value = ball_value(summand, assignment);
      const long double size = value ? std::abs(value->value) : 0;
      if (size > 0) smallest = std::min(smallest, size);
      largest = std::max(largest, size);
    }
    if (smallest < kHidden * largest) return true;
  }
  return std::any_of(e.operands.begin(), e.operands.end(),
                     [&](const Expression& operand) { return hides_detail(operand, assignment); });
}

std::optional<Ball> ball_value(const Expression& expression, const Assignment& assignment) {
  return BallEvaluator(assignment).value(expression);
}

std::set<std::string> symbols_of(const Expression& expression) {
  std::set<std::string> names;
  if (expression.kind == Kind::kSymbol) names.insert(expression.text);
  for (const Expression& operand : expression.operands) names.merge(symbols_of(operand));
  return names;
}

bool has_bare_log(const Expression& expression) {
  if (expression.kind == Kind::kFunction && expression.text == "log" && expression.operands.size() == 1) return true;
  for (const Expression& operand : expression.operands) {
    if (has_bare_log(operand)) return true;
  }
  return false;
}

}  // namespace plumbline

#include "plumbline/record/python_numbers.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>

#include "plumbline/record/python_integer.h"

namespace plumbline {
namespace {

using Kind = PythonValue::Kind;
using Maybe = std::optional<PythonValue>;

Maybe float_arithmetic(std::string_view symbol, double a, double b) {
  if (symbol == "+") return PythonValue::of_float(a + b);
  if (symbol == "-") return PythonValue::of_float(a - b);
  if (symbol == "*") return PythonValue::of_float(a * b);
  if (symbol == "**") {
    const double power = std::pow(a, b);
    const bool raises = (a == 0 && b < 0) || (a < 0 && std::isfinite(b) && b != std::floor(b)) ||
                        (std::isinf(power) && std::isfinite(a) && std::isfinite(b));
    return raises ? std::nullopt : Maybe(PythonValue::of_float(power));
  }
  if (b == 0) return std::nullopt;
  if (symbol == "/") return PythonValue::of_float(a / b);
  double rest = std::fmod(a, b);
  double quotient = (a - rest) / b;
  if (rest != 0 && (b < 0) != (rest < 0)) {
    rest += b;
    quotient -= 1;
  } else if (rest == 0) {
    rest = std::copysign(0.0, b);
  }
  if (symbol == "%") return PythonValue::of_float(rest);
  double whole = std::floor(quotient);
  if (quotient - whole > 0.5) whole += 1;
  return PythonValue::of_float(quotient == 0 ? std::copysign(0.0, a / b) : whole);
}

std::string whole_digits(double whole) {
  const std::string digits = fmt::format("{:.0f}", whole);
  return digits == "-0" ? "0" : digits;
}

}  // namespace

bool is_python_number(const PythonValue& value) {
  return value.is(Kind::kBool) || value.is(Kind::kInt) || value.is(Kind::kFloat);
}

PythonValue without_bool(const PythonValue& value) {
  return value.is(Kind::kBool) ? PythonValue::of_int(value.boolean ? "1" : "0") : value;
}

std::optional<double> number_as_double(const PythonValue& value) {
  if (value.is(Kind::kFloat)) return value.real;
  if (value.is(Kind::kBool)) return value.boolean ? 1.0 : 0.0;
  if (!value.is(Kind::kInt)) return std::nullopt;
  const double number = std::strtod(value.text.c_str(), nullptr);
  return std::isinf(number) ? std::nullopt : std::optional(number);
}

Maybe number_arithmetic(std::string_view symbol, const PythonValue& left, const PythonValue& right) {
  const PythonValue a = without_bool(left), b = without_bool(right);
  const bool whole = a.is(Kind::kInt) && b.is(Kind::kInt);
  if (whole && symbol != "/" && !(symbol == "**" && b.text.starts_with('-'))) {
    auto digits = integer_arithmetic(symbol, a.text, b.text);
    return digits ? Maybe(PythonValue::of_int(std::move(*digits))) : std::nullopt;
  }
  const auto x = number_as_double(a), y = number_as_double(b);
  return x && y ? float_arithmetic(symbol, *x, *y) : std::nullopt;
}

bool number_less(const PythonValue& left, const PythonValue& right) {
  const PythonValue a = without_bool(left), b = without_bool(right);
  if (a.is(Kind::kFloat) && b.is(Kind::kFloat)) return a.real < b.real;
  if (a.is(Kind::kInt) && b.is(Kind::kInt)) return compare_integers(a.text, b.text) < 0;
  const double real = a.is(Kind::kFloat) ? a.real : b.real;
  if (std::isnan(real)) return false;
  if (std::isinf(real)) return a.is(Kind::kFloat) ? real < 0 : real > 0;
  const std::string floor_digits = whole_digits(std::floor(real));
  const bool has_fraction = real != std::floor(real);
  if (a.is(Kind::kInt)) {
    const int order = compare_integers(a.text, floor_digits);
    return order < 0 || (order == 0 && has_fraction);
  }
  return compare_integers(floor_digits, b.text) < 0;
}

Maybe rounded(const PythonValue& value, std::optional<int> digits) {
  const PythonValue number = without_bool(value);
  if (digits && (*digits < 0 || *digits > 100)) return std::nullopt;
  if (number.is(Kind::kInt)) return number;
  if (!number.is(Kind::kFloat)) return std::nullopt;
  if (!digits) {
    if (!std::isfinite(number.real)) return std::nullopt;
    return PythonValue::of_int(whole_digits(std::nearbyint(number.real)));
  }
  if (!std::isfinite(number.real)) return number;
  return PythonValue::of_float(std::strtod(fmt::format("{:.{}f}", number.real, *digits).c_str(), nullptr));
}

Maybe to_integer(const PythonValue& value, int direction) {
  const PythonValue number = without_bool(value);
  if (number.is(Kind::kInt)) return number;
  if (!number.is(Kind::kFloat) || !std::isfinite(number.real)) return std::nullopt;
  const double whole = direction < 0   ? std::floor(number.real)
                       : direction > 0 ? std::ceil(number.real)
                                       : std::trunc(number.real);
  return PythonValue::of_int(whole_digits(whole));
}

}  // namespace plumbline

#include "plumbline/math/ball.h"

#include <cmath>
#include <limits>
#include <string_view>

namespace plumbline {
namespace {

using Complex = std::complex<long double>;
constexpr long double kLargest = 1e300L, kSmallest = 1e-4000L;  // smaller ones lose digits
constexpr long double kStep = 8 * std::numeric_limits<long double>::epsilon();

std::optional<Ball> checked(const Ball& ball) {
  const bool is_finite =
      std::isfinite(ball.value.real()) && std::isfinite(ball.value.imag()) && std::isfinite(ball.radius);
  const long double size = std::abs(ball.value);
  if (!is_finite || size > kLargest || (size > 0 && size < kSmallest)) return std::nullopt;
  return ball;
}

/// f(x) with the error of x times |f'(x)|.
std::optional<Ball> through(const Complex& result, const Complex& derivative, const Ball& x) {
  return checked({result, std::abs(derivative) * x.radius * 2 + kStep * std::abs(result)});
}

std::optional<Ball> rounded(const Ball& x, long double (*function)(long double)) {
  if (!x.is_real()) return std::nullopt;
  const long double low = function(x.value.real() - 4 * x.radius), high = function(x.value.real() + 4 * x.radius);
  if (low != high) return std::nullopt;
  return ball_of(low);
}

}  // namespace

bool Ball::is_real() const {
  return std::abs(value.imag()) <= 2 * radius + kStep * std::abs(value);
}

Ball ball_of(long double value) {
  return {value, std::abs(value) * std::numeric_limits<long double>::epsilon()};
}

Ball operator+(const Ball& a, const Ball& b) {
  const Complex sum = a.value + b.value;
  return {sum, a.radius + b.radius + kStep * std::abs(sum)};
}

Ball operator-(const Ball& a, const Ball& b) {
  const Complex difference = a.value - b.value;
  return {difference, a.radius + b.radius + kStep * std::abs(difference)};
}

Ball operator*(const Ball& a, const Ball& b) {
  const Complex product = a.value * b.value;
  return {product, std::abs(a.value) * b.radius + std::abs(b.value) * a.radius + a.radius * b.radius +
                       kStep * std::abs(product)};
}

std::optional<Ball> quotient(const Ball& a, const Ball& b) {
  const long double size = std::abs(b.value);
  if (!(size > 8 * b.radius) || size == 0) return std::nullopt;
  const Complex result = a.value / b.value;
  return checked({result, (a.radius + std::abs(result) * b.radius) / (size - b.radius) + kStep * std::abs(result)});
}

std::optional<Ball> apply_function(const char* name, const Ball& x) {
  const std::string_view f = name;
  const Complex z = x.value;
  const Complex one = 1;
  if (f == "exp") {
    const Complex result = std::exp(z);
    return result == Complex(0) ? std::nullopt : through(result, result, x);  // it is never 0
  }
  if (f == "sin") return through(std::sin(z), std::cos(z), x);
  if (f == "cos") return through(std::cos(z), std::sin(z), x);
  if (f == "sinh") return through(std::sinh(z), std::cosh(z), x);
  if (f == "cosh") return through(std::cosh(z), std::sinh(z), x);
  if (f == "tanh") return through(std::tanh(z), one / (std::cosh(z) * std::cosh(z)), x);
  if (f == "arctan") return through(std::atan(z), one / (one + z * z), x);
  if (f == "floor") return rounded(x, floorl);
  if (f == "ceil") return rounded(x, ceill);
  if (f == "abs") return checked({std::abs(z), x.radius + kStep * std::abs(z)});
  if (f == "cbrt") return nth_root(x, 3);
  if (f == "tan" || f == "cot" || f == "sec" || f == "csc") {
    const auto sine = apply_function("sin", x), cosine = apply_function("cos", x);
    if (!sine || !cosine) return std::nullopt;
    if (f == "tan") return quotient(*sine, *cosine);
    if (f == "cot") return quotient(*cosine, *sine);
    return quotient(ball_of(1), f == "sec" ? *cosine : *sine);
  }
  if (f == "ln") {
    if (std::abs(z) <= 8 * x.radius) return std::nullopt;
    const Complex inside =
        x.is_real() ? Complex(z.real(), 0) : z;  // the branch of a real number is not left to rounding
    return through(std::log(inside), one / z, x);
  }
  if (f == "arcsin" || f == "arccos") {
    if (!x.is_real() || std::abs(z.real()) > 1) return std::nullopt;
    const long double rest = std::sqrt(std::max(0.0L, 1 - z.real() * z.real()));
    const long double result = f == "arcsin" ? std::asin(z.real()) : std::acos(z.real());
    if (rest == 0) return x.radius <= kStep ? checked({result, std::sqrt(2 * kStep)}) : std::nullopt;
    return through(result, one / rest, x);
  }
  return std::nullopt;
}

std::optional<Ball> power(const Ball& base, const Ball& exponent, std::optional<int64_t> whole_exponent) {
  if (whole_exponent && std::abs(*whole_exponent) <= 4096) {
    Ball result = ball_of(1), square = base;
    for (int64_t left = std::abs(*whole_exponent); left > 0; left /= 2) {
      if (left % 2 == 1) result = result * square;
      square = square * square;
      if (left > 1 && !checked(square)) return std::nullopt;
    }
    return *whole_exponent < 0 ? quotient(ball_of(1), result) : checked(result);
  }
  const bool is_real = base.is_real();
  if (is_real && base.value.real() <= 8 * base.radius) return std::nullopt;
  const auto logarithm = apply_function("ln", base);
  return logarithm ? apply_function("exp", *logarithm * exponent) : std::nullopt;
}

std::optional<Ball> nth_root(const Ball& x, int64_t degree) {
  if (degree < 1 || degree > 1000) return std::nullopt;
  const long double n = static_cast<long double>(degree);
  if (std::abs(x.value) == 0 && x.radius == 0) return ball_of(0);
  if (std::abs(x.value) <= 8 * x.radius) return std::nullopt;
  if (x.is_real()) {
    const long double size = std::pow(std::abs(x.value.real()), 1 / n);
    const Complex derivative = size / (n * std::abs(x.value.real()));
    if (x.value.real() >= 0) return through(size, derivative, x);
    if (degree % 2 == 1) return through(-size, derivative, x);
    if (degree == 2) return through(Complex(0, size), derivative, x);
  }
  const Complex root = std::pow(x.value, Complex(1 / n));
  return through(root, root / (n * x.value), x);
}

}  // namespace plumbline

#include "plumbline/stats/student_t.h"

#include <cmath>

#include "plumbline/base/check.h"

namespace plumbline {
namespace {

/// The continued fraction of I_x(a, b), by Lentz's method; converges fast for x < (a + 1) / (a + b + 2).
double beta_fraction(double a, double b, double x) {
  constexpr double kTiny = 1e-300, kEnough = 1e-15;
  double c = 1, d = 1 - (a + b) * x / (a + 1);
  d = 1 / (std::abs(d) < kTiny ? kTiny : d);
  double value = d;
  const auto step = [&](double numerator) {
    d = 1 + numerator * d;
    d = 1 / (std::abs(d) < kTiny ? kTiny : d);
    c = 1 + numerator / c;
    if (std::abs(c) < kTiny) c = kTiny;
    value *= c * d;
    return std::abs(c * d - 1);
  };
  for (int m = 1; m <= 10000; ++m) {
    step(m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)));
    if (step(-(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))) < kEnough) break;
  }
  return value;
}

/// I_x(a, b); `y` is 1 - x, given apart because it may be far below rounding.
double incomplete_beta(double a, double b, double x, double y) {
  if (x <= 0) return 0;
  if (y <= 0) return 1;
  const double front =
      std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) + a * std::log(x) + b * std::log(y));
  if (x < (a + 1) / (a + b + 2)) return front * beta_fraction(a, b, x) / a;
  return 1 - front * beta_fraction(b, a, y) / b;
}

}  // namespace

double student_t_cdf(double t, double degrees) {
  PL_CHECK(degrees > 0, "degrees of freedom are positive");
  if (std::isinf(t)) return t > 0 ? 1 : 0;
  const double square = t * t, sum = degrees + square;
  const double tail = 0.5 * incomplete_beta(degrees / 2, 0.5, degrees / sum, square / sum);
  return t > 0 ? 1 - tail : tail;
}

double student_t_quantile(double p, double degrees) {
  PL_CHECK(p > 0 && p < 1, "a quantile needs a probability inside (0, 1)");
  if (p > 0.5) return -student_t_quantile(1 - p, degrees);
  double low = -1;
  while (student_t_cdf(low, degrees) > p) low *= 2;
  double high = 0;
  for (int i = 0; i < 200; ++i) {
    const double middle = low + (high - low) / 2;
    (student_t_cdf(middle, degrees) < p ? low : high) = middle;
  }
  return low + (high - low) / 2;
}

}  // namespace plumbline

#include "plumbline/stats/beta.h"

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

}  // namespace

double incomplete_beta(double a, double b, double x, double y) {
  if (x <= 0) return 0;
  if (y <= 0) return 1;
  const double front =
      std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) + a * std::log(x) + b * std::log(y));
  if (x < (a + 1) / (a + b + 2)) return front * beta_fraction(a, b, x) / a;
  return 1 - front * beta_fraction(b, a, y) / b;
}

double incomplete_beta_inverse(double a, double b, double p) {
  PL_CHECK(p > 0 && p < 1, "a quantile needs a probability inside (0, 1)");
  double low = 0, high = 1;
  for (int i = 0; i < 200; ++i) {
    const double middle = low + (high - low) / 2;
    (incomplete_beta(a, b, middle, 1 - middle) < p ? low : high) = middle;
  }
  return low + (high - low) / 2;
}

}  // namespace plumbline

#include "plumbline/stats/student_t.h"

#include <cmath>

#include "plumbline/base/check.h"
#include "plumbline/stats/beta.h"

namespace plumbline {
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

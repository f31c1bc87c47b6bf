#include "plumbline/stats/interval.h"

#include <algorithm>
#include <cmath>

#include "plumbline/base/check.h"
#include "plumbline/stats/beta.h"
#include "plumbline/stats/input.h"

namespace plumbline {

double normal_quantile(double p) {
  PL_CHECK(p > 0 && p < 1, "a quantile needs a probability inside (0, 1)");
  double low = -40, high = 40;  // the distribution function is monotonic and 0 or 1 beyond
  for (int i = 0; i < 200 && low < high; ++i) {
    const double middle = low + (high - low) / 2;
    (0.5 * std::erfc(-middle / std::sqrt(2.0)) < p ? low : high) = middle;
  }
  return low + (high - low) / 2;
}

namespace {

void require_rate(int64_t count, int64_t total, double level) {
  require_values(total, 1, "an interval of a rate");
  require_domain(count >= 0 && count <= total && level > 0 && level < 1,
                 "a rate needs 0 <= count <= total, and a level inside (0, 1)");
}

}  // namespace

Interval wilson_interval(int64_t count, int64_t total, double level) {
  require_rate(count, total, level);
  const double n = static_cast<double>(total);
  return wilson_interval_of_rate(static_cast<double>(count) / n, n, level);
}

Interval wilson_interval_of_rate(double rate, double n, double level) {
  require_domain(n > 0 && rate >= 0 && rate <= 1 && level > 0 && level < 1,
                 "a rate lies in [0, 1] and rests on n > 0, with a level inside (0, 1)");
  const double z = normal_quantile(0.5 + level / 2), z2 = z * z;
  const double middle = (rate + z2 / (2 * n)) / (1 + z2 / n);
  const double half = z / (1 + z2 / n) * std::sqrt(rate * (1 - rate) / n + z2 / (4 * n * n));
  // At the ends the bound is exactly 0 or 1; rounding would leave it a hair off.
  return {rate == 0 ? 0.0 : std::max(0.0, middle - half), rate == 1 ? 1.0 : std::min(1.0, middle + half)};
}

Interval clopper_pearson_interval(int64_t count, int64_t total, double level) {
  require_rate(count, total, level);
  const double k = static_cast<double>(count), n = static_cast<double>(total), tail = (1 - level) / 2;
  return {count == 0 ? 0.0 : incomplete_beta_inverse(k, n - k + 1, tail),
          count == total ? 1.0 : incomplete_beta_inverse(k + 1, n - k, 1 - tail)};
}

}  // namespace plumbline

#include "plumbline/stats/paired_test.h"

#include <algorithm>
#include <cmath>

#include "plumbline/stats/input.h"
#include "plumbline/stats/moments.h"
#include "plumbline/stats/student_t.h"

namespace plumbline {

PairedDifference paired_difference(std::span<const double> differences, double level) {
  PairedDifference result;
  result.num_pairs = static_cast<int64_t>(differences.size());
  result.mean = mean_of(differences);
  if (differences.size() < 2) return result;
  result.sd = sample_sd(differences);
  // Differences of rates that are equal on paper differ in the last bit.
  constexpr double kNoSpread = 1e-12;
  const auto [least, most] = std::minmax_element(differences.begin(), differences.end());
  if (*most - *least <= kNoSpread) return result;
  const double n = static_cast<double>(differences.size());
  const double half = student_t_quantile(0.5 + level / 2, n - 1) * *result.sd / std::sqrt(n);
  result.interval = Interval{result.mean - half, result.mean + half};
  return result;
}

SeedTest seed_t_test(std::span<const double> differences, double level) {
  require_values(static_cast<int64_t>(differences.size()), 3, "a paired t over seeds");
  require_finite(differences, "a paired t over seeds");
  const PairedDifference paired = paired_difference(differences, level);
  SeedTest test;
  test.num_seeds = paired.num_pairs;
  test.mean = paired.mean;
  if (!paired.interval) return test;
  test.sd = *paired.sd;
  const double n = static_cast<double>(test.num_seeds);
  test.t = test.mean / (test.sd / std::sqrt(n));
  test.p = 2 * student_t_cdf(-std::abs(*test.t), n - 1);
  test.interval = paired.interval;
  return test;
}

}  // namespace plumbline

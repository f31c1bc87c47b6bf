#include "plumbline/stats/paired_test.h"

#include <algorithm>
#include <cmath>

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

}  // namespace plumbline

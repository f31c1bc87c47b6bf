#include "plumbline/stats/granularity.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "plumbline/stats/input.h"

namespace plumbline {

bool is_possible_mean(double value, int64_t n, std::span<const double> rewards, int decimals) {
  require_values(n, 1, "a mean");
  require_values(static_cast<int64_t>(rewards.size()), 1, "a mean");
  require_finite(rewards, "a mean");
  require_finite({&value, 1}, "a mean");
  const auto [least, most] = std::minmax_element(rewards.begin(), rewards.end());
  require_domain(n > 0 && decimals >= 0 && decimals <= 9 && std::max(std::abs(*least), std::abs(*most)) < 1e6,
                 "the grid of means needs n > 0, 0 to 9 decimals and rewards below a million");
  constexpr double kUnit = 1e-9;
  int64_t divisor = 0;
  for (const double reward : rewards) divisor = std::gcd(divisor, std::llround((reward - *least) / kUnit));
  const double half = 0.5 * std::pow(10.0, -decimals) + 1e-12;  // a tie rounds either way
  if (divisor == 0) return std::abs(value - *least) <= half;
  const double step = static_cast<double>(divisor) * kUnit / static_cast<double>(n);
  const double last = std::round((*most - *least) / step);
  const double nearest = std::clamp(std::round((value - *least) / step), 0.0, last);
  return std::abs(value - (*least + nearest * step)) <= half;
}

}  // namespace plumbline

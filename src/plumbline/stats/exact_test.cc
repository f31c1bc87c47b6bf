#include "plumbline/stats/exact_test.h"

#include <algorithm>
#include <cmath>

#include "plumbline/stats/input.h"

namespace plumbline {
namespace {

double log_mass(int64_t count, int64_t total, double rate) {
  const double k = static_cast<double>(count), n = static_cast<double>(total);
  return std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1) + k * std::log(rate) +
         (n - k) * std::log1p(-rate);
}

}  // namespace

double binomial_test(int64_t count, int64_t total, double rate) {
  require_values(total, 1, "a binomial test");
  require_domain(count >= 0 && count <= total && rate > 0 && rate < 1,
                 "a binomial test needs 0 <= count <= total and a rate inside (0, 1)");
  // Outcomes that are equally likely on paper differ in the last bits.
  const double seen = log_mass(count, total, rate) + 1e-7;
  double p = 0;
  for (int64_t k = 0; k <= total; ++k) {
    const double mass = log_mass(k, total, rate);
    if (mass <= seen) p += std::exp(mass);
  }
  return std::min(1.0, p);
}

double mcnemar_exact(int64_t base_only, int64_t candidate_only) {
  require_domain(base_only >= 0 && candidate_only >= 0, "discordant counts are not negative");
  return base_only + candidate_only == 0 ? 1.0 : binomial_test(base_only, base_only + candidate_only);
}

}  // namespace plumbline

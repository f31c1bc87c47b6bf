#include "plumbline/stats/confidence_sequence.h"

#include <algorithm>
#include <cmath>

#include "plumbline/stats/input.h"
#include "plumbline/stats/moments.h"

namespace plumbline {

double confidence_sequence_radius(int64_t n, double sd) {
  require_values(n, 1, "a confidence sequence");
  require_domain(n > 0 && sd >= 0 && std::isfinite(sd), "a confidence sequence needs n > 0 and a finite sd >= 0");
  constexpr double kRhoSquared = 1.0 / 50, kAlpha = 0.05;
  const double count = static_cast<double>(n), a = count * kRhoSquared + 1;
  return sd * std::sqrt(2 * a / (count * count * kRhoSquared) * std::log(std::sqrt(a) / kAlpha));
}

Interval confidence_sequence(std::span<const double> differences) {
  require_values(static_cast<int64_t>(differences.size()), 2, "a confidence sequence");
  require_finite(differences, "a confidence sequence");
  const double mean = mean_of(differences);
  const double radius = confidence_sequence_radius(static_cast<int64_t>(differences.size()), sample_sd(differences));
  return {mean - radius, mean + radius};
}

Interval confidence_sequence(std::span<const Cluster> prompts, std::span<const Cluster> items) {
  require_values(static_cast<int64_t>(prompts.size()), 2, "a confidence sequence");
  const double error = std::max(standard_error_of(prompts), standard_error_of(items)), mean = mean_of(prompts);
  const double sd = error * std::sqrt(static_cast<double>(prompts.size()));
  const double radius = confidence_sequence_radius(static_cast<int64_t>(prompts.size()), sd);
  return {mean - radius, mean + radius};
}

}  // namespace plumbline

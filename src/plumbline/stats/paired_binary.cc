#include "plumbline/stats/paired_binary.h"

#include <algorithm>
#include <cmath>

#include "plumbline/stats/input.h"

namespace plumbline {
namespace {

/// Tango's score statistic of H0: candidate rate - base rate = delta. Falls as delta rises.
double score(double base_only, double candidate_only, double n, double delta) {
  // The larger root of the restricted likelihood equation for P(base only).
  const double a = 2 * n, b = -base_only - candidate_only + (2 * n - candidate_only + base_only) * delta;
  const double c = -base_only * delta * (1 - delta);
  const double restricted = (std::sqrt(std::max(0.0, b * b - 4 * a * c)) - b) / (2 * a);
  const double variance = n * (2 * restricted + delta * (1 - delta));
  const double excess = candidate_only - base_only - n * delta;
  if (variance > 1e-12 * n) return excess / std::sqrt(variance);
  return excess == 0 ? 0 : std::copysign(INFINITY, excess);
}

/// The delta at which the score passes `target`, by bisection in [low, high].
double crossing(double base_only, double candidate_only, double n, double target, double low, double high) {
  for (int i = 0; i < 100; ++i) {
    const double middle = low + (high - low) / 2;
    (score(base_only, candidate_only, n, middle) > target ? low : high) = middle;
  }
  return low + (high - low) / 2;
}

}  // namespace

PairedCounts count_pairs(std::span<const double> base, std::span<const double> candidate) {
  require_paired(base.size(), candidate.size(), "a paired comparison");
  require_values(static_cast<int64_t>(base.size()), 1, "a paired comparison");
  PairedCounts counts;
  for (size_t i = 0; i < base.size(); ++i) {
    const bool is_binary = (base[i] == 0 || base[i] == 1) && (candidate[i] == 0 || candidate[i] == 1);
    require_domain(is_binary, "paired counts need scores of 0 and 1");
    ++counts.num_pairs;
    counts.base_only += base[i] > candidate[i];
    counts.candidate_only += candidate[i] > base[i];
  }
  return counts;
}

Interval tango_interval(double base_only, double candidate_only, double num_pairs, double level) {
  if (num_pairs == 0) require_values(0, 1, "an interval of paired rates");
  require_domain(
      base_only >= 0 && candidate_only >= 0 && base_only + candidate_only <= num_pairs && level > 0 && level < 1,
      "discordant counts are not negative and not above the number of pairs");
  const double z = normal_quantile(0.5 + level / 2);
  const double estimate = (candidate_only - base_only) / num_pairs;
  return {crossing(base_only, candidate_only, num_pairs, z, -1, estimate),
          crossing(base_only, candidate_only, num_pairs, -z, estimate, 1)};
}

ClusteredInterval clustered_tango_interval(std::span<const Cluster> clusters, double level) {
  require_values(static_cast<int64_t>(clusters.size()), 2, "an interval over items");
  const double mean = mean_of(clusters);
  double rows = 0, above = 0, below = 0, spread = 0;
  for (const Cluster& cluster : clusters) {
    const double size = static_cast<double>(cluster.num_rows);
    require_domain(cluster.squares == static_cast<double>(cluster.num_above + cluster.num_below),
                   "an interval of paired rates needs scores of 0 and 1");
    rows += size;
    above += static_cast<double>(cluster.num_above);
    below += static_cast<double>(cluster.num_below);
    spread += (cluster.sum - mean * size) * (cluster.sum - mean * size);
  }
  const double rows_an_item = rows / static_cast<double>(clusters.size());
  const double independent = above + below - rows * mean * mean;
  ClusteredInterval result;
  result.design_effect = std::max(1.0, (spread + rows_an_item) / (independent + 1));
  result.interval =
      tango_interval(below / result.design_effect, above / result.design_effect, rows / result.design_effect, level);
  return result;
}

}  // namespace plumbline

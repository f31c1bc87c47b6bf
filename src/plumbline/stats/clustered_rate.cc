#include "plumbline/stats/clustered_rate.h"

#include <algorithm>

#include "plumbline/stats/input.h"

namespace plumbline {
namespace {

double num_rows(std::span<const Cluster> clusters) {
  double rows = 0;
  for (const Cluster& cluster : clusters) rows += static_cast<double>(cluster.num_rows);
  return rows;
}

double design_effect(std::span<const Cluster> clusters) {
  const double rows = num_rows(clusters), rate = mean_of(clusters);
  if (rows == static_cast<double>(clusters.size())) return 1;  // without the rounding of two sums
  double spread = 0;
  for (const Cluster& cluster : clusters) {
    require_domain(cluster.sum == cluster.squares, "an interval of a rate needs scores of 0 and 1");
    const double residual = cluster.sum - rate * static_cast<double>(cluster.num_rows);
    spread += residual * residual;
  }
  const double size = rows / static_cast<double>(clusters.size()), independent = rows * rate * (1 - rate);
  return (spread + size * size) / (independent + size);
}

}  // namespace

double effective_rows(std::span<const Cluster> prompts, std::span<const Cluster> items) {
  require_values(static_cast<int64_t>(prompts.size()), 1, "an interval of a rate");
  return num_rows(prompts) / std::max({1.0, design_effect(prompts), design_effect(items)});
}

Interval clustered_wilson_interval(std::span<const Cluster> prompts, std::span<const Cluster> items, double level) {
  return wilson_interval_of_rate(mean_of(prompts), effective_rows(prompts, items), level);
}

}  // namespace plumbline

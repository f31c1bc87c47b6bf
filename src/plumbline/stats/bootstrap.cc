#include "plumbline/stats/bootstrap.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "plumbline/base/rng.h"
#include "plumbline/stats/input.h"
#include "plumbline/stats/python_random.h"

namespace plumbline {
namespace {

constexpr size_t kMostItems = size_t{1} << 31;

void require_items(size_t num, int64_t resamples) {
  require_values(static_cast<int64_t>(num), 2, "a bootstrap over items");
  require_domain(num < kMostItems && resamples >= 40 && resamples <= 10'000'000,
                 "a bootstrap takes 40 to 10,000,000 resamples of fewer than 2^31 items");
}

/// End points of the central 95% of sorted means: with 4000 of them, those at 100 and 3900.
Interval percentiles(std::vector<double>& means) {
  std::sort(means.begin(), means.end());
  const double num = static_cast<double>(means.size());
  return {means[static_cast<size_t>(num * 0.025)], means[std::min(means.size() - 1, static_cast<size_t>(num * 0.975))]};
}

struct MeanAndError {
  double mean = 0, error = 0;
};

/// Sums over drawn items: enough for the mean and its linearised standard error.
struct Totals {
  double items = 0, sum = 0, rows = 0, sum_squared = 0, rows_squared = 0, sum_rows = 0;

  void add(const Cluster& cluster) {
    const double size = static_cast<double>(cluster.num_rows);
    items += 1;
    sum += cluster.sum;
    rows += size;
    sum_squared += cluster.sum * cluster.sum;
    rows_squared += size * size;
    sum_rows += cluster.sum * size;
  }
  MeanAndError result() const {
    const double mean = sum / rows;
    const double squares = sum_squared - 2 * mean * sum_rows + mean * mean * rows_squared;
    // What is left when all items agree is rounding.
    const double kept = squares > 1e-12 * (sum_squared + 1e-300) ? squares : 0;
    return {mean, std::sqrt(kept * items / (items - 1)) / rows};
  }
};

}  // namespace

Interval percentile_bootstrap(std::span<const double> differences, int64_t resamples, uint64_t seed) {
  require_items(differences.size(), resamples);
  require_finite(differences, "a bootstrap");
  PythonRandom random(seed);
  const auto n = static_cast<uint32_t>(differences.size());
  std::vector<double> means;
  for (int64_t i = 0; i < resamples; ++i) {
    double sum = 0;
    for (uint32_t draw = 0; draw < n; ++draw) sum += differences[random.next_below(n)];
    means.push_back(sum / n);
  }
  return percentiles(means);
}

Interval percentile_bootstrap(std::span<const Cluster> clusters, int64_t resamples, uint64_t seed) {
  require_items(clusters.size(), resamples);
  PythonRandom random(seed);
  const auto n = static_cast<uint32_t>(clusters.size());
  std::vector<double> means;
  for (int64_t i = 0; i < resamples; ++i) {
    double sum = 0;
    int64_t rows = 0;
    for (uint32_t draw = 0; draw < n; ++draw) {
      const Cluster& cluster = clusters[random.next_below(n)];
      sum += cluster.sum;
      rows += cluster.num_rows;
    }
    means.push_back(sum / static_cast<double>(rows));
  }
  return percentiles(means);
}

std::optional<Interval> bootstrap_t(std::span<const Cluster> clusters, double level, int64_t resamples, uint64_t seed) {
  require_items(clusters.size(), resamples);
  require_domain(level > 0 && level < 1, "a level lies inside (0, 1)");
  Totals all;
  for (const Cluster& cluster : clusters) all.add(cluster);
  const MeanAndError seen = all.result();
  if (seen.error == 0) return std::nullopt;
  std::vector<double> t_values;
  for (int64_t i = 0; i < resamples; ++i) {
    CounterRng rng({.seed = seed, .stream = Stream::kBootstrap, .sample = static_cast<uint32_t>(i)});
    Totals drawn;
    for (size_t draw = 0; draw < clusters.size(); ++draw) drawn.add(clusters[rng.next_below(clusters.size())]);
    const MeanAndError resampled = drawn.result();
    const double excess = resampled.mean - seen.mean;
    t_values.push_back(resampled.error > 0 ? excess / resampled.error
                       : excess == 0       ? 0
                                           : std::copysign(INFINITY, excess));
  }
  std::sort(t_values.begin(), t_values.end());
  const double tail = (1 - level) / 2, num = static_cast<double>(resamples) + 1;
  const auto at = [&](double position) { return t_values[static_cast<size_t>(std::max(1.0, position)) - 1]; };
  return Interval{seen.mean - at(std::ceil(num * (1 - tail) - 1e-9)) * seen.error,
                  seen.mean - at(std::floor(num * tail + 1e-9)) * seen.error};
}

}  // namespace plumbline

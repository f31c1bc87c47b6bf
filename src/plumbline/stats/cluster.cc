#include "plumbline/stats/cluster.h"

#include <cmath>
#include <unordered_map>
#include <unordered_set>

#include "plumbline/stats/input.h"

namespace plumbline {

std::vector<Cluster> clusters_of(std::span<const std::string> items, std::span<const double> differences) {
  require_paired(items.size(), differences.size(), "a clustered figure");
  require_values(static_cast<int64_t>(items.size()), 1, "a clustered figure");
  require_finite(differences, "a clustered figure");
  std::vector<Cluster> clusters;
  std::unordered_map<std::string, size_t> places;
  for (size_t row = 0; row < items.size(); ++row) {
    const auto [place, is_new] = places.emplace(items[row], clusters.size());
    if (is_new) clusters.emplace_back();
    Cluster& cluster = clusters[place->second];
    const double difference = differences[row];
    cluster.sum += difference;
    cluster.squares += difference * difference;
    ++cluster.num_rows;
    cluster.num_above += difference > 0;
    cluster.num_below += difference < 0;
  }
  return clusters;
}

double mean_of(std::span<const Cluster> clusters) {
  require_values(static_cast<int64_t>(clusters.size()), 1, "a mean over items");
  double sum = 0, rows = 0;
  for (const Cluster& cluster : clusters) {
    sum += cluster.sum;
    rows += static_cast<double>(cluster.num_rows);
  }
  return sum / rows;
}

double standard_error_of(std::span<const Cluster> clusters) {
  require_values(static_cast<int64_t>(clusters.size()), 2, "a standard error over items");
  const double mean = mean_of(clusters), items = static_cast<double>(clusters.size());
  double squares = 0, sum_squared = 0, rows = 0;
  for (const Cluster& cluster : clusters) {
    const double size = static_cast<double>(cluster.num_rows), residual = cluster.sum - mean * size;
    squares += residual * residual;
    sum_squared += cluster.sum * cluster.sum;
    rows += size;
  }
  // What is left when all items agree is rounding.
  if (squares <= 1e-24 * sum_squared) return 0;
  return std::sqrt(squares * items / (items - 1)) / rows;
}

int64_t num_distinct(std::span<const std::string> values) {
  require_values(static_cast<int64_t>(values.size()), 1, "a count of distinct values");
  return static_cast<int64_t>(std::unordered_set<std::string>(values.begin(), values.end()).size());
}

}  // namespace plumbline

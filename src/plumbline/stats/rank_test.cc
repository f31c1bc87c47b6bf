#include "plumbline/stats/rank_test.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "plumbline/base/error.h"
#include "plumbline/stats/ranks.h"

namespace plumbline {
namespace {

constexpr size_t kMostValues = 200;

}  // namespace

double rank_test_below(std::span<const double> low, std::span<const double> high) {
  if (low.empty() || high.empty()) throw DataError("data.no_values", "a rank test needs two groups");
  std::vector<double> pooled(low.begin(), low.end());
  pooled.insert(pooled.end(), high.begin(), high.end());
  if (pooled.size() > kMostValues) {
    throw DataError("data.too_many_values", "the exact rank test takes 200 values in all");
  }
  const std::vector<size_t> ranks = double_ranks(pooled);
  const size_t seen =
      std::accumulate(ranks.begin(), ranks.begin() + static_cast<std::ptrdiff_t>(low.size()), size_t{0});
  // ways[k][s]: how many choices of k values have rank sum s, added value by value; doubles, since the counts outgrow
  // any integer (200 values: below 1e59).
  std::vector<std::vector<double>> ways(low.size() + 1, std::vector<double>(seen + 1, 0.0));
  ways[0][0] = 1;
  for (size_t i = 0; i < ranks.size(); ++i) {
    for (size_t k = std::min(low.size(), i + 1); k >= 1; --k) {
      for (size_t sum = seen + 1; sum-- > ranks[i];) ways[k][sum] += ways[k - 1][sum - ranks[i]];
    }
  }
  double total = 1;  // the binomial coefficient
  for (size_t k = 1; k <= low.size(); ++k) {
    total *= static_cast<double>(ranks.size() - low.size() + k) / static_cast<double>(k);
  }
  const std::vector<double>& of_all = ways[low.size()];
  return std::min(1.0, std::accumulate(of_all.begin(), of_all.end(), 0.0) / total);
}

}  // namespace plumbline

#include "plumbline/stats/agreement.h"

#include <algorithm>
#include <map>
#include <utility>

#include "plumbline/stats/input.h"

namespace plumbline {

Agreement agreement_of(std::span<const std::string> rater_a, std::span<const std::string> rater_b) {
  require_paired(rater_a.size(), rater_b.size(), "agreement");
  require_values(static_cast<int64_t>(rater_a.size()), 1, "agreement");
  std::map<std::string, std::pair<int64_t, int64_t>> counts;
  int64_t same = 0;
  for (size_t i = 0; i < rater_a.size(); ++i) {
    ++counts[rater_a[i]].first;
    ++counts[rater_b[i]].second;
    same += rater_a[i] == rater_b[i];
  }
  Agreement result;
  result.num_items = static_cast<int64_t>(rater_a.size());
  const double n = static_cast<double>(result.num_items);
  result.observed = static_cast<double>(same) / n;
  double chance = 0;
  for (const auto& [label, of_both] : counts) {
    chance += static_cast<double>(of_both.first) / n * (static_cast<double>(of_both.second) / n);
  }
  if (chance < 1) result.kappa = (result.observed - chance) / (1 - chance);
  const double labels = static_cast<double>(std::max<size_t>(2, counts.size()));
  result.pabak = (labels * result.observed - 1) / (labels - 1);
  return result;
}

}  // namespace plumbline

#include "plumbline/stats/multiplicity.h"

#include <algorithm>
#include <numeric>

#include "plumbline/stats/input.h"

namespace plumbline {

std::vector<double> holm_adjusted(std::span<const double> p_values) {
  require_values(static_cast<int64_t>(p_values.size()), 1, "Holm's adjustment");
  for (const double p : p_values) require_domain(p >= 0 && p <= 1, "a p value lies in [0, 1]");
  std::vector<size_t> order(p_values.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return p_values[a] < p_values[b]; });
  std::vector<double> adjusted(p_values.size());
  double largest = 0;
  for (size_t rank = 0; rank < order.size(); ++rank) {
    largest = std::max(largest, static_cast<double>(order.size() - rank) * p_values[order[rank]]);
    adjusted[order[rank]] = std::min(1.0, largest);
  }
  return adjusted;
}

}  // namespace plumbline

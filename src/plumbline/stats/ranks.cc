#include "plumbline/stats/ranks.h"

#include <algorithm>
#include <numeric>

namespace plumbline {

std::vector<size_t> double_ranks(std::span<const double> values) {
  std::vector<size_t> order(values.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return values[a] < values[b]; });
  std::vector<size_t> ranks(values.size());
  for (size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    while (end < order.size() && values[order[end]] == values[order[begin]]) ++end;
    for (size_t i = begin; i < end; ++i) ranks[order[i]] = begin + 1 + end;  // 2 x the mean of begin + 1 .. end
  }
  return ranks;
}

}  // namespace plumbline

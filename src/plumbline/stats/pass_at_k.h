/// pass@k from several samples an item.
#pragma once

#include <cstdint>

namespace plumbline {

/// The unbiased estimate 1 - C(n - c, k) / C(n, k) of Chen et al. (2021) for one item with `num_correct` of
/// `num_samples`. Throws DataError(data.no_values) without a sample, DataError(data.out_of_domain) unless 0 <= c <= n
/// and 1 <= k <= n.
double pass_at_k(int64_t num_samples, int64_t num_correct, int64_t k);

}  // namespace plumbline

/// The exact rank test of Mann and Whitney (1947) for two small groups.
#pragma once

#include <cstdint>
#include <span>

namespace plumbline {

/// P(the rank sum of `low` is as small as seen, or smaller) when group labels mean nothing: small when `low` lies below
/// `high`. Exact, by counting all ways to label the pooled values; ties have mid-ranks and are counted as they are.
/// Throws DataError(data.no_values) when a group is empty, DataError(data.too_many_values) beyond 200 values in all.
double rank_test_below(std::span<const double> low, std::span<const double> high);

}  // namespace plumbline

/// Bootstrap intervals of a mean difference over items.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "plumbline/stats/cluster.h"
#include "plumbline/stats/interval.h"

namespace plumbline {

inline constexpr int64_t kPublishedResamples = 4000;

/// The percentile bootstrap as evaluations publish it: Python's random.Random(seed), `resamples` means of n draws, the
/// end points at 2.5% and 97.5% of the sorted means. Kept for comparison with published figures: with few discordant
/// pairs it covers less than it says. The order of the values matters, digit by digit.
/// Throws DataError(data.no_values), DataError(data.too_few_values) for one value, DataError(data.not_finite).
Interval percentile_bootstrap(std::span<const double> differences, int64_t resamples = kPublishedResamples,
                              uint64_t seed = 0);

/// The same where rows share items: items are drawn, and the statistic is the sum of their differences over the number
/// of their rows. Throws likewise; one item is too few, however many rows it has.
Interval percentile_bootstrap(std::span<const Cluster> clusters, int64_t resamples = kPublishedResamples,
                              uint64_t seed = 0);

/// The bootstrap-t (Efron 1981) over items, for real-valued outcomes: resamples of (mean* - mean) / se*, with the
/// linearised standard error of a ratio. Unset when the items do not differ at all; an
/// end is infinite when too many resamples have no spread. Draws from Stream::kBootstrap of
/// `seed`. Throws as percentile_bootstrap does.
std::optional<Interval> bootstrap_t(std::span<const Cluster> clusters, double level = 0.95, int64_t resamples = 1999,
                                    uint64_t seed = 0);

}  // namespace plumbline

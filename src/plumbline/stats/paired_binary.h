/// Two arms that passed or failed the same items.
#pragma once

#include <cstdint>
#include <span>

#include "plumbline/stats/cluster.h"
#include "plumbline/stats/interval.h"

namespace plumbline {

struct PairedCounts {
  int64_t num_pairs = 0;
  int64_t base_only = 0;       ///< base passed, candidate failed
  int64_t candidate_only = 0;  ///< candidate passed, base failed
};

/// Scores are 0 or 1 by item. Throws DataError(data.unpaired | data.no_values | data.out_of_domain).
PairedCounts count_pairs(std::span<const double> base, std::span<const double> candidate);

/// The interval of candidate rate minus base rate: Tango's score interval (Statistics in Medicine 17, 1998), which
/// keeps its level where few pairs are discordant. Counts may be fractional, as scaled ones are; total > 0.
/// Throws DataError(data.no_values | data.out_of_domain).
Interval tango_interval(double base_only, double candidate_only, double num_pairs, double level = 0.95);

/// The same over rows that share items (seeds): counts over all rows, divided by the design effect, which is the
/// variance of the sums of items over the variance that independent rows would have, both with one discordant item
/// added, and at least 1. One row an item makes it Tango's interval itself. `clusters` hold differences of -1, 0, 1; a
/// cluster is an item. The coverage is simulated in tests and docs; see the ADR for why not the bootstrap-t.
/// Throws DataError(data.no_values), DataError(data.too_few_values) for one item.
struct ClusteredInterval {
  Interval interval;
  double design_effect = 1;
};
ClusteredInterval clustered_tango_interval(std::span<const Cluster> clusters, double level = 0.95);

}  // namespace plumbline

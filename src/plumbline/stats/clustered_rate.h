/// The rate of one arm over rows that share items: seeds, or several items of one prompt.
#pragma once

#include <span>

#include "plumbline/stats/cluster.h"
#include "plumbline/stats/interval.h"

namespace plumbline {

/// How many independent rows the rate of these rows is worth: rows over the design effect, which is the variance of the
/// prompts' sums over the variance that independent rows would have, both with one prompt of mean size added that
/// differs from the rate by 1 in every row. The design effect is at least 1 and at least that of `items`, the same rows
/// by item within a prompt. One row a prompt gives the rows themselves, and copies of every row change nothing.
/// Clusters hold scores of 0 and 1. Throws DataError(data.no_values | data.out_of_domain).
double effective_rows(std::span<const Cluster> prompts, std::span<const Cluster> items);

/// Wilson's interval at that number of rows. Throws likewise.
Interval clustered_wilson_interval(std::span<const Cluster> prompts, std::span<const Cluster> items,
                                   double level = 0.95);

}  // namespace plumbline

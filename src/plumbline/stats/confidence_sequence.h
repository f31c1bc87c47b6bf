/// An interval that stays valid however often one looks.
#pragma once

#include <cstdint>
#include <span>

#include "plumbline/stats/cluster.h"
#include "plumbline/stats/interval.h"

namespace plumbline {

/// Radius of the asymptotic confidence sequence of Waudby-Smith et al. (2024) at level .95 with r^2 = 1/50:
/// a = n r^2 + 1, s sqrt(2 a / (n^2 r^2) ln(sqrt(a) / .05)). `sd` is the sample standard deviation of the differences.
/// 0 when sd is 0, which says nothing: show "no spread" instead. Throws DataError(data.no_values | data.out_of_domain).
double confidence_sequence_radius(int64_t n, double sd);

/// The sequence at the end of `differences`. Throws DataError(data.no_values), DataError(data.too_few_values) for one.
Interval confidence_sequence(std::span<const double> differences);

/// The same over rows that share prompts: n counts prompts, and s is sqrt(n) times the standard error of the mean over
/// prompts, so that copies of rows change nothing and one row a prompt gives the sequence above. `items` are the same
/// rows by item within a prompt: where items of one prompt cancel, their standard error stands in as the larger one.
/// Asymptotic in prompts; the radius is at least 3.03 standard errors at every n. Throws likewise, for one prompt too.
Interval confidence_sequence(std::span<const Cluster> prompts, std::span<const Cluster> items);

}  // namespace plumbline
